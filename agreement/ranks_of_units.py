"""Rank correlations as functions of how often each unit was drawn, for cluster bootstraps and differences.

Ranks are not functions of sums over items: a unit's row marks the unit, so that the totals are how often each unit was
drawn. With very many items, the row marks a pair of values, or holds the first-order terms of the ranks
(`agreement.rank_terms`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agreement.codebook import distinct_numbers
from agreement.coding import Codes, Floats
from agreement.functions_of_sums import OfSums, ratio_of
from agreement.rank_terms import rank_terms
from agreement.ranks import mean_ranks

_CHUNK = 2_000_000  # numbers held at once
FEW_PAIRS, MANY_TIMES = 50, 10_000_000
"""Above this many items times units, Spearman's correlation of up to `FEW_PAIRS` pairs of values uses a table."""
MANY_UNITS = 500
"""Above that many items times units, and from this many units, the first-order terms of the ranks suffice."""
MOST_UNITS = 4_000
"""Largest number of units for Kendall's tau, which needs a table of units by units."""


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
            grid = (len(of_x), len(of_y)) if len(pairs) == len(of_x) * len(of_y) else None
            return OfSums(np.eye(len(pairs)), of_pairs, kind=which, grid=grid)
        if count >= MANY_UNITS:  # a table of items by units would take gigabytes
            return OfSums(rank_terms(place_x, place_y), _correlation_of_terms, "; ranks by their first-order terms")
    correlation = _rank_correlation(x, y)

    def of_chunk(drawn: Floats) -> Floats:
        return correlation(drawn[:, units])

    return OfSums(np.eye(count), _chunked(of_chunk, units.size), of_units=True)


def _correlation_of_terms(totals: Floats) -> Floats:
    _, together, of_x, of_y = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore"):
        return np.clip(ratio_of(together, np.sqrt(of_x * of_y)), -1.0, 1.0)


def _rank_correlation(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Function from the counts of the pairs drawn, shape (..., pairs), to the correlation of mean ranks."""
    rank_x, rank_y = _ranks(x), _ranks(y)

    def correlation(drawn: Floats) -> Floats:
        times = np.atleast_2d(drawn)
        first, second = rank_x(times), rank_y(times)
        of_x, of_y = (times * first**2).sum(axis=1), (times * second**2).sum(axis=1)
        return ratio_of((times * first * second).sum(axis=1), np.sqrt(of_x * of_y)).reshape(drawn.shape[:-1])

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
    order = np.argsort(units, kind="stable")
    # only the order matters, and ranks can always be subtracted without overflow
    x, y, units = mean_ranks(x[order]), mean_ranks(y[order]), units[order]
    starts = np.flatnonzero(np.diff(units, prepend=-1))
    together, of_x, of_y = (np.zeros((count, count)) for _ in range(3))
    step = max(1, _CHUNK // 4 // max(1, x.size))  # three or four tables of this size are held
    for unit, first, end in zip(range(count), starts, (*starts[1:], x.size), strict=True):
        for rows in (slice(row, min(row + step, end)) for row in range(first, end, step)):
            above_x, above_y = np.sign(x[rows, None] - x), np.sign(y[rows, None] - y)
            together[unit] += np.add.reduceat((above_x * above_y).sum(axis=0), starts)
            of_x[unit] += np.add.reduceat(np.abs(above_x).sum(axis=0), starts)
            of_y[unit] += np.add.reduceat(np.abs(above_y).sum(axis=0), starts)

    def of_chunk(drawn: Floats) -> Floats:
        both, first, second = (((drawn @ pairs) * drawn).sum(axis=1) for pairs in (together, of_x, of_y))
        return ratio_of(both, np.sqrt(first * second))

    return OfSums(np.eye(count), _chunked(of_chunk, count), of_units=True)


def _ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Function from how often each item was drawn to its centred mean ranks, shape (resamples, items)."""
    level = np.unique(values, return_inverse=True)[1]
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
