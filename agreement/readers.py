"""Several readers, two conditions: Obuchowski and Rockette's analysis of a reader-averaged difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from agreement.accuracy import correctness
from agreement.arguments import one_of
from agreement.cautions import few_raters
from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters, numbers_or_nan
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.magnitude import magnitude, mean_gap
from agreement.methods import leaving_out, t_with
from agreement.planned_seed import FEWEST_FOR_P
from agreement.possible_range import within_range
from agreement.quantiles import normal_tail, t_tail, upper_normal, upper_t
from agreement.ratings import RatingTable, numbers_of
from agreement.roc import delong_parts
from agreement.words import Part, Words

Readers = Literal["random", "fixed"]
_WHO = {
    "random": Part("readers sampled (random)", terms=("random",)),
    "fixed": Part("these readers (fixed)", terms=("fixed",)),
}


@dataclass(frozen=True)
class Design:
    """The sample sizes of an analysis, the scale its scores were divided by, and why it cannot be done, if so."""

    n: int
    n_clusters: int | None
    note: str
    scale: float
    are_shares: bool
    reason: str | None


def reader_averaged_difference(
    first: RatingTable,
    second: RatingTable,
    *,
    outcome: Ratings | None = None,
    readers: Readers = "random",
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    p_from: int = FEWEST_FOR_P,
    unit: str = "item",
) -> Estimate:
    """Difference between two conditions in mean accuracy over readers, by Obuchowski, Rockette and Hillis.

    With accuracies ``A_ij`` of reader j in condition i [1]_, ``T`` the mean square of condition x reader, and error
    covariances ``Cov1`` (same reader, different conditions), ``Cov2`` (same condition, different readers) and ``Cov3``
    (both different) by the jackknife over items or clusters:

    - random readers: ``se^2 = 2/r D`` with ``D = T + r max(Cov2 - Cov3, 0)``, t on ``D^2 / (T^2 / (r - 1))`` [2]_
    - fixed readers (exactly these): ``se^2 = 2/r (Var - Cov1 + (r - 1) max(Cov2 - Cov3, 0))``, normal

    A reader's accuracy is the mean score or, with `outcome`, the area under the ROC curve. Undefined for fewer than two
    items with all readings, or if leaving one out leaves no positive or no negative.

    Parameters
    ----------
    first, second : array_like, shape (items, readers)
        Correctness, 1 or 0 (or any score), of the same two or more readers on the same items in two conditions, for
        example without and with assistance; with `outcome`, their confidence that the item is positive. To compare
        readers with a judge, see `readers_against_judge`.
    outcome : sequence, shape (items,), optional
        True or 1 for positive, False or 0 for negative, None if unknown; unknown items are left out.
    readers : {"random", "fixed"}
        Whether the inference is about readers like these, or about exactly these.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    confidence : float
        Nominal coverage.
    p_from : int
        The fewest items or clusters from which P is given: without any difference P is below .05 in 16 to 19 % of
        samples of three clusters, and in 6 to 8 % of ten (`docs/statistics.md`).
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        Accuracy in `first` minus that in `second`, with `se` and `p`; `method` states the degrees of freedom. Limits
        for scores of 0 and 1, and for areas, are clipped at -1 and 1, as `method` then says.

    Raises
    ------
    ValueError
        When the tables differ in shape, have fewer than two readers or do not hold numbers, or an outcome is neither
        positive nor negative.

    References
    ----------
    .. [1] Obuchowski and Rockette (1995). Hypothesis testing of diagnostic accuracy for multiple readers and
       multiple tests. Communications in Statistics - Simulation and Computation 24, 285-308.
    .. [2] Hillis (2007). A comparison of denominator degrees of freedom methods for multiple observer ROC analysis.
       Statistics in Medicine 26, 596-619, there ddf_H.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> without, with_help = rng.random((60, 4)) < 0.6, rng.random((60, 4)) < 0.9
    >>> estimate = reader_averaged_difference(with_help.astype(int), without.astype(int))
    >>> estimate.low > 0, "readers sampled (random)" in estimate.method
    (True, True)
    """
    confidence = check_confidence(confidence)
    _check_readers(readers)
    of_first, of_second = numbers_of(first, "first"), numbers_of(second, "second")
    if of_first.shape != of_second.shape:
        raise ValueError(
            f"first has shape {of_first.shape} and second {of_second.shape}; expected the same items and readers"
        )
    r = of_first.shape[1]
    accuracies, covariance, design = jackknifed_accuracies(np.hstack([of_first, of_second]), outcome, clusters, unit)
    method = Words("Obuchowski-Rockette", ", ", _WHO[readers], f", {unit}s sampled")
    name = "reader-averaged difference" + ("" if outcome is None else " of ROC areas")
    if design.reason is not None:
        method += design.note
        return undefined(
            name, design.n, unit, method, design.reason, confidence=confidence, n_clusters=design.n_clusters
        )
    table = accuracies.reshape(2, r)
    squared, df = _two_conditions(table, covariance_components(covariance.reshape(2, r, 2, r)), readers)
    value = mean_gap(table[0], table[1])
    estimate = _with_t(name, value, squared, df, design, unit, method, confidence, p_from)
    return estimate.warned(few_raters(r) if readers == "random" else None)


def readers_against_judge(
    readers_scores: RatingTable,
    judge_scores: Ratings,
    *,
    outcome: Ratings | None = None,
    readers: Readers = "random",
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    p_from: int = FEWEST_FOR_P,
    unit: str = "item",
) -> Estimate:
    """Mean accuracy of readers minus that of one judge.

    With differences ``d_j = A_j - A_judge`` over r readers, their variance ``S^2``, and the jackknife's mean variance
    ``Var`` and mean covariance ``Cov`` of these differences: Obuchowski and Rockette's model with one condition [1]_,

    - random readers: ``se^2 = D / r`` with ``D = S^2 + r max(Cov, 0)``, t on ``D^2 / (S^4 / (r - 1))``
    - fixed readers: ``se^2 = (Var + (r - 1) max(Cov, 0)) / r``, normal

    The judge is fixed. Undefined as in `reader_averaged_difference`.

    Parameters
    ----------
    readers_scores : array_like, shape (items, readers)
        Correctness, 1 or 0 (or any score), of two or more readers.
    judge_scores : sequence, shape (items,)
        The same for the judge; items with a missing score are left out.
    outcome, readers, clusters, confidence, p_from, unit
        As in `reader_averaged_difference`.

    Returns
    -------
    Estimate
        With `se` and `p`; `method` states the degrees of freedom. Limits as in `reader_averaged_difference`.

    Raises
    ------
    ValueError
        When lengths differ, there are fewer than two readers, or a score is not a number.

    References
    ----------
    .. [1] Hillis (2007). A comparison of denominator degrees of freedom methods for multiple observer ROC analysis.
       Statistics in Medicine 26, 596-619, page 607.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> readers, judge = rng.random((80, 5)) < 0.5, rng.random(80) < 0.95
    >>> readers_against_judge(readers.astype(int), judge.astype(int)).high < 0
    True
    """
    confidence = check_confidence(confidence)
    _check_readers(readers)
    table, judge = numbers_of(readers_scores, "readers_scores"), numbers_or_nan(judge_scores, "judge_scores")
    if judge.size != len(table):
        raise ValueError(f"judge_scores has shape ({judge.size},); expected ({len(table)},), one for each item")
    r = table.shape[1]
    accuracies, covariance, design = jackknifed_accuracies(np.column_stack([table, judge]), outcome, clusters, unit)
    method = Words("Obuchowski-Rockette", ", ", _WHO[readers], f", {unit}s sampled, judge fixed")
    name = "readers minus judge" + ("" if outcome is None else ", ROC areas")
    if design.reason is not None:
        method += design.note
        return undefined(
            name, design.n, unit, method, design.reason, confidence=confidence, n_clusters=design.n_clusters
        )
    contrast = np.column_stack([np.eye(r), -np.ones(r)])
    gaps, of_gaps = contrast @ accuracies, contrast @ covariance @ contrast.T
    squared, df = _one_condition(gaps, of_gaps, readers)
    value = mean_gap(accuracies[:-1], accuracies[-1:])
    estimate = _with_t(name, value, squared, df, design, unit, method, confidence, p_from)
    return estimate.warned(few_raters(r) if readers == "random" else None)


def _check_readers(readers: str) -> None:
    one_of(readers, "readers", ("random", "fixed"))


def jackknifed_accuracies(
    scores: Floats, outcome: Ratings | None, clusters: Ratings | None, unit: str
) -> tuple[Floats, Floats, Design]:
    """Accuracy of each column and the jackknife covariance of these, over the items without missing values.

    Parameters
    ----------
    scores : ndarray, shape (items, columns)
        Correctness, or scores if there is an `outcome`; nan if missing.
    outcome : sequence, shape (items,), or None
        Positive or negative. If given, the accuracy is the area under the ROC curve, otherwise the mean.
    clusters : sequence, shape (items,), or None
        Units to leave out one at a time; items if None.
    unit : str
        What one row is.

    Returns
    -------
    accuracies : ndarray, shape (columns,)
        Divided by the scale of the design; empty if the design gives a reason.
    covariance : ndarray, shape (columns, columns)
    design : Design

    Raises
    ------
    ValueError
        When the outcome has a different length.
    """
    complete = ~np.isnan(scores).any(axis=1)
    positive: npt.NDArray[np.bool_] | None = None
    if outcome is not None:
        known, positive = correctness(outcome, "outcome")
        if known.size != len(scores):
            raise ValueError(f"outcome has shape ({known.size},); expected ({len(scores)},), one for each item")
        complete &= known
        positive = positive[complete]
    n, lost = int(complete.sum()), int((~complete).sum())
    groups, units = np.arange(n, dtype=np.intp), n
    if clusters is not None:
        groups, units = compact(encode_clusters(clusters, complete.size)[complete])
    reason = None
    if units < 2:
        reason = f"fewer than two {f'{unit}s' if clusters is None else 'clusters'} with all readings"
    elif positive is not None and _one_sided(positive, groups):
        reason = f"without one {unit if clusters is None else 'cluster'} there is no positive or no negative left"
    note = leaving_out(lost, "without all readings")
    scale = magnitude(scores) if positive is None else 1.0
    scores = scores[complete]
    are_shares = positive is not None or bool(np.isin(scores, (0.0, 1.0)).all())
    design = Design(n, units if clusters is not None else None, note, scale, are_shares, reason)
    if reason is not None:
        return np.zeros(0), np.zeros((0, 0)), design
    scores = scores / scale
    if positive is None:
        sizes = np.bincount(groups).astype(np.float64)
        sums = np.column_stack([np.bincount(groups, weights=column) for column in scores.T])
        accuracies = scores.mean(axis=0)
        left_out = (scores.sum(axis=0) - sums) / (n - sizes)[:, None]
    else:
        areas = [_areas(column, positive, groups) for column in scores.T]
        accuracies = np.array([area for area, _ in areas])
        left_out = np.column_stack([without for _, without in areas])
    deviation = left_out - left_out.mean(axis=0)
    return accuracies, (units - 1) / units * deviation.T @ deviation, design


def _one_sided(positive: npt.NDArray[np.bool_], groups: Codes) -> bool:
    """Whether a single unit contains all positives or all negatives."""
    return any(np.unique(groups[side]).size < 2 for side in (positive, ~positive))


def _areas(score: Floats, positive: npt.NDArray[np.bool_], groups: Codes) -> tuple[float, Floats]:
    """The area under the ROC curve, and the areas with one unit left out at a time."""
    of_above, of_below = groups[positive], groups[~positive]
    m, n, units = of_above.size, of_below.size, int(groups.max()) + 1
    area, of_positive, of_negative = delong_parts(score[positive], score[~positive])
    won = area * m * n - np.bincount(of_above, of_positive * n, units) - np.bincount(of_below, of_negative * m, units)
    # pairs within one unit were subtracted twice
    for unit in np.intersect1d(of_above, of_below):
        above, below = score[positive & (groups == unit)], score[~positive & (groups == unit)]
        won[unit] += delong_parts(above, below)[0] * above.size * below.size
    left = (m - np.bincount(of_above, minlength=units)) * (n - np.bincount(of_below, minlength=units))
    return area, won / left


def covariance_components(covariance: Floats) -> tuple[float, float, float, float]:
    """Mean variance, and mean covariances over other conditions, other readers, and both: Var, Cov1, Cov2, Cov3.

    Parameters
    ----------
    covariance : ndarray, shape (conditions, readers, conditions, readers)
        Covariance of the accuracies.

    Returns
    -------
    tuple of float

    References
    ----------
    .. [1] Obuchowski and Rockette (1995). Hypothesis testing of diagnostic accuracy for multiple readers and multiple
       tests. Commun Stat Simul Comput 24, 285-308.
    """
    conditions, r = covariance.shape[:2]
    same_reader, same_condition = np.eye(r, dtype=bool), np.eye(conditions, dtype=bool)
    by_condition = covariance.transpose(0, 2, 1, 3)  # condition, condition, reader, reader
    within, across = by_condition[same_condition], by_condition[~same_condition]
    return (
        float(within[:, same_reader].mean()),
        float(across[:, same_reader].mean()),
        float(within[:, ~same_reader].mean()),
        float(across[:, ~same_reader].mean()),
    )


def _two_conditions(
    accuracies: Floats, components: tuple[float, float, float, float], readers: Readers
) -> tuple[float, float]:
    """Squared standard error and degrees of freedom of the difference between two conditions [1]_, [2]_."""
    variance, cov_1, cov_2, cov_3 = components
    r, shared = accuracies.shape[1], max(cov_2 - cov_3, 0.0)
    if readers == "fixed":
        return 2.0 / r * (variance - cov_1 + (r - 1) * shared), math.inf
    # mean square of condition x reader
    gap = accuracies - accuracies.mean(axis=0) - accuracies.mean(axis=1, keepdims=True) + accuracies.mean()
    interaction = float((gap**2).sum()) / (r - 1)
    denominator = interaction + r * shared
    return 2.0 / r * denominator, _degrees(denominator, interaction, r)


def _one_condition(accuracies: Floats, covariance: Floats, readers: Readers) -> tuple[float, float]:
    """The same for the mean over readers in one condition."""
    r = accuracies.size
    shared = max(float(covariance[~np.eye(r, dtype=bool)].mean()), 0.0)
    if readers == "fixed":
        return (float(np.diag(covariance).mean()) + (r - 1) * shared) / r, math.inf
    between = float(accuracies.var(ddof=1))
    denominator = between + r * shared
    return denominator / r, _degrees(denominator, between, r)


def _degrees(denominator: float, mean_square: float, r: int) -> float:
    """Hillis' degrees of freedom; infinite if the readers do not differ at all."""
    return denominator**2 / (mean_square**2 / (r - 1)) if mean_square > 1e-18 else math.inf


def _with_t(
    name: str,
    value: float,
    squared: float,
    df: float,
    design: Design,
    unit: str,
    method: str,
    confidence: float,
    p_from: int,
) -> Estimate:
    finite, value = math.isfinite(df), value * design.scale
    method += (", " + t_with(f"{df:.1f}", "on") + " (Hillis)" if finite else ", normal") + design.note
    if squared <= 1e-18:
        reason = "the standard error is 0"
        return undefined(
            name, design.n, unit, method, reason, value=value, confidence=confidence, n_clusters=design.n_clusters
        )
    se, tail = math.sqrt(squared) * design.scale, (1.0 - confidence) / 2.0
    quantile = upper_t(tail, df) if finite else upper_normal(tail)
    p: float | None = 2.0 * (t_tail(abs(value) / se, df) if finite else normal_tail(abs(value) / se))
    if (design.n if design.n_clusters is None else design.n_clusters) < p_from:
        p = None
        method += f"; no P from fewer than {p_from} {f'{unit}s' if design.n_clusters is None else 'clusters'}"
    low, high, clipped = value - quantile * se, value + quantile * se, ""
    if design.are_shares:  # with few readers, t limits can lie far beyond
        low, high, clipped = within_range(low, high)
    return Estimate(
        name,
        value,
        low,
        high,
        design.n,
        unit,
        method + clipped,
        se=se,
        p=p,
        confidence=confidence,
        n_clusters=design.n_clusters,
    )
