"""Prevalence estimated from a judge's verdicts, corrected for the judge's sensitivity and specificity."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from agreement.accuracy import correctness
from agreement.arguments import whole_number
from agreement.cautions import few_clusters, rare_category, uneven_clusters
from agreement.coding import Floats, Ratings, compact, encode_clusters, same_length
from agreement.effective_size import clusters_with, effective_size, share_size
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.lone_items import alone
from agreement.methods import leaving_out, t_with
from agreement.quantiles import upper_normal, upper_t
from agreement.words import Part, Words

_COUNTS = ("judged_positive", "judged", "true_positive", "false_negative", "true_negative", "false_positive")


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

    ``p = (t + Sp - 1) / (Se + Sp - 1)`` with ``t`` the proportion judged positive [1]_, truncated to [0, 1]. The
    interval is Lang and Reiczigel's [2]_ and accounts for the sampling error of both `judged` and the labelled sample;
    `se` is from the delta method. With "correct" as positive, it is a model's corrected accuracy. Undefined if no
    positives or no negatives are labelled, nothing is judged, or ``Se + Sp <= 1``: such a judge is uninformative.

    Parameters
    ----------
    judged_positive, judged : int
        Units judged positive, and all units seen by the judge alone (excluding the labelled ones).
    true_positive, false_negative, true_negative, false_positive : int
        The judge against humans in the labelled sample, with the human verdict as the truth.
    confidence : float
        Nominal coverage; assumes independent units. For several units per subject use `rogan_gladen_in_clusters`.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        `n` is `judged`.

    Raises
    ------
    ValueError
        When a count is negative or fractional, or `judged_positive` exceeds `judged`.

    References
    ----------
    .. [1] Rogan and Gladen (1978). Estimating prevalence from the results of a screening test. Am J Epidemiol 107,
       71-76.
    .. [2] Lang and Reiczigel (2014). Confidence limits for prevalence of disease adjusted for estimated sensitivity and
       specificity. Prev Vet Med 113, 13-22.

    Examples
    --------
    Se = 90/100, Sp = 80/100, 41 % judged positive: (.41 + .8 - 1) / .7 = .3. Then Lang and Reiczigel's second example,
    reported as 0 to .053.

    >>> cells = dict(true_positive=90, false_negative=10, true_negative=80, false_positive=20)
    >>> round(rogan_gladen(410, 1000, **cells).value, 4)
    0.3
    >>> estimate = rogan_gladen(51, 2971, true_positive=32, false_negative=1, true_negative=20, false_positive=0)
    >>> estimate.low, round(estimate.high, 3)
    (0.0, 0.053)
    """
    counts = (judged_positive, judged, true_positive, false_negative, true_negative, false_positive)
    return _of_counts(counts, f", independent {unit}s", confidence, unit)


def _of_counts(counts: tuple[int, ...], sampled_how: str, confidence: float, unit: str) -> Estimate:
    confidence = check_confidence(confidence)
    x, n, tp, fn, tn, fp = (whole_number(count, name) for count, name in zip(counts, _COUNTS, strict=True))
    if min(x, n, tp, fn, tn, fp) < 0 or x > n:
        raise ValueError(f"counts are {counts}; expected at least 0, and judged_positive within judged")
    name, positives, negatives = "corrected prevalence", tp + fn, tn + fp
    how = f", Lang-Reiczigel interval, {positives} + {negatives} labelled"
    method = Words("Rogan-Gladen", how, sampled_how)
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
    sampled = _Samples(apparent, n, sensitivity, positives, specificity, negatives)
    z = upper_normal((1.0 - confidence) / 2.0)
    warning = rare_category(min(positives, negatives), unit=unit)
    return _estimate(sampled, z, value, name, n, unit, method, confidence).warned(warning)


def rogan_gladen_in_clusters(
    human: Ratings,
    judge: Ratings,
    unlabelled: Ratings,
    *,
    clusters: Ratings,
    unlabelled_clusters: Ratings,
    confidence: float = 0.95,
    unit: str = "candidate",
) -> Estimate:
    """Prevalence corrected as in `rogan_gladen`, for units that share clusters.

    Value and undefined cases are those of `rogan_gladen`. The interval is Lang and Reiczigel's [1]_ at effective sample
    sizes. The design effect of the proportion judged positive comes from the clusters of the unlabelled
    (`agreement.effective_size.share_size`); a common one for sensitivity and specificity, since a cluster may count in
    both, comes from those of the labelled [2]_ [3]_. The quantile is of t with Satterthwaite's degrees of freedom. The
    two samples are assumed independent; if they share clusters in which the judge errs alike, the interval is
    conservative. No limits for fewer than two clusters in either sample. If no two units of a sample share a cluster,
    the result is `rogan_gladen`'s.

    Parameters
    ----------
    human, judge : sequence, shape (n,)
        Verdicts on the labelled units: True or 1 is positive, False or 0 negative; None or NaN is missing, and such
        pairs are left out.
    unlabelled : sequence, shape (N,)
        The judge's verdicts on all units that it alone has seen; missing ones are left out.
    clusters, unlabelled_clusters : sequence, shapes (n,) and (N,)
        Cluster of each unit, for example the subject.
    confidence : float
        Nominal coverage.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        `n` is the number of unlabelled units, `n_clusters` that of their clusters; `method` gives the number of
        clusters of the labelled.

    Raises
    ------
    ValueError
        When lengths differ, a verdict is neither 0 nor 1, or a cluster is missing.

    References
    ----------
    .. [1] Lang and Reiczigel (2014). Confidence limits for prevalence of disease adjusted for estimated sensitivity and
       specificity. Prev Vet Med 113, 13-22.
    .. [2] Kish (1965). Survey Sampling, 8.2.
    .. [3] Rao and Scott (1992). A simple method for the analysis of clustered binary data. Biometrics 48, 577-585.

    Examples
    --------
    The value is that of `rogan_gladen`, from 41 of 100 judged positive, sensitivity .9 and specificity .8; each subject
    has two units.

    >>> human, judge = [1] * 10 + [0] * 10, [1] * 9 + [0] * 9 + [1] * 2
    >>> subjects, others = [unit // 2 for unit in range(20)], [unit // 2 for unit in range(100)]
    >>> estimate = rogan_gladen_in_clusters(
    ...     human, judge, [1] * 41 + [0] * 59, clusters=subjects, unlabelled_clusters=others
    ... )
    >>> round(estimate.value, 4), estimate.n, estimate.n_clusters
    (0.3, 100, 50)
    """
    confidence = check_confidence(confidence)
    (known_human, is_true), (known_judge, is_judged) = correctness(human, "human"), correctness(judge, "judge")
    same_length(known_human, known_judge, "human", "judge")
    known_rest, is_positive = correctness(unlabelled, "unlabelled")
    labelled = known_human & known_judge
    groups, n_groups = compact(encode_clusters(clusters, labelled.size)[labelled])
    rest, n_rest = compact(encode_clusters(unlabelled_clusters, known_rest.size, "unlabelled_clusters")[known_rest])
    truth, said, judged = is_true[labelled], is_judged[labelled], is_positive[known_rest]
    tp, fn = int((truth & said).sum()), int((truth & ~said).sum())
    tn, fp = int((~truth & ~said).sum()), int((~truth & said).sum())
    are_alone = alone(groups) and alone(rest)
    how = Words(f", independent {unit}s")
    if not are_alone:
        on = Part("on the effective number of them", terms=("effective number",))
        how = Words(f" in {n_groups} clusters, ", on)
    plain = _of_counts((int(judged.sum()), judged.size, tp, fn, tn, fp), how, confidence, unit)
    lost = int((~labelled).sum()) + int((~known_rest).sum())
    method = plain.method + leaving_out(lost, "with a missing verdict")
    if are_alone:
        return replace(plain, method=method)
    nothing = math.isnan(plain.value)
    if nothing or min(n_groups, n_rest) < 2:
        reason = str(plain.undefined_because) if nothing else "fewer than two clusters: nothing to compare"
        return undefined(
            plain.name, plain.n, unit, method, reason, value=plain.value, confidence=confidence, n_clusters=n_rest
        )
    positives, negatives = int(truth.sum()), int((~truth).sum())
    sensitivity, specificity = tp / positives, tn / negatives
    apparent = float(judged.mean())
    raw = (apparent + specificity - 1.0) / (sensitivity + specificity - 1.0)
    # each labelled unit's contribution to the error of the prevalence, up to a factor
    adds: Floats = np.where(
        truth, -raw * (said - sensitivity) / positives, (1.0 - raw) * (~said - specificity) / negatives
    )
    worth = effective_size(np.asarray(adds, dtype=np.float64), groups, events=fn + fp) / adds.size
    sampled = _Samples(
        apparent,
        share_size(judged, rest),
        sensitivity,
        positives * worth,
        specificity,
        negatives * worth,
    )
    of_judged, of_labelled = sampled.variances(raw)
    freedom = float(min(n_groups, n_rest) - 1)
    if of_judged + of_labelled > 0.0:
        freedom = (of_judged + of_labelled) ** 2 / (of_judged**2 / (n_rest - 1) + of_labelled**2 / (n_groups - 1))
    method += ", " + t_with(f"{freedom:.1f}")
    t = upper_t((1.0 - confidence) / 2.0, freedom)
    estimate = _estimate(sampled, t, plain.value, plain.name, plain.n, unit, method, confidence)
    # if both samples have few clusters, one caution is enough: that for the judged, which the estimate already has
    few = few_clusters(n_groups) if few_clusters(n_rest) is None else None
    of_labelled_clusters = replace(few, kind="few_labelled_clusters") if few is not None else None
    uneven = [
        uneven_clusters(many, clusters_with(np.ones(which.size), which))
        for many, which in ((n_groups, groups), (n_rest, rest))
    ]
    return replace(estimate, n_clusters=n_rest).warned(of_labelled_clusters, uneven[0] or uneven[1], *plain.cautions)


class _Samples(NamedTuple):
    """The three proportions, each with its number of independent units."""

    apparent: float
    n: float
    sensitivity: float
    positives: float
    specificity: float
    negatives: float

    @property
    def youden(self) -> float:
        return self.sensitivity + self.specificity - 1.0

    def variances(self, prevalence: float) -> tuple[float, float]:
        """Delta-method variance of the prevalence, in the parts due to the judged and to the labelled.

        Lang and Reiczigel (2014), eq. 4. The factor before the variance of the specificity is misprinted there as
        ``(1 + prevalence)^2`` instead of ``(1 - prevalence)^2``.
        """
        of_judged = self.apparent * (1.0 - self.apparent) / self.n
        of_labelled = (
            prevalence**2 * self.sensitivity * (1.0 - self.sensitivity) / self.positives
            + (1.0 - prevalence) ** 2 * self.specificity * (1.0 - self.specificity) / self.negatives
        )
        return of_judged / self.youden**2, of_labelled / self.youden**2


def _estimate(
    sampled: _Samples, z: float, value: float, name: str, n: int, unit: str, method: str, confidence: float
) -> Estimate:
    """The estimate with Lang and Reiczigel's limits, for a quantile z."""
    raw = (sampled.apparent + sampled.specificity - 1.0) / sampled.youden
    se = math.sqrt(sum(sampled.variances(raw)))
    # eq. 6 and 7: add z^2 to the judged sample, and one success and one failure to each of the others
    more = _Samples(
        (sampled.apparent * sampled.n + z * z / 2.0) / (sampled.n + z * z),
        sampled.n + z * z,
        (sampled.sensitivity * sampled.positives + 1.0) / (sampled.positives + 2.0),
        sampled.positives + 2.0,
        (sampled.specificity * sampled.negatives + 1.0) / (sampled.negatives + 2.0),
        sampled.negatives + 2.0,
    )
    if more.youden <= 0.0:
        reason = "too few labelled for an interval: the judge may be no better than chance"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    centre = (more.apparent + more.specificity - 1.0) / more.youden  # eq. 2
    of_positive = more.sensitivity * (1.0 - more.sensitivity) / more.positives
    of_negative = more.specificity * (1.0 - more.specificity) / more.negatives
    shift = 2.0 * z * z * (centre * of_positive - (1.0 - centre) * of_negative)  # eq. 17
    half = z * math.sqrt(sum(more.variances(centre)))
    low, high = max(0.0, centre + shift - half), min(1.0, centre + shift + half)  # eq. 16
    if not low < high:
        reason = "the interval lies outside 0 and 1: the judge's verdicts and the labelled sample contradict each other"
        return undefined(name, n, unit, method, reason, value=value, se=se, confidence=confidence)
    return Estimate(name, value, low, high, n, unit, method, se=se, confidence=confidence)
