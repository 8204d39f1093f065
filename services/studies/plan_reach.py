"""Which criteria of an analysis plan a design can reach, by what is known before anything is answered."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Protocol, TypeVar

from agreement import Estimate, cohen_kappa, wilson_interval
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.bins import level_of
from protocol.language.criteria import SHARES, bounds_in_words, statistic_of
from protocol.language.expansion import Expansion, Phase, Sample
from protocol.language.pools import rates_texts
from protocol.language.results import fields_of_line, values_as_stored
from protocol.language.wording import listed, spoken

_MOST_UNITS = 1_000_000
_MOST_OF_KAPPA = 20_000


class Valued(Protocol):
    """A unit by what can be asked of it."""

    def value_of(self, name: str) -> str:
        """Return an attribute as text; empty where it has none."""


V = TypeVar("V", bound=Valued)


# The keys under which something stands in a protocol; a number is a place in a list, from 0.
Path = tuple[str | int, ...]


def lines_of(study: Expansion) -> Iterator[tuple[Path, AuthoredEstimate]]:
    """Yield the lines of a plan, each with its keys in the protocol."""
    plan = study.analysis
    if plan.primary is not None:
        yield ("analysis", "primary"), plan.primary
    yield from ((("analysis", "also", place), line) for place, line in enumerate(plan.also))
    yield from ((("analysis", "criteria", line.key), line) for line in plan.criteria)


def known_before(study: Expansion) -> list[Phase]:
    """Return the phases whose units stand in the tables: not those that rate people's answers, nor practice."""
    return [
        phase
        for phase in study.phases
        if phase.answers_of is None and phase.source.practice == "never" and (rates_texts(phase) or _rates_items(phase))
    ]


def _rates_items(phase: Phase) -> bool:
    return phase.rates == ["items"]


def drawable(study: Expansion, phase: Phase, units: list[V]) -> list[V]:
    """Return those of some units that a phase, and those that it draws from, select by attributes."""
    behind: Phase | None = phase
    while behind is not None:
        for condition in behind.source.where:
            if "." not in condition.name:
                units = [each for each in units if each.value_of(condition.name) in condition.values]
        behind = None if behind.source.phase is None else study.phase(behind.source.phase)
    return units


def selected_by(study: Expansion, line: AuthoredEstimate, but: Sequence[str] = ()) -> Callable[[Valued], bool]:
    """Return what tells whether a line is about a unit; conditions on raters, and those under `but`, select none."""
    of_raters = {each.key for each in study.attributes if each.table == "raters"} | {"group"}
    conditions = [
        (name, values_as_stored(name, own, study.attributes))
        for name, own in line.where.items()
        if "." not in name and name not in of_raters
    ]
    conditions = [condition for condition in conditions if condition[0] not in but]
    return lambda unit: all(unit.value_of(name) in values for name, values in conditions)


def too_few(criterion: AuthoredCriterion, phase: Phase, units: int, which: str = "") -> Iterator[str]:
    """Yield that fewer units are rated than a criterion has to rest on; `which` says what these have, if not all."""
    most = most_drawn(phase.source.sample, units)
    if most < criterion.least.units:
        yield (
            f"{criterion.least.units} units are asked for, and '{phase.key}' rates at most {most}{which}; draw "
            "more or ask for fewer."
        )


def most_drawn(sample: Sample | None, units: int) -> int:
    """Return how many units a phase rates at most."""
    if sample is None or sample.size == "all":
        return units
    if sample.size == "by_stratum":
        sizes = [stratum.size for stratum in sample.sizes]
        return min(units, sum(int(size) for size in sizes)) if all(size.isdigit() for size in sizes) else units
    if sample.size.endswith("%"):
        return math.ceil(units * float(sample.size.removesuffix("%")) / 100)
    return min(units, int(sample.size))


def out_of_reach(
    study: Expansion, criterion: AuthoredCriterion, phase: Phase, units: Sequence[Valued], which: str = ""
) -> Iterator[str]:
    """Yield where a share, or kappa, could not clear its bound even if all were answered as the criterion wishes.

    Parameters
    ----------
    units
        Those that the criterion can rest on; `which` says what these have, if not all do.
    """
    wanted = criterion.of[0]
    fields = fields_of_line(criterion, [phase], {form.key: form.fields for form in study.forms})
    statistic, confidence = statistic_of(criterion, fields[wanted].type), study.analysis.confidence
    is_kappa = statistic == "cohen_kappa" and criterion.above is not None and not criterion.against
    if not (is_kappa or statistic in SHARES) or criterion.compare is not None:
        return
    most_units = _MOST_OF_KAPPA if is_kappa else _MOST_UNITS

    @cache
    def best_of(n: int) -> Estimate:
        if is_kappa:
            return _best_kappa(n, max(2, len(fields[wanted].options)), confidence)
        return _best(criterion, n, confidence)

    def clears(n: int) -> bool:
        limits = best_of(n)
        above, below = criterion.above, criterion.below
        return (above is None or limits.low > above) and (below is None or limits.high < below)

    for name, count in _parts(study, criterion, units, most_drawn(phase.source.sample, len(units))):
        if count and not clears(count):
            # More units only narrow the interval.
            needed = bisect.bisect_left(range(1, most_units), True, key=clears) + 1
            best = best_of(count)
            takes = f"it takes {needed} units" if needed < most_units else "no number of units would do"
            yield (
                f"Criterion '{criterion.key}' ({bounds_in_words(criterion)}) is out of reach: with {count} "
                f"independent unit{'' if count == 1 else 's'}{which}{name} {_limits_in_words(best)} at best; {takes}."
            )


def _best(criterion: AuthoredCriterion, n: int, confidence: float) -> Estimate:
    """Return Wilson's limits of the share of n independent units that a criterion would like best."""
    above, below = criterion.above, criterion.below
    if above is not None and below is not None:
        wished = (above + below) / 2
    else:
        wished = 1.0 if below is None else 0.0
    return wilson_interval(round(n * min(1.0, max(0.0, wished))), n, confidence=confidence)


def _limits_in_words(best: Estimate) -> str:
    if math.isnan(best.low):
        return "there are no limits"
    return f"the limits are {best.low:.3f} and {best.high:.3f}, {best.high - best.low:.3f} apart,"


def _best_kappa(n: int, options: int, confidence: float) -> Estimate:
    """Return kappa of two raters who agree on all of n units, of which each option has as many."""
    answers = [place % options for place in range(n)]
    return cohen_kappa(answers, answers, categories=list(range(options)), confidence=confidence)


def _parts(
    study: Expansion, criterion: AuthoredCriterion, units: Sequence[Valued], most: int
) -> Iterator[tuple[str, int]]:
    """Yield each part that has to reach the bounds, in words, with how many units it has at most."""
    if not criterion.by:
        yield "", most
        return
    bins = {each.key: each.bins for each in study.attributes if each.bins}

    def part_of(unit: Valued, name: str) -> str:
        """Return the value of a unit, of a number with declared bounds its level."""
        value = unit.value_of(name)
        return level_of(bins[name], value) if name in bins else value

    counts = Counter(tuple(part_of(unit, name) for name in criterion.by) for unit in units)
    for values, count in sorted(counts.items()):
        if all(values):
            parts = [f"{spoken(name)} {value}" for name, value in zip(criterion.by, values, strict=True)]
            yield f" of {listed(parts)}", min(most, count)
