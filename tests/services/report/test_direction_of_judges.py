"""The P of human minus judge allows for clusters wherever its interval does."""

from __future__ import annotations

import math

import pytest

from protocol.analysis import AnalysisPlan
from services.report.interval_settings import IntervalSettings
from services.report.sections.direction import direction_of

INTERVALS = IntervalSettings.of(AnalysisPlan(resamples=200), [])
# The judge is stricter on both candidates of four items, and more lenient on both of one.
HUMAN = [True] * 8 + [False] * 2 + [True] * 10
JUDGE = [False] * 8 + [True] * 2 + [True] * 10


def two_each(n: int) -> list[int]:
    return [place // 2 for place in range(n)]


def test_the_p_of_candidates_that_share_items_is_mcnemars_in_clusters() -> None:
    """Items differ by 2, 2, 2, 2, -2 and five times 0: (10 - 1) / 10 x 6^2 / 20 = 1.62 on one degree of freedom."""
    result = direction_of(HUMAN, JUDGE, two_each(20), INTERVALS)

    assert result.difference.p == pytest.approx(math.erfc(math.sqrt(1.62 / 2)))
    assert "P McNemar in clusters (Obuchowski)" in result.difference.method


@pytest.mark.parametrize("clusters", [list(range(20)), [0, *range(19)]])
def test_candidates_left_out_share_no_item_and_the_exact_test_holds(clusters: list[int]) -> None:
    human = [None, *HUMAN[1:]] if clusters[1] == 0 else HUMAN

    result = direction_of(human, JUDGE, clusters, INTERVALS)

    strict, lenient = result.strict, result.lenient
    below = sum(math.comb(strict + lenient, k) for k in range(lenient + 1)) / 2 ** (strict + lenient)
    assert result.difference.p == pytest.approx(2 * below)
    assert "P exact McNemar" in result.difference.method


def test_without_a_candidate_that_both_scored_there_is_neither() -> None:
    result = direction_of([None, True], [True, None], [1, 1], INTERVALS)

    assert (result.n, result.difference.p) == (0, None)
