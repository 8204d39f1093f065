"""Paired comparisons: McNemar's test, differences of paired proportions and of paired means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used
from scipy import special

from agreement.arguments import check_resamples, one_of, shown, whole_number, yes_or_no
from agreement.cautions_of_shape import nearly_constant
from agreement.coding import Ratings, compact, encode_clusters, numbers_or_nan, same_length, strata_of_units
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.intervals import clopper_pearson_interval, wilson_limits
from agreement.lone_items import widened_in_clusters
from agreement.magnitude import mean_gap, refuse_huge, rescaled, tiny_unit
from agreement.methods import bootstrap_of, leaving_out
from agreement.p_by_inverting import one_way, p_of_units
from agreement.quantiles import chi_square_tail
from agreement.resampling import (
    Seed,
    bootstrap_of_sums,
    ratio,
    sums_by_cluster,
)
from agreement.words import Words

EXACT_BELOW = 25
"""Below this many discordant pairs `mcnemar` is exact by default."""

McNemar = Literal["auto", "exact", "mid-p", "chi2", "chi2-corrected"]


def mcnemar(b: int, c: int, method: McNemar = "auto", *, confidence: float = 0.95, unit: str = "pair") -> Estimate:
    """McNemar's test of two paired proportions, from the discordant pairs.

    The value is the share ``b / (b + c)`` of the discordant pairs, 0.5 if neither side prevails, with its
    Clopper-Pearson interval; `p` is from the requested method:

    - exact: ``min(1, 2 P(X <= min(b, c)))`` with X binomial ``(b + c, 1/2)`` [2]_
    - mid-p: the same with half of ``P(X = min(b, c))`` [3]_
    - chi2-corrected: ``(|b - c| - 1)^2 / (b + c)`` on one degree of freedom [2]_
    - chi2: ``(b - c)^2 / (b + c)`` [1]_
    - auto: exact below 25 discordant pairs, else chi2-corrected.

    ``p = 1`` for ``b = c`` and for no discordant pairs, by every method. Value undefined for no discordant pairs.

    Parameters
    ----------
    b, c : int
        Numbers of the two kinds of discordant pairs.
    method : {"auto", "exact", "mid-p", "chi2", "chi2-corrected"}
        Which test.
    confidence : float
        Nominal coverage of the interval of the share.
    unit : str
        What a pair is.

    Returns
    -------
    Estimate
        With `p`; `n` is the number of discordant pairs.

    Raises
    ------
    ValueError
        When a count is negative or fractional, or the method unknown.

    References
    ----------
    .. [1] McNemar (1947). Sampling error of the difference between correlated proportions. Psychometrika 12, 153-157.
    .. [2] Edwards (1948). Note on the correction for continuity. Psychometrika 13, 185-187.
    .. [3] Fagerland, Lydersen and Laake (2013). The McNemar test for binary matched-pairs data. BMC Med Res Methodol
       13, 91.

    Examples
    --------
    MRI-Eval: 28 against 22 discordant pairs, P = .48, and 42 against 17, P = .0018.

    >>> round(mcnemar(28, 22).p, 2), round(mcnemar(42, 17).p, 4)
    (0.48, 0.0018)
    """
    try:
        b, c = whole_number(b, "b"), whole_number(c, "c")
    except ValueError:
        raise ValueError(f"b and c are {shown(b)} and {shown(c)}; expected two whole numbers") from None
    if b < 0 or c < 0:
        raise ValueError(f"b and c are {b} and {c}; expected counts of at least 0")
    one_of(method, "method", ("auto", "exact", "mid-p", "chi2", "chi2-corrected"))
    n, (p, text) = b + c, mcnemar_p(b, c, method)
    estimate = clopper_pearson_interval(b, n, confidence=confidence)
    reason = "no discordant pairs" if n == 0 else None
    return Estimate(
        "share of discordant pairs",
        estimate.value,
        estimate.low,
        estimate.high,
        n,
        f"discordant {unit}",
        text + "; Clopper-Pearson interval",
        reason,
        p=p,
        confidence=confidence,
    )


def mcnemar_p(b: int, c: int, method: str = "auto") -> tuple[float, Words]:
    """The P value of `mcnemar` and the test that it comes from.

    Parameters
    ----------
    b, c, method
        As in `mcnemar`.

    Returns
    -------
    p : float
    test : Words
        For `Estimate.method`.

    Examples
    --------
    >>> mcnemar_p(1, 1)
    (1.0, 'McNemar, exact')
    """
    n, less = b + c, min(b, c)
    if method == "auto":
        method = "exact" if n < EXACT_BELOW else "chi2-corrected"
    # statsmodels' mcnemar has no mid-p; its chi-square gives P = 0 without discordant pairs and P < 1 for b = c
    text, p = Words("McNemar", f", {method}"), 1.0
    if method in ("exact", "mid-p"):
        if b != c:
            half = float(scipy.stats.binom.pmf(less, n, 0.5)) if method == "mid-p" else 0.0
            # The distribution function, of which scipy.stats makes thirty times the work for one number.
            p = min(1.0, 2.0 * float(special.betainc(n - less, less + 1, 0.5)) - half)
        return p, text
    gap = max(0, abs(b - c) - (1 if method == "chi2-corrected" else 0))
    statistic = gap**2 / n if n else 0.0
    return chi_square_tail(statistic, 1), text + f", chi2(1) = {statistic:.4g}"


def paired_proportion_difference(
    both: int, only_first: int, only_second: int, neither: int, *, confidence: float = 0.95, unit: str = "item"
) -> Estimate:
    """Difference of two paired proportions, ``(only_first - only_second) / n``, with Newcombe's score interval.

    Square-and-add of the two Wilson intervals with a correction for their correlation [1]_, method 10. Its width is
    never 0, but it assumes independent items. Undefined for no items.

    Parameters
    ----------
    both, only_first, only_second, neither : int
        Numbers of units positive on both, on the first only, on the second only, and on neither.
    confidence : float
        Nominal coverage.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        Between -1 and 1.

    Raises
    ------
    ValueError
        When a count is negative or fractional.

    References
    ----------
    .. [1] Newcombe (1998). Improved confidence intervals for the difference between binomial proportions based on
       paired data. Statistics in Medicine 17, 2635-2650, method 10.

    Examples
    --------
    >>> estimate = paired_proportion_difference(20, 12, 2, 16)
    >>> round(estimate.value, 4), round(estimate.low, 4), round(estimate.high, 4)
    (0.2, 0.0562, 0.3292)
    """
    e, f = whole_number(both, "both", 0), whole_number(only_first, "only_first", 0)
    g, h = whole_number(only_second, "only_second", 0), whole_number(neither, "neither", 0)
    confidence = check_confidence(confidence)
    n, name = e + f + g + h, "difference of paired proportions"
    method = Words("Newcombe's paired score interval", " (method 10), assumes independent items")
    if n == 0:
        return undefined(name, 0, unit, method, f"no {unit}s", confidence=confidence)
    low, high = paired_limits(e, f, g, h, confidence)
    return Estimate(name, (e + f) / n - (e + g) / n, low, high, n, unit, method, confidence=confidence)


def paired_limits(
    both: float, only_first: float, only_second: float, neither: float, confidence: float
) -> tuple[float, float]:
    """The two limits of `paired_proportion_difference`, without checks, also of an effective number of units.

    Parameters
    ----------
    both, only_first, only_second, neither : float
        Numbers of units, with a sum above 0; of clustered units, each multiplied by the effective share of units.
    confidence : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Low and high.

    Examples
    --------
    >>> [round(limit, 4) for limit in paired_limits(20, 12, 2, 16, 0.95)]
    [0.0562, 0.3292]
    """
    n = both + only_first + only_second + neither
    first, second = (both + only_first) / n, (both + only_second) / n
    low_1, high_1 = wilson_limits(both + only_first, n, confidence)
    low_2, high_2 = wilson_limits(both + only_second, n, confidence)
    phi = _phi(both, only_first, only_second, neither)
    below, above, below_2, above_2 = first - low_1, high_1 - first, second - low_2, high_2 - second
    difference = first - second
    down = math.sqrt(max(0.0, below**2 - 2.0 * phi * below * above_2 + above_2**2))
    up = math.sqrt(max(0.0, above**2 - 2.0 * phi * above * below_2 + below_2**2))
    return difference - down, difference + up


def paired_difference(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed,
    interval: Interval | None = None,
    confidence: float = 0.95,
    name: str = "mean difference",
    unit: str = "item",
    tests_zero: bool = False,
) -> Estimate:
    """Mean of ``a - b`` over items with both scores, with a paired bootstrap interval.

    Parameters
    ----------
    a, b : sequence of numbers, shape (items,)
        Two scores of the same items, for example correctness (1 or 0) of two raters; None or NaN is missing.
    clusters, strata : sequence, shape (items,), optional
        Cluster and stratum of each item.
    resamples, seed, interval
        See `bootstrap`; the seed is required.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.
    tests_zero : bool
        Whether to give `p`, by inverting the interval; from ten items or clusters on (`agreement.p_by_inverting`).

    Returns
    -------
    Estimate
        Undefined for no pairs; limits undefined for one unit, or when all differences are equal. With a warning if
        fewer than five differences are unlike the most frequent one, or if it has `p` and those other than 0 are fewer
        than eight, all of one sign.

    Raises
    ------
    ValueError
        When lengths differ, a score is not a number or beyond 1e140, or a cluster lies in two strata.

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> estimate = paired_difference([1, 1, 0, 1], [0, 1, 0, None], resamples=200, seed=1)
    >>> round(estimate.value, 3), estimate.n
    (0.333, 3)
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    kind = chosen_interval(interval or "percentile", *(BOOTSTRAPS if clusters is None else OF_CLUSTERED_NUMBERS))
    tests_zero = yes_or_no(tests_zero, "tests_zero")
    first, second = numbers_or_nan(a, "a"), numbers_or_nan(b, "b")
    for values, argument in ((first, "a"), (second, "b")):
        refuse_huge(values, argument)
    same_length(first, second, "a", "b")
    tiny = tiny_unit(first, second)
    if tiny is not None:
        scaled = paired_difference(
            first / tiny, second / tiny, clusters=clusters, strata=strata, resamples=resamples, seed=seed,
            interval=interval, confidence=confidence, name=name, unit=unit, tests_zero=tests_zero,
        )  # fmt: skip
        return rescaled(scaled, 0.0, tiny)
    known = ~(np.isnan(first) | np.isnan(second))
    note = ", paired" + leaving_out(int((~known).sum()), "without both")
    groups: npt.NDArray[np.intp] | None = None
    n_clusters = None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, known.size)[known])
    gaps = (first - second)[known]
    if gaps.size == 0:
        return undefined(
            name,
            0,
            unit,
            bootstrap_of(False, paired=True) + note,
            "no pairs",
            confidence=confidence,
            n_clusters=n_clusters,
        )
    of_unit = None
    if strata is not None:
        of_unit = strata_of_units(encode_clusters(strata, known.size, "strata")[known], groups)
    spread = bootstrap_of_sums(
        ratio,
        sums_by_cluster(np.stack([gaps, np.ones(gaps.size)], axis=1), groups),
        strata=of_unit,
        resamples=resamples,
        seed=seed,
        interval=widened_in_clusters(interval, kind, groups),
        confidence=confidence,
        clustered=groups is not None,
    )
    value = mean_gap(first[known], second[known])
    given, of_p = p_of_units(gaps.size, n_clusters, seed)
    # Without limits there is no interval to invert.
    note += of_p if tests_zero and (spread.p is not None or not given) else ""
    estimate = spread.estimate(name, value, gaps.size, unit, confidence=confidence, n_clusters=n_clusters, note=note)
    # If all of a few differences go one way, hardly a resample is without one, and 0 is excluded far too often.
    estimate = estimate.warned(nearly_constant(gaps, groups) if not math.isnan(estimate.low) else None)
    if not tests_zero or not given or spread.p is None:
        return estimate
    return replace(estimate, p=spread.p).warned(one_way(gaps, groups))


def _phi(e: float, f: float, g: float, h: float) -> float:
    """Correlation with the continuity correction of Newcombe's method 10: numerator reduced by n/2, but not below 0."""
    product = (e + f) * (g + h) * (e + g) * (f + h)
    if product == 0:
        return 0.0
    cross, n = e * h - f * g, e + f + g + h
    if cross > 0:
        return max(cross - n / 2.0, 0.0) / math.sqrt(product)
    return cross / math.sqrt(product)
