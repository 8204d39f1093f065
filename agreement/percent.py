"""Percent agreement of two raters, and shares in general, with intervals that allow for clusters."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Ratings, compact, encode_clusters, encode_pairs
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.intervals import wilson_interval
from agreement.resampling import Seed, bootstrap_of_sums, check_resamples, ratio, sums_by_cluster


def percent_agreement(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Share of items on which two raters gave the same verdict, as a proportion.

    ``po = (items with a = b) / (items with both)``. Not corrected for chance. The interval is Wilson's, or with
    `clusters` a cluster bootstrap. Undefined for no items.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing, such items are left out.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"score", "percentile", "bca"}, optional
        By default "score", which is Wilson's, without and "percentile" with `clusters`.
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
        When lengths differ, a cluster is missing, or `interval` or `resamples` is none that applies.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003). Statistical Methods for Rates and Proportions, 18.1.

    Examples
    --------
    MRI-Eval: a judge and a human agree on 122 of 136 answers, 89.7 %.

    >>> human = ["correct"] * 136
    >>> judge = ["correct"] * 122 + ["incorrect"] * 14
    >>> round(percent_agreement(human, judge).value, 3)
    0.897
    """
    pairs = encode_pairs(a, b)
    groups = encode_clusters(clusters, pairs.rated.size)[pairs.rated] if clusters is not None else None
    note = f"; {pairs.n_missing} without both verdicts left out" if pairs.n_missing else ""
    return share(
        pairs.a == pairs.b,
        groups,
        name="percent agreement",
        unit=unit,
        note=note,
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
    """Share of units that count, with Wilson's interval, or with a cluster bootstrap where there are clusters.

    Parameters
    ----------
    counted : ndarray of bool, shape (n,)
        Which units count; none missing.
    clusters : ndarray of int, shape (n,), or None
        Codes of the cluster of each unit.
    name, unit : str
        Carried into the estimate.
    note : str
        Added to the method.
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
    check_confidence(confidence)
    check_resamples(resamples)
    interval = chosen_interval(interval, "score", *BOOTSTRAPS, clustered=clusters is not None)
    counted = np.asarray(counted, dtype=bool)
    if interval == "score":
        result = wilson_interval(int(counted.sum()), counted.size, confidence=confidence, name=name, unit=unit)
        return result if not note else _with_note(result, note)
    return mean(
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
    """Mean of numbers with a bootstrap interval over items, or over clusters where there are any.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        None missing.
    clusters : ndarray of int, shape (n,), or None
        Codes of the cluster of each unit.
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
        text = ("cluster " if clusters is not None else "") + "bootstrap" + note
        return undefined(name, 0, unit, text, f"no {unit}s", confidence=confidence, n_clusters=n_clusters)
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
