"""Bootstrap of known statistics of very many items without drawing the items one by one.

A quantile of a resample of n items depends on only two of its order statistics. The items drawn are the ordered values
at the places of n uniform numbers, and the joint distribution of the order statistics of uniform numbers is known [1]_:
drawing these two costs the same for any n. A variance is a function of two sums, so one draw serves for the sums of
several resamples (`bootstrap_of_sums`). Both are exactly the ordinary bootstrap, not an approximation.

References
----------
.. [1] David and Nagaraja (2003). Order Statistics, 3rd ed., sections 2.1 to 2.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats
from agreement.interval_kinds import Interval
from agreement.resampling import MANY_DISTINCT, MOST_ORDERS, Seed, bootstrap_of_sums, random_generator, ratio
from agreement.spread import Spread, bca_limits, percentile_limits, widened_limits
from agreement.vectorised import SQUARED, Moment, Quantile, largest_sum, recognised

FEW_RESAMPLES = 100
"""With fewer, there is nothing to gain, and a plain loop draws the resamples."""


class _OfOrder(NamedTuple):
    """A statistic of a few order statistics: their places among n values, and the function of their values."""

    places: Callable[[int], tuple[int, ...]]
    value: Callable[[list[npt.NDArray[Any]], int], Floats]


_LEAST = _OfOrder(lambda n: (0,), lambda at, n: np.asarray(at[0], dtype=np.float64))
_GREATEST = _OfOrder(lambda n: (n - 1,), lambda at, n: np.asarray(at[0], dtype=np.float64))
_RANGE = _OfOrder(lambda n: (0, n - 1), lambda at, n: np.asarray(at[1] - at[0], dtype=np.float64))

_OF_EXTREMES: dict[Callable[..., Any], _OfOrder] = {
    min: _LEAST,
    np.min: _LEAST,
    np.nanmin: _LEAST,
    max: _GREATEST,
    np.max: _GREATEST,
    np.nanmax: _GREATEST,
    np.ptp: _RANGE,
}


def bootstrap_of_many(
    statistic: Callable[..., float],
    values: npt.NDArray[Any],
    value: float,
    *,
    strata: Codes | None,
    resamples: int,
    seed: Seed,
    interval: Interval,
    confidence: float,
    text: str,
) -> Spread | None:
    """Bootstrap of a statistic of very many items, if the statistic is known.

    Parameters
    ----------
    statistic : callable
        Takes `values` and returns a number.
    values : ndarray, shape (items, ...)
        Finite numbers.
    value : float
        The statistic of all items.
    strata : ndarray of int, shape (items,), or None
        Stratum of each item.
    resamples, seed, interval, confidence
        As in `bootstrap`.
    text : str
        Description of the resampling.

    Returns
    -------
    Spread or None
        None for few items or resamples, unknown statistics, and quantiles within strata, for which resamples must be
        drawn item by item.

    Examples
    --------
    The standard error of a median is 1 / (2 f sqrt(n)), with f the density at the median.

    >>> values = np.linspace(0.0, 1.0, 10_001)
    >>> options = {"strata": None, "resamples": 4000, "seed": 1, "interval": "percentile", "confidence": 0.95}
    >>> round(bootstrap_of_many(np.median, values, 0.5, text="", **options).se, 3)
    0.005
    >>> bootstrap_of_many(np.median, values[:100], 0.5, text="", **options) is None
    True
    """
    if values.ndim != 1 or values.size < MANY_DISTINCT or resamples < FEW_RESAMPLES:
        return None
    known = recognised(statistic, values)
    if isinstance(known, Moment):
        if largest_sum(values) > SQUARED / values.size:
            return None
        rows, of_sums = _sums(known, values.astype(np.float64))
        return bootstrap_of_sums(
            of_sums, rows, strata=strata, resamples=resamples, seed=seed, interval=interval, confidence=confidence,
            clustered=False, orders=orders_for(resamples),
        )  # fmt: skip
    of_order = _of_order(statistic, known)
    if of_order is None or strata is not None:
        return None
    ordered, n = np.sort(values), values.size
    places = np.array(of_order.places(n))
    drawn = ordered[_drawn_places(random_generator(seed), n, places, resamples)]
    of_resamples = of_order.value(list(drawn), n)
    if interval == "percentile":
        return percentile_limits(of_resamples, confidence, text)
    if interval == "widened":
        return widened_limits(of_resamples, confidence, text, n)
    return bca_limits(
        of_resamples, value, _without_each(of_order, ordered), np.ones(n, dtype=np.int64), confidence, text
    )


def orders_for(resamples: int) -> int:
    """Number of resamples that one draw should serve; laying out an order takes about as long as two draws.

    Parameters
    ----------
    resamples : int
        Number of resamples.

    Returns
    -------
    int

    Examples
    --------
    >>> orders_for(100), orders_for(10_000)
    (6, 64)
    """
    return min(MOST_ORDERS, max(1, 2 * math.isqrt(resamples) // 3))


def _of_order(statistic: Callable[..., float], known: Quantile | None) -> _OfOrder | None:
    if known is not None:
        return _OfOrder(known.places, lambda at, n: known.between(at[0], at[1], n))
    return _OF_EXTREMES.get(statistic) if isinstance(statistic, Hashable) else None


def _sums(moment: Moment, values: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Each item's contribution to the sums, and the moment as a function of these."""
    reduction, alone = moment.reduction, np.ones(values.size)
    if reduction in (np.sum, np.mean):
        of_sums = ratio if reduction is np.mean else lambda totals: np.asarray(totals[..., 0])
        return np.column_stack([values, alone]), of_sums
    # A mean is within one standard deviation of the median. With so many items, no resample is so different that the
    # difference of squares about the median would lose digits.
    apart = values - np.median(values)

    def spread(totals: Floats) -> Floats:
        total, squares, n = np.moveaxis(totals, -1, 0)
        variance = np.maximum(0.0, squares - total**2 / n) / np.maximum(n - moment.ddof, 0.0)
        return np.asarray(np.sqrt(variance) if reduction is np.std else variance)

    return np.column_stack([apart, apart**2, alone]), spread


def _without_each(of_order: _OfOrder, ordered: npt.NDArray[Any]) -> Floats:
    """The statistic without the first ordered value, without the second, and so on: later values move down a place."""
    left_out, others = np.arange(ordered.size), ordered.size - 1
    return of_order.value([ordered[place + (left_out <= place)] for place in of_order.places(others)], others)


def _drawn_places(generator: np.random.Generator, n: int, places: Codes, resamples: int) -> Codes:
    """Which of n ordered values occupy these places in ordered resamples; shape (places, resamples).

    Drawn from the greatest place down: the r-th smallest of m uniform numbers is Beta(r, m + 1 - r), and those below it
    are r - 1 uniform numbers between 0 and it.
    """
    up_to, among = np.ones(resamples), n
    drawn = np.empty((places.size, resamples), dtype=np.intp)
    for at in range(places.size - 1, -1, -1):
        rank = int(places[at]) + 1
        if rank <= among:  # else the same place again
            up_to = up_to * generator.beta(rank, among + 1 - rank, resamples)
            among = rank - 1
        drawn[at] = np.minimum((up_to * n).astype(np.intp), n - 1)
    return drawn
