"""Which statistic in a declared line's table is the estimate that the plan means; the others are additional."""

from __future__ import annotations

from collections.abc import Callable

from exchange.report.estimate_rows import EstimateRow
from exchange.report.statistic_names import Compared, Statistic
from protocol.fields import IN_WORDS, NUMBERS, ORDERED, PLACES, SETS
from protocol.language.authored_plan import AuthoredEstimate, Estimated
from protocol.language.expansion import Expansion

# Chance-corrected if the type has such a coefficient; alpha is that of all raters together.
_OF_CATEGORIES: frozenset[Statistic] = frozenset({"cohen_kappa", "krippendorff_alpha"})
_AGREEMENT: dict[str, frozenset[Statistic]] = {
    **dict.fromkeys(ORDERED, frozenset[Statistic]({"quadratic_kappa", "krippendorff_alpha"})),
    **dict.fromkeys(NUMBERS, frozenset[Statistic]({"lin_ccc", "icc"})),
    **dict.fromkeys(SETS, frozenset[Statistic]({"jaccard"})),
    **dict.fromkeys(IN_WORDS, frozenset[Statistic]({"percent_agreement"})),
    **dict.fromkeys(PLACES, frozenset[Statistic]({"mean_distance"})),
}
_BESIDE = frozenset(
    {
        "above_right",
        "all_with_reference",
        "flag_misses",
        "text_only_floor",
        "chance_floor",
        "models_over_readers",
        "raw_option",
        "raw_score",
    }
)
# On a scale, the mean difference; for correct and incorrect, the signed difference.
_WITH_JUDGES: dict[Estimated, frozenset[Statistic]] = {
    "correlation": frozenset({"pearson"}),
    "direction": frozenset({"mean_difference", "signed_difference"}),
}
_MAIN: dict[Estimated, frozenset[Statistic]] = {
    "macro_f1": frozenset({"macro_f1"}),
    "calibration": frozenset({"calibration_error"}),
    "difference": frozenset({"mean_difference", "accuracy_difference"}),
    "blinding_index": frozenset({"bang_index"}),
    "uniformity": frozenset({"chi_square"}),
    "win_rate": frozenset({"win_rate"}),
}
# The statistics that a line's words name in the same way as tables do.
_NAMED: dict[Estimated, frozenset[tuple[Statistic, Compared]]] = {
    "macro_f1": frozenset({("macro_f1", "reference")}),
    "mean": frozenset({("mean_answer", "answers")}),
    "pass_at": frozenset({("pass_at_k", "reference")}),
    "rate": frozenset({("share", "option"), ("share", "scored_option")}),
}


def named_by(line: AuthoredEstimate) -> frozenset[tuple[Statistic, Compared]]:
    """Return the statistics of its table that a line names in words; pass@k only if the line gives k."""
    return frozenset() if line.estimate == "pass_at" and line.k is None else _NAMED.get(line.estimate, frozenset())


def is_main(line: AuthoredEstimate, field_type: str, row: EstimateRow) -> bool:
    """Return whether a row of a line's table is the estimate that the line names, as opposed to an additional one.

    Bounds, further denominators, floors, and the statistics printed with a kappa are additional.
    """
    if row.bound or row.compared in _BESIDE:
        return False
    if line.estimate == "agreement":
        # If groups are compared, the line is about their difference.
        if line.compare == "group":
            return row.statistic == ("agreement_difference" if field_type in SETS else "kappa_difference")
        return row.statistic in _AGREEMENT.get(field_type, _OF_CATEGORIES)
    if line.compare == "group" and line.estimate in ("mean", "distance"):
        return row.statistic == "mean_difference"
    if "judges" in line.against and line.estimate in _WITH_JUDGES:
        return row.statistic in _WITH_JUDGES[line.estimate]
    return row.statistic in _MAIN.get(line.estimate, {row.statistic})


def asked_by(
    study: Expansion, line: AuthoredEstimate, field: str, positive: str | None
) -> Callable[[EstimateRow], bool]:
    """Return a test for the rows with the statistic, option or depth that a line names, unless another line has them.

    Parameters
    ----------
    field, positive
        The field that the line is about, as PHASE.FIELD, and its positive option.
    """
    if line.estimate == "correlation" and "judges" not in line.against:
        return lambda row: row.compared in line.against
    if line.estimate in ("accuracy", "macro_f1"):
        return lambda row: row.compared not in ("above_right", "all_with_reference") or row.statistic == line.estimate
    if line.estimate == "rate":
        return lambda row: row.category is not None and row.category.id == (line.option or positive)
    if line.estimate == "auc":
        return lambda row: row.statistic == "auc"
    if line.estimate == "calibration" and _has_line_of_area(study, line, field):
        return lambda row: row.statistic != "auc"
    return lambda row: line.k is None or row.depth == line.k


def _has_line_of_area(study: Expansion, line: AuthoredEstimate, field: str) -> bool:
    """Return whether another line asks for the area under the curve on the same units; this one would repeat it."""
    plan = study.analysis
    return any(
        field in other.of and other.model_copy(update={"estimate": line.estimate, "of": line.of}) == line
        for other in (plan.primary, *plan.also)
        if other is not None and other.estimate == "auc"
    )
