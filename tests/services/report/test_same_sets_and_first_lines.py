"""How often two raters have the same set or first line is a share, with limits as other shares, or as was frozen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agreement import percent_agreement, set_agreement
from agreement.pairwise import mean_over_pairs
from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow, Party
from protocol.analysis import AnalysisPlan
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields import ranked, several
from tests.protocol.language.study_text import expanded, one_phase

FORM = "{likely: {type: ranked, at_most: 3}, signs: {type: several, options: {rim: Rim, shift: Shift}}}"
N = 30
CLUSTERS = [f"s{n // 2}" for n in range(N)]
SETTINGS = IntervalSettings.of(AnalysisPlan(resamples=300), CLUSTERS)
FROZEN = replace(SETTINGS, of_same="percentile")
LISTS = (
    [["a", "b"]] * N,
    [["a", "c"] if n % 3 else ["b", "a"] for n in range(N)],
    [["b"] if n % 5 else ["a"] for n in range(N)],
)
SETS = (
    [["rim"]] * N,
    [["rim"] if n % 3 else ["rim", "shift"] for n in range(N)],
    [["rim"] if n % 5 else [] for n in range(N)],
)


def ratings_in(field: str, of_raters: Any) -> Ratings:
    phase = expanded(one_phase(FORM)).phase("a")
    asked = next(each for each in phase.fields if each.key == field)
    columns = tuple(
        Column(Party("rater", f"Rater {place + 1}"), ("answered",) * N, tuple(given))
        for place, given in enumerate(of_raters)
    )
    return Ratings(phase, asked, (), columns, tuple(CLUSTERS), (), (), ())


def rows_of(field: str, raters: int, settings: IntervalSettings) -> list[EstimateRow]:
    if field == "likely":
        return ranked.agreement(ratings_in(field, LISTS[:raters]), ALL_ITEMS, settings)
    ratings = ratings_in(field, SETS[:raters])
    return several.agreement(ratings, ALL_ITEMS, settings) + several.of_options(ratings, ALL_ITEMS, settings)


def shares_of(rows: list[EstimateRow]) -> list[EstimateRow]:
    return [row for row in rows if row.statistic == "percent_agreement"]


@pytest.mark.parametrize(("field", "of_pair"), [("likely", LISTS), ("signs", SETS)])
def test_of_two_raters_it_has_the_limits_of_percent_agreement(field: str, of_pair: Any) -> None:
    of_first, of_second = ([str(each[0] if field == "likely" else each) for each in given] for given in of_pair[:2])

    row = shares_of(rows_of(field, 2, SETTINGS))[0]

    same = percent_agreement(of_first, of_second, **SETTINGS.by(CLUSTERS))
    assert (row.estimate.value, row.estimate.low, row.estimate.high) == (same.value, same.low, same.high)
    assert "Wilson" in row.estimate.method


@pytest.mark.parametrize("field", ["likely", "signs"])
def test_of_all_raters_it_is_a_mean_over_pairs_with_percentiles(field: str) -> None:
    of_all = [row for row in shares_of(rows_of(field, 3, SETTINGS)) if len(row.parties) == 1]

    assert of_all and all("percentile" in row.estimate.method for row in of_all)


@pytest.mark.parametrize("field", ["likely", "signs"])
def test_a_plan_that_was_frozen_with_percentiles_keeps_them_and_all_else(field: str) -> None:
    frozen, today = rows_of(field, 2, FROZEN), rows_of(field, 2, SETTINGS)

    assert all("percentile" in row.estimate.method for row in shares_of(frozen))
    others = [[row for row in rows if row.statistic != "percent_agreement"] for rows in (frozen, today)]
    assert others[0] and others[0] == others[1]


def test_the_limits_that_were_frozen_are_those_of_the_mean_over_pairs() -> None:
    (exact, *_) = shares_of(rows_of("signs", 2, FROZEN))

    sets = [[frozenset(each) for each in pair] for pair in zip(*SETS[:2], strict=True)]
    mean = mean_over_pairs(sets, lambda a, b: float(a == b), **SETTINGS.by(CLUSTERS))
    assert (exact.estimate.low, exact.estimate.high) == (mean.low, mean.high)


def test_items_of_two_raters_each_are_a_share_too_whoever_the_two_are() -> None:
    rows = [[{"rim"}, {"rim"}, None], [None, {"rim"}, {"shift"}], [{"rim"}, None, {"rim"}], [{"rim"}, {"rim"}, None]]

    of_two = set_agreement(rows, resamples=100).exact
    of_three = set_agreement([*rows, [{"rim"}, {"rim"}, set()]], resamples=100).exact

    assert of_two.value == 0.75 and "Wilson" in of_two.method
    assert "percentile" in of_three.method
