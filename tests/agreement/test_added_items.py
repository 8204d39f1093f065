"""The adjusted interval of kappa and nominal alpha, and the score interval of clustered shares."""

import math
import re

import numpy as np
import pytest

from agreement import (
    accuracy_of_correctness,
    brier_score,
    cohen_kappa,
    cohen_kappa_of_table,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
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


def effective_number(estimate):
    return float(re.search(r"items \(([0-9.]+) of", estimate.method)[1])


def test_few_clusters_with_a_category_draw_the_effective_number_to_the_clusters():
    # twenty clusters of five; each rater has the rare category in three items, all in different clusters
    a, clusters = np.ones(100), np.repeat(np.arange(20), 5)
    a[[0, 5, 10]] = 0
    b = a.copy()
    b[[0, 5, 10, 15, 20, 25]] = [1, 1, 1, 0, 0, 0]

    cautious, plain = (cohen_kappa(a, b, clusters=clusters, interval=kind) for kind in ("effective", "adjusted"))

    # as if independent; six clusters with the category count as three: 5^(1.5 / (3 + 1.5)), and (3 + 5 / 2) / 3.5
    assert (effective_number(cautious), effective_number(plain)) == (58.5, 63.6)
    assert (cautious.value, cautious.high - cautious.low > plain.high - plain.low) == (plain.value, True)


def test_disagreements_as_scattered_as_can_be_draw_the_effective_number_less():
    # twenty clusters of five, six disagreements; in six clusters, or in two
    a, clusters, numbers = np.arange(100) % 2, np.repeat(np.arange(20), 5), []
    for items in ([0, 5, 10, 15, 20, 25], [0, 1, 2, 5, 6, 7]):
        b = a.copy()
        b[items] = 1 - b[items]
        numbers.append(
            [
                effective_number(cohen_kappa(a, b, clusters=clusters, interval=kind))
                for kind in ("scattered", "effective")
            ]
        )
    scattered, together = numbers

    # six would lie in 36 / (6 + 30 x 4 / 99) = 5 clusters, so that all of 6 / 7 speaks against a greater design effect:
    # 1 + 4 / 7 to the power of 2 / (6 + 2), where the cautious number has 5^(1.5 / (6 + 1.5))
    assert scattered == [round(100 / (1 + 4 / 7) ** 0.25, 1), round(100 / 5**0.2, 1)]
    assert together[0] < 50 < scattered[1] < scattered[0]


def test_the_cautious_effective_number_keeps_the_limits_that_frozen_plans_printed():
    rng = np.random.default_rng(5)
    a, clusters = rng.integers(0, 3, 120), rng.integers(0, 25, 120)
    b = np.where(rng.random(120) < 0.7, a, rng.integers(0, 3, 120))

    kappa = cohen_kappa(a, b, clusters=clusters, interval="effective")
    alpha = krippendorff_alpha(np.column_stack([a, b]), clusters=clusters, interval="effective")

    # printed before there was the one by how scattered disagreements are
    assert (kappa.low, kappa.high) == pytest.approx((0.6957272680934212, 0.9221249284374304), abs=1e-14)
    assert (alpha.low, alpha.high) == pytest.approx((0.6974957820959972, 0.9225987889669386), abs=1e-14)


def test_a_category_of_one_cluster_says_less_than_one_of_many():
    rng = np.random.default_rng(4)
    clusters, differ = np.repeat(np.arange(20), 5), rng.permutation(100)[:10]
    scattered, together = np.zeros(100, dtype=int), np.zeros(100, dtype=int)
    scattered[::10], together[:10] = 1, 1

    sizes = []
    for a in (scattered, together):
        b = a.copy()
        b[differ] = 1 - b[differ]
        sizes.append(effective_number(cohen_kappa(a, b, clusters=clusters)))

    assert sizes[0] > 1.5 * sizes[1]


@pytest.mark.parametrize("coefficient", [cohen_kappa, fleiss_kappa, conger_kappa, gwet_ac, krippendorff_alpha])
def test_neither_the_order_of_categories_nor_that_of_items_decides_the_effective_number(coefficient):
    rng = np.random.default_rng(6)
    first, clusters = rng.integers(0, 3, 90), np.repeat(np.arange(18), 5)
    second = np.where(rng.random(90) < 0.8, first, rng.integers(0, 3, 90))
    order = rng.permutation(90)

    def estimate(a, b, of):
        ratings = (a, b) if coefficient is cohen_kappa else (np.column_stack([a, b]),)
        return coefficient(*ratings, clusters=of)

    usual = estimate(first, second, clusters)
    renamed = estimate((first + 1) % 3, (second + 1) % 3, clusters)
    turned = estimate(first[order], second[order], clusters[order])
    for other in (renamed, turned):
        assert (other.low, other.high) == pytest.approx((usual.low, usual.high), abs=1e-9)


def test_of_clusters_of_unequal_sizes_without_disagreement_kishs_number_is_the_n():
    sizes = np.arange(1, 21)
    a = np.arange(sizes.sum()) % 3 == 0

    estimate = cohen_kappa(a, a, clusters=np.repeat(np.arange(20), sizes))

    assert effective_number(estimate) == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum(), abs=0.05)


@pytest.mark.parametrize("coefficient", [cohen_kappa, fleiss_kappa, conger_kappa, gwet_ac, krippendorff_alpha])
def test_without_any_disagreement_the_clusters_are_the_n(coefficient):
    a, clusters = np.arange(100) % 3 == 0, np.repeat(np.arange(20), 5)
    ratings = (a, a) if coefficient is cohen_kappa else (np.column_stack([a, a]),)

    assert effective_number(coefficient(*ratings, clusters=clusters)) == 20.0
    assert effective_number(coefficient(*ratings, clusters=clusters, interval="adjusted")) > 50.0


def test_of_independent_items_all_intervals_with_added_items_are_the_same():
    for kind in ("effective", "adjusted"):
        assert cohen_kappa(*BOTH_RATERS) == cohen_kappa(*BOTH_RATERS, interval=kind)


def test_the_plain_effective_number_keeps_the_limits_that_frozen_plans_printed():
    rng = np.random.default_rng(5)
    a, clusters = rng.integers(0, 3, 120), rng.integers(0, 25, 120)
    b = np.where(rng.random(120) < 0.7, a, rng.integers(0, 3, 120))

    kappa = cohen_kappa(a, b, clusters=clusters, interval="adjusted")
    alpha = krippendorff_alpha(np.column_stack([a, b]), clusters=clusters, interval="adjusted")

    # printed before there was the other one
    assert (kappa.low, kappa.high) == pytest.approx((0.7096382205843832, 0.9132082456219348), abs=1e-14)
    assert (alpha.low, alpha.high) == pytest.approx((0.7110122047951088, 0.9136395690199457), abs=1e-14)


@pytest.mark.parametrize("coefficient", [fleiss_kappa, conger_kappa, krippendorff_alpha])
def test_perfect_agreement_has_an_adjusted_interval_up_to_1(coefficient):
    estimate = coefficient([["a", "a", "a"]] * 27 + [["b", "b", "b"]] * 3)

    assert estimate.value == estimate.high == 1.0
    assert 0.4 < estimate.low < 0.9


def test_a_cluster_for_each_item_leaves_the_estimate_as_it_is():
    a, b = BOTH_RATERS
    alone, clustered = cohen_kappa(a, b), cohen_kappa(a, b, clusters=range(30))

    assert clustered == alone


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
