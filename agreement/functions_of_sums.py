"""Statistics of numbers as functions of sums over items, for cluster bootstraps and differences.

Each item adds a row of numbers to the totals; the statistic is a function of the totals alone. Rank statistics are not
functions of such sums: for these, an item's row marks its unit, so that the totals are how often each unit was drawn.
With very many items in many units, the row holds the first-order terms of the ranks (`agreement.rank_terms`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from agreement.cluster_codes import ClusterSums
from agreement.codebook import distinct_numbers
from agreement.coding import Codes, Floats
from agreement.magnitude import in_range
from agreement.rank_terms import rank_terms
from agreement.resampling import sums_by_cluster

_ROUNDING = 1e-12  # sums of squares below this share of their parts are rounding error around an exact zero
_CHUNK = 2_000_000  # numbers held at once
FEW_PAIRS, MANY_TIMES = 50, 10_000_000
"""Above this many items times units, Spearman's correlation of up to `FEW_PAIRS` pairs of values uses a table."""
MANY_UNITS = 500
"""Above that many items times units, and from this many units, the first-order terms of the ranks suffice."""
MOST_UNITS = 4_000
"""Largest number of units for Kendall's tau, which needs a table of units by units."""


class OfSums(NamedTuple):
    """A statistic that is a function of sums over items.

    Attributes
    ----------
    rows : ndarray, shape (items, k)
        Each item's contribution to the sums.
    value : callable
        Maps totals, shape (..., k), to the statistic, shape (...); nan if undefined.
    note : str
        What the method adds about how it is computed; may be empty.
    kind : ndarray of int, shape (items,), or None
        If given, `rows` holds one row for each kind of item, and this is the kind of each item.
    """

    rows: Floats
    value: Callable[[Floats], Floats]
    note: str = ""
    kind: Codes | None = None

    def of_items(self) -> Floats:
        """The contribution of each item, shape (items, k)."""
        return self.rows if self.kind is None else self.rows[self.kind]

    def by_cluster(self, clusters: Codes | None) -> Floats:
        """The contribution of each cluster as by `sums_by_cluster`; without clusters that of each item."""
        if self.kind is None or clusters is None:
            return sums_by_cluster(self.of_items(), clusters)
        codes = np.asarray(clusters)
        kinds, count = len(self.rows), int(codes.max(initial=-1)) + 1
        times = np.bincount(codes * kinds + self.kind, minlength=count * kinds).reshape(count, kinds)
        # items that each mark their own kind are counted already
        marks = self.rows.shape == (kinds, kinds) and bool((self.rows == np.eye(kinds)).all())
        return ClusterSums.of(times.astype(np.float64) if marks else times @ self.rows, clusters)

    def of_all(self) -> float:
        """The statistic of all items."""
        return float(self.value(self.of_items().sum(axis=0)))


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
        return _ratio(totals[..., 0], totals[..., 1])

    return OfSums(np.column_stack([x, np.ones(x.size)]), value)


def limit_of(gaps: Floats, factor: float) -> OfSums:
    """The mean of differences plus a factor times their standard deviation: a limit of agreement.

    Parameters
    ----------
    gaps : ndarray, shape (items,)
        Differences, none missing.
    factor : float
        Multiple of the standard deviation (n - 1); 0 for the bias.

    Returns
    -------
    OfSums

    Examples
    --------
    >>> round(limit_of(np.array([1.0, 2.0, 3.0]), -1.96).of_all(), 4)
    0.04
    """
    centre = float(gaps.mean()) if gaps.size else 0.0

    def value(totals: Floats) -> Floats:
        n, x, xx = np.moveaxis(totals, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(0.0, xx - x**2 / n) / (n - 1.0)) if factor else 0.0
            return np.asarray(centre + x / n + factor * spread)

    return OfSums(np.column_stack([np.ones(gaps.size), gaps - centre, (gaps - centre) ** 2]), value)


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
        return np.clip(_ratio(together, np.sqrt(of_x * of_y)), -1.0, 1.0)

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
    (first, second), _ = in_range(x, y)
    # each from its own mean, as for Pearson's correlation: the pairs of a rater then share the sums of the rater
    centre_x, centre_y = (float(part.mean()) if part.size else 0.0 for part in (first, second))

    def value(totals: Floats) -> Floats:
        gap, of_x, of_y, together = _squares(totals, centre_x - centre_y)
        return _ratio(np.where((of_x > 0) & (of_y > 0), 2.0 * together, np.nan), of_x + of_y + gap)

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
    (x,), _ = in_range(table)
    x = x - (x.mean() if x.size else 0.0)
    k = x.shape[1]

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

    rows = np.column_stack([np.ones(len(x)), x, (x**2).sum(axis=1), x.sum(axis=1) ** 2])
    return OfSums(rows, value)


def spearman_of(x: Floats, y: Floats, units: Codes) -> OfSums:
    """Spearman's correlation, ranked again in each resample, with mean ranks for ties.

    Of more than `MANY_TIMES` items times units it is computed from how often each pair of values was drawn, where there
    are few, and else in `MANY_UNITS` units or more from the first-order terms of the ranks.

    Parameters
    ----------
    x, y : ndarray, shape (items,)
        Numbers, none missing.
    units : ndarray of int, shape (items,)
        What is resampled: the cluster of each item, or its own number.

    Returns
    -------
    OfSums

    Examples
    --------
    >>> round(spearman_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 9.0, 4.0]), np.arange(4)).of_all(), 3)
    0.8
    """
    count = int(units.max(initial=-1)) + 1
    if units.size * count > MANY_TIMES:
        (of_x, place_x), (of_y, place_y) = distinct_numbers(x), distinct_numbers(y)
        few = max(len(of_x), len(of_y)) <= FEW_PAIRS
        pairs, which = distinct_numbers(place_x * len(of_y) + place_y) if few else ([], place_x)
        if few and len(pairs) <= FEW_PAIRS:  # the counts of the pairs of values drawn suffice
            at_x, at_y = np.divmod(np.array(pairs, dtype=np.intp), len(of_y))
            of_pairs = _rank_correlation(np.array(of_x)[at_x], np.array(of_y)[at_y])
            return OfSums(np.eye(len(pairs)), of_pairs, kind=which)
        if count >= MANY_UNITS:  # a table of items by units would take gigabytes
            return OfSums(rank_terms(place_x, place_y), _correlation_of_terms, "; ranks by their first-order terms")
    correlation = _rank_correlation(x, y)

    def of_chunk(drawn: Floats) -> Floats:
        return correlation(drawn[:, units])

    return OfSums(_membership(units), _chunked(of_chunk, units.size))


def _correlation_of_terms(totals: Floats) -> Floats:
    _, together, of_x, of_y = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore"):
        return np.clip(_ratio(together, np.sqrt(of_x * of_y)), -1.0, 1.0)


def _rank_correlation(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Function from the counts of the pairs drawn, shape (..., pairs), to the correlation of mean ranks."""
    rank_x, rank_y = _ranks(x), _ranks(y)

    def correlation(drawn: Floats) -> Floats:
        times = np.atleast_2d(drawn)
        first, second = rank_x(times), rank_y(times)
        of_x, of_y = (times * first**2).sum(axis=1), (times * second**2).sum(axis=1)
        return _ratio((times * first * second).sum(axis=1), np.sqrt(of_x * of_y)).reshape(drawn.shape[:-1])

    return correlation


def kendall_of(x: Floats, y: Floats, units: Codes) -> OfSums:
    """Kendall's tau-b: concordant minus discordant pairs of items, from how often each unit was drawn.

    Pairs of copies of an item are ties in both and do not count.

    Parameters
    ----------
    x, y : ndarray, shape (items,)
        Numbers, none missing.
    units : ndarray of int, shape (items,)
        As in `spearman_of`.

    Returns
    -------
    OfSums

    Raises
    ------
    ValueError
        When there are more than `MOST_UNITS` units.

    Examples
    --------
    >>> round(kendall_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 9.0, 4.0]), np.arange(4)).of_all(), 3)
    0.667
    """
    count = int(units.max(initial=-1)) + 1
    if count > MOST_UNITS:
        raise ValueError(f"x and y have {count} units to resample; expected at most {MOST_UNITS} for Kendall's tau")
    membership, order = _membership(units), np.argsort(units, kind="stable")
    # only the order matters, and ranks can always be subtracted without overflow
    x, y, units = stats.rankdata(x[order]), stats.rankdata(y[order]), units[order]
    starts = np.flatnonzero(np.diff(units, prepend=-1))
    together, of_x, of_y = (np.zeros((count, count)) for _ in range(3))
    for unit, rows in enumerate(np.split(np.arange(x.size), starts[1:])):
        above_x, above_y = np.sign(x[rows, None] - x), np.sign(y[rows, None] - y)
        together[unit] = np.add.reduceat((above_x * above_y).sum(axis=0), starts)
        of_x[unit] = np.add.reduceat(np.abs(above_x).sum(axis=0), starts)
        of_y[unit] = np.add.reduceat(np.abs(above_y).sum(axis=0), starts)

    def of_chunk(drawn: Floats) -> Floats:
        both, first, second = (((drawn @ pairs) * drawn).sum(axis=1) for pairs in (together, of_x, of_y))
        return _ratio(both, np.sqrt(first * second))

    return OfSums(membership, _chunked(of_chunk, count))


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _centred(x: Floats) -> Floats:
    """Numbers minus their mean, scaled so that sums of squares keep their digits."""
    (scaled,), _ = in_range(x)
    return np.asarray(scaled - (scaled.mean() if scaled.size else 0.0))


def _moments(x: Floats, y: Floats) -> Floats:
    return np.column_stack([np.ones(x.size), x, y, x**2, y**2, x * y])


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


def _membership(units: Codes) -> Floats:
    """One row for each item: 1 / size in its unit's column, so that each draw of a unit adds 1."""
    count = int(units.max(initial=-1)) + 1
    size = np.bincount(units, minlength=count)
    rows = np.zeros((units.size, count))
    rows[np.arange(units.size), units] = 1.0 / size[units]
    return rows


def _ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Function from how often each item was drawn to its centred mean ranks, shape (resamples, items)."""
    level = stats.rankdata(values, method="dense").astype(np.intp) - 1
    order = np.argsort(level, kind="stable")
    last = np.searchsorted(level[order], np.arange(int(level.max(initial=-1)) + 1), side="right") - 1

    def ranks(times: Floats) -> Floats:
        up_to = np.cumsum(times[:, order], axis=1)[:, last]
        below = np.concatenate([np.zeros((len(times), 1)), up_to[:, :-1]], axis=1)
        middle = (below + up_to) / 2.0
        return np.asarray(middle[:, level] - up_to[:, -1:] / 2.0)

    return ranks


def _chunked(of_chunk: Callable[[Floats], Floats], width: int) -> Callable[[Floats], Floats]:
    """The statistic of many resamples, computed in chunks."""

    def value(totals: Floats) -> Floats:
        drawn = np.atleast_2d(totals)
        step = max(1, _CHUNK // max(1, width))
        parts = [of_chunk(drawn[start : start + step]) for start in range(0, len(drawn), step)]
        return np.concatenate(parts).reshape(totals.shape[:-1])

    return value
