"""Bootstrap intervals: percentile and BCa, over items or clusters, within strata.

A statistic that is a function of sums (a mean, a ratio, a kappa) is bootstrapped by `bootstrap_of_sums`. Units with
equal sums are interchangeable for it, so a resample is one multinomial draw over the distinct units: this is exactly
the ordinary bootstrap, not an approximation. If the sums take few distinct values, as with categories, it costs
milliseconds at any n. With continuous values every unit is distinct and the cost grows with n; from `MANY_DISTINCT`
units on, one draw makes several resamples. Any other statistic goes through `bootstrap`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from agreement.arguments import check_resamples
from agreement.cluster_codes import ClusterCodes, ClusterSums
from agreement.codebook import distinct_numbers
from agreement.coding import Codes, Floats
from agreement.drawing import CHUNK, drawn_kinds, drawn_times, generator_of, in_one_thread, product
from agreement.estimate import check_confidence
from agreement.interval_kinds import Interval
from agreement.methods import bootstrap_of
from agreement.planned_kind import of_plan
from agreement.planned_seed import PlannedSeed
from agreement.shared_draw import ClusterDraw
from agreement.spread import UNDEFINED_SHARE, Spread, bca_limits, percentile_limits, widened_limits
from agreement.totals_of_draws import totals_in_orders, totals_of_one
from agreement.words import Words

Seed = int | Sequence[int] | np.random.SeedSequence | PlannedSeed | ClusterDraw

MANY_DISTINCT = 10_000
"""With at least this many units, all with different sums, one draw makes several resamples."""

MOST_ORDERS = 64
"""The most resamples that one draw makes."""

_SAID = {"percentile": "percentile", "widened": "percentiles widened by t", "bca": "BCa"}
_FIRST = 100  # rows that are checked first, to see whether it is worth checking that all differ
_MANY_ADDED = 100_000  # from this many contributions on, rows are summed in one pass, and columns keep their order

ONE_DRAW = ", one draw of clusters for all estimates"
"""Added to the method if all statistics of a file share their resamples."""

OWN_DRAW = ", own draw of these clusters"
"""Added to the method if they do not, although the file has a draw."""


def random_generator(seed: Seed) -> np.random.Generator:
    """A PCG64 generator: the same seed gives the same numbers on every machine.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, PlannedSeed or ClusterDraw
        The seed, or a plan or draw with a seed; None is refused, because such an interval could not be reproduced.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        When the seed is None or negative.

    Examples
    --------
    >>> int(random_generator(7).integers(1000))
    944
    """
    return generator_of(plain_seed(seed))


def plain_seed(seed: Seed) -> int | Sequence[int] | np.random.SeedSequence:
    """The numbers of a seed, without what a plan or a draw fixes beside them.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, PlannedSeed or ClusterDraw

    Returns
    -------
    int, sequence of int or SeedSequence

    Examples
    --------
    >>> plain_seed(PlannedSeed(7, p_from=2))
    7
    """
    return seed.seed if isinstance(seed, PlannedSeed | ClusterDraw) else seed


def shown_seed(seed: Seed) -> str:
    """Return what `method` says of a seed: its numbers, and of a spawned one also its place among the spawned.

    Parameters
    ----------
    seed
        As in `plain_seed`.

    Returns
    -------
    str

    Examples
    --------
    >>> shown_seed(PlannedSeed(7, p_from=2))
    '7'
    """
    plain = plain_seed(seed)
    if not isinstance(plain, np.random.SeedSequence):
        return str(plain)
    return f"{plain.entropy}, spawned as {plain.spawn_key}" if plain.spawn_key else str(plain.entropy)


def sums_by_cluster(contributions: npt.ArrayLike, clusters: Codes | None) -> Floats:
    """Sum the contributions of items within clusters.

    Parameters
    ----------
    contributions : array_like, shape (items, k)
        The contribution of each item to the k sums.
    clusters : ndarray of int, shape (items,), or None
        Codes 0 .. count-1 without gaps; with None the items are returned unchanged.

    Returns
    -------
    ndarray, shape (clusters, k)
        The sums keep track of the file's clusters, if `clusters` does, and of the clusters' effective number.

    Examples
    --------
    >>> sums_by_cluster([[1, 1], [0, 1], [1, 1]], np.array([0, 0, 1])).tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    rows = np.asarray(contributions, dtype=np.float64)
    if clusters is None:
        return rows
    plain = np.asarray(clusters)
    shape = (int(plain.max(initial=-1)) + 1, len(rows))
    many, lie_apart = rows.size >= _MANY_ADDED, not rows.flags.f_contiguous
    if many and lie_apart:  # adds in the same order as below, so that the sums are the same to the last bit
        members = sparse.csc_array((np.ones(len(rows)), plain, np.arange(len(rows) + 1)), shape=shape)
        return ClusterSums.of(np.asarray(members @ rows), clusters)
    sums = np.empty((shape[0], rows.shape[1]), order="F" if many else "C")
    for place, column in enumerate(rows.T):
        sums[:, place] = np.bincount(plain, weights=column)
    return ClusterSums.of(sums, clusters)


def bootstrap_of_sums(
    statistic: Callable[[Floats], npt.ArrayLike],
    rows: Floats,
    *,
    counts: npt.NDArray[np.int64] | None = None,
    strata: Codes | None = None,
    resamples: int,
    seed: Seed,
    interval: Interval = "percentile",
    confidence: float = 0.95,
    clustered: bool = True,
    orders: int = MOST_ORDERS,
) -> Spread:
    """Bootstrap a statistic that is a function of sums over independent units.

    Parameters
    ----------
    statistic : callable
        Takes totals, shape (..., k), and returns values, shape (...); nan if undefined.
    rows : ndarray, shape (units, k)
        The contribution of each unit (a cluster or an item) to the totals.
    counts : ndarray of int, shape (units,), optional
        Number of units with this row; 1 each by default.
    strata : ndarray of int, shape (units,), optional
        Stratum of each unit; every resample then has the same number of units in each stratum.
    resamples : int
        Number of resamples.
    seed : int, sequence of int, SeedSequence, PlannedSeed or ClusterDraw
        Seed of the random numbers, or a draw of a file's clusters whose resamples are then used for `rows`. Among
        these, resamples without any of the units have no value; if there are more than 5 % of them, or if strata are
        given, the units are resampled separately, as the method then says. The draw's own strata apply in both cases.
    interval : {"percentile", "widened", "bca"}
        Percentiles of the resampled values, with linear interpolation; these at the tails of t for the units' effective
        number (`agreement.spread.widened`), unless the plan of the seed was fixed before; or bias-corrected and
        accelerated, with the acceleration from leaving out one unit at a time [1]_.
    confidence : float
        Nominal coverage.
    clustered : bool
        Whether the units are clusters; only affects the wording.
    orders : int
        How many resamples one draw makes with at least `MANY_DISTINCT` different units; a lower number saves time if
        there are few resamples. Frozen plans were computed with the default.

    Returns
    -------
    Spread
        Undefined for fewer than two units, if more than 5 % of the resamples have no value, or if the interval would
        have zero width.

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    >>> correct = np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> spread = bootstrap_of_sums(ratio, correct, counts=np.array([30, 10]), resamples=2000, seed=1)
    >>> spread.low, spread.high
    (0.625, 0.875)
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    interval = of_plan(interval, seed)
    weights = np.ones(len(rows), dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    of_draw = strata_of_draw(rows, seed) if strata is None else None
    text = describe(interval, resamples, seed, clustered, strata is not None or of_draw is not None)
    worth = rows.worth if isinstance(rows, ClusterSums) and hasattr(rows, "worth") else None
    if weights.sum() < 2:
        what = "cluster" if clustered else "item"
        return Spread(math.nan, math.nan, None, text, f"fewer than two {what}s: nothing to resample")
    shared = _shared_totals(rows, strata, resamples, seed)
    if shared is None or interval == "bca":
        rows = np.ascontiguousarray(rows)  # a product adds in another order when columns lie one after the other
    if isinstance(seed, ClusterDraw) and clustered:
        text += ONE_DRAW if shared is not None else OWN_DRAW
    if shared is not None:
        totals, parts = shared, [(rows, weights)]
    else:
        strata = of_draw if strata is None else strata
        totals, parts = _own_totals(rows, weights, strata, resamples, random_generator(seed), orders)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(totals), dtype=np.float64)
        if interval == "percentile":
            return replace(percentile_limits(values, confidence, text), worth=worth)
        if interval == "widened":
            units = float(weights.sum()) if worth is None else worth
            return replace(widened_limits(values, confidence, text, units), worth=worth)
        whole = weights @ rows
        value = float(np.asarray(statistic(whole)))
        left_out = np.concatenate([np.asarray(statistic(whole - part_rows)) for part_rows, _ in parts])
    times = np.concatenate([part for _, part in parts])
    return replace(bca_limits(values, value, left_out, times, confidence, text), worth=worth)


def ratio(totals: Floats) -> Floats:
    """The first sum divided by the second: a mean, a proportion, an accuracy.

    Parameters
    ----------
    totals : ndarray, shape (..., 2)
        Numerator and denominator.

    Returns
    -------
    ndarray, shape (...)
        nan if the denominator is 0.

    Examples
    --------
    >>> ratio(np.array([[1.0, 4.0], [3.0, 4.0]])).tolist()
    [0.25, 0.75]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals[..., 1] > 0, totals[..., 0] / totals[..., 1], np.nan)


def strata_of_draw(units: npt.NDArray[np.generic], seed: Seed) -> Codes | None:
    """Stratum of each unit in a file's draw.

    Parameters
    ----------
    units : ClusterSums or ClusterCodes
        An object that keeps track of its clusters in the file; for any other the result is None.
    seed
        As in `bootstrap_of_sums`.

    Returns
    -------
    ndarray of int, shape (clusters,), or None
        None if the draw has no strata.
    """
    if not isinstance(seed, ClusterDraw) or seed.strata is None or not isinstance(units, ClusterSums | ClusterCodes):
        return None
    return np.asarray(seed.strata[units.of_file]) if units.in_file == seed.units else None


def _shared_totals(rows: Floats, strata: Codes | None, resamples: int, seed: Seed) -> Floats | None:
    """Totals of the resamples shared by a file's statistics, nan without any unit; None if these cannot be used."""
    if not (isinstance(seed, ClusterDraw) and isinstance(rows, ClusterSums) and strata is None):
        return None
    if resamples != seed.resamples or rows.in_file != seed.units:
        return None
    if len(rows) == seed.units:
        return seed.totals(np.asarray(rows), rows.grid)
    present = np.zeros((seed.units, 1))
    present[rows.of_file] = 1.0
    totals = seed.totals(np.hstack([rows.of_whole_file(), present]), rows.grid)
    empty = totals[:, -1] == 0.0
    if empty.sum() > UNDEFINED_SHARE * resamples:
        return None
    totals[empty] = np.nan
    return totals[:, :-1]


def _own_totals(
    rows: Floats,
    counts: npt.NDArray[np.int64],
    strata: Codes | None,
    resamples: int,
    generator: np.random.Generator,
    orders: int,
) -> tuple[Floats, list[tuple[Floats, npt.NDArray[np.int64]]]]:
    """Totals of resamples of these units alone, and each stratum's distinct units with their numbers."""
    groups = [np.arange(len(rows))] if strata is None else [np.flatnonzero(strata == s) for s in np.unique(strata)]
    parts = [_distinct(rows[group], counts[group]) for group in groups]
    totals = np.zeros((resamples, rows.shape[1]))
    for part_rows, part_counts in parts:
        totals += _resampled_totals(part_rows, part_counts, resamples, generator, orders)
    return totals, parts


def _distinct(rows: Floats, counts: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The distinct rows and the number of units with each; in lexical order, so that a seed is reproducible."""
    if len(rows) >= MANY_DISTINCT and np.unique(rows[:_FIRST, 0]).size == _FIRST:
        order = np.argsort(rows[:, 0], kind="stable")
        ordered, times = rows[order], counts[order]
        if (ordered[1:, 0] > ordered[:-1, 0]).all() and (times > 0).all():  # no other column is needed then
            return ordered, times
    which = np.zeros(len(rows), dtype=np.intp)
    for column in rows.T:  # sorting integers column by column is faster than sorting rows
        values, among = distinct_numbers(column)
        if len(values) > 1:  # one value throughout, such as 1 for each item, tells no rows apart
            which = distinct_numbers(which * len(values) + among)[1] if which.any() else among
    merged = np.bincount(which, weights=counts).astype(np.int64)
    first = np.empty(merged.size, dtype=np.intp)
    first[which] = np.arange(len(rows))
    used = merged > 0
    return rows[first][used], merged[used]


def _resampled_totals(
    rows: Floats, counts: npt.NDArray[np.int64], resamples: int, generator: np.random.Generator, orders: int
) -> Floats:
    """Totals of resamples of ``counts.sum()`` units; shape (resamples, k)."""
    units = int(counts.sum())
    # a binomial draw for each distinct row costs about as much as drawing sixteen units one by one
    if len(rows) * 16 <= units or len(rows) <= 50:
        return np.asarray(drawn_kinds(generator, counts, resamples) @ rows)
    expanded = np.repeat(np.arange(len(rows)), counts) if units > len(rows) else None
    if len(rows) >= MANY_DISTINCT:
        return totals_in_orders(rows if expanded is None else rows[expanded], resamples, generator, orders)
    if expanded is None and (rows[:, 1:] == rows[0, 1:]).all():
        return totals_of_one(rows, resamples, generator)
    totals = np.empty((resamples, rows.shape[1]))
    start = 0
    with in_one_thread():
        for times in drawn_times(generator, units, resamples, CHUNK, expanded):
            product(times, rows, totals[start : start + len(times)])
            start += len(times)
    return totals


def describe(
    interval: str, resamples: int, seed: Seed, clustered: bool, stratified: bool, *, over_raters: bool = False
) -> Words:
    """How the resamples were made, for `Estimate.method`.

    Parameters
    ----------
    interval, resamples, seed
        As in `bootstrap_of_sums`.
    clustered, stratified, over_raters : bool
        Whether there were clusters or strata, and whether raters were resampled too.

    Returns
    -------
    Words

    Examples
    --------
    >>> describe("bca", 500, 1, True, False)
    'cluster bootstrap, BCa, 500 resamples, seed 1'
    """
    name = _SAID[interval]
    kind = bootstrap_of(clustered, stratified=stratified, over_raters=over_raters)
    return kind + f", {name}, {resamples} resamples, seed {shown_seed(seed)}"
