"""The names of the report's statistics: in a line of a table, in files, and between the parties they are about."""

from __future__ import annotations

from dataclasses import dataclass

from exchange.report.statistic_names import Compared, Statistic


@dataclass(frozen=True)
class Words:
    """The names of a statistic.

    Attributes
    ----------
    line
        The label of a line that is named after it.
    name
        Its name in files.
    of_pool
        The label of a line that is weighted to the pool, if it is another one.
    """

    line: str
    name: str
    of_pool: str = ""


WORDS: dict[tuple[Statistic, Compared], Words] = {
    ("accuracy", "reference"): Words("accuracy on these items", "accuracy", of_pool="accuracy"),
    ("accuracy", "consensus"): Words("accuracy of the consensus", "accuracy of the consensus"),
    ("accuracy", "chance_floor"): Words("chance floor", "chance floor"),
    ("accuracy", "text_only_floor"): Words("text-only floor", "text-only floor"),
    ("accuracy", "majority_floor"): Words(
        "always the most frequent answer", "accuracy of always the most frequent answer"
    ),
    ("accuracy", "best_rater"): Words("the best rater", "accuracy of the best rater"),
    ("percent_agreement", "others"): Words("same as most of the others", "percent agreement with most of the others"),
    ("pearson", "others"): Words(
        "Pearson correlation with the mean of the others", "Pearson correlation with the mean of the others"
    ),
    ("accuracy", "prior"): Words("accuracy, {stratum}", "accuracy, {stratum}"),
    ("accuracy_difference", "raters"): Words("", "difference of accuracies"),
    ("accuracy_difference", "groundings"): Words(
        "grounded minus informed", "difference of accuracies, grounded minus informed"
    ),
    ("accuracy_difference", "prior"): Words(
        "opened minus not opened", "difference of accuracies, prior opened minus not opened"
    ),
    ("accuracy_difference", "text_only_floor"): Words(
        "accuracy minus text-only floor", "accuracy minus text-only floor"
    ),
    ("discordant_share", "raters"): Words(
        "first rater right, among discordant items", "share of discordant items, first right"
    ),
    ("token_f1", "reference"): Words("mean token F1", "mean token F1"),
    ("shortcut_score", "text_only_floor"): Words("Shortcut Score, text-only floor", "Shortcut Score, text-only floor"),
    ("shortcut_score", "chance_floor"): Words("Shortcut Score, chance floor", "Shortcut Score, chance floor"),
    ("percent_agreement", "answers"): Words("same answer", "percent agreement on answers"),
    ("percent_agreement", "correctness"): Words("same correctness", "percent agreement on correctness"),
    ("percent_agreement", "assessability"): Words(
        "both or neither not assessable", "percent agreement on assessability"
    ),
    ("percent_agreement", "scores"): Words("same score", "percent agreement on scores"),
    ("percent_agreement", "judgements"): Words("same verdict", "percent agreement on correctness"),
    ("percent_agreement", "adjudicated_answer"): Words(
        "own verdict equals the adjudicated answer", "percent agreement with the adjudicated answer"
    ),
    ("percent_agreement", "exact_match"): Words(
        "exact match: same verdict", "percent agreement of exact match with the consensus"
    ),
    ("cohen_kappa", "answers"): Words("Cohen’s kappa", "Cohen's kappa on answers"),
    ("cohen_kappa", "correctness"): Words("Cohen’s kappa", "Cohen's kappa on correctness"),
    ("cohen_kappa", "scores"): Words("Cohen’s kappa", "Cohen's kappa on scores"),
    ("cohen_kappa", "judgements"): Words("Cohen’s kappa", "Cohen's kappa on correctness"),
    ("cohen_kappa", "exact_match"): Words(
        "exact match: Cohen’s kappa", "Cohen's kappa of exact match with the consensus"
    ),
    ("pabak", "answers"): Words("PABAK", "PABAK on answers"),
    ("pabak", "correctness"): Words("PABAK", "PABAK on correctness"),
    ("krippendorff_alpha", "answers"): Words("alpha on answers", "Krippendorff's alpha on answers"),
    ("krippendorff_alpha", "correctness"): Words("alpha on correctness", "Krippendorff's alpha on correctness"),
    ("spearman", "exact_match"): Words(
        "exact match: Spearman correlation", "Spearman correlation of exact match with the consensus"
    ),
    ("spearman", "token_f1"): Words(
        "token F1: Spearman correlation", "Spearman correlation of token f1 with the consensus"
    ),
    ("signed_difference", "exact_match"): Words(
        "exact match: consensus minus exact match", "signed difference, human minus judge"
    ),
    ("signed_difference", "judgements"): Words("human minus judge", "signed difference, human minus judge"),
    ("sensitivity", "judgements"): Words("sensitivity", "sensitivity"),
    ("specificity", "judgements"): Words("specificity", "specificity"),
    ("share", "scored_correct"): Words("share scored correct", "share scored correct"),
    ("share", "judged_correct"): Words("share judged correct", "share judged correct"),
    ("share", "one_answer"): Words("items with one answer", "share of items with one answer"),
    ("share", "upheld"): Words("decision equals the verdict of", "share of decisions that uphold the rater"),
    ("share", "upheld_by_none"): Words("decision equals the verdict of", "share of decisions that uphold no rater"),
    ("share", "own_blind_read"): Words(
        "decision equals own blind read", "share of decisions that equal the reviewer's own blind read"
    ),
    ("share", "control_read"): Words(
        "own blind read equals the agreed answer", "share of control reads equal to the agreed answer"
    ),
    ("share", "control_decision"): Words(
        "decision keeps the agreed answer", "share of control decisions that keep the agreed answer"
    ),
    ("share", "not_assessable"): Words("not assessable", "share not assessable"),
    ("share", "both_right"): Words("both right", "both right"),
    ("share", "both_wrong"): Words("both wrong", "both wrong"),
    ("share", "same_wrong_answer"): Words("both gave the same wrong answer", "same wrong answer"),
    ("share", "same_of_both_wrong"): Words("same answer, among items both got wrong", "same answer where both wrong"),
    ("share", "prior_never_opened"): Words("prior never opened", "prior never opened"),
    ("share", "sequence_never_opened"): Words("never opened", "{stratum}"),
    ("share", "window_changed"): Words("window changed", "window changed"),
    ("share", "overlay_shown"): Words("overlay shown, where offered", "overlay shown, where offered"),
    ("share", "tool_used"): Words("tool: {tool}", "tool: {tool}"),
    ("percent_agreement", "sets"): Words("same set of options", "percent agreement on the exact set"),
    ("percent_agreement", "first_lines"): Words("same first line", "percent agreement on the first line"),
    ("percent_agreement", "lists"): Words("same list", "percent agreement on the whole list"),
    ("percent_agreement", "option"): Words("{option}: chosen by both or neither", "percent agreement on {option}"),
    ("cohen_kappa", "option"): Words("{option}: kappa", "kappa of chosen or not, {option}"),
    ("category_kappa", "answers"): Words("{option}: kappa", "kappa of {option} against the rest"),
    ("gwet_ac1", "answers"): Words("Gwet’s AC1", "Gwet's AC1 on answers"),
    ("gwet_ac1", "scores"): Words("Gwet’s AC1", "Gwet's AC1 on scores"),
    ("krippendorff_alpha", "scores"): Words("alpha on scores", "Krippendorff's alpha on scores"),
    ("linear_kappa", "answers"): Words("kappa, linear weights", "Cohen's kappa on answers, linear weights"),
    ("quadratic_kappa", "answers"): Words("kappa, quadratic weights", "Cohen's kappa on answers, quadratic weights"),
    ("icc", "answers"): Words("ICC(2,1)", "ICC(2,1), absolute agreement"),
    ("lin_ccc", "answers"): Words("Lin’s concordance", "Lin's concordance correlation"),
    ("pearson", "answers"): Words("Pearson correlation", "Pearson correlation"),
    ("spearman", "answers"): Words("Spearman correlation", "Spearman correlation"),
    ("mean_difference", "answers"): Words("mean difference", "mean difference, first minus second"),
    ("lower_limit", "answers"): Words("lower limit of agreement", "lower limit of agreement, first minus second"),
    ("upper_limit", "answers"): Words("upper limit of agreement", "upper limit of agreement, first minus second"),
    ("mean_difference", "judges_on_scale"): Words(
        "mean difference, judge minus human", "mean difference, judge minus human"
    ),
    ("lower_limit", "judges_on_scale"): Words(
        "lower limit of agreement, judge minus human", "lower limit of agreement, judge minus human"
    ),
    ("upper_limit", "judges_on_scale"): Words(
        "upper limit of agreement, judge minus human", "upper limit of agreement, judge minus human"
    ),
    ("mean_difference", "models"): Words("mean difference", "mean difference, first minus second"),
    ("accuracy_difference", "models"): Words("difference of shares", "difference of shares correct"),
    ("mean_difference", "models_over_readers"): Words(
        "mean difference, for other raters too", "mean difference, first minus second, raters sampled"
    ),
    ("accuracy_difference", "models_over_readers"): Words(
        "difference of shares, for other raters too", "difference of shares correct, raters sampled"
    ),
    ("accuracy_difference", "interaction"): Words(
        "{option}: how far two raters differ in it",
        "interaction with rater, difference of shares, {option}",
    ),
    ("mean_difference", "interaction"): Words(
        "{option}: how far two raters differ in it", "interaction with rater, mean difference, {option}"
    ),
    ("accuracy_difference", "groups"): Words("difference between groups", "difference between groups of raters"),
    ("mean_difference", "groups"): Words(
        "difference of means between groups", "difference of means between groups of raters"
    ),
    ("agreement_difference", "groups"): Words(
        "difference of agreement within groups", "difference of percent agreement between groups of raters"
    ),
    ("kappa_difference", "groups"): Words(
        "difference of kappa within groups", "difference of kappa between groups of raters"
    ),
    ("effect_size", "models"): Words("chance that the first is higher", "Mann-Whitney, common-language effect size"),
    ("mean_answer", "answers"): Words("mean", "mean"),
    ("share", "option"): Words("{option}", "share of {option}"),
    ("share", "scored_option"): Words("{option}", "share of {option}, of correct and incorrect"),
    ("jaccard", "sets"): Words("options in common", "mean Jaccard overlap"),
    ("options_right", "reference"): Words("options right", "mean share of options right"),
    ("overlap", "lists"): Words("first {depth} lines in common", "mean overlap of the first {depth} lines"),
    ("pass_at_k", "reference"): Words("pass@{depth}", "pass@{depth}"),
    ("mean_distance", "answers"): Words("mean distance between raters", "mean distance between raters"),
    ("mean_distance", "reference"): Words("mean distance from the reference", "mean distance from the reference"),
    ("token_f1", "answers"): Words("mean token F1 between raters", "mean token F1 between raters"),
    ("auc", "confidence"): Words("AUC of confidence", "area under the ROC curve of the confidence"),
    ("share", "undetermined"): Words("undetermined", "share undetermined"),
    ("percent_agreement", "abstentions"): Words("both or neither abstained", "percent agreement on abstaining"),
    ("brier_score", "confidence"): Words("Brier score", "Brier score"),
    ("calibration_error", "confidence"): Words("calibration error (ECE)", "expected calibration error, 10 bins"),
    ("bang_index", "source"): Words("Bang’s index {option}", "Bang's blinding index {option}"),
    ("james_index", "source"): Words("James’ index", "James' blinding index"),
    ("share", "jointly"): Words("{option} in every condition", "share with {option} in every condition"),
    ("share", "jointly_by_models"): Words("{option} by every model", "share with {option} by every model"),
    ("share", "right_at_once"): Words("right in all fields at once", "share right in all fields at once"),
    ("share", "flag_precision"): Words("precision of the flag", "share of flagged units with {option}"),
    ("share", "flag_misses"): Words("missed by the flag", "share not flagged of units with {option}"),
    ("pass_at_k", "matched"): Words("pass@{depth}, as rated", "pass@{depth}, as rated"),
    ("accuracy", "stated"): Words("confidence {option}: right", "accuracy at confidence {option}"),
    ("accuracy", "covered"): Words("right among {option} of the answers", "accuracy among {option} of the answers"),
    ("mean_answer", "stated"): Words("confidence {option}: mean confidence", "mean confidence at {option}"),
    ("share", "distance"): Words("within {option}", "share within {option} of the reference"),
    ("share", "invalid"): Words("none of the options", "share of answers that are none"),
    ("share", "no_response"): Words("no answer", "share without an answer"),
    ("accuracy", "above_right"): Words(
        "accuracy where the answer above is right", "accuracy where the answer above is right"
    ),
    ("accuracy", "all_with_reference"): Words(
        "accuracy of all with a reference", "accuracy of all with a reference, not asked counted wrong"
    ),
    ("macro_f1", "above_right"): Words(
        "macro-F1 where the answer above is right", "macro-F1 where the answer above is right"
    ),
    ("macro_f1", "all_with_reference"): Words(
        "macro-F1 of all with a reference", "macro-F1 of all with a reference, not asked counted missed"
    ),
    ("auc", "number_column"): Words("AUC of {option}", "area under the ROC curve of {option}"),
    ("auc", "one_against_rest"): Words(
        "macro AUC, one class against the rest", "macro-averaged area under the ROC curve, one against the rest"
    ),
    ("micro_f1", "reference"): Words("micro-F1", "micro-F1"),
    ("macro_f1", "reference"): Words("macro-F1", "macro-F1"),
    ("weighted_f1", "reference"): Words("weighted F1", "weighted F1"),
    ("balanced_accuracy", "reference"): Words("balanced accuracy", "balanced accuracy"),
    ("win_rate", "preferred"): Words("preferred", "win rate"),
    ("share", "no_preference"): Words("tie or neither", "share of ties and neither"),
    ("strength", "preferred"): Words("strength", "Bradley-Terry strength, with ties Davidson"),
    ("share", "side_a"): Words("A, of all preferences", "share of preferences for side A"),
    ("chi_square", "levels"): Words(
        "{option}: is the difference the same at every level (chi-square)",
        "test of one signed difference over {option}",
    ),
    ("signed_difference", "levels"): Words("human minus judge", "signed difference, human minus judge"),
    ("signed_difference", "judged_option"): Words(
        "share of {option}, human minus judge", "signed difference, human minus judge"
    ),
    ("mean_difference", "levels"): Words("human minus judge", "mean difference, human minus judge"),
    ("signed_difference", "between_levels"): Words(
        "{option}: difference of two levels", "difference of signed differences of two levels of {option}"
    ),
    ("mean_difference", "between_levels"): Words(
        "{option}: difference of two levels", "difference of mean differences of two levels of {option}"
    ),
    ("share", "raw_option"): Words("share of {option} as judged", "share of {option} as judged"),
    ("share", "corrected_option"): Words("share of {option}, corrected by people", "corrected share of {option}"),
    ("share", "raw_score"): Words("share correct as judged", "share correct as judged"),
    ("share", "corrected_score"): Words("share correct, corrected by people", "corrected share correct"),
    ("mean_answer", "raw_score"): Words("mean as judged", "mean as judged"),
    ("mean_answer", "corrected_score"): Words("mean, corrected by people", "corrected mean"),
    ("accuracy_difference", "corrected_score"): Words("corrected difference", "difference of corrected shares"),
    ("mean_difference", "corrected_score"): Words("corrected difference", "difference of corrected means"),
    ("accuracy", "queue"): Words("right in the {option}", "accuracy in the {option}"),
    ("accuracy", "active_time"): Words("right in the {option}", "accuracy in the {option}"),
    ("accuracy_difference", "queue"): Words(
        "last minus first third of the queue", "difference of accuracies, last minus first third of the queue"
    ),
    ("accuracy_difference", "active_time"): Words(
        "slowest minus fastest third", "difference of accuracies, slowest minus fastest third"
    ),
    ("mean", "active_time"): Words("mean active time per item", "mean active time"),
}
# How a bound counts, for a line's label and for the name in files, by what the estimate is about.
BOUNDS = {
    ("reference", "worst"): ("worst case", "excluded counted wrong"),
    ("reference", "best"): ("best case", "excluded counted right"),
    ("scored_correct", "worst"): ("left out counted incorrect", "left out counted incorrect"),
    ("scored_correct", "best"): ("left out counted correct", "left out counted correct"),
    **dict.fromkeys(
        (("option", "worst"), ("scored_option", "worst"), ("raw_option", "worst")),
        ("left out counted as another", "left out counted as another option"),
    ),
    **dict.fromkeys(
        (("option", "best"), ("scored_option", "best"), ("raw_option", "best")),
        ("left out counted as this", "left out counted as this option"),
    ),
    **dict.fromkeys(
        (("jointly", "worst"), ("jointly_by_models", "worst")), ("left out counted as not", "left out counted as not")
    ),
    **dict.fromkeys(
        (("jointly", "best"), ("jointly_by_models", "best")),
        ("left out counted where it can be", "left out counted where it can be"),
    ),
    ("raw_score", "worst"): ("all unresolved incorrect", "unresolved counted incorrect"),
    ("raw_score", "best"): ("all unresolved correct", "unresolved counted correct"),
    ("judged_correct", "worst"): ("all unresolved incorrect", "unresolved counted incorrect"),
    ("judged_correct", "best"): ("all unresolved correct", "unresolved counted correct"),
}
# The word between two parties, if their order matters.
BETWEEN: dict[tuple[Statistic, Compared], str] = {
    ("accuracy_difference", "raters"): "minus",
    ("accuracy_difference", "models"): "minus",
    ("accuracy_difference", "groups"): "minus",
    ("mean_difference", "groups"): "minus",
    ("accuracy_difference", "interaction"): "minus",
    ("mean_difference", "interaction"): "minus",
    ("agreement_difference", "groups"): "minus",
    ("kappa_difference", "groups"): "minus",
    ("mean_difference", "models"): "minus",
    ("mean_difference", "models_over_readers"): "minus",
    ("accuracy_difference", "models_over_readers"): "minus",
    ("effect_size", "models"): "against",
    **dict.fromkeys(
        (
            ("signed_difference", "levels"),
            ("signed_difference", "judged_option"),
            ("mean_difference", "levels"),
            ("signed_difference", "between_levels"),
            ("mean_difference", "between_levels"),
            ("accuracy_difference", "corrected_score"),
            ("mean_difference", "corrected_score"),
        ),
        "minus",
    ),
    **dict.fromkeys(
        (
            ("share", "raw_option"),
            ("share", "corrected_option"),
            ("share", "raw_score"),
            ("share", "corrected_score"),
            ("mean_answer", "raw_score"),
            ("mean_answer", "corrected_score"),
        ),
        "by",
    ),
    ("signed_difference", "judgements"): "minus",
    ("mean_difference", "answers"): "minus",
    ("lower_limit", "answers"): "minus",
    ("upper_limit", "answers"): "minus",
    ("mean_difference", "judges_on_scale"): "minus",
    ("lower_limit", "judges_on_scale"): "minus",
    ("upper_limit", "judges_on_scale"): "minus",
}
# Differences named with the second party first: a row names the judge first, but the difference is human minus judge.
TURNED: frozenset[tuple[Statistic, Compared]] = frozenset({("signed_difference", "judgements")})
EXPLORATORY = "exploratory: by today’s default interval, not the frozen plan"
OF_CONSENSUS = {"before": "agreed items only", "after": "agreed and adjudicated items"}
