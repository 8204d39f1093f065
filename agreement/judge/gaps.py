"""The difference between two levels of a factor, from the interval of each, and the minimum detectable difference."""

from __future__ import annotations

import math

from agreement.estimate import Estimate, undefined
from agreement.quantiles import normal_quantile, upper_normal
from agreement.words import Words


def gap(first: Estimate, second: Estimate, *, name: str, confidence: float, shared: int = 0) -> Estimate:
    """Difference of two estimates, with limits by the square-and-add method (MOVER).

    ``low = a - b - sqrt((a - l_a)^2 + (u_b - b)^2)`` and ``high = a - b + sqrt((u_a - a)^2 + (b - l_b)^2)`` [1]_. It
    needs no symmetric standard error, so it also holds for rare errors if the two intervals do. The two estimates are
    assumed independent; if they share clusters whose errors are positively correlated, the interval is conservative.

    Parameters
    ----------
    first, second : Estimate
        With the intervals to be combined; both in the same unit.
    name : str
    confidence : float
        The confidence level reported for the difference; both intervals should have it.
    shared : int
        How many clusters are in both samples; `n_clusters` counts them once.

    Returns
    -------
    Estimate
        `n` is the sum of both. Undefined if either has no interval.

    References
    ----------
    .. [1] Zou and Donner (2008). Construction of confidence limits about effect measures: a general approach.
       Statistics in Medicine 27, 1693-1702, eq. 5.

    Examples
    --------
    Newcombe's example of 56 / 70 and 48 / 80, from the Wilson interval of each: .2 [.0524, .3339].

    >>> from agreement import wilson_interval
    >>> estimate = gap(wilson_interval(56, 70), wilson_interval(48, 80), name="difference", confidence=0.95)
    >>> round(estimate.low, 4), round(estimate.high, 4)
    (0.0524, 0.3339)
    """
    n, method = first.n + second.n, Words("square-and-add of the two intervals", ", taken as independent")
    counts = (first.n_clusters, second.n_clusters)
    clusters = None if counts[0] is None or counts[1] is None else counts[0] + counts[1] - shared
    for estimate in (first, second):
        if math.isnan(estimate.value) or math.isnan(estimate.low):
            reason = estimate.undefined_because or "no interval"
            return undefined(
                name, n, first.unit, method, reason, value=first.value - second.value, confidence=confidence
            )
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(name, value, low, high, n, first.unit, method, confidence=confidence, n_clusters=clusters)


def noticeable(variance: float, sizes: tuple[float, float], *, confidence: float, power: float) -> float:
    """The smallest true difference between two levels that these sample sizes would have detected with the given power.

    ``(z_(1 - alpha / 2) + z_power) sqrt(v / n_1 + v / n_2)``.

    Parameters
    ----------
    variance : float
        Of a single difference, pooled over all levels.
    sizes : tuple of float
        Candidates in the two levels; for clustered candidates, their effective numbers.
    confidence, power : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(noticeable(0.1, (100, 100), confidence=0.95, power=0.8), 4)
    0.1253
    """
    quantiles = upper_normal((1.0 - confidence) / 2.0) + normal_quantile(power)
    return quantiles * math.sqrt(variance * (1.0 / sizes[0] + 1.0 / sizes[1]))
