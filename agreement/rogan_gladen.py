"""The prevalence that a judge's verdicts stand for, corrected for the judge's sensitivity and specificity."""

from __future__ import annotations

import math

from scipy import stats

from agreement.arguments import whole_number
from agreement.estimate import Estimate, check_confidence, undefined


def rogan_gladen(
    judged_positive: int,
    judged: int,
    *,
    true_positive: int,
    false_negative: int,
    true_negative: int,
    false_positive: int,
    confidence: float = 0.95,
    unit: str = "candidate",
) -> Estimate:
    """Prevalence corrected for the sensitivity and specificity of the judge.

    ``p = (t + Sp - 1) / (Se + Sp - 1)`` with ``t`` the share judged positive [1]_, truncated to [0, 1]. The interval
    is that of Lang and Reiczigel [2]_ and carries the sampling error of `judged` and of the labelled sample; `se` is
    the delta method's. With "correct" as positive, it is the corrected accuracy of a model. Undefined when no
    positives or no negatives are labelled, nothing is judged, or ``Se + Sp <= 1``: such a judge says nothing.

    Parameters
    ----------
    judged_positive, judged : int
        Units judged positive, of all that the judge alone has seen (the labelled ones not among them).
    true_positive, false_negative, true_negative, false_positive : int
        The judge against humans in the labelled sample; "true" is what the human says.
    confidence : float
        Nominal coverage; assumes independent units.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        `n` is `judged`.

    Raises
    ------
    ValueError
        When a count is negative or fractional, or more are judged positive than judged.

    References
    ----------
    .. [1] Rogan and Gladen (1978). Estimating prevalence from the results of a screening test. Am J Epidemiol 107,
       71-76.
    .. [2] Lang and Reiczigel (2014). Confidence limits for prevalence of disease adjusted for estimated sensitivity and
       specificity. Prev Vet Med 113, 13-22.

    Examples
    --------
    Se = 90/100, Sp = 80/100, 41 % judged positive: (.41 + .8 - 1) / .7 = .3. Then Lang and Reiczigel's second example,
    printed as 0 to .053.

    >>> cells = dict(true_positive=90, false_negative=10, true_negative=80, false_positive=20)
    >>> round(rogan_gladen(410, 1000, **cells).value, 4)
    0.3
    >>> estimate = rogan_gladen(51, 2971, true_positive=32, false_negative=1, true_negative=20, false_positive=0)
    >>> estimate.low, round(estimate.high, 3)
    (0.0, 0.053)
    """
    check_confidence(confidence)
    counts = (judged_positive, judged, true_positive, false_negative, true_negative, false_positive)
    x, n, tp, fn, tn, fp = (whole_number(count, f"one of the counts {counts!r}") for count in counts)
    if min(x, n, tp, fn, tn, fp) < 0 or x > n:
        raise ValueError(f"counts are {counts}; expected at least 0, and judged_positive within judged")
    name, positives, negatives = "corrected prevalence", tp + fn, tn + fp
    method = f"Rogan-Gladen, Lang-Reiczigel interval, {positives} + {negatives} labelled, independent {unit}s"
    if n == 0 or positives == 0 or negatives == 0:
        reason = (
            f"no {unit}s judged" if n == 0 else "no labelled positives" if positives == 0 else "no labelled negatives"
        )
        return undefined(name, n, unit, method, reason, confidence=confidence)
    sensitivity, specificity, apparent = tp / positives, tn / negatives, x / n
    youden = sensitivity + specificity - 1.0
    if youden <= 0.0:
        reason = "sensitivity + specificity is not above 1: the judge says nothing"
        return undefined(name, n, unit, method, reason, confidence=confidence)
    raw = (apparent + specificity - 1.0) / youden
    value = min(1.0, max(0.0, raw))
    method += f"; truncated from {raw:.3f}" if raw != value else ""
    se = _rogan_gladen_error(raw, apparent, n, sensitivity, positives, specificity, negatives)
    # Lang and Reiczigel (2014): eq. 6 and 7, z^2 more in the sample; one success and one failure more in each other
    z = float(stats.norm.isf((1.0 - confidence) / 2.0))
    n_1, positives_1, negatives_1 = n + z * z, positives + 2, negatives + 2
    apparent_1 = (x + z * z / 2.0) / n_1
    sensitivity_1, specificity_1 = (tp + 1.0) / positives_1, (tn + 1.0) / negatives_1
    youden_1 = sensitivity_1 + specificity_1 - 1.0
    if youden_1 <= 0.0:
        reason = "too few labelled for an interval: the judge may be no better than chance"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    centre = (apparent_1 + specificity_1 - 1.0) / youden_1  # eq. 2
    of_positive = sensitivity_1 * (1.0 - sensitivity_1) / positives_1
    of_negative = specificity_1 * (1.0 - specificity_1) / negatives_1
    shift = 2.0 * z * z * (centre * of_positive - (1.0 - centre) * of_negative)  # eq. 17
    half = z * _rogan_gladen_error(centre, apparent_1, n_1, sensitivity_1, positives_1, specificity_1, negatives_1)
    low, high = max(0.0, centre + shift - half), min(1.0, centre + shift + half)  # eq. 16
    if not low < high:
        reason = "the interval lies outside 0 and 1: the judge's verdicts and the labelled sample contradict each other"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    return Estimate(name, value, low, high, n, unit, method, se=se, confidence=confidence)


def _rogan_gladen_error(
    prevalence: float,
    apparent: float,
    n: float,
    sensitivity: float,
    positives: float,
    specificity: float,
    negatives: float,
) -> float:
    """Delta-method standard error with the errors of all three samples, Lang and Reiczigel (2014), eq. 4.

    There ``(1 + prevalence)^2`` is printed before the variance of the specificity, for ``(1 - prevalence)^2``.
    """
    variance = (
        apparent * (1.0 - apparent) / n
        + prevalence**2 * sensitivity * (1.0 - sensitivity) / positives
        + (1.0 - prevalence) ** 2 * specificity * (1.0 - specificity) / negatives
    )
    return math.sqrt(variance) / (sensitivity + specificity - 1.0)
