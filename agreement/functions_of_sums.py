"""Statistics of numbers as functions of sums over items, for cluster bootstraps and differences.

Each item adds a row of numbers to the totals; the statistic is a function of the totals alone. Rank correlations are
in `agreement.ranks_of_units`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from agreement.cluster_codes import ClusterSums
from agreement.coding import Codes, Floats
from agreement.magnitude import in_range
from agreement.resampling import sums_by_cluster

_ROUNDING = 1e-12  # sums of squares below this share of their parts are rounding error around an exact zero
_MANY_ITEMS, _MOST_STEPS = 100_000, 10


class OfSums(NamedTuple):
    """A statistic that is a function of sums over items.

    Attributes
    ----------
    rows : ndarray, shape (items, k)
        Each item's contribution to the sums; with `of_units`, each unit's, shape (units, k).
    value : callable
        Maps totals, shape (..., k), to the statistic, shape (...); nan if undefined.
    note : str
        What the method adds about how it is computed; may be empty.
    of_units : bool
        Whether the rows are those of units, since one for each item would take items times units numbers.
    kind : ndarray of int, shape (items,), or None
        If given, `rows` holds one row for each kind of item, and this is the kind of each item.
    grid : tuple of int or None
        Number of rows and columns of a table of which the kinds are all cells, row by row, if they are.
    """

    rows: Floats
    value: Callable[[Floats], Floats]
    note: str = ""
    of_units: bool = False
    kind: Codes | None = None
    grid: tuple[int, int] | None = None

    def of_items(self) -> Floats:
        """The contribution of each item, shape (items, k); with `of_units` that of each unit, shape (units, k)."""
        return np.ascontiguousarray(self.rows if self.kind is None else self.rows[self.kind])

    def by_cluster(self, clusters: Codes | None) -> Floats:
        """The contribution of each cluster as by `sums_by_cluster`; without clusters that of each item."""
        if self.of_units:
            return ClusterSums.of(self.rows, clusters)
        if self.kind is None or clusters is None:
            return sums_by_cluster(self.rows if self.kind is None else self.of_items(), clusters)
        codes = np.asarray(clusters)
        kinds, count = len(self.rows), int(codes.max(initial=-1)) + 1
        times = np.bincount(self.kind * count + codes, minlength=count * kinds).reshape(kinds, count).T
        # items that each mark their own kind are counted already
        marks = self.rows.shape == (kinds, kinds) and bool((self.rows == np.eye(kinds)).all())
        if marks:
            return ClusterSums.of(times.astype(np.float64), clusters, self.grid)
        return ClusterSums.of(np.ascontiguousarray(times) @ self.rows, clusters)

    def of_all(self) -> float:
        """The statistic of all items."""
        return float(self.value(self.of_items().sum(axis=0)))


def sums_of_units(statistics: Sequence[OfSums], units: Codes | None) -> Floats:
    """What is resampled: the contributions of each cluster, or of each item, to the sums of one or two statistics.

    Parameters
    ----------
    statistics : sequence of OfSums
        Of the same items.
    units : ndarray of int, shape (items,), or None
        Cluster of each item; None if items are resampled.

    Returns
    -------
    ndarray, shape (units, sum of the k)
        With clusters, the sums keep track of those of the file, as `sums_by_cluster` does.

    Examples
    --------
    >>> sums_of_units([mean_of(np.array([1.0, 0.0, 1.0]))], np.array([0, 0, 1])).tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    sums = [part.by_cluster(units) for part in statistics]
    return sums[0] if len(sums) == 1 else ClusterSums.of(np.column_stack([np.asarray(part) for part in sums]), units)


def mean_of(x: Floats) -> OfSums:
    """The mean, such as an accuracy.

    Parameters
    ----------
    x : ndarray, shape (items,)
        Numbers, none missing.

    Returns
    -------
    OfSums

    Examples
    --------
    >>> mean_of(np.array([1.0, 0.0])).of_all()
    0.5
    """

    def value(totals: Floats) -> Floats:
        return ratio_of(totals[..., 0], totals[..., 1])

    return OfSums(np.column_stack([x, np.ones(x.size)]), value)


def limits_of(gaps: Floats, factors: Sequence[float]) -> list[OfSums]:
    """The mean of differences plus factors times their standard deviation: limits of agreement.

    Parameters
    ----------
    gaps : ndarray, shape (items,)
        Differences, none missing.
    factors : sequence of float
        Multiples of the standard deviation (n - 1); 0 for the bias.

    Returns
    -------
    list of OfSums
        One for each factor, all of the same rows.

    Examples
    --------
    >>> [round(limit.of_all(), 4) for limit in limits_of(np.array([1.0, 2.0, 3.0]), (0.0, -1.96))]
    [2.0, 0.04]
    """
    centre = _centre(gaps)
    away = gaps - centre

    def value(factor: float, totals: Floats) -> Floats:
        n, x, xx = np.moveaxis(totals, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(0.0, xx - x**2 / n) / (n - 1.0)) if factor else 0.0
            return np.asarray(centre + x / n + factor * spread)

    rows = columns_of(np.ones(gaps.size), away, away**2)
    return [OfSums(rows, partial(value, factor)) for factor in factors]


def pearson_of(x: Floats, y: Floats) -> OfSums:
    """Pearson's correlation.

    Parameters
    ----------
    x, y : ndarray, shape (items,)
        Numbers, none missing.

    Returns
    -------
    OfSums

    Examples
    --------
    >>> round(pearson_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0])).of_all(), 3)
    0.8
    """

    def value(totals: Floats) -> Floats:
        _, of_x, of_y, together = _squares(totals)
        return np.clip(ratio_of(together, np.sqrt(of_x * of_y)), -1.0, 1.0)

    return OfSums(_moments(_centred(x), _centred(y)), value)


def ccc_of(x: Floats, y: Floats) -> OfSums:
    """Lin's concordance correlation, with moments over n.

    Parameters
    ----------
    x, y : ndarray, shape (items,)
        Numbers, none missing.

    Returns
    -------
    OfSums

    Examples
    --------
    Moments over n: 2 * 2/3 / (2/3 + 2/3 + 1).

    >>> round(ccc_of(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0])).of_all(), 4)
    0.5714
    """
    first, second = (x, y) if _are_many_steps(x) and _are_many_steps(y) else in_range(x, y)[0]
    # each from its own mean, as for Pearson's correlation: the pairs of a rater then share the sums of the rater
    centre_x, centre_y = _centre(first), _centre(second)

    def value(totals: Floats) -> Floats:
        gap, of_x, of_y, together = _squares(totals, centre_x - centre_y)
        of_all = ratio_of(np.where((of_x > 0) & (of_y > 0), 2.0 * together, np.nan), of_x + of_y + gap)
        return np.clip(of_all, -1.0, 1.0)

    return OfSums(_moments(first - centre_x, second - centre_y), value)


def icc_of(table: Floats, model: Literal[1, 2, 3], average: bool) -> OfSums:
    """Intraclass correlation from mean squares, as in `agreement.icc`.

    Parameters
    ----------
    table : ndarray, shape (items, raters)
        Ratings, none missing.
    model : {1, 2, 3}
        Which model.
    average : bool
        Whether it is that of the mean of all raters.

    Returns
    -------
    OfSums

    Examples
    --------
    Shrout and Fleiss (1979), table 2.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> round(icc_of(np.array(ratings, dtype=float), 2, False).of_all(), 2)
    0.29
    """
    return OfSums(icc_rows(table), icc_of_sums(table.shape[1], model, average))


def icc_rows(table: Floats) -> Floats:
    """Each item's contribution to the sums of which every intraclass correlation is a function.

    Parameters
    ----------
    table : ndarray, shape (items, raters)
        Ratings, none missing.

    Returns
    -------
    ndarray, shape (items, raters + 3)
        One, the ratings less the mean of all, the sum of their squares, and the square of their sum.

    Examples
    --------
    >>> icc_rows(np.array([[0.5, 0.25], [0.0, 0.25]])).tolist()
    [[1.0, 0.25, 0.0, 0.0625, 0.0625], [1.0, -0.25, 0.0, 0.0625, 0.0625]]
    """
    (x,), _ = in_range(table)
    x = x - (x.mean() if x.size else 0.0)
    return np.column_stack([np.ones(len(x)), x, (x**2).sum(axis=1), x.sum(axis=1) ** 2])


def icc_of_sums(raters: int, model: Literal[1, 2, 3], average: bool) -> Callable[[Floats], Floats]:
    """An intraclass correlation as a function of the sums of `icc_rows`.

    Parameters
    ----------
    raters : int
        Number of raters.
    model, average
        As in `icc_of`.

    Returns
    -------
    callable
        Maps totals, shape (..., raters + 3), to the coefficient, shape (...); nan if undefined.
    """
    k = raters

    def value(totals: Floats) -> Floats:
        n, of_rater = totals[..., 0], totals[..., 1 : k + 1]
        squares, item_squares = totals[..., k + 1], totals[..., k + 2] / k
        with np.errstate(divide="ignore", invalid="ignore"):
            mean_square = of_rater.sum(axis=-1) ** 2 / (n * k)
            raters = ((of_rater**2).sum(axis=-1) / n - mean_square) / (k - 1)
            items = (item_squares - mean_square) / (n - 1)
            within = (squares - item_squares) / (n * (k - 1))
            residual = (squares - item_squares - raters * (k - 1)) / ((n - 1) * (k - 1))
            noise = within if model == 1 else residual
            whole = items + (k - 1) * noise + (k * (raters - residual) / n if model == 2 else 0.0)
            single = np.where((n > 1) & (whole > _ROUNDING * squares / n), (items - noise) / whole, np.nan)
            below = 1.0 + (k - 1) * single
            return np.asarray(np.where(below > 0.0, k * single / below, np.nan) if average else single)

    return value


def columns_of(*columns: Floats) -> Floats:
    """A table of columns that lie one after the other in memory, which are summed by cluster in half the time.

    Parameters
    ----------
    *columns : ndarray, shape (items,)
        One number for each item.

    Returns
    -------
    ndarray, shape (items, k)

    Examples
    --------
    >>> columns_of(np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return np.stack(columns).T


def ratio_of(top: Floats, bottom: Floats) -> Floats:
    """Quotients of the same shape; nan where the divisor is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _centred(x: Floats) -> Floats:
    """Numbers minus their mean, scaled so that sums of squares keep their digits."""
    if _are_many_steps(x):
        return np.asarray(x - np.rint(x.mean()))
    scaled = in_range(x)[0][0]
    return np.asarray(scaled - _centre(scaled))


def _centre(x: Floats) -> float:
    """The mean, or the whole number next to it of many steps."""
    if not x.size:
        return 0.0
    return float(np.rint(x.mean())) if _are_many_steps(x) else float(x.mean())


def _are_many_steps(x: Floats) -> bool:
    """Whether numbers are many and the steps of a scale: less a whole number, their sums are exact in 32 bits.

    Few ones keep their mean as centre: it is as fast, and frozen limits stay the same to the last digit.
    """
    return x.size >= _MANY_ITEMS and float(np.abs(x).max()) <= _MOST_STEPS and bool((x == np.rint(x)).all())


def _moments(x: Floats, y: Floats) -> Floats:
    return columns_of(np.ones(x.size), x, y, x**2, y**2, x * y)


def _squares(totals: Floats, apart: float = 0.0) -> tuple[Floats, Floats, Floats, Floats]:
    """Squared difference of the means times n, and centred sums of squares and products; 0 for no variation.

    `apart` is the difference of the numbers that were subtracted from x and y before they were summed.
    """
    n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_x, of_y = xx - x**2 / n, yy - y**2 / n
        of_x = np.where(of_x > _ROUNDING * xx, of_x, 0.0)
        of_y = np.where(of_y > _ROUNDING * yy, of_y, 0.0)
        return (x - y + n * apart) ** 2 / n, of_x, of_y, xy - x * y / n
