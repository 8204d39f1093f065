"""Small pools and sources, and the rule of the draw by full enumeration: independent of the code under test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from protocol.language.expansion import Condition, Limit, Sample, Source, StratumSize
from services.studies.sampling.planning import Plan
from services.studies.sampling.units import Unit


def units(rows: Sequence[Mapping[str, str]]) -> list[Unit]:
    """Return units "u00", "u01" ... with these attributes; `subject` and `item` are taken from them where given."""
    return [
        Unit(
            key=f"u{number:02}",
            subject=row.get("subject", f"own-{number}"),
            item=row.get("item", f"u{number:02}"),
            attributes={name: value for name, value in row.items() if name not in ("subject", "item")},
        )
        for number, row in enumerate(rows)
    ]


def source(
    size: str = "all",
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    strata: Sequence[str] = (),
    allocation: str = "proportional",
    sizes: Mapping[str, str] | None = None,
    at_most: Mapping[str, int] | None = None,
    by_item: bool = False,
    phase: str | None = None,
) -> Source:
    """Return a source as the expansion of a protocol has it."""
    values: dict[str, Any] = {"allocation": "by_stratum" if sizes else allocation}
    return Source(
        phase=phase,
        where=[Condition(name=name, values=list(words)) for name, words in (where or {}).items()],
        let_in=[],
        controls=0,
        sample=Sample(
            size="by_stratum" if sizes else size,
            strata=list(strata),
            sizes=[StratumSize(stratum=stratum, size=written) for stratum, written in (sizes or {}).items()],
            at_most=[Limit(attribute=name, most=most) for name, most in (at_most or {}).items()],
            not_in=[],
            keeps_items_together=by_item,
            **values,
        ),
    )


def keeps_limits(chosen: Sequence[int], value: Callable[[int, str], str], at_most: Mapping[str, int]) -> bool:
    return all(
        count <= most
        for name, most in at_most.items()
        for text, count in Counter(value(place, name) for place in chosen).items()
        if text
    )


def admissible(plan: Plan, at_most: Mapping[str, int]) -> set[frozenset[int]]:
    """Return every sample of the planned sizes within the limits, by trying all of them."""
    wanted = Counter({place: number for place, number in enumerate(plan.pool.wanted) if number})
    return {
        frozenset(chosen)
        for chosen in combinations(range(len(plan.frame)), sum(plan.pool.wanted))
        if Counter(plan.pool.stratum[unit] for unit in chosen) == wanted
        and keeps_limits(chosen, lambda unit, name: plan.frame[unit].value(name), at_most)
    }


def enumerated(plan: Plan, at_most: Mapping[str, int]) -> list[Fraction]:
    """Return the inclusion probability of each of the frame by the rule of the draw, as fractions."""
    samples = admissible(plan, at_most)
    many = len(plan.frame)

    @cache
    def from_here(taken: frozenset[int], places: tuple[int, ...]) -> tuple[Fraction, ...]:
        if not sum(places):
            return tuple(Fraction(unit in taken) for unit in range(many))
        result = [Fraction(0)] * many
        for stratum, left in enumerate(places):
            if not left:
                continue
            fitting = [
                unit
                for unit in range(many)
                if plan.pool.stratum[unit] == stratum
                and unit not in taken
                and any(taken | {unit} <= sample for sample in samples)
            ]
            after = (*places[:stratum], left - 1, *places[stratum + 1 :])
            for unit in fitting:
                chance = Fraction(left, sum(places)) / len(fitting)
                for place, share in enumerate(from_here(taken | {unit}, after)):
                    result[place] += chance * share
        return tuple(result)

    return list(from_here(frozenset(), tuple(plan.pool.wanted)))
