"""Scores of a classification with abstentions: per class, macro, weighted, micro, balanced accuracy."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.accuracy import values_of
from agreement.arguments import check_resamples, shown, yes_or_no
from agreement.class_scores import ClassScores
from agreement.codebook import declared, is_missing
from agreement.coding import (
    Codes,
    Ratings,
    as_values,
    compact,
    encode,
    encode_clusters,
    same_length,
    strata_of_units,
)
from agreement.estimate import Estimate, check_confidence
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import alone
from agreement.resampling import Seed
from agreement.result import Result


@dataclass(frozen=True)
class ClassificationScores(Result):
    """Scores of a classification, with abstentions and invalid outputs counted separately.

    Attributes
    ----------
    macro_f1, weighted_f1, micro_f1, balanced_accuracy, accuracy : Estimate
        Over all classes; see `classification_scores`.
    precision, recall, f1 : dict
        One estimate for each class; empty without `each_class`.
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
    each_class: bool = True,
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
    each_class : bool
        Whether precision, recall and F1 of each class are computed too: three more intervals for each.
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
    known = np.array([not is_missing(t) and not is_missing(p) for t, p in zip(true, given, strict=True)], dtype=bool)
    used = np.flatnonzero(known).tolist()
    position: dict[Any, int] = {level: code for code, level in enumerate(levels)}
    truth = _codes([(item, true[item]) for item in used], position, "reference")
    no_class = dict.fromkeys((*abstentions, *unreadable), -1)
    guess = _codes([(item, given[item]) for item in used], {**position, **no_class}, "predicted", of=levels)
    kind = _kind(interval, strata is not None)
    groups, n_clusters = _groups(clusters, known, kind)
    of_unit = None
    if strata is not None:
        of_unit = strata_of_units(encode_clusters(strata, known.size, "strata")[known], groups)
    scores = ClassScores(
        truth, guess, len(levels), groups, of_unit, n_clusters, kind, resamples, seed, unit, confidence
    )
    few, rare, own = scores.few, scores.rare, levels if yes_or_no(each_class, "each_class") else ()
    return ClassificationScores(
        macro_f1=scores.mean("macro F1", "f1").warned(rare, few),
        weighted_f1=scores.mean("weighted F1", "weighted").warned(few),
        micro_f1=scores.mean("micro F1", "micro").warned(few),
        balanced_accuracy=scores.mean("balanced accuracy", "recall").warned(rare, few),
        accuracy=scores.accuracy.warned(few),
        precision=scores.per_class(own, "precision", (1,), "never predicted", 1.0),
        recall=scores.per_class(own, "recall", (2,), "never the reference", 1.0),
        f1=scores.per_class(own, "F1", (1, 2), "neither predicted nor the reference", 2.0),
        support={level: int(scores.support[code]) if scores.n else 0 for code, level in enumerate(levels)},
        n_abstained=sum(given[item] in abstentions for item in used),
        n_invalid=sum(given[item] in unreadable for item in used),
        n_missing=int((~known).sum()),
    )


def _codes(
    values: Sequence[tuple[int, Any]], position: Mapping[Any, int], name: str, of: Sequence[Hashable] | None = None
) -> Codes:
    """Return the code of each value, which come with their places; any without one is refused."""
    for item, value in values:
        if value not in position:
            expected = shown(tuple(position) if of is None else of)
            raise ValueError(f"{name} holds {shown(value)} at position {item}; expected one of {expected}")
    return np.array([position[value] for _, value in values], dtype=np.int64)


def _groups(clusters: Ratings | None, known: npt.NDArray[np.bool_], kind: Interval) -> tuple[Codes | None, int | None]:
    """Return the clusters of known units and their number; none if each is alone, for an interval by formula."""
    if clusters is None:
        return None, None
    groups, n_clusters = compact(encode_clusters(clusters, known.size)[known])
    return (None, None) if kind == "score" and alone(groups) else (groups, n_clusters)


def _kind(interval: Interval | None, stratified: bool) -> Interval:
    if not stratified:
        return chosen_interval(interval, "score", *BOOTSTRAPS)
    if interval == "score":
        raise ValueError(
            "interval is 'score' with strata= given; expected 'percentile' or 'bca', which allow for strata"
        )
    return chosen_interval(interval, *BOOTSTRAPS)
