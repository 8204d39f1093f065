"""Accuracy: what counts, what does not, and the intervals beside it."""

import json
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import accuracy, accuracy_of_correctness, clopper_pearson_interval, percent_agreement, wilson_interval


@pytest.mark.parametrize(
    ("x", "n", "low", "high"),
    [
        # MRI-Eval, table 1
        (1325, 1365, 0.960, 0.978),
        # Newcombe (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_is_as_published(x, n, low, high):
    estimate = wilson_interval(x, n)

    digits = 3 if n == 1365 else 4
    assert (round(estimate.low, digits), round(estimate.high, digits)) == (low, high)


@pytest.mark.parametrize(
    ("x", "n", "low", "high"),
    [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (0, 20, 0.0, 0.1684), (1, 29, 0.0009, 0.1776)],
)
def test_clopper_pearson_interval_is_as_published(x, n, low, high):
    # Newcombe (1998), table I, method 5
    estimate = clopper_pearson_interval(x, n)

    assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


def test_intervals_of_a_proportion_are_those_of_r():
    # R 4.2.2:  prop.test(7, 21, correct = FALSE)$conf.int ; binom.test(7, 21)$conf.int
    wilson, exact = wilson_interval(7, 21), clopper_pearson_interval(7, 21)

    assert (wilson.low, wilson.high) == pytest.approx((0.171947526051, 0.546265480257), abs=1e-12)
    assert (exact.low, exact.high) == pytest.approx((0.145876942343, 0.569675482904), abs=1e-12)


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_the_proportion_have_a_width_and_mirror(counts):
    x, n = counts
    for interval in (wilson_interval, clopper_pearson_interval):
        estimate, mirrored = interval(x, n), interval(n - x, n)

        assert 0.0 <= estimate.low <= x / n <= estimate.high <= 1.0
        assert estimate.low < estimate.high
        assert (estimate.low, estimate.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


def test_no_items_have_no_proportion():
    for interval in (wilson_interval, clopper_pearson_interval):
        estimate = interval(0, 0)

        assert math.isnan(estimate.value)
        assert estimate.undefined_because == "no items"


@pytest.mark.parametrize(("x", "n"), [(3, 2), (-1, 2), (1.5, 2), ("1", 2)])
def test_counts_that_are_no_counts_are_refused(x, n):
    with pytest.raises(ValueError, match="x"):
        wilson_interval(x, n)


def test_excluded_and_missing_leave_both_denominators_and_are_counted():
    verdicts = ["Correct", "Correct", "Incorrect", "Excluded", None, float("nan")]

    result = accuracy(verdicts, "Correct", excluded={"Excluded"})

    assert result.primary.value == pytest.approx(2 / 3)
    assert (result.primary.n, result.n_correct, result.n_incorrect) == (3, 2, 1)
    assert (result.n_excluded, result.n_missing, result.n_without_reference) == (1, 2, 0)
    assert result.worst_case.value == 2 / 4
    assert result.best_case.value == 3 / 4


def test_several_accepted_answers_and_items_without_reference():
    verdicts = ["left", "temporal", "right", "left", None]
    reference = ["left", {"temporal", "temporal lobe"}, ["left"], None, None]

    result = accuracy(verdicts, reference)

    assert (result.n_correct, result.n_incorrect) == (2, 1)
    assert result.n_without_reference == 1
    assert result.n_missing == 1


def test_an_excluded_verdict_on_an_item_without_reference_is_no_best_case():
    result = accuracy(["n/a", "left"], [None, "left"], excluded=["n/a"])

    assert result.n_excluded == 0
    assert result.n_without_reference == 1
    assert result.best_case.n == 1


def test_without_clusters_the_interval_is_wilsons_and_says_what_it_assumes():
    result = accuracy([1] * 9 + [0], [1] * 10)

    assert (result.primary.low, result.primary.high) == (result.wilson.low, result.wilson.high)
    assert result.primary.method == "Wilson score interval, assumes independent items"
    assert result.primary.n_clusters is None


def test_with_clusters_the_percentile_interval_is_a_seeded_cluster_bootstrap():
    correct = [1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0]
    subjects = list("aaabbbcccddd")

    sampled = partial(accuracy_of_correctness, correct, clusters=subjects, interval="percentile")
    first, again, other = sampled(seed=11), sampled(seed=11), sampled(seed=12, resamples=501)

    assert first == again
    assert first.primary.n_clusters == 4
    assert first.primary.method == "cluster bootstrap, percentile, 10000 resamples, seed 11"
    assert first.primary.se != other.primary.se
    # clusters of 3 with 3, 0, 2, 2 right: a resample's mean is the mean of four draws from 1, 0, 2/3, 2/3
    # its standard deviation is sqrt(((5/12)^2 + (7/12)^2 + 2 (1/12)^2) / 4 / 4)
    expected = math.sqrt(((5 / 12) ** 2 + (7 / 12) ** 2 + 2 * (1 / 12) ** 2) / 16)
    assert first.primary.se == pytest.approx(expected, rel=0.02)


def test_fewer_than_ten_clusters_are_warned_about():
    nine = accuracy_of_correctness([0, 1] * 9, clusters=np.repeat(np.arange(9), 2))
    ten = accuracy_of_correctness([0, 1, 1, 1] * 5, clusters=np.repeat(np.arange(10), 2))

    assert nine.primary.warning == "only 9 clusters: an interval from fewer than 10 clusters is likely to be too narrow"
    assert ten.primary.warning is None


def test_one_cluster_and_equal_clusters_have_no_bootstrap_interval_but_wilson_stays():
    one_cluster = accuracy_of_correctness([1, 0, 1], clusters=["s"] * 3, interval="percentile")
    all_right = accuracy_of_correctness([1, 1, 1, 1], clusters=["s", "s", "t", "t"], interval="percentile")

    assert one_cluster.primary.value == pytest.approx(2 / 3)
    assert "fewer than two clusters" in one_cluster.primary.undefined_because
    assert all_right.primary.value == 1.0
    assert all_right.primary.undefined_because == "every resample gave the same value"
    assert all_right.wilson.low < 1.0


def test_nothing_answered_has_no_accuracy():
    result = accuracy([None, "n/a"], ["x", "y"], excluded={"n/a"}, clusters=["s", "t"])

    assert math.isnan(result.primary.value)
    assert result.primary.undefined_because == "no items"
    assert result.worst_case.value == 0.0


def test_the_whole_is_ready_for_json():
    estimate = accuracy([None], ["x"], clusters=["s"])

    row = json.loads(json.dumps(estimate.as_dict(), allow_nan=False))

    assert row["primary"]["value"] is None
    assert row["primary"]["undefined_because"] == "no items"
    assert row["n_missing"] == 1


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"verdicts has shape \(1,\) and reference has shape \(2,\)"):
        accuracy(["x"], ["x", "y"])
    with pytest.raises(ValueError, match=r"clusters has shape \(1,\); expected \(2,\)"):
        accuracy(["x", "y"], ["x", "y"], clusters=["s"])
    with pytest.raises(ValueError, match="clusters has no value at position 1"):
        accuracy(["x", "y"], ["x", "y"], clusters=["s", None])
    with pytest.raises(ValueError, match=r"correct holds 0\.5 at position 0"):
        accuracy_of_correctness([0.5])
    with pytest.raises(ValueError, match="position 0 is two of answered, excluded and without_reference"):
        accuracy_of_correctness([True], excluded=[True])


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=30))
def test_accuracy_does_not_depend_on_item_order_or_duplication(correct):
    result = accuracy_of_correctness(correct)

    assert accuracy_of_correctness(correct[::-1]) == result
    assert accuracy_of_correctness(correct * 2).primary.value == pytest.approx(result.primary.value, nan_ok=True)
    assert result.n_correct + result.n_incorrect + result.n_missing == len(correct)


def test_percent_agreement_of_mri_eval_and_of_constants():
    judged = percent_agreement([1] * 136, [1] * 122 + [0] * 14)
    constant = percent_agreement(["yes"] * 4, ["yes"] * 4)

    assert round(100 * judged.value, 1) == 89.7
    assert constant.value == 1.0
    assert constant.low < constant.high == 1.0


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), min_size=1, max_size=20))
def test_percent_agreement_does_not_depend_on_rater_order(pairs):
    a, b = zip(*pairs, strict=True)

    assert percent_agreement(a, b) == percent_agreement(b, a)


def test_an_item_whose_accepted_answers_are_all_missing_has_no_reference():
    result = accuracy(["left", "right"], [[None], ["right", None]])

    assert (result.n_correct, result.n_incorrect, result.n_without_reference) == (1, 0, 1)


def test_an_accepted_answer_in_an_array_without_dimensions_is_one_answer():
    result = accuracy([1, 0, 1], [np.array(1), np.array(1), 1])

    assert (result.n_correct, result.n_incorrect) == (2, 1)


def test_accepted_answers_may_be_an_array_and_the_excluded_one_text():
    result = accuracy(["left", "right", "Excluded"], [np.array(["left", "l"]), "left", "left"], excluded="Excluded")

    assert (result.n_correct, result.n_incorrect, result.n_excluded) == (1, 1, 1)


@pytest.mark.parametrize(
    ("verdicts", "excluded", "message"),
    [([["left"]], (), "verdicts holds"), (["left"], None, "excluded is None"), (["left"], [["n/a"]], "excluded is")],
)
def test_what_cannot_be_compared_is_refused_by_name(verdicts, excluded, message):
    with pytest.raises(ValueError, match=message):
        accuracy(verdicts, ["left"], excluded=excluded)
