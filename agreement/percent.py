"""Percent agreement of two raters, and proportions in general, with intervals that allow for clusters."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from agreement.arguments import check_resamples
from agreement.caution import Caution, several
from agreement.cautions import FEW_UNEVEN_OF_SHARE, gathered_events, uneven_clusters
from agreement.cluster_codes import of_used
from agreement.coding import Codes, Ratings, compact, encode_clusters, encode_pairs
from agreement.effective_size import clusters_with, share_size
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.incomplete_pairs import left_out
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.intervals import wilson_interval, wilson_limits
from agreement.lone_items import shared_clusters
from agreement.magnitude import rescaled, tiny_unit
from agreement.methods import bootstrap_of, of_effective_number, t_with, wilson_on_effective
from agreement.resampling import Seed, bootstrap_of_sums, ratio, sums_by_cluster
from agreement.unseen import unseen_of_share


def percent_agreement(
    a: Ratings,
    b: Ratings,
    *,
    excluded: Ratings | None = None,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Share of items on which two raters gave the same verdict, as a proportion.

    ``po = (items with a = b) / (items with both)``. Not corrected for chance. The interval is Wilson's, with `clusters`
    at the effective sample size. Undefined without items.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing, and such items are left out.
    excluded : sequence of bool, shape (items,), optional
        Items with a verdict by both, at least one of which is not among those compared and is None here, such as
        "cannot be scored": `method` counts them separately from items without both verdicts.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"score", "percentile", "bca"}, optional
        By default "score", Wilson's interval, with `clusters` at the effective sample size
        (`agreement.effective_size.share_size`) and with a t quantile [2]_. The others bootstrap items or clusters.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        A proportion in [0, 1].

    Raises
    ------
    ValueError
        When lengths differ, a cluster is missing, or `interval` or `resamples` is invalid.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003). Statistical Methods for Rates and Proportions, 18.1.
    .. [2] Franco, Little, Louis and Slud (2019). Comparative study of confidence intervals for proportions in complex
       sample surveys. J Survey Stat Methodol 7, 334-364.

    Examples
    --------
    MRI-Eval: a judge and a human agree on 122 of 136 answers, 89.7 %.

    >>> human = ["correct"] * 136
    >>> judge = ["correct"] * 122 + ["incorrect"] * 14
    >>> round(percent_agreement(human, judge).value, 3)
    0.897
    """
    pairs = encode_pairs(a, b)
    groups = of_used(encode_clusters(clusters, pairs.rated.size), pairs.rated) if clusters is not None else None
    return share(
        pairs.a == pairs.b,
        groups,
        name="percent agreement",
        unit=unit,
        note=left_out(pairs, excluded),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
    )


def share(
    counted: npt.NDArray[np.bool_],
    clusters: Codes | None,
    *,
    name: str,
    unit: str = "item",
    note: str = "",
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """A proportion of units, with Wilson's interval, at the effective sample size if there are clusters.

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units count towards the proportion; no missing values.
    clusters : ndarray of int, shape (n,), or None
        Code of each unit's cluster.
    name, unit : str
        Carried into the estimate.
    note : str
        Appended to the method.
    resamples, seed, interval, confidence
        As in `percent_agreement`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> share(np.array([True, True, False, False]), None, name="share").value
    0.5
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    counted = np.asarray(counted, dtype=bool)
    clusters = shared_clusters(clusters, np.ones(counted.size, dtype=bool), interval)
    interval = chosen_interval(
        interval, "score", *BOOTSTRAPS, clustered=clusters is not None, for_clusters=("score", *BOOTSTRAPS)
    )
    if interval == "score" and clusters is not None:
        return _score_in_clusters(counted, clusters, name, unit, note, confidence)
    if interval == "score":
        result = wilson_interval(int(counted.sum()), counted.size, confidence=confidence, name=name, unit=unit)
        return result if not note else _with_note(result, note)
    estimate = mean(
        counted.astype(np.float64),
        clusters,
        name=name,
        unit=unit,
        note=note,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
    )
    if clusters is None:
        return estimate
    groups = compact(clusters)[0]
    # a bootstrap says no more about unseen clusters when the rarer category is concentrated in few of them
    unseen = unseen_of_share(counted, groups, estimate.low, estimate.high, scattered=0.0)
    return estimate.warned(_gathered(counted, groups), unseen)


def mean(
    values: npt.NDArray[np.float64],
    clusters: Codes | None,
    *,
    name: str,
    unit: str = "item",
    note: str = "",
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval = "percentile",
    confidence: float = 0.95,
) -> Estimate:
    """Mean of numbers with a bootstrap interval, over items, or over clusters if there are any.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Without missing values.
    clusters : ndarray of int, shape (n,), or None
        Code of each unit's cluster.
    name, unit, note, resamples, seed, interval, confidence
        As in `share`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> mean(np.array([0.5, 0.25]), None, name="expected accuracy").value
    0.375
    """
    groups, n_clusters = compact(clusters) if clusters is not None else (None, None)
    if values.size == 0:
        text = bootstrap_of(clusters is not None) + note
        return undefined(name, 0, unit, text, f"no {unit}s", confidence=confidence, n_clusters=n_clusters)
    tiny = tiny_unit(values)
    if tiny is not None:
        scaled = mean(
            values / tiny, clusters, name=name, unit=unit, note=note, resamples=resamples, seed=seed,
            interval=interval, confidence=confidence,
        )  # fmt: skip
        return rescaled(scaled, 0.0, tiny)
    rows = sums_by_cluster(np.stack([values, np.ones(values.size)], axis=1), groups)
    spread = bootstrap_of_sums(
        ratio,
        rows,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    whole = bool((values == np.rint(values)).all())  # a plain sum of whole numbers is exact, and quicker
    value = float(values.sum() if whole else math.fsum(values)) / values.size
    return spread.estimate(name, value, values.size, unit, confidence=confidence, n_clusters=n_clusters, note=note)


def bounded_mean(
    values: npt.NDArray[np.float64], clusters: Codes | None, *, name: str, unit: str, note: str, confidence: float
) -> Estimate:
    """Mean of numbers from 0 to 1, with Wilson's interval at the effective size ``m (1 - m) / se^2`` and a t quantile.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Without missing values.
    clusters : ndarray of int, shape (n,), or None
        Code of each unit's cluster.
    name, unit, note, confidence
        As in `share`.

    Returns
    -------
    Estimate
        Limits are undefined for fewer than two units or clusters, and if all values are equal.

    Examples
    --------
    >>> estimate = bounded_mean(np.array([0.1, 0.3]), None, name="mean", unit="item", note="", confidence=0.95)
    >>> round(estimate.se, 6), estimate.low > 0.0
    (0.1, True)
    """
    groups, n_clusters = compact(clusters) if clusters is not None else (np.arange(values.size), None)
    units = values.size if n_clusters is None else n_clusters
    method = wilson_on_effective("units") + note
    if units > 1:
        method = wilson_on_effective(f"independent {unit}s") + ", " + t_with(units - 1) + note
    value = math.fsum(values) / values.size if values.size else math.nan
    sums = np.bincount(groups, weights=values - value) / max(1, values.size)
    variance = units / (units - 1) * float((sums**2).sum()) if units > 1 else 0.0
    reason = f"no {unit}s" if not values.size else "nothing to compare with" if units < 2 else None
    if reason is None and variance <= 1e-28:
        reason = f"no spread between {unit if n_clusters is None else 'cluster'}s: the standard error is 0"
    if reason is not None:
        return undefined(
            name, values.size, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters
        )
    effective = value * (1.0 - value) / variance
    low, high = wilson_limits(value * effective, effective, confidence, units - 1)
    worth = clusters_with(np.ones(values.size), groups)
    return Estimate(
        name, value, low, high, values.size, unit, method, se=math.sqrt(variance), confidence=confidence,
        n_clusters=n_clusters, cautions=several(uneven_clusters(n_clusters, worth)),
    )  # fmt: skip


def _score_in_clusters(
    counted: npt.NDArray[np.bool_], clusters: Codes, name: str, unit: str, note: str, confidence: float
) -> Estimate:
    """Wilson's interval at the effective size `share_size`, with a t quantile on clusters - 1 degrees of freedom."""
    groups, n_clusters = compact(clusters)
    n, x = counted.size, int(counted.sum())
    text = wilson_on_effective("independent items")
    if n_clusters < 2:
        reason = f"no {unit}s" if n == 0 else "fewer than two clusters: nothing to compare"
        value = x / n if n else math.nan
        return undefined(name, n, unit, text + note, reason, value=value, confidence=confidence, n_clusters=n_clusters)
    value = x / n
    effective = share_size(counted, groups)
    low, high = wilson_limits(value * effective if x < n else effective, effective, confidence, n_clusters - 1)
    se = math.sqrt(value * (1.0 - value) / effective) or None
    method = text + of_effective_number(effective, n, n_clusters - 1) + note
    return Estimate(
        name, value, low, high, n, unit, method, se=se, confidence=confidence, n_clusters=n_clusters,
        cautions=several(
            uneven_clusters(n_clusters, clusters_with(np.ones(n), groups), FEW_UNEVEN_OF_SHARE),
            unseen_of_share(counted, groups, low, high),
        ),
    )  # fmt: skip


def of_uneven_clusters(counted: npt.NDArray[np.bool_], groups: Codes | None) -> Caution | None:
    """The caution for very unequal cluster sizes: a few large ones hold most units, or most of the rarer category.

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units are in one of the two categories; at least one unit.
    groups : ndarray of int, shape (n,), or None
        Cluster of each unit, numbered without gaps; None if units are independent.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> of_uneven_clusters(np.arange(10) < 4, np.array([0] * 8 + [1, 2])).text.split(": ")[0]
    'cluster sizes are very unequal, equivalent to 1.5 clusters of equal size'
    """
    if groups is None:
        return None
    worth = clusters_with(np.ones(counted.size), groups)
    return uneven_clusters(int(groups.max()) + 1, worth) or _gathered(counted, groups)


def _gathered(counted: npt.NDArray[np.bool_], groups: Codes) -> Caution | None:
    """The caution if a few of very unequal clusters hold most of the rarer category."""
    if not counted.size:
        return None
    rarer = counted if 2 * int(counted.sum()) <= counted.size else ~counted
    worth = clusters_with(np.ones(counted.size), groups)
    return gathered_events(clusters_with(rarer.astype(np.float64), groups), int(groups.max()) + 1, worth)


def _with_note(estimate: Estimate, note: str) -> Estimate:
    return Estimate(
        estimate.name,
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n,
        estimate.unit,
        estimate.method + note,
        estimate.undefined_because,
        estimate.se,
        estimate.p,
        estimate.confidence,
        estimate.n_clusters,
    )
