"""Two groups of raters on the same units: differences in how often they are right, how far they agree, and means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from agreement import Estimate, paired_difference, rater_group_difference
from agreement.estimate import undefined
from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.statistic_names import Statistic
from protocol.fields import ORDERED, PLACES, SETS
from protocol.language.wording import listed
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers, numbers_given
from services.report.sections.fields.comparing import mean_of_units
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.shares import categories_of

# By unit and rater, whether the answer is right; None without one.
Table = list[list[bool | None]]
_OF_AGREEMENT: tuple[tuple[Statistic, Literal["agreement", "kappa"]], ...] = (
    ("agreement_difference", "agreement"),
    ("kappa_difference", "kappa"),
)
_FIXED = "; of these raters alone: of a difference of means nothing is estimated for other raters"
_ANY_RATERS = (
    "The difference is first minus second group; its interval is for other raters too, who are resampled with the "
    "units, and needs five raters in each group."
)
_SHARES = (
    "The share of a group is of all answers of its raters. Where a group has a single rater, the difference is of "
    "these raters alone, on the units that both groups answered."
)
_AGREEMENTS = "Agreement is of the pairs of raters within each group."
_KAPPA = "Kappa is corrected by how often each rater uses each option (Conger)."
_MEANS = (
    "The difference is first minus second group, of what the raters of a group gave to each unit or of how far they "
    "were from the reference; it is of these raters alone, on the units that both groups answered."
)


def groups_in_words(rows: Sequence[EstimateRow]) -> str:
    """Return the explanation of comparisons between groups of raters, for the kinds of rows that there are."""
    statistics = {row.statistic for row in rows}
    of_agreement = "agreement_difference" in statistics
    said = (
        (_ANY_RATERS, of_agreement or "accuracy_difference" in statistics),
        (_SHARES, "accuracy_difference" in statistics),
        (_AGREEMENTS, of_agreement),
        (_KAPPA, "kappa_difference" in statistics),
        (_MEANS, "mean_difference" in statistics),
    )
    return " ".join(sentence for sentence, holds in said if holds)


def group_rows(
    ratings: Ratings,
    groups: Sequence[tuple[str, str]],
    stratum: Stratum,
    intervals: IntervalSettings,
    depth: int | None = None,
) -> list[EstimateRow]:
    """Return the difference between every two groups in how often their answers are right.

    Parameters
    ----------
    groups
        The key and title of each group.
    depth
        For ranked lists: among how many first lines an accepted one has to be.
    """
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    # For accuracy, each group's part already has a row for all its raters; for lists it does not.
    rows = [
        row
        for key, title in (groups if depth is not None else ())
        if any(column.group == key for column in known.columns)
        for row in _first_lines_of(known.of_group(key), Party("part", title), depth, stratum, intervals)
    ]
    for (first, first_title), (second, second_title) in combinations(groups, 2):
        tables = [_right(known.of_group(key), depth) for key in (first, second)]
        if not all(table and table[0] for table in tables):
            continue
        estimate = _difference(tables[0], tables[1], known.clusters, intervals)
        parties = (Party("part", first_title), Party("part", second_title))
        row = EstimateRow("accuracy_difference", "groups", parties, stratum, estimate, depth=depth)
        rows.append(row)
        if _has_a_single_rater(*tables):
            rows += _difference_of_pool(row, _of_units(tables[0]), _of_units(tables[1]), known, intervals)
    return rows


def _first_lines_of(
    own: Ratings, party: Party, depth: int | None, stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return how often an accepted line is among the first in a group's lists, with all its raters pooled."""
    given = [
        (is_right, cluster, chance)
        for of_unit, cluster, chance in zip(_right(own, depth), own.clusters, own.chances, strict=True)
        for is_right in of_unit
        if is_right is not None
    ]
    right, clusters = [is_right for is_right, _, _ in given], [cluster for _, cluster, _ in given]
    share, _ = intervals.share(right, clusters, unit="verdict")
    row = EstimateRow("pass_at_k", "reference", (party,), stratum, share, depth=depth)
    return [row, *of_pool(row, right, [chance for _, _, chance in given], clusters, intervals)]


def agreement_rows_of_groups(
    ratings: Ratings, groups: Sequence[tuple[str, str]], stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the difference between every two groups in how far the raters of one group agree with each other.

    Kappa has quadratic weights on an ordered scale. For sets of options, agreement means exactly the same set. The
    difference is undefined if a group has only one rater.
    """
    sets = ratings.field.type in SETS
    ids = [] if sets else [category.id for category in categories_of(ratings.field)]
    ordered = ratings.field.type in ORDERED
    rows = []
    for (first, first_title), (second, second_title) in combinations(groups, 2):
        of_first, of_second = (
            [list(of_unit) for of_unit in zip(*ratings.of_group(key).answers, strict=True)] for key in (first, second)
        )
        if not of_first or not of_second:
            continue
        parties = (Party("part", first_title), Party("part", second_title))
        of_each = ((first_title, of_first), (second_title, of_second))
        alone = [title for title, own in of_each if len(own[0]) < 2]
        for statistic, name in _OF_AGREEMENT[:1] if sets else _OF_AGREEMENT:
            estimate = (
                _nobody_to_agree_with(name, alone, ratings, intervals)
                if alone
                else rater_group_difference(
                    of_first,
                    of_second,
                    name,
                    weights="quadratic" if ordered and name == "kappa" else None,
                    categories=ids or None,
                    clusters=list(ratings.clusters),
                    seed=intervals.seed,
                    confidence=intervals.confidence,
                    unit=ratings.unit,
                )
            )
            rows.append(EstimateRow(statistic, "groups", parties, stratum, estimate))
    return rows


def _nobody_to_agree_with(name: str, alone: Sequence[str], ratings: Ratings, intervals: IntervalSettings) -> Estimate:
    """Return an undefined difference, because groups have only one rater."""
    reason = f"agreement within a group is of two raters or more; of {listed(alone)} there is one"
    whole = f"difference of {name} between groups of raters"
    return undefined(whole, 0, ratings.unit, "none", reason, confidence=intervals.confidence)


def mean_rows_of_groups(
    ratings: Ratings, groups: Sequence[tuple[str, str]], stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the difference between every two groups in their raters' means; for places, in the mean distance."""
    of_group = {key: mean_of_units(_measured(ratings.of_group(key))) for key, _ in groups}
    rows = []
    for (first, first_title), (second, second_title) in combinations(groups, 2):
        if not any(None not in pair for pair in zip(of_group[first], of_group[second], strict=False)):
            continue
        by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
        estimate = paired_difference(of_group[first], of_group[second], tests_zero=True, **by)
        estimate = replace(estimate, method=estimate.method + _FIXED)
        parties = (Party("part", first_title), Party("part", second_title))
        row = EstimateRow("mean_difference", "groups", parties, stratum, estimate)
        rows += [row, *_difference_of_pool(row, of_group[first], of_group[second], ratings, intervals)]
    return rows


def _difference_of_pool(
    row: EstimateRow, first: Numbers, second: Numbers, ratings: Ratings, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return a difference of two groups on the same units weighted to the pool."""
    gaps = [None if a is None or b is None else a - b for a, b in zip(first, second, strict=True)]
    return of_pool(row, gaps, ratings.chances, ratings.clusters, intervals, kind="difference")


def _measured(ratings: Ratings) -> Sequence[Numbers]:
    """Return the steps or numbers given, by column; for places, their distances from the reference in mm."""
    if ratings.field.type in PLACES:
        return [[score.distance_mm for score in scores] for scores in ratings.scores]
    return numbers_given(ratings)


def _difference(first: Table, second: Table, clusters: Sequence[str], intervals: IntervalSettings) -> Estimate:
    """Return the difference between two groups; with one rater in either, it does not generalise to other raters."""
    if _has_a_single_rater(first, second):
        return paired_difference(_of_units(first), _of_units(second), tests_zero=True, **intervals.by(clusters))
    return rater_group_difference(
        first,
        second,
        "accuracy",
        reference=[True] * len(first),
        clusters=list(clusters),
        seed=intervals.seed,
        confidence=intervals.confidence,
    )


def _has_a_single_rater(first: Table, second: Table) -> bool:
    return min(len(first[0]), len(second[0])) < 2


def _of_units(table: Table) -> Numbers:
    """Return, by unit, the share of answers that are right; None without an answer."""
    return mean_of_units(
        [[None if right is None else float(right) for right in own] for own in zip(*table, strict=True)]
    )


def _right(ratings: Ratings, depth: int | None) -> Table:
    """Return, by unit and rater, whether the answer is right; None without an answer."""
    if depth is None:
        return [list(of_unit) for of_unit in zip(*ratings.correct, strict=True)]
    ranks = [[score.is_within(depth) for score in own] for own in ratings.scores]
    return [list(of_unit) for of_unit in zip(*ranks, strict=True)]
