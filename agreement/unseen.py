"""The warning that clusters of a kind that was not sampled would move an estimate out of its interval.

Where one cluster in ten is wrong throughout, one sample of twenty clusters in eight has none of them, and the few
scattered errors of the others say nothing of it. Nothing can tell such a sample from one of clusters that are all of
one kind, so whatever warns of the former warns of the latter too. The rules are chosen by simulation: to warn of enough
of the former, and of as few of the latter as can be (`docs/statistics.md`, coverage).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agreement.caution import Caution
from agreement.cautions import FEW_CLUSTERS, RARE_CLUSTERS
from agreement.coding import Codes, Floats
from agreement.effective_size import clusters_by_chance, clusters_with

FEW_WITH_RARER = 11
"""Fewer clusters than this that have what is rarer of a share say little about clusters that were not sampled."""

SCATTERED = 0.9
"""What is rarer is scattered where it is in this share of the clusters that it would be in by chance, or more."""

MORE = 1.75
"""How many more clusters, of the size of that of an average unit, the interval of a share is asked to allow for."""


def unseen_clusters(having: float, moved: float, low: float, high: float) -> Caution | None:
    """The warning of a kappa or alpha, which one more cluster of another kind would move out of its interval.

    Parameters
    ----------
    having : float
        In how many clusters raters differ, as Kish counts them (`agreement.effective_size.clusters_with`).
    moved : float
        What the estimate would be with one more cluster, of the mean size, in which raters agree on half of the items;
        nan where that is not known.
    low, high : float
        Limits of the estimate; nan where it has none.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> unseen_clusters(4.5, 0.94, 0.97, 1.0).text.split(": ")[0]
    'fewer than 8 clusters have most of what is rarer, and one more of another kind would move the value out'
    >>> unseen_clusters(4.5, 0.94, 0.93, 1.0) is unseen_clusters(9.0, 0.94, 0.97, 1.0) is None
    True
    """
    if having >= RARE_CLUSTERS or not (moved < low or moved > high):
        return None
    text = (
        f"fewer than {RARE_CLUSTERS} clusters have most of what is rarer, and one more of another kind would move the "
        "value out: the interval does not allow for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, RARE_CLUSTERS)


def unseen_of_coefficient(
    of_sums: Callable[[Floats], Floats],
    sums: Floats,
    added: Floats,
    differing: Floats,
    groups: Codes,
    low: float,
    high: float,
) -> Caution | None:
    """The same warning, from the sums of a coefficient.

    Parameters
    ----------
    of_sums : callable
        The coefficient of sums, shape (k,).
    sums : ndarray, shape (k,)
        Of all items.
    added : ndarray, shape (q^2, k)
        `agreement.added_items.added_rows`: q rows of agreement on each category, and all of disagreement.
    differing : ndarray, shape (n,)
        Whether raters differ on each item, 0 or 1.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps.
    low, high : float
        Limits of the estimate; nan where it has none.

    Returns
    -------
    Caution or None
        None also below 10 clusters, of which `few_clusters` warns.
    """
    n_clusters = int(groups.max()) + 1
    if n_clusters < FEW_CLUSTERS:
        return None
    of_one, categories = groups.size / n_clusters, math.isqrt(len(added))
    half_agreed = (added[:categories].mean(axis=0) + added[categories:].mean(axis=0)) / 2.0
    return unseen_clusters(clusters_with(differing, groups), float(of_sums(sums + of_one * half_agreed)), low, high)


def unseen_of_difference(
    difference: Callable[[Floats], Floats],
    first: Floats,
    second: Floats,
    groups: Codes,
    low: float,
    high: float,
) -> Caution | None:
    """The warning of a difference of two coefficients of the same items.

    It comes where the two sides differ in fewer than `RARE_CLUSTERS` clusters, as Kish counts, and one more of the mean
    size would put the difference outside: one in which half of the items are like that which moves it most, for either
    side, and the others as all items are.

    Parameters
    ----------
    difference : callable
        Of the sums of both sides, first and second, shape (..., 2 k) to (...).
    first, second : ndarray, shape (n, k)
        What each item adds to the sums of either side.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps.
    low, high : float
        Limits of the difference; nan where it has none.

    Returns
    -------
    Caution or None
        None also where an item adds sums of different kinds to either side, and below 10 clusters, of which
        `few_clusters` warns.

    Examples
    --------
    The first of two judges alone is right on one item of each of four clusters of 10, out of 20.

    >>> first, second = np.ones((200, 1)), np.where((np.arange(200) % 10 == 0) & (np.arange(200) < 40), 0.0, 1.0)
    >>> def gap(sums):
    ...     return (sums[..., 0] - sums[..., 1]) / 200
    >>> unseen_of_difference(gap, first, second[:, None], np.arange(200) // 10, 0.0, 0.04).text.split(": ")[0]
    'the two differ in fewer than 8 clusters, and one more in which they do would move the difference out'
    """
    if first.shape != second.shape or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    differ = (first != second).any(axis=1)
    if not differ.any() or clusters_with(differ.astype(np.float64), groups) >= RARE_CLUSTERS:
        return None
    both = np.unique(np.column_stack([first, second])[differ], axis=0)
    both = np.concatenate([both, np.roll(both, first.shape[1], axis=1)])  # and for the other side
    sums = np.concatenate([first.sum(axis=0), second.sum(axis=0)])
    half = groups.size / (int(groups.max()) + 1.0) / 2.0
    moved = difference(sums + half * (both + sums / groups.size))
    if not ((moved < low) | (moved > high)).any():
        return None
    text = (
        f"the two differ in fewer than {RARE_CLUSTERS} clusters, and one more in which they do would move the "
        "difference out: the interval does not allow for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, RARE_CLUSTERS)


def unseen_of_share(
    counted: npt.NDArray[np.bool_],
    groups: Codes,
    low: float,
    high: float,
    value: float | None = None,
    weights: Floats | None = None,
    scattered: float = SCATTERED,
) -> Caution | None:
    """The warning of a share, which few more clusters of nothing but what is rarer would move out of its interval.

    It comes where what is rarer is in fewer than `FEW_WITH_RARER` clusters, as Kish counts, as scattered over them as
    by chance or nearly so, and `MORE` clusters of ``sum w_c^2 / sum w_c`` units, w_c the weight of a
    cluster, would put the value outside. Where it is gathered in some clusters, these are of that kind, and the design
    effect knows of them.

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units count.
    groups : ndarray of int, shape (n,)
        Cluster of each.
    low, high : float
        Limits of the estimate; nan where it has none.
    value : float, optional
        The estimate, where it is not the share itself: what would move the share moves it as far.
    weights : ndarray, shape (n,), optional
        How many units each stands for; 1 by default.
    scattered : float
        From which share of the clusters by chance on what is rarer is scattered; with 0 nothing is asked of it.

    Returns
    -------
    Caution or None
        None also where all units count, or none does, and below 10 clusters, of which `few_clusters` warns.

    Examples
    --------
    Six errors in six of 20 clusters of 30 items, .99, would be 58.5 in 652.5.

    >>> wrong = (np.arange(600) % 30 == 0) & (np.arange(600) < 180)
    >>> unseen_of_share(~wrong, np.arange(600) // 30, 0.97, 1.0).text.split(": ")[0]
    'what is rarer is scattered over fewer than 11 clusters, and 2 more of another kind would move the value out'
    >>> unseen_of_share(~wrong, np.arange(600) // 30, 0.91, 1.0) is None
    True
    """
    if counted.all() or not counted.any() or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    of_units = np.ones(counted.size) if weights is None else weights
    total, share = float(of_units.sum()), float(of_units @ counted) / float(of_units.sum())
    rarer = np.where(counted == (share <= 0.5), of_units, 0.0)
    having = clusters_with(rarer, groups)
    if having >= FEW_WITH_RARER:
        return None
    squares = float((np.bincount(groups, weights=of_units) ** 2).sum())
    alone = float((of_units**2).sum())
    shared = (squares - alone) / (total**2 - alone)
    by_chance = clusters_by_chance(rarer, shared)
    if having < scattered * by_chance:
        return None
    more = MORE * squares / total
    moved = (share if value is None else value) + more / (total + more) * ((share <= 0.5) - share)
    if not (moved < low or moved > high):
        return None
    fewer = f"fewer than {FEW_WITH_RARER} clusters"
    is_scattered = having >= (scattered or SCATTERED) * by_chance
    where = f"what is rarer is scattered over {fewer}" if is_scattered else f"{fewer} have most of what is rarer"
    text = (
        f"{where}, and {math.ceil(MORE)} more of another kind would move the value out: the interval does not allow "
        "for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, FEW_WITH_RARER)
