"""Limits on the scale of Fisher's z, and plans that keep the interval from before."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from agreement import (
    agreement_weights,
    brennan_prediger,
    cohen_kappa,
    cohen_kappa_with_weights,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
)
from agreement.krippendorff import alpha_coefficient
from agreement.plain_limits import by_plan

STEPS = range(5)


def rated(items: int, raters: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, items)
    return np.clip(truth[:, None] + rng.integers(-1, 2, (items, raters)), 0, 4)


FOUR = rated(48, 4)
PAIRS = np.arange(48) // 2
OF_TWO = partial(cohen_kappa, FOUR[:, 0], FOUR[:, 1], categories=STEPS)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_limits_are_those_of_fishers_z_with_the_published_standard_error(weights):
    published = OF_TWO(weights=weights, interval="normal")
    se = published.se * math.sqrt(48 / 47) / (1 - published.value**2)
    half = stats.t.isf(0.025, 47) * se

    estimate = OF_TWO(weights=weights)

    expected = np.tanh(np.arctanh(published.value) + np.array([-half, half]))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize("coefficient", [fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger])
def test_the_standard_error_of_several_raters_is_gwets(coefficient):
    estimate = coefficient(FOUR, categories=STEPS, weights="linear")

    assert estimate.method.startswith("Fisher's z")
    assert estimate.se == pytest.approx(
        coefficient(FOUR, categories=STEPS, weights="linear", interval="t").se, abs=1e-12
    )


@pytest.mark.parametrize("clusters", [None, PAIRS])
def test_cohen_and_conger_of_two_raters_have_the_same_limits(clusters):
    cohen = OF_TWO(weights="quadratic", clusters=clusters)
    conger = conger_kappa(FOUR[:, :2], categories=STEPS, weights="quadratic", clusters=clusters)

    assert (cohen.low, cohen.high) == pytest.approx((conger.low, conger.high), abs=1e-12)


def test_in_clusters_the_standard_error_is_that_of_the_sums_of_clusters():
    by_items = alpha_coefficient(FOUR, "interval", anew=False)[0].linearise()
    of_clusters = np.bincount(PAIRS, weights=by_items - by_items.mean())

    estimate = krippendorff_alpha(FOUR, "interval", clusters=PAIRS)

    assert estimate.se == pytest.approx(math.sqrt(24 / 23 * (of_clusters**2).sum()) / 48, abs=1e-12)
    assert "t with 23 degrees of freedom" in estimate.method


def test_ordinal_alpha_is_linearised_with_its_metric():
    missing = FOUR.astype(float)
    missing[::5, 1] = np.nan
    anew, _ = alpha_coefficient(missing, "ordinal", STEPS, anew=True)
    totals, step = anew.rows.sum(axis=0), 1e-6
    slopes = [float(anew.of_sums(totals + step * row) - anew.of_sums(totals - step * row)) for row in anew.rows]

    linearised = alpha_coefficient(missing, "ordinal", STEPS, anew=False, varies=True)[0].linearise()

    assert linearised == pytest.approx(48 * np.array(slopes) / (2 * step), abs=1e-6)


def test_clusters_of_very_unequal_sizes_have_fewer_degrees_of_freedom_and_a_warning():
    estimate = OF_TWO(weights="linear", clusters=np.repeat(np.arange(12), [37] + [1] * 11))

    assert "t with 1 degree of freedom" in estimate.method
    assert estimate.warning is not None and "very unequal" in estimate.warning


def test_without_a_standard_error_there_are_no_limits():
    estimate = conger_kappa([[0, 4], [4, 0]], categories=STEPS, weights="quadratic")

    assert math.isnan(estimate.low) and "standard error is 0" in str(estimate.undefined_because)


ALL_AGREE = np.repeat(np.arange(36)[:, None] % 3, 2, axis=1)
OF_ALIKE = {
    "kappa": lambda ratings, **options: cohen_kappa(*ratings.T, categories=range(3), weights="quadratic", **options),
    "kappa with a matrix": lambda ratings, **options: cohen_kappa_with_weights(
        *ratings.T, agreement_weights("quadratic", 3), range(3), **options
    ),
    "Fleiss": partial(fleiss_kappa, categories=range(3), weights="quadratic"),
    "Conger": partial(conger_kappa, categories=range(3), weights="quadratic"),
    "AC2": partial(gwet_ac, categories=range(3), weights="quadratic"),
    "Brennan-Prediger": partial(brennan_prediger, categories=range(3), weights="quadratic"),
    "ordinal alpha": partial(krippendorff_alpha, level="ordinal", categories=range(3)),
}


@pytest.mark.parametrize("name", OF_ALIKE)
def test_perfect_agreement_has_the_limits_with_two_items_added(name):
    estimate = OF_ALIKE[name](ALL_AGREE)

    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert 0.8 < estimate.low < 0.95
    assert "two items added" in estimate.method


@pytest.mark.parametrize("name", OF_ALIKE)
def test_perfect_agreement_in_clusters_counts_each_of_them_once(name):
    estimate = OF_ALIKE[name](ALL_AGREE, clusters=np.arange(36) // 3)

    assert estimate.low < OF_ALIKE[name](ALL_AGREE[:12]).low + 0.02
    assert "12.0 of 36" in estimate.method


def test_a_constant_rater_has_the_limits_with_two_items_added():
    estimate = cohen_kappa([1] * 20, [0] * 5 + [1] * 15, categories=STEPS, weights="linear")

    assert estimate.low < estimate.value < estimate.high
    assert estimate.value == 0.0


def test_the_weighted_kappa_of_raters_who_seldom_differ_holds_though_many_samples_are_perfect():
    rng, true, held = np.random.default_rng(5), 0.97**2, 0
    for _ in range(200):
        truth = rng.integers(0, 3, 36)
        seen = [np.where(rng.random(36) < 0.97, truth, rng.integers(0, 3, 36)) for _ in range(2)]
        estimate = cohen_kappa(*seen, categories=range(3), weights="linear")
        held += estimate.low <= true <= estimate.high

    assert held >= 178  # 93 % of 200, less two standard errors


def test_a_coefficient_that_can_be_below_minus_one_has_limits_down_to_its_own():
    ratings = [[0, 4], [4, 0], [0, 4], [0, 4], [0, 3]]

    estimate = gwet_ac(ratings, categories=STEPS, weights="quadratic")

    assert -1.5 < estimate.low < -1.0 < estimate.high


PLAIN = {
    "weighted kappa": (partial(OF_TWO, weights="linear"), "normal"),
    "ordinal alpha": (partial(krippendorff_alpha, FOUR, "ordinal", categories=STEPS), "t"),
    "AC2": (partial(gwet_ac, FOUR, categories=STEPS, weights="linear"), "t"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plan_from_before_keeps_its_interval_of_independent_items(name):
    coefficient, alone = PLAIN[name]

    assert by_plan(coefficient, "plain", alone)(clusters=np.arange(48)) == coefficient(interval=alone)


@pytest.mark.parametrize("name", PLAIN)
def test_a_plan_from_before_keeps_its_bootstrap_of_clusters(name):
    coefficient, alone = PLAIN[name]
    options = {"clusters": PAIRS, "resamples": 200, "seed": 3}

    assert by_plan(coefficient, "plain", alone)(**options) == coefficient(**options, interval="percentile")


def test_weights_by_name_and_as_a_matrix_have_the_same_limits():
    matrix = agreement_weights("quadratic", 5)

    by_matrix = cohen_kappa_with_weights(FOUR[:, 0], FOUR[:, 1], matrix, STEPS)

    assert by_matrix.low == pytest.approx(OF_TWO(weights="quadratic").low, abs=1e-12)
