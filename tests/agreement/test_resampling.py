"""The bootstrap: the fast way through sums gives what the plain loop gives."""

import math
import sys

import numpy as np
import pytest

from agreement import (
    ClusterDraw,
    bootstrap,
    consensus,
    dawid_skene,
    development_and_test,
    fleiss_kappa,
    paired_difference,
    rank_sets,
    rater_group_difference,
)
from agreement.drawing import _drawn_from, drawn_kinds, drawn_times, product
from agreement.planned_seed import PlannedSeed
from agreement.resampling import bootstrap_of_sums, random_generator, ratio


def naive(statistic, values, clusters, resamples, seed):
    rng = np.random.default_rng(seed)
    names = np.unique(clusters)
    members = [np.flatnonzero(clusters == name) for name in names]
    result = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(names), len(names))
        result.append(statistic(values[np.concatenate([members[i] for i in drawn])]))
    return np.array(result)


@pytest.mark.parametrize("units", [40, 400])
def test_the_fast_and_the_plain_bootstrap_of_a_mean_agree(units):
    # 40 distinct units are drawn by multinomial counts, 400 one by one
    rng = np.random.default_rng(1)
    values = rng.gamma(2.0, size=3 * units)
    clusters = np.repeat(np.arange(units), 3)

    fast = bootstrap(np.mean, values, clusters=clusters, seed=3)

    plain = naive(np.mean, values, clusters, 4000, 5)
    assert fast.value == pytest.approx(values.mean(), abs=1e-12)
    assert fast.se == pytest.approx(plain.std(ddof=1), rel=0.05)
    assert (fast.low, fast.high) == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.2 * fast.se)
    assert fast.n_clusters == units


@pytest.mark.parametrize("counts", [None, np.array([2, 1] * 6_000)])
def test_one_draw_in_several_orders_makes_ordinary_resamples(counts):
    # 12,000 distinct units: above the number from which one draw is laid over them in several orders
    values = np.random.default_rng(3).gamma(2.0, size=12_000)
    rows = np.column_stack([values, np.ones(values.size)])
    whole = values if counts is None else np.repeat(values, counts)

    spread = bootstrap_of_sums(ratio, rows, counts=counts, resamples=4000, seed=4, clustered=False)

    # the bootstrap standard error of a mean, exactly, and normal limits, which it has at this size
    se = whole.std() / math.sqrt(whole.size)
    assert spread.se == pytest.approx(se, rel=0.05)
    assert (spread.low, spread.high) == pytest.approx(
        (whole.mean() - 1.96 * se, whole.mean() + 1.96 * se), abs=0.15 * se
    )


def test_resamples_from_one_draw_in_several_orders_are_uncorrelated():
    values = np.random.default_rng(3).gamma(2.0, size=10_000)
    rows = np.column_stack([values, np.ones(values.size)])
    draws = []

    bootstrap_of_sums(lambda totals: draws.append(ratio(totals)) or ratio(totals), rows, resamples=6400, seed=4)

    of_draw = (draws[0] - values.mean()).reshape(100, 64)  # 100 draws in 64 orders each
    # of uncorrelated resamples the mean of 64 varies by an eighth of what one of them does
    assert of_draw.mean(axis=1).std() == pytest.approx(of_draw.std() / 8, rel=0.3)


def test_the_interval_of_a_mean_of_zeros_and_ones_is_that_of_the_binomial():
    # the mean of 40 draws from 30 ones and 10 zeros is binomial(40, 3/4) / 40
    rows = np.array([[1.0, 1.0], [0.0, 1.0]])

    spread = bootstrap_of_sums(ratio, rows, counts=np.array([30, 10]), resamples=200_000, seed=4, clustered=False)

    # R 4.2.2:  qbinom(c(.025, .975), 40, .75) / 40  -> 0.6 0.875   (P(X <= 24) = .0265 > .025)
    assert (spread.low, spread.high) == (0.6, 0.875)
    assert spread.se == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=0.01)


def test_bca_is_that_of_scipy():
    from scipy import stats

    values = np.random.default_rng(8).gamma(1.5, size=60)

    ours = bootstrap(np.mean, values, seed=1, interval="bca", resamples=40_000)
    theirs = stats.bootstrap((values,), np.mean, method="BCa", n_resamples=40_000, rng=np.random.default_rng(2))

    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)


def test_any_statistic_bca_and_percentile_over_several_arrays():
    # Efron and Tibshirani (1993), table 3.1; their bootstrap standard error of the correlation is .132
    lsat = np.array([576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594])
    gpa = np.array([3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96])

    def correlation(x, y):
        return np.corrcoef(x, y)[0, 1]

    percentile = bootstrap(correlation, (lsat, gpa), seed=2, resamples=3000)
    bca = bootstrap(correlation, (lsat, gpa), seed=2, resamples=3000, interval="bca")

    assert percentile.value == pytest.approx(0.7764, abs=5e-5)
    assert percentile.se == pytest.approx(0.132, abs=0.01)
    # the percentile interval leans up, BCa corrects it downwards
    assert bca.low < percentile.low
    assert bca.high < percentile.high


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    values = np.random.default_rng(1).normal(size=50)

    assert bootstrap(np.mean, values, seed=7) == bootstrap(np.mean, values, seed=7)
    assert bootstrap(np.mean, values, seed=7).low != bootstrap(np.mean, values, seed=8).low
    # PCG64 seeded through SeedSequence: these numbers are the same on every machine
    assert random_generator(2026).integers(0, 1000, 4).tolist() == [851, 178, 26, 639]


def test_a_seed_is_demanded():
    with pytest.raises(ValueError, match="seed is None"):
        bootstrap(np.mean, [1.0, 2.0], seed=None)
    with pytest.raises(TypeError):
        bootstrap(np.mean, [1.0, 2.0])


def test_strata_keep_their_size_in_every_resample():
    # two strata without spread inside: the stratified mean never moves, the plain one does
    values = np.array([0.0] * 10 + [1.0] * 10)
    strata = ["low"] * 10 + ["high"] * 10

    plain = bootstrap(np.mean, values, seed=1)
    stratified = bootstrap(np.mean, values, strata=strata, seed=1)

    assert plain.low < 0.5 < plain.high
    assert stratified.undefined_because == "every resample gave the same value"
    assert "within strata" in stratified.method


def test_a_cluster_in_two_strata_is_refused():
    with pytest.raises(ValueError, match="one cluster lies in two strata"):
        bootstrap(np.mean, [1.0, 2.0], clusters=["s", "s"], strata=["x", "y"], seed=1)
    with pytest.raises(ValueError, match="one cluster lies in two strata"):
        paired_difference([1, 2], [1, 1], clusters=["s", "s"], strata=["x", "y"], seed=1)


def test_few_resamples_without_a_value_are_left_out_and_counted_many_leave_no_interval():
    # a ratio whose denominator is 0 in a resample without the one unit that has any: (1 - 1/m)^m, about .36
    many = bootstrap_of_sums(ratio, np.array([[1.0, 1.0]] + [[0.0, 0.0]] * 9), resamples=2000, seed=1)
    # with 4 such units of 10: (6/10)^10 = .006
    few = bootstrap_of_sums(ratio, np.array([[1.0, 1.0], [0.0, 1.0]] * 2 + [[0.0, 0.0]] * 6), resamples=2000, seed=1)

    assert math.isnan(many.low)
    assert "more than 5 %" in many.undefined_because
    assert few.low < few.high
    assert "resamples had no value and were left out" in few.method


def test_arrays_over_different_items_are_refused():
    with pytest.raises(ValueError, match=r"data has shapes \[\(2,\), \(3,\)\]"):
        bootstrap(lambda x, y: 0.0, ([1, 2], [1, 2, 3]), seed=1)
    with pytest.raises(ValueError, match="resamples is 0"):
        bootstrap(np.mean, [1.0, 2.0], seed=1, resamples=0)
    with pytest.raises(ValueError, match="interval is 'normal'"):
        bootstrap(np.mean, [1.0, 2.0], seed=1, interval="normal")


def test_no_items_have_no_statistic():
    estimate = bootstrap(np.mean, [], seed=1)

    assert math.isnan(estimate.value)
    assert estimate.undefined_because == "no items"


def test_paired_difference_pairs_and_leaves_out_what_is_not_paired():
    estimate = paired_difference([1, 1, 0, 1, None], [0, 1, 0, 0, 1], seed=1)

    assert estimate.value == pytest.approx(0.5)
    assert estimate.n == 4
    assert "1 without both left out" in estimate.method


def test_equal_differences_have_no_interval():
    estimate = paired_difference([2, 3, 4], [1, 2, 3], seed=1)

    assert estimate.value == 1.0
    assert estimate.undefined_because == "every resample gave the same value"


@pytest.mark.parametrize("seed", [None, "x", -1, 1.5])
def test_a_seed_that_is_none_is_refused_by_name(seed):
    with pytest.raises(ValueError, match="seed is"):
        bootstrap(np.mean, [1.0, 2.0], seed=seed)


@pytest.mark.parametrize("confidence", ["95 %", 0, 1, 95, math.nan])
def test_a_confidence_outside_0_and_1_is_refused_by_name(confidence):
    with pytest.raises(ValueError, match="confidence is"):
        bootstrap(np.mean, [1.0, 2.0], seed=1, confidence=confidence)


def test_a_statistic_that_is_no_function_is_refused_by_name():
    with pytest.raises(ValueError, match="statistic is 'mean'"):
        bootstrap("mean", [1.0, 2.0], seed=1)


@pytest.mark.parametrize("units", [3, 40, 20_000, 50_000])
@pytest.mark.parametrize("at_once", [1, 400_000])
def test_counting_in_blocks_gives_the_counts_of_each_resample(units, at_once):
    drawn = np.random.default_rng(6).integers(0, units, size=(8, units), dtype=np.uint32)
    kinds = np.arange(units) % 7 if units > 7 else None

    blocks = list(drawn_times(random_generator(6), units, 8, at_once, kinds))

    one_by_one = [np.bincount(picked if kinds is None else kinds[picked], minlength=7 if kinds is not None else units)
                  for picked in drawn]  # fmt: skip
    assert (np.concatenate(blocks) == np.array(one_by_one)).all()


@pytest.mark.parametrize("shape", [(10_000, 50, 3), (7, 20_000, 2), (300, 30, 200)])
def test_a_product_in_parts_is_the_product(shape):
    resamples, units, k = shape
    rng = np.random.default_rng(2)
    times, rows = rng.integers(0, 4, (resamples, units)).astype(float), rng.integers(0, 9, (units, k)).astype(float)
    totals = np.empty((resamples, k))

    product(times, rows, totals)

    assert (totals == times @ rows).all()


@pytest.mark.parametrize("strata", [None, [0, 1] * 15])
def test_any_statistic_sees_the_drawn_items_themselves(strata):
    values = np.random.default_rng(9).normal(size=30)

    estimate = bootstrap(np.median, values, strata=strata, resamples=200, seed=4)

    rng, groups = random_generator(4), [np.arange(30)] if strata is None else [np.arange(0, 30, 2), np.arange(1, 30, 2)]
    plain = [
        np.median(values[np.concatenate([group[rng.integers(0, group.size, group.size)] for group in groups])])
        for _ in range(200)
    ]
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=1e-12)


def test_a_sum_that_does_not_vary_is_the_same_in_every_resample():
    values = np.random.default_rng(3).gamma(2.0, size=12_000)
    totals_seen = []

    def ratio_of(totals):
        totals_seen.append(totals)
        return ratio(totals)

    bootstrap_of_sums(ratio_of, np.column_stack([values, np.full(12_000, 0.5)]), resamples=300, seed=1, clustered=False)

    assert (totals_seen[0][:, 1] == 6_000.0).all()
    assert totals_seen[0][:, 0].std() > 0


@pytest.mark.parametrize(
    "values", [[3.0, 1.0, 2.0], [5, 1, 1, 7], *(np.random.default_rng(5).normal(size=n).round(1) for n in (301, 5_000))]
)
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_medians_of_many_resamples_at_once_are_those_of_each(values, interval):
    keywords = {"resamples": 300, "seed": 6, "interval": interval}

    at_once = bootstrap(np.median, values, **keywords)

    assert at_once == bootstrap(lambda drawn: np.median(drawn), values, **keywords)


def test_a_median_is_not_computed_resample_by_resample():
    code, calls = np.median.__wrapped__.__code__, []
    sys.setprofile(lambda frame, event, _: calls.append(event) if event == "call" and frame.f_code is code else None)
    try:
        bootstrap(np.median, np.random.default_rng(5).normal(size=101), resamples=300, seed=6)
    finally:
        sys.setprofile(None)

    assert len(calls) == 1


def test_an_average_is_a_mean():
    values = np.random.default_rng(5).gamma(2.0, size=300)

    assert bootstrap(np.average, values, seed=6) == bootstrap(np.mean, values, seed=6)


def test_resamples_of_very_many_items_are_those_of_the_plain_loop():
    values = np.random.default_rng(9).normal(size=70_000)

    estimate = bootstrap(np.std, values, resamples=20, seed=4)

    rng = random_generator(4)
    plain = [np.std(values[rng.integers(0, values.size, values.size)]) for _ in range(20)]
    assert (estimate.low, estimate.high) == tuple(np.quantile(plain, [0.025, 0.975]))


@pytest.mark.parametrize(("counts", "resamples"), [([3, 4], 50), ([1] * 60, 10_000), ([300, 1, 699], 20), ([2], 5)])
@pytest.mark.parametrize("turn", ["first", "remembered"])
def test_multinomial_draws_are_those_of_the_generator_which_goes_on_after_them(counts, resamples, turn):
    ours, plain = random_generator([8, len(counts)]), random_generator([8, len(counts)])
    ours.integers(0, 9, 3, dtype=np.uint32)  # leaves half a number over
    plain.integers(0, 9, 3, dtype=np.uint32)
    if turn == "remembered":
        again = random_generator([8, len(counts)])
        again.integers(0, 9, 3, dtype=np.uint32)
        drawn_kinds(again, np.array(counts), resamples)

    drawn = drawn_kinds(ours, np.array(counts), resamples)

    assert (drawn == plain.multinomial(sum(counts), np.array(counts) / sum(counts), size=resamples)).all()
    assert ours.bit_generator.state == plain.bit_generator.state


def test_statistics_with_as_many_units_of_each_kind_share_a_draw_and_its_memory_is_bounded():
    before = _drawn_from.cache_info()
    first = bootstrap(np.mean, [0.0] * 7 + [1.0] * 5, seed=[3, 1, 4], resamples=1_000)
    second = bootstrap(np.mean, [2.0] * 7 + [4.0] * 5, seed=[3, 1, 4], resamples=1_000)
    after = _drawn_from.cache_info()

    assert after.hits == before.hits + 1
    assert (second.low, second.high) == pytest.approx((2 + 2 * first.low, 2 + 2 * first.high), abs=1e-12)
    assert after.currsize <= after.maxsize == 32


@pytest.mark.parametrize("scale", [1e200, 1e-3])
def test_a_standard_error_is_finite_where_the_squares_are_not(scale):
    values = np.array([1.0, 2.0, -3.0, 0.5, 4.0])

    plain = bootstrap(np.median, values, seed=1, resamples=200)
    scaled = bootstrap(np.median, scale * values, seed=1, resamples=200)

    assert scaled.se == pytest.approx(scale * plain.se, rel=1e-12)


@pytest.mark.parametrize("statistic", [np.mean, np.median, lambda drawn: drawn.max()])
def test_bca_of_numbers_whose_squares_are_not_finite_says_so(statistic):
    estimate = bootstrap(statistic, 1e200 * np.array([1.0, 2.0, -3.0, 0.5, 4.0]), seed=1, resamples=200, interval="bca")

    assert math.isnan(estimate.low)
    assert estimate.undefined_because == (
        "the squares of its values are beyond floating point numbers, so BCa has no acceleration"
    )


def test_limits_that_miss_their_own_value_stay_and_the_method_says_so():
    ratings = [[0, 2, 0], [2, 0, 2], [0, 1, 2], [1, 1, 2], [1, 2, 0], [1, 2, 0], [1, 1, 0], [1, 2, 2]]

    missed, held = (
        fleiss_kappa(
            ratings, clusters=[0, 0, 0, 1, 1, 1, 1, 2], interval="percentile", resamples=400, confidence=confidence
        )
        for confidence in (0.5, 0.95)
    )

    assert missed.high < missed.value and "; the value lies outside the limits because" in missed.method
    assert held.low <= held.value <= held.high and "outside" not in held.method


def test_a_limit_that_is_the_value_but_for_rounding_is_the_value():
    ratings = [[2, 0, 2, 3], [2, 2, 0, 1], [2, 1, 2, 2], [2, 1, 1, 2], [2, 1, 3, 0]]

    estimate = fleiss_kappa(ratings, clusters=[0, 0, 0, 1, 1], interval="percentile", resamples=400)

    assert estimate.low < estimate.value == estimate.high


@pytest.mark.parametrize(
    "seed",
    [PlannedSeed(7), ClusterDraw(["s1", "s2"], seed=7), np.random.SeedSequence(7)],
    ids=["plan", "draw", "numpy"],
)
@pytest.mark.parametrize(
    "method_by",
    [
        lambda seed: consensus([[0, 1], [1, 1]], ties="random", seed=seed).method,
        lambda seed: dawid_skene([[0, 1, 1]] * 3, seed=seed).method,
        lambda seed: development_and_test(range(60), ["a", "b"] * 30, seed=seed).method,
        lambda seed: rank_sets([[0, 1], [1, 1], [0, 2]], resamples=50, seed=seed).method,
        lambda seed: rater_group_difference([[0, 1]] * 3, [[0, 0]] * 3, "agreement", seed=seed).method,
    ],
    ids=["consensus", "latent classes", "split", "rank sets", "groups of raters"],
)
def test_the_method_names_the_number_of_a_seed_in_whatever_it_is_given(method_by, seed):
    assert method_by(seed) == method_by(7)


def test_the_method_tells_a_spawned_seed_from_the_one_that_it_was_spawned_from():
    seed = np.random.SeedSequence(7)
    methods = {consensus([[0, 1]], ties="random", seed=each).method for each in (seed, *seed.spawn(2))}

    assert len(methods) == 3
