"""The candidates that could have been drawn for people: the population that a corrected score refers to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from agreement.judge.factors import Chosen
from agreement.judge.keys import numbered
from agreement.judge.material import Frame
from protocol.language.expansion import Expansion, Phase
from protocol.language.narrowing import NO_VALUE
from protocol.language.sentences_of_plan import condition_in_words
from protocol.language.wording import listed
from services.report.rows.candidate_columns import CandidateColumns
from services.report.rows.listed_rows import ListedRows
from services.studies.drawing.drawing_phases import as_canonical
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit


def frame_of(study: Expansion, phase: Phase, pool: CandidateColumns, rows: ListedRows) -> Frame | None:
    """Return the candidates, of any model, from which a phase's were drawn; None for all of them.

    A model that a phase does not ask for is included with those of its answers that match the phase's other
    conditions: it has a score by the judge, but no corrected one.

    Parameters
    ----------
    pool
        All candidates of models.
    rows
        Everything drawn for any phase, with its items and candidates.
    """
    said = as_canonical(phase.source, study.attributes)
    where = [condition for condition in said.where if condition.name != "model"]
    sample = said.sample
    empty = {size.stratum for size in sample.sizes if size.size.rstrip(" %") == "0"} if sample else set()
    of_phase = said.model_copy(update={"where": where})
    strata = sample.strata if sample and empty else None

    def among_drawn(units: Sequence[Unit]) -> list[bool]:
        fitting = {unit.key for unit in that_fit(units, of_phase, frozenset())}
        return [
            unit.key in fitting
            and not (strata is not None and " / ".join(unit.value(name) or NO_VALUE for name in strata) in empty)
            for unit in units
        ]

    among = _of_each_kind(pool, [*(condition.name for condition in where), *(strata or ())], among_drawn)
    if said.phase is not None:
        lines = [line for line in rows.drawn if line.phase == said.phase]
        keys, of_items = {line.candidate for line in lines}, {line.item for line in lines if line.candidate is None}
        candidates = [candidate.id for candidate in rows.candidates if candidate.key in keys]
        items = [item.id for item in rows.items if item.key in of_items]
        among &= np.isin(pool.ids, candidates) | np.isin(pool.item_ids, items)
    if among.all():
        return None
    words = [condition_in_words(study, condition.name, condition.values) for condition in where]
    if sample and empty:
        words.append(f"{listed(sample.strata)} is not {listed(sorted(empty), 'or')}")
    if said.phase is not None:
        words.append(f"drawn for “{study.phase(said.phase).title}”")
    return Frame(among, listed(words) or "neither practice nor without a response")


def hangs_on_answers(phase: Phase) -> bool:
    """Return whether answers decided what could be drawn, which leaves the inclusion probabilities unknown."""
    by_results = any("." in condition.name for condition in phase.source.where)
    return by_results or bool(phase.source.let_in) or phase.answers_of is not None


def _of_each_kind(
    pool: CandidateColumns, names: Sequence[str], wanted: Callable[[Sequence[Unit]], list[bool]]
) -> Chosen:
    """Return which candidates satisfy a condition on these values and on what every draw leaves out.

    Candidates that agree in all of these are tested once together: there may be a million candidates.
    """
    if not len(pool):
        return np.zeros(0, dtype=np.bool_)
    factors = {name: pool.factor(name) for name in dict.fromkeys(names)}
    practice = pool.items.practice[pool.places]
    kinds, count = numbered(
        [practice.astype(np.intp), pool.responded.astype(np.intp), *(factor.codes + 1 for factor in factors.values())]
    )
    one_of = np.zeros(count, dtype=np.intp)
    one_of[kinds] = np.arange(len(pool))
    # The last value is for candidates without one: their code is -1.
    values = {name: (*factor.names, "") for name, factor in factors.items()}
    units = []
    for number, place in enumerate(one_of.tolist()):
        said = {name: values[name][factor.codes[place]] for name, factor in factors.items()}
        units.append(
            Unit(
                str(number), said.get("subject"), said.get("item", ""), said,
                practice=bool(practice[place]), responded=bool(pool.responded[place]),
            )
        )  # fmt: skip
    holds: Chosen = np.array(wanted(units), dtype=np.bool_)[kinds]
    return holds
