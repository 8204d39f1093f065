"""Statistics of one array computed for many resamples at once: moments and quantiles, from one table.

A function of numpy, or one that computes the same number, is recognised by identity, alone or as a `functools.partial`
with `ddof` or `q`. With any other keyword it is left to the loop over resamples, as are users' own functions.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Hashable
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import scipy

from agreement.coding import Codes, Floats
from agreement.drawing import CHUNK, counted, product
from agreement.resampling import sums_by_cluster

SQUARED = math.sqrt(np.finfo(np.float64).max)
"""Numbers up to this have a finite square."""

_MANY = 4_000  # with this many items, the middle ones are sorted instead of partitioning all
_FAR = 8  # square roots of n: at least 16 standard deviations of the rank of a quantile
_EXACT = 2.0**53  # whole numbers whose sums stay below this are exact in floating point
_CANCELLED = 1e-3  # a variance below this fraction of the second moment has lost three digits

_Reduction = Callable[..., Any]

_MEDIANS = (np.median, np.nanmedian, statistics.median)
_PER_WHOLE = {np.quantile: 1.0, np.nanquantile: 1.0, np.percentile: 100.0, np.nanpercentile: 100.0}


class Moment(NamedTuple):
    """A sum, mean, variance or standard deviation.

    Attributes
    ----------
    reduction : callable
        `numpy.sum`, `numpy.mean`, `numpy.var` or `numpy.std`.
    ddof : float
        What is subtracted from the number of items.
    """

    reduction: _Reduction
    ddof: float


class Quantile(NamedTuple):
    """A quantile with linear interpolation, or the median.

    Attributes
    ----------
    q : float or None
        The level, from 0 to 1; None is the median, the mean of the two middle values.
    """

    q: float | None

    def places(self, n: Any) -> tuple[Any, Any]:
        """Positions, among n ordered values and counted from 0, of the two values it lies between.

        Parameters
        ----------
        n : int or ndarray of int
            Number of values.

        Returns
        -------
        low, high : int or ndarray of int
        """
        if self.q is None:
            return (n - 1) // 2, n // 2
        place = np.floor(self.q * (n - 1)).astype(np.intp)
        return place, np.minimum(place + 1, n - 1)

    def between(self, low: npt.NDArray[Any], high: npt.NDArray[Any], n: Any) -> Floats:
        """The quantile from the two values.

        Parameters
        ----------
        low, high : ndarray
            The values at `places`.
        n : int or ndarray of int
            As in `places`.

        Returns
        -------
        ndarray, of the shape of `low`
        """
        if self.q is None:
            return np.asarray(np.stack([low, high]).mean(axis=0), dtype=np.float64)
        share = self.q * (n - 1) - self.places(n)[0]
        # numpy's interpolation, which starts from the nearer of the two
        step = high - low
        return np.asarray(np.where(share < 0.5, low + step * share, high - step * (1.0 - share)), dtype=np.float64)


class _Moments(NamedTuple):
    of: dict[_Reduction, tuple[_Reduction, int]]
    with_ddof: tuple[_Reduction, ...]
    of_floats: tuple[_Reduction, ...]


@cache  # scipy.stats takes 0.3 s to import: only a bootstrap of one array asks for it
def _moments() -> _Moments:
    """Values are finite here, so functions that ignore nan give the same result. Each has its own default of `ddof`."""
    stats = scipy.stats
    of: dict[_Reduction, tuple[_Reduction, int]] = {
        np.sum: (np.sum, 0),
        np.nansum: (np.sum, 0),
        np.mean: (np.mean, 0),
        np.average: (np.mean, 0),
        np.nanmean: (np.mean, 0),
        statistics.fmean: (np.mean, 0),
        stats.tmean: (np.mean, 0),
        np.var: (np.var, 0),
        np.nanvar: (np.var, 0),
        stats.tvar: (np.var, 1),
        np.std: (np.std, 0),
        np.nanstd: (np.std, 0),
        stats.tstd: (np.std, 1),
    }
    with_ddof = (np.var, np.nanvar, np.std, np.nanstd, stats.tvar, stats.tstd)
    # for other types, the result may keep that type
    return _Moments(of, with_ddof, of_floats=(stats.tmean, stats.tvar, stats.tstd, statistics.median))


class Vectorised(Protocol):
    """A statistic computed for the values of many resamples."""

    def of_drawn(self, drawn: npt.NDArray[Any]) -> Floats:
        """The statistic of each resample.

        Parameters
        ----------
        drawn : ndarray of int, shape (resamples, drawn units)
            The units in each resample, some more than once.

        Returns
        -------
        ndarray, shape (resamples,)
            Not finite if it has no value.
        """


def vectorised(
    statistic: Callable[..., float], values: npt.NDArray[Any], units: Codes | None, n_units: int
) -> Vectorised | None:
    """The same statistic for many resamples, if it is a known one.

    Parameters
    ----------
    statistic : callable
        Takes `values`, returns a number.
    values : ndarray, shape (items, ...)
        Finite numbers.
    units : ndarray of int, shape (items,), or None
        Unit of each item, without gaps; None if item i is unit i.
    n_units : int
        Number of units.

    Returns
    -------
    Vectorised or None
        None for a function that is not in the table, or that might give a different number for these values.

    Examples
    --------
    >>> vectorised(np.median, np.array([1.0, 2.0, 5.0]), None, 3).of_drawn(np.array([[0, 0, 2], [1, 2, 2]])).tolist()
    [1.0, 5.0]
    >>> vectorised(max, np.array([1.0, 2.0, 5.0]), None, 3) is None
    True
    """
    known = recognised(statistic, values)
    if isinstance(known, Quantile):
        if known.q is not None and values.dtype.kind == "f" and values.dtype != np.float64:
            return None
        return _Quantile(known, values, units, n_units)
    if known is None or (values.dtype.kind == "f" and values.dtype != np.float64):
        return None  # for such values, each function sums in its own precision
    plain = values.astype(np.float64)
    if units is None:
        return _MomentsOfItems(known.reduction, known.ddof, plain)
    if largest_sum(values) > SQUARED / plain.size:
        return None  # sums, also of squares, are taken in another order: only if this costs no more than rounding
    return _MomentsOfUnits(known.reduction, known.ddof, plain, units, n_units)


def recognised(statistic: Callable[..., float], values: npt.NDArray[Any]) -> Moment | Quantile | None:
    """The statistic in the table that a function computes.

    Parameters
    ----------
    statistic, values
        As in `vectorised`.

    Returns
    -------
    Moment or Quantile or None
        None for a function that is not in the table, or that might give a different number for these values.

    Examples
    --------
    >>> recognised(partial(np.percentile, q=25), np.array([1.0, 2.0, 5.0]))
    Quantile(q=0.25)
    """
    function: Any = statistic
    keywords: dict[str, Any] = {}
    if isinstance(statistic, partial):
        if statistic.args:
            return None
        function, keywords = statistic.func, statistic.keywords
    if not isinstance(function, Hashable) or values.ndim != 1 or not values.size:
        return None
    far = largest_sum(values)
    if not math.isfinite(2.0 * far):  # a sum, or the distance between two values, would not be finite
        return None
    moments = _moments()
    if function in moments.of_floats and values.dtype.kind != "f":
        return None
    if function in _MEDIANS and not keywords:
        return Quantile(None)
    if function in moments.of and set(keywords) <= ({"ddof"} if function in moments.with_ddof else set()):
        reduction, ddof = moments.of[function]
        ddof = keywords.get("ddof", ddof)
        inexact = values.dtype.kind in "iu" and far >= _EXACT
        return Moment(reduction, ddof) if type(ddof) in (int, float) and math.isfinite(ddof) and not inexact else None
    if function in _PER_WHOLE and set(keywords) == {"q"} and values.dtype.kind != "b":
        q = keywords["q"]
        if type(q) in (int, float) and 0.0 <= q <= _PER_WHOLE[function]:
            return Quantile(q / _PER_WHOLE[function])
    return None


def largest_sum(values: npt.NDArray[Any]) -> float:
    """A bound for every sum of as many of these values.

    Parameters
    ----------
    values : ndarray, shape (items,)
        Finite numbers; one or more.

    Returns
    -------
    float
        Infinite if it exceeds the range of floating point.

    Examples
    --------
    >>> largest_sum(np.array([1.0, -3.0]))
    6.0
    """
    return float(np.abs(values.astype(np.float64)).max()) * values.size


class _MomentsOfItems:
    """A sum, mean, variance or standard deviation of drawn items, by numpy's operations in reused memory.

    Allocating memory for each resample would take longer than the arithmetic.
    """

    def __init__(self, reduction: _Reduction, ddof: float, values: Floats) -> None:
        self._reduction, self._ddof = reduction, ddof
        self._values, self._picked = values, np.empty((0, 0))

    def of_drawn(self, drawn: npt.NDArray[Any]) -> Floats:
        n = drawn.shape[1]
        if len(self._picked) < len(drawn) or self._picked.shape[1] != n:
            self._picked = np.empty(drawn.shape)
        picked = self._picked[: len(drawn)]
        self._values.take(drawn, out=picked, mode="clip")  # drawn units are always in range; "raise" would copy
        totals = np.add.reduce(picked, axis=1)
        if self._reduction is not np.sum:
            totals = totals / n
        if self._reduction in (np.var, np.std):
            np.subtract(picked, totals[:, None], out=picked)
            np.multiply(picked, picked, out=picked)
            totals = np.add.reduce(picked, axis=1) / max(n - self._ddof, 0.0)
        return np.asarray(np.sqrt(totals) if self._reduction is np.std else totals)


class _MomentsOfUnits:
    """The same for units with several items, from how often each unit is drawn and its contribution to three sums.

    Squares are of the distance from the median. If a resample's mean is so far from the median that the difference of
    squares loses digits, the squared deviations from that mean are summed instead.
    """

    def __init__(self, reduction: _Reduction, ddof: float, values: Floats, units: Codes, n_units: int) -> None:
        self._reduction, self._ddof, self._units, self._n_units = reduction, ddof, units, n_units
        spread = reduction in (np.var, np.std)
        self._apart = values - np.median(values) if spread else values
        columns = [np.ones(values.size), self._apart, self._apart**2][: 3 if spread else 2]
        self._rows = np.asarray(sums_by_cluster(np.stack(columns, axis=1), np.asarray(units)))

    def of_drawn(self, drawn: npt.NDArray[Any]) -> Floats:
        times = counted(drawn, self._n_units)
        totals = np.empty((len(times), self._rows.shape[1]))
        product(times, self._rows, totals)
        n, total = totals[:, 0], totals[:, 1]
        if self._reduction is np.sum:
            return total
        if self._reduction is np.mean:
            return np.asarray(total / n)
        squares = totals[:, 2] - total**2 / n
        for resample in np.flatnonzero(squares < _CANCELLED * totals[:, 2]):
            deviations = self._apart - total[resample] / n[resample]
            squares[resample] = times[resample][self._units] @ deviations**2
        variance = squares / np.maximum(n - self._ddof, 0.0)
        return np.asarray(np.sqrt(variance) if self._reduction is np.std else variance)


class _Quantile:
    """A quantile with linear interpolation, or the median, from sorted values and how often each is drawn.

    With many items that are each a unit, those so far from the quantile that no resample's quantile gets there are not
    distinguished.
    """

    def __init__(self, quantile: Quantile, values: npt.NDArray[Any], units: Codes | None, n_units: int) -> None:
        n = values.size
        order = np.argsort(values, kind="stable")
        self._quantile, self._units, self._n_units = quantile, units, n_units
        self._ordered = values[order]
        if units is not None:
            self._unit_of_ordered = units[order]
            self._size = np.bincount(units, minlength=n_units).astype(np.float64)
            return
        middle = math.floor((0.5 if quantile.q is None else quantile.q) * (n - 1))
        first = max(0, middle - _FAR * math.isqrt(n) - 1)
        last = min(n, middle + _FAR * math.isqrt(n) + 2)
        self._first, self._near = first, order[first:last]
        self._below = np.zeros((n, 1))
        self._below[order[:first]] = 1.0

    def of_drawn(self, drawn: npt.NDArray[Any]) -> Floats:
        if self._units is None:
            times = counted(drawn, self._n_units)
            below = np.empty((len(times), 1))
            product(times, self._below, below)
            n = np.full(len(times), drawn.shape[1])
            return self._between(times.take(self._near, axis=1), below[:, 0], n, self._first)
        step = max(1, CHUNK // self._ordered.size)
        values = np.empty(len(drawn))
        for start in range(0, len(drawn), step):
            times = counted(drawn[start : start + step], self._n_units)
            n = (times @ self._size).astype(np.intp)
            of_ordered = times.take(self._unit_of_ordered, axis=1)
            values[start : start + step] = self._between(of_ordered, np.zeros(len(times)), n, 0)
        return values

    def _between(self, times: Floats, below: Floats, n: Codes, first: int) -> Floats:
        """The quantile of resamples of n items, from how often each ordered value from `first` on is drawn."""
        until = np.cumsum(times, axis=1)
        low, high = (
            self._ordered[first + (until > (at - below)[:, None]).argmax(axis=1)] for at in self._quantile.places(n)
        )
        return self._quantile.between(low, high, n)
