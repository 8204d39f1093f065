"""Quantiles and tails have every digit of those of scipy.stats, whose slower functions they stand in for."""

import math

import pytest
from scipy import stats

from agreement.quantiles import t_tail, upper_normal, upper_t

TAILS = (1e-9, 0.005, 0.025, 0.05, 1 / 3, 0.5, 0.975)


@pytest.mark.parametrize("freedom", [1, 2, 3.7, 49, 1e6, math.inf])
def test_the_t_distribution_has_the_digits_of_scipy(freedom):
    assert [upper_t(tail, freedom) for tail in TAILS] == [stats.t.isf(tail, freedom) for tail in TAILS]
    assert [t_tail(x, freedom) for x in (-2.0, 0.0, 0.3, 50.0)] == [
        stats.t.sf(x, freedom) for x in (-2.0, 0.0, 0.3, 50.0)
    ]


def test_the_normal_distribution_has_the_digits_of_scipy():
    assert [upper_normal(tail) for tail in TAILS] == [stats.norm.isf(tail) for tail in TAILS]


def test_without_degrees_of_freedom_there_is_no_quantile():
    assert math.isnan(upper_t(0.025, 0))
