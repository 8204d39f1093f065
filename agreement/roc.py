"""Area under the ROC curve, with DeLong's standard error or, for clusters, Obuchowski's; macro one-vs-rest."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.accuracy import correctness
from agreement.area_limits import NO_VARIANCE, OF_AREAS, normal, scored
from agreement.arguments import rows_once, unmasked
from agreement.codebook import MISSING
from agreement.coding import Codes, Floats, Ratings, compact, encode, encode_clusters, numbers_or_nan, same_length
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.given_numbers import as_floats
from agreement.interval_kinds import Interval, chosen_interval
from agreement.lone_items import alone
from agreement.methods import leaving_out
from agreement.p_in_clusters import PInClusters, few_for_normal
from agreement.percent import of_uneven_clusters
from agreement.ranks import mean_ranks
from agreement.words import Words


def roc_auc(
    score: Ratings,
    outcome: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    p_in_clusters: PInClusters = "t",
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Area under the ROC curve: the probability that a positive scores above a negative, counting ties one half.

    The standard error is DeLong's [1]_, with clusters Obuchowski's [2]_. The interval is Newcombe's score interval with
    this variance (`agreement.area_limits`), with clusters with t, or normal and clipped to [0, 1] as in R's pROC. The
    direction is never flipped: below 0.5, high scores go with negatives. Undefined without positives or without
    negatives. Limits are undefined with only one of either (with clusters: only in one cluster), and if the standard
    error is 0, as when all scores are equal; if the two do not overlap, only the normal ones.

    Parameters
    ----------
    score : sequence of numbers, shape (items,)
        The score, for example a confidence; None or NaN is missing.
    outcome : sequence, shape (items,)
        True or 1 for positive, False or 0 for negative, None if unknown.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"score", "normal"}, optional
        By default "score", which holds for areas near 1 in small samples too.
    p_in_clusters : {"t", "normal"}
        The distribution of `p` beside score limits in clusters, which are by t; beside normal ones it is normal.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` tests 0.5 with the same standard error. With a warning if it is normal and there are fewer than 20 clusters.

    Raises
    ------
    ValueError
        When lengths differ, a score is not a finite number, or an outcome is neither positive nor negative.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988). Comparing the areas under two or more correlated receiver operating
       characteristic curves. Biometrics 44, 837-845.
    .. [2] Obuchowski (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53, 567-578.

    Examples
    --------
    >>> roc_auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value
    0.75
    """
    sides = Sides("scores of positives and negatives", "positives or negatives")
    return area_of_sides(score, outcome, clusters, confidence, unit, sides, interval, p_in_clusters)


class Sides(NamedTuple):
    """How the reasons for an undefined area name its two sides: what is compared, either, and that one is empty."""

    compared: str
    either: str
    no_positive: str = "no positive {unit}s"
    no_negative: str = "no negative {unit}s"


def area_of_sides(
    score: Ratings,
    outcome: Ratings,
    clusters: Ratings | None,
    confidence: float,
    unit: str,
    sides: Sides,
    interval: Interval | None = None,
    p_in_clusters: PInClusters = "t",
) -> Estimate:
    """The area under the ROC curve of two sides with names of their own.

    Parameters
    ----------
    score, outcome, clusters, confidence, unit, interval, p_in_clusters
        As in `roc_auc`.
    sides : Sides
        The names of the two sides.

    Returns
    -------
    Estimate
        As from `roc_auc`.
    """
    confidence = check_confidence(confidence)
    kind = chosen_interval(interval, *OF_AREAS)
    scores = numbers_or_nan(score, "score")
    known, positive = correctness(outcome, "outcome")
    same_length(scores, known, "score", "outcome")
    used = known & ~np.isnan(scores)
    groups, n_clusters = _groups(clusters, used)
    lost, n, name = int((~used).sum()), int(used.sum()), "area under the ROC curve"
    worth = None if groups is None or alone(groups) else clusters_with(np.ones(n), groups)
    by_t = kind == "score" and p_in_clusters == "t"
    method = _method(groups is not None, lost, kind, of_p=by_t and worth is not None)
    scores, positive = scores[used], positive[used]
    if not positive.any() or positive.all():
        reason = (sides.no_negative if positive.any() else sides.no_positive).format(unit=unit)
        return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    value, of_positive, of_negative = delong_parts(scores[positive], scores[~positive])
    influence = np.zeros(n)
    influence[positive] = (of_positive - value) / of_positive.size
    influence[~positive] = (of_negative - value) / of_negative.size
    variance = _variance(influence, positive, groups)
    reason = without_spread(value, sides.compared)
    if math.isnan(variance):
        reason = f"{sides.either} in one {'cluster' if groups is not None else unit} only: no standard error"
    of_sides = _units_of_sides(positive, groups)
    wrong_side = min(of_sides) * min(value, 1.0 - value)
    if kind == "score" and (variance > NO_VARIANCE or (value in (0.0, 1.0) and min(of_sides) > 1)):
        counts = of_positive.size, of_negative.size
        estimate = scored(
            name, value, variance, n, unit, method, confidence, n_clusters, counts, of_sides, wrong_side, worth,
            p_in_clusters,
        )  # fmt: skip
    else:
        estimate = normal(name, value, variance, n, unit, method, confidence, n_clusters, reason, wrong_side)
    by_normal = worth is not None and not by_t and estimate.p is not None
    few = few_for_normal(n_clusters, limits=kind == "normal") if by_normal else None
    return estimate.warned(of_uneven_clusters(positive, groups), few)


def macro_auc(
    scores: Sequence[Sequence[float]] | npt.NDArray[np.float64],
    reference: Ratings,
    *,
    classes: Sequence[Hashable],
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Mean over classes of the area under the ROC curve of one class against the rest.

    The mean is over the classes that occur in the reference, unless all items belong to one [1]_, with equal weights
    (as in scikit-learn's macro average). The standard error is that of the sum of the linearised areas, ``n / (n - 1)``
    times the sum of each item's squared DeLong components, summed within clusters if given; normal interval, clipped to
    [0, 1]. Limits are undefined if a class occurs in a single item (or cluster).

    Parameters
    ----------
    scores : array_like of numbers, shape (items, classes)
        Score of each class; items with a missing score are left out.
    reference : sequence, shape (items,)
        The correct class; None or NaN is missing.
    classes : sequence
        Names of the columns of `scores`.
    clusters, confidence, unit
        As in `roc_auc`.

    Returns
    -------
    Estimate
        Undefined if fewer than two classes occur.

    Raises
    ------
    ValueError
        When lengths differ, a score is not a finite number, or a class is undeclared.

    References
    ----------
    .. [1] Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27, 861-874, section 9: class
       reference curves; there weighted by prevalence. Not the pairwise form of Hand and Till (2001).

    Examples
    --------
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.4, 0.2]]
    >>> macro_auc(scores, ["a", "b", "c", "a"], classes=["a", "b", "c"]).value
    1.0
    """
    confidence = check_confidence(confidence)
    try:
        table = as_floats(unmasked(rows_once(scores)))
    except (TypeError, ValueError):
        raise ValueError(
            "scores is not a table of numbers; expected shape (items, classes), None where missing"
        ) from None
    if np.isinf(table).any():
        raise ValueError("scores holds an infinite value; expected finite numbers")
    codes, levels = encode(reference, classes, "reference", "classes")
    if table.ndim != 2 or table.shape != (codes.size, len(levels)):
        raise ValueError(f"scores has shape {table.shape}; expected ({codes.size}, {len(levels)}), (items, classes)")
    used = (codes != MISSING) & ~np.isnan(table).any(axis=1)
    groups, n_clusters = _groups(clusters, used)
    n, name = int(used.sum()), "macro area under the ROC curve"
    method = _method(groups is not None, int((~used).sum())) + "; one class against the rest"
    table, codes = table[used], codes[used]
    occurring = [code for code in range(len(levels)) if (codes == code).any()]
    if len(occurring) < 2:
        reason = "fewer than two classes occur"
        return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    areas, wrong_side, influence = [], math.inf, np.zeros(n)
    for code in occurring:
        positive = codes == code
        area, of_positive, of_negative = delong_parts(table[positive, code], table[~positive, code])
        influence[positive] += (of_positive - area) / of_positive.size / len(occurring)
        influence[~positive] += (of_negative - area) / of_negative.size / len(occurring)
        areas.append(area)
        wrong_side = min(wrong_side, min(_units_of_sides(positive, groups)) * min(area, 1.0 - area))
    parts = influence if groups is None else np.bincount(groups, weights=influence)
    value, variance = math.fsum(areas) / len(areas), float((parts**2).sum()) * parts.size / max(parts.size - 1, 1)
    reason = without_spread(value, "scores of the classes")
    units = np.arange(n) if groups is None else groups
    for code in occurring:
        if min(np.unique(units[codes == code]).size, np.unique(units[codes != code]).size) < 2:
            kind = "cluster" if groups is not None else unit
            variance, reason = math.nan, f"class {levels[code]!r} or the rest in one {kind} only: no standard error"
            break
    estimate = normal(name, value, variance, n, unit, method, confidence, n_clusters, reason, wrong_side)
    rarest = occurring[int(np.argmin([(codes == code).sum() for code in occurring]))]
    few = few_for_normal(n_clusters, limits=True) if estimate.p is not None else None
    return estimate.warned(of_uneven_clusters(codes == rarest, groups), few)


def delong_parts(above: Floats, below: Floats) -> tuple[float, Floats, Floats]:
    """Area and DeLong's structural components, from mid-ranks in n log n time.

    Parameters
    ----------
    above, below : ndarray, shapes (m,) and (n,)
        Scores of positives and of negatives.

    Returns
    -------
    value : float
        The area.
    of_positive, of_negative : ndarray, shapes (m,) and (n,)
        Share of negatives below each positive, and of positives above each negative; the mean of both is the area.

    References
    ----------
    .. [1] Sun and Xu (2014). Fast implementation of DeLong's algorithm. IEEE Signal Processing Letters 21, 1389-1393.

    Examples
    --------
    >>> delong_parts(np.array([3.0, 5.0, 6.0]), np.array([2.0, 5.0]))[0]
    0.75
    """
    # scikit-learn's roc_auc_score returns only the area, without the components needed for the standard error
    m, n = above.size, below.size
    ranks = mean_ranks(np.concatenate([above, below]))
    # [1] eq. 6 ff.
    of_positive = (ranks[:m] - mean_ranks(above)) / n
    of_negative = 1.0 - (ranks[m:] - mean_ranks(below)) / m
    return float(of_positive.mean()), of_positive, of_negative


def delong_variance(of_positive: Floats, of_negative: Floats) -> float:
    """Variance of the area from DeLong's components; nan if a side has a single unit.

    Parameters
    ----------
    of_positive, of_negative : ndarray, shapes (m,) and (n,)
        As returned by `delong_parts`.

    Returns
    -------
    float

    Examples
    --------
    >>> _, of_positive, of_negative = delong_parts(np.array([3.0, 5.0, 6.0]), np.array([2.0, 5.0]))
    >>> round(delong_variance(of_positive, of_negative), 4)
    0.0833
    """
    if of_positive.size < 2 or of_negative.size < 2:
        return math.nan
    return float(of_positive.var(ddof=1)) / of_positive.size + float(of_negative.var(ddof=1)) / of_negative.size


def without_spread(value: float, what: str) -> str:
    """Why an area has no standard error, from its value.

    Parameters
    ----------
    value : float
        The area.
    what : str
        What is compared, in the plural.

    Returns
    -------
    str

    Examples
    --------
    >>> without_spread(1.0, "groups")
    'the groups do not overlap: the standard error is 0'
    """
    return f"the {what} " + ("do not overlap" if value in (0.0, 1.0) else "do not vary") + ": the standard error is 0"


def _variance(influence: Floats, positive: npt.NDArray[np.bool_], groups: Codes | None) -> float:
    """Obuchowski (1997), eq. 3; identical to DeLong's variance if every unit is its own cluster."""
    units = np.arange(influence.size) if groups is None else groups
    count = int(units.max()) + 1
    of_positive = np.bincount(units, weights=influence * positive, minlength=count)
    of_negative = np.bincount(units, weights=influence * ~positive, minlength=count)
    with_positive = np.unique(units[positive]).size
    with_negative = np.unique(units[~positive]).size
    if min(with_positive, with_negative) < 2:
        return math.nan
    parts = (
        with_positive / (with_positive - 1) * float((of_positive**2).sum()),
        with_negative / (with_negative - 1) * float((of_negative**2).sum()),
        2.0 * count / (count - 1) * float((of_positive * of_negative).sum()),
    )
    variance = math.fsum(parts)
    # if the two sides cancel within each cluster, only rounding error is left
    return variance if variance > 1e-12 * sum(map(abs, parts)) else 0.0


def _units_of_sides(positive: npt.NDArray[np.bool_], groups: Codes | None) -> tuple[int, int]:
    """Number of items, or clusters, in which either outcome occurs."""
    units = np.arange(positive.size) if groups is None else groups
    return np.unique(units[positive]).size, np.unique(units[~positive]).size


def _groups(clusters: Ratings | None, used: npt.NDArray[np.bool_]) -> tuple[Codes | None, int | None]:
    if clusters is None:
        return None, None
    return compact(encode_clusters(clusters, used.size)[used])


def _method(clustered: bool, lost: int, interval: Interval = "normal", *, of_p: bool = False) -> Words:
    kind = ("Obuchowski's clustered standard error",) if clustered else ("DeLong standard error", ", independent items")
    of_kind = ", Newcombe score interval" if interval == "score" else ", normal interval, clipped to [0, 1]"
    of_kind += ", t by effective number of clusters" if interval == "score" and clustered else ""
    of_kind += ", as is P" if of_p else ""
    return Words(*kind, of_kind, leaving_out(lost, "with a missing value"))
