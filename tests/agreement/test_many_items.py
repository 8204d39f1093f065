"""Statistics of very many items are bootstrapped without drawing each item, from the very same distribution."""

import math
import sys
from collections import Counter
from functools import cache, lru_cache, partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

from agreement import ClusterDraw, bootstrap
from agreement.functions_of_sums import ccc_of, limits_of, pearson_of
from agreement.many_items import _drawn_places, _of_order, _without_each, orders_for
from agreement.resampling import bootstrap_of_sums, random_generator, ratio
from agreement.vectorised import Quantile

N = 10_000

OF_ORDER = {
    "median": np.median,
    "quantile": partial(np.quantile, q=0.9),
    "percentile": partial(np.nanpercentile, q=12.5),
    "least quantile": partial(np.quantile, q=0),
    "least": np.min,
    "greatest": max,
    "range": np.ptp,
}
OF_SUMS = {
    "mean": np.mean,
    "nanmean": np.nanmean,
    "sum": np.sum,
    "variance": np.var,
    "standard deviation": partial(np.std, ddof=1),
    "tstd": stats.tstd,
}
VALUES = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.gamma(0.5, size=n),
    "far from 0": lambda rng, n: 1e9 + rng.normal(size=n),
    "tied": lambda rng, n: rng.normal(size=n).round(1),
    "whole numbers": lambda rng, n: rng.integers(-5, 90, n),
    "single precision": lambda rng, n: rng.gamma(2.0, size=n).astype(np.float32),
}
CASES = [
    (name, kind)
    # of one kind of values after the other: its resamples are laid out once
    for kind, name in product(VALUES, OF_ORDER | OF_SUMS)
    # scipy may stay in whole numbers, so each resample calls it
    if (name, kind) != ("tstd", "whole numbers")
]


@pytest.mark.parametrize("places", [(0,), (3,), (1, 2), (2, 2), (0, 3), (3, 3), (0, 1, 3)])
def test_places_are_drawn_as_often_as_among_all_resamples_of_four_values(places):
    of_all = Counter(tuple(sorted(drawn)[place] for place in places) for drawn in product(range(4), repeat=4))

    drawn = _drawn_places(random_generator(5), 4, np.array(places), 200_000)

    seen = Counter(map(tuple, drawn.T.tolist()))
    assert set(seen) <= set(of_all)
    for values, times in of_all.items():
        share = times / 4**4
        assert seen[values] / 200_000 == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / 200_000))


@cache
def plain_draws():
    """Return which items are in each of 600 resamples, the same for all statistics: a resample in a row, in order."""
    return np.sort(np.random.default_rng(8).integers(0, N, size=(600, N), dtype=np.int64), axis=1)


@lru_cache(maxsize=1)
def plain_resamples(kind):
    """Return the values of the items in each of those resamples, in order, as statistics that read places want them."""
    values = np.sort(VALUES[kind](np.random.default_rng(7), N))
    return (values.astype(np.float64) if values.dtype == np.float32 else values)[plain_draws()]


# The same statistics of a row by the plainest means: `max` goes through a row number by number, and `tstd` masks it.
OF_ROWS = OF_ORDER | OF_SUMS | {
    "greatest": np.max, "percentile": partial(np.percentile, q=12.5), "tstd": partial(np.std, ddof=1)
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_interval_is_that_of_the_plain_loop(name, kind):
    statistic, values = (OF_ORDER | OF_SUMS)[name], VALUES[kind](np.random.default_rng(7), N)

    estimate = bootstrap(statistic, values, resamples=4_000, seed=3)

    plain = OF_ROWS[name](plain_resamples(kind), axis=1).astype(np.float64)
    assert estimate.value == statistic(values)
    if estimate.undefined_because is None:
        # the standard error of 600 resamples has an error of 3 % (of the greatest of skewed values more)
        assert estimate.se == pytest.approx(plain.std(ddof=1), rel=0.2)
        rounding = 1e-6 * float(np.abs(plain).max())
        low, high = np.quantile(plain, [0.025, 0.975])
        # the loop's limits are between its order statistics; ties and extremes jump from value to value
        assert np.quantile(plain, 0.005) - rounding <= estimate.low <= np.quantile(plain, 0.06) + rounding, low
        assert np.quantile(plain, 0.94) - rounding <= estimate.high <= np.quantile(plain, 0.995) + rounding, high
    else:
        assert np.ptp(np.quantile(plain, [0.03, 0.97])) == 0.0


def test_the_limits_of_a_median_are_those_of_the_binomial():
    # the median of 10,001 is at most the j-th value when 5,001 or more of the drawn ones are among the first j
    n = 10_001
    of_rank = stats.binom.sf(n // 2, n, np.arange(1, n + 1) / n)

    estimate = bootstrap(np.median, np.arange(n), resamples=200_000, seed=3)

    exact = [int(np.searchsorted(of_rank, level)) for level in (0.025, 0.975)]
    # a step of one value is .0001 of the distribution there, the error of a level from 200,000 resamples .0003
    assert (estimate.low, estimate.high) == pytest.approx(exact, abs=6)
    mean = float(np.arange(n) @ np.diff(of_rank, prepend=0.0))
    spread = math.sqrt(float((np.arange(n) - mean) ** 2 @ np.diff(of_rank, prepend=0.0)))
    assert estimate.se == pytest.approx(spread, rel=0.008)


@pytest.mark.parametrize("n", [2, 3, 6, 7])
@pytest.mark.parametrize("name", [name for name in OF_ORDER if "quantile" not in name and name != "percentile"])
def test_without_each_value_is_the_statistic_of_the_others(name, n):
    ordered = np.sort(np.random.default_rng(n).normal(size=n))
    of_order = _of_order(OF_ORDER[name], Quantile(None) if name == "median" else None)

    left_out = _without_each(of_order, ordered)

    assert left_out.tolist() == [OF_ORDER[name](np.delete(ordered, place)) for place in range(n)]


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_without_each_value_a_quantile_is_that_of_the_others(q):
    ordered = np.sort(np.random.default_rng(4).normal(size=9))

    left_out = _without_each(_of_order(None, Quantile(q)), ordered)

    assert left_out.tolist() == [np.quantile(np.delete(ordered, place), q) for place in range(9)]


@pytest.mark.parametrize("name", ["median", "standard deviation"])
def test_bca_limits_are_those_of_the_plain_loop(name):
    # in order, a median is near where it is looked for, which the loop does 10,000 times
    statistic, values = (OF_ORDER | OF_SUMS)[name], np.sort(np.random.default_rng(2).gamma(0.3, size=N))

    ours = bootstrap(statistic, values, resamples=4_000, seed=3, interval="bca")

    plain = bootstrap(lambda drawn: statistic(drawn), values, resamples=600, seed=4, interval="bca")
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=0.4 * plain.se)
    assert ours.method.replace("4000", "600").replace("seed 3", "seed 4") == plain.method


@pytest.mark.parametrize("name", ["median", "standard deviation", "range"])
@pytest.mark.parametrize(("n", "resamples"), [(N - 1, 120), (N, 99)])
def test_fewer_items_or_resamples_are_drawn_item_by_item(name, n, resamples):
    statistic, values = (OF_ORDER | OF_SUMS)[name], np.random.default_rng(7).normal(size=n)

    estimate = bootstrap(statistic, values, resamples=resamples, seed=11)

    rng = random_generator(11)
    plain = [statistic(values[rng.integers(0, n, n)]) for _ in range(resamples)]
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), rel=1e-12)


@pytest.mark.parametrize("name", ["median", "standard deviation"])
def test_resamples_that_a_file_shares_stay_those_of_its_draw(name):
    statistic, values = (OF_ORDER | OF_SUMS)[name], np.random.default_rng(7).normal(size=N)
    draw = ClusterDraw(np.arange(N), resamples=120, seed=11)

    shared = bootstrap(statistic, values, **draw.by())

    of_each = [statistic(np.repeat(values, times.astype(int))) for block in draw.weights() for times in block]
    assert (shared.low, shared.high) == pytest.approx(tuple(np.quantile(of_each, [0.025, 0.975])), rel=1e-12)


def test_a_mean_of_clusters_draws_as_frozen_plans_do():
    values, resamples = np.random.default_rng(3).gamma(2.0, size=12_000), 300

    estimate = bootstrap(np.mean, values, clusters=np.arange(12_000), resamples=resamples, seed=4)

    rows = np.column_stack([values, np.ones(values.size)])
    frozen = bootstrap_of_sums(ratio, rows, resamples=resamples, seed=4)
    assert (estimate.low, estimate.high, estimate.se) == (frozen.low, frozen.high, frozen.se)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_strata_keep_their_size_among_many_items(interval):
    # between strata there is all the spread: the stratified deviation hardly moves, the plain one does
    values = np.random.default_rng(3).normal(size=2 * N) + np.repeat([0.0, 50.0], [N // 2, 3 * N // 2])
    keywords = {"resamples": 400, "seed": 1, "interval": interval}

    stratified = bootstrap(np.std, values, strata=values > 25.0, **keywords)
    plain = bootstrap(np.std, values, **keywords)

    assert "within strata" in stratified.method
    assert stratified.se < 0.2 * plain.se


@pytest.mark.parametrize("name", [*OF_ORDER, *OF_SUMS])
def test_many_equal_values_have_no_interval(name):
    estimate = bootstrap((OF_ORDER | OF_SUMS)[name], np.full(N, 0.1), resamples=200, seed=1)

    assert estimate.undefined_because == "every resample gave the same value"


@pytest.mark.parametrize("statistic", [np.median, np.std, np.max])
def test_many_items_with_a_missing_one_are_refused(statistic):
    values = np.arange(N, dtype=float)
    values[17] = math.nan

    with pytest.raises(ValueError, match="data"):
        bootstrap(statistic, values, seed=1)


@pytest.mark.parametrize("statistic", [np.median, np.var])
def test_no_resample_of_many_items_calls_the_function(statistic):
    code, calls = statistic.__wrapped__.__code__, []
    values = np.random.default_rng(5).normal(size=N)
    sys.setprofile(lambda frame, event, _: calls.append(event) if event == "call" and frame.f_code is code else None)
    try:
        bootstrap(statistic, values, resamples=300, seed=6, interval="bca")
    finally:
        sys.setprofile(None)

    assert len(calls) == 1


@pytest.mark.parametrize(("resamples", "orders"), [(1, 1), (20, 2), (200, 9), (1_000, 20), (10_000, 64), (10**6, 64)])
def test_few_resamples_are_laid_out_in_few_orders(resamples, orders):
    assert orders_for(resamples) == orders


@pytest.mark.parametrize(
    "statistic",
    [pearson_of, ccc_of, lambda x, y: limits_of(x - y, (1.96,))[0]],
    ids=["Pearson's r", "Lin's concordance", "limit of agreement"],
)
def test_sums_of_many_steps_are_whole_numbers_and_their_statistic_is_that_of_few(statistic):
    few = np.random.default_rng(3).integers(1, 6, (2, 1_000)).astype(float)

    of_few, of_many = statistic(*few), statistic(*np.tile(few, 100))

    assert (of_many.rows == np.rint(of_many.rows)).all()
    assert not (of_few.rows == np.rint(of_few.rows)).all()  # frozen limits stay the same to the last digit
    assert of_many.of_all() == pytest.approx(of_few.of_all(), rel=1e-3)
    assert statistic(*(np.tile(few, 100) + 0.5)).of_all() == pytest.approx(of_many.of_all(), rel=1e-12)
