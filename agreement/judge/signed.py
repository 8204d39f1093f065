"""The signed difference between human and judge, for shares and ordered scores, and the labels that decide it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agreement.clustered_pairs import paired_score_in_clusters
from agreement.coding import Codes, Floats
from agreement.estimate import Estimate, undefined
from agreement.intervals import wilson_limits
from agreement.judge.direction import judge_direction, test_named
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale
from agreement.lone_items import alone
from agreement.measurements import bland_altman
from agreement.planning import labels_needed
from agreement.quantiles import chi_square_quantile, normal_quantile, upper_normal
from agreement.resampling import Seed
from agreement.words import Part, Words

_DEFAULT_MARGIN = 0.05

NAME = "signed difference, human minus judge"


def margin_of(scale: Scale, plan: Plan) -> float | None:
    """The largest difference that does not matter: the declared one, else 5 points or a twentieth of an ordered scale.

    Parameters
    ----------
    scale : Scale
    plan : Plan

    Returns
    -------
    float or None
        None for numbers without a declared margin.

    Examples
    --------
    >>> margin_of(Scale("ordinal", ("1", "2", "3", "4", "5")), Plan()), margin_of(Scale("number"), Plan())
    (0.2, None)
    """
    if plan.margin is not None:
        return plan.margin
    if scale.shares:
        return _DEFAULT_MARGIN
    return _DEFAULT_MARGIN * float(np.ptp(scale.steps)) if scale.kind == "ordinal" else None


def signed_difference(
    human: Floats,
    judge: Floats,
    clusters: Codes | None,
    *,
    shares: bool,
    confidence: float,
    resamples: int,
    seed: Seed,
    unit: str = "candidate",
    test_in_clusters: Estimate | None = None,
) -> Estimate:
    """Mean score by the human minus by the judge; above 0 the judge is stricter.

    Shares: `judge_direction` without clusters, `paired_score_in_clusters` if candidates share them. Other scores: the
    bias from `bland_altman`.

    Parameters
    ----------
    human, judge : ndarray of float, shape (n,)
        Scores; nan if there is none.
    clusters : ndarray of int, shape (n,), or None
    shares : bool
        Whether scores are 1 and 0.
    confidence, resamples, seed, unit, test_in_clusters
        As in `judge_direction`; the test applies to shares only.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> same = np.array([1.0, 1.0, 0.0, 0.0])
    >>> of_two = signed_difference(
    ...     same, same, np.array([0, 0, 1, 1]), shares=True, confidence=0.95, resamples=99, seed=0
    ... )
    >>> of_two.value, of_two.n_clusters, of_two.high > 0.5
    (0.0, 2, True)
    """
    if not shares:
        return bland_altman(
            human, judge, clusters=clusters, confidence=confidence, resamples=resamples, seed=seed, unit=unit
        ).bias
    known = ~np.isnan(human) & ~np.isnan(judge)
    of_known = None if clusters is None else clusters[known]
    estimate = judge_direction(
        human, judge, unit=unit, confidence=confidence, test_in_clusters=test_in_clusters
    ).difference
    if of_known is None or alone(of_known):
        return estimate
    scored = paired_score_in_clusters(human[known], judge[known], of_known, confidence=confidence, unit=unit)
    return replace(scored, name=NAME, p=estimate.p, method=scored.method + test_named(test_in_clusters))


def labels_for_margin(
    human: Floats, judge: Floats, margin: float, power: float, design_effect: float, confidence: float
) -> Estimate:
    """Labels needed to detect a difference the size of the margin, given how often human and judge differ at all.

    The share of candidates on which they differ is a nuisance parameter; the difference itself comes from the plan,
    never from the data. With ``d`` the share that differ and margin ``m``, ``(d + m) / 2`` are taken as strict and
    ``(d - m) / 2`` as lenient (`labels_needed`). The interval is the number of labels at Wilson's limits of ``d``,
    which is at least ``m``.

    Parameters
    ----------
    human, judge : ndarray of float, shape (n,)
        1 or 0; nan if there is none.
    margin, power : float
        The difference to detect, and the power to detect it.
    design_effect : float
        For clustering.
    confidence : float

    Returns
    -------
    Estimate
        The number of labels.

    Examples
    --------
    MRI-Eval: 14 of 136 differ.

    >>> human, judge = np.ones(136), np.r_[np.zeros(14), np.ones(122)]
    >>> round(labels_for_margin(human, judge, 0.05, 0.8, 1.0, 0.95).value)
    346
    """
    known = ~np.isnan(human) & ~np.isnan(judge)
    n, differ = int(known.sum()), int((human[known] != judge[known]).sum())
    method = Words(
        "exact McNemar test",
        f", power {power:g} for a difference of {margin:g}, from the share that differ and its ",
        Part("Wilson limits", terms=("Wilson",)),
        f", design effect {design_effect:.2f}",
    )
    name = "labels needed"
    if n == 0:
        return undefined(name, 0, "candidate", method, "no candidates with both verdicts", confidence=confidence)
    low, high = wilson_limits(differ, n, confidence)

    def needed(share: float) -> float:
        discordant = min(1.0, max(share, margin))
        strict, lenient = (discordant + margin) / 2.0, (discordant - margin) / 2.0
        return float(
            labels_needed(
                power=power, strict=strict, lenient=lenient, design_effect=design_effect, confidence=confidence
            )
        )

    value, least, most = needed(differ / n), needed(low), needed(high)
    if not least < most:
        reason = "the same number at both limits of the share that differ"
        return undefined(name, n, "candidate", method, reason, value=value, confidence=confidence)
    return Estimate(name, value, least, most, n, "candidate", method, confidence=confidence)


def labels_for_mean(
    differences: Floats, margin: float, power: float, design_effect: float, confidence: float
) -> Estimate:
    """Labels needed to detect a mean signed difference the size of the margin, given the differences' variance.

    ``n = (z_(1 - alpha / 2) + z_power)^2 s^2 / m^2``; the interval is the number at the chi-square limits of ``s^2``.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Score by the human minus by the judge; nan if there is none.
    margin, power, design_effect, confidence : float
        As in `labels_for_margin`.

    Returns
    -------
    Estimate

    References
    ----------
    .. [1] Chow, Shao and Wang (2008). Sample Size Calculations in Clinical Research, 3.1.

    Examples
    --------
    s^2 = 1: (1.96 + .8416)^2 / .5^2 = 31.4.

    >>> round(labels_for_mean(np.array([-1.0, 1.0, 0.0] * 30 + [1.0, -1.0] * 30), 0.5, 0.8, 1.0, 0.95).value)
    26
    """
    there = differences[~np.isnan(differences)]
    n = there.size
    how = f", power {power:g} for a mean difference of {margin:g}, from the variance and its chi-square limits"
    method = Words("normal", how)
    variance = float(there.var(ddof=1)) if n > 1 else 0.0
    if variance == 0.0:
        reason = "no spread of the differences"
        return undefined("labels needed", n, "candidate", method, reason, confidence=confidence)
    tail = (1.0 - confidence) / 2.0
    factor = design_effect * ((upper_normal(tail) + normal_quantile(power)) / margin) ** 2
    low, high = (variance * (n - 1) / chi_square_quantile(q, n - 1) for q in (1.0 - tail, tail))
    value, least, most = (float(np.ceil(factor * v)) for v in (variance, low, high))
    if not least < most:
        reason = "the same number at both limits of the variance"
        return undefined("labels needed", n, "candidate", method, reason, value=value, confidence=confidence)
    return Estimate("labels needed", value, least, most, n, "candidate", method, confidence=confidence)
