"""From a chance-corrected coefficient of several raters to its estimate: Gwet's interval, or a bootstrap."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from agreement.coding import Codes, Floats, compact
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster

ROUNDING = 1e-12
"""Differences below this are rounding errors of an exact zero."""

_LARGEST = 10**8  # numbers in a table of items by categories
_MOST = 5000  # categories

RATERS = "these raters (fixed), items sampled"


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient, ready for either kind of interval.

    Attributes
    ----------
    rows : ndarray, shape (items, k)
        What each item adds to the sums that the coefficient is a function of.
    of_sums : callable
        The coefficient from such sums, shape (..., k) to (...); nan where undefined.
    linearised : ndarray, shape (items,)
        The coefficient linearised item by item: the spread around its mean gives the standard error.
    reason : str or None
        Why the coefficient has no value.
    lowest : float
        The least that it can be.
    """

    rows: Floats
    of_sums: Callable[[Floats], Floats]
    linearised: Floats
    reason: str | None = None
    lowest: float = -1.0


def estimate_of(
    coefficient: Coefficient | None,
    name: str,
    n: int,
    clusters: Codes | None,
    interval: Interval | None,
    *,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
    note: str = "",
    needs_two_items: bool = True,
) -> Estimate:
    """The estimate of a coefficient.

    ``se^2 = sum (x_i - mean x)^2 / (n (n - 1))`` over the linearised coefficient [1]_; limits ``value -+ t se`` with
    t on n - 1 degrees of freedom, clipped at 1 and at the least that the coefficient can be.

    Parameters
    ----------
    coefficient : Coefficient or None
        None when no item has two ratings.
    name, unit, note, confidence
        For the estimate.
    n : int
        Number of items.
    clusters : ndarray of int, shape (n,), or None
        Cluster of each item.
    interval : {"t", "percentile", "bca"} or None
        By default "t" without and "percentile" with clusters.
    resamples, seed
        For the bootstrap.
    needs_two_items : bool
        Whether the value itself is undefined for one item.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        When `interval` is unknown, or "t" with clusters.

    References
    ----------
    .. [1] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
    """
    check_confidence(confidence)
    interval = chosen_interval(interval, "t", *BOOTSTRAPS, clustered=clusters is not None)
    groups, n_clusters = compact(clusters) if clusters is not None else (None, None)
    method = f"Gwet's standard error, t with n - 1 degrees of freedom, clipped at 1, independent items; {RATERS}{note}"
    if interval != "t":
        method = f"{'cluster ' if groups is not None else ''}bootstrap; {RATERS}{note}"
    reason = "no item has two ratings" if coefficient is None else coefficient.reason
    if reason is None and n == 1 and needs_two_items:
        reason = f"one {unit}: {name} needs two or more"
    if coefficient is None or reason is not None:
        return undefined(name, n, unit, method, str(reason), confidence=confidence, n_clusters=n_clusters)
    value = float(coefficient.of_sums(coefficient.rows.sum(axis=0)))
    if interval == "t":
        return _with_t(coefficient, name, value, n, unit, method, confidence)
    spread = bootstrap_of_sums(
        coefficient.of_sums,
        sums_by_cluster(coefficient.rows, groups),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    return spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=f"; {RATERS}{note}")


def check_size(items: int, categories: int) -> None:
    """Refuse ratings whose table of items by categories would not fit in memory, as of free text.

    Parameters
    ----------
    items, categories : int
        Shape of the table.

    Raises
    ------
    ValueError
        When it would hold more than 10^8 numbers or 5000 categories.
    """
    if items * categories > _LARGEST or categories > _MOST:
        raise ValueError(
            f"ratings hold {categories} categories over {items} rows; expected verdicts that repeat, not free text"
        )


def no_value(totals: Floats) -> Floats:
    """A coefficient that is undefined whatever the sums.

    Parameters
    ----------
    totals : ndarray, shape (..., k)
        Sums.

    Returns
    -------
    ndarray, shape (...)
        nan throughout.
    """
    return np.full(totals.shape[:-1], np.nan)


def lowest_value(weights: Floats) -> float:
    """The coefficient when no two raters agree at all, and chance agreement is the greatest, that of equal shares.

    Parameters
    ----------
    weights : ndarray, shape (q, q)
        Agreement weights.

    Returns
    -------
    float

    Examples
    --------
    >>> lowest_value(np.eye(2))
    -1.0
    """
    greatest = float(weights.sum()) / len(weights) ** 2
    return -greatest / (1.0 - greatest)


def _with_t(
    coefficient: Coefficient, name: str, value: float, n: int, unit: str, method: str, confidence: float
) -> Estimate:
    if n < 2:
        return undefined(name, n, unit, method, f"one {unit}: no standard error", value=value, confidence=confidence)
    deviation = coefficient.linearised - coefficient.linearised.mean()
    variance = float((deviation**2).sum()) / (n * (n - 1))
    if variance < ROUNDING**2 * n:
        reason = "the standard error is 0: every item says the same"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    se = math.sqrt(variance)
    half = float(stats.t.isf((1.0 - confidence) / 2.0, n - 1)) * se
    p = float(2.0 * stats.t.sf(abs(value) / se, n - 1))
    low, high = max(coefficient.lowest, value - half), min(1.0, value + half)
    if low > value - half:
        method += f"; lower limit clipped at {coefficient.lowest:.3g}, the least that it can be"
    if not low < high:
        reason = "the value is the least that it can be"
        return undefined(name, n, unit, method, reason, value=value, se=se, p=p, confidence=confidence)
    return Estimate(name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence)
