"""What a judge's verdicts on many say about the truth, once a sample of them was checked by humans."""

import math
from operator import index

import numpy as np
import numpy.typing as npt
from scipy import stats

from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters, numbers_or_nan, same_length
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
    Se = 90/100, Sp = 80/100, 41 % judged positive: (.41 + .8 - 1) / .7 = .3.

    >>> cells = dict(true_positive=90, false_negative=10, true_negative=80, false_positive=20)
    >>> round(rogan_gladen(410, 1000, **cells).value, 4)
    0.3
    """
    check_confidence(confidence)
    counts = (judged_positive, judged, true_positive, false_negative, true_negative, false_positive)
    try:
        x, n, tp, fn, tn, fp = (index(count) for count in counts)
    except TypeError:
        raise ValueError(f"counts are {counts!r}; expected whole numbers") from None
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
    # Lang and Reiczigel (2014), section 2.2: z^2 more in the sample, one success and one failure more in each other
    z = float(stats.norm.isf((1.0 - confidence) / 2.0))
    n_1, positives_1, negatives_1 = n + z * z, positives + 2, negatives + 2
    apparent_1 = (x + z * z / 2.0) / n_1
    sensitivity_1, specificity_1 = (tp + 1.0) / positives_1, (tn + 1.0) / negatives_1
    youden_1 = sensitivity_1 + specificity_1 - 1.0
    if youden_1 <= 0.0:
        reason = "too few labelled for an interval: the judge may be no better than chance"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    centre = (apparent_1 + specificity_1 - 1.0) / youden_1
    of_positive = sensitivity_1 * (1.0 - sensitivity_1) / positives_1
    of_negative = specificity_1 * (1.0 - specificity_1) / negatives_1
    shift = 2.0 * z * z * (centre * of_positive - (1.0 - centre) * of_negative)
    half = z * _rogan_gladen_error(centre, apparent_1, n_1, sensitivity_1, positives_1, specificity_1, negatives_1)
    low, high = max(0.0, centre + shift - half), min(1.0, centre + shift + half)
    if not low < high:
        reason = "the interval lies outside 0 and 1: the judge's verdicts and the labelled sample contradict each other"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    return Estimate(name, value, low, high, n, unit, method, se=se, confidence=confidence)


def prediction_powered_mean(
    human: Ratings,
    judge: Ratings,
    unlabelled: Ratings,
    *,
    tuned: bool = True,
    probabilities: Ratings | None = None,
    clusters: Ratings | None = None,
    confidence: float = 0.95,
    name: str = "prediction-powered mean",
    unit: str = "candidate",
) -> Estimate:
    """Mean of the human verdicts over the pool, from a labelled sample and the judge's verdicts on all.

    ``theta = lambda mean(f_unlabelled) + mean(y - lambda f)``, y the human's and f the judge's verdict on the
    labelled, with variance ``lambda^2 var(f_unlabelled) / N + var(y - lambda f) / n`` [1]_. Tuned (PPI++ [2]_):
    ``lambda = cov(y, f) / ((1 + n / N) var(f))``, clipped to [0, 1], moments with n - 1, var(f) over labelled and
    unlabelled; untuned: ``lambda = 1`` (PPI). The variances of the interval are over n and N, as in [1]_.

    With `probabilities` (a stratified or flag-and-sample design) the labelled are weighted by ``1 / p``:
    ``theta = lambda mean(f over the whole pool) + sum w (y - lambda f) / sum w``, with the linearised variance of
    the weighted mean and that of the pool. Undefined for fewer than two labelled or no unlabelled.

    Parameters
    ----------
    human, judge : sequence of numbers, shape (n,)
        Verdicts on the labelled units, for example 1 correct, 0 incorrect; None or NaN is missing, such pairs are
        left out.
    unlabelled : sequence of numbers, shape (N,)
        The judge's verdicts on all other units of the pool; missing ones are left out.
    tuned : bool
        Whether lambda is estimated.
    probabilities : sequence of numbers, shape (n,), optional
        Inclusion probability of each labelled unit.
    clusters : sequence, shape (n,), optional
        Cluster of each labelled unit: the labelled part of the variance is then summed within clusters. The
        unlabelled part still takes its units as independent.
    confidence : float
        Nominal coverage of the normal interval, not clipped.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        `n` is the number of labelled units.

    Raises
    ------
    ValueError
        When lengths differ, a verdict is no number, or a probability is outside (0, 1].

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv 2311.01453.

    Examples
    --------
    Judge and human agree on 8 of 10, the judge finds 60 % correct among 100 others, 50 % among the 10; untuned
    .6 + (.5 - .5).

    >>> human = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    >>> judge = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]
    >>> round(prediction_powered_mean(human, judge, [1] * 60 + [0] * 40, tuned=False).value, 3)
    0.6
    """
    check_confidence(confidence)
    y, f, rest = (
        numbers_or_nan(human, "human"),
        numbers_or_nan(judge, "judge"),
        numbers_or_nan(unlabelled, "unlabelled"),
    )
    same_length(y, f, "human", "judge")
    known = ~(np.isnan(y) | np.isnan(f))
    weights = np.ones(y.size)
    if probabilities is not None:
        chance = numbers_or_nan(probabilities, "probabilities")
        same_length(y, chance, "human", "probabilities")
        if np.isnan(chance[known]).any() or ((chance[known] <= 0) | (chance[known] > 1)).any():
            raise ValueError("probabilities holds a value outside (0, 1]; expected inclusion probabilities")
        weights = 1.0 / np.where(known, chance, 1.0)
    groups: Codes | None = None
    n_clusters = None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, y.size)[known])
    lost, rest = int((~known).sum()), rest[~np.isnan(rest)]
    y, f, weights = y[known], f[known], weights[known]
    n, others = y.size, rest.size
    kind = "PPI++" if tuned else "PPI"
    method = f"{kind}, normal interval, not clipped, {others} unlabelled"
    method += "; weighted by 1 / inclusion probability" if probabilities is not None else ""
    method += "; clustered" if groups is not None else f", independent {unit}s"
    method += f"; {lost} without both verdicts left out" if lost else ""
    if n < 2 or others == 0 or (n_clusters is not None and n_clusters < 2):
        reason = "no unlabelled verdicts" if others == 0 else "fewer than two labelled"
        if n >= 2 and others:
            reason = "fewer than two clusters"
        return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    share = _tuning(y, f, rest, weights) if tuned else 1.0
    method += f"; lambda {share:.3f}" if tuned else ""
    residual = y - share * f
    total = weights.sum()
    rectifier = float((weights * residual).sum() / total)
    linear = weights * (residual - rectifier) / total
    of_labelled = _spread(linear, groups)
    if probabilities is None:
        value = share * float(rest.mean()) + rectifier
        of_rest = share**2 * float(rest.var()) / others
    else:
        pool = np.concatenate([f, rest])
        value = share * float(pool.mean()) + rectifier
        centre = float((weights * y).sum() / total)
        of_rest = float((weights * (y - centre) ** 2).sum() / total) / pool.size
    variance = of_labelled + of_rest
    if variance <= 1e-18:
        reason = "the standard error is 0"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters)
    se = math.sqrt(variance)
    half = float(stats.norm.isf((1.0 - confidence) / 2.0)) * se
    return Estimate(
        name, value, value - half, value + half, n, unit, method, se=se, confidence=confidence, n_clusters=n_clusters
    )


def _tuning(y: Floats, f: Floats, rest: Floats, weights: Floats) -> float:
    """PPI++ [2], section 6: the lambda of least variance of a mean."""
    n = y.size
    share = weights / weights.sum()
    covariance = float((share * (y - (share * y).sum()) * (f - (share * f).sum())).sum()) * n / (n - 1)
    variance = float(np.concatenate([f, rest]).var(ddof=1))
    if variance <= 0.0:
        return 0.0
    return min(1.0, max(0.0, covariance / ((1.0 + n / rest.size) * variance)))


def _spread(linear: Floats, groups: npt.NDArray[np.intp] | None) -> float:
    """Variance of a sum of independent parts, or of clusters of them, about 0."""
    if groups is None:
        return float((linear**2).sum())
    parts = np.bincount(groups, weights=linear)
    return float((parts**2).sum()) * parts.size / (parts.size - 1)


def _rogan_gladen_error(
    prevalence: float,
    apparent: float,
    n: float,
    sensitivity: float,
    positives: float,
    specificity: float,
    negatives: float,
) -> float:
    """Delta-method standard error, Rogan and Gladen (1978), with the errors of all three samples."""
    variance = (
        apparent * (1.0 - apparent) / n
        + prevalence**2 * sensitivity * (1.0 - sensitivity) / positives
        + (1.0 - prevalence) ** 2 * specificity * (1.0 - specificity) / negatives
    )
    return math.sqrt(variance) / (sensitivity + specificity - 1.0)
