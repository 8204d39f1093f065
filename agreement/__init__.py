"""The statistics of a reader study and of a judge validation: pure functions on arrays that return an `Estimate`.

`ClusterDraw` lets several of them share their resamples of clusters.

Do two raters give the same verdicts?
    percent_agreement, cohen_kappa, cohen_kappa_of_table, kappa_per_category, pabak, marginal_homogeneity,
    marginal_homogeneity_in_clusters, shared_errors, agreement_weights, cohen_kappa_with_weights
Do several raters give the same verdicts?
    fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger, krippendorff_alpha, percent_agreement_of_all,
    fleiss_kappa_per_category, light_kappa, mean_over_pairs, leave_one_out, consensus, dawid_skene
Do raters give the same numbers?
    icc, lin_ccc, bland_altman, kendall_w, icc_with_missing, variance_components
Do raters mark the same places, options or orders?
    place_agreement, set_agreement, jaccard, ranking_agreement, rank_biased_overlap, overlap_at_k
Are two scores related?
    pearson, spearman, kendall_tau, mann_whitney
How often are the answers right?
    accuracy, accuracy_of_correctness, diagnostic_accuracy, classification_scores, pass_at_k, mirage_rate,
    exact_match, token_f1, normalise_answer, localisation, distance_to_mask, distances_to_reference, set_accuracy,
    ranking_accuracy, rank_of_accepted
Do raters see through the blinding?
    bang_blinding_index, james_blinding_index
How much can be achieved without looking?
    chance_floor, text_only_floor, shortcut_score, paired_shortcut_score
Does a confidence tell right from wrong?
    roc_auc, macro_auc, brier_score, expected_calibration_error, reliability_curve, risk_coverage, recalibrate
Do two of them differ?
    mcnemar, mcnemar_in_clusters, paired_proportion_difference, paired_difference, difference_of_parts,
    reader_averaged_difference, readers_against_judge, coefficient_difference, rater_group_difference,
    rank_sets, adjust_p_values, hommel_p_values
Which of two is preferred?
    bradley_terry
May a judge stand in for humans?
    alt_test, alt_test_by_domain, judge_direction, judge_bias_by_factor, prediction_powered_mean,
    prediction_powered_difference, prediction_powered_regression, rogan_gladen, rogan_gladen_in_clusters
How many labels are needed?
    labels_needed, alt_test_power, cases_needed, plan_reader_study, plan_by_simulation, development_and_test
What is the interval of something else?
    wilson_interval, clopper_pearson_interval, bootstrap, two_way_bootstrap, weighted_mean
"""

from agreement.accuracy import Accuracy, accuracy, accuracy_of_correctness
from agreement.all_raters import fleiss_kappa_per_category, light_kappa, percent_agreement_of_all
from agreement.alt_test import AltTest, RaterComparison, alt_test, alt_test_by_domain
from agreement.alt_test_power import alt_test_power
from agreement.bias import BiasByFactor, judge_bias_by_factor
from agreement.blinding import bang_blinding_index, james_blinding_index
from agreement.bootstrapping import bootstrap
from agreement.calibration import (
    ReliabilityBin,
    RiskCoverage,
    brier_score,
    expected_calibration_error,
    reliability_curve,
    risk_coverage,
)
from agreement.category_kappa import kappa_per_category
from agreement.cautions import FEW_CLUSTERS
from agreement.classification import ClassificationScores, classification_scores
from agreement.clustered_tests import marginal_homogeneity_in_clusters, mcnemar_in_clusters
from agreement.comparisons import mcnemar, paired_difference, paired_proportion_difference
from agreement.consensus import Consensus, consensus
from agreement.contrast import difference_of_parts
from agreement.correlations import kendall_tau, pearson, spearman
from agreement.differences import coefficient_difference
from agreement.estimate import Estimate
from agreement.floors import chance_floor, paired_shortcut_score, shortcut_score, text_only_floor
from agreement.group_difference import rater_group_difference
from agreement.icc import icc
from agreement.icc_missing import icc_with_missing
from agreement.intervals import clopper_pearson_interval, wilson_interval
from agreement.judge import DiagnosticAccuracy, JudgeDirection, diagnostic_accuracy, judge_direction
from agreement.kappa import cohen_kappa, cohen_kappa_of_table
from agreement.krippendorff import krippendorff_alpha
from agreement.latent_class import LatentClasses, dawid_skene
from agreement.leave_one_out import Ceiling, leave_one_out
from agreement.marginal import marginal_homogeneity
from agreement.measurements import BlandAltman, bland_altman, kendall_w, lin_ccc
from agreement.model_comparisons import (
    ModelDifference,
    RankSet,
    RankSets,
    prediction_powered_difference,
    rank_sets,
)
from agreement.multiplicity import adjust_p_values, hommel_p_values
from agreement.option_sets import OptionAgreement, SetAccuracy, SetAgreement, jaccard, set_accuracy, set_agreement
from agreement.own_weights import agreement_weights, cohen_kappa_with_weights
from agreement.pairwise import mean_over_pairs
from agreement.percent import percent_agreement
from agreement.places import (
    Localisation,
    PlaceAgreement,
    distance_to_mask,
    distances_to_reference,
    localisation,
    place_agreement,
)
from agreement.planning import labels_needed
from agreement.preferences import Strengths, bradley_terry
from agreement.prevalence import prediction_powered_mean
from agreement.prevalence_adjusted import pabak
from agreement.rankings import (
    RankingAccuracy,
    RankingAgreement,
    overlap_at_k,
    rank_biased_overlap,
    rank_of_accepted,
    ranking_accuracy,
    ranking_agreement,
)
from agreement.rates import mirage_rate, pass_at_k
from agreement.reader_study import PlannedStudy, cases_needed, plan_reader_study
from agreement.reader_variance import VARIANCES, VarianceComponents, variance_components
from agreement.readers import reader_averaged_difference, readers_against_judge
from agreement.recalibration import Recalibration, Reliability, recalibrate
from agreement.regression import PoweredCoefficient, prediction_powered_regression
from agreement.roc import macro_auc, roc_auc
from agreement.rogan_gladen import rogan_gladen, rogan_gladen_in_clusters
from agreement.several_raters import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac
from agreement.shared_draw import ClusterDraw
from agreement.shared_errors import SharedErrors, shared_errors
from agreement.simulated_plan import SimulatedStudy, plan_by_simulation
from agreement.splitting import Split, development_and_test
from agreement.text import exact_match, normalise_answer, token_f1
from agreement.two_groups import mann_whitney
from agreement.two_way import two_way_bootstrap
from agreement.weighted import weighted_mean

__all__ = [
    "FEW_CLUSTERS",
    "VARIANCES",
    "Accuracy",
    "AltTest",
    "BiasByFactor",
    "BlandAltman",
    "Ceiling",
    "ClassificationScores",
    "ClusterDraw",
    "Consensus",
    "DiagnosticAccuracy",
    "Estimate",
    "JudgeDirection",
    "LatentClasses",
    "Localisation",
    "ModelDifference",
    "OptionAgreement",
    "PlaceAgreement",
    "PlannedStudy",
    "PoweredCoefficient",
    "RankSet",
    "RankSets",
    "RankingAccuracy",
    "RankingAgreement",
    "RaterComparison",
    "Recalibration",
    "Reliability",
    "ReliabilityBin",
    "RiskCoverage",
    "SetAccuracy",
    "SetAgreement",
    "SharedErrors",
    "SimulatedStudy",
    "Split",
    "Strengths",
    "VarianceComponents",
    "accuracy",
    "accuracy_of_correctness",
    "adjust_p_values",
    "agreement_weights",
    "alt_test",
    "alt_test_by_domain",
    "alt_test_power",
    "bang_blinding_index",
    "bland_altman",
    "bootstrap",
    "bradley_terry",
    "brennan_prediger",
    "brier_score",
    "cases_needed",
    "chance_floor",
    "classification_scores",
    "clopper_pearson_interval",
    "coefficient_difference",
    "cohen_kappa",
    "cohen_kappa_of_table",
    "cohen_kappa_with_weights",
    "conger_kappa",
    "consensus",
    "dawid_skene",
    "development_and_test",
    "diagnostic_accuracy",
    "difference_of_parts",
    "distance_to_mask",
    "distances_to_reference",
    "exact_match",
    "expected_calibration_error",
    "fleiss_kappa",
    "fleiss_kappa_per_category",
    "gwet_ac",
    "hommel_p_values",
    "icc",
    "icc_with_missing",
    "jaccard",
    "james_blinding_index",
    "judge_bias_by_factor",
    "judge_direction",
    "kappa_per_category",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "labels_needed",
    "leave_one_out",
    "light_kappa",
    "lin_ccc",
    "localisation",
    "macro_auc",
    "mann_whitney",
    "marginal_homogeneity",
    "marginal_homogeneity_in_clusters",
    "mcnemar",
    "mcnemar_in_clusters",
    "mean_over_pairs",
    "mirage_rate",
    "normalise_answer",
    "overlap_at_k",
    "pabak",
    "paired_difference",
    "paired_proportion_difference",
    "paired_shortcut_score",
    "pass_at_k",
    "pearson",
    "percent_agreement",
    "percent_agreement_of_all",
    "place_agreement",
    "plan_by_simulation",
    "plan_reader_study",
    "prediction_powered_difference",
    "prediction_powered_mean",
    "prediction_powered_regression",
    "rank_biased_overlap",
    "rank_of_accepted",
    "rank_sets",
    "ranking_accuracy",
    "ranking_agreement",
    "rater_group_difference",
    "reader_averaged_difference",
    "readers_against_judge",
    "recalibrate",
    "reliability_curve",
    "risk_coverage",
    "roc_auc",
    "rogan_gladen",
    "rogan_gladen_in_clusters",
    "set_accuracy",
    "set_agreement",
    "shared_errors",
    "shortcut_score",
    "spearman",
    "text_only_floor",
    "token_f1",
    "two_way_bootstrap",
    "variance_components",
    "weighted_mean",
    "wilson_interval",
]
