"""How many labels show that a judge's direction lies within the margin, as the criterion of a certificate asks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.intervals import wilson_limits
from agreement.planning import labels_needed
from agreement.quantiles import chi_square_quantile, normal_quantile, upper_normal
from agreement.words import Part, Words

NAME = "labels to pass"


def design_effect(estimate: Estimate, differences: Floats) -> float:
    """The squared ratio of the clustered to the independent standard error of a signed difference, at least 1.

    Parameters
    ----------
    estimate : Estimate
        The signed difference.
    differences : ndarray of float, shape (n,)
        Score by the human minus by the judge; nan if there is none.

    Returns
    -------
    float
        1 without clusters, or if it is not known.
    """
    there = differences[~np.isnan(differences)]
    variance = float(there.var()) if there.size else 0.0
    if estimate.n_clusters is None or not estimate.se or variance == 0.0:
        return 1.0
    return max(1.0, estimate.se**2 * there.size / variance)


def labels_to_pass(
    differences: Floats, margin: float, power: float, design_effect: float, confidence: float, *, shares: bool
) -> Estimate:
    """Labels at which both limits of the signed difference lie within the margin, if the judge has no direction.

    This is equivalence by two one-sided tests. As in `labels_for_margin`, the data give only the nuisance: how often
    human and judge differ at all, or the variance of ordered scores. The difference itself is assumed to be 0, and
    never taken from the data: a judge with a direction needs more labels, and one beyond the margin never passes.

    Shares: `labels_needed` with ``within``, at Wilson's limits of the share that differ. Other scores:
    ``n = (z_(1 - alpha / 2) + z_((1 + power) / 2))^2 s^2 / m^2`` [1]_, at the chi-square limits of ``s^2``.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Score by the human minus by the judge; nan if there is none.
    margin, power : float
        The margin of the criterion, and the probability with which a judge without direction passes.
    design_effect : float
        For clustering.
    confidence : float
        Of the interval that the criterion asks for.
    shares : bool
        Whether scores are 1 and 0.

    Returns
    -------
    Estimate
        The number of labels.

    References
    ----------
    .. [1] Chow, Shao and Wang (2008). Sample Size Calculations in Clinical Research, 3.1.3.

    Examples
    --------
    MRI-Eval: 14 of 136 differ. To notice a difference of 5 points takes 346 labels, to show that there is none 462.

    >>> differ = np.r_[np.ones(14), np.zeros(122)]
    >>> round(labels_to_pass(differ, 0.05, 0.8, 1.0, 0.95, shares=True).value)
    462
    """
    there = differences[~np.isnan(differences)]
    if shares:
        return _of_shares(there, margin, power, design_effect, confidence)
    return _of_means(there, margin, power, design_effect, confidence)


def _of_shares(there: Floats, margin: float, power: float, design_effect: float, confidence: float) -> Estimate:
    n, differ = there.size, int((there != 0.0).sum())
    method = Words(
        "two one-sided tests, paired score interval",
        f", power {power:g} to lie within {margin:g} without a direction, from the share that differ and its ",
        Part("Wilson limits", terms=("Wilson",)),
        f", design effect {design_effect:.2f}",
    )
    if n == 0:
        return undefined(NAME, 0, "candidate", method, "no candidates with both verdicts", confidence=confidence)
    low, high = wilson_limits(differ, n, confidence)

    def needed(share: float) -> float:
        return float(
            labels_needed(
                power=power, within=margin, differing=share, design_effect=design_effect, confidence=confidence
            )
        )

    return _at_limits((differ / n, low, high), needed, n, method, confidence)


def _of_means(there: Floats, margin: float, power: float, design_effect: float, confidence: float) -> Estimate:
    n = there.size
    how = f", power {power:g} to lie within {margin:g} without a direction, from the variance and its chi-square limits"
    method = Words("two one-sided tests, normal", how)
    variance = float(there.var(ddof=1)) if n > 1 else 0.0
    if variance == 0.0:
        reason = "no spread of the differences"
        return undefined(NAME, n, "candidate", method, reason, confidence=confidence)
    tail = (1.0 - confidence) / 2.0
    factor = design_effect * ((upper_normal(tail) + normal_quantile((1.0 + power) / 2.0)) / margin) ** 2
    low, high = (variance * (n - 1) / chi_square_quantile(q, n - 1) for q in (1.0 - tail, tail))
    return _at_limits((variance, low, high), lambda v: float(np.ceil(factor * v)), n, method, confidence)


def _at_limits(
    nuisance: tuple[float, float, float], needed: Callable[[float], float], n: int, method: Words, confidence: float
) -> Estimate:
    value, least, most = (needed(each) for each in nuisance)
    if not least < most:
        reason = "the same number at both limits"
        return undefined(NAME, n, "candidate", method, reason, value=value, confidence=confidence)
    return Estimate(NAME, value, least, most, n, "candidate", method, confidence=confidence)
