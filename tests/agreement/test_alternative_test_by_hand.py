"""The alternative annotator test against its published procedure, its rules for missing verdicts, and invariances."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agreement import (
    adjust_p_values,
    alt_test,
)


def plain_alt_test(humans, judge, epsilon):
    """The procedure of Calderon et al. (2025), section 3, word by word for complete nominal verdicts."""
    items, raters = humans.shape
    p, advantage = [], []
    for j in range(raters):
        differences, ahead = [], []
        for i in range(items):
            others = [humans[i, k] for k in range(raters) if k != j]
            of_judge = np.mean([judge[i] == other for other in others])
            of_rater = np.mean([humans[i, j] == other for other in others])
            ahead.append(of_judge >= of_rater)
            differences.append(float(of_rater >= of_judge) - float(of_judge >= of_rater))
        p.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantage.append(np.mean(ahead))
    return np.mean(adjust_p_values(p, "by") < 0.05), np.mean(advantage), p


def test_the_alt_test_is_that_of_the_paper():
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 3, 80)
    humans = np.where(rng.random((80, 4)) < 0.75, truth[:, None], rng.integers(0, 3, (80, 4)))
    judge = np.where(rng.random(80) < 0.85, truth, rng.integers(0, 3, 80))

    result = alt_test(humans, judge, 0.15)

    rate, advantage, p = plain_alt_test(humans, judge, 0.15)
    assert result.winning_rate.value == rate
    assert result.advantage_probability.value == pytest.approx(advantage, abs=1e-12)
    assert [rater.p for rater in result.raters] == pytest.approx(p, abs=1e-12)
    assert result.advantage_probability.low < advantage < result.advantage_probability.high
    assert result.passed is bool(rate >= 0.5)


def test_the_alt_test_says_why_it_cannot_be_done():
    two = alt_test([[1, 1]] * 40, [1] * 40)
    few = alt_test([[1, 1, 0]] * 4, [1] * 4)
    few_clustered = alt_test([[1, 1, 0]] * 29, [1] * 29, clusters=[0, 0, *range(27)])

    assert two.passed is None
    assert "needs three or more" in two.undefined_because
    assert few.undefined_because == "no rater shares 5 items with another; the most is 4"
    assert few_clustered.undefined_because == "no rater shares 30 items with another; the most is 29"
    assert alt_test([], []).passed is None
    assert few.as_dict()["winning_rate"]["value"] is None


def test_missing_verdicts_count_only_where_two_raters_are_there():
    humans = [[1, None, None]] * 10 + [[1, 1, None], [1, None, 0], [None, 1, 1]] * 40
    judge = [1] * 129 + [None]

    result = alt_test(humans, judge)

    assert [rater.n for rater in result.raters] == [80, 79, 79]


def test_a_rater_with_few_items_is_not_tested_but_others_are_held_against_them():
    humans = [[1, 1, 0, 1]] * 20 + [[1, 1, 0, None]] * 20

    result = alt_test(humans, [1] * 40, clusters=[0, 0, *range(38)])

    assert result.winning_rate.n == 3
    assert "1 with fewer than 30 shared items not tested" in result.winning_rate.method
    # rater 2 alone is against all others; the judge is never behind anybody
    assert result.winning_rate.value == 1.0
    assert result.raters[3].p is None
    assert result.raters[0].n == 40


def test_a_judge_nearer_in_numbers_wins():
    rng = np.random.default_rng(2)
    truth = rng.normal(3, 1, 60)
    humans = truth[:, None] + rng.normal(0, 1, (60, 3))

    good = alt_test(humans, truth, level="interval")
    bad = alt_test(humans, truth + 5, level="interval")

    assert good.passed is True
    assert bad.passed is False


def test_repeated_items_do_not_make_the_alt_test_surer_with_clusters():
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 3, 40)
    humans = np.where(rng.random((40, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (40, 3)))
    judge = np.where(rng.random(40) < 0.8, truth, rng.integers(0, 3, 40))

    once = alt_test(humans, judge, resamples=20)
    thrice = alt_test(
        np.repeat(humans, 3, axis=0), np.repeat(judge, 3), clusters=np.repeat(np.arange(40), 3), resamples=20
    )

    assert [rater.p for rater in thrice.raters] == pytest.approx([rater.p for rater in once.raters], abs=1e-12)


def test_ties_of_numbers_do_not_depend_on_their_binary_fractions():
    rng = np.random.default_rng(3)
    humans, judge = rng.integers(1, 6, (40, 4)), rng.integers(1, 6, 40)

    whole = alt_test(humans, judge, level="interval", resamples=20)
    tenths = alt_test(humans / 10, judge / 10, level="interval", resamples=20)

    assert [rater.p for rater in tenths.raters] == pytest.approx([rater.p for rater in whole.raters], abs=1e-12)


@cache
def in_the_usual_order():
    """Return verdicts of humans and of a judge, and their test."""
    rng = np.random.default_rng(5)
    humans, judge = rng.integers(0, 3, (36, 4)), rng.integers(0, 3, 36)
    return humans, judge, alt_test(humans, judge, resamples=2)


@given(st.permutations(range(4)), st.permutations(range(36)))
def test_the_alt_test_does_not_know_the_order_of_raters_and_items(raters, items):
    humans, judge, usual = in_the_usual_order()

    other = alt_test(humans[items][:, raters], judge[items], resamples=2)

    assert other.winning_rate.value == usual.winning_rate.value
    assert other.advantage_probability.value == pytest.approx(usual.advantage_probability.value, abs=1e-12)


@pytest.mark.parametrize("factor", [2.0**600, 2.0**-600], ids=["huge", "tiny"])
def test_the_magnitude_of_numeric_verdicts_does_not_matter_for_the_alt_test(factor):
    rng = np.random.default_rng(3)
    humans, judge = rng.normal(3, 1, (40, 3)), rng.normal(3, 1, 40)

    usual = alt_test(humans, judge, level="interval", resamples=20)
    other = alt_test(humans * factor, judge * factor, level="interval", resamples=20)

    assert [rater.p for rater in other.raters] == [rater.p for rater in usual.raters]
