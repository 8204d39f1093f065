"""Scores of a classification with abstentions: per class, macro, weighted, micro, balanced accuracy."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.accuracy import values_of
from agreement.arguments import check_resamples, shown
from agreement.cautions import rare_category, rare_outcome
from agreement.class_limits import Classified, Mean
from agreement.codebook import declared, is_missing
from agreement.coding import (
    Codes,
    Floats,
    Ratings,
    as_values,
    compact,
    encode,
    encode_clusters,
    same_length,
    strata_of_units,
)
from agreement.effective_size import cluster_of_item
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import alone
from agreement.methods import WILSON, bootstrap_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.result import Result

FEW_RESAMPLED_ERRORS = 10
"""With fewer units than this right, or wrong, percentiles of a bootstrapped score cover less than 93 %
(`docs/statistics.md`, coverage)."""


@dataclass(frozen=True)
class ClassificationScores(Result):
    """Scores of a classification, with abstentions and invalid outputs counted separately.

    Attributes
    ----------
    macro_f1, weighted_f1, micro_f1, balanced_accuracy, accuracy : Estimate
        Over all classes; see `classification_scores`.
    precision, recall, f1 : dict
        One estimate for each class.
    support : dict
        Number of units whose reference is each class.
    n_abstained, n_invalid, n_missing : int
        Abstentions and invalid outputs (both count as false negatives), and units left out because they have no
        prediction or no reference.
    """

    macro_f1: Estimate
    weighted_f1: Estimate
    micro_f1: Estimate
    balanced_accuracy: Estimate
    accuracy: Estimate
    precision: dict[Hashable, Estimate]
    recall: dict[Hashable, Estimate]
    f1: dict[Hashable, Estimate]
    support: dict[Hashable, int]
    n_abstained: int
    n_invalid: int
    n_missing: int


def classification_scores(
    reference: Ratings,
    predicted: Ratings,
    *,
    classes: Sequence[Hashable] | None = None,
    abstained: Collection[Hashable] = (),
    invalid: Collection[Hashable] = (),
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> ClassificationScores:
    """Abstention-aware scores of a classification.

    An abstention is a false negative of the reference class and not a false positive of any class [1]_. The same holds
    for an invalid output, and both are counted. Per class ``precision = TP / (TP + FP)``, ``recall = TP / (TP + FN)``,
    ``F1 = 2 TP / (2 TP + FP + FN)``. Macro F1 is the mean of F1, weighted F1 the mean weighted by support, balanced
    accuracy the mean recall: each over the classes that occur in the reference. Micro F1 is computed from the summed
    counts of all classes. A class that is never predicted has F1 0. Recall is undefined for a class without support,
    precision for one that is never predicted, and everything for no units.

    Parameters
    ----------
    reference, predicted : sequence, shape (items,)
        The right class and the predicted one; None or NaN is missing.
    classes : sequence, optional
        The declared classes; by default those in the reference. Any other prediction that is not in `abstained` or
        `invalid` is refused.
    abstained, invalid : collection, or one text
        Predictions that mean "undetermined", and those that stand for an unreadable output.
    clusters, strata : sequence, shape (items,), optional
        Cluster and stratum of each item; the paper resamples within diagnosis, ``strata=reference``.
    interval : {"score", "percentile", "bca"}, optional
        By default "score": Wilson's interval of accuracy, precision and recall as in `percent_agreement`, of F1 by the
        share ``TP / (TP + FP + FN)``, and of means over classes on their effective number of units
        (`agreement.class_limits`). The others bootstrap units or clusters, and "percentile" is the default with
        `strata`, which only they allow for.
    resamples, seed, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    ClassificationScores

    Raises
    ------
    ValueError
        When lengths differ, a class is undeclared, a class is also an abstention or invalid, a cluster lies in two
        strata, or `interval` does not apply.

    References
    ----------
    .. [1] NeuroVLM-Bench, abstention-aware metrics.
    .. [2] Sokolova and Lapalme (2009). A systematic analysis of performance measures. Inf Process Manag 45, 427-437.

    Examples
    --------
    a: TP 1, FN 1 (abstained); b: TP 1, FP 0, FN 0. F1 of a = 2/3, of b = 1.

    >>> result = classification_scores(["a", "a", "b"], ["a", "?", "b"], abstained={"?"}, resamples=200)
    >>> round(result.macro_f1.value, 4), round(result.balanced_accuracy.value, 4), result.n_abstained
    (0.8333, 0.75, 1)
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    true, given = as_values(reference, "reference"), as_values(predicted, "predicted")
    same_length(true, given, "reference", "predicted")
    _, observed = encode(true, None, "reference")
    levels = declared(classes, "classes") if classes is not None else tuple(observed)
    encode(given, None, "predicted")  # names values that cannot be compared
    abstentions, unreadable = values_of(abstained, "abstained"), values_of(invalid, "invalid")
    twice = [level for level in levels if level in abstentions or level in unreadable]
    if twice:
        raise ValueError(f"abstained or invalid holds {twice!r}; expected none of the classes {shown(levels)}")
    position: dict[Any, int] = {level: code for code, level in enumerate(levels)}
    known = np.array([not is_missing(t) and not is_missing(p) for t, p in zip(true, given, strict=True)], dtype=bool)
    truth, guess = np.full(known.size, -1), np.full(known.size, -1)
    for item in np.flatnonzero(known):
        if true[item] not in position:
            raise ValueError(f"reference holds {shown(true[item])} at position {item}; expected one of {shown(levels)}")
        truth[item] = position[true[item]]
        if given[item] in abstentions or given[item] in unreadable:
            continue
        if given[item] not in position:
            raise ValueError(
                f"predicted holds {shown(given[item])} at position {item}; expected one of {shown(levels)}"
            )
        guess[item] = position[given[item]]
    used_given = [given[item] for item in np.flatnonzero(known)]
    kind = _kind(interval, strata is not None)
    groups: Codes | None = None
    n_clusters = None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, known.size)[known])
        if kind == "score" and alone(groups):
            groups = n_clusters = None
    of_unit = None
    if strata is not None:
        of_unit = strata_of_units(encode_clusters(strata, known.size, "strata")[known], groups)
    truth, guess = truth[known], guess[known]
    n, k = int(known.sum()), len(levels)
    units = Classified(truth, guess, k, groups, unit, confidence) if kind == "score" and n else None
    counts = np.ones(n, dtype=np.int64)
    if groups is None and of_unit is None:  # group identical units once for all scores
        kinds, counts = np.unique(truth * (k + 1) + guess + 1, return_counts=True)
        truth, guess = kinds // (k + 1), kinds % (k + 1) - 1
    # scikit-learn's f1_score does not support abstentions and would recount in each resample
    rows = np.zeros((len(counts), 3 * k))  # true positives, predicted, reference, for each class
    each = np.arange(len(counts))
    rows[each, 2 * k + truth] = 1.0
    rows[each[guess >= 0], k + guess[guess >= 0]] = 1.0
    rows[each[guess == truth], truth[guess == truth]] = 1.0
    whole = counts @ rows
    # fewer sums mean fewer distinct units to draw, so each score gets only the sums that it needs
    overall = np.stack([rows[:, :k].sum(axis=1), rows[:, k : 2 * k].sum(axis=1), rows[:, 2 * k :].sum(axis=1)], axis=1)

    def estimate(name: str, statistic: Any, undefined_because: str, own: Floats = rows) -> Estimate:
        value = float(statistic(counts @ own)) if n else math.nan
        if math.isnan(value):
            reason = undefined_because if n else f"no {unit}s"
            method = WILSON if kind == "score" else bootstrap_of(False)
            return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
        spread = bootstrap_of_sums(
            statistic,
            sums_by_cluster(own, groups),
            counts=counts if groups is None else None,
            strata=of_unit,
            resamples=resamples,
            seed=seed,
            interval=kind,
            confidence=confidence,
            clustered=groups is not None,
        )
        return spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters)

    def mean(name: str, what: Mean) -> Estimate:
        if units is None:
            if what == "micro":
                return estimate(
                    name, lambda t: _divide(2.0 * t[..., 0], t[..., 1] + t[..., 2]), "no class occurs", overall
                )
            return estimate(name, lambda t: _over_classes(t, k, what), "no class occurs")
        if what == "micro":
            if (units.guess >= 0).all():  # it is the accuracy then
                return replace(accuracy, name=name)
            value = float(_divide(2.0 * whole[:k].sum(), whole[k:].sum()))
        else:
            value = float(_over_classes(whole, k, what))
        return units.mean(what, value, name).warned(*accuracy.cautions)

    def per_class(name: str, bottom: tuple[int, ...], reason: str, factor: float) -> dict[Hashable, Estimate]:
        of_classes = {}
        for code, level in enumerate(levels):
            own, called = rows[:, code::k], f"{name} of {level}"
            sums = counts @ own
            hits, lost = int(sums[0]), int(sums[list(bottom)].sum() - factor * sums[0])
            if units is not None and hits + lost:
                of_class = {(1,): units.guess == code, (2,): units.truth == code}
                of_classes[level] = (
                    units.share_right(of_class[bottom], called) if bottom in of_class else units.f1(code, called)
                )
                continue
            score = estimate(called, lambda t: _divide(factor * t[..., 0], t[..., bottom].sum(axis=-1)), reason, own)
            of_classes[level] = score.warned(
                rare_outcome(min(hits, lost), FEW_RESAMPLED_ERRORS) if hits + lost else None
            )
        return of_classes

    support = whole[2 * k :]
    # a class of few units counts as much as any other in these two means, and is missing from some resamples
    rarest = float(support[support > 0].min()) if n else 0.0
    rare = rare_category(rarest, cluster_of_item(groups) if units is None else 1.0, unit=unit)
    right = int(whole[:k].sum()) if n else 0
    few = rare_outcome(min(right, n - right), FEW_RESAMPLED_ERRORS) if n and units is None else None
    if units is None:
        accuracy = estimate("accuracy", lambda t: _divide(t[..., 0], t[..., 2]), "no class occurs", overall)
    else:
        accuracy = units.share_right(np.ones(n, dtype=bool), "accuracy")
    return ClassificationScores(
        macro_f1=mean("macro F1", "f1").warned(rare, few),
        weighted_f1=mean("weighted F1", "weighted").warned(few),
        micro_f1=mean("micro F1", "micro").warned(few),
        balanced_accuracy=mean("balanced accuracy", "recall").warned(rare, few),
        accuracy=accuracy.warned(few),
        precision=per_class("precision", (1,), "never predicted", 1.0),
        recall=per_class("recall", (2,), "never the reference", 1.0),
        f1=per_class("F1", (1, 2), "neither predicted nor the reference", 2.0),
        support={level: int(support[code]) if n else 0 for code, level in enumerate(levels)},
        n_abstained=sum(value in abstentions for value in used_given),
        n_invalid=sum(value in unreadable for value in used_given),
        n_missing=int((~known).sum()),
    )


def _kind(interval: Interval | None, stratified: bool) -> Interval:
    if not stratified:
        return chosen_interval(interval, "score", *BOOTSTRAPS)
    if interval == "score":
        raise ValueError(
            "interval is 'score' with strata= given; expected 'percentile' or 'bca', which allow for strata"
        )
    return chosen_interval(interval, *BOOTSTRAPS)


def _over_classes(totals: Floats, k: int, what: str) -> Floats:
    """Mean over the classes that occur in the reference."""
    hits, predicted, support = totals[..., :k], totals[..., k : 2 * k], totals[..., 2 * k :]
    occurs = support > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        if what == "recall":
            score = np.where(occurs, hits / support, 0.0)
        else:
            score = np.where(occurs, 2.0 * hits / (predicted + support), 0.0)
        if what == "weighted":
            return np.asarray((score * support).sum(axis=-1) / support.sum(axis=-1))
        return np.asarray(score.sum(axis=-1) / occurs.sum(axis=-1))


def _divide(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(bottom) > 0, top / bottom, np.nan)
