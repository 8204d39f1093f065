"""Clusters of one item each are no clusters: every statistic gives what it gives without them.

There is no reference program: the check is the same function on the same data without `clusters`.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import agreement
from agreement import Estimate, judge_direction, rogan_gladen, rogan_gladen_in_clusters

N, POOL = 36, 80
RNG = np.random.default_rng(4)
TRUTH = (RNG.random(N) < 0.6).astype(int)
A, B, C, D = (np.where(RNG.random(N) < 0.2, 1 - TRUTH, TRUTH) for _ in range(4))
TABLE, OTHERS = np.stack([A, B, C, D], axis=1), (RNG.random((N, 4)) < 0.7).astype(int)
X = TRUTH + RNG.normal(size=N)
Y, Z = X + 0.5 * RNG.normal(size=N), X + 0.7 * RNG.normal(size=N)
STATED = np.clip(0.5 + 0.2 * (2 * TRUTH - 1) + 0.2 * RNG.normal(size=N), 0.02, 0.98)
JUDGED, OTHER_X, OTHER_Y = (RNG.random(POOL) < 0.6).astype(int), RNG.normal(size=POOL), RNG.normal(size=POOL)
HALVES = np.repeat(["first", "second"], N // 2)
RANKED = [["p", "q", "r"] if right else ["q", "r", "p"] for right in A]
SETS = [{"p"} if right else {"p", "q"} for right in A]
OTHER_SETS = [{"p"} if right else {"q"} for right in B]
PLACES = [((x, y, 0.0), (x + p, y, 0.0)) for x, y, p in zip(X, Y, STATED, strict=True)]

OF_ITEMS: dict[str, Callable[..., Any]] = {
    "accuracy": partial(agreement.accuracy, A, TRUTH),
    "accuracy_of_correctness": partial(agreement.accuracy_of_correctness, A),
    "alt_test": partial(agreement.alt_test, TABLE[:, :3], D),
    "alt_test_by_domain": partial(agreement.alt_test_by_domain, TABLE[:, :3], D, HALVES),
    "bang_blinding_index": partial(agreement.bang_blinding_index, A, B, of=1, sources=[0, 1]),
    "bland_altman": partial(agreement.bland_altman, X, Y),
    "bootstrap": partial(agreement.bootstrap, np.mean, X, seed=1),
    "bradley_terry": partial(
        agreement.bradley_terry, ["k", "l", "m"] * 12, ["l", "m", "k"] * 12, ["first", "second", "first", "second"] * 9
    ),
    "brennan_prediger": partial(agreement.brennan_prediger, TABLE),
    "brier_score": partial(agreement.brier_score, STATED, A),
    "classification_scores": partial(agreement.classification_scores, TRUTH, A),
    "coefficient_difference": partial(agreement.coefficient_difference, A, B, "kappa", reference=TRUTH, seed=1),
    "cohen_kappa": partial(agreement.cohen_kappa, A, B),
    "cohen_kappa, weighted": partial(agreement.cohen_kappa, A + B, C + D, weights="quadratic"),
    "cohen_kappa_with_weights": partial(agreement.cohen_kappa_with_weights, A, B, [[1, 0], [0, 1]], [0, 1]),
    "conger_kappa": partial(agreement.conger_kappa, TABLE),
    "diagnostic_accuracy": partial(agreement.diagnostic_accuracy, A, TRUTH, 1),
    "difference_of_parts": partial(agreement.difference_of_parts, X, TRUTH, seed=1),
    "expected_calibration_error": partial(agreement.expected_calibration_error, STATED, A),
    "fleiss_kappa": partial(agreement.fleiss_kappa, TABLE),
    "fleiss_kappa_per_category": partial(agreement.fleiss_kappa_per_category, TABLE),
    "gwet_ac": partial(agreement.gwet_ac, TABLE),
    "icc": partial(agreement.icc, np.stack([X, Y, Z], axis=1)),
    "james_blinding_index": partial(agreement.james_blinding_index, A, B, sources=[0, 1]),
    "judge_bias_by_factor": partial(agreement.judge_bias_by_factor, A, B, {"half": HALVES}),
    "judge_direction": partial(judge_direction, A, B),
    "kappa_per_category": partial(agreement.kappa_per_category, A, B),
    "kendall_tau": partial(agreement.kendall_tau, X, Y),
    "krippendorff_alpha": partial(agreement.krippendorff_alpha, TABLE),
    "krippendorff_alpha, interval": partial(agreement.krippendorff_alpha, TABLE, level="interval"),
    "leave_one_out": partial(agreement.leave_one_out, TABLE),
    "light_kappa": partial(agreement.light_kappa, TABLE),
    "lin_ccc": partial(agreement.lin_ccc, X, Y),
    "localisation": partial(agreement.localisation, np.abs(X), 1.0),
    "macro_auc": partial(agreement.macro_auc, np.stack([1 - STATED, STATED], axis=1), A, classes=[0, 1]),
    "mean_over_pairs": partial(agreement.mean_over_pairs, TABLE, lambda a, b: float(a == b)),
    "mirage_rate": partial(agreement.mirage_rate, A, B, TRUTH, positive=1, negative=0),
    "pabak": partial(agreement.pabak, A, B),
    "paired_difference": partial(agreement.paired_difference, A, B, seed=1),
    "paired_shortcut_score": partial(agreement.paired_shortcut_score, TRUTH | A, B),
    "pearson": partial(agreement.pearson, X, Y),
    "percent_agreement": partial(agreement.percent_agreement, A, B),
    "percent_agreement_of_all": partial(agreement.percent_agreement_of_all, TABLE),
    "place_agreement": partial(agreement.place_agreement, PLACES, 0.5),
    "rank_sets": partial(agreement.rank_sets, TABLE, seed=1),
    "ranking_accuracy": partial(agreement.ranking_accuracy, RANKED, ["p"] * N, [1, 2]),
    "ranking_agreement": partial(agreement.ranking_agreement, [[["p", "q", "r"], own] for own in RANKED], [1, 2]),
    "rater_group_difference": partial(agreement.rater_group_difference, TABLE, OTHERS, seed=1),
    "reader_averaged_difference": partial(agreement.reader_averaged_difference, TABLE, OTHERS),
    "readers_against_judge": partial(agreement.readers_against_judge, TABLE, OTHERS[:, 0]),
    "reliability_curve": partial(agreement.reliability_curve, STATED, A),
    "roc_auc": partial(agreement.roc_auc, STATED, A),
    "set_accuracy": partial(agreement.set_accuracy, SETS, OTHER_SETS, ["p", "q"]),
    "set_agreement": partial(agreement.set_agreement, [*zip(SETS, OTHER_SETS, strict=True)], ["p", "q"]),
    "shared_errors": partial(agreement.shared_errors, A, B, A == TRUTH, B == TRUTH),
    "spearman": partial(agreement.spearman, X, Y),
    "text_only_floor": partial(agreement.text_only_floor, A),
    "two_way_bootstrap": partial(agreement.two_way_bootstrap, lambda ratings: float(np.mean(ratings)), TABLE, seed=1),
    "variance_components": partial(agreement.variance_components, TABLE, OTHERS),
    "weighted_mean": partial(agreement.weighted_mean, X, np.linspace(0.3, 0.8, N)),
    "weighted_mean, of shares": partial(agreement.weighted_mean, A, np.linspace(0.3, 0.8, N)),
}
"""What it is asked of, by name; each is asked with `clusters=range(N)` too."""

OF_TWO_SAMPLES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "mann_whitney": (partial(agreement.mann_whitney, X, OTHER_X), {"clusters": (range(N), range(N, N + POOL))}),
    "prediction_powered_difference": (
        partial(agreement.prediction_powered_difference, (A, B), (C, D), (JUDGED, 1 - JUDGED)),
        {"clusters": range(N), "unlabelled_clusters": range(N, N + POOL)},
    ),
    "prediction_powered_mean": (
        partial(agreement.prediction_powered_mean, A, B, JUDGED),
        {"clusters": range(N), "unlabelled_clusters": range(N, N + POOL)},
    ),
    "prediction_powered_mean, unlabelled apart": (
        partial(agreement.prediction_powered_mean, A, B, JUDGED), {"clusters": range(N)},
    ),
    "prediction_powered_regression": (
        partial(agreement.prediction_powered_regression, X, Y, STATED, OTHER_Y, OTHER_X, model="linear"),
        {"clusters": range(N), "unlabelled_clusters": range(N, N + POOL)},
    ),
    "recalibrate": (
        partial(agreement.recalibrate, STATED, A, STATED[::-1], B[::-1], seed=1),
        {"clusters": (range(N), range(N, 2 * N))},
    ),
}  # fmt: skip

WITHOUT_A_FREE_CHOICE = {
    "labels_needed": "plans, and is asked for the size of clusters",
    "marginal_homogeneity_in_clusters": "is by its name for clusters: beside it marginal_homogeneity",
    "mcnemar_in_clusters": "is by its name for clusters: beside it mcnemar",
    "plan_by_simulation": "plans, and is asked for the size of clusters",
    "rogan_gladen_in_clusters": "is by its name for clusters: held against rogan_gladen below",
}


def estimates_of(result: Any, path: str = "") -> Iterator[tuple[str, Estimate]]:
    """Yield every estimate within a result, with where it stands."""
    if isinstance(result, Estimate):
        yield path, result
    elif is_dataclass(result):
        for field in fields(result):
            yield from estimates_of(getattr(result, field.name), f"{path}.{field.name}")
    elif isinstance(result, dict):
        for key, value in result.items():
            yield from estimates_of(value, f"{path}[{key}]")
    elif isinstance(result, list | tuple):
        for place, value in enumerate(result):
            yield from estimates_of(value, f"{path}[{place}]")


def said(statistic: Callable[..., Any], **clusters: Any) -> dict[str, list[float]]:
    """Return value, limits and P of every estimate of a result."""
    if "resamples" in inspect.signature(statistic).parameters:
        clusters = {"resamples": 200, **clusters}
    return {
        path: [each.value, each.low, each.high, math.nan if each.p is None else each.p]
        for path, each in estimates_of(statistic(**clusters))
    }


def test_every_public_statistic_that_takes_clusters_is_in_a_table():
    takes_clusters = {
        name
        for name in agreement.__all__
        if inspect.isfunction(getattr(agreement, name))
        and any("cluster" in parameter for parameter in inspect.signature(getattr(agreement, name)).parameters)
    }
    held = {name.split(", ")[0] for name in (*OF_ITEMS, *OF_TWO_SAMPLES, *WITHOUT_A_FREE_CHOICE)}

    assert held == takes_clusters


@pytest.mark.parametrize("name", OF_ITEMS)
def test_a_cluster_for_each_item_changes_neither_value_nor_interval(name: str):
    alone, clustered = said(OF_ITEMS[name]), said(OF_ITEMS[name], clusters=range(N))

    assert clustered.keys() == alone.keys()
    for path in alone:
        assert clustered[path] == pytest.approx(alone[path], abs=1e-9, nan_ok=True), path


@pytest.mark.parametrize("name", OF_TWO_SAMPLES)
def test_a_cluster_for_each_item_of_two_samples_changes_neither_value_nor_interval(name: str):
    statistic, clusters = OF_TWO_SAMPLES[name]
    alone, clustered = said(statistic), said(statistic, **clusters)

    assert clustered.keys() == alone.keys()
    for path in alone:
        assert clustered[path] == pytest.approx(alone[path], abs=1e-9, nan_ok=True), path


def test_the_corrected_prevalence_in_clusters_of_one_is_that_of_independent_units():
    clustered = rogan_gladen_in_clusters(
        TRUTH, A, JUDGED, clusters=range(N), unlabelled_clusters=range(POOL)
    )  # the samples may share a cluster: they are taken as independent of each other
    cells = {
        "true_positive": int((TRUTH & A).sum()),
        "false_negative": int((TRUTH & (1 - A)).sum()),
        "true_negative": int(((1 - TRUTH) & (1 - A)).sum()),
        "false_positive": int(((1 - TRUTH) & A).sum()),
    }

    assert clustered == rogan_gladen(int(JUDGED.sum()), POOL, **cells)


def test_a_judges_difference_is_the_same_whether_each_case_is_its_own_cluster_or_none_is_named():
    """MRI-Eval: 13 strict and 1 lenient of 136; Newcombe's interval, as `paired_proportion_difference` has it."""
    human, judge = [1] * 122 + [1] * 13 + [0], [1] * 122 + [0] * 13 + [1]
    unnamed, own = judge_direction(human, judge), judge_direction(human, judge, clusters=range(136))
    newcombe = agreement.paired_proportion_difference(122, 13, 1, 0)

    assert own == unnamed
    assert (own.difference.low, own.difference.high) == (newcombe.low, newcombe.high)


def test_items_that_are_alone_once_those_without_verdicts_are_left_out_have_no_clusters():
    human, judge = [1, 0, 1, 0, 1, None], [1, 1, 1, 0, 0, 1]

    with_company = judge_direction(human, judge, clusters=[1, 2, 3, 4, 5, 5])

    assert with_company.difference == judge_direction(human, judge).difference


def test_a_bootstrap_that_is_asked_for_by_name_stays_one():
    """So that plans which were frozen with it keep their limits."""
    by_name = judge_direction(A, B, clusters=range(N), interval="percentile", resamples=200).difference

    assert by_name.method.startswith("cluster bootstrap")
    assert by_name.n_clusters == N
