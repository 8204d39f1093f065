"""Quantiles and tails have every digit of those of scipy.stats and numpy, whose slower functions they stand in for."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from agreement.quantiles import (
    chi_square_quantile,
    chi_square_tail,
    f_tail,
    lower_beta,
    normal_quantile,
    normal_tail,
    t_tail,
    upper_beta,
    upper_f,
    upper_normal,
    upper_t,
)
from agreement.ranks import mean_ranks
from agreement.spread import quantiles_of_sorted

PLACES = (-2.0, 0.0, 0.3, 7.0, 50.0)
TAILS = (1e-9, 0.005, 0.025, 0.05, 1 / 3, 0.5, 0.975)


@pytest.mark.parametrize("freedom", [1, 2, 3.7, 49, 1e6, math.inf])
def test_the_t_distribution_has_the_digits_of_scipy(freedom):
    assert [upper_t(tail, freedom) for tail in TAILS] == [stats.t.isf(tail, freedom) for tail in TAILS]
    assert [t_tail(x, freedom) for x in (-2.0, 0.0, 0.3, 50.0)] == [
        stats.t.sf(x, freedom) for x in (-2.0, 0.0, 0.3, 50.0)
    ]


def test_the_normal_distribution_has_the_digits_of_scipy():
    assert [upper_normal(tail) for tail in TAILS] == [stats.norm.isf(tail) for tail in TAILS]
    assert [normal_quantile(tail) for tail in (0.0, *TAILS, 1.0)] == stats.norm.ppf((0.0, *TAILS, 1.0)).tolist()
    assert [normal_tail(x) for x in PLACES] == [stats.norm.sf(x) for x in PLACES]


@pytest.mark.parametrize("freedom", [1, 2, 49])
def test_the_chi_square_distribution_has_the_digits_of_scipy(freedom):
    places = [x for x in PLACES if x >= 0.0]

    assert [chi_square_tail(x, freedom) for x in places] == [stats.chi2.sf(x, freedom) for x in places]
    assert [chi_square_quantile(tail, freedom) for tail in TAILS] == stats.chi2.ppf(TAILS, freedom).tolist()


def test_a_chi_square_statistic_that_rounding_left_below_0_has_p_1():
    assert chi_square_tail(-1e-16, 3) == stats.chi2.sf(-1e-16, 3) == 1.0


@pytest.mark.parametrize(("first", "second"), [(1, 1), (5, 15), (29, 3.7), (1e6, 2)])
def test_the_f_distribution_has_the_digits_of_scipy(first, second):
    places = [x for x in PLACES if x >= 0.0]

    assert [f_tail(x, first, second) for x in places] == stats.f.sf(places, first, second).tolist()
    assert [upper_f(tail, first, second) for tail in TAILS] == stats.f.isf(TAILS, first, second).tolist()


@pytest.mark.parametrize(("a", "b"), [(1, 1), (3, 40), (40, 3), (1, 100_000), (81, 183)])
def test_the_beta_distribution_has_the_digits_of_scipy(a, b):
    assert [lower_beta(tail, a, b) for tail in TAILS] == [stats.beta.ppf(tail, a, b) for tail in TAILS]
    assert [upper_beta(tail, a, b) for tail in TAILS] == [stats.beta.isf(tail, a, b) for tail in TAILS]


@pytest.mark.parametrize("n", [1, 2, 3, 40, 41, 999])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_quantiles_of_resamples_have_the_digits_of_numpy(n, digits):
    values, levels = np.random.default_rng(n).normal(size=n).round(digits), [0.0, 0.005, 0.1, 0.5, 0.5001, 0.975, 1.0]

    assert quantiles_of_sorted(np.sort(values), levels) == np.quantile(values, levels).tolist()


def test_without_degrees_of_freedom_there_is_no_quantile():
    assert math.isnan(upper_t(0.025, 0))


def test_equal_numbers_share_the_mean_of_their_ranks_as_in_scipy():
    values = np.random.default_rng(3).normal(size=99).round(1)

    assert mean_ranks(values).tolist() == stats.rankdata(values).tolist()


def test_no_module_imports_scipy_stats_which_takes_a_third_of_the_time_of_all_imports():
    modules = (Path(__file__).parents[2] / "agreement").rglob("*.py")

    importing = [
        path.name for path in modules if re.search(r"^(from|import) scipy[^#\n]*\bstats\b", path.read_text(), re.M)
    ]

    assert importing == []
