"""How many independent items clustered ones are worth."""

from __future__ import annotations

import numpy as np

from agreement.coding import Codes, Floats


def effective_size(influence: Floats, groups: Codes, events: float | None = None) -> float:
    """Items over their design effect.

    ``n / d``, ``d = (e d_0 + s / 2) / (e + 1 / 2)``; ``d_0 = m / (m - 1) sum_c (sum_i u_i)^2 / sum_i u_i^2`` over the
    influences u of the items of each of m clusters [1]_, at least 1; ``s = n / m`` is what it is where items of one
    cluster are all alike. Few events say little about how they cluster, so d is drawn towards s as by half an event;
    without any it is s, and the clusters are the n.

    Parameters
    ----------
    influence : ndarray, shape (n,)
        What each item adds to the error of the statistic, mean 0.
    groups : ndarray of int, shape (n,)
        Cluster of each item, without gaps; two at least.
    events : float, optional
        In how many items the rarer thing was seen; n by default.

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


def observed_effect(influence: Floats, groups: Codes) -> float | None:
    """The design effect of a sample, ``d_0`` of `effective_size`.

    Parameters
    ----------
    influence, groups
        As in `effective_size`.

    Returns
    -------
    float or None
        None where nothing varies.

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


def drawn_effect(observed: float, most: float, events: float, weight: float = 0.5) -> float:
    """A design effect, at least 1, drawn towards what it is at most as by half an event.

    Parameters
    ----------
    observed : float
        Of the sample.
    most : float
        Where items of one cluster are all alike, or the rarer thing has the same weight throughout.
    events : float
        In how many items the rarer thing was seen.
    weight : float
        How many events `most` counts as.

    Returns
    -------
    float

    Examples
    --------
    >>> drawn_effect(1.0, 5.0, 0), drawn_effect(1.0, 5.0, 4.5)
    (5.0, 1.4)
    """
    return (events * max(1.0, observed) + weight * most) / (events + weight)
