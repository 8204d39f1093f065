"""Scores as probabilities, fitted on development data; and development and test parts of whole subjects."""

import numpy as np
import pytest
from statsmodels.api import Logit, add_constant

from agreement import brier_score, development_and_test, expected_calibration_error, paired_difference, recalibrate


def overconfident(rng, n):
    """A judge whose stated probability is too far from a half, and whether it was right."""
    true = rng.uniform(0.05, 0.95, n)
    logit = np.log(true / (1 - true))
    return 1 / (1 + np.exp(-(1 + 2 * logit))), (rng.random(n) < true).astype(int)


def pooled_adjacent_violators(x, y):
    """Least squares fit that never falls, value by value of x."""
    order = np.unique(x)
    blocks = [[float(y[x == value].sum()), int((x == value).sum()), [value]] for value in order]
    position = 0
    while position < len(blocks) - 1:
        first, second = blocks[position], blocks[position + 1]
        if first[0] / first[1] > second[0] / second[1]:
            blocks[position : position + 2] = [[first[0] + second[0], first[1] + second[1], first[2] + second[2]]]
            position = max(0, position - 1)
        else:
            position += 1
    return {value: total / n for total, n, values in blocks for value in values}


def test_from_two_hundred_items_with_forty_of_each_the_curve_is_isotonic():
    rng = np.random.default_rng(1)
    score, outcome = overconfident(rng, 300)
    score = score.round(1)
    expected = pooled_adjacent_violators(score, outcome)

    fitted = recalibrate(score, outcome, score, outcome, resamples=200)

    assert fitted.kind == "isotonic"
    assert fitted.because.startswith("300 labelled items, ")
    assert fitted.because.endswith("of the two outcomes: from 200 with 40 of each isotonic")
    assert fitted.probabilities == pytest.approx([expected[value] for value in score.tolist()])
    assert fitted.slope is None


def test_an_isotonic_curve_is_straight_between_its_points_and_level_outside():
    score = np.repeat([0.2, 0.6], 150)
    outcome = np.concatenate([np.arange(150) < 30, np.arange(150) < 90]).astype(int)

    fitted = recalibrate(score, outcome, [0.0, 0.2, 0.4, 0.6, 1.0], [0, 0, 1, 1, 1], resamples=200)

    assert np.array(fitted.curve) == pytest.approx(np.array([[0.2, 0.2], [0.6, 0.6]]))
    assert fitted.probabilities == pytest.approx([0.2, 0.2, 0.4, 0.6, 0.6])


@pytest.mark.parametrize(("n", "grades"), [(150, False), (150, True), (60, True)])
def test_a_logistic_curve_maximises_the_likelihood_without_a_penalty(n, grades):
    rng = np.random.default_rng(n)
    score, outcome = overconfident(rng, n)
    score = np.ceil(score * 5) if grades else score
    x = score if grades else np.log(np.clip(score, 0.001, 0.999) / (1 - np.clip(score, 0.001, 0.999)))
    intercept, slope = Logit(outcome, add_constant(x)).fit(disp=0, tol=1e-12).params

    fitted = recalibrate(score, outcome, score, outcome, resamples=200)

    assert fitted.kind == "logistic"
    assert (fitted.intercept, fitted.slope) == pytest.approx((intercept, slope), rel=1e-6)
    assert fitted.probabilities == pytest.approx(1 / (1 + np.exp(-(intercept + slope * x))), rel=1e-6)
    assert dict(fitted.curve)[float(score[0])] == pytest.approx(fitted.probabilities[0])


def test_thirty_nine_of_one_outcome_are_too_few_for_an_isotonic_curve_and_nine_for_any():
    rng = np.random.default_rng(4)
    score, right = rng.random(300), np.arange(300) < 261
    score = score + 0.5 * right  # grades that overlap

    assert recalibrate(score, right, [1.0], [1], resamples=200).kind == "logistic"
    assert recalibrate(score, np.arange(300) < 260, [1.0], [1], resamples=200).kind == "isotonic"
    none = recalibrate(score, np.arange(300) < 291, [1.0], [1], resamples=200)

    assert none.kind is None
    assert none.because == "300 labelled items, 291 and 9 of the two outcomes: no curve below 10 of each"
    assert none.probabilities == (None,)
    assert none.after.brier.undefined_because == none.because
    assert none.curve == ()


@pytest.mark.parametrize(
    ("score", "why"),
    [
        ([1] * 30 + [2] * 30, "scores of the two do not overlap, so a logistic curve has no finite slope"),
        ([2] * 30 + [1] * 30, "scores do not rise with the outcome"),
        ([1] * 60, "scores do not rise with the outcome"),
    ],
)
def test_there_is_no_curve_without_overlap_and_none_that_turns_a_judge_round(score, why):
    fitted = recalibrate(score, [0] * 30 + [1] * 30, [1, 2], [0, 1], resamples=200)

    assert fitted.kind is None
    assert fitted.because == f"60 labelled items, 30 and 30 of the two outcomes: {why}"
    assert fitted.after.calibration_error.undefined_because == fitted.because


def test_before_and_after_are_measured_on_the_test_data_alone():
    rng = np.random.default_rng(2)
    score, outcome = overconfident(rng, 600)
    test_score, test_outcome = overconfident(rng, 500)
    subjects = [f"s{number}" for number in range(1_100)]

    fitted = recalibrate(score, outcome, test_score, test_outcome, clusters=(subjects[:600], subjects[600:]), seed=3)

    after, options = np.array(fitted.probabilities), {"clusters": subjects[600:], "seed": 3}
    assert fitted.before.brier == brier_score(test_score, test_outcome, **options)
    assert fitted.after.brier == brier_score(after, test_outcome, **options)
    assert fitted.before.calibration_error == expected_calibration_error(test_score, test_outcome, **options)
    assert fitted.after.calibration_error.value < fitted.before.calibration_error.value
    squares = (after - test_outcome) ** 2, (test_score - test_outcome) ** 2
    assert fitted.change == paired_difference(*squares, name="change of the Brier score", **options)
    assert fitted.change.high < 0


def test_grades_have_a_reliability_only_afterwards():
    rng = np.random.default_rng(5)
    score, outcome = overconfident(rng, 300)

    fitted = recalibrate(np.ceil(score * 5), outcome, [1, 3, None, 5], [0, 1, 1, None], resamples=200)

    assert fitted.before.brier.undefined_because == "the scores are grades, not probabilities from 0 to 1"
    assert fitted.change.undefined_because == fitted.before.brier.undefined_because
    assert fitted.after.brier.n == 2
    assert fitted.probabilities[2] is None
    assert fitted.probabilities[3] > fitted.probabilities[0]


def test_missing_scores_and_labels_have_no_part_in_the_curve():
    rng = np.random.default_rng(6)
    score, outcome = overconfident(rng, 250)
    more = [*score.tolist(), None, 0.5], [*outcome.tolist(), 1, None]

    assert recalibrate(*more, [0.5], [1], resamples=200) == recalibrate(score, outcome, [0.5], [1], resamples=200)


@pytest.mark.parametrize("n", [150, 300])
@pytest.mark.parametrize("unit", [2.0**600, 2.0**1000])
def test_the_unit_of_grades_does_not_matter(n, unit):
    score, outcome = overconfident(np.random.default_rng(9), n)
    grades = np.ceil(score * 5)

    usual = recalibrate(grades, outcome, grades, outcome, resamples=200)
    other = recalibrate(grades * unit, outcome, grades * unit, outcome, resamples=200)

    assert other.probabilities == pytest.approx(usual.probabilities)
    assert [at / unit for at, _ in other.curve] == [at for at, _ in usual.curve]
    if usual.slope is not None:
        assert other.slope * unit == pytest.approx(usual.slope)


@pytest.mark.parametrize("test", [([], []), ([None], [None]), ([0.5], [None])])
def test_without_test_data_there_is_a_curve_and_nothing_to_measure(test):
    fitted = recalibrate(*overconfident(np.random.default_rng(10), 250), *test, resamples=200)

    assert fitted.kind == "isotonic"
    assert fitted.after.brier.undefined_because == "no items"
    assert fitted.change.undefined_because == "no pairs"


def test_a_subject_in_both_parts_is_refused():
    with pytest.raises(ValueError, match=r"s1 has development and test items \(clusters in both parts: 1\)"):
        recalibrate([0.1, 0.9], [0, 1], [0.5], [1], clusters=(["s0", "s1"], ["s1"]))
    with pytest.raises(ValueError, match="expected 2 and 1, one for each development item and one for each test item"):
        recalibrate([0.1, 0.9], [0, 1], [0.5], [1], clusters=(["s0"], ["s1"]))
    with pytest.raises(ValueError, match="expected \\(clusters of development items, clusters of test items\\)"):
        recalibrate([0.1, 0.9], [0, 1], [0.5], [1], clusters=["s0", "s1", "s2"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.1], [0, 1], [0.5], [1]), "score has shape \\(1,\\) and outcome has shape \\(2,\\)"),
        (([0.1], [0], [0.5], [1, 0]), "test_score has shape"),
        (([0.1], [2], [0.5], [1]), "outcome holds 2 at position 0"),
        ((["high"], [1], [0.5], [1]), "score holds"),
    ],
)
def test_what_is_no_score_and_no_outcome_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        recalibrate(*arguments)


def sample(rng, subjects, items):
    """Subject and label of each item; subjects differ in how many items they have."""
    subject = rng.choice([f"s{number}" for number in range(subjects)], items)
    return subject, np.where(rng.random(items) < 0.2, "incorrect", "correct")


@pytest.mark.parametrize("share", [0.2, 0.3, 0.5, 2 / 3])
def test_a_split_holds_whole_subjects_and_the_same_mix(share):
    subject, label = sample(np.random.default_rng(7), 300, 1_500)

    split = development_and_test(subject, label, share=share, seed=1)

    development, test = (list(part) for part in (split.development, split.test))
    assert sorted(development + test) == list(range(1_500))
    assert not set(subject[development]) & set(subject[test])
    assert len(development) / 1_500 == pytest.approx(share, abs=0.03)
    assert np.mean(label[development] == "incorrect") == pytest.approx(np.mean(label == "incorrect"), abs=0.03)
    assert split.subjects == (len(set(subject[development])), len(set(subject[test])))
    assert split.counts["incorrect"] == tuple(int((label[part] == "incorrect").sum()) for part in (development, test))


@pytest.mark.parametrize("share", [0.52, 0.6, 0.47])
def test_few_subjects_are_divided_as_near_to_the_share_as_whole_subjects_allow(share):
    subjects, strata = np.arange(90), np.arange(90) % 2

    for seed in range(5):
        split = development_and_test(subjects, strata, share=share, seed=seed)

        assert split.labelled[0] == pytest.approx(share * 90, abs=1.8)
        assert all(own[0] == pytest.approx(share * 45, abs=2.5) for own in split.counts.values())


def test_64_subjects_in_two_strata_can_be_divided_by_a_share_of_52_in_100():
    split = development_and_test(np.arange(64), np.arange(64) % 2, share=0.52, seed=1)

    assert split.labelled == (33, 31)
    assert "10 of 19 folds for development (4 subjects moved nearer to 0.52), seed 1" in split.method


def test_the_same_seed_gives_the_same_split_and_another_one_another():
    subject, label = sample(np.random.default_rng(8), 100, 400)

    first = development_and_test(subject, label, seed=1)

    assert development_and_test(list(subject), label.tolist(), seed=1) == first
    assert development_and_test(subject, label, seed=2).development != first.development
    assert first.method == (
        "whole subjects, stratified, 1 of 2 folds for development, seed 1: 47 subjects with 196 labelled items for "
        "development, 51 subjects with 204 labelled items for test"
    )


def test_items_without_a_label_go_with_their_subject_and_do_not_count_as_labelled():
    subjects = np.repeat(np.arange(50), 4)
    labels = ["yes", "no", None, None] * 50

    split = development_and_test(subjects, labels, seed=1)

    assert sum(split.labelled) == 100
    assert sum(split.counts[None]) == 100
    assert not set(subjects[list(split.development)]) & set(subjects[list(split.test)])


@pytest.mark.parametrize(
    ("subjects", "items", "share", "words"),
    [
        (39, 200, 0.5, "the sample has 39 subjects and 200 labelled items; expected 40 and 60 or more, to be divided"),
        (100, 59, 0.5, "59 labelled items; expected 40 and 60 or more"),
        (50, 500, 0.1, "the development part has 5 subjects and 50 labelled items; expected 20 and 30 or more"),
        (50, 500, 0.9, "the test part has 5 subjects and 50 labelled items; expected 20 and 30 or more"),
        (100, 100, 0.25, "25 labelled items; expected 20 and 30 or more: take more of them, or a share nearer"),
    ],
)
def test_parts_of_too_few_subjects_or_labels_are_refused_with_the_numbers(subjects, items, share, words):
    with pytest.raises(ValueError, match=words):
        development_and_test(np.arange(items) % subjects, np.arange(items) % 2, share=share, seed=1)


@pytest.mark.parametrize("share", [0, 1, -0.5, "half", None, 0.001])
def test_a_share_lies_between_nothing_and_all(share):
    with pytest.raises(ValueError, match=r"share is .*; expected a number"):
        development_and_test(range(100), [0, 1] * 50, share=share, seed=1)


def test_more_strata_than_folds_can_hold_are_refused():
    with pytest.raises(ValueError, match="strata: none has more than 1 items"):
        development_and_test(range(100), range(100), seed=1)
