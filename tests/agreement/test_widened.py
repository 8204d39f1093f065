"""Percentiles of few clusters are widened to the tails of t, unless a plan was frozen before."""

import numpy as np
import pytest

from agreement import (
    ClusterDraw,
    bland_altman,
    bootstrap,
    coefficient_difference,
    icc,
    lin_ccc,
    mean_over_pairs,
    paired_difference,
    pearson,
    place_agreement,
    set_agreement,
    spearman,
    weighted_mean,
)
from agreement.contrast import difference_of_parts
from agreement.planned_seed import PlannedSeed
from agreement.spread import widened, widened_p

EARLIER = PlannedSeed(3, 10, "plain")
STATISTICS = {
    "paired difference": lambda a, b, by: paired_difference(a, b, tests_zero=True, **by),
    "difference of parts": lambda a, b, by: difference_of_parts(a, b > np.median(b), tests_zero=True, **by),
    "weighted mean": lambda a, b, by: weighted_mean(a, np.full(a.size, 0.5), **by),
    "Pearson": lambda a, b, by: pearson(a, b, **by),
    "Spearman": lambda a, b, by: spearman(a, b, **by),
    "concordance": lambda a, b, by: lin_ccc(a, b, **by),
    "ICC": lambda a, b, by: icc(np.column_stack([a, b]), 3, **by),
    "bias": lambda a, b, by: bland_altman(a, b, **by).bias,
}


def numbers(clusters=20, sizes=(4,)):
    rng = np.random.default_rng(1)
    subjects = np.repeat(np.arange(clusters), np.resize(sizes, clusters))
    a, b = rng.normal(size=(2, subjects.size)) + rng.normal(size=clusters)[subjects]
    return a, b, subjects


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_percentiles_of_few_clusters_are_those_at_the_tails_of_t(name, shared):
    a, b, subjects = numbers()

    def tried(**options):
        by = {"clusters": subjects, "seed": 3, "resamples": 500}
        if shared:
            by = ClusterDraw(subjects, resamples=500, seed=3).by()
        return STATISTICS[name](a, b, by | options)

    estimate, wide = tried(), tried(interval="percentile", confidence=widened(0.95, 20))

    assert (estimate.low, estimate.high) == (wide.low, wide.high)
    assert "cluster bootstrap, percentiles widened by t" in estimate.method
    assert (estimate.p is None) == (wide.p is None)
    if estimate.p is not None:
        assert estimate.p == pytest.approx(widened_p(wide.p, 20), rel=1e-12)


@pytest.mark.parametrize("name", STATISTICS)
def test_clusters_of_unequal_sizes_are_widened_for_as_many_as_they_are_worth(name):
    a, b, subjects = numbers(sizes=(1, 1, 1, 20))
    size = np.bincount(subjects)
    by = {"clusters": subjects, "seed": 3, "resamples": 500}

    estimate = STATISTICS[name](a, b, by)
    wide = STATISTICS[name](
        a, b, by | {"interval": "percentile", "confidence": widened(0.95, size.sum() ** 2 / (size**2).sum())}
    )

    assert (estimate.low, estimate.high) == (wide.low, wide.high)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_a_plan_that_was_frozen_earlier_keeps_plain_percentiles(name, shared):
    a, b, subjects = numbers()
    by = {"clusters": subjects, "seed": EARLIER, "resamples": 200}
    if shared:
        by = ClusterDraw(subjects, resamples=200, seed=3, p_from=10, of_numbers="plain").by()

    estimate = STATISTICS[name](a, b, by)

    assert estimate == STATISTICS[name](a, b, by | {"interval": "percentile"})


OF_ANSWERS = {
    "distance": lambda a, b, by: (
        place_agreement([[(x, 0, 0), (y, 0, 0)] for x, y in zip(a, b, strict=True)], **by).distance
    ),
    "Jaccard's index": lambda a, b, by: (
        set_agreement([[sign(x), sign(y)] for x, y in zip(a, b, strict=True)], **by).jaccard
    ),
    "any measure": lambda a, b, by: mean_over_pairs(np.column_stack([a, b]), lambda x, y: abs(x - y), **by),
}


def sign(number):
    return {"large", "positive"} if number > 1 else {"positive"} if number > 0 else {"negative"}


@pytest.mark.parametrize("name", OF_ANSWERS)
def test_means_of_distances_and_overlaps_in_clusters_are_widened_unless_the_plan_was_frozen_earlier(name):
    a, b, subjects = numbers()

    def tried(seed=3, **options):
        return OF_ANSWERS[name](a, b, {"clusters": subjects, "seed": seed, "resamples": 300} | options)

    wide = tried(interval="percentile", confidence=widened(0.95, 20))

    assert (tried().low, tried().high) == (wide.low, wide.high)
    assert "percentiles widened by t" in tried().method
    assert tried(EARLIER) == tried(EARLIER, interval="percentile")


def test_any_statistic_is_widened_by_name():
    a, _, subjects = numbers()
    by = {"clusters": subjects, "seed": 3, "resamples": 300}

    plain, wide = (bootstrap(np.median, a, interval=kind, **by) for kind in (None, "widened"))

    assert "percentile," in plain.method
    assert wide.low < plain.low < plain.high < wide.high


def test_a_difference_of_coefficients_is_widened_for_what_unequal_clusters_are_worth():
    rng = np.random.default_rng(2)
    subjects = np.repeat(np.arange(20), np.resize([1, 1, 1, 40], 20))
    truth = rng.random(subjects.size) < 0.5
    a, b = (truth ^ (rng.random(subjects.size) < 0.15) for _ in range(2))

    today, earlier = (
        coefficient_difference(a, b, "kappa", reference=truth, clusters=subjects, seed=seed, resamples=300)
        for seed in (3, EARLIER)
    )

    assert "widened for 5.767 units" in today.method and "widened for 20 units" in earlier.method
    assert today.low < earlier.low < earlier.high < today.high


@pytest.mark.parametrize(("clusters", "warned"), [(24, True), (30, False)])
def test_limits_of_agreement_in_clusters_have_limits_from_those_of_bias_and_deviation(clusters, warned):
    a, b, subjects = numbers(clusters)

    result = bland_altman(a, b, clusters=subjects, seed=3, resamples=200)
    mirrored = bland_altman(b, a, clusters=subjects, seed=3, resamples=200)
    earlier = bland_altman(a, b, clusters=subjects, seed=EARLIER, resamples=200)

    # the standard deviation has more room upwards than downwards
    assert result.upper.high - result.upper.value > result.upper.value - result.upper.low
    assert (result.lower.low, result.lower.high) == pytest.approx((-mirrored.upper.high, -mirrored.upper.low))
    assert result.upper.method.startswith("jackknife of clusters")
    assert ("fewer than 30 clusters" in (result.upper.warning or "")) == warned
    assert earlier.upper.method.startswith("cluster bootstrap, percentile,")


@pytest.mark.parametrize(
    ("gaps", "clusters", "reason"),
    [
        ([0, 0, 0, 0, 0, 8], "aabbcc", "without one of the clusters, differences do not vary"),
        ([0, 1, 0, 9], "aabb", "too few clusters: the standard deviation has no upper limit"),
        ([0, 1, 0, 1], "aabb", "differences vary alike in all clusters"),
        ([0, 1, 0, 1], "aaaa", "fewer than two clusters"),
    ],
)
def test_limits_of_agreement_without_an_interval_say_why(gaps, clusters, reason):
    result = bland_altman(gaps, [0] * len(gaps), clusters=list(clusters), seed=1)

    assert result.upper.undefined_because == reason


def test_limits_of_agreement_in_a_tiny_unit_have_the_same_interval():
    a, b, subjects = numbers(30)

    usual, tiny = (bland_altman(k * a, k * b, clusters=subjects, resamples=20).upper for k in (1.0, 1e-13))

    assert (tiny.low, tiny.high) == pytest.approx((1e-13 * usual.low, 1e-13 * usual.high), rel=1e-6, abs=0.0)


def test_intervals_of_limits_of_agreement_hold_in_thirty_clusters_that_are_alike():
    rng = np.random.default_rng(5)
    subjects, hits = np.repeat(np.arange(30), 5), 0

    for _ in range(200):
        gaps = (rng.normal(size=30)[subjects] + rng.normal(size=150)) / np.sqrt(2)
        result = bland_altman(gaps, np.zeros(150), clusters=subjects, seed=1, resamples=20)
        hits += (result.upper.low <= 1.96 <= result.upper.high) + (result.lower.low <= -1.96 <= result.lower.high)

    # percentiles of a bootstrap held in 89 % of the same samples
    assert hits / 400 > 0.92


@pytest.mark.parametrize(("confidence", "said"), [(0.95, False), (0.99, True), (0.9999, True)])
def test_limits_that_a_level_beyond_all_resamples_cannot_move_are_said_to_be_the_farthest(confidence, said):
    a, b, subjects = numbers(clusters=5)

    estimate = paired_difference(a, b, clusters=subjects, resamples=2000, seed=1, confidence=confidence)
    farther = paired_difference(a, b, clusters=subjects, resamples=2000, seed=1, confidence=0.99999)

    assert ("the limits are the smallest and the largest resample" in estimate.method) == said
    if said:
        assert (estimate.low, estimate.high) == pytest.approx((farther.low, farther.high), rel=1e-2)
