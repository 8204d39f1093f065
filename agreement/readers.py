"""Several readers, two conditions: Obuchowski and Rockette's analysis of a reader-averaged difference."""

import math
from typing import Literal

import numpy as np
from scipy import stats

from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.ratings import RatingTable, numbers_of


def reader_averaged_difference(
    first: RatingTable,
    second: RatingTable,
    *,
    readers: Literal["random", "fixed"] = "random",
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Difference of two conditions in mean correctness over readers, by Obuchowski, Rockette and Hillis.

    With accuracies ``A_ij`` of condition i and reader j [1]_, ``T`` the mean square of condition x reader and error
    covariances ``Cov2`` (same condition, different readers) and ``Cov3`` (different conditions and readers) by the
    jackknife over items or clusters:

    - random readers: ``se^2 = 2/r D`` with ``D = T + max(r (Cov2 - Cov3), 0)``, t on ``D^2 / (T^2 / (r - 1))`` [2]_
    - fixed readers (these very ones): ``se^2 = 2/r (Var - Cov1 + (r - 1) max(Cov2 - Cov3, 0))``, normal; ``Cov1`` is
      that of one reader in two conditions

    Undefined for fewer than two items with all readings, and for random readers with fewer than two readers.

    Parameters
    ----------
    first, second : array_like, shape (items, readers)
        Correctness, 1 or 0 (or any score), of the same readers on the same items in two conditions, for example
        without and with help. For a comparison with a judge see `readers_against_judge`.
    readers : {"random", "fixed"}
        Whether the conclusion is about readers like these, or about these.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        Mean of `first` minus mean of `second`, with `se` and `p`; the degrees of freedom stand in `method`.

    Raises
    ------
    ValueError
        When the tables differ in shape or do not hold numbers.

    References
    ----------
    .. [1] Obuchowski and Rockette (1995). Hypothesis testing of diagnostic accuracy for multiple readers and
       multiple tests. Communications in Statistics - Simulation and Computation 24, 285-308.
    .. [2] Hillis (2007). A comparison of denominator degrees of freedom methods for multiple observer ROC analysis.
       Statistics in Medicine 26, 596-619, eq. 8 and 15.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> without, with_help = rng.random((60, 4)) < 0.6, rng.random((60, 4)) < 0.9
    >>> found = reader_averaged_difference(with_help.astype(int), without.astype(int))
    >>> found.low > 0, "readers sampled (random)" in found.method
    (True, True)
    """
    check_confidence(confidence)
    if readers not in ("random", "fixed"):
        raise ValueError(f"readers is {readers!r}; expected 'random' or 'fixed'")
    one, two = numbers_of(first, "first"), numbers_of(second, "second")
    if one.shape != two.shape:
        raise ValueError(f"first has shape {one.shape} and second {two.shape}; expected the same items and readers")
    complete = ~(np.isnan(one) | np.isnan(two)).any(axis=1)
    lost = int((~complete).sum())
    groups: Codes | None = None
    n_clusters = None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, complete.size)[complete])
    scores = np.stack([one[complete], two[complete]], axis=1)  # items x conditions x readers
    n, _, r = scores.shape
    who = "readers sampled (random)" if readers == "random" else "these readers (fixed)"
    note = f"; {lost} without all readings left out" if lost else ""
    method = f"Obuchowski-Rockette, {who}, {unit}s sampled"
    name = "reader-averaged difference"
    units = n if n_clusters is None else n_clusters
    if units < 2:
        reason = f"fewer than two {unit + 's' if n_clusters is None else 'clusters'} with all readings"
        return undefined(name, n, unit, method + note, reason, confidence=confidence, n_clusters=n_clusters)
    accuracies = scores.mean(axis=0)
    value = float(accuracies[0].mean() - accuracies[1].mean())
    variance, cov_1, cov_2, cov_3 = _covariances(scores, groups, units)
    shared = max(cov_2 - cov_3, 0.0)
    if readers == "fixed":
        squared, df = 2.0 / r * (variance - cov_1 + (r - 1) * shared), math.inf
        method += ", normal"
    else:
        # interaction of condition and reader
        gap = accuracies - accuracies.mean(axis=0) - accuracies.mean(axis=1, keepdims=True) + accuracies.mean()
        interaction = float((gap**2).sum()) / (r - 1)
        denominator = interaction + r * shared
        squared = 2.0 / r * denominator
        df = denominator**2 / (interaction**2 / (r - 1)) if interaction > 0.0 else math.inf
        method += f", t on {df:.1f} degrees of freedom (Hillis)" if math.isfinite(df) else ", normal (no interaction)"
    if squared <= 1e-18:
        reason = "the standard error is 0"
        return undefined(
            name, n, unit, method + note, reason, value=value, confidence=confidence, n_clusters=n_clusters
        )
    return _with_t(name, value, math.sqrt(squared), df, n, unit, method + note, confidence, n_clusters)


def readers_against_judge(
    readers_scores: RatingTable,
    judge_scores: Ratings,
    *,
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Mean accuracy of readers minus that of one judge, for readers like these.

    With differences ``d_j = A_j - A_judge`` over r readers, mean ``d``, their variance ``S^2`` and the mean
    jackknife covariance ``Cov`` of two of them: ``se^2 = (S^2 + r max(Cov, 0)) / r``, t on ``(S^2 + r max(Cov, 0))^2
    / (S^4 / (r - 1))``: Obuchowski and Rockette's model with one condition that has no readers [1]_. The judge is
    fixed. Undefined for fewer than two readers or items.

    Parameters
    ----------
    readers_scores : array_like, shape (items, readers)
        Correctness, 1 or 0 (or any score).
    judge_scores : sequence, shape (items,)
        The same for the judge; items with a missing score are left out.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        With `se` and `p`; the degrees of freedom stand in `method`.

    Raises
    ------
    ValueError
        When lengths differ or a score is no number.

    References
    ----------
    .. [1] Hillis, Berbaum and Metz (2008). Recent developments in the Dorfman-Berbaum-Metz procedure for multireader
       ROC study analysis. Academic Radiology 15, 647-661, section on a single test.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> readers, judge = rng.random((80, 5)) < 0.5, rng.random(80) < 0.95
    >>> readers_against_judge(readers.astype(int), judge.astype(int)).high < 0
    True
    """
    check_confidence(confidence)
    table = numbers_of(readers_scores, "readers_scores")
    judge = numbers_of([[value, value] for value in judge_scores], "judge_scores")[:, :1]
    if len(judge) != len(table):
        raise ValueError(f"judge_scores has shape ({len(judge)},); expected ({len(table)},), one for each item")
    gaps = table - judge
    complete = ~np.isnan(gaps).any(axis=1)
    groups: Codes | None = None
    n_clusters = None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, complete.size)[complete])
    gaps = gaps[complete]
    n, r = gaps.shape
    lost = int((~complete).sum())
    note = f"; {lost} without all readings left out" if lost else ""
    method = f"Obuchowski-Rockette, readers sampled (random), {unit}s sampled, judge fixed"
    name, units = "readers minus judge", n if n_clusters is None else n_clusters
    if units < 2:
        reason = f"fewer than two {unit + 's' if n_clusters is None else 'clusters'} with all readings"
        return undefined(name, n, unit, method + note, reason, confidence=confidence, n_clusters=n_clusters)
    means = gaps.mean(axis=0)
    covariance = _jackknife(gaps, groups, units)
    shared = max(float(covariance[~np.eye(r, dtype=bool)].mean()), 0.0)
    between = float(means.var(ddof=1))
    total = between + r * shared
    value = float(means.mean())
    if total <= 1e-18:
        reason = "the standard error is 0"
        return undefined(
            name, n, unit, method + note, reason, value=value, confidence=confidence, n_clusters=n_clusters
        )
    df = total**2 / (between**2 / (r - 1)) if between > 0.0 else math.inf
    method += f", t on {df:.1f} degrees of freedom (Hillis)" if math.isfinite(df) else ", normal (readers alike)"
    return _with_t(name, value, math.sqrt(total / r), df, n, unit, method + note, confidence, n_clusters)


def _covariances(scores: Floats, groups: Codes | None, units: int) -> tuple[float, float, float, float]:
    """Mean variance, and covariances of other conditions, other readers, and both, from the jackknife."""
    n, conditions, r = scores.shape
    covariance = _jackknife(scores.reshape(n, conditions * r), groups, units).reshape(conditions, r, conditions, r)
    same_reader, same_condition = np.eye(r, dtype=bool), np.eye(conditions, dtype=bool)
    by_condition = covariance.transpose(0, 2, 1, 3)  # condition, condition, reader, reader
    within, across = by_condition[same_condition], by_condition[~same_condition]
    return (
        float(within[:, same_reader].mean()),
        float(across[:, same_reader].mean()),
        float(within[:, ~same_reader].mean()),
        float(across[:, ~same_reader].mean()),
    )


def _jackknife(scores: Floats, groups: Codes | None, units: int) -> Floats:
    """Covariance matrix of column means by leaving out one unit at a time."""
    n = len(scores)
    sums, sizes = scores, np.ones(n)
    if groups is not None:
        sums = np.stack([np.bincount(groups, weights=column, minlength=units) for column in scores.T], axis=1)
        sizes = np.bincount(groups, minlength=units).astype(np.float64)
    left_out = (scores.sum(axis=0) - sums) / (n - sizes)[:, None]
    deviation = left_out - left_out.mean(axis=0)
    return np.asarray((units - 1) / units * deviation.T @ deviation)


def _with_t(
    name: str,
    value: float,
    se: float,
    df: float,
    n: int,
    unit: str,
    method: str,
    confidence: float,
    n_clusters: int | None,
) -> Estimate:
    finite = math.isfinite(df)
    tail = (1.0 - confidence) / 2.0
    quantile = float(stats.t.isf(tail, df)) if finite else float(stats.norm.isf(tail))
    p = 2.0 * float(stats.t.sf(abs(value) / se, df) if finite else stats.norm.sf(abs(value) / se))
    return Estimate(
        name,
        value,
        value - quantile * se,
        value + quantile * se,
        n,
        unit,
        method,
        se=se,
        p=p,
        confidence=confidence,
        n_clusters=n_clusters,
    )
