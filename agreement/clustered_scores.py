"""Cluster bootstrap intervals of statistics of numbers whose items share clusters."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from agreement.arguments import check_resamples
from agreement.cluster_codes import of_used
from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters
from agreement.estimate import Estimate, undefined
from agreement.functions_of_sums import OfSums
from agreement.interval_kinds import OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.methods import bootstrap_of
from agreement.p_by_inverting import p_of_units
from agreement.resampling import Seed, bootstrap_of_sums


def units_of(clusters: Ratings | None, used: npt.NDArray[np.bool_]) -> tuple[Codes, int | None]:
    """The resampling unit of each used item: its cluster, or the item itself.

    Parameters
    ----------
    clusters : sequence, shape (items,), or None
        Cluster of each item.
    used : ndarray of bool, shape (items,)
        Which items are not left out.

    Returns
    -------
    units : ndarray of int, shape (used items,)
        Codes without gaps.
    n_clusters : int or None
        None without clusters.

    Examples
    --------
    >>> units_of(["s", "t", "s"], np.array([True, False, True]))
    (array([0, 0]), 1)
    """
    if clusters is None:
        return np.arange(int(used.sum()), dtype=np.intp), None
    return compact(of_used(encode_clusters(clusters, used.size), used))


def resampled(
    plain: Estimate,
    statistic: OfSums,
    units: Codes,
    n_clusters: int | None,
    *,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    note: str = "",
    tests_zero: bool = True,
    sums: Floats | None = None,
) -> Estimate:
    """An estimate with a bootstrap interval in place of one that assumes independent items.

    Parameters
    ----------
    plain : Estimate
        The estimate for independent items: name, value, n, unit, and the reason if there is no value.
    statistic : OfSums
        The same statistic as a function of sums.
    units : ndarray of int, shape (items,)
        What is resampled.
    n_clusters : int or None
        None if items are resampled.
    interval : {"widened", "percentile", "bca"} or None
        None means widened percentiles.
    resamples, seed, confidence
        As in `bootstrap`.
    note : str
        Added to the method, before that of the statistic.
    tests_zero : bool
        Whether `p` tests 0, by inverting the interval; of too few units there is none (`p_of_units`).
    sums : ndarray, shape (units, k), optional
        What `statistic.by_cluster` gives for these units, if several statistics share it.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        When the interval is not a bootstrap interval.
    """
    check_resamples(resamples)
    kind = chosen_interval(interval, *OF_CLUSTERED_NUMBERS)
    text = bootstrap_of(n_clusters is not None) + note
    if math.isnan(plain.value):
        reason = str(plain.undefined_because)
        return undefined(
            plain.name, plain.n, plain.unit, text, reason, confidence=confidence, n_clusters=n_clusters
        )  # fmt: skip
    if sums is None:
        sums = statistic.by_cluster(units if n_clusters is not None else None)
    value, note = statistic.value, note + statistic.note
    del statistic  # the contributions of items would take memory while others share the product that this waits for
    spread = bootstrap_of_sums(
        value,
        sums,
        resamples=resamples,
        seed=seed,
        interval=kind,
        confidence=confidence,
        clustered=n_clusters is not None,
    )
    given, of_p = p_of_units(plain.n, n_clusters, seed)
    note += "" if given or not tests_zero else of_p
    estimate = spread.estimate(
        plain.name, plain.value, plain.n, plain.unit, confidence=confidence, n_clusters=n_clusters, note=note
    )
    return replace(estimate, p=spread.p if tests_zero and given else None).warned(*plain.cautions)
