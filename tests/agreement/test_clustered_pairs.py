"""The score interval of a difference of paired proportions in clusters, against that of independent pairs."""

import numpy as np
import pytest

from agreement.clustered_pairs import paired_score_in_clusters
from agreement.comparisons import paired_proportion_difference


def of(first, second, clusters):
    return paired_score_in_clusters(
        np.asarray(first, float), np.asarray(second, float), np.asarray(clusters), confidence=0.95, unit="pair"
    )


def test_pairs_in_clusters_of_their_own_have_newcombes_interval():
    first, second = np.r_[np.ones(32), np.zeros(18)], np.r_[np.ones(20), np.zeros(12), np.ones(2), np.zeros(16)]

    estimate, independent = of(first, second, np.arange(50)), paired_proportion_difference(20, 12, 2, 16)

    # the observed design effect is m / (m - 1), as in any variance between clusters
    assert (estimate.low, estimate.high) == pytest.approx((independent.low, independent.high), abs=0.002)


def test_copies_of_every_pair_within_its_cluster_add_nothing():
    first, second = np.r_[np.ones(32), np.zeros(18)], np.r_[np.ones(20), np.zeros(12), np.ones(2), np.zeros(16)]

    once, four_times = of(first, second, np.arange(50)), of(*(np.repeat(x, 4) for x in (first, second, np.arange(50))))

    assert four_times.value == once.value
    assert (four_times.low, four_times.high) == pytest.approx((once.low, once.high), abs=0.001)


def test_without_a_difference_a_cluster_counts_as_one_pair():
    estimate, of_clusters = of(np.ones(40), np.ones(40), np.arange(40) // 2), paired_proportion_difference(20, 0, 0, 0)

    assert (estimate.low, estimate.high) == pytest.approx((of_clusters.low, of_clusters.high))


def test_exchanged_sides_mirror_the_interval():
    rng = np.random.default_rng(3)
    first, second, clusters = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.integers(0, 12, 60)

    estimate, mirrored = of(first, second, clusters), of(second, first, clusters)

    assert (estimate.low, estimate.high) == pytest.approx((-mirrored.high, -mirrored.low))


def test_differences_in_one_direction_do_not_end_an_interval_at_zero():
    estimate = of(np.ones(60), np.arange(60) >= 1, np.r_[0, 0, np.arange(58)])

    assert estimate.low < -0.02


@pytest.mark.parametrize(("n", "reason"), [(0, "no pairs"), (3, "fewer than two clusters: nothing to compare")])
def test_fewer_than_two_clusters_have_no_interval(n, reason):
    estimate = of(np.ones(n), np.ones(n), np.zeros(n, dtype=int))

    assert np.isnan(estimate.low) and estimate.undefined_because == reason
