"""Correlations, Mann-Whitney and areas under the ROC curve at their edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from agreement import kendall_tau, lin_ccc, macro_auc, mann_whitney, pearson, roc_auc, spearman

SCORES = st.lists(st.integers(0, 6), min_size=3, max_size=12)


@given(st.integers(3, 6).flatmap(lambda n: st.permutations(range(n))))
def test_spearmans_p_of_few_pairs_without_ties_is_a_count_of_orders(order):
    n = len(order)
    sums = [sum((i - j) ** 2 for i, j in enumerate(order)) for order in itertools.permutations(range(n))]
    own = sum((i - j) ** 2 for i, j in enumerate(order))
    tail = min(sum(s <= own for s in sums), sum(s >= own for s in sums)) / len(sums)

    assert spearman(range(n), order).p == pytest.approx(min(1.0, 2 * tail))


def test_three_pairs_in_the_same_order_are_no_evidence():
    # one of six orders, on both sides
    assert spearman([1, 2, 3], [4, 5, 9]).p == pytest.approx(1 / 3)


@pytest.mark.parametrize("interval", [None, "percentile"])
@pytest.mark.parametrize("function", [pearson, spearman, kendall_tau, lin_ccc])
def test_two_pairs_lie_on_a_line_and_say_nothing(function, interval):
    estimate = function([1, 2], [1, 5], interval=interval, resamples=50)

    assert math.isnan(estimate.value)
    assert estimate.undefined_because == "2 pairs: expected three or more"


@pytest.mark.parametrize(
    "x",
    [
        [1e10, 1e10 + 1e-5, 1e10, 1e10 + 2e-5],
        [1 + 4e-15, 1, 1, 1],
        [1.7e308, -1.7e308, 1e299, 3],
        [3e-310, 1e-309, 0, 0],
    ],
)
def test_nearly_constant_huge_and_tiny_scores_are_correlated_without_a_warning(x):
    y = [1, 2, 3, 5]
    x_exact, y_exact = [Fraction(value) for value in x], [Fraction(value) for value in y]
    dx, dy = ([value - sum(part) / 4 for value in part] for part in (x_exact, y_exact))
    cross = sum(a * b for a, b in zip(dx, dy, strict=True))
    square = cross**2 / (sum(a * a for a in dx) * sum(b * b for b in dy))

    estimate = pearson(x, y)

    assert estimate.value == pytest.approx(math.copysign(math.sqrt(square), cross), rel=1e-9)


@given(SCORES)
def test_a_score_correlates_perfectly_with_itself(scores):
    for function in (pearson, spearman, kendall_tau):
        estimate = function(scores, scores)

        assert estimate.undefined_because
        assert math.isnan(estimate.value) if len(set(scores)) == 1 else estimate.value == pytest.approx(1.0, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=5, max_size=15))
def test_correlations_do_not_depend_on_order_of_items_or_of_the_two(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]

    for function in (pearson, spearman, kendall_tau):
        value = function(x, y).value

        assert function(y, x).value == pytest.approx(value, nan_ok=True, abs=1e-12)
        assert function(x[::-1], y[::-1]).value == pytest.approx(value, nan_ok=True, abs=1e-12)
        assert function(x, [-b for b in y]).value == pytest.approx(-value, nan_ok=True, abs=1e-12)


def test_p_is_exact_below_50_values_without_ties_and_says_so():
    x, y = np.arange(49) + 0.5, np.arange(49) ** 1.5

    assert mann_whitney(x, y).method.endswith("P exact")
    assert mann_whitney(np.append(x, 99), y).method.endswith("P normal, corrected for ties and continuity")
    assert kendall_tau(x, y[::-1]).method.endswith("P exact")
    assert kendall_tau(np.append(x, 99), np.append(y, 999)).method.endswith("P normal")


@pytest.mark.parametrize(
    ("x", "y", "value", "reason"),
    [
        ([1], [2, 3], 0.0, "one value in a group"),
        ([1, 2], [3, 4], 0.0, "the groups do not overlap: the standard error is 0"),
        ([1, 1], [1, 1, 1], 0.5, "the groups do not vary: the standard error is 0"),
    ],
)
def test_groups_without_spread_have_a_value_and_no_limits(x, y, value, reason):
    estimate = mann_whitney(x, y, interval="normal")

    assert estimate.value == value
    assert estimate.undefined_because == reason


def test_two_equal_groups_have_p_1():
    assert mann_whitney([1, 1], [1, 1, 1]).p == 1.0


@given(SCORES, SCORES)
def test_the_effect_mirrors_when_groups_change_places_and_stays_when_all_are_doubled(x, y):
    estimate = mann_whitney(x, y)

    assert estimate.value + mann_whitney(y, x).value == pytest.approx(1.0)
    assert mann_whitney(x * 2, y * 2).value == pytest.approx(estimate.value)


def test_a_single_swap_among_many_is_not_taken_for_no_overlap():
    # 10,000 on each side, one pair of 1e8 in the wrong order: each side has one component of 1 - 1e-4, so that
    # its variance is 1e-8 / 10,000, and that of the area twice this by 10,000
    scores = np.arange(20_000.0)
    outcome = scores >= 10_000
    outcome[[9_999, 10_000]] = True, False

    estimate = roc_auc(scores, outcome)

    assert estimate.value == pytest.approx(1 - 1e-8, abs=1e-15)
    assert estimate.se == pytest.approx(math.sqrt(2e-16), rel=1e-4)


@pytest.mark.parametrize(
    ("scores", "outcome", "clusters", "reason"),
    [
        ([1, 2, 3, 4], [0, 0, 0, 1], None, "positives or negatives in one item only: no standard error"),
        ([1, 2, 3, 4], [0, 1, 0, 1], ["s"] * 4, "positives or negatives in one cluster only: no standard error"),
        (
            [1, 2, 3, 4],
            [0, 0, 1, 1],
            None,
            "the scores of positives and negatives do not overlap: the standard error is 0",
        ),
        (
            [1, 1, 1, 1],
            [0, 0, 1, 1],
            None,
            "the scores of positives and negatives do not vary: the standard error is 0",
        ),
    ],
)
def test_an_area_without_standard_error_says_why(scores, outcome, clusters, reason):
    estimate = roc_auc(scores, outcome, clusters=clusters, interval="normal")

    assert not math.isnan(estimate.value)
    assert estimate.undefined_because == reason


def test_clusters_that_balance_leave_no_width_of_rounding():
    # two clusters with the same scores and outcomes: the sums of both sides cancel within each
    estimate = roc_auc([1, 2, 3, 0, 2, 1], [0, 1, 0, 1, 1, 0], clusters=list("aaabbb"))

    assert math.isnan(estimate.low)
    assert "the standard error is 0" in estimate.undefined_because


def test_obuchowskis_standard_error_by_its_sums():
    rng = np.random.default_rng(8)
    subject, outcome = rng.integers(0, 8, 40), rng.integers(0, 2, 40)
    score = np.round(rng.normal(size=40) + outcome, 1)
    above, below = score[outcome == 1], score[outcome == 0]
    wins = (above[:, None] > below) + (above[:, None] == below) / 2
    of_subject = [
        ((wins.mean(axis=1) - wins.mean())[subject[outcome == 1] == s].sum() / above.size,
         (wins.mean(axis=0) - wins.mean())[subject[outcome == 0] == s].sum() / below.size)
        for s in range(8)
    ]  # fmt: skip
    counts = [len(set(subject[outcome == 1])), len(set(subject[outcome == 0])), len(set(subject))]
    first, second = np.array(of_subject).T
    variance = sum(
        factor * count / (count - 1) * total
        for factor, count, total in zip(
            (1, 1, 2), counts, (first @ first, second @ second, first @ second), strict=True
        )
    )

    estimate = roc_auc(score, outcome, clusters=subject)

    assert estimate.value == pytest.approx(wins.mean())
    assert estimate.se == pytest.approx(math.sqrt(variance))


def test_a_class_with_one_item_leaves_the_macro_area_without_limits():
    scores = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.4, 0.3, 0.2], [0.3, 0.2, 0.1]]

    estimate = macro_auc(scores, list("abcaa"), classes=list("abc"))

    # binary areas 1, 3/4, and for c (.3 against .1, .3, .2, .1) 3.5/4
    assert estimate.value == pytest.approx((1 + 3 / 4 + 3.5 / 4) / 3)
    assert estimate.undefined_because == "class 'b' or the rest in one item only: no standard error"


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([["x", "y"]], "scores is not a table of numbers"),
        ([[1, 2], [3]], "scores is not a table of numbers"),
        ([[1, math.inf]], "scores holds an infinite value"),
        ([[1, 2, 3]], r"scores has shape \(1, 3\); expected \(1, 2\)"),
    ],
)
def test_scores_that_are_no_table_are_refused_by_name(scores, message):
    with pytest.raises(ValueError, match=message):
        macro_auc(scores, ["a"], classes=["a", "b"])


def test_the_macro_area_with_many_classes_is_that_of_scikit_learn():
    rng = np.random.default_rng(6)
    reference = np.repeat(np.arange(5), 12)
    scores = rng.random((60, 5)) + 0.4 * np.eye(5)[reference]
    scores /= scores.sum(axis=1, keepdims=True)

    estimate = macro_auc(scores, reference, classes=range(5))

    assert estimate.value == pytest.approx(metrics.roc_auc_score(reference, scores, multi_class="ovr", average="macro"))
