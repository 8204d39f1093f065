"""Correlation of two scores, and the comparison of two groups by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from agreement.coding import Floats, Ratings, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.roc import NO_VARIANCE, delong_parts, delong_variance, without_spread

EXACT_BELOW = 50
"""Fewer values than this, without ties, have exact P values for Kendall's tau and Mann-Whitney's U, as in R."""

EXACT_RANKS = 9
"""Up to this many pairs without ties Spearman's P value is exact, as in R."""


def pearson(x: Ratings, y: Ratings, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Pearson's correlation with Fisher's z interval.

    ``tanh(atanh(r) -+ z / sqrt(n - 3))`` [1]_. Undefined for fewer than two pairs or a constant score; limits for
    fewer than four pairs and for ``|r| = 1``.

    Parameters
    ----------
    x, y : sequence of numbers, shape (items,)
        Scores; None or NaN is missing, such pairs are left out.
    confidence : float
        Nominal coverage; assumes independent items.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` from t on n - 2 degrees of freedom; None for two pairs.

    Raises
    ------
    ValueError
        When lengths differ or a value is no finite number.

    References
    ----------
    .. [1] Fisher (1921). On the probable error of a coefficient of correlation. Metron 1, 3-32.

    Examples
    --------
    Law school data of Efron and Tibshirani (1993): .776.

    >>> lsat = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
    >>> gpa = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
    >>> round(pearson(lsat, gpa).value, 3)
    0.776
    """
    return _correlation("Pearson's r", x, y, _pearson, 1.0, 3, "Fisher's z", confidence, unit)


def spearman(x: Ratings, y: Ratings, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Spearman's rank correlation, ties by mean ranks, with the interval of Fieller, Hartley and Pearson.

    ``tanh(atanh(r) -+ z sqrt(1.06 / (n - 3)))`` [1]_. Undefined as `pearson`.

    Parameters
    ----------
    x, y : sequence of numbers, shape (items,)
        Scores; None or NaN is missing, such pairs are left out.
    confidence : float
        Nominal coverage; assumes independent items.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` is exact for up to nine pairs without ties, else from t on n - 2 degrees of freedom; the method says which.

    Raises
    ------
    ValueError
        When lengths differ or a value is no finite number.

    References
    ----------
    .. [1] Fieller, Hartley and Pearson (1957). Tests for rank correlation coefficients. Biometrika 44, 470-481.

    Examples
    --------
    Ranks 1 2 3 4 against 1 2 4 3: 1 - 6 * 2 / (4 * 15) = .8.

    >>> round(spearman([1, 2, 3, 4], [10, 20, 90, 40]).value, 3)
    0.8
    """
    return _correlation("Spearman's rho", x, y, _spearman, 1.06, 3, "Fieller-Hartley-Pearson", confidence, unit)


def kendall_tau(x: Ratings, y: Ratings, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Kendall's tau-b with the interval of Fieller, Hartley and Pearson.

    ``tau_b = (C - D) / sqrt((P - T_x) (P - T_y))`` over all pairs of items; limits
    ``tanh(atanh(tau) -+ z sqrt(0.437 / (n - 4)))`` [1]_, made for no ties and small correlations. Undefined as
    `pearson`, limits for fewer than five pairs.

    Parameters
    ----------
    x, y : sequence of numbers, shape (items,)
        Scores; None or NaN is missing, such pairs are left out.
    confidence : float
        Nominal coverage; assumes independent items.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` is exact for fewer than 50 pairs without ties, else normal with the variance for ties: see the method.

    Raises
    ------
    ValueError
        When lengths differ or a value is no finite number.

    References
    ----------
    .. [1] Fieller, Hartley and Pearson (1957). Tests for rank correlation coefficients. Biometrika 44, 470-481.

    Examples
    --------
    Five concordant pairs and one discordant of six: 4 / 6.

    >>> round(kendall_tau([1, 2, 3, 4], [10, 20, 90, 40]).value, 3)
    0.667
    """
    name, interval = "Kendall's tau-b", "Fieller-Hartley-Pearson"
    return _correlation(name, x, y, _kendall, 0.437, 4, interval, confidence, unit)


def mann_whitney(x: Ratings, y: Ratings, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Mann-Whitney U test with the common-language effect size.

    The value is ``P(X > Y) + P(X = Y) / 2 = U / (n_x n_y)``, ties counted one half [1]_; its interval is DeLong's,
    clipped to [0, 1], since it is the area under the ROC curve of x against y. `p` is exact for
    fewer than 50 values in each group without ties, else normal with tie and continuity correction; the method says
    which. Undefined when a group is empty; limits when the groups do not overlap, or one of them holds one value.

    Parameters
    ----------
    x, y : sequence of numbers, shapes (n_x,) and (n_y,)
        Scores of two independent groups; None or NaN is missing.
    confidence : float
        Nominal coverage; assumes independent units.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        Between 0 and 1; 0.5 for no difference. `n` is ``n_x + n_y``.

    Raises
    ------
    ValueError
        When a value is no finite number.

    References
    ----------
    .. [1] McGraw and Wong (1992). A common language effect size statistic. Psychological Bulletin 111, 361-365.

    Examples
    --------
    Of six pairs x is the larger in four, and once they tie: (4 + 1/2) / 6.

    >>> mann_whitney([3, 5, 6], [2, 5]).value
    0.75
    """
    check_confidence(confidence)
    first, second = numbers_or_nan(x, "x"), numbers_or_nan(y, "y")
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    name, n = "probability of superiority", first.size + second.size
    method = "Mann-Whitney U, DeLong interval, clipped to [0, 1], independent items"
    if first.size == 0 or second.size == 0:
        return undefined(name, n, unit, method, "one group is empty", confidence=confidence)
    exact = max(first.size, second.size) < EXACT_BELOW and not _tied(np.concatenate([first, second]))
    result = stats.mannwhitneyu(
        first, second, alternative="two-sided", use_continuity=True, method="exact" if exact else "asymptotic"
    )
    p = float(result.pvalue)
    method += "; P exact" if exact else "; P normal, corrected for ties and continuity"
    value, *parts = delong_parts(first, second)
    variance = delong_variance(*parts)
    if not variance > NO_VARIANCE:
        reason = "one value in a group" if min(first.size, second.size) < 2 else without_spread(value, "groups")
        return undefined(name, n, unit, method, reason, value=value, p=p, confidence=confidence)
    se = math.sqrt(variance)
    half = float(stats.norm.isf((1.0 - confidence) / 2.0)) * se
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence)


def _pearson(x: Floats, y: Floats) -> tuple[float, float, str]:
    """Coefficient, P and how P was found."""
    first, second = _deviations(x), _deviations(y)
    value = float(first @ second) / math.sqrt(float(first @ first) * float(second @ second))
    value = min(1.0, max(-1.0, value))
    return value, _p_of_t(value, x.size), "P from t"


def _spearman(x: Floats, y: Floats) -> tuple[float, float, str]:
    """Coefficient, P and how P was found."""
    first, second = stats.rankdata(x), stats.rankdata(y)
    value, p, text = _pearson(first, second)
    if x.size > EXACT_RANKS or _tied(x) or _tied(y):
        return value, p, text
    return value, _exact_spearman(float(((first - second) ** 2).sum()), x.size), "P exact"


def _kendall(x: Floats, y: Floats) -> tuple[float, float, str]:
    """Coefficient, P and how P was found."""
    exact = x.size < EXACT_BELOW and not _tied(x) and not _tied(y)
    result = stats.kendalltau(x, y, method="exact" if exact else "asymptotic")
    return float(result.statistic), float(result.pvalue), "P exact" if exact else "P normal"


def _deviations(values: Floats) -> Floats:
    """Deviations from the mean up to a factor, without overflow for huge or loss for nearly equal values."""
    # a power of two scales without rounding; differences of nearly equal numbers are exact
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    scaled = scaled - scaled[0]
    return np.asarray(scaled - scaled.mean())


def _p_of_t(value: float, n: int) -> float:
    if n < 3:
        return math.nan
    if abs(value) == 1.0:
        return 0.0
    t = abs(value) * math.sqrt((n - 2) / ((1.0 - value) * (1.0 + value)))
    return float(2.0 * stats.t.sf(t, n - 2))


def _exact_spearman(squares: float, n: int) -> float:
    """Two-sided P of a sum of squared rank differences, over all orders of n ranks."""
    # how many orders give each sum, from those of the first ranks matched with each set of ranks
    counts: dict[frozenset[int], dict[int, int]] = {frozenset(): {0: 1}}
    for rank in range(n):
        following: dict[frozenset[int], dict[int, int]] = {}
        for used, sums in counts.items():
            for other in set(range(n)) - used:
                into = following.setdefault(used | {other}, {})
                for total, times in sums.items():
                    into[total + (rank - other) ** 2] = into.get(total + (rank - other) ** 2, 0) + times
        counts = following
    sums = counts[frozenset(range(n))]
    below = sum(times for total, times in sums.items() if total <= squares + 0.5)
    above = sum(times for total, times in sums.items() if total >= squares - 0.5)
    return min(1.0, 2.0 * min(below, above) / math.factorial(n))


def _tied(values: Floats) -> bool:
    return np.unique(values).size < values.size


def _correlation(
    name: str,
    x: Ratings,
    y: Ratings,
    statistic: Callable[[Floats, Floats], tuple[float, float, str]],
    factor: float,
    lost_degrees: int,
    interval: str,
    confidence: float,
    unit: str,
) -> Estimate:
    check_confidence(confidence)
    first, second = numbers_or_nan(x, "x"), numbers_or_nan(y, "y")
    same_length(first, second, "x", "y")
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    lost, n = int((~known).sum()), first.size
    method = f"{interval} interval, independent items" + (f"; {lost} with a missing value left out" if lost else "")
    if n < 2:
        return undefined(name, n, unit, method, "fewer than two pairs", confidence=confidence)
    if (first == first[0]).all() or (second == second[0]).all():
        return undefined(name, n, unit, method, "one of the two is constant", confidence=confidence)
    value, p, how = statistic(first, second)
    p_value = None if math.isnan(p) else p
    method += f"; {how}" if p_value is not None else ""
    if n <= lost_degrees or abs(value) > 1.0 - 1e-12:
        reason = f"{n} pairs: too few for an interval" if n <= lost_degrees else "perfect correlation: no interval"
        return undefined(name, n, unit, method, reason, value=value, p=p_value, confidence=confidence)
    half = float(stats.norm.isf((1.0 - confidence) / 2.0)) * math.sqrt(factor / (n - lost_degrees))
    z = math.atanh(value)
    return Estimate(
        name, value, math.tanh(z - half), math.tanh(z + half), n, unit, method, p=p_value, confidence=confidence
    )
