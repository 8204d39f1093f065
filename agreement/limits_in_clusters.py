"""Intervals of limits of agreement whose items share clusters."""

from __future__ import annotations

import math

import numpy as np

from agreement.caution import Caution, several
from agreement.cautions import FEW_CLUSTERS, uneven_clusters
from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.functions_of_sums import OfSums
from agreement.quantiles import upper_t
from agreement.words import Part, Words

_MOST = 7.0  # logarithm of a thousand: a limit as many times the standard deviation says nothing
_ROUNDING = 1e-6  # standard deviations below this share of the largest are the root of a rounding error

FEW_FOR_LIMITS = 30
"""Limits of agreement rest on how much clusters vary, which fewer of them say little about (`docs/statistics.md`)."""


def limit_in_clusters(
    plain: Estimate,
    sums: Floats,
    bias: OfSums,
    limit: OfSums,
    factor: float,
    *,
    worth: float,
    confidence: float,
    note: str = "",
) -> Estimate:
    """A limit of agreement with limits from those of the bias and of the standard deviation.

    Both have a standard error by leaving out one cluster at a time, the standard deviation on the scale of its
    logarithm, with t on Kish's number of clusters less 1. Their distances to the value are added as squares, with their
    correlation [1]_. Percentiles of a bootstrap miss limits that lie further out, since resamples repeat clusters.

    Parameters
    ----------
    plain : Estimate
        The estimate for independent items: name, value, n and unit.
    sums : ndarray, shape (clusters, k)
        Contribution of each cluster to the sums of `bias` and `limit`.
    bias, limit : OfSums
        The bias and this limit.
    factor : float
        The limit less the bias, in standard deviations.
    worth : float
        Kish's effective number of clusters.
    confidence : float
        Nominal coverage.
    note : str
        Added to the method.

    Returns
    -------
    Estimate
        Limits are undefined for fewer than two clusters, if differences do not vary without one of them, and if the
        standard deviation could be a thousand times as large.

    References
    ----------
    .. [1] Zou (2013). Confidence interval estimation for the Bland-Altman limits of agreement with multiple
       observations per individual. Statistical Methods in Medical Research 22, 630-642.
    """
    m = len(sums)
    method = Words("jackknife of clusters", ", bias and logarithm of the standard deviation, t", note)

    def without(reason: str) -> Estimate:
        return undefined(
            plain.name, plain.n, plain.unit, method, reason, value=plain.value, confidence=confidence, n_clusters=m
        )

    if math.isnan(plain.value):
        return without(str(plain.undefined_because))
    if m < 2:
        return without("fewer than two clusters")
    left_out = np.asarray(sums.sum(axis=0) - sums)
    of_bias, of_limit = np.asarray(bias.value(left_out)), np.asarray(limit.value(left_out))
    deviations = (of_limit - of_bias) / factor
    if not (np.isfinite(deviations).all() and (deviations > _ROUNDING * deviations.max()).all()):
        return without("without one of the clusters, differences do not vary")
    of_log = np.log(deviations)
    se_bias, se_log, se = (_jackknifed(values) for values in (of_bias, of_log, of_limit))
    together = 0.0
    if se_bias > 0.0 and se_log > 0.0:
        together = float(np.corrcoef(of_bias, of_log)[0, 1]) * math.copysign(1.0, factor)
    t = upper_t((1.0 - confidence) / 2.0, max(1.0, worth - 1.0))
    if t * se_log > _MOST:
        return without("too few clusters: the standard deviation has no upper limit")
    distance = abs(plain.value - float(bias.value(sums.sum(axis=0))))
    inwards, outwards = (distance * abs(math.expm1(sign * t * se_log)) for sign in (-1.0, 1.0))
    near, far = (
        math.sqrt(max(0.0, (t * se_bias) ** 2 + own**2 + 2.0 * together * t * se_bias * own))
        for own in (inwards, outwards)
    )
    below, above = (near, far) if factor > 0.0 else (far, near)
    if min(below, above) <= 1e-12 * max(distance, abs(plain.value)):
        return without("differences vary alike in all clusters")
    return Estimate(
        plain.name, plain.value, plain.value - below, plain.value + above, plain.n, plain.unit, method, se=se,
        confidence=confidence, n_clusters=m,
        cautions=several(few_for_limits(m), uneven_clusters(m, worth, FEW_FOR_LIMITS)),
    ).warned(*plain.cautions)  # fmt: skip


def _jackknifed(values: Floats) -> float:
    """The standard error of a statistic from its values without each unit."""
    return math.sqrt((values.size - 1) / values.size * float(((values - values.mean()) ** 2).sum()))


def few_for_limits(n_clusters: int) -> Caution | None:
    """The warning for limits of agreement of few clusters.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.

    Returns
    -------
    Caution or None
        Also None below 10 clusters, of which every estimate warns.

    Examples
    --------
    >>> few_for_limits(24).text
    'only 24 clusters: an interval of limits of agreement from fewer than 30 clusters is likely to be too narrow'
    """
    if not FEW_CLUSTERS <= n_clusters < FEW_FOR_LIMITS:
        return None
    says = f"an interval of limits of agreement from fewer than {FEW_FOR_LIMITS} clusters is likely to be too narrow"
    said = Words("only ", Part(f"{n_clusters}", is_number=True), " clusters: ", says)
    return Caution("few_resampled", said, FEW_FOR_LIMITS)
