"""The mean of a judge's own scores, uncorrected."""

from __future__ import annotations

import numpy as np

from agreement.coding import Codes, Floats
from agreement.estimate import Estimate
from agreement.judge.coefficients import UNIT
from agreement.judge.factors import in_random_groups
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale
from agreement.magnitude import rescaled
from agreement.percent import bounded_mean, mean, share

_NAME = "raw score"


def raw_score(scores: Floats, clusters: Codes | None, scale: Scale, plan: Plan) -> Estimate:
    """The mean of scores by a judge: of shares, of ordered levels within the ends of their scale, or of numbers.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        Without missing ones.
    clusters : ndarray of int, shape (n,), or None
    scale : Scale
    plan : Plan

    Returns
    -------
    Estimate
    """
    if scale.shares:
        return share(scores == 1.0, clusters, name=_NAME, unit=UNIT, confidence=plan.confidence)
    if scale.kind == "ordinal":
        low, width = float(scale.steps.min()), float(np.ptp(scale.steps))
        within = bounded_mean(
            (scores - low) / width, clusters, name=_NAME, unit=UNIT, note="", confidence=plan.confidence
        )
        return rescaled(within, low, width)
    groups = None if clusters is None else in_random_groups(clusters)
    return mean(scores, groups, name=_NAME, unit=UNIT, **plan.bootstrap_of_mean(groups))
