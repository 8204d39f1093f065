"""Intervals of a proportion of independent units."""

from __future__ import annotations

import math

from agreement.arguments import whole_number
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.methods import WILSON
from agreement.quantiles import lower_beta, upper_beta, upper_normal, upper_t
from agreement.words import Words


def wilson_interval(
    x: int, n: int, *, confidence: float = 0.95, name: str = "proportion", unit: str = "item"
) -> Estimate:
    """Wilson's score interval of a proportion; assumes independent units.

    ``(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)`` with ``p = x / n`` [1]_. Its width is above 0 even for
    ``x = 0`` and ``x = n``. Undefined for ``n = 0``.

    Parameters
    ----------
    x : int
        Number of successes, ``0 <= x <= n``.
    n : int
        Number of units.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        A proportion in [0, 1].

    Raises
    ------
    ValueError
        When `x` or `n` is not a whole number, or `x` is not between 0 and `n`.

    References
    ----------
    .. [1] Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22, 209-212.
       In the form of Newcombe (1998), Statistics in Medicine 17, 857-872, method 3.

    Examples
    --------
    Newcombe (1998), Table I: 81 of 263.

    >>> interval = wilson_interval(81, 263)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2553, 0.3662)
    """
    x, n = _check_count(x, n)
    confidence = check_confidence(confidence)
    method = WILSON + ", assumes independent items"
    if n == 0:
        return undefined(name, 0, unit, method, f"no {unit}s", confidence=confidence)
    low, high = wilson_limits(x, n, confidence)
    return Estimate(name, x / n, low, high, n, unit, method, confidence=confidence)


def wilson_limits(x: float, n: float, confidence: float, freedom: float | None = None) -> tuple[float, float]:
    """The two limits of `wilson_interval`, without checks.

    Parameters
    ----------
    x : float
        Number of successes, or expected successes.
    n : float
        Number of units, or effective sample size of clustered units, above 0.
    confidence : float
        Nominal coverage.
    freedom : float, optional
        Degrees of freedom of a t quantile to use in place of the normal one, if n was estimated.

    Returns
    -------
    tuple of float
        Low and high.

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson_limits(15, 148, 0.95)]
    [0.0624, 0.1605]
    """
    tail = (1.0 - confidence) / 2.0
    z = upper_normal(tail) if freedom is None else upper_t(tail, freedom)
    # statsmodels' proportion_confint has no t quantile and takes 0.4 s to import. Newcombe (1998), method 3, both sides
    # multiplied by n
    centre = (x + z * z / 2.0) / (n + z * z)
    half = z * math.sqrt(x * (n - x) / n + z * z / 4.0) / (n + z * z)
    # at the ends of the scale, the formula is exactly 0 or 1; rounding must not push it beyond
    low = 0.0 if x <= 0 else centre - half
    high = 1.0 if x >= n else centre + half
    return low, high


def clopper_pearson_interval(
    x: int, n: int, *, confidence: float = 0.95, name: str = "proportion", unit: str = "item"
) -> Estimate:
    """The exact (Clopper-Pearson) interval of a proportion; assumes independent units.

    Limits are the beta quantiles ``B(alpha/2; x, n-x+1)`` and ``B(1-alpha/2; x+1, n-x)`` [1]_. Its coverage is never
    below nominal, so it is wide. Undefined for ``n = 0``.

    Parameters
    ----------
    x : int
        Number of successes, ``0 <= x <= n``.
    n : int
        Number of units.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        A proportion in [0, 1].

    Raises
    ------
    ValueError
        When `x` or `n` is not a whole number, or `x` is not between 0 and `n`.

    References
    ----------
    .. [1] Clopper and Pearson (1934). The use of confidence or fiducial limits. Biometrika 26, 404-413.

    Examples
    --------
    Newcombe (1998), Table I, method 5: 81 of 263.

    >>> interval = clopper_pearson_interval(81, 263)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2527, 0.3676)
    """
    x, n = _check_count(x, n)
    confidence = check_confidence(confidence)
    method = Words("Clopper-Pearson exact interval", ", assumes independent items")
    if n == 0:
        return undefined(name, 0, unit, method, f"no {unit}s", confidence=confidence)
    tail = (1.0 - confidence) / 2.0
    # the same quantiles as statsmodels' proportion_confint, which takes five times as long and 0.4 s to import
    low = 0.0 if x == 0 else lower_beta(tail, x, n - x + 1)
    high = 1.0 if x == n else upper_beta(tail, x + 1, n - x)
    return Estimate(name, x / n, low, high, n, unit, method, confidence=confidence)


def _check_count(x: int, n: int) -> tuple[int, int]:
    x, n = whole_number(x, "x"), whole_number(n, "n")
    if not 0 <= x <= n:
        raise ValueError(f"x is {x} and n is {n}; expected 0 <= x <= n")
    return x, n
