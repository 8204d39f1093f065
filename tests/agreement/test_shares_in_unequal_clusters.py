"""How many units a share in clusters of unequal sizes is worth, and that its interval holds there."""

from __future__ import annotations

import numpy as np
import pytest

from agreement import accuracy_of_correctness, percent_agreement
from agreement.effective_size import effect_by_variance, observed_effect, share_size


def clustered(counts: list[int], sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Which units count, so many of the first of each cluster, and the cluster of each."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return np.concatenate([np.arange(size) < count for count, size in zip(counts, sizes, strict=True)]), groups


def by_counts(counts: np.ndarray, sizes: np.ndarray) -> float:
    """`share_size` from how many units of each cluster count, another way: sums over clusters alone."""
    n, m, events = sizes.sum(), len(sizes), min(counts.sum(), (sizes - counts).sum())
    rarer = counts if counts.sum() == events else sizes - counts
    share = events / n
    residuals = m / (m - 1) * ((rarer - sizes * share) ** 2).sum() / (n * share * (1 - share))
    chance = (sizes * (sizes - 1)).sum() / (n * (n - 1))
    # of e units in clusters at random, the mean of sum_c x_c^2 is e + e (e - 1) f
    over_chance = min(1, (events + events * (events - 1) * chance) / (rarer**2).sum())
    most = 1 + (n / m - 1) * (1 - over_chance**2 * events / (events + 1))
    between = ((rarer**2 / sizes).sum() - events**2 / n) / (m - 1)
    within = (events - (rarer**2 / sizes).sum()) / (n - m)
    usual = (n - (sizes**2).sum() / n) / (m - 1)
    alike = max(0, (between - within) / (between + (usual - 1) * within))
    of_all = 1 + ((sizes**2).sum() / n - 1) * alike
    # as many events as the root of e times the clusters that they are in, e^2 / sum_c x_c^2
    evidence = events**1.5 / (rarer**2).sum() ** 0.5
    return n / max((evidence * max(1, residuals) + 1.5 * most) / (evidence + 1.5), (events * of_all + 1) / (events + 1))


def test_large_clusters_that_happen_to_be_alike_count_by_how_alike_all_clusters_are():
    # Sizes 1, 1, 4, 4, 4, the small ones wrong: n = 14, 12 right, between = (12 - 144 / 14) / 4, within = 0, so r = 1;
    # sum n_c^2 / n = 25 / 7. With two events (2 * 25 / 7 + 1) / 3 = 19 / 7.
    counted, groups = clustered([0, 0, 4, 4, 4], [1, 1, 4, 4, 4])

    assert share_size(counted, groups) == pytest.approx(14 * 7 / 19, rel=1e-12)


def test_few_errors_that_lie_scattered_speak_against_clustering():
    # Clusters of five units. Two wrong in two clusters: residuals 4 / 3 * 1 / 1.8 < 1; two clusters where
    # 4 / (2 + 2 * 4 / 19) would be by chance, so scattered as can be: s = 1 + 4 (1 - 2 / 3) and
    # d = (2 + 1.5 * 7 / 3) / 3.5.
    scattered, groups = clustered([4, 4, 5, 5], [5, 5, 5, 5])
    # Two wrong in one: residuals 4 / 3 * 3 / 1.8 = 20 / 9; one cluster where 4 / (2 + 8 / 19) = 38 / 23 would be:
    # s = 1 + 4 (1 - (23 / 38)^2 * 2 / 3), drawn with the root of 2.
    together, _ = clustered([3, 5, 5, 5], [5, 5, 5, 5])

    assert share_size(scattered, groups) == pytest.approx(20 * 7 / 11, rel=1e-12)
    most = 1 + 4 * (1 - (23 / 38) ** 2 * 2 / 3)
    assert share_size(together, groups) == pytest.approx(
        20 * (2**0.5 + 1.5) / (2**0.5 * 20 / 9 + 1.5 * most), rel=1e-12
    )


def test_what_is_not_alike_within_clusters_is_drawn_by_how_scattered_it_is():
    # Sizes 2, 2, 4, one of two right throughout: residuals 0, at least 1; four events in (1 + 1 + 2)^2 / 6 = 8 / 3
    # clusters, more than 16 / (4 + 12 * 16 / 56) = 28 / 13 by chance: s = 1 + 5 / 3 * (1 - 4 / 5) = 4 / 3, drawn with
    # the root of 4 * 8 / 3.
    counted, groups = clustered([1, 1, 2], [2, 2, 4])
    evidence = (4 * 8 / 3) ** 0.5

    assert share_size(counted, groups) == pytest.approx(8 * (evidence + 1.5) / (evidence + 1.5 * 4 / 3), rel=1e-12)


def test_the_intraclass_correlation_is_that_of_the_families_with_copd():
    # Liang, Zeger and Qaqish (1992), impaired lung function among siblings, as R's ratesci lists and analyses it (its
    # `clusterpci`): r = .1855. 203 siblings, 60 impaired, sum n_c^2 = 585.
    families = [(1, 0, 36), (1, 1, 12), (2, 0, 15), (2, 1, 7), (2, 2, 1), (3, 0, 5), (3, 1, 7), (3, 2, 3), (3, 3, 2)]
    families += [(4, 0, 3), (4, 1, 3), (4, 2, 1), (6, 0, 1), (6, 2, 1), (6, 3, 1), (6, 4, 1), (6, 6, 1)]
    listed = [(size, count) for size, count, times in families for _ in range(times)]
    counted, groups = clustered([count for _, count in listed], [size for size, _ in listed])

    assert (counted.size, counted.sum(), (np.bincount(groups) ** 2).sum()) == (203, 60, 585)
    assert (effect_by_variance(counted, groups) - 1) / (585 / 203 - 1) == pytest.approx(0.1855, abs=5e-5)


@pytest.mark.parametrize("alike", [0.0, 1 / 3, 1.0])
@pytest.mark.parametrize("largest", [2, 5, 30])
def test_it_is_what_sums_over_clusters_give_and_at_most_n(largest, alike):
    rng = np.random.default_rng(largest)
    for clusters in (2, 7, 30):
        sizes = rng.integers(1, largest, clusters, endpoint=True) + 1
        own, shared = rng.random(sizes.sum()) < 0.8, np.repeat(rng.random(clusters) < 0.8, sizes)
        groups = np.repeat(np.arange(clusters), sizes)
        counted = np.where(rng.random(sizes.sum()) < alike, shared, own)
        if 0 < counted.sum() < counted.size:
            counts = np.bincount(groups, weights=counted)
            assert share_size(counted, groups) == pytest.approx(by_counts(counts, sizes), rel=1e-12)
            assert share_size(counted, groups) <= groups.size


@pytest.mark.parametrize("size", [2, 5, 10])
def test_in_clusters_of_one_size_the_analysis_of_variance_never_has_the_greater_effect(size):
    rng = np.random.default_rng(size)
    groups = np.repeat(np.arange(7), size)
    for _ in range(50):
        counted = rng.random(groups.size) < rng.beta(1, 0.5, 7)[groups]
        if 0 < counted.sum() < counted.size:
            residuals = observed_effect(counted - counted.mean(), groups)
            assert effect_by_variance(counted, groups) <= max(1, residuals) * (1 + 1e-12)


@pytest.mark.parametrize("right", [True, False])
def test_where_all_are_alike_the_clusters_are_the_number(right):
    groups = np.repeat(np.arange(8), [1, 1, 1, 40] * 2)

    assert share_size(np.full(groups.size, right), groups) == 8.0


def test_right_and_wrong_have_the_same_number():
    counted, groups = clustered([0, 1, 5, 18], [1, 2, 6, 20])

    assert share_size(counted, groups) == pytest.approx(share_size(~counted, groups), rel=1e-12)


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
