"""Items for which a pool holds only people's answers, because no model answered: this reveals the authors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exchange.refusal import listed
from protocol.language.expansion import Condition, Expansion, Phase
from protocol.language.pools import columns_of_models
from services.errors import counted
from services.studies.drawing.drawing_phases import as_canonical
from services.studies.drawing.pool import Pool
from services.studies.drawing.pooled import units_in_pool
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.units import Unit


def holds_both(study: Expansion) -> bool:
    """Return whether a phase rates people's and models' answers in one pool."""
    return any(_is_of_both(phase) for phase in study.phases)


def answered_by_people_alone(study: Expansion, pool: Pool) -> Iterator[str]:
    """Yield, for each pool, a warning with the number of its items that no model answered, if models answered others.

    All items that can be drawn are counted, although one that is not drawn reveals nothing. If no model answered any
    item, the pool would hold only people's answers, and the draw refuses it.
    """
    for phase in study.phases:
        if not _is_of_both(phase):
            continue
        answered = study.phase(str(phase.answers_of))
        items = [unit for unit in pool.items.values() if not unit.practice and _is_selected(unit, study, phase)]
        try:
            of_models = units_in_pool(
                study, phase, as_canonical(phase.source, study.attributes), pool.candidates.values()
            )
        except CannotDraw:
            continue
        there = {unit.item for unit in of_models if unit.responded and not unit.given_in}
        lacking = [unit.key for unit in items if unit.key not in there]
        if 0 < len(lacking) < len(items):
            yield (
                f"In the pool of '{phase.key}', {len(lacking)} of {counted(len(items), 'item')} that '{answered.key}' "
                f"can draw have no answer of a model ({listed(lacking)}): anybody who rates an answer to them knows "
                f"that a person wrote it. Add models' answers, or select in '{answered.key}' (from.where, by a "
                "column of items.csv) the items that have some."
            )


def _is_of_both(phase: Phase) -> bool:
    return set(phase.rates) == {"candidates", "answers"}


def _is_selected(item: Unit, study: Expansion, pool: Phase) -> bool:
    """Return whether people's answers to an item can be in a pool, by what is known before anybody answers."""
    of_models = columns_of_models(study)
    return all(
        item.value(condition.name) in condition.values
        for condition in _conditions(study, pool)
        if "." not in condition.name and condition.name not in of_models
    )


def _conditions(study: Expansion, pool: Phase) -> Sequence[Condition]:
    conditions = [*as_canonical(pool.source, study.attributes).where]
    behind: str | None = pool.answers_of
    while behind is not None:
        source = study.phase(behind).source
        conditions += as_canonical(source, study.attributes).where
        behind = source.phase
    return conditions
