"""Several readers: fixed and random inference, and what a bootstrap over raters may not be asked."""

import math
import re

import numpy as np
import pytest
from scipy import stats

from agreement import reader_averaged_difference, readers_against_judge, two_way_bootstrap


def simulated(rng, items, readers, gap):
    """Correctness of readers in two conditions whose items are hard for all, and who differ in their gap."""
    hardness = rng.normal(0, 1, items)
    skill = rng.normal(0.5, 0.3, readers)
    tables = []
    for shift in (gap, 0.0):
        own = rng.normal(0, 0.15, readers)
        latent = skill + own + shift - hardness[:, None] + rng.normal(0, 1, (items, readers))
        tables.append((latent > 0).astype(int))
    return tables


def test_random_readers_by_hand_from_mean_squares_and_jackknife_covariances():
    rng = np.random.default_rng(5)
    first, second = simulated(rng, 50, 4, 0.4)

    estimate = reader_averaged_difference(first, second)

    accuracy = np.array([first.mean(axis=0), second.mean(axis=0)])
    # covariance of two means of correctness over the same n items is their sample covariance / n
    covariance = np.cov(np.hstack([first, second]).T) / 50
    cov_2 = np.mean([covariance[c * 4 + j, c * 4 + k] for c in (0, 1) for j in range(4) for k in range(4) if j != k])
    cov_3 = np.mean([covariance[j, 4 + k] for j in range(4) for k in range(4) if j != k])
    gap = accuracy - accuracy.mean(axis=0) - accuracy.mean(axis=1, keepdims=True) + accuracy.mean()
    interaction = (gap**2).sum() / 3
    denominator = interaction + max(4 * (cov_2 - cov_3), 0)
    df = denominator**2 / (interaction**2 / 3)
    assert estimate.value == pytest.approx(accuracy[0].mean() - accuracy[1].mean())
    assert estimate.se == pytest.approx(math.sqrt(denominator / 2), abs=1e-12)
    assert f"t on {df:.1f} degrees of freedom" in estimate.method
    assert estimate.p == pytest.approx(2 * stats.t.sf(abs(estimate.value) / estimate.se, df))


def test_fixed_readers_by_hand():
    rng = np.random.default_rng(6)
    first, second = simulated(rng, 50, 3, 0.4)

    estimate = reader_averaged_difference(first, second, readers="fixed")

    # for fixed readers and nothing clipped this is the plain variance of the mean of item differences
    differences = first.mean(axis=1) - second.mean(axis=1)
    assert estimate.se == pytest.approx(math.sqrt(differences.var(ddof=1) / 50), rel=0.1)
    assert "these readers (fixed)" in estimate.method


def test_the_random_reader_test_holds_its_level():
    rng = np.random.default_rng(11)
    rejected = sum(reader_averaged_difference(*simulated(rng, 60, 4, 0.0)).p < 0.05 for _ in range(300))

    # nominal 5 %; 300 runs have a standard error of 1.3 points
    assert rejected / 300 < 0.09


def test_clusters_widen_the_difference():
    rng = np.random.default_rng(8)
    first, second = simulated(rng, 20, 3, 0.4)
    repeated = np.repeat(np.arange(20), 4)

    alone = reader_averaged_difference(np.repeat(first, 4, axis=0), np.repeat(second, 4, axis=0), readers="fixed")
    clustered = reader_averaged_difference(
        np.repeat(first, 4, axis=0), np.repeat(second, 4, axis=0), readers="fixed", clusters=repeated
    )
    once = reader_averaged_difference(first, second, readers="fixed")

    assert clustered.n_clusters == 20
    assert clustered.se == pytest.approx(once.se, rel=1e-9)
    assert clustered.se > 1.5 * alone.se


def test_equal_conditions_and_single_items_have_no_interval():
    equal = reader_averaged_difference([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    single = reader_averaged_difference([[1, 0], [None, 1]], [[0, 0], [0, 1]])

    assert equal.value == 0.0
    assert math.isnan(equal.low)
    assert "fewer than two items" in single.undefined_because


def test_readers_against_a_judge_by_hand():
    rng = np.random.default_rng(9)
    readers, _ = simulated(rng, 60, 5, 0.0)
    judge = (rng.random(60) < 0.8).astype(int)

    estimate = readers_against_judge(readers, judge)

    gaps = readers - judge[:, None]
    covariance = np.cov(gaps.T) / 60
    shared = covariance[~np.eye(5, dtype=bool)].mean()
    between = gaps.mean(axis=0).var(ddof=1)
    assert estimate.value == pytest.approx(gaps.mean())
    assert estimate.se == pytest.approx(math.sqrt((between + 5 * max(shared, 0)) / 5), abs=1e-12)
    assert "judge fixed" in estimate.method


def test_tables_of_different_shape_are_refused():
    with pytest.raises(ValueError, match=r"first has shape \(2, 2\) and second \(1, 2\)"):
        reader_averaged_difference([[1, 0], [0, 1]], [[1, 0]])
    with pytest.raises(ValueError, match=r"judge_scores has shape \(1,\); expected \(2,\)"):
        readers_against_judge([[1, 0], [0, 1]], [1])
    with pytest.raises(ValueError, match="readers is 'some'"):
        reader_averaged_difference([[1, 0]], [[1, 0]], readers="some")


def test_a_bootstrap_over_two_raters_is_refused():
    estimate = two_way_bootstrap(np.nanmean, [[1, 0], [1, 1], [0, 1]], seed=1)

    assert estimate.value == pytest.approx(4 / 6)
    assert estimate.undefined_because == "2 raters: a bootstrap over raters needs 3 or more"


def test_a_two_way_bootstrap_is_wider_than_one_over_items_alone():
    rng = np.random.default_rng(3)
    skill = np.array([0.3, 0.5, 0.7, 0.9])
    correct = (rng.random((100, 4)) < skill).astype(float)

    both = two_way_bootstrap(np.nanmean, correct, seed=2, resamples=800)
    clustered = two_way_bootstrap(np.nanmean, correct, clusters=np.repeat(np.arange(20), 5), seed=2, resamples=800)

    items_alone = correct.mean(axis=1).std(ddof=1) / 10
    assert both.se > 2 * items_alone
    assert both.se == pytest.approx(skill.std() / 2, rel=0.35)
    assert clustered.n_clusters == 20
    assert "raters sampled (random)" in both.method


def test_fixed_readers_against_a_judge_by_hand():
    rng = np.random.default_rng(9)
    readers, _ = simulated(rng, 60, 5, 0.0)
    judge = (rng.random(60) < 0.8).astype(int)

    estimate = readers_against_judge(readers, judge, readers="fixed")

    # with covariances above 0 that is the plain standard error of the mean gap of an item
    gaps = readers.mean(axis=1) - judge
    assert estimate.se == pytest.approx(gaps.std(ddof=1) / math.sqrt(60), rel=1e-9)
    assert "these readers (fixed)" in estimate.method


@pytest.mark.parametrize("outcome", [None, [1, 0] * 20])
def test_readers_may_come_in_any_order(outcome):
    rng = np.random.default_rng(2)
    first, second = simulated(rng, 40, 4, 0.3)

    usual = reader_averaged_difference(first, second, outcome=outcome)
    other = reader_averaged_difference(first[:, ::-1], second[:, ::-1], outcome=outcome)

    assert (other.value, other.se, other.p) == pytest.approx((usual.value, usual.se, usual.p), abs=1e-12)


def test_the_conditions_exchanged_change_the_sign_alone():
    rng = np.random.default_rng(2)
    first, second = simulated(rng, 40, 4, 0.3)

    usual = reader_averaged_difference(first, second)
    other = reader_averaged_difference(second, first)

    assert (other.value, other.low, other.high) == pytest.approx((-usual.value, -usual.high, -usual.low), abs=1e-12)


def test_cells_that_nobody_filled_raise_no_warning_in_a_two_way_bootstrap():
    sparse = [[None, None, 1]] * 4 + [[0, None, None]] * 2

    estimate = two_way_bootstrap(np.nanmean, sparse, seed=1, resamples=200)

    assert estimate.value == pytest.approx(4 / 6)
    assert "had no value" in estimate.undefined_because


def test_infinite_values_of_a_statistic_are_none():
    ratings = [[1, 0, 1]] * 5

    estimate = two_way_bootstrap(lambda table: float("inf") if table.mean() < 1 else 1.0, ratings, seed=1, resamples=50)

    assert estimate.undefined_because == "the statistic of these ratings has no value"


@pytest.mark.parametrize("factor", [2.0**600, 2.0**-600], ids=["huge", "tiny"])
def test_the_magnitude_of_readers_scores_does_not_matter(factor):
    rng = np.random.default_rng(3)
    first, second = rng.normal(3, 1, (20, 3)), rng.normal(3, 1, (20, 3))

    usual = reader_averaged_difference(first, second)
    other = reader_averaged_difference(first * factor, second * factor)

    assert (other.value / factor, other.se / factor, other.p) == pytest.approx((usual.value, usual.se, usual.p))


@pytest.mark.parametrize("outcome", [None, [0, 1] * 4])
def test_limits_of_shares_and_areas_beyond_1_are_clipped_and_said_so(outcome):
    first = [[1, 0], [1, 0], [1, 1], [1, 0], [0, 1], [1, 0], [1, 1], [1, 0]]
    second = [[0, 1], [0, 1], [1, 0], [0, 1], [1, 1], [0, 1], [0, 0], [1, 1]]

    estimate = reader_averaged_difference(first, second, outcome=outcome)

    df = float(re.search(r"t on ([\d.]+) degrees", estimate.method)[1])
    assert stats.t.ppf(0.975, df) * estimate.se > 1 + abs(estimate.value)
    assert (estimate.low, estimate.high) == (-1.0, 1.0)
    assert estimate.method.endswith("; lower limit clipped at -1; upper limit clipped at 1")


def test_limits_against_a_judge_are_clipped_too():
    readers, judge = [[1, 0], [1, 0], [1, 0], [1, 1], [1, 0], [1, 0]], [1, 1, 0, 1, 1, 1]

    estimate = readers_against_judge(readers, judge)

    assert estimate.low == -1.0
    assert "; lower limit clipped at -1" in estimate.method


def test_scores_of_any_range_have_limits_of_any_size():
    first, second = [[3, 9], [5, 2], [9, 4]], [[4, 1], [8, 0], [9, 8]]

    estimate = reader_averaged_difference(first, second)

    assert estimate.low < -1.0 < 1.0 < estimate.high
    assert "clipped" not in estimate.method
