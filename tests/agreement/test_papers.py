"""Figures that the reproduced papers print."""

import pytest

from agreement import (
    accuracy,
    adjust_p_values,
    chance_floor,
    cohen_kappa,
    mcnemar,
    percent_agreement,
    shared_errors,
    shortcut_score,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("correct", "share", "low", "high"),
    [(1325, 97.1, 96.0, 97.8), (1319, 96.6, 95.5, 97.5), (1300, 95.2, 94.0, 96.2), (1293, 94.7, 93.4, 95.8),
     (1272, 93.2, 91.7, 94.4)],
)  # fmt: skip
def test_mri_eval_table_1_accuracy_with_wilson_intervals(correct, share, low, high):
    found = wilson_interval(correct, 1365)

    assert [round(100 * value, 1) for value in (found.value, found.low, found.high)] == [share, low, high]


def test_mri_eval_comparison_of_the_two_best_models():
    assert round(mcnemar(28, 22).p, 2) == 0.48


def test_mri_eval_appendix_a_nine_discordant_items_all_one_way_after_bonferroni():
    # k-space: P = .035 over nine categories is nine times the exact P of 9 against 0, 2 / 2^9
    p = [mcnemar(9, 0).p] + [1.0] * 8

    assert round(adjust_p_values(p, "bonferroni")[0], 3) == 0.035


@pytest.mark.parametrize(
    ("disagreements", "agreement", "kappa"),
    [(2, 99.85, 0.998), (7, 99.49, 0.993), (8, 99.41, 0.992), (17, 98.75, 0.983)],
)
def test_mri_eval_table_4_repeatability_is_on_the_option_letters(disagreements, agreement, kappa):
    # the letters themselves are unprinted; options are shuffled, so they are taken as evenly spread
    first = [letter for item in range(1365) for letter in "ABCD"[item % 4]]
    second = [("ABCD"[("ABCD".index(x) + 1) % 4] if item < disagreements else x) for item, x in enumerate(first)]

    assert round(100 * percent_agreement(first, second).value, 2) == agreement
    assert round(cohen_kappa(first, second).value, 3) == kappa


def test_mri_eval_repeatability_on_correctness_is_another_figure():
    # GPT-5.4, 1365 items, 17 disagreements, accuracies 2 items apart (.15 %): on correctness kappa is far from .983
    first = [1] * 1325 + [0] * 40
    second = [1] * 1316 + [0] * 9 + [1] * 8 + [0] * 32

    assert percent_agreement(first, second).value == pytest.approx(1348 / 1365)
    assert round(cohen_kappa(first, second).value, 2) == 0.78


@pytest.mark.parametrize(("right_yes_no", "right_choice", "closed"), [(36, 6, 46.7), (40, 6, 51.1)])
def test_neuroqa_closed_accuracy_of_the_two_readers(right_yes_no, right_choice, closed):
    verdicts = [1] * right_yes_no + [0] * (73 - right_yes_no) + [1] * right_choice + [0] * (17 - right_choice)

    found = accuracy(verdicts, 1)

    assert found.primary.n == 90
    assert round(100 * found.primary.value, 1) == closed


@pytest.mark.parametrize(("closed", "score"), [(46.7, 1.05), (51.1, 0.97), (48.9, 1.01), (43.7, 1.11), (47.5, 1.04)])
def test_neuroqa_shortcut_scores_against_its_floor(closed, score):
    assert round(shortcut_score(closed, 49.4), 2) == score


def test_neuroqas_floors_belong_to_another_mix_of_items_than_the_one_read():
    # 73 yes/no and 17 four-option items: 45.3 % by chance, where the paper's pool has 39.5 %
    assert round(100 * chance_floor([2] * 73 + [4] * 17).value, 1) == 45.3


def test_neuroqa_agreed_and_wrong():
    # 56 items agreed on, 27 of them right; 45 and 48 right in all: 29 shared errors with the same answer
    answers_a = ["r"] * 27 + ["w"] * 29 + ["r"] * 18 + ["w"] * 26
    correct_a = [1] * 27 + [0] * 29 + [1] * 18 + [0] * 26
    answers_b = ["r"] * 27 + ["w"] * 29 + ["x"] * 18 + ["r"] * 21 + ["x"] * 5
    correct_b = [1] * 27 + [0] * 29 + [0] * 18 + [1] * 21 + [0] * 5

    found = shared_errors(answers_a, answers_b, correct_a, correct_b)

    assert percent_agreement(answers_a, answers_b).value == pytest.approx(0.56)
    assert (found.n_both_wrong, found.n_same_wrong_answer) == (34, 29)


def test_marcus_excluded_answers_leave_numerator_and_denominator():
    found = accuracy(["Correct"] * 6 + ["Incorrect"] * 2 + ["Excluded"] * 2, "Correct", excluded={"Excluded"})

    assert found.primary.value == 0.75
    assert (found.worst_case.value, found.best_case.value) == (0.6, 0.8)
