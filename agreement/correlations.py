"""Correlation of two scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used

from agreement.cautions_of_shape import skewed_pairs
from agreement.clustered_scores import resampled, units_of
from agreement.codebook import distinct_numbers
from agreement.coding import Codes, Floats, Ratings, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.functions_of_sums import OfSums, pearson_of
from agreement.interval_kinds import OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.methods import bootstrap_of, leaving_out
from agreement.quantiles import t_tail, upper_normal
from agreement.ranks_of_units import kendall_of, spearman_of
from agreement.resampling import Seed
from agreement.words import Words

EXACT_BELOW = 50
"""Below this many values without ties, P values of Kendall's tau and Mann-Whitney's U are exact, as in R."""

EXACT_RANKS = 9
"""Up to this many pairs without ties, Spearman's P value is exact, as in R."""


def pearson(
    x: Ratings,
    y: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Pearson's correlation with Fisher's z interval.

    ``tanh(atanh(r) -+ z / sqrt(n - 3))`` [1]_. Undefined for fewer than three pairs or a constant score; limits
    for fewer than four pairs and for ``|r| = 1``.

    Parameters
    ----------
    x, y : sequence of numbers, shape (items,)
        Scores; None or NaN is missing, and such pairs are left out.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject; interval and `p` are then those of a cluster bootstrap.
    interval : {"normal", "widened", "percentile", "bca"}, optional
        By default "normal" (on the z scale) without and "widened" (percentiles at the tails of t) with `clusters`.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` from t on n - 2 degrees of freedom; for a bootstrap, by inverting the interval.

    Raises
    ------
    ValueError
        When lengths differ, a value is not a finite number, or a normal interval is requested for clustered items.

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
    kind = _Kind("Pearson's r", _pearson, 1.0, 3, "Fisher's z", lambda a, b, units: pearson_of(a, b))
    return _correlation(kind, x, y, clusters, interval, resamples, seed, confidence, unit)


def spearman(
    x: Ratings,
    y: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Spearman's rank correlation with mean ranks for ties and the interval of Fieller, Hartley and Pearson.

    ``tanh(atanh(r) -+ z sqrt(1.06 / (n - 3)))`` [1]_. Undefined in the same cases as `pearson`.

    Parameters
    ----------
    x, y, clusters, interval, resamples, seed, confidence, unit
        As in `pearson`.

    Returns
    -------
    Estimate
        `p` is exact for up to nine pairs without ties, else from t on n - 2 degrees of freedom; the method says which.

    Raises
    ------
    ValueError
        When lengths differ, a value is not a finite number, or a normal interval is requested for clustered items.

    References
    ----------
    .. [1] Fieller, Hartley and Pearson (1957). Tests for rank correlation coefficients. Biometrika 44, 470-481.

    Examples
    --------
    Ranks 1 2 3 4 against 1 2 4 3: 1 - 6 * 2 / (4 * 15) = .8.

    >>> round(spearman([1, 2, 3, 4], [10, 20, 90, 40]).value, 3)
    0.8
    """
    kind = _Kind("Spearman's rho", _spearman, 1.06, 3, "Fieller-Hartley-Pearson", spearman_of, True)
    return _correlation(kind, x, y, clusters, interval, resamples, seed, confidence, unit)


def kendall_tau(
    x: Ratings,
    y: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Kendall's tau-b with the interval of Fieller, Hartley and Pearson.

    ``tau_b = (C - D) / sqrt((P - T_x) (P - T_y))`` over all pairs of items; limits
    ``tanh(atanh(tau) -+ z sqrt(0.437 / (n - 4)))`` [1]_, derived for small correlations without ties. Undefined in the
    same cases as `pearson`; limits also for fewer than five pairs.

    Parameters
    ----------
    x, y, clusters, interval, resamples, seed, confidence, unit
        As in `pearson`.

    Returns
    -------
    Estimate
        `p` is exact for fewer than 50 pairs without ties, else normal with the variance for ties: see the method.

    Raises
    ------
    ValueError
        When lengths differ, a value is not a finite number, or a normal interval is requested for clustered items.

    References
    ----------
    .. [1] Fieller, Hartley and Pearson (1957). Tests for rank correlation coefficients. Biometrika 44, 470-481.

    Examples
    --------
    Five of six pairs are concordant and one is discordant: 4 / 6.

    >>> round(kendall_tau([1, 2, 3, 4], [10, 20, 90, 40]).value, 3)
    0.667
    """
    kind = _Kind("Kendall's tau-b", _kendall, 0.437, 4, "Fieller-Hartley-Pearson", kendall_of)
    return _correlation(kind, x, y, clusters, interval, resamples, seed, confidence, unit)


def _pearson(x: Floats, y: Floats) -> tuple[float, float, str]:
    """The coefficient, P, and how P was obtained."""
    first, second = _deviations(x), _deviations(y)
    value = float(first @ second) / math.sqrt(float(first @ first) * float(second @ second))
    value = min(1.0, max(-1.0, value))
    return value, _p_of_t(value, x.size), "P from t"


def _spearman(x: Floats, y: Floats) -> tuple[float, float, str]:
    """The coefficient, P, and how P was obtained."""
    first, second = _mean_ranks(x), _mean_ranks(y)
    value, p, text = _pearson(first, second)
    if x.size > EXACT_RANKS or is_tied(x) or is_tied(y):
        return value, p, text
    return value, _exact_spearman(float(((first - second) ** 2).sum()), x.size), "P exact"


def _mean_ranks(places: Floats) -> Floats:
    times = np.bincount(places.astype(np.intp))
    return np.asarray((np.cumsum(times) - (times - 1) / 2.0)[places.astype(np.intp)])


def _kendall(x: Floats, y: Floats) -> tuple[float, float, str]:
    """The coefficient, P, and how P was obtained."""
    exact = x.size < EXACT_BELOW and not is_tied(x) and not is_tied(y)
    result = scipy.stats.kendalltau(x, y, method="exact" if exact else "asymptotic")
    return float(result.statistic), float(result.pvalue), "P exact" if exact else "P normal"


def _deviations(values: Floats) -> Floats:
    """Deviations from the mean up to a factor, without overflow of huge values or cancellation of nearly equal ones."""
    # a power of two scales without rounding; differences of nearly equal numbers are exact
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    scaled = scaled - scaled[0]
    return np.asarray(scaled - scaled.mean())


def _p_of_t(value: float, n: int) -> float:
    if abs(value) == 1.0:
        return 0.0
    t = abs(value) * math.sqrt((n - 2) / ((1.0 - value) * (1.0 + value)))
    return 2.0 * t_tail(t, n - 2)


def _exact_spearman(squares: float, n: int) -> float:
    """Two-sided P of a sum of squared rank differences, from all permutations of n ranks."""
    # number of permutations with each sum, built up by matching the first ranks with each set of ranks
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


def too_few_pairs(n: int) -> str:
    """The reason why n pairs have no correlation.

    Parameters
    ----------
    n : int
        Fewer than three.

    Returns
    -------
    str

    Examples
    --------
    >>> too_few_pairs(1), too_few_pairs(2)
    ('1 pair: expected three or more', '2 pairs: expected three or more')
    """
    return f"{n} pair{'' if n == 1 else 's'}: expected three or more"


def is_tied(values: Floats) -> bool:
    """Whether two values are equal.

    Parameters
    ----------
    values : ndarray
        None missing.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_tied(np.array([1.0, 2.0, 1.0]))
    True
    """
    return np.unique(values).size < values.size


class _Kind(NamedTuple):
    """A coefficient: its value and P, its interval on the z scale, and what a bootstrap needs.

    A rank correlation is given dense ranks of the values, from 0, instead of the values, so that they are sorted once.
    """

    name: str
    statistic: Callable[[Floats, Floats], tuple[float, float, str]]
    factor: float
    lost_degrees: int
    interval: str
    of_sums: Callable[[Floats, Floats, Codes], OfSums]
    by_order: bool = False


def _correlation(
    kind: _Kind,
    x: Ratings,
    y: Ratings,
    clusters: Ratings | None,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> Estimate:
    confidence = check_confidence(confidence)
    first, second = numbers_or_nan(x, "x"), numbers_or_nan(y, "y")
    same_length(first, second, "x", "y")
    known = ~(np.isnan(first) | np.isnan(second))
    groups = shared_clusters(clusters, known, interval)
    chosen = chosen_interval(interval, "normal", *OF_CLUSTERED_NUMBERS, clustered=groups is not None)
    units, n_clusters = units_of(groups, known[known])
    first, second = first[known], second[known]
    n, note = first.size, leaving_out(int((~known).sum()), "with a missing value")
    method = Words(f"{kind.interval} interval", ", independent items", note)
    if chosen != "normal":
        method = bootstrap_of(n_clusters is not None) + note
    # two pairs always lie on a rising or falling line
    if n < 3 or (first == first[0]).all() or (second == second[0]).all():
        reason = too_few_pairs(n) if n < 3 else "one of the two is constant"
        return undefined(kind.name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    if kind.by_order:
        first, second = (distinct_numbers(values)[1].astype(np.float64) for values in (first, second))
    value, p, how = kind.statistic(first, second)
    skewed = None if kind.by_order else skewed_pairs(_deviations(first), _deviations(second), unit)
    if chosen != "normal":
        plain = undefined(kind.name, n, unit, method, "no interval yet", value=value)
        return resampled(
            plain, kind.of_sums(first, second, units), units, n_clusters,
            interval=chosen, resamples=resamples, seed=seed, confidence=confidence, note=note,
        ).warned(skewed)  # fmt: skip
    method += f"; {how}"
    if n <= kind.lost_degrees or abs(value) > 1.0 - 1e-12:
        reason = f"{n} pairs: too few for an interval" if n <= kind.lost_degrees else "perfect correlation: no interval"
        return undefined(kind.name, n, unit, method, reason, value=value, p=p, confidence=confidence)
    half = upper_normal((1.0 - confidence) / 2.0) * math.sqrt(kind.factor / (n - kind.lost_degrees))
    z = math.atanh(value)
    estimate = Estimate(
        kind.name, value, math.tanh(z - half), math.tanh(z + half), n, unit, method, p=p, confidence=confidence
    )
    return estimate.warned(skewed)
