"""Means under unequal inclusion probabilities: what a sample that is not proportional says about its pool."""

import math

import numpy as np

from agreement.codebook import is_missing
from agreement.coding import Ratings, as_values, compact, encode_clusters, same_length
from agreement.estimate import Estimate, undefined
from agreement.resampling import Method, Seed, bootstrap_of_sums, ratio, strata_of_units, sums_by_cluster


def weighted_mean(
    values: Ratings,
    probabilities: Ratings,
    *,
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    method: Method = "percentile",
    confidence: float = 0.95,
    name: str = "weighted mean",
    unit: str = "item",
) -> Estimate:
    """Mean over the pool from which units were drawn with known probabilities (the Hajek estimator).

    ``sum(v / p) / sum(1 / p)`` over the units that have a value [1]_. The interval resamples units, or whole clusters,
    with their weights, within `strata` where given.

    Parameters
    ----------
    values : sequence of numbers, shape (units,)
        None or NaN is missing and left out.
    probabilities : sequence of numbers, shape (units,)
        Inclusion probability of each unit, above 0 and at most 1.
    clusters, strata : sequence, shape (units,), optional
        Cluster and sampling stratum of each unit; a cluster lies within one stratum.
    resamples, seed, method
        See `bootstrap`.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Undefined for no units.

    Raises
    ------
    ValueError
        When lengths differ, a probability is outside (0, 1], or a cluster lies in two strata.

    References
    ----------
    .. [1] Hajek (1971). Comment on an essay by D. Basu. In: Foundations of Statistical Inference, 236.

    Examples
    --------
    Of a pool of 10 + 10, all of the first ten and two of the others were drawn; right are 5 and 1: (5 + 5) / 20.

    >>> found = weighted_mean([1] * 5 + [0] * 5 + [1, 0], [1.0] * 10 + [0.2] * 2, resamples=200)
    >>> round(found.value, 6), found.n
    (0.5, 12)
    """
    scores, chances = as_values(values, "values"), as_values(probabilities, "probabilities")
    same_length(scores, chances, "values", "probabilities")
    known = np.array([not is_missing(score) for score in scores], dtype=bool)
    numbers = np.array([float(score) for score, there in zip(scores, known, strict=True) if there])
    chance = np.array([float(p) for p, there in zip(chances, known, strict=True) if there])
    if ((chance <= 0) | (chance > 1)).any() or np.isnan(chance).any():
        raise ValueError("probabilities holds a value outside 0 (not included) and 1; expected inclusion probabilities")
    groups, n_clusters = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, known.size)[known])
    note = ", weighted by 1 / inclusion probability"
    if numbers.size == 0:
        return undefined(name, 0, unit, "bootstrap" + note, f"no {unit}s", confidence=confidence, n_clusters=n_clusters)
    of_unit = None
    if strata is not None:
        of_unit = strata_of_units(encode_clusters(strata, known.size, "strata")[known], groups)
    weights = 1.0 / chance
    rows = np.stack([numbers * weights, weights], axis=1)
    spread = bootstrap_of_sums(
        ratio,
        sums_by_cluster(rows, groups),
        strata=of_unit,
        resamples=resamples,
        seed=seed,
        method=method,
        confidence=confidence,
        clustered=groups is not None,
    )
    value = math.fsum(rows[:, 0]) / math.fsum(rows[:, 1])
    return spread.estimate(name, value, numbers.size, unit, confidence=confidence, n_clusters=n_clusters, note=note)
