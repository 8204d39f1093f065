"""The coefficients of each scale, used for humans and judges alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from agreement.coding import Codes, Floats, compact
from agreement.comparisons import paired_difference
from agreement.correlations import pearson, spearman
from agreement.estimate import Estimate, undefined
from agreement.icc import icc
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale
from agreement.kappa import cohen_kappa
from agreement.krippendorff import krippendorff_alpha
from agreement.leave_one_out import FEWEST_RATERS, Ceiling, leave_one_out
from agreement.measurements import bland_altman, lin_ccc
from agreement.methods import bootstrap_of
from agreement.percent import percent_agreement
from agreement.plain_limits import by_plan
from agreement.ratings import Weights
from agreement.resampling import bootstrap_of_sums, sums_by_cluster
from agreement.several_raters import gwet_ac

UNIT = "candidate"

Coefficient = Callable[..., Estimate]
"""Takes the codes of two parties and the options; see `coefficients`."""


def _of_both(statistic: Callable[..., Estimate], a: Floats, b: Floats, **options: Any) -> Estimate:
    return statistic(np.column_stack([a, b]), **options)


def _signed(a: Floats, b: Floats, **options: Any) -> Estimate:
    return bland_altman(a, b, **options).bias


def coefficients(scale: Scale, plan: Plan) -> dict[str, Coefficient]:
    """The coefficients of a scale by key; each takes the codes of two parties.

    Categories: agreement, Cohen's kappa, Gwet's AC1, Krippendorff's alpha. Ordered levels: agreement, kappa with
    quadratic weights, ICC(2,1), Spearman, mean signed difference. Numbers: Lin's concordance, ICC(2,1), Pearson, mean
    signed difference.

    Parameters
    ----------
    scale : Scale
    plan : Plan
        Names the interval of the weighted kappa.

    Returns
    -------
    dict of str to callable
    """
    of_numbers: dict[str, Coefficient] = {
        "icc": partial(_of_both, icc),
        "spearman": spearman,
        "signed difference": _signed,
    }
    if scale.kind == "number":
        return {"ccc": lin_ccc, "icc": of_numbers["icc"], "pearson": pearson, "signed difference": _signed}
    categories = range(len(scale.levels))
    if scale.kind == "ordinal":
        weighted = weighted_kappa(scale, "quadratic", plan)
        steps = {name: partial(_on_steps, scale.steps, statistic) for name, statistic in of_numbers.items()}
        return {"agreement": percent_agreement, "weighted kappa": weighted, **steps}
    return {
        "agreement": percent_agreement,
        "kappa": partial(cohen_kappa, categories=categories),
        "ac1": partial(_of_both, partial(gwet_ac, categories=categories)),
        "alpha": partial(_of_both, partial(krippendorff_alpha, categories=categories)),
    }


def weighted_kappa(scale: Scale, weights: Weights, plan: Plan) -> Coefficient:
    """Kappa over the levels of an ordinal scale.

    Parameters
    ----------
    scale : Scale
    weights : {"linear", "quadratic"}
    plan : Plan
        Names its interval.

    Returns
    -------
    callable
    """
    kappa = partial(cohen_kappa, categories=range(len(scale.levels)), weights=weights)
    return by_plan(kappa, plan.weighted_interval, "normal")


def _on_steps(steps: Floats, statistic: Coefficient, a: Floats, b: Floats, **options: Any) -> Estimate:
    return statistic(_as_steps(steps, a), _as_steps(steps, b), **options)


def _as_steps(steps: Floats, codes: Floats) -> Floats:
    known = ~np.isnan(codes)
    numbers = np.full(codes.shape, np.nan)
    numbers[known] = steps[codes[known].astype(np.intp)]
    return numbers


def headline(scale: Scale) -> str:
    """Key of the coefficient that is quoted in sentences."""
    return {"number": "ccc", "ordinal": "weighted kappa"}.get(scale.kind, "kappa")


def alpha_of_all(scale: Scale, table: Floats, plan: Plan, **options: Any) -> Estimate:
    """Krippendorff's alpha of all humans, at the scale's level of measurement.

    Parameters
    ----------
    scale : Scale
    table : ndarray of float, shape (candidates, humans)
        Codes.
    plan : Plan
        Names the interval of ordered levels and numbers.
    **options
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
    """
    if scale.kind in ("number", "ordinal"):
        known = (
            {"level": "interval"}
            if scale.kind == "number"
            else {"level": "ordinal", "categories": range(len(scale.levels))}
        )
        return by_plan(partial(krippendorff_alpha, **known), plan.weighted_interval, "t")(table, **options)
    return krippendorff_alpha(table, "nominal", categories=range(len(scale.levels)), **options)


def ceiling_of(
    scale: Scale, table: Floats, judge: Floats, clusters: Codes | None, plan: Plan, unit: str = UNIT
) -> Ceiling | None:
    """Each human against the others, and the judge against the same others, on the same candidates.

    With three or more humans, each is left out in turn. Categories are compared with the majority of the others
    (`leave_one_out`), ordered levels and numbers with their mean by Lin's concordance; the bootstrap resamples
    candidates or clusters. With two humans no majority or mean of others exists, so it is the agreement between the
    two, and the judge's mean agreement with each.

    Parameters
    ----------
    scale : Scale
    table : ndarray of float, shape (n, humans)
    judge : ndarray of float, shape (n,)
    clusters : ndarray of int, shape (n,), or None
    plan : Plan
    unit : str
        What one row is.

    Returns
    -------
    Ceiling or None
        None for a single human, for whom no ceiling exists.
    """
    humans = table.shape[1]
    if humans < 2:
        return None
    options = {**plan.bootstrap, "clusters": clusters, "unit": unit}
    if scale.kind in ("binary", "nominal"):
        if humans >= FEWEST_RATERS:
            return leave_one_out(table, judge, categories=range(len(scale.levels)), **options)
        return _of_two(table, judge, options)
    scores = table if scale.kind == "number" else _as_steps(scale.steps, table)
    own = judge if scale.kind == "number" else _as_steps(scale.steps, judge)
    complete = ~np.isnan(own) & ~np.isnan(scores).any(axis=1)
    data = np.column_stack([scores, own])[complete]
    options["clusters"] = clusters[complete] if clusters is not None else None
    note = f"on {unit}s that all have rated"
    estimate = partial(_bootstrapped, data, options, note)
    pairwise = humans < FEWEST_RATERS
    words = "of the two humans" if pairwise else "of a human with the mean of the others"
    raters = () if pairwise else tuple(estimate(f"CCC, column {j}", [j], 1, 0) for j in range(humans))
    everyone = list(range(humans))
    return Ceiling(
        raters,
        estimate(f"CCC {words}", everyone, 1, 0),
        estimate("CCC of the judge with the same", everyone, 0, 1),
        estimate("judge minus human, CCC", everyone, -1, 1),
    )


def _of_two(table: Floats, judge: Floats, options: Mapping[str, Any]) -> Ceiling:
    """Agreement between two humans, and of the judge with each, on the candidates that all three rated."""
    complete = ~np.isnan(table).any(axis=1) & ~np.isnan(judge)
    first, second, own = table[complete, 0], table[complete, 1], judge[complete]
    shared = dict(options)
    if shared["clusters"] is not None:
        shared["clusters"] = shared["clusters"][complete]
    between = (first == second).astype(np.float64)
    with_each = ((own == first) + 0.0 + (own == second)) / 2.0
    none = np.zeros(between.size)
    return Ceiling(
        (),
        percent_agreement(first, second, **shared),
        paired_difference(with_each, none, name="judge's mean agreement with either human", **shared),
        paired_difference(with_each, between, name="judge's agreement with a human minus the humans' own", **shared),
    )


def _bootstrapped(
    data: Floats, options: Mapping[str, Any], note: str, name: str, columns: list[int], of_human: int, of_judge: int
) -> Estimate:
    """Mean over the humans of ``of_human`` x their CCC with the others + ``of_judge`` x the judge's with the same.

    `data` is complete and holds the humans' scores with the judge's in the last column. The CCC is a function of five
    sums, so all resamples are computed at once.
    """
    unit = options["unit"]
    if len(data) < 2:
        reason = f"fewer than two {unit}s that all have rated"
        return undefined(name, len(data), unit, bootstrap_of(False), reason, confidence=options["confidence"])
    humans, own = data[:, :-1], data[:, -1]
    sums = []
    for column in columns:
        others = np.delete(humans, column, axis=1).mean(axis=1)
        sums += [_products(humans[:, column], others), _products(own, others)]
    rows = np.column_stack([np.ones(len(data)), *sums])

    def of_sums(totals: Floats) -> Floats:
        n = totals[..., :1]
        parts = totals[..., 1:] / n
        gaps = [
            of_human * _ccc(parts[..., 10 * place : 10 * place + 5])
            + of_judge * _ccc(parts[..., 10 * place + 5 : 10 * place + 10])
            for place in range(len(columns))
        ]
        return np.asarray(np.mean(gaps, axis=0))

    clusters = options["clusters"]
    groups, n_clusters = compact(clusters) if clusters is not None else (None, None)
    plain = {key: value for key, value in options.items() if key in ("resamples", "seed", "confidence")}
    spread = bootstrap_of_sums(
        of_sums, sums_by_cluster(rows, groups), interval="percentile", clustered=groups is not None, **plain
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(of_sums(rows.sum(axis=0)))
    if value != value:
        reason = "a party has given the same score throughout"
        return undefined(name, len(data), unit, bootstrap_of(False), reason, confidence=plain["confidence"])
    return spread.estimate(
        name, value, len(data), unit, confidence=plain["confidence"], n_clusters=n_clusters, note=f"; {note}"
    )


def _products(a: Floats, b: Floats) -> Floats:
    """Terms of a CCC's five sums; both columns are centred near 0, since products of large numbers lose digits."""
    middle = (a.mean() + b.mean()) / 2.0
    a, b = a - middle, b - middle
    return np.column_stack([a, b, a * a, b * b, a * b])


def _ccc(means: Floats) -> Floats:
    """Lin's concordance from the means of a, b, a^2, b^2 and ab."""
    a, b, aa, bb, ab = (means[..., place] for place in range(5))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2.0 * (ab - a * b) / (aa - a * a + bb - b * b + (a - b) ** 2))
