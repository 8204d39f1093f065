"""The caution that clusters of a kind that was not sampled would move an estimate out of its interval.

If one cluster in ten is wrong throughout, one in eight samples of twenty clusters contains none of them, and the few
scattered errors of the others give no hint. Such a sample cannot be distinguished from one whose clusters are all of
one kind, so any rule that warns of the former also warns of the latter. The rules were chosen by simulation to warn of
enough of the former and of as few of the latter as possible (`docs/statistics.md`, coverage).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agreement.caution import Caution
from agreement.cautions import FEW_CLUSTERS, RARE_CLUSTERS
from agreement.coding import Codes, Floats
from agreement.effective_size import cluster_of_item, clusters_by_chance, clusters_with

FEW_WITH_RARER = 11
"""With fewer clusters than this that contain the rarer category, little is known about clusters not sampled."""

SCATTERED = 0.9
"""The rarer category is scattered if it is in at least this fraction of the clusters expected by chance."""

SCATTERED_DISAGREEMENTS = 0.85
"""The same for items on which raters, or two judges, differ."""

MORE = 1.75
"""How many more clusters, of the size of an average unit's cluster, an interval should allow for."""

MORE_OF_DIFFERENCE = 1.1
"""The same for the interval of a difference: clusters in which the two differ on all items."""

SHOW_A_TWENTIETH = 45
"""With this many clusters, fewer than one sample in ten lacks a kind that makes up one cluster in twenty."""


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
    """The caution for a kappa or alpha that a few more clusters of disagreement would move out of its interval.

    It is issued if disagreements are as scattered over the clusters as by chance, or nearly so, and `MORE` clusters of
    ``sum n_c^2 / n`` items on all of which raters differ would put the value outside. It is not issued if Kish's
    effective number of clusters, by their items, is `SHOW_A_TWENTIETH` or more: a kind that makes up one cluster in
    twenty is then among those sampled.

    Parameters
    ----------
    of_sums : callable
        The coefficient as a function of sums, shape (k,).
    sums : ndarray, shape (k,)
        Sums over all items.
    added : ndarray, shape (q^2, k)
        From `agreement.added_items.added_rows`: q rows of agreement on each category, then all rows of disagreement.
    differing : ndarray, shape (n,)
        Whether raters differ on each item, 0 or 1.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps.
    low, high : float
        Limits of the estimate; nan if it has none.
    scattered : float
        The fraction of the clusters expected by chance from which disagreements count as scattered; 0 drops this rule.

    Returns
    -------
    Caution or None
        Also None if raters never differ, and below 10 clusters, for which `few_clusters` warns.

    Examples
    --------
    Raters differ on one item in each of six of 20 clusters of 30: .99, and with more (594 + 0) / (600 + 1.75 * 30).

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
    """The same caution in words, which call disagreements scattered only if they are."""
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
    """The caution for a difference between two coefficients on the same items.

    It is issued if Kish's effective number of clusters, by their items, is below `SHOW_A_TWENTIETH`, and
    `MORE_OF_DIFFERENCE` clusters of ``sum n_c^2 / n`` items would put the difference outside if all their items were
    like the one that moves it most, in either direction. If verdicts differ by degrees, such items are rare, and the
    two must also differ in fewer than `RARE_CLUSTERS` clusters.

    Parameters
    ----------
    difference : callable
        Takes the sums of both sides, first and second, shape (..., 2 k), and returns values, shape (...).
    first, second : ndarray, shape (n, k)
        The contribution of each item to the sums of either side.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps.
    low, high : float
        Limits of the difference; nan if it has none.
    by_degrees : bool
        Whether verdicts differ by degrees.

    Returns
    -------
    Caution or None
        Also None if items contribute different kinds of sums to the two sides, and below 10 clusters, for which
        `few_clusters` warns.

    Examples
    --------
    Only the first of two judges is right on one item in each of four clusters of 10, out of 20; 11 more would be .07.

    >>> first, second = np.ones((200, 1)), np.where((np.arange(200) % 10 == 0) & (np.arange(200) < 40), 0.0, 1.0)
    >>> def gap(sums):
    ...     return (sums[..., 0] - sums[..., 1]) / 200
    >>> unseen_of_difference(gap, first, second[:, None], np.arange(200) // 10, -0.06, 0.06).text.split(": ")[0]
    'clusters are few, and one more in which the two differ would move the difference out'
    """
    if first.shape != second.shape or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    differ = (first != second).any(axis=1)
    of_average = cluster_of_item(groups)
    if not differ.any() or groups.size / of_average >= SHOW_A_TWENTIETH:
        return None
    if by_degrees and clusters_with(differ.astype(np.float64), groups) >= RARE_CLUSTERS:
        return None
    both = np.unique(np.column_stack([first, second])[differ], axis=0)
    both = np.concatenate([both, np.roll(both, first.shape[1], axis=1)])  # with the sides exchanged, too
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
    """The caution for a proportion that a few more clusters of only the rarer category would move out of its interval.

    It is issued if the rarer category is in fewer than `FEW_WITH_RARER` clusters, by Kish's effective number, as
    scattered over them as by chance, or nearly so, and `MORE` clusters of ``sum w_c^2 / sum w_c`` units, w_c the weight
    of a cluster, would put the value outside. If the rarer category is concentrated in some clusters, these are of that
    kind, and the design effect accounts for them.

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units count towards the proportion.
    groups : ndarray of int, shape (n,)
        Cluster of each unit.
    low, high : float
        Limits of the estimate; nan if it has none.
    value : float, optional
        The estimate, if it is not the proportion itself; it is assumed to move as far as the proportion.
    weights : ndarray, shape (n,), optional
        How many units each unit stands for; 1 by default.
    scattered : float
        The fraction of the clusters expected by chance from which the rarer category counts as scattered; 0 drops this
        rule.

    Returns
    -------
    Caution or None
        Also None if all units count, or none does, and below 10 clusters, for which `few_clusters` warns.

    Examples
    --------
    Six errors in six of 20 clusters of 30 items, .99, would be 58.5 in 652.5.

    >>> wrong = (np.arange(600) % 30 == 0) & (np.arange(600) < 180)
    >>> unseen_of_share(~wrong, np.arange(600) // 30, 0.97, 1.0).text.split(": ")[0]
    'the rarer category is scattered over fewer than 11 clusters, and 2 more of another kind would move the value out'
    >>> unseen_of_share(~wrong, np.arange(600) // 30, 0.91, 1.0) is None
    True
    """
    if counted.all() or not counted.any() or int(groups.max()) + 1 < FEW_CLUSTERS:
        return None
    of_units = np.ones(counted.size) if weights is None else weights
    # a product of long arrays of ones waits for the threads of the linear algebra, once for each of many shares
    among = float(counted.sum()) if weights is None else float(of_units @ counted)
    total, share = float(of_units.sum()), among / float(of_units.sum())
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
    where = (
        f"the rarer category is scattered over {fewer}" if is_scattered else f"{fewer} have most of the rarer category"
    )
    text = (
        f"{where}, and {math.ceil(MORE)} more of another kind would move the value out: the interval does not allow "
        "for kinds of clusters that were not sampled"
    )
    return Caution("unseen_clusters", text, FEW_WITH_RARER)
