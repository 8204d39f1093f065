"""How many units a share in clusters of unequal sizes is worth, and that its interval holds there."""

from __future__ import annotations

import numpy as np
import pytest

from agreement import accuracy_of_correctness, percent_agreement
from agreement.effective_size import effect_by_variance, effective_size, share_size


def clustered(counts: list[int], sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Which units count, so many of the first of each cluster, and the cluster of each."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return np.concatenate([np.arange(size) < count for count, size in zip(counts, sizes, strict=True)]), groups


def of_residuals(counted: np.ndarray, groups: np.ndarray) -> float:
    """The number of units by the squared sums of clusters alone."""
    return effective_size(counted - counted.mean(), groups, events=min(counted.sum(), (~counted).sum()))


def test_large_clusters_that_happen_to_be_alike_count_by_how_alike_all_clusters_are():
    # Sizes 1, 1, 4, 4, 4, the small ones wrong: n = 14, 12 right, between = (12 - 144 / 14) / 4, within = 0, so r = 1;
    # sum n_c^2 / n = 25 / 7. With two events (2 * 25 / 7 + 1) / 3 = 19 / 7.
    counted, groups = clustered([0, 0, 4, 4, 4], [1, 1, 4, 4, 4])

    assert share_size(counted, groups) == pytest.approx(14 * 7 / 19, rel=1e-12)
    # By the clusters' residuals: 5 / 4 * 2.449 / 1.714 = 25 / 14, drawn (2 * 25 / 14 + 14 / 10) / 2.5 = 1.989.
    assert of_residuals(counted, groups) == pytest.approx(14 * 2.5 / (25 / 7 + 1.4), rel=1e-12)


def test_what_is_not_alike_within_clusters_counts_by_the_residuals():
    # Sizes 2, 2, 4, one of two right throughout: between = 0 < within, r = 0, and both design effects are drawn to
    # (4 * 1 + 8 / 6) / 4.5 and to 1.
    counted, groups = clustered([1, 1, 2], [2, 2, 4])

    assert share_size(counted, groups) == of_residuals(counted, groups) == pytest.approx(8 * 4.5 / (4 + 8 / 6))


def test_the_intraclass_correlation_is_that_of_the_families_with_copd():
    # Liang, Zeger and Qaqish (1992), impaired lung function among siblings, as R's ratesci lists and analyses it (its
    # `clusterpci`): r = .1855. 203 siblings, 60 impaired, sum n_c^2 = 585.
    families = [(1, 0, 36), (1, 1, 12), (2, 0, 15), (2, 1, 7), (2, 2, 1), (3, 0, 5), (3, 1, 7), (3, 2, 3), (3, 3, 2)]
    families += [(4, 0, 3), (4, 1, 3), (4, 2, 1), (6, 0, 1), (6, 2, 1), (6, 3, 1), (6, 4, 1), (6, 6, 1)]
    listed = [(size, count) for size, count, times in families for _ in range(times)]
    counted, groups = clustered([count for _, count in listed], [size for size, _ in listed])

    assert (counted.size, counted.sum(), (np.bincount(groups) ** 2).sum()) == (203, 60, 585)
    assert (effect_by_variance(counted, groups) - 1) / (585 / 203 - 1) == pytest.approx(0.1855, abs=5e-5)


@pytest.mark.parametrize("size", [2, 5, 10])
@pytest.mark.parametrize("alike", [0.0, 1 / 3, 1.0])
def test_in_clusters_of_one_size_nothing_is_added(size, alike):
    rng = np.random.default_rng(size)
    for clusters in (2, 7, 30):
        own, shared = rng.random((2, clusters, size)) < 0.8
        counted = np.where(rng.random((clusters, 1)) < alike, shared[:, :1], own).ravel()
        groups = np.repeat(np.arange(clusters), size)
        assert share_size(counted, groups) == of_residuals(counted, groups)


def test_it_is_never_more_than_the_residuals_say_and_at_most_n():
    rng = np.random.default_rng(1)
    for _ in range(200):
        groups = np.repeat(np.arange(9), rng.integers(1, 30, 9))
        counted = rng.random(groups.size) < rng.beta(2, 0.5, 9)[groups]
        assert 0 < share_size(counted, groups) <= min(of_residuals(counted, groups), groups.size)


@pytest.mark.parametrize("right", [True, False])
def test_where_all_are_alike_the_clusters_are_the_number(right):
    groups = np.repeat(np.arange(8), [1, 1, 1, 40] * 2)

    assert share_size(np.full(groups.size, right), groups) == 8.0


def test_right_and_wrong_have_the_same_number():
    counted, groups = clustered([0, 1, 5, 18], [1, 2, 6, 20])

    assert share_size(counted, groups) == pytest.approx(share_size(~counted, groups), rel=1e-12)


def test_units_that_are_each_alone_are_their_own_number():
    counted = np.arange(10) < 4

    assert share_size(counted, np.arange(10)) == of_residuals(counted, np.arange(10))


def test_percent_agreement_and_accuracy_have_the_same_interval_and_name_the_number():
    counted, groups = clustered([0, 0, 4, 4, 4], [1, 1, 4, 4, 4])
    agreed = percent_agreement(counted, np.ones(14, dtype=bool), clusters=groups)
    accuracy = accuracy_of_correctness(counted, clusters=groups).primary

    assert (agreed.low, agreed.high) == (accuracy.low, accuracy.high)
    assert "(5.2 of 14), t with 4 degrees of freedom" in agreed.method


@pytest.mark.parametrize("sizes", [(2, 7, 21), (1, 1, 1, 40)])
def test_it_holds_where_the_items_of_unequal_clusters_are_alike(sizes):
    # 30 clusters, .9 right, an intraclass correlation of 2/3: by the residuals alone 87 % and 67 % of samples hold.
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(30), np.resize(sizes, 30))
    held = 0
    for _ in range(400):
        right = rng.random(groups.size) < rng.beta(0.45, 0.05, 30)[groups]
        estimate = accuracy_of_correctness(right, clusters=groups).primary
        held += estimate.low <= 0.9 <= estimate.high
    assert held >= 0.9 * 400
