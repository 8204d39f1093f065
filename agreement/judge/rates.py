"""Whether a judge's sensitivity and specificity are equal for all models."""

from __future__ import annotations

import numpy as np

from agreement.bias import judge_bias_by_factor
from agreement.estimate import Estimate, undefined
from agreement.judge.coefficients import UNIT
from agreement.judge.pool import Pool
from agreement.words import Words


def rates_by_model(pool: Pool) -> Estimate:
    """The smaller P, Bonferroni-adjusted, of the tests that sensitivity and specificity are equal for all models.

    Parameters
    ----------
    pool : Pool

    Returns
    -------
    Estimate
        Named after the rate with the smaller P.
    """
    if pool.material.models is None:
        return undefined("rates by model", 0, UNIT, "score test", "no model is named")
    models = pool.material.models.codes
    labelled = ~np.isnan(pool.human) & ~np.isnan(pool.judge) & (models >= 0)
    ps: list[tuple[float, str]] = []
    reasons = []
    for truth, name in ((1.0, "sensitivity"), (0.0, "specificity")):
        among = labelled & (pool.human == truth)
        clusters = pool.material.clusters[among] if pool.material.clusters is not None else None
        (test,) = judge_bias_by_factor(
            pool.human[among], pool.judge[among], {"model": models[among]}, clusters=clusters, resamples=1,
        )  # fmt: skip
        if test.undefined_because:
            reasons.append(f"{name}: {test.undefined_because}")
        else:
            ps.append((test.p, name))
    if not ps:
        return undefined("rates by model", int(labelled.sum()), UNIT, "score test", "; ".join(reasons))
    p, name = min(ps)
    return undefined(
        name, int(labelled.sum()), UNIT, Words("score test", ", Bonferroni over both rates"), "a test has no interval",
        p=min(1.0, p * len(ps)),
    )  # fmt: skip
