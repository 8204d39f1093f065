"""Means under unequal inclusion probabilities: estimates for a pool from a disproportionate sample."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from agreement.arguments import check_resamples, yes_or_no
from agreement.coding import (
    Codes,
    Floats,
    Ratings,
    compact,
    encode_clusters,
    numbers_or_nan,
    same_length,
    strata_of_units,
)
from agreement.effective_size import drawn_effect
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.intervals import wilson_limits
from agreement.lone_items import widened_in_clusters
from agreement.magnitude import refuse_huge
from agreement.methods import bootstrap_of, of_effective_number, t_with, wilson_on_effective
from agreement.quantiles import upper_t
from agreement.resampling import (
    Seed,
    bootstrap_of_sums,
    ratio,
    sums_by_cluster,
)
from agreement.words import Words

_LARGE = 1e100  # weights above this are scaled before they are squared
NOTE = ", weighted by 1 / inclusion probability"


def weighted_mean(
    values: Ratings,
    probabilities: Ratings,
    *,
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    finite_pool: bool = False,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    name: str = "weighted mean",
    unit: str = "item",
) -> Estimate:
    """Mean over the pool from which units were drawn with known probabilities (the Hajek estimator).

    ``m = sum(v / p) / sum(1 / p)`` over the units with a value [1]_. Three kinds of interval:

    - score, for values 0 and 1: Wilson's at the effective sample size, n over the design effect
      ``n var / (m (1 - m))`` with the linearised variance, at least 1 [3]_. If the rarer value is infrequent, the
      design effect is shrunk towards ``n sum w^2 / (sum w)^2`` (or with clusters their size), as by half a unit. The t
      quantile is that of the linearised interval.
    - bootstrap (percentiles, widened ones or BCa): units, or whole clusters, are resampled with their weights, within
      `strata` if given. With `h` units in a stratum, its variance is too small by ``(h - 1) / h``: not for strata of a
      few units.
    - linearised [2]_: ``var = sum over strata of (1 - f) h / (h - 1) sum (z - mean z)^2``, with ``z`` the sums of
      ``(v - m) / p / sum(1 / p)`` within each of the stratum's `h` units (or clusters), 0 for a missing value. The
      degrees of freedom of t are units minus strata, counting both only where there is a value. ``f`` is 0 or, with
      `finite_pool`, the probability of the stratum: a stratum that was drawn completely, such as all flagged items,
      then adds no variance and no degrees of freedom.

    Parameters
    ----------
    values : sequence of numbers, shape (units,)
        None or NaN is missing, and left out.
    probabilities : sequence of numbers, shape (units,)
        Inclusion probability of each unit, above 0 and at most 1.
    clusters, strata : sequence, shape (units,), optional
        Cluster and sampling stratum of each unit; a cluster must be within one stratum.
    finite_pool : bool
        Whether to estimate the mean of this particular pool, from which units (whole clusters) were drawn without
        replacement and with equal probability within each stratum; otherwise that of the population behind the pool.
        Linearised only.
    resamples, seed
        See `bootstrap`.
    interval : {"score", "widened", "percentile", "bca", "linearised"}, optional
        Kind of interval; by default score if all values are 0 or 1, otherwise percentile, with `clusters` widened.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Undefined without units. Linearised limits are undefined if a stratum has a single unit (unless it was drawn
        completely from a finite pool), and if the standard error is 0.

    Raises
    ------
    ValueError
        When lengths differ, a value is not a number or is beyond 1e140, a probability is outside (0, 1], a cluster is
        in two strata, or, for a finite pool, probabilities differ within a stratum.

    References
    ----------
    .. [1] Hajek (1971). Comment on an essay by D. Basu. In: Foundations of Statistical Inference, 236.
    .. [2] Woodruff (1971). A simple method for approximating the variance of a complicated estimate. JASA 66, 411-414;
       as R's survey (Lumley 2004), `svymean` with strata, clusters and finite population correction.
    .. [3] Franco, Little, Louis and Slud (2019). Comparative study of confidence intervals for proportions in complex
       sample surveys. J Survey Stat Methodol 7, 334-364.

    Examples
    --------
    From a pool of 10 + 10, all of the first ten and two of the others were drawn; 5 and 1 are right: (5 + 5) / 20.

    >>> estimate = weighted_mean([1] * 5 + [0] * 5 + [1, 0], [1.0] * 10 + [0.2] * 2, resamples=200)
    >>> round(estimate.value, 6), estimate.n
    (0.5, 12)

    The first ten are their whole stratum. For the others z = 5 (1/2) / 20 and its negative: se = sqrt(.8 * 2 * 2 / 64).

    >>> flagged = ["flagged"] * 10 + ["sampled"] * 2
    >>> pool = weighted_mean([1] * 5 + [0] * 5 + [1, 0], [1.0] * 10 + [0.2] * 2, strata=flagged, finite_pool=True,
    ...                      interval="linearised")
    >>> round(pool.se, 6), round((0.8 * 2 * 2 / 64) ** 0.5, 6)
    (0.223607, 0.223607)
    """
    confidence = check_confidence(confidence)
    finite_pool = yes_or_no(finite_pool, "finite_pool")
    scores = numbers_or_nan(values, "values")
    refuse_huge(scores, "values")
    binary = bool(np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all())
    default: Interval = "score" if binary and not finite_pool else "percentile"
    bootstraps = BOOTSTRAPS if clusters is None else OF_CLUSTERED_NUMBERS
    asked = interval
    interval = chosen_interval(default if interval is None else interval, "score", *bootstraps, "linearised")
    if interval != "linearised":
        check_resamples(resamples)
        if interval == "score" and not binary:
            raise ValueError("interval is 'score' and values holds numbers other than 0 and 1; expected only these")
        if finite_pool:
            raise ValueError(
                f"finite_pool is True and interval is {interval!r}; expected interval 'linearised' with it"
            )
    chances = numbers_or_nan(probabilities, "probabilities")
    same_length(scores, chances, "values", "probabilities")
    known = ~np.isnan(scores)
    if not (chances[known] >= np.finfo(np.float64).tiny).all() or (chances[known] > 1).any():
        raise ValueError("probabilities holds a value outside 0 (not included) and 1; expected inclusion probabilities")
    units = encode_clusters(clusters, known.size) if clusters is not None else None
    stratum = encode_clusters(strata, known.size, "strata") if strata is not None else None
    groups, n_clusters = compact(units[known]) if units is not None else (None, None)
    interval = widened_in_clusters(asked, interval, groups)
    n = int(known.sum())
    if n == 0:
        text = bootstrap_of(False) if interval in bootstraps else Words(interval)
        return undefined(name, 0, unit, text + NOTE, f"no {unit}s", confidence=confidence, n_clusters=n_clusters)
    weights = 1.0 / chances[known]
    rows = np.stack([scores[known] * weights, weights], axis=1)
    value = math.fsum(rows[:, 0]) / math.fsum(rows[:, 1])
    if interval not in bootstraps:
        influence = np.zeros(known.size)
        influence[known] = (scores[known] - value) * weights / math.fsum(weights)
        estimate, freedom = _linearised(
            influence, known, chances, units, stratum, finite_pool,
            name=name, value=value, unit=unit, confidence=confidence, n_clusters=n_clusters,
        )  # fmt: skip
        return estimate if interval == "linearised" else _scored(estimate, scores[known], weights, freedom)
    spread = bootstrap_of_sums(
        ratio,
        sums_by_cluster(rows, groups),
        strata=strata_of_units(stratum[known], groups) if stratum is not None else None,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    return spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=NOTE)


def _linearised(
    influence: Floats,
    known: npt.NDArray[np.bool_],
    chances: Floats,
    clusters: Codes | None,
    strata: Codes | None,
    finite_pool: bool,
    *,
    name: str,
    value: float,
    unit: str,
    confidence: float,
    n_clusters: int | None,
) -> tuple[Estimate, int]:
    """Estimate with the stratified variance of the sums of `influence`, and its degrees of freedom.

    Units without a value also enter the variance.
    """
    psu = clusters if clusters is not None else np.arange(influence.size)
    of_item = strata if strata is not None else np.zeros(influence.size, dtype=np.intp)
    of_psu = strata_of_units(of_item, psu)
    sums = np.bincount(psu, weights=influence)
    fractions = _fractions(chances, known, of_item) if finite_pool else np.zeros(int(of_item.max()) + 1)
    kind = "clusters" if clusters is not None else f"{unit}s"
    # strata that were drawn completely add no variance, so no degrees of freedom either
    counted = known & (fractions[of_item] < 1.0)
    freedom = np.unique(psu[counted]).size - np.unique(of_item[counted]).size
    text = Words(f"large-sample standard error over {kind}" + (" within strata" if strata is not None else ""))
    text += (", finite pool, " if finite_pool else ", ") + t_with(freedom) + NOTE
    variance, alone = 0.0, 0
    for number, fraction in enumerate(fractions):
        within = sums[of_psu == number]
        if fraction == 1.0:
            continue
        if within.size < 2:
            alone += 1
            continue
        # [2]: with replacement, times the finite population correction
        scale = (1.0 - fraction) * within.size / (within.size - 1)
        variance += scale * float(((within - within.mean()) ** 2).sum())
    n, reason = int(known.sum()), None
    if alone:
        reason = f"{'a stratum holds' if strata is not None else 'there is'} one of the {kind} only: no variance"
    elif finite_pool and (fractions == 1.0).all():
        reason = "the whole pool was drawn: nothing is left to estimate"
    elif freedom < 1:
        reason = f"no more {kind} with a value than strata: no degrees of freedom"
    elif not variance > 1e-28 * max(1.0, value**2):
        reason = f"no spread between {kind}: the standard error is 0"
    if reason is not None:
        without = undefined(name, n, unit, text, reason, value=value, confidence=confidence, n_clusters=n_clusters)
        return without, 0 if alone else freedom
    se = math.sqrt(variance)
    half = upper_t((1.0 - confidence) / 2.0, freedom) * se
    estimate = Estimate(
        name, value, value - half, value + half, n, unit, text, se=se, confidence=confidence, n_clusters=n_clusters
    )
    return estimate, freedom


def _scored(linearised: Estimate, scores: Floats, weights: Floats, freedom: int) -> Estimate:
    """The linearised estimate of a proportion, with Wilson's limits at the effective sample size."""
    if freedom < 1:
        return linearised
    n, value, se = linearised.n, linearised.value, linearised.se or 0.0
    if weights.max() > _LARGE:  # their squares would overflow
        weights = weights / weights.max()
    of_weights = n * float((weights**2).sum()) / float(weights.sum()) ** 2
    most = of_weights if linearised.n_clusters is None else max(of_weights, n / linearised.n_clusters)
    events = float(min(scores.sum(), n - scores.sum()))
    observed = n * se**2 / (value * (1.0 - value)) if 0.0 < value < 1.0 else 1.0
    effective = n / drawn_effect(observed, most, events)
    low, high = wilson_limits(value * effective, effective, linearised.confidence, freedom)
    method = wilson_on_effective("independent items") + of_effective_number(effective, n, freedom) + NOTE
    return replace(linearised, low=low, high=high, method=method, undefined_because=None)


def _fractions(chances: Floats, known: npt.NDArray[np.bool_], strata: Codes) -> Floats:
    """Sampling fraction of each stratum: the common probability of its units."""
    fractions = np.zeros(int(strata.max()) + 1)
    for number in range(fractions.size):
        own = chances[known & (strata == number)]
        if own.size and np.ptp(own) > 1e-9 * own.max():
            raise ValueError(
                f"probabilities go from {own.min()!r} to {own.max()!r} within one stratum; expected one for each "
                "stratum of a finite pool"
            )
        fractions[number] = own[0] if own.size else 0.0
    return fractions
