"""Differences between models, or between other parts of what was rated: paired by item if both rated the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from agreement import Estimate, difference_of_parts, mann_whitney, paired_difference, reader_averaged_difference
from exchange.report.estimate_rows import Category, EstimateRow, Party, Stratum
from exchange.report.statistic_names import Statistic
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Unit
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import Holds, Topic

EXPLANATION = (
    "First minus second, of the mean that the raters of each item gave: item by item where both have an answer to it, "
    "as two separate samples where they share none."
)
_OF_ONE_MODEL = (
    "Item by item, a model's answer counts only if the same model's answer to the item in the other part has a value "
    "too. An item's mean is over these models alone, each with the mean of its own answers."
)
_OF_ONE_CONDITION = (
    "Item by item, a model's answer counts only if the other model's answer to the item in the same condition has a "
    "value too; conditions are what tells several answers of one model to one item apart. An item's mean is over these "
    "conditions alone, each with the mean of its own answers. Without a shared condition all their answers count."
)
_FURTHER: tuple[tuple[str, Holds], ...] = (
    (
        (
            "The chance that the first is higher (Mann-Whitney) takes every unit of the one with every unit of the "
            "other, each by the mean that its raters gave, ties counted half; 0.5 is no difference."
        ),
        lambda _, rows: any(row.statistic == "effect_size" for row in rows),
    ),
    (
        (
            "For items of which all of several raters rated both answers, the difference is given "
            "again with an interval that allows for raters other than these (Obuchowski-Rockette). "
            "The two use different methods: if raters hardly differ, the second interval can be "
            "narrower, which says nothing more about other raters."
        ),
        lambda _, rows: any(row.compared == "models_over_readers" for row in rows),
    ),
)

INTERACTION = (
    "Where two raters are compared (the interaction of rater and part): the difference of the first rater less that of "
    "the second, of the units that both rated, in the same pairs; 0 where the parts differ alike for both."
)


@dataclass(frozen=True)
class Division:
    """How an attribute divides units.

    Attributes
    ----------
    value_of
        Returns a unit's value or, of a number with declared bounds, its level; empty if it has none.
    words
        Returns the words for a value: a model's name, or the value with the name of its attribute.
    levels
        The levels of a number with declared bounds, lowest first; empty for any other attribute.
    """

    name: str
    value_of: Callable[[Unit], str]
    words: Callable[[str], str] = str
    levels: tuple[str, ...] = ()

    def values_in(self, ratings: Ratings) -> list[str]:
        """Return the values that the units have: levels from the lowest, others sorted by name."""
        there = {value for unit in ratings.units if (value := self.value_of(unit))}
        return [level for level in self.levels if level in there] if self.levels else sorted(there)


# Models, each an answer's author.
BY_MODEL = Division("model", lambda unit: unit.value_of("model"))


def difference_rows(
    ratings: Ratings,
    numbers: Sequence[Numbers],
    by: Division,
    stratum: Stratum,
    intervals: IntervalSettings,
    *,
    is_share: bool,
) -> list[EstimateRow]:
    """Return the difference between every two parts that an attribute makes, in the mean over each unit's raters.

    Parameters
    ----------
    numbers
        By column, the numbers to compare: a step, a number, or 1 for correct.
    is_share
        Whether the numbers are only 1 and 0, in which case ranks say nothing more.
    """
    units = mean_of_units(numbers)
    unit = _counted(ratings, by)
    crossed = _crossed(ratings, by)
    of_value = {value: _of(ratings, units, by, value) for value in by.values_in(ratings)}
    statistic: Statistic = "accuracy_difference" if is_share else "mean_difference"
    rows = []
    for pair in combinations(of_value, 2):
        first, second = (of_value[value] for value in pair)
        kind: Literal["model", "part"] = "model" if by.name == "model" else "part"
        parties = (Party(kind, by.words(pair[0])), Party(kind, by.words(pair[1])))
        if not first or not second:
            continue
        is_crossed = frozenset(pair) in crossed
        own, other = _sides(ratings, units, by, pair, is_crossed=is_crossed)
        shared = sorted(set(own) & set(other))
        estimate = _paired(own, other, shared, intervals) if shared else _apart(first, second, unit, intervals)
        row = EstimateRow(statistic, "models", parties, stratum, estimate)
        rows += [row, *_paired_of_pool(row, own, other, shared, intervals)]
        of_readers = _over_readers(ratings, numbers, by, pair, intervals, is_crossed=is_crossed)
        if of_readers is not None:
            rows.append(EstimateRow(statistic, "models_over_readers", parties, stratum, of_readers))
        if not is_share:
            ranked = _ranked(first, second, unit, intervals)
            rows.append(EstimateRow("effect_size", "models", parties, stratum, ranked))
    return rows


def interaction_rows(
    ratings: Ratings,
    numbers: Sequence[Numbers],
    by: Division,
    stratum: Stratum,
    intervals: IntervalSettings,
    *,
    is_share: bool,
) -> list[EstimateRow]:
    """Return how far every two raters vary in the difference between two parts, on the units that both rated.

    It is the difference of `difference_rows`, of the first rater's numbers less the second's: paired where that is.

    Parameters
    ----------
    numbers
        By column, the numbers to compare: a step, a number, or 1 for correct.
    is_share
        Whether the numbers are only 1 and 0.
    """
    statistic: Statistic = "accuracy_difference" if is_share else "mean_difference"
    unit = _counted(ratings, by)
    crossed = _crossed(ratings, by)
    rows = []
    for a, b in ratings.pairs_on(ratings.whole):
        gaps: Numbers = [
            None if own is None or other is None else own - other
            for own, other in zip(numbers[a], numbers[b], strict=True)
        ]
        of_value = {value: _of(ratings, gaps, by, value) for value in by.values_in(ratings)}
        for first, second in combinations(of_value, 2):
            if not of_value[first] or not of_value[second]:
                continue
            own, other = _sides(ratings, gaps, by, (first, second), is_crossed=frozenset((first, second)) in crossed)
            shared = sorted(set(own) & set(other))
            if shared:
                estimate = _paired(own, other, shared, intervals)
            else:
                estimate = _apart(of_value[first], of_value[second], unit, intervals)
            parties = (ratings.columns[a].party, ratings.columns[b].party)
            category = Category(f"{first} minus {second}", f"{by.words(first)} minus {by.words(second)}")
            rows.append(EstimateRow(statistic, "interaction", parties, stratum, estimate, category=category))
    return rows


def mean_of_units(numbers: Sequence[Numbers]) -> Numbers:
    """Return the mean of each unit's raters; None if nobody rated it."""
    means: Numbers = []
    for of_unit in zip(*numbers, strict=True):
        given = [number for number in of_unit if number is not None]
        means.append(sum(given) / len(given) if given else None)
    return means


def _whose(ratings: Ratings, by: Division) -> Callable[[Unit], tuple[str, ...]]:
    """Return what the two answers of a pair share: the model or, where models differ, the conditions; empty if none."""
    names = ratings.conditions if by.name == "model" else ("model",)

    def whose(unit: Unit) -> tuple[str, ...]:
        values = tuple(unit.value_of(name) for name in names)
        return values if by.name == "model" or all(values) else ()

    return whose


def _crossed(ratings: Ratings, by: Division) -> set[frozenset[str]]:
    """Return every two parts with answers to the same item of one model, or of two models in the same condition."""
    whose = _whose(ratings, by)
    parts: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for unit in ratings.units:
        if whose(unit) and by.value_of(unit):
            parts.setdefault((unit.item.key, whose(unit)), set()).add(by.value_of(unit))
    return {frozenset(pair) for alike in parts.values() for pair in combinations(alike, 2)}


def _counted(ratings: Ratings, by: Division) -> str:
    """Return what is counted in two separate samples: a candidate, or its item if that has several of one value."""
    alone = len({(unit.item.key, by.value_of(unit)) for unit in ratings.units}) == len(ratings.units)
    return ratings.unit if alone else "item"


def _sides(
    ratings: Ratings, units: Numbers, by: Division, pair: Sequence[str], *, is_crossed: bool
) -> tuple[OfItems, OfItems]:
    """Return each item's number in two parts: where these make pairs, of the pairs with a number in both."""
    if is_crossed:
        units = _of_pairs(ratings, units, by, pair)
    first, second = (_of(ratings, units, by, value, in_pairs=is_crossed) for value in pair)
    return first, second


def _of_pairs(ratings: Ratings, units: Numbers, by: Division, pair: Sequence[str]) -> Numbers:
    """Return the numbers of the units whose partner in the other part has a number too; None for the others."""
    whose = _whose(ratings, by)
    places = [(unit.item.key, whose(unit), by.value_of(unit)) for unit in ratings.units]
    known = {place for place, number in zip(places, units, strict=True) if number is not None}
    return [
        number if all((item, alike, value) in known for value in pair) else None
        for number, (item, alike, _) in zip(units, places, strict=True)
    ]


def between_parts(by: Division, numbers: Callable[[Ratings], Sequence[Numbers]], *, is_share: bool = False) -> Topic:
    """Return the topic that compares every two parts that an attribute makes, if there are several."""

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        return difference_rows(ratings, numbers(ratings), by, stratum, intervals, is_share=is_share)

    def in_pairs(ratings: Ratings, rows: Sequence[EstimateRow]) -> bool:
        return bool(rows) and bool(_crossed(ratings, by))

    name = by.name
    return Topic(
        f"by_{name}",
        f"differences by {name.replace('_', ' ')}",
        EXPLANATION,
        compute,
        in_parts=False,
        further=((_OF_ONE_CONDITION if name == "model" else _OF_ONE_MODEL, in_pairs), *_FURTHER),
    )


def between_models(numbers: Callable[[Ratings], Sequence[Numbers]], *, is_share: bool = False) -> Topic:
    """Return the topic that compares every two models, if there are several."""
    return between_parts(BY_MODEL, numbers, is_share=is_share)


def _over_readers(
    ratings: Ratings,
    numbers: Sequence[Numbers],
    by: Division,
    values: Sequence[str],
    intervals: IntervalSettings,
    *,
    is_crossed: bool,
) -> Estimate | None:
    """Return the difference for other raters too, on items for which all raters rated both; None for one rater."""
    if len(numbers) < 2:
        return None
    by_all: Numbers = [None if None in own else 0.0 for own in zip(*numbers, strict=True)]
    if is_crossed:
        by_all = _of_pairs(ratings, by_all, by, values)
    tables = [_of_each_rater(ratings, numbers, by_all, by, value, in_pairs=is_crossed) for value in values]
    shared = sorted(set(tables[0]) & set(tables[1]))
    if len(shared) < 2:
        return None
    clusters = {unit.item.key: cluster for unit, cluster in zip(ratings.units, ratings.clusters, strict=True)}
    return reader_averaged_difference(
        [tables[0][item] for item in shared],
        [tables[1][item] for item in shared],
        clusters=[clusters[item] for item in shared],
        confidence=intervals.confidence,
        p_from=intervals.p_from,
    )


def _of_each_rater(
    ratings: Ratings, numbers: Sequence[Numbers], by_all: Numbers, by: Division, value: str, *, in_pairs: bool
) -> dict[str, Numbers]:
    """Return what each rater gave to an item in one part: to its one unit, or the mean over its pairs.

    Parameters
    ----------
    by_all
        None for the units that do not count, since not all raters gave a number.
    """
    there = [
        number is not None and by.value_of(unit) == value for number, unit in zip(by_all, ratings.units, strict=True)
    ]
    if not in_pairs:
        # An item with several units of one value has no single answer from each rater.
        times = Counter(unit.item.key for unit in ratings.units if by.value_of(unit) == value)
        there = [here and times[unit.item.key] == 1 for here, unit in zip(there, ratings.units, strict=True)]
    of_raters = [
        _of(
            ratings,
            [number if here else None for number, here in zip(own, there, strict=True)],
            by,
            value,
            in_pairs=in_pairs,
        )
        for own in numbers
    ]
    return {item: [of_rater[item].mean for of_rater in of_raters] for item in of_raters[0]}


@dataclass(frozen=True)
class _OfItem:
    """The mean of an item's raters, its cluster, and the chance that it was drawn.

    The chance is None if its units' differ, or if they were drawn one by one: how likely all of those that are compared
    were drawn, the chance of each does not say.
    """

    mean: float
    cluster: str
    chance: float | None


OfItems = dict[str, _OfItem]


def _of(ratings: Ratings, units: Numbers, by: Division, value: str, *, in_pairs: bool = False) -> OfItems:
    """Return each item's mean over its units of one part; in pairs over these, each with the mean of its own units."""
    whose = _whose(ratings, by)
    by_item: dict[str, dict[tuple[str, ...], list[float]]] = {}
    clusters: dict[str, str] = {}
    chances: dict[str, set[float | None]] = {}
    for unit, number, cluster in zip(ratings.units, units, ratings.clusters, strict=True):
        if number is not None and by.value_of(unit) == value:
            alike = whose(unit) if in_pairs else ()
            by_item.setdefault(unit.item.key, {}).setdefault(alike, []).append(number)
            chances.setdefault(unit.item.key, set()).add(unit.probability if unit.together else None)
            clusters[unit.item.key] = cluster
    return {
        item: _OfItem(
            _mean([_mean(own) for own in given.values()]),
            clusters[item],
            next(iter(chances[item])) if len(chances[item]) == 1 else None,
        )
        for item, given in by_item.items()
    }


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _paired(first: OfItems, second: OfItems, shared: list[str], intervals: IntervalSettings) -> Estimate:
    settings = intervals.by([first[item].cluster for item in shared])
    return paired_difference(
        [first[item].mean for item in shared], [second[item].mean for item in shared], tests_zero=True, **settings
    )


def _paired_of_pool(
    row: EstimateRow, first: OfItems, second: OfItems, shared: list[str], intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return a paired difference weighted to the pool, where both of an item were drawn together, with one chance."""
    pairs = [(first[item], second[item]) for item in shared]
    return of_pool(
        row,
        [own.mean - other.mean for own, other in pairs],
        [own.chance if own.chance == other.chance else None for own, other in pairs],
        [own.cluster for own, _ in pairs],
        intervals,
        kind="difference",
    )


def _apart(first: OfItems, second: OfItems, unit: str, intervals: IntervalSettings) -> Estimate:
    both = [*first.values(), *second.values()]
    by = intervals.by([each.cluster for each in both])
    return difference_of_parts(
        [each.mean for each in both], [True] * len(first) + [False] * len(second), tests_zero=True, unit=unit, **by
    )


def _ranked(first: OfItems, second: OfItems, unit: str, intervals: IntervalSettings) -> Estimate:
    return mann_whitney(
        [each.mean for each in first.values()],
        [each.mean for each in second.values()],
        clusters=([each.cluster for each in first.values()], [each.cluster for each in second.values()]),
        interval=intervals.of_areas,
        p_in_clusters=intervals.p_in_clusters,
        confidence=intervals.confidence,
        unit=unit,
    )
