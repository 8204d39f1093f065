"""Criteria of a study: the statistics that they can be about, their checks, and their wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from protocol.fields import types_on
from protocol.language import expansion as expanded
from protocol.language.authored_plan import AuthoredCriterion, Estimated
from protocol.language.misfits import Misfits
from protocol.language.results import fields_of_line

_NOMINAL = ("percent_agreement", "cohen_kappa", "gwet_ac1", "krippendorff_alpha")
# For each estimate, the statistics that can have a bound from -1 to 1; a criterion without `statistic` is about the
# first. A test compares them with what the report computes.
STATISTICS: dict[Estimated, tuple[str, ...]] = {
    "accuracy": ("accuracy", "share"),
    "agreement": (),
    "direction": ("signed_difference",),
    "rate": ("share",),
    "pass_at": ("pass_at_k",),
    "macro_f1": ("macro_f1", "weighted_f1", "micro_f1", "balanced_accuracy"),
    "calibration": ("brier_score", "calibration_error"),
    "auc": ("auc",),
    "difference": ("accuracy_difference",),
    "correlation": ("spearman",),
}
AGREEMENT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(types_on("nominal") | {"preference", "resolution", "guess", "correctness"}, _NOMINAL),
    "as_item": (*_NOMINAL, "pabak"),
    **dict.fromkeys(
        types_on("ordinal"), ("percent_agreement", "linear_kappa", "quadratic_kappa", "krippendorff_alpha", "icc")
    ),
    **dict.fromkeys(types_on("interval"), ("lin_ccc", "pearson", "spearman", "icc")),
    **dict.fromkeys(types_on("set"), ("percent_agreement", "jaccard")),
    **dict.fromkeys(types_on("ranking"), ("percent_agreement", "overlap")),
    **dict.fromkeys(types_on("text"), ("percent_agreement", "token_f1")),
}
# The name of each statistic in the words of a criterion; a test compares them with the report.
CALLED = {
    "accuracy": "accuracy",
    "accuracy_difference": "difference of accuracies",
    "auc": "area under the ROC curve",
    "balanced_accuracy": "balanced accuracy",
    "brier_score": "Brier score",
    "calibration_error": "calibration error (ECE)",
    "cohen_kappa": "Cohen’s kappa",
    "gwet_ac1": "Gwet’s AC1",
    "icc": "ICC(2,1)",
    "jaccard": "options in common",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "lin_ccc": "Lin’s concordance",
    "linear_kappa": "kappa, linear weights",
    "macro_f1": "macro-F1",
    "micro_f1": "micro-F1",
    "overlap": "mean overlap of the first lines",
    "pabak": "PABAK",
    "pass_at_k": "pass@k",
    "pearson": "Pearson correlation",
    "percent_agreement": "percent agreement",
    "quadratic_kappa": "kappa, quadratic weights",
    "sensitivity": "sensitivity",
    "share": "share",
    "signed_difference": "signed difference",
    "spearman": "Spearman correlation",
    "specificity": "specificity",
    "token_f1": "mean token F1",
    "weighted_f1": "weighted F1",
}
AGAINST_JUDGES = ("percent_agreement", "cohen_kappa", "sensitivity", "specificity")
# Shares of units, whose extremes are known before anything is answered.
SHARES = frozenset({"accuracy", "share", "percent_agreement", "pass_at_k"})
# Statistics that are defined for two raters only.
OF_PAIRS = frozenset(
    {"cohen_kappa", "gwet_ac1", "pabak", "linear_kappa", "quadratic_kappa", "lin_ccc", "pearson", "spearman"}
)
# Nobody reads more lines than this: the pairs of ten raters or, for each part of the units, those of four.
MOST_PAIRS = 45
MOST_PAIRS_OF_PART = 6


def cannot_hold(estimate: str) -> str:
    """Return why an estimate cannot have a criterion for any field, and which estimates can; empty if it can."""
    if estimate in STATISTICS or estimate not in get_args(Estimated):
        return ""
    return f"{estimate} cannot have a criterion; {', '.join(STATISTICS)} can: declare the line under also."


def statistics_of(criterion: AuthoredCriterion, field_type: str) -> tuple[str, ...]:
    """Return the statistics that a criterion on a field of this type can be about."""
    if criterion.estimate != "agreement":
        of_scores = criterion.estimate == "accuracy" and field_type == "correctness"
        known = STATISTICS.get(criterion.estimate, ())
        return ("share",) if of_scores else tuple(name for name in known if name != "share" or len(known) == 1)
    if criterion.against == ["judges"] and field_type == "correctness":
        return AGAINST_JUDGES
    return AGREEMENT.get(field_type, ())


def statistic_of(criterion: AuthoredCriterion, field_type: str) -> str:
    """Return the statistic that a criterion is about: the one that it names, or the first."""
    return criterion.statistic or statistics_of(criterion, field_type)[0]


def check_criteria(
    criteria: Sequence[AuthoredCriterion],
    phases: Sequence[expanded.Phase],
    forms: Mapping[str, list[expanded.Field]],
    misfits: Misfits,
) -> None:
    """Note criteria without a bound, with contradictory bounds, with the same key, or about no known statistic."""
    keys: set[str] = set()
    for criterion in criteria:
        place = ("analysis", "criteria", criterion.key)
        if criterion.key in keys:
            misfits.add(place, f"two criteria are called '{criterion.key}'; every criterion needs a key of its own.")
        keys.add(criterion.key)
        if criterion.above is None and criterion.below is None:
            misfits.add(
                place,
                "a criterion needs a bound: above, beyond which the lower confidence limit has to lie, or below, for "
                "the upper one.",
            )
        elif criterion.above is not None and criterion.below is not None and criterion.above >= criterion.below:
            misfits.add(
                place, f"no interval lies above {criterion.above:g} and below {criterion.below:g}; swap the two."
            )
        if len(criterion.of) != 1:
            misfits.add((*place, "of"), "a criterion is about one field; write one for each.")
        fields = fields_of_line(criterion, phases, forms)
        for name in (name for name in criterion.of if name in fields):
            _check_statistic(criterion, fields[name].type, misfits, place)


def _check_statistic(criterion: AuthoredCriterion, field_type: str, misfits: Misfits, place: tuple[str, ...]) -> None:
    known = statistics_of(criterion, field_type)
    if says := cannot_hold(criterion.estimate):
        misfits.add((*place, "estimate"), says)
    elif not known:
        misfits.add(
            (*place, "estimate"),
            f"{criterion.estimate} of a field of the type {field_type} cannot have a criterion; declare it under also.",
        )
    elif criterion.statistic is not None:
        misfits.require((*place, "statistic"), criterion.statistic, known, "statistic of that estimate")
    elif criterion.estimate == "agreement" and len(known) > 1:
        misfits.add(place, f"agreement is measured in several ways; name one as statistic: {', '.join(known)}.")


def bounds_in_words(criterion: AuthoredCriterion) -> str:
    """Return the bounds of a criterion in words."""
    said = []
    if criterion.above is not None:
        said.append(f"lower limit above {criterion.above:g}")
    if criterion.below is not None:
        said.append(f"upper limit below {criterion.below:g}")
    return " and ".join(said)


def criterion_in_words(criterion: AuthoredCriterion, line: str) -> str:
    """Return a criterion in words, given those of its estimate."""
    statistic = f" by {CALLED[criterion.statistic]}" if criterion.statistic is not None else ""
    whose = ", of each rater or pair alone" if criterion.each_rater else ""
    least = criterion.least
    counts = [
        f"{count} {what}{'s' if count != 1 else ''}"
        for count, what in ((least.units, "unit"), (least.raters, "rater"))
        if count > 1
    ]
    on = f", on at least {' and '.join(counts)}" if counts else ""
    return f"{line}{statistic}{whose}: {bounds_in_words(criterion)}{on}"
