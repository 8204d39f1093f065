"""Limits by the profile likelihood, held against a search without a grid."""

import numpy as np
import pytest
from scipy import optimize, stats

from benchmarks.beta_binomial import likelihood_limits

SIZES = np.array([2, 7, 21] * 8)
RIGHT = np.array([2, 5, 20, 1, 7, 12, 2, 7, 21, 2, 6, 19] * 2)
QUANTILE = stats.t.isf(0.025, len(SIZES) - 1)


MANY = np.full(50, 30)
MOSTLY = np.random.default_rng(4).binomial(MANY, 0.6)


def profile(mean: float, right: np.ndarray, sizes: np.ndarray) -> float:
    """Logarithm of the likelihood of a mean with the correlation that fits it best."""

    def against(alike: float) -> float:
        scale = 1 / alike - 1
        return -stats.betabinom.logpmf(right, sizes, mean * scale, (1 - mean) * scale).sum()

    return -optimize.minimize_scalar(against, bounds=(1e-6, 0.999), method="bounded").fun


@pytest.mark.parametrize(("right", "sizes"), [(RIGHT, SIZES), (MOSTLY, MANY)], ids=["unequal", "large"])
def test_at_the_limits_the_likelihood_is_as_small_as_the_quantile_allows(right, sizes):
    quantile = stats.t.isf(0.025, len(sizes) - 1)
    search = optimize.minimize_scalar(lambda mean: -profile(mean, right, sizes), bounds=(0.3, 0.999), method="bounded")

    (low,), (high,) = likelihood_limits(right[None], sizes, quantile)

    assert low < right.sum() / sizes.sum() < high
    assert -search.fun - profile(low, right, sizes) == pytest.approx(quantile**2 / 2, rel=0.05)
    assert -search.fun - profile(high, right, sizes) == pytest.approx(quantile**2 / 2, rel=0.05)


def test_where_all_are_right_each_cluster_counts_as_one_item():
    (low,), (high,) = likelihood_limits(SIZES[None], SIZES, QUANTILE)

    assert high == 1
    assert low == pytest.approx(np.exp(-(QUANTILE**2) / 2 / len(SIZES)), abs=0.02)


def test_the_order_of_clusters_does_not_matter():
    order = np.random.default_rng(3).permutation(len(SIZES))

    np.testing.assert_allclose(
        likelihood_limits(RIGHT[None], SIZES, QUANTILE), likelihood_limits(RIGHT[None, order], SIZES[order], QUANTILE)
    )
