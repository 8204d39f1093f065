"""Tests of paired verdicts on clustered items: Durkalski's McNemar test, Obuchowski's test of the margins."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from agreement.arguments import check_resamples, one_of
from agreement.cluster_codes import of_used
from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters, encode_pairs
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.methods import leaving_out
from agreement.quantiles import chi_square_tail
from agreement.resampling import Seed, bootstrap_of_sums, ratio, sums_by_cluster
from agreement.words import Words

McNemarInClusters = Literal["durkalski", "obuchowski"]

_ROUNDING = 1e-12


def mcnemar_in_clusters(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings,
    method: McNemarInClusters = "durkalski",
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "pair",
) -> Estimate:
    """McNemar's test of two paired proportions when pairs share clusters.

    With ``b_k`` and ``c_k`` the discordant pairs among the ``n_k`` pairs of cluster k, chi-square on one degree of
    freedom:

    - durkalski: ``(sum (b_k - c_k) / n_k)^2 / sum ((b_k - c_k) / n_k)^2``, each cluster with the same weight [1]_
    - obuchowski: ``(sum (b_k - c_k))^2 / (m / (m - 1) sum (b_k - c_k)^2)`` with m clusters, each pair with the same
      weight [2]_

    The value is the share ``sum b_k / sum (b_k + c_k)`` of the discordant pairs, as in `mcnemar`, with a cluster
    bootstrap interval. `p` is 1 if the clusters balance exactly, and None for fewer than two clusters.

    Parameters
    ----------
    a, b : sequence of bool, shape (pairs,)
        Two verdicts for each pair, for example whether each of two raters was right: True or 1, False or 0; None
        missing.
    clusters : sequence, shape (pairs,)
        Cluster of each pair.
    method : {"durkalski", "obuchowski"}
        Which test; `method` of the estimate names it.
    interval, resamples, seed
        See `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What a pair is.

    Returns
    -------
    Estimate
        `n` is the number of discordant pairs.

    Raises
    ------
    ValueError
        When lengths differ, a verdict is neither True nor False, or the method is unknown.

    References
    ----------
    .. [1] Durkalski, Palesch, Lipsitz and Rust (2003). Analysis of clustered matched-pair data. Stat Med 22, 2417-2428.
    .. [2] Obuchowski (1998). On the comparison of correlated proportions for clustered data. Stat Med 17, 1495-1507.

    Examples
    --------
    Differences 2, 1 and -1 in clusters of two pairs: (1 + .5 - .5)^2 / (1 + .25 + .25).

    >>> a, b = [1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0]
    >>> mcnemar_in_clusters(a, b, clusters=[1, 1, 2, 2, 3, 3], resamples=200).method.split("; ")[0]
    'McNemar, Durkalski, chi2(1) = 0.6667'
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    kind = chosen_interval(interval, *BOOTSTRAPS)
    one_of(method, "method", ("durkalski", "obuchowski"))
    pairs = encode_pairs(a, b, (False, True))
    groups, m = compact(of_used(encode_clusters(clusters, pairs.rated.size), pairs.rated))
    gaps = (pairs.a - pairs.b).astype(np.float64)
    p, text = mcnemar_p_in_clusters(gaps, groups, method)
    text += leaving_out(pairs.n_missing, "without both verdicts")
    discordant = gaps != 0.0
    n, name, of = int(discordant.sum()), "share of discordant pairs", f"discordant {unit}"
    if n == 0:
        return undefined(name, 0, of, text, "no discordant pairs", p=p, confidence=confidence, n_clusters=m)
    rows = np.column_stack([gaps > 0.0, discordant]).astype(np.float64)
    spread = bootstrap_of_sums(
        ratio, sums_by_cluster(rows, groups), resamples=resamples, seed=seed, interval=kind, confidence=confidence
    )
    estimate = spread.estimate(name, float((gaps > 0.0).sum()) / n, n, of, confidence=confidence, n_clusters=m)
    return replace(estimate, method=text + "; " + spread.method, p=p)


def mcnemar_p_in_clusters(gaps: Floats, groups: Codes, method: McNemarInClusters) -> tuple[float | None, Words]:
    """The P value of `mcnemar_in_clusters` and the test that it comes from.

    Parameters
    ----------
    gaps : ndarray of float, shape (pairs,)
        1 if the first verdict alone is True, -1 if the second alone is, 0 if they are the same.
    groups : ndarray of int, shape (pairs,)
        Cluster of each pair, at least 0.
    method : {"durkalski", "obuchowski"}

    Returns
    -------
    p : float or None
        None for fewer than two clusters.
    test : Words
        For `Estimate.method`.

    Examples
    --------
    >>> gaps, groups = np.array([1.0, 1.0, 1.0, 0.0, -1.0, 0.0]), np.array([0, 0, 1, 1, 2, 2])
    >>> mcnemar_p_in_clusters(gaps, groups, "obuchowski")[1]
    'McNemar, Obuchowski, chi2(1) = 0.4444'
    """
    sizes = np.bincount(groups)
    there = sizes > 0
    m = int(there.sum())
    of_cluster = np.asarray(np.bincount(groups, weights=gaps), dtype=np.float64)[there]
    test, factor = "Obuchowski", m / max(1, m - 1)
    if method == "durkalski":
        test, factor, of_cluster = "Durkalski", 1.0, of_cluster / sizes[there]
    text = Words("McNemar", f", {test}")
    if m < 2:
        return None, text
    squares = float((of_cluster**2).sum())
    statistic = float(of_cluster.sum()) ** 2 / (factor * squares) if squares > 0.0 else 0.0
    return chi_square_tail(statistic, 1), text + f", chi2(1) = {statistic:.4g}"


def marginal_homogeneity_in_clusters(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings,
    categories: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Marginal homogeneity of two raters (equal use of the categories) when items share clusters.

    In each of m clusters, ``d_k`` is the vector of differences between the first and second rater's counts of each
    category but one, and ``V = m / (m - 1) sum d_k d_k'``. The statistic is ``(sum d_k)' V^-1 (sum d_k)``, chi-square
    on as many degrees of freedom as the rank of V. This extends Obuchowski's test [1]_ to several categories; for two,
    it is hers. The value is half the sum of the absolute differences of the margins, as in `marginal_homogeneity`; it
    has no interval. There is no P value if the number of clusters is less than the degrees of freedom plus two.

    Parameters
    ----------
    a, b : sequence, shape (items,)
        Verdicts of the two raters; None or NaN is missing.
    clusters : sequence, shape (items,)
        Cluster of each item.
    categories : sequence, optional
        The declared categories; by default the observed ones.
    confidence : float
        Carried into the estimate.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        With `p`, which is 1 if the raters' counts are the same in every cluster.

    Raises
    ------
    ValueError
        When lengths differ, or a verdict is undeclared.

    References
    ----------
    .. [1] Obuchowski (1998). On the comparison of correlated proportions for clustered data. Stat Med 17, 1495-1507.

    Examples
    --------
    Differences 2, 1 and -1 in three clusters: 2^2 / (3/2 (4 + 1 + 1)).

    >>> a, b = [1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0]
    >>> marginal_homogeneity_in_clusters(a, b, clusters=[1, 1, 2, 2, 3, 3]).method
    'Obuchowski, chi2(1) = 0.4444; no interval'
    """
    confidence = check_confidence(confidence)
    pairs = encode_pairs(a, b, categories)
    groups, m = compact(of_used(encode_clusters(clusters, pairs.rated.size), pairs.rated))
    n, q, name = pairs.n, len(pairs.categories), "marginal difference"
    note = leaving_out(pairs.n_missing, "without both verdicts")
    if n == 0:
        return undefined(name, 0, unit, "Obuchowski" + note, f"no {unit}s", confidence=confidence, n_clusters=m)
    use_a, use_b = (np.bincount(groups * q + codes, minlength=m * q).reshape(m, q) for codes in (pairs.a, pairs.b))
    gaps = (use_a - use_b).astype(np.float64)
    total = gaps.sum(axis=0)
    value = float(np.abs(total).sum()) / (2 * n)
    spread = m / max(1, m - 1) * (gaps.T @ gaps)
    degrees = int(np.linalg.matrix_rank(spread, tol=_ROUNDING * max(1.0, float(spread.max())) * q * 1e2))
    if m < degrees + 2 or m < 2:
        reason = f"{m} cluster{'s' if m != 1 else ''}: the test needs {max(2, degrees + 2)} or more for {q} categories"
        return undefined(
            name, n, unit, "Obuchowski" + note, reason, value=value, confidence=confidence, n_clusters=m
        )  # fmt: skip
    statistic = float(total @ np.linalg.pinv(spread, rcond=1e-10, hermitian=True) @ total) if degrees else 0.0
    p = chi_square_tail(statistic, degrees) if degrees else 1.0
    method = Words("Obuchowski", f", chi2({degrees}) = {statistic:.4g}; no interval", note)
    reason = "the test has no interval"
    return undefined(name, n, unit, method, reason, value=value, p=p, confidence=confidence, n_clusters=m)
