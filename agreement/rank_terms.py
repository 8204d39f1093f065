"""Spearman's correlation of very many items as a function of sums, by the first-order terms of their ranks.

An item contributes its own product of ranks, and shifts the ranks of all items above or tied with it. Both are sums
over items, so a resample needs no new ranking. What is neglected is how two resampled items shift each other's ranks,
which is of the order of one over the number of units [1]_.

References
----------
.. [1] Serfling (1980). Approximation Theorems of Mathematical Statistics, chapters 5 and 6.
"""

from __future__ import annotations

import numpy as np

from agreement.coding import Codes, Floats


def rank_terms(x: Codes, y: Codes) -> Floats:
    """Each item's contribution to the sums of which Spearman's correlation is a function, with mean ranks for ties.

    With F the mean rank over n less 1/2, and ``k(a, b)`` 1 where a is below b and 1/2 where they are equal, an item
    adds 1, ``F_x F_y + m(x; F_y) + m(y; F_x)`` and the same of x and x, and of y and y, where ``m(x_i; w)`` is the mean
    of ``(k(x_i, x_j) - F(x_j) - 1/2) w_j`` over all items j.

    Parameters
    ----------
    x, y : ndarray of int, shape (items,)
        Dense ranks of the values, from 0; tied items have the same rank.

    Returns
    -------
    ndarray, shape (items, 4)
        Of the column sums, the second over the square root of the product of the last two is the correlation.

    Examples
    --------
    Ranks 1 2 3 4 against 1 2 4 3: 1 - 6 * 2 / (4 * 15) = .8.

    >>> _, both, of_x, of_y = rank_terms(np.array([0, 1, 2, 3]), np.array([0, 1, 3, 2])).sum(axis=0)
    >>> round(float(both / np.sqrt(of_x * of_y)), 6)
    0.8
    """
    rank_x, rank_y = _ranks(x), _ranks(y)
    both = rank_x * rank_y + _moved(x, rank_x, rank_y) + _moved(y, rank_y, rank_x)
    # added in the same order, so that all three are the same number if the ranks are equal
    of_x, of_y = (
        ranks * ranks + moved + moved
        for ranks, moved in ((rank_x, _moved(x, rank_x, rank_x)), (rank_y, _moved(y, rank_y, rank_y)))
    )
    return np.stack([np.ones(x.size), both, of_x, of_y]).T  # columns one after the other, as `columns_of` makes them


def _ranks(places: Codes) -> Floats:
    """Mean ranks over n, less 1/2."""
    times = np.bincount(places)
    return np.asarray(((np.cumsum(times) - times / 2.0) / places.size - 0.5)[places])


def _moved(places: Codes, ranks: Floats, by: Floats) -> Floats:
    """How much one more item with each item's value would change the mean product of the ranks and some numbers."""
    at = np.bincount(places, weights=by)
    above = at.sum() - np.cumsum(at) + at / 2.0
    return np.asarray((above[places] - float((ranks + 0.5) @ by)) / places.size)
