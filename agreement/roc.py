"""Area under the ROC curve with DeLong's standard error."""

import math

import numpy as np
from scipy import stats

from agreement.accuracy import correctness
from agreement.coding import Floats, Ratings, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined


def roc_auc(score: Ratings, outcome: Ratings, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Area under the ROC curve: how often a positive scores above a negative, ties counted one half.

    Interval and standard error are DeLong's, normal, clipped to [0, 1] as in R's pROC [1]_. The direction is never
    flipped: below 0.5 means that high scores go with negatives. Undefined without positives or without negatives;
    limits undefined for one of either and when the two do not overlap.

    Parameters
    ----------
    score : sequence of numbers, shape (items,)
        The score, for example a confidence; None or NaN is missing.
    outcome : sequence, shape (items,)
        True or 1 for positive, False or 0 for negative, None where unknown.
    confidence : float
        Nominal coverage; assumes independent items.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        `p` tests 0.5 with the same standard error.

    Raises
    ------
    ValueError
        When lengths differ, a score is no number, or an outcome is neither positive nor negative.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988). Comparing the areas under two or more correlated receiver operating
       characteristic curves. Biometrics 44, 837-845.

    Examples
    --------
    >>> roc_auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value
    0.75
    """
    check_confidence(confidence)
    scores = numbers_or_nan(score, "score")
    known, positive = correctness(outcome, "outcome")
    same_length(scores, known, "score", "outcome")
    used = known & ~np.isnan(scores)
    lost, n = int((~used).sum()), int(used.sum())
    method = "DeLong standard error, normal interval, clipped to [0, 1], independent items"
    method += f"; {lost} with a missing value left out" if lost else ""
    above, below = scores[used & positive], scores[used & ~positive]
    if above.size == 0 or below.size == 0:
        reason = f"no {'positive' if above.size == 0 else 'negative'} {unit}s"
        return undefined("area under the ROC curve", n, unit, method, reason, confidence=confidence)
    value, variance = delong(above, below)
    if not variance > 1e-15:
        reason = "one unit on a side, or scores that do not overlap: the standard error is 0"
        return undefined("area under the ROC curve", n, unit, method, reason, value=value, confidence=confidence)
    se = math.sqrt(variance)
    half = float(stats.norm.isf((1.0 - confidence) / 2.0)) * se
    p = float(2.0 * stats.norm.sf(abs(value - 0.5) / se))
    return Estimate(
        "area under the ROC curve",
        value,
        max(0.0, value - half),
        min(1.0, value + half),
        n,
        unit,
        method,
        se=se,
        p=p,
        confidence=confidence,
    )


def delong(above: Floats, below: Floats) -> tuple[float, float]:
    """Area and its variance, from mid-ranks in n log n.

    Parameters
    ----------
    above, below : ndarray, shapes (m,) and (n,)
        Scores of positives and of negatives.

    Returns
    -------
    value, variance : float
        The variance is nan where a side has one unit.

    References
    ----------
    .. [1] Sun and Xu (2014). Fast implementation of DeLong's algorithm. IEEE Signal Processing Letters 21, 1389-1393.

    Examples
    --------
    >>> delong(np.array([3.0, 5.0, 6.0]), np.array([2.0, 5.0]))[0]
    0.75
    """
    m, n = above.size, below.size
    ranks = stats.rankdata(np.concatenate([above, below]))
    # share of negatives below each positive, and of positives above each negative: [1] eq. 6 ff.
    of_positive = (ranks[:m] - stats.rankdata(above)) / n
    of_negative = 1.0 - (ranks[m:] - stats.rankdata(below)) / m
    value = float(of_positive.mean())
    if m < 2 or n < 2:
        return value, math.nan
    return value, float(of_positive.var(ddof=1)) / m + float(of_negative.var(ddof=1)) / n
