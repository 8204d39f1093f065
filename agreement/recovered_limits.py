"""Limits of a difference of two estimates, from the limits of each."""

from __future__ import annotations

import math

from agreement.estimate import Estimate


def limits_of_difference(first: Estimate, second: Estimate, correlation: float) -> tuple[float, float]:
    """Limits of ``first - second``, which need no standard error of either.

    ``(p1 - p2) - sqrt(d1^2 + d2^2 - 2 r d1 d2)`` with ``d1 = p1 - l1`` and ``d2 = u2 - p2``, and
    ``(p1 - p2) + sqrt(...)`` with ``d1 = u1 - p1`` and ``d2 = p2 - l2``: the variance of each at the limit in question
    is recovered from its distance [1]_, which is 0 where a value is beyond its own limit. With Wilson's intervals of
    two independent shares it is Newcombe's [2]_.

    Parameters
    ----------
    first, second : Estimate
        Both with limits.
    correlation : float
        Of the two estimates.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] Zou and Donner (2008). Construction of confidence limits about effect measures: a general approach. Stat Med
       27, 1693-1702.
    .. [2] Newcombe (1998). Interval estimation for the difference between independent proportions. Stat Med 17,
       873-890, method 10.

    Examples
    --------
    Newcombe's first example: 56 of 70 and 48 of 80, .0524 to .3339.

    >>> from agreement.percent import share
    >>> first, second = (share([1] * right + [0] * wrong, None, name="share", unit="item")
    ...                  for right, wrong in ((56, 14), (48, 32)))
    >>> [round(limit, 4) for limit in limits_of_difference(first, second, 0.0)]
    [0.0524, 0.3339]
    """
    value = first.value - second.value
    below = _together(first.value - first.low, second.high - second.value, correlation)
    above = _together(first.high - first.value, second.value - second.low, correlation)
    return value - below, value + above


def _together(first: float, second: float, correlation: float) -> float:
    largest = max(first, second)
    if largest <= 0.0:
        return 0.0
    a, b = max(0.0, first) / largest, max(0.0, second) / largest  # whose squares are finite
    return largest * math.sqrt(max(0.0, a**2 + b**2 - 2.0 * correlation * a * b))
