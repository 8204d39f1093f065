"""What the plan of a stored study requires but its design cannot provide, reported before the freeze."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from protocol.language.authored_plan import AuthoredCriterion
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.pools import rates_texts
from protocol.language.results import FORM
from protocol.language.wording import path_in_words
from services.studies.drawing.pool import Pool
from services.studies.plan.groups_of_few import without_limits
from services.studies.plan.lines_without_numbers import decidable, without_raters
from services.studies.plan.plan_reach import drawable, known_before, lines_of, out_of_reach, selected_by, too_few
from services.studies.sampling.units import Unit


def before_freeze(study: Expansion, pool: Pool | None, there: Mapping[str, int]) -> Iterator[str]:
    """Yield the criteria that the design cannot reach, and the lines that lack raters, from what is stored of a study.

    Parameters
    ----------
    pool
        None if there are no criteria to check against it.
    there
        The number of people in each group, by group.
    """
    known = {phase.key: phase for phase in known_before(study)}
    for key, line in lines_of(study):
        for phase in (study.phase(name) for name in dict.fromkeys(name.partition(".")[0] for name in line.of)):
            yield from (
                f"{path_in_words((*key, *under))}: {says}" for under, says in without_raters(study, phase, line, there)
            )
            yield from (f"{path_in_words(key)}: {says}" for says in without_limits(study, phase, line, there))
            if isinstance(line, AuthoredCriterion) and phase.key in known and pool is not None:
                wanted = selected_by(study, line, but=[FORM])
                selected = [unit for unit in _stored_units(study, phase, pool) if wanted(unit)]
                units, which = decidable(study, phase, line, selected, partial(_answers, pool))
                yield from (f"{path_in_words((*key, 'least'))}: {says}" for says in too_few(line, phase, units, which))
                yield from out_of_reach(study, line, phase, units, which)


@dataclass(frozen=True)
class _StoredUnit:
    unit: Unit

    @property
    def item_key(self) -> str:
        return self.unit.item

    @property
    def form(self) -> str:
        return ""

    def value_of(self, name: str) -> str:
        return self.unit.value(name)


def _answers(pool: Pool, item: str, field: Field) -> bool:
    """Return whether a reference says something about a field, including texts that people compare."""
    named = pool.fields_of_reference.get(item, frozenset())
    return field.key in named or (field.primary and "" in named)


def _stored_units(study: Expansion, phase: Phase, pool: Pool) -> list[_StoredUnit]:
    rated = pool.candidates if rates_texts(phase) else pool.items
    return drawable(
        study, phase, [_StoredUnit(unit) for unit in rated.values() if unit.responded and not unit.practice]
    )
