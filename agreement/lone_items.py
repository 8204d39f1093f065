"""Clusters of one item each, which are analysed as a design without clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agreement.cluster_codes import of_used, sizes_of
from agreement.coding import Codes, Ratings, encode_clusters
from agreement.interval_kinds import Interval

_ON_WORTH: tuple[Interval, ...] = ("score", "scattered", "effective", "adjusted")  # effective size: here n


def alone(groups: npt.NDArray[np.intp]) -> bool:
    """Whether no two items share a cluster.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        Cluster of each item, at least 0.

    Returns
    -------
    bool
        Also True for no items.

    Examples
    --------
    >>> alone(np.array([4, 0, 2])), alone(np.array([4, 0, 4]))
    (True, False)
    """
    return bool(sizes_of(groups).max(initial=0) <= 1)


def widened_in_clusters(asked: Interval | None, chosen: Interval, groups: Codes | None) -> Interval:
    """The default kind of bootstrap of numbers, which is widened where items share clusters.

    Parameters
    ----------
    asked, chosen : Interval or None
        The requested kind, and what it was resolved to without regard to clusters.
    groups : ndarray of int, shape (n,), or None
        Cluster of each used item, if any.

    Returns
    -------
    Interval

    Examples
    --------
    >>> [widened_in_clusters(asked, "percentile", np.array([0, 0, 1])) for asked in (None, "percentile")]
    ['widened', 'percentile']
    """
    shared = groups is not None and not alone(groups)
    return "widened" if shared and asked is None and chosen == "percentile" else chosen


def shared_clusters(
    clusters: Ratings | None, used: npt.NDArray[np.bool_], interval: Interval | None = None
) -> Codes | None:
    """Cluster of each used item, or None if no two of them share a cluster.

    Such items are independent, so statistics are computed as without clusters. A bootstrap requested by name keeps the
    clusters: it draws items either way and, with a `ClusterDraw`, those of the file. Intervals that assume independent
    items also keep them, so that they are refused whatever the clusters are.

    Parameters
    ----------
    clusters : sequence, shape (items,), or None
        Cluster of each item.
    used : ndarray of bool, shape (items,)
        Which items are not left out.
    interval : Interval or None
        The requested kind of interval; None is the default.

    Returns
    -------
    ndarray of int, shape (used items,), or None

    Raises
    ------
    ValueError
        As `encode_clusters`.

    Examples
    --------
    >>> shared_clusters(["s", "t", "s"], np.array([True, True, False])) is None
    True
    >>> shared_clusters(["s", "t", "s"], np.array([True, False, True])).tolist()
    [0, 0]
    """
    if clusters is None:
        return None
    groups = of_used(encode_clusters(clusters, used.size), used)
    drops = interval is None or (isinstance(interval, str) and interval in _ON_WORTH)
    return None if drops and alone(groups) else groups
