"""Whether a judge's sensitivity and specificity are equal for all models, and scores that assume that they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agreement.bias import judge_bias_by_factor
from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.judge.coefficients import UNIT
from agreement.judge.factors import Chosen
from agreement.judge.pool import Pool
from agreement.rogan_gladen import rogan_gladen, rogan_gladen_in_clusters
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
            within_clusters=pool.plan.within_clusters,
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


def corrected_by_rates(pool: Pool, model: str) -> Estimate:
    """The share corrected by the judge's sensitivity and specificity, estimated on the labelled of all models.

    Parameters
    ----------
    pool : Pool
    model : str

    Returns
    -------
    Estimate
    """
    known = ~np.isnan(pool.human) & ~np.isnan(pool.judge)
    rest = pool.unlabelled(model)
    human, judge, unlabelled = pool.human[known], pool.judge[known], pool.judge[rest]
    estimate = _by_rates(pool, human, judge, unlabelled, known, rest)
    if not rest.any() and (pool.models[model] & known).any():
        return replace(
            estimate,
            undefined_because="all that the judge gave a verdict on are labelled: nothing is left to correct",
        )
    return estimate


def _by_rates(pool: Pool, human: Floats, judge: Floats, unlabelled: Floats, known: Chosen, rest: Chosen) -> Estimate:
    if pool.material.clusters is not None:
        return rogan_gladen_in_clusters(
            human, judge, unlabelled,
            clusters=pool.material.clusters[known], unlabelled_clusters=pool.material.clusters[rest],
            confidence=pool.plan.confidence, unit=UNIT,
        )  # fmt: skip
    return rogan_gladen(
        int(unlabelled.sum()),
        unlabelled.size,
        true_positive=int(((human == 1) & (judge == 1)).sum()),
        false_negative=int(((human == 1) & (judge == 0)).sum()),
        true_negative=int(((human == 0) & (judge == 0)).sum()),
        false_positive=int(((human == 0) & (judge == 1)).sum()),
        confidence=pool.plan.confidence,
        unit=UNIT,
    )
