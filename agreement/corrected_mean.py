"""Means of a judge's verdicts corrected by human labels, over strata or by weights, and the limits of such a share."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from agreement.coding import Codes, Floats
from agreement.strata_limits import covariance_of_strata, limits_over_strata

_SEEN_TO_DIFFER = 0.5
"""Smallest number of labels in a stratum on which judge and human are assumed to differ, even if none was seen."""


class CorrectedMean(NamedTuple):
    """A corrected mean over strata; without strata, there is one.

    Attributes
    ----------
    value : float
        The mean over all strata.
    of_labelled, of_others : ndarray, shapes (n,) and (N,)
        Each unit's contribution to the error of its stratum's part of the value.
    between : ndarray, shape (strata,)
        Contribution of each unit of a stratum to the error of the value through the strata's shares in the pool.
    parts, means, lambdas : list of float
        For each stratum, its share of the pool, its corrected mean and its lambda.
    ranges : list of float
        For each stratum, lambda times the range of the judge's verdicts.
    weights : ndarray, shape (n,), or None
        With unequal inclusion probabilities, the sampling weights of the labelled units.
    """

    value: float
    of_labelled: Floats
    of_others: Floats
    between: Floats
    parts: list[float]
    means: list[float]
    lambdas: list[float]
    ranges: list[float]
    weights: Floats | None = None

    @property
    def if_independent(self) -> tuple[float, float]:
        """What labelled and other units contribute to the variance of the value if all are independent."""
        return float((self.of_labelled**2).sum()), float((self.of_others**2).sum())


def over_strata(
    y: Floats, f: Floats, rest: Floats, of_labelled: Codes, of_others: Codes, tuned: bool, most: float = 1.0
) -> CorrectedMean:
    """The mean over strata, each with its own lambda (Fisch et al. 2024, section 3).

    Parameters
    ----------
    y, f, rest : ndarray, shapes (n,), (n,) and (N,)
        Human and judge verdicts on the labelled units, and judge verdicts on the others.
    of_labelled, of_others : ndarray of int
        Stratum of each.
    tuned : bool
        Whether to estimate lambda; otherwise it is `most`.
    most : float
        The greatest lambda: 1 if human and judge verdicts are in the same unit, else 1 converted to their units.

    Returns
    -------
    CorrectedMean
    """
    from_labelled, from_others = np.zeros(y.size), np.zeros(rest.size)
    pool = y.size + rest.size
    parts, means, lambdas, ranges = [], [], [], []
    for stratum in range(int(max(of_labelled.max(), of_others.max())) + 1):
        own, other = of_labelled == stratum, of_others == stratum
        n, others = int(own.sum()), int(other.sum())
        share = 0.0 if others == 0 else _tuning(y[own], f[own], rest[other], most) if tuned else most
        imputed = share * float(rest[other].mean()) if others else 0.0
        residual = y[own] - share * f[own]
        rectifier = float(residual.mean())
        of_pool = (n + others) / pool
        from_labelled[own] = of_pool * (residual - rectifier) / n
        from_others[other] = of_pool * (share * rest[other] - imputed) / max(1, others)
        parts.append(of_pool)
        means.append(imputed + rectifier)
        lambdas.append(share)
        ranges.append(share * float(np.ptp(np.concatenate([f[own], rest[other]]))))
    value = float(np.dot(parts, means))
    between = (np.array(means) - value) / pool if len(means) > 1 else np.zeros(1)
    return CorrectedMean(value, from_labelled, from_others, between, parts, means, lambdas, ranges)


def by_weights(y: Floats, f: Floats, rest: Floats, weights: Floats, tuned: bool, most: float = 1.0) -> CorrectedMean:
    """The mean of labels with unequal inclusion probabilities, the difference estimator.

    Parameters
    ----------
    y, f, rest, tuned, most
        As in `over_strata`.
    weights : ndarray, shape (n,)
        Inverse inclusion probabilities.

    Returns
    -------
    CorrectedMean
    """
    total, pool = weights.sum(), np.concatenate([f, rest])
    share = most
    if tuned:
        by_y, by_f = y - (weights * y).sum() / total, f - (weights * f).sum() / total
        factor = weights * (weights - 1.0)
        scale = float((factor * by_f**2).sum())
        share = min(most, max(0.0, float((factor * by_y * by_f).sum()) / scale)) if scale > 0.0 else 0.0
    centre = float(pool.mean())
    residual = y - share * f
    rectifier = float((weights * residual).sum() / total)
    from_labelled = weights * (residual - rectifier) / total + share * (f - centre) / pool.size
    value, from_others = share * centre + rectifier, share * (rest - centre) / pool.size
    return CorrectedMean(value, from_labelled, from_others, np.zeros(1), [1.0], [value], [share], [0.0], weights)


def score_limits(
    corrected: CorrectedMean,
    y: Floats,
    strata: Codes,
    other_strata: Codes,
    groups: Codes | None,
    other_groups: Codes | None,
    tuned: bool,
    scale: float,
    confidence: float,
) -> tuple[float, float, float]:
    """Wilson's limits of a corrected share over its strata.

    Parameters
    ----------
    corrected : CorrectedMean
        In units of `scale`.
    y : ndarray, shape (n,)
        Human verdicts, 0 and 1.
    strata, other_strata : ndarray of int, shapes (n,) and (N,)
        Stratum of each unit.
    groups, other_groups : ndarray of int or None
        Cluster of each.
    tuned : bool
        Whether lambda was estimated.
    scale : float
        The divisor of the human verdicts.
    confidence : float
        Nominal coverage.

    Returns
    -------
    low, high : float
        See `limits_over_strata`.
    variance : float
        Variance of the value on the divided scale; 0 if nothing varies in any stratum.
    """
    number = len(corrected.parts)
    n = np.bincount(strata, minlength=number).astype(np.float64)
    # degrees of freedom spent on a stratum's mean and lambda; with clusters, the variance already allows for them
    spent = 1 + tuned if groups is None else 0
    of_labelled = corrected.of_labelled * np.sqrt(n / np.maximum(1.0, n - spent))[strata]
    # the contribution of the strata's shares in the pool is treated as an additional stratum
    covariance = covariance_of_strata(
        np.concatenate([of_labelled, corrected.between[strata]]),
        np.concatenate([strata, np.full(strata.size, number)]),
        None if groups is None else np.tile(groups, 2),
        np.concatenate([corrected.of_others, corrected.between[other_strata]]),
        np.concatenate([other_strata, np.full(other_strata.size, number)]),
        None if other_groups is None else np.tile(other_groups, 2),
        number + 1,
    )
    parts, means = np.array(corrected.parts), np.clip(np.array(corrected.means) * scale, 0.0, 1.0)
    units, most = n, math.inf
    if groups is not None:
        pairs = np.unique(np.stack([groups, strata]), axis=1)[1]
        units, most = np.bincount(pairs, minlength=number).astype(np.float64), np.unique(groups).size - 1.0
    within = covariance[:number, :number]
    spread = np.sqrt(np.diag(within))
    with np.errstate(invalid="ignore"):
        correlations = np.where(spread * spread[:, None] > 0.0, within / (spread * spread[:, None]), np.eye(number))
    nothing = np.zeros(0, dtype=np.intp)
    of_residuals = covariance_of_strata(of_labelled, strata, groups, np.zeros(0), nothing, None, number)
    gap = np.minimum(1.0, np.array(corrected.ranges) * scale) / scale
    least = _SEEN_TO_DIFFER * gap**2 * (1.0 - 1.0 / n) / n / np.maximum(1.0, n - spent)
    lacking = np.maximum(0.0, least - np.diag(of_residuals) / parts**2)
    variances = (np.diag(within) / parts**2 + lacking) * scale**2
    certain = (np.diag(within) * (scale / parts) ** 2 <= 1e-18) | (means <= 0.0) | (means >= 1.0)
    if corrected.weights is not None:
        variances[0], units[0] = _drawn(float(variances[0]), float(means[0]), y, corrected.weights, float(units[0]))
    low, high = limits_over_strata(
        parts, means, variances, units, correlations, float(covariance[-1, -1]) * scale**2, confidence, most=most
    )
    return low, high, 0.0 if certain.all() else float(covariance.sum())


def _drawn(variance: float, mean: float, y: Floats, weights: Floats, units: float) -> tuple[float, float]:
    """Variance of a weighted share, shrunk towards the binomial one if that is greater, and the effective number.

    The binomial variance has the weight of one event. The few units with the rarer verdict may all have small weights,
    so each counts in proportion to the greatest weight. The effective number of units is Kish's.
    """
    weights = weights / weights.max()
    worth = min(units, float(weights.sum()) ** 2 / float((weights**2).sum()))
    events = min(float((weights * y).sum()), float((weights * (1.0 - y)).sum()))
    return max(variance, (events * variance + mean * (1.0 - mean) / worth) / (events + 1.0)), worth


def _tuning(y: Floats, f: Floats, rest: Floats, most: float) -> float:
    """PPI++ (Angelopoulos, Duchi and Zrnic 2023), section 6: the lambda that minimises the variance of a mean."""
    n = y.size
    variance = float(np.concatenate([f, rest]).var(ddof=1))
    if variance <= 0.0:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).sum()) / (n - 1)
    return min(most, max(0.0, covariance / ((1.0 + n / rest.size) * variance)))
