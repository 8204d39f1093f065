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

SCATTERED_DISAGREEMENTS = 0.85
"""The same of the items on which raters, or two judges, differ."""

MORE = 1.75
"""How many more clusters, of the size of that of an average unit, an interval is asked to allow for."""

MORE_OF_DIFFERENCE = 1.1
"""The same of the interval of a difference: in which the two differ on all items."""

SHOW_A_TWENTIETH = 45
"""In so many clusters a kind that one in twenty is of is missing from fewer than one sample in ten."""


def unseen_of_coefficient(
    of_sums: Callable[[Floats], Floats],
    sums: Floats,
    added: Floats,
    differing: Floats,
    groups: Codes,
    low: float,
    high: float,
    scattered: float = SCATTERED_DISAGREEMENTS,
) -> Caution | None:
    """The warning of a kappa or alpha, which few more clusters of disagreement would move out of its interval.

    It comes where disagreements are as scattered over the clusters as by chance or nearly so, and `MORE` clusters of
    ``sum n_c^2 / n`` items in which raters differ on all would put the value outside; where clusters are worth
    `SHOW_A_TWENTIETH` or more, as Kish counts them by their items, a kind that one in twenty is of is among them.

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
    scattered : float
        From which share of the clusters by chance on disagreements are scattered; with 0 nothing is asked of it.

    Returns
    -------
    Caution or None
        None also where raters never differ, and below 10 clusters, of which `few_clusters` warns.

    Examples
    --------
    Raters differ on one item of each of six of 20 clusters of 30: .99, and (594 + 0) / (600 + 1.75 * 30) with more.

    >>> differing = ((np.arange(600) % 30 == 0) & (np.arange(600) < 180)).astype(np.float64)
    >>> def share(sums):
    ...     return sums[..., 1] / sums[..., 0]
    >>> given = share, np.array([600.0, 594.0]), np.array([[1.0, 1], [1, 1], [1, 0], [1, 0]]), differing
    >>> unseen_of_coefficient(*given, np.arange(600) // 30, 0.97, 1.0).text.split(": ")[0]
    'disagreements are scattered over the clusters, and 2 more of another kind would move the value out'
    >>> unseen_of_coefficient(*given, np.arange(600) // 30, 0.9, 1.0) is None
    True
    """
    if not differing.any() or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    sizes = np.bincount(groups).astype(np.float64)
    n, squares = float(groups.size), float((sizes**2).sum())
    if n**2 / squares >= SHOW_A_TWENTIETH:
        return None
    having, by_chance = clusters_with(differing, groups), clusters_by_chance(differing, (squares - n) / (n**2 - n))
    if having < scattered * by_chance:
        return None
    disagreement = added[math.isqrt(len(added)) :].mean(axis=0)
    moved = float(of_sums(sums + MORE * squares / n * disagreement))
    return None if low <= moved <= high or math.isnan(low + high) else unseen_disagreements(having, by_chance)


def unseen_disagreements(having: float, by_chance: float) -> Caution:
    """The same warning in words, which call disagreements scattered only where they are."""
    scattered = having >= SCATTERED_DISAGREEMENTS * by_chance
    where = "disagreements are scattered over the clusters" if scattered else "few clusters have most disagreements"
    text = (
        f"{where}, and {math.ceil(MORE)} more of another kind would move the value out: the interval does not allow "
        "for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, SHOW_A_TWENTIETH)


def unseen_of_difference(
    difference: Callable[[Floats], Floats],
    first: Floats,
    second: Floats,
    groups: Codes,
    low: float,
    high: float,
    by_degrees: bool = False,
) -> Caution | None:
    """The warning of a difference of two coefficients of the same items.

    It comes where clusters are worth fewer than `SHOW_A_TWENTIETH`, as Kish counts them by their items, and
    `MORE_OF_DIFFERENCE` clusters of ``sum n_c^2 / n`` items would put the difference outside, in which all are like the
    one that moves it most, for either side. Where verdicts differ by degrees, that is an item of which there are few,
    and the two sides are to differ in fewer than `RARE_CLUSTERS` clusters too.

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
    by_degrees : bool
        Whether verdicts differ by degrees.

    Returns
    -------
    Caution or None
        None also where an item adds sums of different kinds to either side, and below 10 clusters, of which
        `few_clusters` warns.

    Examples
    --------
    The first of two judges alone is right on one item of each of four clusters of 10, out of 20; 11 more would be .07.

    >>> first, second = np.ones((200, 1)), np.where((np.arange(200) % 10 == 0) & (np.arange(200) < 40), 0.0, 1.0)
    >>> def gap(sums):
    ...     return (sums[..., 0] - sums[..., 1]) / 200
    >>> unseen_of_difference(gap, first, second[:, None], np.arange(200) // 10, -0.06, 0.06).text.split(": ")[0]
    'clusters are few, and one more in which the two differ would move the difference out'
    """
    if first.shape != second.shape or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    differ = (first != second).any(axis=1)
    sizes = np.bincount(groups).astype(np.float64)
    of_average = float((sizes**2).sum()) / groups.size  # items of the cluster that an average item is in
    if not differ.any() or groups.size / of_average >= SHOW_A_TWENTIETH:
        return None
    if by_degrees and clusters_with(differ.astype(np.float64), groups) >= RARE_CLUSTERS:
        return None
    both = np.unique(np.column_stack([first, second])[differ], axis=0)
    both = np.concatenate([both, np.roll(both, first.shape[1], axis=1)])  # and for the other side
    sums = np.concatenate([first.sum(axis=0), second.sum(axis=0)])
    moved = difference(sums + MORE_OF_DIFFERENCE * of_average * both)
    if not ((moved < low) | (moved > high)).any():
        return None
    text = (
        "clusters are few, and one more in which the two differ would move the difference out: the interval does not "
        "allow for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, SHOW_A_TWENTIETH)


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
