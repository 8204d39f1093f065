"""Sensitivity and specificity of a judge, with human verdicts as the reference."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import one_value, shown
from agreement.codebook import MISSING, in_order, refuse_unlike
from agreement.coding import Codes, Ratings, encode, encode_clusters, same_length
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.percent import share
from agreement.resampling import Seed
from agreement.result import Result


@dataclass(frozen=True)
class DiagnosticAccuracy(Result):
    """Sensitivity, specificity and predictive values, with the counts they come from.

    Attributes
    ----------
    sensitivity, specificity, ppv, npv : Estimate
        Proportions with Wilson's interval, or a cluster bootstrap if clusters were given.
    true_positive, false_positive, false_negative, true_negative : int
        The four cells of the 2 x 2 table.
    n_missing : int
        Units left out because one of the two verdicts is missing.
    """

    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate
    npv: Estimate
    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    n_missing: int


def diagnostic_accuracy(
    judge: Ratings,
    reference: Ratings,
    positive: Any,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> DiagnosticAccuracy:
    """Sensitivity, specificity, positive and negative predictive value.

    ``sensitivity = TP / (TP + FN)``, ``specificity = TN / (TN + FP)``, ``ppv = TP / (TP + FP)``, ``npv = TN / (TN +
    FN)``; each is undefined if its denominator is 0. Predictive values hold only for the prevalence in this sample.

    Parameters
    ----------
    judge, reference : sequence, shape (items,)
        The test verdicts and the reference verdicts; None or NaN is missing.
    positive : hashable
        The verdict that counts as positive; all others are negative. It must be one of the categories, and not missing.
    categories : sequence, optional
        The declared categories; by default the verdicts that occur. Declare them if there may be no positive at all.
    clusters, resamples, seed, interval, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    DiagnosticAccuracy

    Raises
    ------
    ValueError
        When lengths differ, `positive` is missing or not a category, or one side is text and the other numbers.

    References
    ----------
    .. [1] Altman and Bland (1994). Diagnostic tests 1: sensitivity and specificity. BMJ 308, 1552.

    Examples
    --------
    Altman and Bland (1994), liver scan: 231 of 258 abnormal scans detected, 54 of 86 normal ones called normal.

    >>> truth = ["abnormal"] * 258 + ["normal"] * 86
    >>> scan = ["abnormal"] * 231 + ["normal"] * 27 + ["abnormal"] * 32 + ["normal"] * 54
    >>> result = diagnostic_accuracy(scan, truth, "abnormal")
    >>> round(result.sensitivity.value, 2), round(result.specificity.value, 2)
    (0.9, 0.63)
    """
    positive = one_value(positive, "positive")
    (said, given), (true, accepted) = encode(judge, categories, "judge"), encode(reference, categories, "reference")
    same_length(said, true, "judge", "reference")
    if categories is None:
        refuse_unlike(judge=given, reference=accepted)
    levels = (*given, *accepted)
    if levels and positive not in levels:
        raise ValueError(f"positive is {shown(positive)}; expected one of the categories {in_order({*levels})!r}")
    known = (said >= 0) & (true >= 0)
    groups = encode_clusters(clusters, known.size)[known] if clusters is not None else None
    test, truth = (
        codes[known] == (verdicts.index(positive) if positive in verdicts else MISSING)
        for codes, verdicts in ((said, given), (true, accepted))
    )

    def of(name: str, among: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]) -> Estimate:
        own: Codes | None = groups[among] if groups is not None else None
        return share(
            counted[among],
            own,
            name=name,
            unit=unit,
            resamples=resamples,
            seed=seed,
            interval=interval,
            confidence=confidence,
        )

    return DiagnosticAccuracy(
        sensitivity=of("sensitivity", truth, test),
        specificity=of("specificity", ~truth, ~test),
        ppv=of("positive predictive value", test, truth),
        npv=of("negative predictive value", ~test, ~truth),
        true_positive=int((test & truth).sum()),
        false_positive=int((test & ~truth).sum()),
        false_negative=int((~test & truth).sum()),
        true_negative=int((~test & ~truth).sum()),
        n_missing=int((~known).sum()),
    )
