"""Limits of a proportion over strata, from the Wilson limits within each."""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from agreement.coding import Codes, Floats
from agreement.intervals import wilson_limits
from agreement.quantiles import upper_t


def covariance_of_strata(
    of_labelled: Floats,
    strata: Codes,
    groups: Codes | None,
    of_others: Floats,
    other_strata: Codes,
    other_groups: Codes | None,
    number: int,
) -> Floats:
    """Covariances, about 0, of the strata's contributions to an error, from the contributions of two kinds of units.

    Parameters
    ----------
    of_labelled, of_others : ndarray, shapes (n,) and (N,)
        The contribution of each unit; a unit may occur twice, in two strata.
    strata, other_strata : ndarray of int
        Stratum of each unit.
    groups, other_groups : ndarray of int or None
        Cluster of each unit; None if these units are independent. Clusters are counted among the labelled.
    number : int
        Number of strata, K.

    Returns
    -------
    ndarray, shape (K, K)
        Diagonal without clusters.

    Examples
    --------
    Clusters with one unit in each stratum.

    >>> ones, strata, nothing = np.array([1.0, 1, -1, -1]), np.array([0, 1, 0, 1]), np.zeros(0, dtype=int)
    >>> covariance_of_strata(ones, strata, np.array([0, 0, 1, 1]), np.zeros(0), nothing, None, 2).tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    others = np.bincount(other_strata, weights=of_others**2, minlength=number).astype(np.float64)
    if groups is None:
        return np.diag(np.bincount(strata, weights=of_labelled**2, minlength=number) + others)
    clusters = np.unique(groups).size
    if other_groups is not None:
        of_labelled, strata = np.concatenate([of_labelled, of_others]), np.concatenate([strata, other_strata])
        groups, others = np.concatenate([groups, other_groups]), np.zeros(number)
    sums = sparse.csr_matrix((of_labelled, (groups, strata)), shape=(int(groups.max()) + 1, number))
    return np.asarray(clusters / (clusters - 1) * (sums.T @ sums).toarray() + np.diag(others))


def limits_over_strata(
    parts: Floats,
    means: Floats,
    variances: Floats,
    units: Floats,
    correlations: Floats,
    between: float,
    confidence: float,
    *,
    most: float = math.inf,
) -> tuple[float, float]:
    """Limits of ``sum W_s m_s``, with m_s the proportion in stratum s, from the Wilson limits of each stratum [1]_.

    ``low = m - sqrt(sum_s sum_t r_st W_s d_s W_t d_t + q^2 b)`` with ``d_s = m_s - low_s``; the upper limit likewise.
    Wilson's limits of a stratum use the effective size ``m_s (1 - m_s) / v_s``, with v_s the variance of m_s; if v_s is
    0, or all are right or all wrong, they use its number of units, since a stratum without observed variation is not
    certain. q is a t quantile with Satterthwaite's degrees of freedom, ``(sum x_s)^2 / sum x_s^2 / (units_s - 1)``,
    where ``x_s`` is the square of ``W_s`` times half the stratum's interval width [2]_. For a single stratum, these are
    Wilson's limits.

    Parameters
    ----------
    parts : ndarray, shape (K,)
        W_s, the weight of each stratum.
    means, variances, units : ndarray, shape (K,)
        The proportion in each stratum, within 0 and 1, its variance, and the number of units, or clusters, behind it.
    correlations : ndarray, shape (K, K)
        r_st; the identity for independent strata.
    between : float
        b, a variance component that the strata share.
    confidence : float
        Nominal coverage.
    most : float
        Upper bound for the degrees of freedom.

    Returns
    -------
    low, high : float
        Within 0 and 1.

    References
    ----------
    .. [1] Zou and Donner (2008). Construction of confidence limits about effect measures: a general approach.
       Statistics in Medicine 27, 1693-1702 (MOVER).
    .. [2] Satterthwaite (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin 2,
       110-114.

    Examples
    --------
    All of 20 right in one half of the pool, and 10 of 20 in the other half.

    >>> half, units = np.array([0.5, 0.5]), np.array([20.0, 20.0])
    >>> limits = limits_over_strata(half, np.array([1.0, 0.5]), np.array([0.0, 1 / 80]), units, np.eye(2), 0.0, 0.95)
    >>> [round(limit, 3) for limit in limits]
    [0.614, 0.855]
    """
    certain = (variances <= 1e-18) | (means <= 0.0) | (means >= 1.0)
    sizes = np.where(certain, units, means * (1.0 - means) / np.where(certain, 1.0, variances))

    def distances(freedom: float | None) -> tuple[Floats, Floats]:
        limits = [
            wilson_limits(mean * size, size, confidence, freedom) for mean, size in zip(means, sizes, strict=True)
        ]
        low, high = np.array(limits).T
        return parts * (means - low), parts * (high - means)

    below, above = distances(None)
    squares = ((below + above) / 2.0) ** 2
    satterthwaite = float(squares.sum() ** 2 / (squares**2 / np.maximum(1.0, units - 1.0)).sum())
    freedom = max(1.0, min(satterthwaite, most))
    below, above = distances(freedom)
    shared = upper_t((1.0 - confidence) / 2.0, freedom) ** 2 * between
    value = float(parts @ means)
    down, up = (math.sqrt(max(0.0, float(way @ correlations @ way)) + shared) for way in (below, above))
    return max(0.0, value - down), min(1.0, value + up)
