"""The statistics of a reader study and of a judge validation: pure functions on arrays that return an `Estimate`."""

from agreement.accuracy import Accuracy, accuracy, accuracy_of_correctness
from agreement.comparisons import adjust_p_values, mcnemar, paired_difference, paired_proportion_difference
from agreement.estimate import FEW_CLUSTERS, Estimate
from agreement.floors import chance_floor, paired_shortcut_score, shortcut_score, text_only_floor
from agreement.intervals import clopper_pearson_interval, wilson_interval
from agreement.judge import DiagnosticAccuracy, JudgeDirection, diagnostic_accuracy, judge_direction
from agreement.kappa import cohen_kappa, cohen_kappa_of_table, kappa_per_category, pabak
from agreement.percent import percent_agreement
from agreement.resampling import bootstrap
from agreement.shared_errors import SharedErrors, shared_errors
from agreement.text import exact_match, normalise_answer, token_f1

__all__ = [
    "FEW_CLUSTERS",
    "Accuracy",
    "DiagnosticAccuracy",
    "Estimate",
    "JudgeDirection",
    "SharedErrors",
    "accuracy",
    "accuracy_of_correctness",
    "adjust_p_values",
    "bootstrap",
    "chance_floor",
    "clopper_pearson_interval",
    "cohen_kappa",
    "cohen_kappa_of_table",
    "diagnostic_accuracy",
    "exact_match",
    "judge_direction",
    "kappa_per_category",
    "mcnemar",
    "normalise_answer",
    "pabak",
    "paired_difference",
    "paired_proportion_difference",
    "paired_shortcut_score",
    "percent_agreement",
    "shared_errors",
    "shortcut_score",
    "text_only_floor",
    "token_f1",
    "wilson_interval",
]
