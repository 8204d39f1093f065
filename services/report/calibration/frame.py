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
    units = [_unit(line, item) for line, item in zip(pool, items, strict=True)]
    fitting = {unit.key for unit in that_fit(units, said.model_copy(update={"where": where}), frozenset())}
    sample = said.sample
    empty = {size.stratum for size in sample.sizes if size.size.rstrip(" %") == "0"} if sample else set()
    if sample and empty:
        strata = {unit.key: " / ".join(unit.value(name) or NO_VALUE for name in sample.strata) for unit in units}
        fitting = {key for key in fitting if strata[key] not in empty}
    if said.phase is not None:
        rows = [line for line in drawn if line.phase == said.phase]
        keys, of_items = {line.candidate for line in rows}, {line.item for line in rows if line.candidate is None}
        fitting = {unit.key for unit in units if unit.key in fitting and (unit.key in keys or unit.item in of_items)}
    among = np.array([unit.key in fitting for unit in units], dtype=np.bool_)
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


def _unit(line: CandidateLine, item: ItemLine) -> Unit:
    attributes = {
        "category": item.category,
        "format": item.format,
        "grounding": item.grounding,
        **item.attributes,
        **line.attributes,
        "model": line.model,
    }
    responded = bool(line.answer or line.answers)
    return Unit(line.key, item.subject, item.key, attributes, practice=item.practice, responded=responded)
