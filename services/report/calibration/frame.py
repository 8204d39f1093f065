"""Which candidates could have been drawn for people: those that a score that is corrected by their verdicts is of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.judge.material import Frame
from protocol.language.expansion import Expansion, Phase
from protocol.language.sentences_of_plan import condition_in_words
from protocol.language.wording import listed
from services.report.files.listed_files import CandidateLine, DrawnLine, ItemLine
from services.studies.drawing_phases import as_canonical
from services.studies.sampling.planning import NO_VALUE
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit

_AT_ONCE = 10_000


def frame_of(
    study: Expansion,
    phase: Phase,
    pool: Sequence[CandidateLine],
    items: Sequence[ItemLine],
    drawn: Sequence[DrawnLine],
) -> Frame | None:
    """Return from which candidates those of a phase were drawn, whatever their model; None where from all.

    A model that a phase does not ask for stays among them, with those of its answers that are like those that were
    drawn: it has a score by the judge, and none that is corrected.

    Parameters
    ----------
    items
        The item of each candidate.
    drawn
        What was drawn for all phases.
    """
    said = as_canonical(phase.source, study.attributes)
    where = [condition for condition in said.where if condition.name != "model"]
    sample = said.sample
    empty = {size.stratum for size in sample.sizes if size.size.rstrip(" %") == "0"} if sample else set()
    rows = [line for line in drawn if line.phase == said.phase]
    keys, of_items = {line.candidate for line in rows}, {line.item for line in rows if line.candidate is None}
    of_phase = said.model_copy(update={"where": where})

    def among_drawn(units: Sequence[Unit]) -> list[bool]:
        fitting = {unit.key for unit in that_fit(units, of_phase, frozenset())}
        return [
            unit.key in fitting
            and not (sample and empty and " / ".join(unit.value(name) or NO_VALUE for name in sample.strata) in empty)
            and (said.phase is None or unit.key in keys or unit.item in of_items)
            for unit in units
        ]

    asked = bool(where or empty)
    # A million units with their attributes, all at once, would take most of the memory.
    flags = []
    for start in range(0, len(pool), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        flags += among_drawn(
            [_unit(line, item, asked=asked) for line, item in zip(pool[part], items[part], strict=True)]
        )
    among = np.array(flags, dtype=np.bool_)
    if among.all():
        return None
    words = [condition_in_words(study, condition.name, condition.values) for condition in where]
    if sample and empty:
        words.append(f"{listed(sample.strata)} is not {listed(sorted(empty), 'or')}")
    if said.phase is not None:
        words.append(f'drawn for "{study.phase(said.phase).title}"')
    return Frame(among, listed(words) or "neither practice nor without a response")


def hangs_on_answers(phase: Phase) -> bool:
    """Return whether answers decided what could be drawn, so that nobody knows with which chance it was."""
    by_results = any("." in condition.name for condition in phase.source.where)
    return by_results or bool(phase.source.let_in) or phase.answers_of is not None


def _unit(line: CandidateLine, item: ItemLine, *, asked: bool) -> Unit:
    """Return a candidate as a unit, with its attributes where any of them is asked for."""
    attributes = asked and {
        "category": item.category,
        "format": item.format,
        "grounding": item.grounding,
        **item.attributes,
        **line.attributes,
        "model": line.model,
    }
    responded = bool(line.answer or line.answers)
    return Unit(line.key, item.subject, item.key, attributes or {}, practice=item.practice, responded=responded)
