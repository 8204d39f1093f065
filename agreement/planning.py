"""How many human labels a judge validation needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from numbers import Real

import numpy as np
import numpy.typing as npt
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used

from agreement.arguments import number_in, shown
from agreement.coding import Codes, Floats
from agreement.estimate import check_confidence
from agreement.intervals import wilson_limits
from agreement.quantiles import normal_quantile, upper_normal

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
    within: float | None = None,
    differing: float | None = None,
    design_effect: float = 1.0,
    cluster_size: float = 1.0,
    icc: float = 0.0,
    confidence: float = 0.95,
) -> int:
    """Labels needed for a width of an interval, for the power to detect a judge's direction, or to show it has none.

    - `width`: the smallest n for which Wilson's interval of an expected `proportion` is at most that wide.
    - `power`: the smallest n at which the exact McNemar test at level ``1 - confidence`` rejects with at least that
      probability, when a share `strict` of all candidates is judged too strictly and a share `lenient` too
      leniently. The number of discordant pairs is binomial [1]_. The power of an exact test is not monotonic in n: from
      the returned n on, it does not fall below the desired power within the next 10 % (at least 2). From about 800
      on, the search uses steps of 1/400.
    - `power` and `within`: the smallest n at which both limits of the difference lie within that margin with at least
      that probability, if the judge has no direction at all and differs on a share `differing` of the candidates, half
      of them too strictly. This is equivalence by two one-sided tests [3]_ at half of ``1 - confidence`` each, the
      limits being those of the paired score interval [4]_. The power is summed over all tables and does not fall below
      the desired one, as above; from ``differing = 8 within`` on the number is the normal approximation
      ``(z_(1 - alpha / 2) + z_((1 + power) / 2))^2 differing / within^2``.

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
    within, differing : float, optional
        Instead of them: the margin, and the expected share of both kinds of disagreement together.
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
    .. [3] Liu, Hsueh, Hsieh and Chen (2002). Tests for equivalence or non-inferiority for paired binary data.
       Statistics in Medicine 21, 231-245.
    .. [4] Tango (1998). Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design. Statistics in Medicine 17, 891-908.

    Examples
    --------
    Expected agreement 90 %, interval at most 10 points wide; then MRI-Eval's shares of strict and lenient verdicts.

    >>> labels_needed(width=0.1, proportion=0.9)
    141
    >>> labels_needed(power=0.8, strict=13 / 136, lenient=1 / 136)
    104

    To show that a judge that differs on a tenth of the candidates is within 5 points:

    >>> labels_needed(power=0.8, within=0.05, differing=0.1)
    451

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
    elif within is not None:
        power = number_in(power, "power", "a number between 0 and 1", lambda share: 0.0 < share < 1.0)
        within = number_in(within, "within", "a number between 0 and 1", lambda share: 0.0 < share < 1.0)
        differing = number_in(differing, "differing", "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0)
        n = _for_equivalence(power, within, differing, 1.0 - confidence)
    else:
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
    z_alpha, z_beta = upper_normal(alpha / 2.0), normal_quantile(power)
    start = (z_alpha * math.sqrt(discordant) + z_beta * math.sqrt(max(0.0, discordant - gap**2))) ** 2 / gap**2
    if start > _LARGEST:
        raise ValueError(f"more than {_LARGEST} labels are needed")
    n, step = _first_tried(start)
    while n > 1 and _power(n, strict, lenient, alpha) >= power:
        n //= 2
    if start > _MANY:  # here the power increases steadily from step to step
        low, high = 0, math.ceil(start / step)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if _power(n + middle * step, strict, lenient, alpha) >= power else (middle, high)
        return n + high * step
    return _first_to_keep(lambda size: _power(size, strict, lenient, alpha) >= power, n, step)


def _first_tried(start: float) -> tuple[int, int]:
    """The first n that is tried, and the step to the next, from the number by the normal approximation."""
    return (1, 1) if start < _FEW else (int(start * 0.8), max(1, int(start / 400)))


def _first_to_keep(is_enough: Callable[[int], bool], n: int, step: int) -> int:
    """The first n from which the power is enough and remains so within the next 10 %."""
    while True:
        ahead = range(n, n + max(2 * step, n // 10) + 1, step)
        # from the far end, since only the last that falls short counts
        short = next((size for size in reversed(ahead) if not is_enough(size)), None)
        if short is None:
            return n
        n = short + step


def _for_equivalence(power: float, within: float, differing: float, alpha: float) -> int:
    z = upper_normal(alpha / 2.0)
    start = (z + normal_quantile((1.0 + power) / 2.0)) ** 2 * differing / within**2
    # without a single disagreement the limits are z^2 / (n + z^2) on either side
    least = z**2 * (1.0 / within - 1.0)
    if max(start, least) > _LARGEST:
        raise ValueError(f"more than {_LARGEST} labels are needed")
    if differing >= _NORMAL_FROM * within:
        return math.ceil(start)
    n, step = _first_tried(max(start, least))
    return _first_to_keep(lambda size: _power_within(size, within, differing, z) >= power, n, step)


_NORMAL_FROM = 8.0
"""So many times the margin must differ for the normal approximation to be within a percent of the exact number."""


@lru_cache(maxsize=16_384)
def _power_within(n: int, within: float, differing: float, z: float) -> float:
    """The probability that both limits of Tango's interval lie within the margin if as many are strict as lenient."""
    low, high = (int(edge) for edge in scipy.stats.binom.interval(1.0 - 1e-9, n, differing)) if differing else (0, 0)
    pairs = np.arange(max(0, low), high + 1)
    excess = np.arange(0, math.ceil(n * within) + 1)
    # strict minus lenient is as even or odd as their number; what lies between is not reached, and does no harm
    inside = _is_within(pairs[:, None], excess[None, :], n, within, z)
    most = inside.sum(axis=1) - 1  # the greatest excess that is still within, -1 if none is
    fewest_strict = np.ceil((pairs - most) / 2.0)
    probability = 1.0 - 2.0 * scipy.stats.binom.cdf(fewest_strict - 1.0, pairs, 0.5)
    probability = np.where(most >= 0, np.maximum(probability, 0.0), 0.0)
    return float((scipy.stats.binom.pmf(pairs, n, differing) * probability).sum())


def _is_within(pairs: Codes, excess: Codes, n: int, within: float, z: float) -> npt.NDArray[np.bool_]:
    """Whether the upper limit of Tango's interval lies below the margin; the lower one is further away."""
    lenient = (pairs - excess) / 2.0
    middle = -pairs + (2.0 * n - excess) * within
    root = np.sqrt(np.maximum(0.0, middle**2 + 8.0 * n * lenient * within * (1.0 - within)))
    share = np.maximum(0.0, (root - middle) / (4.0 * n))
    score = (excess - n * within) / np.sqrt(n * (2.0 * share + within * (1.0 - within)))
    return (lenient >= 0.0) & (score <= -z)


@lru_cache(maxsize=16_384)
def _power(n: int, strict: float, lenient: float, alpha: float) -> float:
    """Power of the exact test: its rejection probability, averaged over the number of discordant pairs."""
    discordant = strict + lenient
    low, high = (int(edge) for edge in scipy.stats.binom.interval(1.0 - 1e-9, n, discordant))
    first = low // _PAIRS
    rejected = np.concatenate(
        [_rejected(block, strict / discordant, alpha) for block in range(first, high // _PAIRS + 1)]
    )[low - first * _PAIRS : high + 1 - first * _PAIRS]
    return float((scipy.stats.binom.pmf(np.arange(low, high + 1), n, discordant) * rejected).sum())


# Numbers of discordant pairs that are computed at once.
_PAIRS = 256


@lru_cache(maxsize=4096)
def _rejected(block: int, share: float, alpha: float) -> Floats:
    """The rejection probability of the exact test for each number of discordant pairs in a block, whatever n is."""
    pairs = np.arange(block * _PAIRS, (block + 1) * _PAIRS)
    # largest count c with 2 P(X <= c) <= alpha; -1 if there is none
    critical = scipy.stats.binom.ppf(alpha / 2.0, pairs, 0.5)
    critical = np.where(2.0 * scipy.stats.binom.cdf(critical, pairs, 0.5) <= alpha, critical, critical - 1)
    rejected = scipy.stats.binom.cdf(critical, pairs, share) + scipy.stats.binom.sf(pairs - critical - 1, pairs, share)
    return np.where(critical >= 0, rejected, 0.0)
