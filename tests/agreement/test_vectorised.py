"""Statistics computed of many resamples at once are those of the plain loop on the same draws."""

import statistics
import sys
from functools import lru_cache, partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

from agreement import ClusterDraw, bootstrap
from agreement.resampling import random_generator
from agreement.vectorised import vectorised

KNOWN = {
    "sum": np.sum,
    "nansum": np.nansum,
    "nanmean": np.nanmean,
    "fmean": statistics.fmean,
    "tmean": stats.tmean,
    "var": np.var,
    "nanvar": partial(np.nanvar, ddof=1),
    "tvar": stats.tvar,
    "std": np.std,
    "std, ddof": partial(np.std, ddof=1.5),
    "nanstd": np.nanstd,
    "tstd": stats.tstd,
    "median": np.median,
    "nanmedian": np.nanmedian,
    "median of the standard library": statistics.median,
    "quantile": partial(np.quantile, q=0.9),
    "least": partial(np.quantile, q=0),
    "greatest": partial(np.nanquantile, q=1.0),
    "percentile": partial(np.percentile, q=12.5),
    "nanpercentile": partial(np.nanpercentile, q=50),
}
VALUES = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "far from 0": lambda rng, n: 1e9 + rng.normal(size=n),
    "an item far off": lambda rng, n: np.where(np.arange(n) == 3, 1e7, rng.normal(size=n)),
    "tied": lambda rng, n: rng.normal(size=n).round(1),
    "whole numbers": lambda rng, n: rng.integers(-5, 90, n),
    "single precision": lambda rng, n: rng.gamma(2.0, size=n).astype(np.float32),
    "yes and no": lambda rng, n: rng.random(n) < 0.6,
    "alike": lambda rng, n: np.full(n, 0.1),
}


@lru_cache(maxsize=8)
def plain_draws(clusters, strata, resamples, seed):
    """Items of each resample of items or whole clusters, stratum after stratum: the same for every statistic."""
    clusters, strata = np.array(clusters), np.array(strata)
    rng, names = random_generator(seed), np.unique(clusters)
    members = [np.flatnonzero(clusters == name) for name in names]
    of_name = np.array([strata[items[0]] for items in members])
    groups = [np.flatnonzero(of_name == stratum) for stratum in np.unique(of_name)]
    draws = []
    for _ in range(resamples):
        drawn = np.concatenate([group[rng.integers(0, group.size, group.size)] for group in groups])
        draws.append(np.concatenate([members[name] for name in drawn]))
    return draws


def plain_loop(statistic, values, clusters, strata, resamples, seed):
    """Values of the statistic over resamples of items or whole clusters."""
    for drawn in plain_draws(tuple(clusters.tolist()), tuple(strata.tolist()), resamples, seed):
        yield statistic(values[drawn])


def plain_loop_of_items(statistic, values, resamples, seed):
    rng = random_generator(seed)
    for _ in range(resamples):
        yield statistic(values[rng.integers(0, values.size, values.size)])


CASES = [
    (name, kind)
    for name, kind in product(KNOWN, VALUES)
    # numpy refuses to interpolate between truth values
    if kind != "yes and no" or name not in ("quantile", "least", "greatest", "percentile", "nanpercentile")
]


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.parametrize(("n", "per_cluster", "strata"), [(3, 1, 1), (60, 1, 2), (61, 1, 1), (60, 4, 2), (61, 5, 1)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a resample may have no more items than ddof
def test_many_resamples_at_once_are_those_of_the_plain_loop(name, kind, n, per_cluster, strata):
    values = VALUES[kind](np.random.default_rng(7), n)
    clusters = np.arange(n) // per_cluster
    stratum = clusters % strata
    given = {"clusters": clusters} if per_cluster > 1 else {}
    given |= {"strata": stratum} if strata > 1 else {}

    estimate = bootstrap(KNOWN[name], values, resamples=40, seed=11, **given)

    plain = np.array([*plain_loop(KNOWN[name], values, clusters, stratum, 40, 11)], dtype=np.float64)
    # at 1e9 the spread of values has seven digits less than they
    scale = float(np.abs(values).max()) * (n if "sum" in name else 1)
    assert estimate.value == KNOWN[name](values)
    if estimate.undefined_because is None:
        limits = np.quantile(plain[np.isfinite(plain)], [0.025, 0.975])
        assert (estimate.low, estimate.high) == pytest.approx(tuple(limits), rel=1e-12, abs=1e-14 * scale)
        assert estimate.se == pytest.approx(plain[np.isfinite(plain)].std(ddof=1), rel=1e-9, abs=1e-14 * scale)
    else:
        lost = (~np.isfinite(plain)).mean() > 0.05
        assert lost or np.ptp(np.quantile(plain, [0.025, 0.975])) <= 1e-14 * scale


@pytest.mark.parametrize("name", ["std", "quantile", "median"])
@pytest.mark.parametrize(("n", "resamples"), [(5_000, 60), (70_000, 8)])
def test_resamples_of_many_items_are_those_of_the_plain_loop_to_the_last_digit(name, n, resamples):
    values = np.random.default_rng(7).normal(size=n)

    estimate = bootstrap(KNOWN[name], values, resamples=resamples, seed=11)

    plain = [*plain_loop_of_items(KNOWN[name], values, resamples, 11)]
    assert (estimate.low, estimate.high) == tuple(np.quantile(plain, [0.025, 0.975]))


@pytest.mark.parametrize("name", ["std, ddof", "median", "quantile", "sum", "nanmean"])
@pytest.mark.parametrize("per_cluster", [1, 3])
def test_bca_leaves_out_the_same_units(name, per_cluster):
    values = np.random.default_rng(5).gamma(2.0, size=90)
    keywords = {"resamples": 300, "seed": 6, "interval": "bca"}
    keywords |= {"clusters": np.arange(90) // per_cluster} if per_cluster > 1 else {}

    at_once = bootstrap(KNOWN[name], values, **keywords)
    each = bootstrap(lambda drawn: KNOWN[name](drawn), values, **keywords)

    assert (at_once.low, at_once.high, at_once.se) == pytest.approx((each.low, each.high, each.se), rel=1e-12)
    assert at_once.method == each.method


def test_the_draw_of_a_file_is_that_of_the_loop():
    values, subjects = np.random.default_rng(5).gamma(2.0, size=90), np.arange(90) // 3
    draw = ClusterDraw(subjects, resamples=300, seed=6)

    at_once = bootstrap(np.std, values, **draw.by())
    each = bootstrap(lambda drawn: np.std(drawn), values, **draw.by())

    assert (at_once.low, at_once.high) == pytest.approx((each.low, each.high), rel=1e-12)
    assert at_once.method == each.method


def test_a_resample_far_from_the_middle_keeps_its_digits():
    # most clusters hold 0, few 1e8 and a little: of a resample of those alone, squares from 0 would leave nothing
    values = np.array([0.0] * 10 + [1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3])
    units = np.array([0] * 10 + [1, 1, 2, 2])

    deviation = vectorised(np.std, values, units, 3).of_drawn(np.array([[1, 1, 2], [1, 2, 2], [0, 1, 2]]))

    of_units = [np.array([1e8, 1e8 + 1] * 2 + [1e8 + 2, 1e8 + 3]), np.array([1e8, 1e8 + 1] + [1e8 + 2, 1e8 + 3] * 2)]
    assert deviation.tolist() == pytest.approx([*map(np.std, of_units), np.std(values)], rel=1e-12)


@pytest.mark.parametrize(
    "statistic",
    [
        lambda drawn: np.std(drawn),
        partial(np.std, axis=0),
        partial(np.std, keepdims=False),
        partial(np.quantile, q=0.5, method="lower"),
        partial(np.quantile, q=np.array(0.5)),
        partial(np.sum, initial=3.0),
        partial(stats.tstd, limits=(0, 1)),
        np.ptp,
        np.max,
    ],
)
def test_what_is_not_certain_to_be_the_same_is_left_to_the_loop(statistic):
    assert vectorised(statistic, np.array([0.25, 0.5, 1.0]), None, 3) is None


@pytest.mark.parametrize(
    ("values", "units"),
    [
        (np.array([2**60, 1, 1]), None),
        (np.array([1e300, 1.0, 2.0]), np.array([0, 0, 1])),
        (np.array([1e308, -1e308, 1e308]), None),
        (np.array([1.0, 2.0, 3.0], dtype=np.float32), np.array([0, 0, 1])),
        (np.ones((2, 2)), None),
    ],
)
def test_numbers_whose_sums_may_differ_are_left_to_the_loop(values, units):
    assert vectorised(np.std, values, units, 2 if units is not None else len(values)) is None


def test_no_resample_calls_the_function():
    code, calls = np.var.__wrapped__.__code__, []
    sys.setprofile(lambda frame, event, _: calls.append(event) if event == "call" and frame.f_code is code else None)
    try:
        bootstrap(np.var, np.random.default_rng(5).normal(size=101), resamples=300, seed=6, interval="bca")
    finally:
        sys.setprofile(None)

    assert len(calls) == 1
