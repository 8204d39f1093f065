"""The adjusted interval of kappa and nominal alpha, and the score interval of clustered shares."""

import math

import numpy as np
import pytest

from agreement import (
    accuracy_of_correctness,
    brier_score,
    cohen_kappa,
    cohen_kappa_of_table,
    conger_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    prediction_powered_mean,
    weighted_mean,
    wilson_interval,
)

BOTH_RATERS = ([1] * 27 + [0] * 3, [1] * 26 + [0] * 3 + [1])


def test_two_items_are_half_an_item_in_each_cell_of_a_table_of_two_categories():
    estimate = cohen_kappa([1] * 20 + [0] * 10, [1] * 16 + [0] * 11 + [1] * 3)

    # cells of 16, 4, 7 and 3 items: twice the table, and one in each cell
    doubled = cohen_kappa_of_table([[15, 7], [9, 33]])
    assert (estimate.low + estimate.high) / 2 == pytest.approx(doubled.value, abs=1e-9)
    assert estimate.se == pytest.approx(doubled.se * math.sqrt(2), rel=0.01)


@pytest.mark.parametrize("coefficient", [fleiss_kappa, conger_kappa, krippendorff_alpha])
def test_perfect_agreement_has_an_adjusted_interval_up_to_1(coefficient):
    estimate = coefficient([["a", "a", "a"]] * 27 + [["b", "b", "b"]] * 3)

    assert estimate.value == estimate.high == 1.0
    assert 0.4 < estimate.low < 0.9


def test_a_cluster_for_each_item_leaves_the_interval_nearly_as_it_is():
    a, b = BOTH_RATERS
    alone, clustered = cohen_kappa(a, b), cohen_kappa(a, b, clusters=range(30))

    assert (clustered.low, clustered.high) == pytest.approx((alone.low, alone.high), abs=0.02)


def test_items_that_repeat_within_a_cluster_are_worth_one_each():
    a, b = ([x for x in rater for _ in range(5)] for rater in BOTH_RATERS)
    once = cohen_kappa(*BOTH_RATERS)
    repeated = cohen_kappa(a, b, clusters=np.repeat(np.arange(30), 5))

    assert (repeated.low, repeated.high) == pytest.approx((once.low, once.high), abs=0.02)


def test_where_all_are_right_the_clusters_are_the_n():
    primary = accuracy_of_correctness([1] * 100, clusters=np.repeat(np.arange(20), 5)).primary

    # Wilson with x = n: n / (n + t^2), t on 19 degrees of freedom
    assert (primary.low, primary.high) == (pytest.approx(20 / (20 + 2.0930240544**2)), 1.0)


def test_a_share_in_clusters_of_one_item_is_wilsons_with_t():
    primary = accuracy_of_correctness([1] * 40 + [0] * 20, clusters=range(60)).primary
    wilson = wilson_interval(40, 60)

    assert (primary.low, primary.high) == pytest.approx((wilson.low, wilson.high), abs=0.01)


def test_tuned_inference_without_a_spread_has_wilsons_interval_of_the_labelled():
    estimate = prediction_powered_mean([1] * 30, [1] * 30, [1] * 280 + [0] * 20)

    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert estimate.low == pytest.approx(30 / (30 + 2.0452296421**2))


def test_a_weighted_share_of_ones_alone_has_an_interval():
    estimate = weighted_mean([1] * 20, [1.0] * 10 + [0.5] * 10)

    assert estimate.high == 1.0
    assert 0.7 < estimate.low < 0.9


def test_a_brier_score_on_few_errors_carries_a_warning():
    few, enough = (
        brier_score(np.linspace(0.6, 0.95, 40), [1] * (40 - wrong) + [0] * wrong).warning for wrong in (3, 8)
    )

    assert (few, enough) == ("fewer than 5 right, or wrong: the interval is uncertain", None)
