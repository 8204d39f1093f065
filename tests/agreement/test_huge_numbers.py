"""Numbers of which squares are not finite are refused by name, or held in a unit of their own; sums that are exact."""

import math
import tracemalloc
import warnings

import numpy as np
import pytest

from agreement import (
    bland_altman,
    bootstrap,
    cohen_kappa,
    difference_of_parts,
    lin_ccc,
    paired_difference,
    prediction_powered_regression,
    variance_components,
    weighted_mean,
)
from agreement.magnitude import exact_sum, mean_gap

HUGE = [1e308, -1e308, 1e308, 5.0, 1e308, 3.0, 1.0]
FEW = [2, 1, 3, 5, 4, 3, 1]
MOST = [number / 1e168 for number in HUGE]  # of 1e140

CALLS = {
    "values of weighted_mean": lambda huge: weighted_mean(huge, [0.5] * 7, resamples=60),
    "values of weighted_mean, linearised": lambda huge: weighted_mean(huge, [0.5] * 7, interval="linearised"),
    "a of paired_difference": lambda huge: paired_difference(huge, FEW, resamples=60, seed=1),
    "b of paired_difference": lambda huge: paired_difference(FEW, huge, resamples=60, seed=1),
    "values of difference_of_parts": lambda huge: difference_of_parts(huge, [True] * 3 + [False] * 4, resamples=60),
    "first of variance_components": lambda huge: variance_components(table(huge), table(FEW)),
    "second of variance_components": lambda huge: variance_components(table(FEW), table(huge)),
    "a of cohen_kappa": lambda huge: cohen_kappa(whole(huge), FEW, weights="quadratic"),
    "b of cohen_kappa": lambda huge: cohen_kappa(FEW, whole(huge), weights="linear"),
    "human of prediction_powered_regression": lambda huge: regression(human=huge),
    "judge of prediction_powered_regression": lambda huge: regression(judge=huge),
    "unlabelled of prediction_powered_regression": lambda huge: regression(unlabelled=huge),
    "covariates of prediction_powered_regression": lambda huge: regression(covariates=huge),
    "unlabelled_covariates of prediction_powered_regression": lambda huge: regression(unlabelled_covariates=huge),
}


def table(numbers):
    return [[number, -number, 1.0] for number in numbers]


def whole(numbers):
    return [float(round(number)) for number in numbers]


def regression(**given):
    usual = {"human": FEW, "judge": FEW[::-1], "covariates": range(7)}
    usual |= {"unlabelled": FEW, "unlabelled_covariates": range(7)}
    return prediction_powered_regression(model="linear", **(usual | given))


@pytest.mark.parametrize("what", CALLS)
def test_numbers_whose_squares_are_not_finite_are_refused_by_the_name_of_the_argument(what):
    argument = what.partition(" ")[0]

    with pytest.raises(ValueError, match=rf"^{argument} holds 1e\+308; expected numbers from -1e\+140 to 1e\+140"):
        CALLS[what](HUGE)


@pytest.mark.parametrize("what", CALLS)
def test_the_largest_numbers_that_are_taken_give_no_warning(what):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CALLS[what](MOST)


def test_covariates_whose_reciprocal_is_not_finite_are_refused():
    with pytest.raises(ValueError, match=r"^covariates holds nothing above 5e-324 in column 0; expected numbers of"):
        regression(covariates=[0.0, 5e-324] * 3 + [0.0])


def test_covariates_that_are_all_missing_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = regression(covariates=[None] * 7, unlabelled_covariates=[None] * 7)

    assert all(part.coefficient.undefined_because for part in none)


def test_concordance_of_numbers_of_very_different_size_has_no_limits_and_says_why():
    estimate = lin_ccc(HUGE, FEW)

    assert estimate.value == pytest.approx(0.0, abs=1e-12)
    assert "differ greatly in scale" in estimate.undefined_because


@pytest.mark.parametrize(
    "options", [{}, {"interval": "bca"}, {"interval": "widened"}, {"clusters": [1, 1, 2, 2, 3, 3, 4]}]
)
def test_resamples_whose_sums_are_not_finite_have_no_value_and_give_no_warning(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate = bootstrap(np.mean, HUGE, seed=1, resamples=100, **options)

    assert "no value" in estimate.undefined_because


def test_a_limit_of_agreement_that_is_infinite_without_a_unit_has_no_acceleration_and_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = bland_altman([1e8 + 2e-8, 1e8, 1e8], [1e8] * 3, clusters=[0, 0, 1], interval="bca", resamples=60)

    assert "no value when one unit is left out" in result.upper.undefined_because
    assert "no value when one unit is left out" in result.lower.undefined_because


@pytest.mark.parametrize("exponent", [-320, -30, -3, 0, 3, 150], ids=lambda power: f"from 1e{power} on")
@pytest.mark.parametrize("digits", ["whole", "halves", "decimals", "all", "of both signs, which cancel"])
def test_a_sum_in_whole_multiples_is_the_exact_sum_rounded_once(digits, exponent):
    rng = np.random.default_rng(1)
    some = {
        "whole": rng.integers(-5, 6, 1000).astype(float),
        "halves": rng.integers(-5, 6, 1000) / 2,
        "decimals": rng.normal(50, 10, 1000).round(1),
        "all": rng.normal(size=1000) * 10.0 ** rng.integers(-9, 9, 1000),
        "of both signs, which cancel": np.outer([1.0, -1.0], rng.normal(size=500)).ravel(),
    }[digits]
    values = some * float(f"1e{exponent}")

    assert exact_sum(values) == math.fsum(values.tolist())


def test_a_mean_of_differences_of_scores_on_a_scale_makes_no_object_of_each():
    first, second = np.random.default_rng(2).integers(1, 6, (2, 50_000)) / 8.0
    tracemalloc.start()

    mean = mean_gap(first, second)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert mean == (first.sum() - second.sum()) / 50_000
    assert most < 6 * first.nbytes
