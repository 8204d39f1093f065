"""The bootstrap of any statistic, whether or not it is a function of sums."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import check_resamples, shown
from agreement.caution import Caution
from agreement.cautions import FEW_RESAMPLED
from agreement.cautions_of_bootstrap import few_units, of_mean, of_other
from agreement.cluster_codes import ClusterCodes
from agreement.coding import Codes, Ratings, encode_clusters, strata_of_units
from agreement.drawing import CHUNK, drawn_units, in_one_thread
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, check_confidence
from agreement.given_numbers import number_arrays, number_of
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.many_items import bootstrap_of_many, orders_for
from agreement.planned_kind import of_plan
from agreement.resampling import (
    MOST_ORDERS,
    ONE_DRAW,
    OWN_DRAW,
    Seed,
    bootstrap_of_sums,
    describe,
    random_generator,
    ratio,
    strata_of_draw,
    sums_by_cluster,
)
from agreement.shared_draw import ClusterDraw
from agreement.spread import Spread, bca_limits, percentile_limits, widened_limits
from agreement.vectorised import vectorised

MEANS = (np.mean, np.average)
TINY = float(np.finfo(np.float64).tiny)


def bootstrap(
    statistic: Callable[..., float],
    data: Any,
    *,
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed,
    interval: Interval | None = None,
    confidence: float = 0.95,
    name: str = "statistic",
    unit: str = "item",
) -> Estimate:
    """Bootstrap interval of any statistic of one or more arrays.

    Items (or, with `clusters`, whole clusters) are drawn with replacement, within `strata` if given, and the statistic
    is recomputed. `numpy.mean` and `numpy.average` of one array take the fast path of `bootstrap_of_sums`; sums, other
    means, variances, standard deviations, medians and quantiles of numpy (`agreement.vectorised` has the table;
    `functools.partial` gives them `ddof` or `q`) are computed for many resamples at once, with the same results as a
    plain loop. From 10,000 items and 100 resamples on, without clusters, items are not drawn one by one for these or
    for minimum, maximum and range: the draws differ but have the same distribution (`agreement.many_items`). Any other
    function is called once for each resample.

    Parameters
    ----------
    statistic : callable
        Takes as many arrays as `data` has and returns a number; nan if undefined.
    data : array_like of numbers, or tuple of array_like
        One array, or a tuple of arrays that are resampled together; shape (items, ...) each.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    strata : sequence, shape (items,), optional
        Stratum of each item; a cluster lies within one stratum.
    resamples : int
        Number of resamples.
    seed : int, sequence of int, SeedSequence, PlannedSeed or ClusterDraw
        Seed of the random numbers, or a draw shared by several statistics; required.
    interval : {"percentile", "bca", "widened"}, optional
        See `bootstrap_of_sums`; percentiles by default. Of fewer than 30 units or clusters "widened" holds more often.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Limits undefined as in `bootstrap_of_sums`; value undefined for no items or if the statistic is nan. With a
        warning for few units, nearly constant and skewed values (`agreement.cautions_of_bootstrap`).

    Raises
    ------
    ValueError
        When `data` holds text, a missing or an infinite value, `statistic` does not return a number, arrays differ in
        length, a cluster lies in two strata, or an option is unknown.

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    The law school data of Efron and Tibshirani (1993), table 3.1: correlation .776, bootstrap standard error .13.

    >>> lsat = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
    >>> gpa = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
    >>> estimate = bootstrap(lambda x, y: np.corrcoef(x, y)[0, 1], (lsat, gpa), resamples=2000, seed=1)
    >>> round(estimate.value, 3), 0.12 < estimate.se < 0.15
    (0.776, True)
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    interval = of_plan(chosen_interval(interval, *BOOTSTRAPS, "widened"), seed)
    if not callable(statistic):
        raise ValueError(f"statistic is {shown(statistic)}; expected a function of as many arrays as data has")
    arrays = number_arrays(data, "data")
    lengths = [array.shape[0] if array.ndim else -1 for array in arrays]
    if len(set(lengths)) != 1 or lengths[0] < 0:
        raise ValueError(f"data has shapes {[array.shape for array in arrays]}; expected arrays over the same items")
    n = lengths[0]
    units = encode_clusters(clusters, n) if clusters is not None else np.arange(n, dtype=np.intp)
    n_units = int(units.max()) + 1 if n else 0
    n_clusters = n_units if clusters is not None else None
    of_draw = strata_of_draw(units, seed) if strata is None else None
    text = describe(interval, resamples, seed, clusters is not None, strata is not None or of_draw is not None)
    if n == 0:
        return Spread(math.nan, math.nan, None, text, f"no {unit}s").estimate(
            name, math.nan, 0, unit, confidence=confidence, n_clusters=n_clusters
        )
    unit_strata = strata_of_units(encode_clusters(strata, n, "strata"), units) if strata is not None else None
    if statistic in MEANS and len(arrays) == 1 and arrays[0].ndim == 1:
        rows = sums_by_cluster(np.stack([arrays[0], np.ones(n)], axis=1), units)
        with np.errstate(over="ignore"):  # sums of huge numbers: a resample without a finite one has no value
            spread = bootstrap_of_sums(
                ratio,
                rows,
                strata=unit_strata,
                resamples=resamples,
                seed=seed,
                interval=interval,
                confidence=confidence,
                clustered=clusters is not None,
                orders=MOST_ORDERS if clusters is not None else orders_for(resamples),
            )
            value = float(arrays[0].mean())
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a resample may leave the statistic without a value
            value = number_of(statistic(*arrays))
            of_many = None
            if clusters is None and len(arrays) == 1 and not isinstance(seed, ClusterDraw):
                of_many = bootstrap_of_many(
                    statistic, arrays[0], value, strata=unit_strata, resamples=resamples, seed=seed,
                    interval=interval, confidence=confidence, text=text,
                )  # fmt: skip
            unit_strata = of_draw if unit_strata is None else unit_strata
            spread = of_many or _bootstrap_any(
                statistic, arrays, value, units, n_units, unit_strata, resamples, seed, interval, confidence, text
            )
    if not math.isfinite(value):
        value = math.nan
        spread = Spread(math.nan, math.nan, None, text, f"the {name} of these {unit}s has no value")
    spread = replace(spread, worth=clusters_with(np.ones(n), units))
    estimate = spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters)
    return (
        estimate
        if math.isnan(estimate.low)
        else estimate.warned(*_cautions(statistic, arrays, units, n_clusters, unit))
    )


def _cautions(
    statistic: Callable[..., float], arrays: list[npt.NDArray[Any]], units: Codes, n_clusters: int | None, unit: str
) -> tuple[Caution | None, ...]:
    """What the values say of the interval, as far as it was simulated for such a statistic."""
    first = arrays[0]
    if len(arrays) > 1 or first.ndim > 1:
        return (few_units(first.shape[0], n_clusters, FEW_RESAMPLED, unit),)
    values = first / max(float(np.abs(first).max()), TINY)  # so that squares are finite
    return of_mean(values, units, n_clusters, unit) if statistic in MEANS else of_other(values, n_clusters, unit)


def _bootstrap_any(
    statistic: Callable[..., float],
    arrays: list[npt.NDArray[Any]],
    value: float,
    units: Codes,
    n_units: int,
    unit_strata: Codes | None,
    resamples: int,
    seed: Seed,
    interval: Interval,
    confidence: float,
    text: str,
) -> Spread:
    if n_units < 2:
        return Spread(math.nan, math.nan, None, text, "fewer than two units: nothing to resample")
    groups = (
        [np.arange(n_units)]
        if unit_strata is None
        else [np.flatnonzero(unit_strata == stratum) for stratum in np.unique(unit_strata)]
    )
    generator = random_generator(seed)  # on the whole file, these are exactly the resamples of a shared draw
    if isinstance(seed, ClusterDraw) and isinstance(units, ClusterCodes):
        text += ONE_DRAW if n_units == seed.units and unit_strata is None else OWN_DRAW
    each_alone = np.array_equal(units, np.arange(n_units))
    of_many = vectorised(statistic, arrays[0], None if each_alone else units, n_units) if len(arrays) == 1 else None
    if of_many is not None:
        with in_one_thread():
            values = np.concatenate([of_many.of_drawn(block) for block in _drawn(groups, resamples, generator)])
    else:
        items_of = (lambda drawn: drawn) if each_alone else _items_of_drawn(units, n_units)
        values = np.empty(resamples)
        drawn_singly = (drawn for block in _drawn(groups, resamples, generator) for drawn in block)
        for replicate, drawn in enumerate(drawn_singly):
            items = items_of(drawn)
            values[replicate] = number_of(statistic(*[array[items] for array in arrays]))
    if interval == "percentile":
        return percentile_limits(values, confidence, text)
    if interval == "widened":
        return widened_limits(values, confidence, text, clusters_with(np.ones(units.size), units))
    if of_many is not None:
        with in_one_thread():
            left_out = np.concatenate([of_many.of_drawn(block) for block in _without_each(n_units)])
    else:
        left_out = np.array(
            [number_of(statistic(*(array[units != unit] for array in arrays))) for unit in range(n_units)]
        )
    return bca_limits(values, value, left_out, np.ones(n_units, dtype=np.int64), confidence, text)


def _drawn(groups: list[Codes], resamples: int, generator: np.random.Generator) -> Iterator[Codes]:
    """The units drawn for the resamples, in blocks and stratum by stratum; shape (resamples, units)."""
    units = sum(group.size for group in groups)
    if len(groups) == 1 and 2 * units > CHUNK:
        for _ in range(resamples):
            yield generator.integers(0, units, (1, units))  # the same numbers, already of the type used for indexing
    elif len(groups) == 1:
        for block in drawn_units(generator, units, resamples):
            yield block.astype(np.intp)
    else:
        step = max(1, CHUNK // units)
        for start in range(0, resamples, step):
            rows = range(min(step, resamples - start))
            yield np.stack(
                [
                    np.concatenate([group[generator.integers(0, group.size, group.size)] for group in groups])
                    for _ in rows
                ]
            )


def _without_each(n_units: int) -> Iterator[Codes]:
    """All units but the first, all but the second, and so on, in blocks; shape (units left out, units - 1)."""
    step, others = max(1, CHUNK // n_units), np.arange(n_units - 1)
    for start in range(0, n_units, step):
        left_out = np.arange(start, min(start + step, n_units))
        yield others + (others >= left_out[:, None])


def _items_of_drawn(units: Codes, n_units: int) -> Callable[[Codes], Codes]:
    """Function from drawn units to their items, unit by unit."""
    order = np.argsort(units, kind="stable")
    size = np.bincount(units, minlength=n_units)
    start = np.cumsum(size) - size

    def items(drawn: Codes) -> Codes:
        times = size[drawn]
        before = np.cumsum(times) - times
        return np.asarray(order[np.repeat(start[drawn] - before, times) + np.arange(times.sum())])

    return items
