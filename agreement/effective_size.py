"""The effective sample size of clustered items: the number of independent items that they are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats

_FOR_ONE = 2.0  # clusters with a category that are as informative as one with a disagreement
_CAUTION = 1.5  # weight of the greatest possible design effect, in clusters with a disagreement
_CAUTION_OF_SHARE = 1.5  # weight of the greatest design effect of a share, in events in separate clusters
_CAUTION_OF_SCATTERED = 2.0  # the same for the greatest design effect given how far disagreements are seen to cluster


def effective_size(influence: Floats, groups: Codes, events: float | None = None) -> float:
    """Number of items divided by their design effect.

    ``n / d``, ``d = (e d_0 + s / 2) / (e + 1 / 2)``; ``d_0 = m / (m - 1) sum_c (sum_i u_i)^2 / sum_i u_i^2`` over the
    influences u of the items of each of m clusters [1]_, at least 1. ``s = n / m`` is the design effect if all items of
    a cluster are alike. Few events say little about how they cluster, so d is shrunk towards s with the weight of half
    an event; without events it is s, and the result is the number of clusters.

    Parameters
    ----------
    influence : ndarray, shape (n,)
        Each item's contribution to the error of the statistic, with mean 0.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps; at least two clusters.
    events : float, optional
        Number of items with the rarer outcome; n by default.

    Returns
    -------
    float
        At most n.

    References
    ----------
    .. [1] Kish (1965). Survey Sampling, 8.2; Korn and Graubard (1998). Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data. Survey Methodology 24, 193-201.

    Examples
    --------
    >>> effective_size(np.array([1.0, 1, -1, -1, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 2, 2, 3, 3])) < 4
    True
    >>> effective_size(np.zeros(6), np.array([0, 0, 0, 1, 1, 1]), events=0)
    2.0
    """
    n, clusters = influence.size, int(groups.max()) + 1
    effect = observed_effect(influence, groups)
    if effect is None:
        return float(clusters)
    return n / drawn_effect(effect, n / clusters, float(n) if events is None else events)


def share_size(counted: npt.NDArray[np.bool_], groups: Codes) -> float:
    """Number of units divided by their design effect, for a share.

    ``n / d``, d the greater of ``(h d_0 + 1.5 s) / (h + 1.5)`` and ``(e d_a + 1) / (e + 1)``. e is the number of units
    of the rarer kind (events), and h the square root of e times Kish's effective number of clusters with events
    (`clusters_with`): a hundred events in four clusters say less about other clusters than a hundred in fifty. d_0 is
    as in `effective_size`, and ``s = 1 + (n / m - 1) (1 - r^2 e / (e + 1))`` in m clusters, where r is the number of
    clusters with events over that expected by chance (`clusters_by_chance`), at most 1. Few events say little about how
    they cluster, but more if they are as scattered as they can be. Without events, the result is the number of
    clusters.

    ``d_a = 1 + (sum_c n_c^2 / n - 1) r_a``, with r_a the intraclass correlation by analysis of variance, at least 0
    [1]_. If cluster sizes are unequal, d_0 is dominated by the squared sums of a few large clusters and is too small if
    these happen to be similar; r_a uses all clusters, but assumes the same correlation in each. Few events say little
    about r_a too, so d_a is shrunk towards 1. The weights of both shrinkages, h and the square were chosen by
    simulation (`docs/statistics.md`, coverage).

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units count as successes.
    groups : ndarray of int, shape (n,)
        Cluster of each unit, without gaps; at least two clusters.

    Returns
    -------
    float
        At most n.

    References
    ----------
    .. [1] Saha, Miller and Wang (2016). A comparison of some approximate confidence intervals for a single proportion
       for clustered binary outcome data. Int J Biostat 12(2), doi 10.1515/ijb-2015-0024.

    Examples
    --------
    In clusters of 1, 1, 4, 4 and 4 units, the two small ones are wrong: d_0 is 25 / 14, d_a 25 / 7, and the design
    effect, with two events, (2 * 25 / 7 + 1) / 3 = 19 / 7.

    >>> round(share_size(np.arange(14) >= 2, np.repeat(np.arange(5), [1, 1, 4, 4, 4])) * 19 / 7, 9)
    14.0
    """
    n, clusters, count = counted.size, int(groups.max()) + 1, int(counted.sum())
    events = min(count, n - count)
    if not events:
        return float(clusters)
    rarer = (counted if count == events else ~counted).astype(np.float64)
    sizes = np.bincount(groups).astype(np.float64)
    by_chance = clusters_by_chance(rarer, float((sizes * (sizes - 1.0)).sum()) / (n * (n - 1.0)))
    having = clusters_with(rarer, groups)
    scattered = min(1.0, having / by_chance) ** 2 * events / (events + 1.0)
    most = 1.0 + (n / clusters - 1.0) * (1.0 - scattered)
    observed = observed_effect(rarer - events / n, groups) or 1.0
    evidence = math.sqrt(events * having)
    drawn = (evidence * max(1.0, observed) + _CAUTION_OF_SHARE * most) / (evidence + _CAUTION_OF_SHARE)
    by_variance = (events * effect_by_variance(counted, groups) + 1.0) / (events + 1.0)
    return n / max(drawn, by_variance)


def effect_by_variance(counted: npt.NDArray[np.bool_], groups: Codes) -> float:
    """The design effect of a share by the analysis of variance, ``d_a`` of `share_size`.

    Parameters
    ----------
    counted, groups
        As in `share_size`.

    Returns
    -------
    float
        At least 1; 1 if no cluster has two units or nothing varies.

    Examples
    --------
    >>> effect_by_variance(np.array([True, True, False, False]), np.array([0, 0, 1, 1]))
    2.0
    """
    sizes = np.bincount(groups).astype(np.float64)
    counts = np.bincount(groups, weights=counted)
    n, clusters, count = counted.size, sizes.size, float(counts.sum())
    if n == clusters:
        return 1.0
    explained, alike = float((counts**2 / sizes).sum()), float((sizes**2).sum()) / n
    between, within = (explained - count**2 / n) / (clusters - 1), (count - explained) / (n - clusters)
    usual_size = (n - alike) / (clusters - 1)
    total = between + (usual_size - 1.0) * within
    return 1.0 + (alike - 1.0) * max(0.0, between - within) / total if total > 0.0 else 1.0


def observed_effect(influence: Floats, groups: Codes) -> float | None:
    """The design effect of a sample, ``d_0`` of `effective_size`.

    Parameters
    ----------
    influence, groups
        As in `effective_size`.

    Returns
    -------
    float or None
        None if nothing varies.

    Examples
    --------
    >>> round(observed_effect(np.array([1.0, 1, -1, -1, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 2, 2, 3, 3])), 3)
    2.667
    """
    alone = float((influence**2).sum())
    if alone <= 0.0:
        return None
    clusters = int(groups.max()) + 1
    return clusters / (clusters - 1) * float((np.bincount(groups, weights=influence) ** 2).sum()) / alone


def cautious_size(influence: Floats, groups: Codes, traits: Iterable[Floats]) -> float:
    """Items over their design effect, shrunk towards its maximum the more, the fewer clusters show how items cluster.

    ``n / d``, ``log d = (e log d_0 + 1.5 log s) / (e + 1.5)``; d_0 is as in `effective_size`, and ``s = sum_c n_c^2 /
    n`` is the design effect if all items of a cluster are alike. e is the number of clusters in which raters differ, or
    half the number that contain the rarest category, whichever is smaller, both as Kish's effective number [1]_
    (`clusters_with`): such a coefficient depends strongly on which clusters happen to contain a rare category, and a
    sample with few of them does not show how strongly. 1.5 and the half were chosen by simulation
    (`docs/statistics.md`, coverage).

    Parameters
    ----------
    influence, groups
        As in `effective_size`.
    traits : iterable of ndarray, each of shape (n,)
        Each item's share of each category, if the statistic depends on it, and last whether raters differ on it, 0 or
        1.

    Returns
    -------
    float
        At most n; Kish's effective number of clusters if nothing varies or raters never differ.

    References
    ----------
    .. [1] Kish (1965). Survey Sampling, 8.2 and 11.7.

    Examples
    --------
    Four pairs of items, with "yes" in two pairs and disagreement in two: e is 1, and the design effect of the
    influences, 8 / 3, which is more than 2, is shrunk towards 2.

    >>> influence, groups = np.array([1.0, 1, -1, -1, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 2, 2, 3, 3])
    >>> yes, differ = np.array([1.0, 0, 0, 0, 1, 0, 0, 0]), np.array([0.0, 0, 1, 0, 0, 0, 1, 0])
    >>> round(cautious_size(influence, groups, [yes, 1 - yes, differ]), 3)
    3.565
    """
    n, most = influence.size, float((np.bincount(groups) ** 2).sum()) / influence.size
    observed = observed_effect(influence, groups)
    if observed is None:
        return n / most
    *of_categories, differing = (clusters_with(trait, groups) for trait in traits)
    evidence = min([differing, *(clusters / _FOR_ONE for clusters in of_categories if clusters > 0.0)])
    weight = evidence / (evidence + _CAUTION)
    return n / float(max(1.0, observed) ** weight * most ** (1.0 - weight))


def scattered_size(influence: Floats, groups: Codes, traits: Iterable[Floats]) -> float:
    """Items over their design effect, shrunk towards its maximum the less, the more scattered the disagreements are.

    Like `cautious_size`, but with ``log d = (e log d_0 + 2 log s) / (e + 2)``, ``s = 1 + (s_0 - 1) (1 - r^2 N / (N +
    1))``. s_0 is the design effect if all items of a cluster are alike, and N the number of items on which raters
    differ. r is Kish's effective number of clusters with a disagreement over that expected if these items were placed
    at random (`clusters_by_chance`), at most 1, or the same ratio for the category in the fewest clusters, whichever is
    smaller. If both are as scattered as items independent of their cluster, there is no reason to assume a greater
    design effect than observed; but a single disagreement cannot show that. The numbers 2 and 1 and the square were
    chosen by simulation (`docs/statistics.md`, coverage).

    Parameters
    ----------
    influence, groups, traits
        As in `cautious_size`.

    Returns
    -------
    float
        At most n; Kish's effective number of clusters if nothing varies or raters never differ.

    Examples
    --------
    Four pairs of items, with "yes" in two pairs and disagreement in two, as scattered as possible: s is 1 1/3, whereas
    it is 2 in `cautious_size`.

    >>> influence, groups = np.array([1.0, 1, -1, -1, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 2, 2, 3, 3])
    >>> yes, differ = np.array([1.0, 0, 0, 0, 1, 0, 0, 0]), np.array([0.0, 0, 1, 0, 0, 0, 1, 0])
    >>> round(scattered_size(influence, groups, [yes, 1 - yes, differ]), 3)
    4.762
    """
    n, sizes = influence.size, np.bincount(groups).astype(np.float64)
    most, shared = float((sizes**2).sum()) / n, float((sizes * (sizes - 1.0)).sum()) / (n * (n - 1.0))
    observed = observed_effect(influence, groups)
    if observed is None:
        return n / most
    scattered = []  # for each trait, its number of clusters, and the ratio of that to the number by chance
    for trait in traits:
        clusters = clusters_with(trait, groups)
        scattered.append((clusters, min(1.0, clusters / clusters_by_chance(trait, shared)) if clusters > 0.0 else 0.0))
        differing_items = float(trait.sum())
    *of_categories, (differing, share) = scattered
    rarest, of_rarest = min((category for category in of_categories if category[0] > 0.0), default=(math.inf, 1.0))
    evidence = min(differing, rarest / _FOR_ONE)
    seen = min(share, of_rarest) ** 2 * differing_items / (differing_items + 1.0)
    weight = evidence / (evidence + _CAUTION_OF_SCATTERED)
    return n / float(max(1.0, observed) ** weight * (1.0 + (most - 1.0) * (1.0 - seen)) ** (1.0 - weight))


def cluster_of_item(groups: Codes | None) -> float:
    """Size of the cluster that an average item is in, ``sum n_c^2 / n``: above the mean size if sizes are unequal.

    Parameters
    ----------
    groups : ndarray of int, shape (items,), or None
        Cluster of each item; None for independent items.

    Returns
    -------
    float
        1 without clusters or items.

    Examples
    --------
    >>> cluster_of_item(np.array([0, 0, 0, 1])), cluster_of_item(None)
    (2.5, 1.0)
    """
    if groups is None or groups.size == 0:
        return 1.0
    sizes = np.bincount(groups).astype(np.float64)
    return float((sizes**2).sum()) / groups.size


def clusters_by_chance(amounts: Floats, shared: float) -> float:
    """Expected effective number of clusters (`clusters_with`) if items were assigned to clusters at random.

    ``T^2 / (Q + (T^2 - Q) f)``, T and Q the sums of the amounts and of their squares: the denominator is the mean of
    ``sum_c x_c^2`` over all permutations of the items.

    Parameters
    ----------
    amounts : ndarray, shape (n,)
        Each item's amount; not all 0.
    shared : float
        f, the probability that two items share a cluster: ``sum_c n_c (n_c - 1) / (n (n - 1))``.

    Returns
    -------
    float

    Examples
    --------
    Four items in two pairs; two of the items have the trait.

    >>> clusters_by_chance(np.array([1.0, 1, 0, 0]), 1 / 3) == 4 / (2 + 2 / 3)
    True
    """
    total, squares = float(amounts.sum()) ** 2, float((amounts**2).sum())
    return total / (squares + (total - squares) * shared)


def clusters_with(amounts: Floats, groups: Codes) -> float:
    """Kish's effective number of clusters with a trait: ``(sum_c x_c)^2 / sum_c x_c^2``.

    Parameters
    ----------
    amounts : ndarray, shape (n,)
        Each item's amount of the trait, at least 0.
    groups : ndarray of int, shape (n,)
        Cluster of each item.

    Returns
    -------
    float
        0 if no item has it; the number of clusters that have it if they all have the same amount.

    Examples
    --------
    >>> clusters_with(np.array([1.0, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 2]))
    2.0
    """
    of_clusters = np.bincount(groups, weights=amounts)
    squares = float((of_clusters**2).sum())
    return float(of_clusters.sum()) ** 2 / squares if squares > 0.0 else 0.0


def drawn_effect(observed: float, most: float, events: float) -> float:
    """A design effect, at least 1, shrunk towards its maximum with the weight of half an event.

    Parameters
    ----------
    observed : float
        The design effect of the sample.
    most : float
        The design effect if all items of a cluster are alike, or all events have the same weight.
    events : float
        Number of items with the rarer outcome.

    Returns
    -------
    float

    Examples
    --------
    >>> drawn_effect(1.0, 5.0, 0), drawn_effect(1.0, 5.0, 4.5)
    (5.0, 1.4)
    """
    return (events * max(1.0, observed) + 0.5 * most) / (events + 0.5)
