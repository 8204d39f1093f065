"""Calibration, classification with abstention, pass@k and mirages, against scikit-learn and by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from agreement import (
    brier_score,
    classification_scores,
    expected_calibration_error,
    mirage_rate,
    pass_at_k,
    reliability_curve,
    risk_coverage,
)


def test_brier_score_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    confidence, correct = rng.random(50), rng.integers(0, 2, 50)

    estimate = brier_score(confidence, correct, resamples=200)

    assert estimate.value == pytest.approx(metrics.brier_score_loss(correct, confidence), abs=1e-12)


def test_abstentions_have_no_confidence_and_are_counted():
    estimate = brier_score([0.9, None, 0.4], [1, 0, None], resamples=200)

    assert estimate.value == pytest.approx(0.01)
    assert estimate.n == 1
    assert "2 without confidence or correctness left out" in estimate.method
    assert math.isnan(estimate.low)


def test_bins_are_closed_on_the_right_and_the_first_on_both_sides():
    curve = reliability_curve([0.0, 0.1, 0.2, 0.3, 0.30000000000000004, 1.0], [1] * 6, bins=10)

    # 0.3 lies in (.2, .3], the next number above it in (.3, .4]
    assert [each.n for each in curve] == [2, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    assert math.isnan(curve[4].accuracy.value)
    assert curve[0].mean_confidence == pytest.approx(0.05)


def test_expected_calibration_error_by_hand():
    # (.2, .4]: .3 right, .4 wrong: |1/2 - .35| = .15 of 2/5
    # (.8, 1]: .9 right, .9 right, 1 wrong: |2/3 - 2.8/3| = .8/3 of 3/5
    estimate = expected_calibration_error([0.3, 0.4, 0.9, 0.9, 1.0], [1, 0, 1, 1, 0], bins=5, resamples=200)

    assert estimate.value == pytest.approx(0.4 * 0.15 + 0.6 * 0.8 / 3, abs=1e-12)
    assert "5 equal bins closed on the right" in estimate.method


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_calibration_error_is_the_sum_over_the_reliability_curve(pairs):
    confidence, correct = [c for c, _ in pairs], [r for _, r in pairs]

    estimate = expected_calibration_error(confidence, correct, resamples=10)
    curve = reliability_curve(confidence, correct)

    by_bin = sum(each.n * abs(each.accuracy.value - each.mean_confidence) for each in curve if each.n)
    assert estimate.value == pytest.approx(by_bin / len(pairs), abs=1e-9)
    assert 0 <= estimate.value <= 1


def test_confidence_outside_0_and_1_is_refused():
    with pytest.raises(ValueError, match="expected a number from 0 to 1"):
        brier_score([95], [1])
    with pytest.raises(ValueError, match="bins is 0"):
        expected_calibration_error([0.5], [1], 0)


def test_risk_falls_as_unsure_answers_are_left_out():
    curve = risk_coverage([0.9, 0.8, 0.7, 0.2, None], [1, 1, 0, 0, 1])

    assert curve.coverage == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert curve.risk == pytest.approx([0, 0, 1 / 3, 1 / 2])
    # mean of 0, 0, 1/3, 1/2
    assert curve.area == pytest.approx(5 / 24)
    assert risk_coverage([None], [1]).area is None


def test_scores_without_abstention_are_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    reference = rng.choice(["tumor", "stroke", "normal"], 200, p=[0.5, 0.3, 0.2])
    predicted = np.where(rng.random(200) < 0.6, reference, rng.choice(["tumor", "stroke", "normal"], 200))

    result = classification_scores(reference, predicted, resamples=300)

    assert result.macro_f1.value == pytest.approx(metrics.f1_score(reference, predicted, average="macro"))
    assert result.weighted_f1.value == pytest.approx(metrics.f1_score(reference, predicted, average="weighted"))
    assert result.micro_f1.value == pytest.approx(metrics.f1_score(reference, predicted, average="micro"))
    assert result.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(reference, predicted))
    assert result.accuracy.value == pytest.approx(metrics.accuracy_score(reference, predicted))
    assert result.macro_f1.low < result.macro_f1.value < result.macro_f1.high
    for number, level in enumerate(["normal", "stroke", "tumor"]):
        per_class = metrics.precision_recall_fscore_support(reference, predicted, labels=["normal", "stroke", "tumor"])
        assert result.precision[level].value == pytest.approx(per_class[0][number])
        assert result.recall[level].value == pytest.approx(per_class[1][number])
        assert result.f1[level].value == pytest.approx(per_class[2][number])
        assert result.support[level] == per_class[3][number]


def test_an_abstention_is_a_miss_of_its_class_and_no_false_alarm():
    # MS: TP 1, FN 2 (one abstained, one invalid), FP 0 -> P 1, R 1/3, F1 1/2; normal: TP 1 -> 1
    result = classification_scores(
        ["MS", "MS", "MS", "normal", None],
        ["MS", "undetermined", "{broken", "normal", "MS"],
        abstained={"undetermined"},
        invalid={"{broken"},
        resamples=300,
    )

    assert result.precision["MS"].value == 1.0
    assert result.recall["MS"].value == pytest.approx(1 / 3)
    assert result.f1["MS"].value == pytest.approx(1 / 2)
    assert result.macro_f1.value == pytest.approx(3 / 4)
    assert result.accuracy.value == pytest.approx(1 / 2)
    # micro: 2 TP = 4 over predicted 2 + reference 4
    assert result.micro_f1.value == pytest.approx(4 / 6)
    assert (result.n_abstained, result.n_invalid, result.n_missing) == (1, 1, 1)


def test_a_class_without_support_has_no_recall_and_does_not_enter_the_means():
    result = classification_scores(["a", "b"], ["a", "c"], classes=["a", "b", "c", "d"], resamples=200)

    assert math.isnan(result.recall["c"].value)
    assert result.recall["c"].undefined_because == "never the reference"
    assert result.precision["d"].undefined_because == "never predicted"
    assert result.balanced_accuracy.value == pytest.approx(1 / 2)
    assert result.as_dict()["recall"]["c"]["value"] is None


def test_resampling_within_the_diagnosis_keeps_the_support():
    reference = ["a"] * 20 + ["b"] * 4
    predicted = ["a"] * 15 + ["b"] * 5 + ["b", "b", "b", "a"]

    free = classification_scores(reference, predicted, seed=1, resamples=1000)
    within = classification_scores(reference, predicted, strata=reference, seed=1, resamples=1000)

    assert within.recall["b"].value == free.recall["b"].value
    assert "within strata" in within.macro_f1.method


def test_means_over_classes_warn_of_a_class_with_few_units():
    rare, common = ["a"] * 4 + ["b"] * 30, ["a"] * 5 + ["b"] * 30

    scores = classification_scores(rare, [*rare[:3], "b", *["a"] * 5, *["b"] * 25], resamples=200)

    says = "a category is expected in fewer than 5 items: value and interval are uncertain"
    assert [scores.macro_f1.warning, scores.balanced_accuracy.warning] == [says, says]
    assert scores.weighted_f1.warning is None and scores.accuracy.warning is None
    assert (
        classification_scores(common, [*common[:4], "b", *["a"] * 5, *["b"] * 25], resamples=200).macro_f1.warning
        is None
    )


def test_bootstrapped_means_over_classes_warn_of_a_class_in_few_clusters():
    answers = (["a"] * 5 + ["b"] * 5) * 15

    drawn = {"interval": "percentile", "resamples": 200}
    warned = classification_scores(answers[:-30] + ["b"] * 30, answers, clusters=range(150), **drawn).macro_f1
    in_few = classification_scores(
        ["a"] * 10 + ["b"] * 140, ["a"] * 8 + ["b"] * 142, clusters=[unit // 5 for unit in range(150)], **drawn
    ).macro_f1

    assert warned.warning is None
    assert in_few.warning is not None and "8 clusters of the size that an average item is in" in in_few.warning


@pytest.mark.parametrize(("wrong", "warns"), [(0, True), (9, True), (10, False)])
def test_bootstrapped_scores_warn_where_few_units_are_right_or_wrong(wrong, warns):
    truth = np.arange(40) % 2
    given = np.where(np.arange(40) < 2 * wrong, 0, truth)

    scores = classification_scores(truth, given, interval="percentile", resamples=50)

    overall = scores.macro_f1, scores.weighted_f1, scores.micro_f1, scores.balanced_accuracy, scores.accuracy
    for estimate in (*overall, scores.f1[0], scores.recall[1], scores.precision[0]):
        assert ("fewer than 10 right, or wrong" in str(estimate.warning)) is warns


def test_undeclared_classes_are_refused():
    with pytest.raises(ValueError, match="predicted holds 'z' at position 0"):
        classification_scores(["a", "b"], ["z", "b"])


def test_pass_at_k_is_the_share_of_subsets_with_a_right_one():
    # C(3, 2) = 3 of C(5, 2) = 10 pairs hold no right one
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)
    assert pass_at_k(5, 2, 1) == pytest.approx(0.4)
    assert pass_at_k(5, 0, 5) == 0.0
    assert pass_at_k(5, 1, 5) == 1.0
    # exact where floating products are not: C(10000 - 1, 5000) / C(10000, 5000) = 1/2
    assert pass_at_k(10_000, 1, 5_000) == 0.5
    with pytest.raises(ValueError, match="n, c, k are 3, 4, 1"):
        pass_at_k(3, 4, 1)


def test_a_mirage_is_positive_with_and_without_the_image_where_there_is_none():
    p, n, u = "positive", "negative", "uncertain"

    estimate = mirage_rate([p, p, p, u, None], [p, u, p, p, p], [n, n, p, n, n])

    # eligible and labelled: items 0, 1, 3; mirage: item 0
    assert estimate.value == pytest.approx(1 / 3)
    assert "1 without both labels left out" in estimate.method
    assert math.isnan(mirage_rate([p], [p], [p]).value)


def test_one_text_may_stand_for_the_abstentions():
    result = classification_scores(["a", "b"], ["a", "undetermined"], abstained="undetermined", resamples=50)

    assert result.n_abstained == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"abstained": {"b"}}, r"abstained or invalid holds \['b'\]"),
        ({"predicted": ["a", ["b"]]}, "predicted holds a value that cannot be compared"),
        ({"invalid": None}, "invalid is None"),
    ],
)
def test_abstentions_that_are_classes_and_values_that_cannot_be_compared_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        classification_scores(**{"reference": ["a", "b"], "predicted": ["a", "b"], **arguments})


def test_scores_per_class_and_overall_are_drawn_from_clusters_alike():
    # subjects with all right or all wrong: the accuracy of a resample is a mean of ten draws
    reference, subjects = ["a", "b"] * 10, np.repeat(np.arange(10), 2)
    predicted = ["a", "b"] * 5 + ["b", "a"] * 5

    result = classification_scores(reference, predicted, clusters=subjects, interval="percentile", resamples=4000)

    assert result.accuracy.n_clusters == result.recall["a"].n_clusters == 10
    for estimate in (result.accuracy, result.recall["a"], result.recall["b"], result.balanced_accuracy):
        assert estimate.se == pytest.approx(math.sqrt(0.25 / 10), rel=0.03)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab?")), min_size=1, max_size=12))
def test_duplicating_every_item_leaves_the_scores(pairs):
    reference, predicted = [r for r, _ in pairs], [p for _, p in pairs]
    options = {"classes": ["a", "b"], "abstained": {"?"}, "resamples": 2}

    once = classification_scores(reference, predicted, **options)
    twice = classification_scores(reference * 2, predicted * 2, **options)

    for name in ("macro_f1", "weighted_f1", "micro_f1", "balanced_accuracy", "accuracy"):
        assert getattr(twice, name).value == pytest.approx(getattr(once, name).value)


def test_a_rater_who_abstains_has_one_point_of_risk_and_coverage():
    # 3 of 5 answered, 1 of these wrong; an abstention has no correctness of its own
    curve = risk_coverage([1, 1, 1, None, None], [1, 0, 1, None, 0], abstained=[0, 0, 0, 1, 1])

    assert curve.coverage == pytest.approx([3 / 5])
    assert curve.risk == pytest.approx([1 / 3])


def test_a_withheld_answer_is_not_answered_however_sure():
    curve = risk_coverage([0.9, 0.8], [0, 1], abstained=[True, False])

    assert curve.coverage == pytest.approx([1 / 2])
    assert curve.risk == pytest.approx([0])


def test_abstentions_that_are_not_said_of_every_unit_are_refused():
    with pytest.raises(ValueError, match="abstained has no value at position 1"):
        risk_coverage([0.9, 0.8], [0, 1], abstained=[True, None])
    with pytest.raises(ValueError, match=r"abstained has shape \(1,\)"):
        risk_coverage([0.9, 0.8], [0, 1], abstained=[True])


@pytest.mark.parametrize("function", [brier_score, expected_calibration_error])
def test_options_of_the_interval_are_checked_even_without_units(function):
    with pytest.raises(ValueError, match="level is 2"):
        function([], [], level=2)
    with pytest.raises(ValueError, match="resamples is 0"):
        function([], [], resamples=0)


def test_pandas_missing_labels_make_no_mirage():
    missing = pd.array(["positive", None], dtype="string")

    estimate = mirage_rate(missing, ["positive", "positive"], ["negative", "negative"])

    assert (estimate.value, estimate.n) == (1.0, 1)


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_product_of_human_eval(counts):
    n, c, k = counts
    # Chen et al. (2021), figure 3: the numerically stable script
    product = 1.0 if n - c < k else 1.0 - float(np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))

    assert pass_at_k(n, c, k) == pytest.approx(product, abs=1e-12)
