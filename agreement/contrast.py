"""Difference between two parts of one sample whose units share clusters, such as two kinds of items of one subject."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from agreement.accuracy import correctness
from agreement.arguments import check_resamples, yes_or_no
from agreement.cautions_of_shape import nearly_constant
from agreement.coding import Floats, Ratings, compact, encode_clusters, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.lone_items import widened_in_clusters
from agreement.magnitude import refuse_huge, rescaled, tiny_unit
from agreement.methods import bootstrap_of
from agreement.p_by_inverting import p_of_units
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster


def difference_of_parts(
    values: Ratings,
    first: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    name: str = "difference of means",
    unit: str = "item",
    tests_zero: bool = False,
) -> Estimate:
    """Mean of one part of the units minus the mean of the rest, with a bootstrap interval.

    ``sum(v w) / sum(w) - sum(v (1 - w)) / sum(1 - w)`` with ``w = 1`` in the first part. Both parts are resampled
    together, cluster by cluster, so that a subject with units in both counts as one draw.

    Parameters
    ----------
    values : sequence of numbers, shape (units,)
        A score of each unit, for example correctness (1 or 0); None or NaN is missing and left out.
    first : sequence of bool, shape (units,)
        Which units belong to the first part: True or 1; False or 0 is the other part. Must not be missing if there is a
        value.
    clusters : sequence, shape (units,), optional
        Cluster of each unit; by default, units are resampled.
    resamples, seed, interval
        See `bootstrap`.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.
    tests_zero : bool
        Whether to give `p`, by inverting the interval.

    Returns
    -------
    Estimate
        Undefined when one part is empty; with a warning if in either part fewer than five values differ from its most
        frequent one.

    Raises
    ------
    ValueError
        When lengths differ, a value is not a number or beyond 1e140, a unit belongs to neither part, or a cluster is
        missing.

    References
    ----------
    .. [1] Field and Welsh (2007). Bootstrapping clustered data. JRSS B 69, 369-390.

    Examples
    --------
    Two of four are right in the first part, one of four in the second.

    >>> estimate = difference_of_parts([1, 1, 0, 0, 1, 0, 0, 0], [True] * 4 + [False] * 4, resamples=200)
    >>> estimate.value, estimate.n
    (0.25, 8)
    """
    confidence = check_confidence(confidence)
    tests_zero = yes_or_no(tests_zero, "tests_zero")
    check_resamples(resamples)
    kind = chosen_interval(interval or "percentile", *(BOOTSTRAPS if clusters is None else OF_CLUSTERED_NUMBERS))
    scores = numbers_or_nan(values, "values")
    refuse_huge(scores, "values")
    assigned, in_first = correctness(first, "first")
    same_length(scores, assigned, "values", "first")
    known = ~np.isnan(scores)
    if (known & ~assigned).any():
        position = int(np.flatnonzero(known & ~assigned)[0])
        raise ValueError(f"first has no value at position {position}; expected True or False for every unit")
    tiny = tiny_unit(scores)
    if tiny is not None:
        scaled = difference_of_parts(
            scores / tiny, np.where(assigned, in_first, np.nan), clusters=clusters, resamples=resamples, seed=seed,
            interval=interval, confidence=confidence, name=name, unit=unit, tests_zero=tests_zero,
        )  # fmt: skip
        return rescaled(scaled, 0.0, tiny)
    numbers, weight = scores[known], in_first[known].astype(np.float64)
    groups, n_clusters = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, known.size)[known])
    if not weight.any() or weight.all():
        return undefined(
            name, numbers.size, unit, bootstrap_of(False), "one of the two parts is empty", confidence=confidence,
            n_clusters=n_clusters,
        )  # fmt: skip
    rows = np.stack([numbers * weight, weight, numbers * (1.0 - weight), 1.0 - weight], axis=1)
    spread = bootstrap_of_sums(
        _difference,
        sums_by_cluster(rows, groups),
        resamples=resamples,
        seed=seed,
        interval=widened_in_clusters(interval, kind, groups),
        confidence=confidence,
        clustered=groups is not None,
    )
    value = math.fsum(rows[:, 0]) / math.fsum(rows[:, 1]) - math.fsum(rows[:, 2]) / math.fsum(rows[:, 3])
    given, of_p = p_of_units(numbers.size, n_clusters, seed)
    says_p = tests_zero and (spread.p is not None or not given)  # without limits there is no interval to invert
    note = ", both parts together" + (of_p if says_p else "")
    estimate = spread.estimate(name, value, numbers.size, unit, confidence=confidence, n_clusters=n_clusters, note=note)
    # A part whose values are nearly all alike hardly varies in the resamples, however few units it has.
    in_parts = [weight == part for part in (1.0, 0.0)]
    few = [nearly_constant(numbers[own], None if groups is None else groups[own], of_part=True) for own in in_parts]
    estimate = estimate.warned(*(few if not math.isnan(estimate.low) else ()))
    return replace(estimate, p=spread.p) if tests_zero and given else estimate


def _difference(totals: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3]
        return np.where((totals[..., 1] > 0) & (totals[..., 3] > 0), gap, np.nan)
