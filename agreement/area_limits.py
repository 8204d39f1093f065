"""Limits of an area under the ROC curve: score and normal."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from agreement.cautions import RARE, hardly_overlapping
from agreement.estimate import Estimate, undefined
from agreement.interval_kinds import Interval
from agreement.p_in_clusters import PInClusters, two_sided
from agreement.quantiles import normal_tail, upper_normal, upper_t

OF_AREAS: tuple[Interval, ...] = ("score", "normal")
"""The kinds of interval of an area; both allow for clusters."""

NO_VARIANCE = 1e-28
"""Variances of an area up to this are rounding errors: DeLong's components are then all equal."""

_LEAST = 1e-16
_OVERLAPPING = 5.0  # units on the wrong side whose variance counts as much as that of exponential scores

FEW_OVERLAPPING = 2
"""Score limits are warned of where fewer independent items than these lie on the wrong side of the other group
(`docs/statistics.md`, coverage)."""


def score_limits(
    value: float, variance: float, sides: tuple[int, int], units: tuple[int, int], quantile: float
) -> tuple[float, float]:
    """Newcombe's score limits of an area, with his variance scaled to the one that was observed.

    The limits solve ``|A - t| = q sqrt(s V(t))``, where V is the variance of the area of exponential scores [1]_ and
    ``s = var / V(A)``. Where few units lie on the wrong side of the other group, too small a variance may be chance: if
    s is below 1, it is ``s^(k / (k + 5))``, with k the expected number of such units of the smaller group. If there are
    none, s is 1, and clusters count once.

    Parameters
    ----------
    value, variance : float
        The area, and its variance by DeLong or Obuchowski; 0 if the two sides do not overlap.
    sides : tuple of int
        Numbers of positives and of negatives.
    units : tuple of int
        The same; with clusters, numbers of clusters in which either occurs.
    quantile : float
        Of the normal distribution, with clusters of t.

    Returns
    -------
    low, high : float
        Within [0, 1], and apart from each other.

    References
    ----------
    .. [1] Newcombe (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2.
       Statistics in Medicine 25, 559-573, method 5.

    Examples
    --------
    Two groups of 30 that do not overlap.

    >>> [round(limit, 3) for limit in score_limits(1.0, 0.0, (30, 30), (30, 30), 1.959964)]
    [0.933, 1.0]
    """
    counts, scale = units, 1.0
    if 0.0 < value < 1.0:
        counts, scale = sides, variance / _variance(value, sides)
        wrong_side = min(units) * min(value, 1.0 - value)
        if scale < 1.0:
            scale **= wrong_side / (wrong_side + _OVERLAPPING)

    def beyond(limit: float) -> float:
        return abs(value - limit) - quantile * math.sqrt(scale * _variance(limit, counts))

    # at 0 and 1 themselves the variance is 0
    low = optimize.brentq(beyond, 0.0, min(value, float(np.nextafter(1.0, 0.0))), xtol=_LEAST) if value > 0.0 else 0.0
    high = optimize.brentq(beyond, max(value, _LEAST), 1.0, xtol=_LEAST) if value < 1.0 else 1.0
    return float(low), float(high)


def scored(
    name: str,
    value: float,
    variance: float,
    n: int,
    unit: str,
    method: str,
    confidence: float,
    n_clusters: int | None,
    sides: tuple[int, int],
    units: tuple[int, int],
    wrong_side: float,
    worth: float | None,
    p_in_clusters: PInClusters = "t",
) -> Estimate:
    """An area with score limits.

    Parameters
    ----------
    name, value, n, unit, method, confidence, n_clusters
        As in `Estimate`.
    variance, sides, units
        As in `agreement.area_limits.score_limits`.
    wrong_side : float
        As in `hardly_overlapping`.
    worth : float or None
        Kish's effective number of clusters; None without.
    p_in_clusters : {"t", "normal"}
        The distribution of P with clusters; that of the limits is t.

    Returns
    -------
    Estimate
    """
    tail = (1.0 - confidence) / 2.0
    df = None if worth is None else max(1.0, worth - 1.0)
    quantile = upper_normal(tail) if df is None else upper_t(tail, df)
    low, high = score_limits(value, variance, sides, units, quantile)
    se = math.sqrt(variance) if variance > NO_VARIANCE else None
    p = None if se is None else two_sided((value - 0.5) / se, None if p_in_clusters == "normal" else df)
    estimate = Estimate(
        name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence, n_clusters=n_clusters
    )
    fewest = FEW_OVERLAPPING if worth is None else RARE
    return estimate.warned(hardly_overlapping(wrong_side, fewest))


def normal(
    name: str,
    value: float,
    variance: float,
    n: int,
    unit: str,
    method: str,
    confidence: float,
    n_clusters: int | None,
    reason: str,
    wrong_side: float,
) -> Estimate:
    """An area with normal limits, clipped to [0, 1], or without limits for a reason.

    Parameters
    ----------
    name, value, variance, n, unit, method, confidence, n_clusters, wrong_side
        As in `scored`.
    reason : str
        Why there are no limits if there is no variance.

    Returns
    -------
    Estimate
    """
    if not variance > NO_VARIANCE:
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters)
    se = math.sqrt(variance)
    half = upper_normal((1.0 - confidence) / 2.0) * se
    p = 2.0 * normal_tail(abs(value - 0.5) / se)
    low, high = max(0.0, value - half), min(1.0, value + half)
    estimate = Estimate(
        name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence, n_clusters=n_clusters
    )
    return estimate.warned(hardly_overlapping(wrong_side))


def _variance(area: float, counts: tuple[int, int]) -> float:
    """Of exponential scores; both sides as if they had the mean number of units, which makes it symmetric."""
    first, second = counts
    others = (first + second) / 2.0 - 1.0
    both = (1.0 - area) / (2.0 - area) + area / (1.0 + area)
    return area * (1.0 - area) * (1.0 + others * both) / (first * second)
