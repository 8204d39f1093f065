"""Which criteria of an analysis plan a design can reach, as far as known before anything is answered."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import cycle, islice
from typing import Protocol, TypeVar

from agreement import Estimate
from protocol.fields import ORDERED
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate, are_right_at_once
from protocol.language.bins import level_of, levels_of
from protocol.language.computed import columns_of_raters
from protocol.language.criteria import (
    CALLED,
    MOST_PAIRS,
    MOST_PAIRS_OF_PART,
    OF_PAIRS,
    SHARES,
    bounds_in_words,
    statistic_of,
    statistics_of,
)
from protocol.language.expansion import Expansion, Phase, Sample
from protocol.language.pools import rates_texts
from protocol.language.results import fields_of_line, form_named, values_as_stored
from protocol.language.wording import listed, spoken
from services.studies.plan.best_case import COEFFICIENTS, Sizes, best_alpha, best_coefficient, best_share
from services.studies.plan.lines_without_numbers import people_of

_MOST_UNITS = 1_000_000
_MOST_OF_DATA = 20_000
# Statistics that are pooled over raters, so that each verdict counts.
_OF_VERDICTS = frozenset({"accuracy", "share"})
# The limit if each number of units needs a bootstrap of its own.
_MOST_RESAMPLED = 2_000


class Valued(Protocol):
    """A unit whose attributes can be looked up."""

    def value_of(self, name: str) -> str:
        """Return an attribute as text; empty if the unit does not have it."""


V = TypeVar("V", bound=Valued)


# The keys that lead to a part of a protocol; a number is an index into a list, from 0.
Path = tuple[str | int, ...]


def lines_of(study: Expansion) -> Iterator[tuple[Path, AuthoredEstimate]]:
    """Yield the lines of a plan, each with its keys in the protocol."""
    plan = study.analysis
    if plan.primary is not None:
        yield ("analysis", "primary"), plan.primary
    yield from ((("analysis", "also", place), line) for place, line in enumerate(plan.also))
    yield from ((("analysis", "criteria", line.key), line) for line in plan.criteria)


def known_before(study: Expansion) -> list[Phase]:
    """Return the phases whose units are in the tables: without practice and phases that rate people's answers."""
    return [
        phase
        for phase in study.phases
        if phase.answers_of is None and phase.source.practice == "never" and (rates_texts(phase) or _rates_items(phase))
    ]


def _rates_items(phase: Phase) -> bool:
    return phase.rates == ["items"]


def drawable(study: Expansion, phase: Phase, units: list[V]) -> list[V]:
    """Return the units that a phase, and all phases that it draws from, select by attributes."""
    behind: Phase | None = phase
    while behind is not None:
        for condition in behind.source.where:
            if "." not in condition.name:
                units = [each for each in units if each.value_of(condition.name) in condition.values]
        behind = None if behind.source.phase is None else study.phase(behind.source.phase)
    return units


def selected_by(study: Expansion, line: AuthoredEstimate, but: Sequence[str] = ()) -> Callable[[Valued], bool]:
    """Return a predicate for the units that a line is about; conditions on raters, and those in `but`, are ignored."""
    of_raters = columns_of_raters(study) | {"group"}
    conditions = [
        (name, values_as_stored(name, own, study.attributes))
        for name, own in line.where.items()
        if "." not in name and name not in of_raters
    ]
    conditions = [condition for condition in conditions if condition[0] not in but]
    return lambda unit: all(unit.value_of(name) in values for name, values in conditions)


def too_few(criterion: AuthoredCriterion, phase: Phase, units: Sequence[Valued], which: str = "") -> Iterator[str]:
    """Yield that fewer units are rated than a criterion requires; `which` describes them, if they are not all units."""
    most = sum(most_drawn(phase.source.sample, units, "item"))
    if most < criterion.least.units:
        yield (
            f"{criterion.least.units} units are asked for, and '{phase.key}' rates at most {most}{which}; draw "
            "more or ask for fewer."
        )


def most_drawn(sample: Sample | None, units: Sequence[Valued], cluster: str) -> Sizes:
    """Return how many units of each cluster a phase rates at most, spread over as many clusters as possible.

    If candidates of an item are drawn together, the sample size counts items.
    """
    if sample is not None and sample.keeps_items_together:
        by_item: dict[str, list[Valued]] = {}
        for unit in units:
            by_item.setdefault(unit.value_of("item"), []).append(unit)
        largest = sorted(by_item.values(), key=len, reverse=True)[: _most_of(sample, len(by_item))]
        units = [unit for own in largest for unit in own]
        return tuple(Counter(_cluster_of(unit, cluster) for unit in units).values())
    sizes = Counter(_cluster_of(unit, cluster) for unit in units)
    most = _most_of(sample, len(units))
    return tuple(sizes.values()) if most == len(units) else _spread(most, sorted(sizes.values(), reverse=True))


def _most_of(sample: Sample | None, there: int) -> int:
    """Return how many of the available units (or items) a sample takes at most."""
    if sample is None or sample.size == "all":
        return there
    if sample.size == "by_stratum":
        sizes = [stratum.size for stratum in sample.sizes]
        return min(there, sum(int(size) for size in sizes)) if all(size.isdigit() for size in sizes) else there
    if sample.size.endswith("%"):
        return math.ceil(there * float(sample.size.removesuffix("%")) / 100)
    return min(there, int(sample.size))


def _spread(units: int, sizes: Sequence[int]) -> Sizes:
    """Spread units over as many clusters as possible, and return how many come from each."""
    drawn = [0] * len(sizes)
    while units > 0:
        for place, size in enumerate(sizes):
            if drawn[place] < size and units > 0:
                drawn[place] += 1
                units -= 1
    return tuple(each for each in drawn if each)


def _cluster_of(unit: Valued, cluster: str) -> str:
    """Return the cluster of a unit, or its item if the cluster is not known yet, which is the optimistic assumption."""
    return unit.value_of(cluster) or unit.value_of("item")


def out_of_reach(
    study: Expansion, criterion: AuthoredCriterion, phase: Phase, units: Sequence[Valued], which: str = ""
) -> Iterator[str]:
    """Yield that a criterion on a share or kappa could not be met even with the most favourable answers.

    If that cannot be computed beforehand, a sentence says so, with the reason.

    Parameters
    ----------
    units
        The units that the criterion can rest on; `which` describes them, if they are not all units.
    """
    wanted = criterion.of[0]
    fields = fields_of_line(criterion, [phase], {form.key: form.fields for form in study.forms})
    statistic, plan = statistic_of(criterion, fields[wanted].type), study.analysis
    raters = _raters_of_each(study, criterion, phase)
    if because := _too_many_pairs(study, criterion, phase, fields[wanted].type):
        yield f"Criterion '{criterion.key}' ({bounds_in_words(criterion)}) would not be decided, since {because}"
        return
    if because := _unknown_before(criterion, statistic, plan.interval, fields[wanted].type, raters):
        yield (
            f"Criterion '{criterion.key}' ({bounds_in_words(criterion)}): whether the design can reach it was not "
            f"computed, since {because}; look at its interval in a pilot."
        )
        return
    is_alpha = statistic == "krippendorff_alpha"
    is_coefficient = is_alpha or statistic in COEFFICIENTS
    options = max(2, len(fields[wanted].options))

    @cache
    def best_of(sizes: Sizes) -> Estimate:
        if is_alpha:
            return best_alpha(sizes, max(2, raters or 0), options, confidence=plan.confidence, resamples=plan.resamples)
        for coefficient in COEFFICIENTS if is_coefficient else ():
            if coefficient == statistic:
                return best_coefficient(
                    coefficient, sizes, options, confidence=plan.confidence, resamples=plan.resamples
                )
        return best_share(sizes, criterion.above, criterion.below, confidence=plan.confidence, resamples=plan.resamples)

    def clears(sizes: Sizes) -> bool:
        limits = best_of(sizes)
        above, below = criterion.above, criterion.below
        return (above is None or limits.low > above) and (below is None or limits.high < below)

    # The cases of a stored draft are not known.
    cluster = plan.cluster if any(unit.value_of(plan.cluster) for unit in units) else "item"
    is_pooled = statistic in _OF_VERDICTS and _is_pooled(criterion, fields[wanted].type)
    each = _verdicts_on_each(study, criterion, phase) if is_pooled else 1
    for name, of_units in _parts(study, criterion, phase, units):
        sizes = tuple(each * size for size in of_units)
        count = sum(sizes)
        is_clustered = count > len(sizes)
        most = _MOST_OF_DATA if is_coefficient or is_clustered else _MOST_UNITS
        if is_clustered and statistic in ("linear_kappa", "quadratic_kappa"):
            most = _MOST_RESAMPLED
        if not is_coefficient and is_clustered:
            most = max(most, 4 * count)
        if not 0 < count < most or clears(sizes):
            continue
        best = best_of(sizes)
        takes = "no number of units would do"
        if (criterion.above is None or criterion.above < 1) and (criterion.below is None or criterion.below > 0):
            takes = _takes(sizes, each, most, clears, cluster)
        yield (
            f"Criterion '{criterion.key}' ({bounds_in_words(criterion)}) is out of reach: with "
            f"{_units_in_words(sizes, each, cluster, f'{which}{name}')} {_limits_in_words(best)} at best; "
            f"{takes}."
        )


def _unknown_before(
    criterion: AuthoredCriterion, statistic: str, interval: str, field_type: str, raters: int | None
) -> str:
    """Return why the best limits cannot be known before anything is answered; empty if they can be computed.

    Parameters
    ----------
    raters
        How many people rate each unit; None if not known yet.
    """
    is_coefficient = statistic in (*COEFFICIENTS, "krippendorff_alpha")
    if criterion.compare is not None:
        return "it is about a difference, whose interval depends on what both are"
    if interval == "percentile_bootstrap":
        return "the plan takes percentile bootstraps, which have no interval where all answers are alike"
    if statistic not in SHARES and not is_coefficient:
        return f"the best interval is known of shares, kappa, alpha and AC1, and not of {CALLED[statistic]}"
    if is_coefficient and criterion.above is None:
        return "an upper bound of kappa, alpha or AC1 depends on how raters differ"
    if is_coefficient and criterion.against:
        return f"kappa, alpha or AC1 against {listed(criterion.against)} depends on what these say"
    if is_coefficient and field_type == "as_item":
        return "how many different answers there are depends on the items"
    if statistic == "krippendorff_alpha" and field_type in ORDERED:
        return "the interval of alpha of ordered answers is resampled, and depends on how raters differ"
    if statistic == "krippendorff_alpha" and raters is None:
        return "alpha depends on how many rate each unit; say it under groups (people) or by (per_unit)"
    return ""


def _too_many_pairs(study: Expansion, criterion: AuthoredCriterion, phase: Phase, field_type: str) -> str:
    """Return why a criterion on every pair of raters is never decided, and what to do; empty if pairs are few."""
    statistic = statistic_of(criterion, field_type)
    of_raters = columns_of_raters(study) | {"group"}
    people = people_of(study, phase, criterion, {})
    if (
        criterion.estimate != "agreement"
        or criterion.against
        or people is None
        or phase.by.per_unit is not None
        or of_raters & {*criterion.by, *criterion.where}
        or not (criterion.each_rater or statistic in OF_PAIRS)
    ):
        return ""
    # A line that names the form of its field is about all units of that form.
    selects = bool(criterion.where) if form_named(study, criterion) is None else len(criterion.where) > 1
    pairs, is_of_part = math.comb(people, 2), bool(criterion.by) or selects
    most = MOST_PAIRS_OF_PART if is_of_part else MOST_PAIRS
    if pairs <= most:
        return ""
    which = "of a part " if is_of_part else ""
    of_all = [name for name in statistics_of(criterion, field_type) if name not in OF_PAIRS]
    such = "krippendorff_alpha" if "krippendorff_alpha" in of_all else of_all[0]
    return (
        f"{people} raters are {pairs} pairs, and {which}the report lists at most {most}; use a statistic of all "
        f"raters together, such as {such}, and leave out each_rater."
    )


def _raters_of_each(study: Expansion, criterion: AuthoredCriterion, phase: Phase) -> int | None:
    """Return how many people rate each unit; None if not known yet."""
    people = people_of(study, phase, criterion, {})
    known = [count for count in (people, phase.by.per_unit) if count is not None]
    return min(known, default=None)


def _is_pooled(criterion: AuthoredCriterion, field_type: str) -> bool:
    """Return whether the report pools verdicts over raters for a criterion, instead of counting each rater alone."""
    if criterion.estimate == "accuracy":
        return field_type != "correctness"
    return criterion.estimate == "rate" or are_right_at_once(criterion)


def _verdicts_on_each(study: Expansion, criterion: AuthoredCriterion, phase: Phase) -> int:
    """Return how many verdicts on a unit an estimate of all raters counts; 1 if their number is not known yet."""
    if criterion.each_rater or "settled" in criterion.using or phase.by.together:
        return 1
    return max(1, _raters_of_each(study, criterion, phase) or 1)


def _takes(sizes: Sizes, each: int, most: int, clears: Callable[[Sizes], bool], cluster: str) -> str:
    """Return in words how many units would be enough: more clusters of the same sizes only narrow the interval."""
    if sum(sizes) == len(sizes):
        needed = _fewest(most, lambda n: clears((1,) * n))
        return f"it takes {needed} units" if needed < most else f"it takes more than {most:,} units"

    def of(clusters: int) -> Sizes:
        return tuple(islice(cycle(sizes), clusters))

    largest = most * len(sizes) // sum(sizes)
    needed = _fewest(largest, lambda clusters: clears(of(clusters)))
    if needed >= largest:
        return f"it takes more than {most // each:,} units"
    return f"it takes {_units_in_words(of(needed), each, cluster)}"


def _fewest(most: int, clears: Callable[[int], bool]) -> int:
    """Return the smallest number that clears, or `most` if none below it does; small numbers are tried first."""
    at = 1
    while at < most and not clears(at):
        at *= 2
    return bisect.bisect_left(range(1, min(at, most)), True, key=clears) + 1


def _units_in_words(sizes: Sizes, each: int, cluster: str, which: str = "") -> str:
    """Return the number of units and clusters in words, with the number of verdicts if each unit has several."""
    units, clusters = sum(sizes) // each, len(sizes)
    plural = "" if units == 1 else "s"
    if units * each == clusters:
        return f"{units} independent unit{plural}{which}"
    verdicts = f"{units * each} verdicts on " if each > 1 else ""
    return f"{verdicts}{units} unit{plural}{which} in {clusters} {spoken(cluster)}{'' if clusters == 1 else 's'}"


def _limits_in_words(best: Estimate) -> str:
    if math.isnan(best.low):
        return "there are no limits"
    return f"the limits are {best.low:.3f} and {best.high:.3f}, {best.high - best.low:.3f} apart,"


def _parts(
    study: Expansion, criterion: AuthoredCriterion, phase: Phase, units: Sequence[Valued]
) -> Iterator[tuple[str, Sizes]]:
    """Yield each part that has to reach the bounds, in words, with its largest possible cluster sizes."""
    sample, cluster = phase.source.sample, study.analysis.cluster
    if not criterion.by:
        yield "", most_drawn(sample, units, cluster)
        return
    bins = {each.key: each.bins for each in study.attributes if each.bins}

    def part_of(unit: Valued, name: str) -> str:
        """Return a unit's value, or its level if the attribute is a number with declared bounds."""
        value = unit.value_of(name)
        return level_of(bins[name], value) if name in bins else value

    by_part: dict[tuple[str, ...], list[Valued]] = {}
    for unit in units:
        by_part.setdefault(tuple(part_of(unit, name) for name in criterion.by), []).append(unit)
    most = sum(most_drawn(sample, units, cluster))
    levels = {name: {level: str(place) for place, level in enumerate(levels_of(of))} for name, of in bins.items()}

    def in_order(part: tuple[tuple[str, ...], list[Valued]]) -> list[tuple[str, str]]:
        return [
            (levels.get(name, {}).get(value, value), value) for name, value in zip(criterion.by, part[0], strict=True)
        ]

    for values, own in sorted(by_part.items(), key=in_order):
        if all(values):
            parts = [f"{spoken(name)} {value}" for name, value in zip(criterion.by, values, strict=True)]
            sizes = sorted(Counter(_cluster_of(unit, cluster) for unit in own).values(), reverse=True)
            yield f" of {listed(parts)}", tuple(sizes) if len(own) <= most else _spread(most, sizes)
