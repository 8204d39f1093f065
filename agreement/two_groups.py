"""Rank comparison of two groups."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used

from agreement.area_limits import NO_VARIANCE, OF_AREAS, scored
from agreement.cautions import hardly_overlapping
from agreement.coding import Floats, Ratings, as_values, numbers_or_nan, same_length
from agreement.correlations import EXACT_BELOW, is_tied
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.p_in_clusters import PInClusters
from agreement.quantiles import upper_normal
from agreement.roc import Sides, area_of_sides, delong_parts, delong_variance, without_spread
from agreement.words import Words


def mann_whitney(
    x: Ratings,
    y: Ratings,
    *,
    clusters: tuple[Ratings, Ratings] | None = None,
    interval: Interval | None = None,
    p_in_clusters: PInClusters = "t",
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Mann-Whitney U test with the common-language effect size.

    The value is ``P(X > Y) + P(X = Y) / 2 = U / (n_x n_y)``, counting ties one half [1]_. Its interval is that of
    the area under the ROC curve of x against y (`roc_auc`). `p` is exact for fewer than 50 values in
    each group without ties, otherwise normal with tie and continuity correction; the method says which. With
    `clusters`, standard error and `p` are Obuchowski's [2]_, and a cluster may have values in both groups; if no two
    values share a cluster, they are independent, and tested as without. Undefined if a group is empty; limits are
    undefined if one contains a single value (cluster), and normal ones if the groups do not overlap.

    Parameters
    ----------
    x, y : sequence of numbers, shapes (n_x,) and (n_y,)
        Scores of two groups, independent without `clusters`; None or NaN is missing.
    clusters : pair of sequences, shapes (n_x,) and (n_y,), optional
        Cluster of each value of x and of y, for example the subjects.
    interval : {"score", "normal"}, optional
        As in `roc_auc`.
    p_in_clusters : {"t", "normal"}
        As in `roc_auc`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        Between 0 and 1; 0.5 for no difference. `n` is ``n_x + n_y``.

    Raises
    ------
    ValueError
        When a value is not a finite number.

    References
    ----------
    .. [1] McGraw and Wong (1992). A common language effect size statistic. Psychological Bulletin 111, 361-365.
    .. [2] Obuchowski (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53, 567-578.

    Examples
    --------
    Of six pairs, x is larger in four and tied in one: (4 + 1/2) / 6.

    >>> mann_whitney([3, 5, 6], [2, 5]).value
    0.75
    """
    confidence, kind = check_confidence(confidence), chosen_interval(interval, *OF_AREAS)
    first, second = numbers_or_nan(x, "x"), numbers_or_nan(y, "y")
    if clusters is not None and (shared := _shared_clusters(first, second, clusters)) is not None:
        return _superiority_in_clusters(first, second, shared, kind, p_in_clusters, confidence, unit)
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    name, n = "probability of superiority", first.size + second.size
    said = "Newcombe score interval with DeLong's variance" if kind == "score" else "DeLong interval, clipped to [0, 1]"
    method = Words("Mann-Whitney U", f", {said}, independent items")
    if first.size == 0 or second.size == 0:
        return undefined(name, n, unit, method, "one group is empty", confidence=confidence)
    exact = max(first.size, second.size) < EXACT_BELOW and not is_tied(np.concatenate([first, second]))
    result = scipy.stats.mannwhitneyu(
        first, second, alternative="two-sided", use_continuity=True, method="exact" if exact else "asymptotic"
    )
    p = float(result.pvalue)
    method += "; P exact" if exact else "; P normal, corrected for ties and continuity"
    value, *parts = delong_parts(first, second)
    variance = delong_variance(*parts)
    sides = first.size, second.size
    wrong_side = min(sides) * min(value, 1.0 - value)
    if kind == "score" and (variance > NO_VARIANCE or (value in (0.0, 1.0) and min(sides) > 1)):
        area = scored(name, value, variance, n, unit, method, confidence, None, sides, sides, wrong_side, None)
        return replace(area, p=p)
    if not variance > NO_VARIANCE:
        reason = "one value in a group" if min(first.size, second.size) < 2 else without_spread(value, "groups")
        return undefined(name, n, unit, method, reason, value=value, p=p, confidence=confidence)
    se = math.sqrt(variance)
    half = upper_normal((1.0 - confidence) / 2.0) * se
    low, high = max(0.0, value - half), min(1.0, value + half)
    estimate = Estimate(name, value, low, high, n, unit, method, se=se, p=p, confidence=confidence)
    return estimate.warned(hardly_overlapping(wrong_side))


def _shared_clusters(first: Floats, second: Floats, clusters: tuple[Ratings, Ratings]) -> list[Any] | None:
    """The cluster of each value of x, then of y; None if no two values that are there share one."""
    if not isinstance(clusters, tuple | list) or len(clusters) != 2:
        raise ValueError("clusters is not a pair; expected the clusters of x and those of y")
    of_x, of_y = as_values(clusters[0], "clusters of x"), as_values(clusters[1], "clusters of y")
    same_length(first, of_x, "x", "clusters of x")
    same_length(second, of_y, "y", "clusters of y")
    of_both = of_x + of_y
    return None if shared_clusters(of_both, ~np.isnan(np.concatenate([first, second]))) is None else of_both


def _superiority_in_clusters(
    first: Floats,
    second: Floats,
    clusters: list[Any],
    interval: Interval,
    p_in_clusters: PInClusters,
    confidence: float,
    unit: str,
) -> Estimate:
    """The area under the ROC curve of x against y, with a standard error that allows for clusters."""
    groups = np.repeat([1, 0], [first.size, second.size])
    scores, sides = np.concatenate([first, second]), Sides("groups", "x or y")
    area = area_of_sides(scores, groups, clusters, confidence, unit, sides, interval, p_in_clusters)
    reason = "one group is empty" if math.isnan(area.value) else area.undefined_because
    return replace(area, name="probability of superiority", undefined_because=reason)
