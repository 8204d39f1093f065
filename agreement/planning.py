"""How many human labels a judge validation needs."""

from __future__ import annotations

import math
from functools import lru_cache
from numbers import Real

import numpy as np
from scipy import stats

from agreement.arguments import number_in, shown
from agreement.coding import Floats
from agreement.estimate import check_confidence
from agreement.intervals import wilson_limits

_LARGEST = 10_000_000
_FEW = 200  # below this the search starts at 1, since the exact power is far from the normal approximation there
_MANY = 20_000  # above this the search bisects instead of stepping


def labels_needed(
    *,
    width: float | None = None,
    proportion: float = 0.5,
    power: float | None = None,
    strict: float | None = None,
    lenient: float | None = None,
    design_effect: float = 1.0,
    cluster_size: float = 1.0,
    icc: float = 0.0,
    confidence: float = 0.95,
) -> int:
    """Labels needed for a desired width of an interval, or for a desired power to detect a judge's direction.

    - `width`: the smallest n for which Wilson's interval of an expected `proportion` is at most that wide.
    - `power`: the smallest n at which the exact McNemar test at level ``1 - confidence`` rejects with at least that
      probability, when a share `strict` of all candidates is judged too strictly and a share `lenient` too
      leniently. The number of discordant pairs is binomial [1]_. The power of an exact test is not monotonic in n: from
      the returned n on, it does not fall below the desired power within the next 10 % (at least 2). From about 800
      on, the search uses steps of 1/400.

    Parameters
    ----------
    width : float, optional
        Full width of the interval, as a proportion.
    proportion : float
        Expected agreement, sensitivity, or other proportion; 0.5 is the worst case.
    power : float, optional
        Desired power, for example 0.8.
    strict, lenient : float, optional
        Expected shares of the two kinds of disagreement.
    design_effect : float
        Design effect for clustering [2]_, ``1 + (m - 1) ICC`` for clusters of size m; 1 for independent units. From a
        pilot study: the squared ratio of the clustered to the independent standard error.
    cluster_size, icc : float
        Instead of `design_effect`: the mean number of labels per cluster, at least 1, and their intraclass correlation,
        from 0 to 1. The result is then rounded up to whole clusters.
    confidence : float
        Coverage of the interval, or 1 minus the significance level of the test.

    Returns
    -------
    int
        Number of labelled units.

    Raises
    ------
    ValueError
        When not exactly one of `width` and `power` is given, a proportion is impossible, or more than ten million
        labels are needed.

    References
    ----------
    .. [1] Miettinen (1968). The matched pairs design in the case of all-or-none responses. Biometrics 24, 339-352.
    .. [2] Kish (1965). Survey Sampling, 5.4.

    Examples
    --------
    Expected agreement 90 %, interval at most 10 points wide; then MRI-Eval's shares of strict and lenient verdicts.

    >>> labels_needed(width=0.1, proportion=0.9)
    141
    >>> labels_needed(power=0.8, strict=13 / 136, lenient=1 / 136)
    104

    In subjects with five labels each: 141 (1 + 4 / 10) = 197.4, so 40 subjects.

    >>> labels_needed(width=0.1, proportion=0.9, cluster_size=5, icc=0.1)
    200
    """
    confidence = check_confidence(confidence)
    if (width is None) == (power is None):
        raise ValueError("width and power: expected exactly one of them")
    greatest = f"a number from 1 to {_LARGEST}"
    design_effect = number_in(design_effect, "design_effect", greatest, lambda effect: 1.0 <= effect <= _LARGEST)
    both = f"cluster_size and icc are {shown(cluster_size)} and {shown(icc)}; expected at least 1, and 0 to 1"
    given: tuple[object, object] = (cluster_size, icc)
    if not all(isinstance(value, Real) for value in given) or not (1 <= cluster_size <= _LARGEST and 0 <= icc <= 1):
        raise ValueError(both)
    cluster_size, icc = float(cluster_size), float(icc)
    if cluster_size > 1.0 and design_effect != 1.0:
        raise ValueError("design_effect and cluster_size: expected one of them; the size and icc give the effect")
    if width is not None:
        width = number_in(width, "width", "a number between 0 and 1", lambda share: 0.0 < share < 1.0)
        proportion = number_in(proportion, "proportion", "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0)
        n = _for_width(width, proportion, confidence)
    else:
        assert power is not None
        power = number_in(power, "power", "a number between 0 and 1", lambda share: 0.0 < share < 1.0)
        expected = "a share; strict and lenient are together at most 1"
        least = strict = number_in(strict, "strict", expected, lambda share: 0.0 <= share <= 1.0)
        lenient = number_in(lenient, "lenient", expected, lambda share: 0.0 <= share and 0.0 < least + share <= 1.0)
        if strict == lenient:
            raise ValueError("strict equals lenient: no number of labels tells a direction")
        n = _for_power(power, strict, lenient, 1.0 - confidence)
    if cluster_size > 1.0:
        clusters = math.ceil(n * (1.0 + (cluster_size - 1.0) * icc) / cluster_size - 1e-9)
        return math.ceil(clusters * cluster_size - 1e-9)
    return math.ceil(n * design_effect - 1e-9)


def _for_width(width: float, proportion: float, confidence: float) -> int:
    def wide(n: int) -> float:
        low, high = wilson_limits(proportion * n, n, confidence)
        return high - low

    low, high = 1, 2
    while wide(high) > width:
        low, high = high, high * 2
        if high > _LARGEST:
            raise ValueError(f"width is {width!r}: more than {_LARGEST} labels are needed")
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wide(middle) <= width else (middle + 1, high)
    return low


def _for_power(power: float, strict: float, lenient: float, alpha: float) -> int:
    # start from the normal approximation of [1], then use the exact power
    discordant, gap = strict + lenient, abs(strict - lenient)
    z_alpha, z_beta = float(stats.norm.isf(alpha / 2.0)), float(stats.norm.ppf(power))
    start = (z_alpha * math.sqrt(discordant) + z_beta * math.sqrt(max(0.0, discordant - gap**2))) ** 2 / gap**2
    if start > _LARGEST:
        raise ValueError(f"more than {_LARGEST} labels are needed")
    n, step = (1, 1) if start < _FEW else (int(start * 0.8), max(1, int(start / 400)))
    while n > 1 and _power(n, strict, lenient, alpha) >= power:
        n //= 2
    if start > _MANY:  # here the power increases steadily from step to step
        low, high = 0, math.ceil(start / step)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if _power(n + middle * step, strict, lenient, alpha) >= power else (middle, high)
        return n + high * step
    while True:
        ahead = range(n, n + max(2 * step, n // 10) + 1, step)
        # from the far end, since only the last that falls short counts
        short = next((size for size in reversed(ahead) if _power(size, strict, lenient, alpha) < power), None)
        if short is None:
            return n
        n = short + step


@lru_cache(maxsize=16_384)
def _power(n: int, strict: float, lenient: float, alpha: float) -> float:
    """Power of the exact test: its rejection probability, averaged over the number of discordant pairs."""
    discordant = strict + lenient
    low, high = (int(edge) for edge in stats.binom.interval(1.0 - 1e-9, n, discordant))
    first = low // _PAIRS
    rejected = np.concatenate(
        [_rejected(block, strict / discordant, alpha) for block in range(first, high // _PAIRS + 1)]
    )[low - first * _PAIRS : high + 1 - first * _PAIRS]
    return float((stats.binom.pmf(np.arange(low, high + 1), n, discordant) * rejected).sum())


# Numbers of discordant pairs that are computed at once.
_PAIRS = 256


@lru_cache(maxsize=4096)
def _rejected(block: int, share: float, alpha: float) -> Floats:
    """The rejection probability of the exact test for each number of discordant pairs in a block, whatever n is."""
    pairs = np.arange(block * _PAIRS, (block + 1) * _PAIRS)
    # largest count c with 2 P(X <= c) <= alpha; -1 if there is none
    critical = stats.binom.ppf(alpha / 2.0, pairs, 0.5)
    critical = np.where(2.0 * stats.binom.cdf(critical, pairs, 0.5) <= alpha, critical, critical - 1)
    rejected = stats.binom.cdf(critical, pairs, share) + stats.binom.sf(pairs - critical - 1, pairs, share)
    return np.where(critical >= 0, rejected, 0.0)
