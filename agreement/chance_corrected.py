"""Estimates of chance-corrected coefficients of several raters, with Gwet's interval or a bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agreement.added_items import adjusted_estimate, total_of
from agreement.caution import Caution
from agreement.cautions import rare_category
from agreement.cautions_of_shape import of_disagreements
from agreement.coding import Codes, Floats, compact
from agreement.effective_size import cluster_of_item
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.methods import FIXED, T_ON_ALL, bootstrap_of
from agreement.quantiles import t_tail, upper_t
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.row_sums import row_counts, row_ranges, row_sums
from agreement.transformed import TRANSFORMED, Linearised
from agreement.unseen import unseen_of_coefficient
from agreement.words import Words

ROUNDING = 1e-12
"""Differences below this are rounding error around an exact zero."""

RATERS = FIXED + ", items sampled"


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient, ready for either kind of interval.

    Attributes
    ----------
    rows : ndarray, shape (items, k), or with `kind` (kinds, k)
        Each item's contribution to the sums that the coefficient is a function of.
    of_sums : callable
        Maps such sums, shape (..., k), to the coefficient, shape (...); nan if undefined.
    linearise : callable
        Returns the coefficient linearised item by item, shape (items,), or with `kind` (kinds,); its variation about
        the mean gives the standard error. Called only for the "t" interval.
    reason : str or None
        Why the coefficient has no value.
    lowest : float
        Its lower bound.
    rarest : float
        Expected number of items in the rarest category if the coefficient depends on it; otherwise infinite.
    traits : callable or None
        Returns each item's share of each category, and whether raters differ on it (`traits_of`), for the intervals of
        clustered items.
    added : ndarray, shape (patterns, k), or None
        Contribution to the sums of the items added by the adjusted interval; None if there is no such interval, and
        for weights and metrics also if raters differ on any item.
    kind : ndarray of int, shape (items,), or None
        Which row each item has, when many items are identical; None if each has its own.
    disagreement : ndarray, shape (items,), or None
        By how much raters differ on each item, for the warning of few disagreements; None if there is no such warning.
    """

    rows: Floats
    of_sums: Callable[[Floats], Floats]
    linearise: Callable[[], Floats]
    reason: str | None = None
    lowest: float = -1.0
    rarest: float = math.inf
    traits: Callable[[], Floats] | None = None
    added: Floats | None = None
    kind: Codes | None = None
    disagreement: Floats | None = None

    @property
    def times(self) -> Codes | None:
        """Number of items with each row; None if each has its own."""
        return None if self.kind is None else np.bincount(self.kind, minlength=len(self.rows))

    @property
    def of_items(self) -> Floats:
        """The row of each item."""
        return self.rows if self.kind is None else self.rows[self.kind]


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
    of_distances: bool = False,
) -> Estimate:
    """Estimate a coefficient with the chosen interval.

    The interval is adjusted (`adjusted_estimate`), transformed (`agreement.transformed`), a bootstrap, or uses ``se^2 =
    sum (x_i - mean x)^2 / (n (n - 1))`` of the linearised coefficient [1]_: limits ``value -+ t se`` with t on n - 1
    degrees of freedom, clipped at 1 and at the coefficient's lower bound.

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
    interval : {"scattered", "effective", "adjusted", "transformed", "t", "percentile", "bca"} or None
        By default "scattered" if the coefficient has added items, "transformed" if it is `of_distances`, otherwise "t"
        without clusters and "percentile" with them.
    resamples, seed
        For the bootstrap.
    needs_two_items : bool
        Whether the value itself is undefined for one item.
    of_distances : bool
        Whether it has weights or a metric other than the nominal one.

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
    confidence = check_confidence(confidence)
    first: tuple[Interval, ...] = ()
    if of_distances or coefficient is None or coefficient.added is not None:
        first = ("transformed",) if of_distances else ("scattered", "effective", "adjusted")
    clusters = shared_clusters(clusters, np.ones(n, dtype=bool), interval)
    interval = chosen_interval(
        interval, *first, "t", *BOOTSTRAPS, clustered=clusters is not None, for_clusters=(*first, *BOOTSTRAPS)
    )
    groups, n_clusters = compact(clusters) if clusters is not None else (None, None)
    note = "; " + RATERS + note
    method = Words("Gwet's standard error", ", ", T_ON_ALL, ", clipped at 1, independent items", note)
    if interval != "t":
        method = (TRANSFORMED if interval == "transformed" else bootstrap_of(groups is not None)) + note
    reason = "no item has two ratings" if coefficient is None else coefficient.reason
    if reason is None and n == 1 and needs_two_items:
        reason = f"one {unit}: {name} needs two or more"
    if coefficient is None or reason is not None:
        return undefined(name, n, unit, method, str(reason), confidence=confidence, n_clusters=n_clusters)
    value = min(float(coefficient.of_sums(total_of(coefficient.rows, coefficient.times))), 1.0)
    rare = rare_category(coefficient.rarest, cluster_of_item(groups), scattered=interval == "scattered", unit=unit)
    if interval in first and coefficient.added is not None:
        return adjusted_estimate(
            coefficient.of_sums, coefficient.rows, coefficient.added, groups,
            traits=coefficient.traits, size="scattered" if of_distances else interval,
            name=name, unit=unit, confidence=confidence, note=note,
            lowest=coefficient.lowest, rarest=coefficient.rarest, kind=coefficient.kind,
        ).warned(rare)  # fmt: skip
    if interval == "transformed":
        reason, few = of_disagreements(coefficient.disagreement, groups, unit)
        linearised = Linearised.of(coefficient.linearise(), groups, coefficient.times, coefficient.kind)
        return linearised.estimate(
            value, reason, n, name=name, unit=unit, confidence=confidence, note=note, lowest=coefficient.lowest
        ).warned(rare, few)
    if interval == "t":
        return _with_t(coefficient, name, value, n, unit, method, confidence).warned(rare)
    spread = bootstrap_of_sums(
        coefficient.of_sums,
        coefficient.rows if groups is None else sums_by_cluster(coefficient.of_items, groups),
        counts=coefficient.times if groups is None else None,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    estimate = spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=note)
    return estimate.warned(rare, None if of_distances else _unseen_in_clusters(coefficient, groups, estimate))


def _unseen_in_clusters(coefficient: Coefficient, groups: Codes | None, estimate: Estimate) -> Caution | None:
    """Warn if a few more clusters of a different kind would move the value out of its interval."""
    if groups is None or coefficient.added is None or coefficient.traits is None:
        return None
    differ = coefficient.traits()[:, -1]
    return unseen_of_coefficient(
        coefficient.of_sums, total_of(coefficient.rows, coefficient.times), coefficient.added,
        differ if coefficient.kind is None else differ[coefficient.kind], groups, estimate.low, estimate.high,
        scattered=0.0,
    )  # fmt: skip


def linearised_coefficient(
    counts: Floats,
    w: Floats,
    marginal: Floats,
    chance: Callable[[Floats], Floats],
    change: Callable[[], Floats],
    times: Codes | None = None,
) -> Coefficient:
    """The coefficient ``(pa - pe) / (1 - pe)`` and its linearised form.

    Parameters
    ----------
    counts : ndarray, shape (items, q)
        How often each item was put into each category.
    w : ndarray, shape (q, q)
        Agreement weights.
    marginal : ndarray, shape (items, k)
        Rows whose mean over items is passed to `chance`.
    chance : callable
        Maps that mean to pe.
    change : callable
        Returns the derivative of pe along each item, shape (items,).
    times : ndarray of int, shape (items,), optional
        Number of items that each row stands for; 1 each by default.

    Returns
    -------
    Coefficient

    References
    ----------
    .. [1] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., eq. 5.11 ff.
    """
    n = len(counts) if times is None else int(times.sum())
    raters = row_sums(counts)
    pairable = raters >= 2
    pairs = np.where(pairable, raters * (raters - 1.0), 1.0)
    agreed = np.where(pairable, row_sums(counts * (counts @ w - 1.0)) / pairs, 0.0)

    def of_sums(totals: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = totals[..., 0] / totals[..., 1]
            expected = chance(totals[..., 3:] / totals[..., 2:3])
            return np.where(expected < 1.0 - ROUNDING, (observed - expected) / (1.0 - expected), np.nan)

    rows = np.column_stack([agreed, pairable, np.ones(len(counts)), marginal])
    totals = total_of(rows, times)
    expected = float(chance(totals[3:] / totals[2]))
    if expected >= 1.0 - ROUNDING:
        reason = "all ratings are the same: expected agreement is 1"
        return Coefficient(rows, of_sums, lambda: np.zeros(len(counts)), reason)

    def linearise() -> Floats:
        value = float(of_sums(totals))
        # Gwet (2014), eq. 5.11 ff.: d(pa) / (1 - pe) - (1 - value) d(pe) / (1 - pe)
        of_items = n / totals[1] * np.where(pairable, agreed - expected, 0.0) / (1.0 - expected)
        return np.asarray(of_items - (1.0 - value) * change() / (1.0 - expected))

    return Coefficient(rows, of_sums, linearise)


def rarest_of(codes: Codes, times: Codes | None = None) -> float:
    """Expected number of items in the rarest category that occurs: the sum of its shares over the items.

    Parameters
    ----------
    codes : ndarray of int, shape (items, raters)
        Category of each rating, -1 if missing; each item has at least one.
    times : ndarray of int, shape (items,), optional
        Number of items that each row stands for; 1 each by default.

    Returns
    -------
    float

    Examples
    --------
    >>> rarest_of(np.array([[0, 0], [0, 1], [0, -1]]))
    0.5
    """
    given = codes >= 0
    ratings = row_counts(given)
    share = (1.0 if times is None else times) / ratings
    expected = np.bincount(codes[given], weights=np.repeat(share, ratings))
    return float(expected[expected > 0.0].min(initial=math.inf))


def traits_of(counts: Floats) -> Floats:
    """Each item's share of each category, and whether its raters differ.

    Parameters
    ----------
    counts : ndarray, shape (items, categories)
        As returned by `counts_of`; each item has at least one rating.

    Returns
    -------
    ndarray, shape (items, categories + 1)
        The share of each category among an item's ratings, and last 1 if they differ, else 0.

    Examples
    --------
    >>> traits_of(np.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 1.0]]
    """
    ratings = row_sums(counts)
    return np.column_stack([counts / ratings[:, None], row_ranges(counts)[1] < ratings])


def lowest_value(weights: Floats) -> float:
    """The coefficient when no two raters agree at all and chance agreement is at its greatest, with equal shares.

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
    linearised = coefficient.linearise()
    deviation = linearised - float(total_of(linearised, coefficient.times)) / n
    variance = float(total_of(deviation**2, coefficient.times)) / (n * (n - 1))
    if variance < ROUNDING**2 * n:
        reason = "the standard error is 0: every item says the same"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    se = math.sqrt(variance)
    half = upper_t((1.0 - confidence) / 2.0, n - 1) * se
    p = 2.0 * t_tail(abs(value) / se, n - 1)
    low, high = max(coefficient.lowest, value - half), min(1.0, value + half)
    if low > value - half:
        method += f"; lower limit clipped at {coefficient.lowest:.3g}, the lowest possible value"
    if not low < high:
        reason = "the value is the lowest possible"
        return undefined(name, n, unit, method, reason, value=value, se=se, p=p, confidence=confidence)
    return Estimate(name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence)
