"""NeuroQA: tables 2, 3, 7 and 8 and the figures of 4.2 and 4.3, recomputed from printed counts.

Table 3 prints counts. Table 8 prints per category a number of rows, the share judged right (a mean over both raters:
13.5 of 49 rows) and kappa; only one number of disagreements gives that kappa.
"""

import math

import pytest

from agreement import (
    accuracy,
    chance_floor,
    cohen_kappa,
    cohen_kappa_of_table,
    percent_agreement,
    shared_errors,
    shortcut_score,
    text_only_floor,
    weighted_mean,
    wilson_interval,
)
from tests.agreement.papers.printing import percent, printed

# category: items, right by rater 1, right by rater 2, agreed on, and the three printed percentages
TABLE_3 = {
    "Modality": (2, 2, 2, 2, 100.0, 100.0, 100),
    "Measurement": (2, 2, 1, 1, 100.0, 50.0, 50),
    "Anatomy": (18, 10, 11, 12, 55.6, 61.1, 67),
    "Longitudinal": (7, 4, 4, 4, 57.1, 57.1, 57),
    "Signal": (7, 4, 4, 4, 57.1, 57.1, 57),
    "Location": (11, 3, 6, 4, 27.3, 54.5, 36),
    "Presence": (15, 5, 4, 11, 33.3, 26.7, 73),
    "Demographic": (6, 4, 2, 2, 66.7, 33.3, 33),
    "Diagnosis": (11, 5, 8, 2, 45.5, 72.7, 18),
    "Severity": (7, 2, 3, 3, 28.6, 42.9, 43),
    "Reasoning": (14, 4, 4, 11, 28.6, 28.6, 79),
}
INFORMED = ("Demographic", "Diagnosis", "Severity", "Reasoning")

# category: rows, verdicts "right" of both raters together, disagreements, printed share, printed kappa
TABLE_8 = {
    "Anatomy": (48, 38, 0, 0.396, 1.00),
    "Demographic": (50, 10, 0, 0.100, 1.00),
    "Location": (51, 40, 2, 0.392, 0.92),
    "Reasoning": (49, 27, 3, 0.276, 0.85),
    "Severity": (44, 22, 4, 0.250, 0.76),
    "Signal": (48, 20, 0, 0.208, 1.00),
}
TABLE_8_METRICS = {  # rows, mean token F1, mean exact match
    "Anatomy": (48, 0.382, 0.354),
    "Demographic": (50, 0.100, 0.100),
    "Location": (51, 0.380, 0.373),
    "Longitudinal": (1, 0.0, 0.0),
    "Reasoning": (49, 0.010, 0.0),
    "Severity": (44, 0.0, 0.0),
    "Signal": (48, 0.014, 0.0),
}


def verdicts(right: int, n: int) -> list[int]:
    return [1] * right + [0] * (n - right)


def two_raters(n: int, right: int, disagreements: int) -> list[list[int]]:
    """The table of two binary raters; the disagreements are divided as evenly as they can be."""
    both = (right - disagreements) // 2
    first = (disagreements + 1) // 2
    return [[both, first], [disagreements - first, n - both - disagreements]]


@pytest.mark.parametrize(
    ("what", "right", "n", "share"),
    [
        ("rater 1, yes/no", 36, 73, 49.3),
        ("rater 1, choice", 6, 17, 35.3),
        ("rater 1, closed", 42, 90, 46.7),
        ("rater 1, open", 3, 10, 30.0),
        ("rater 1, all", 45, 100, 45.0),
        ("rater 2, yes/no", 40, 73, 54.8),
        ("rater 2, choice", 6, 17, 35.3),
        ("rater 2, closed", 46, 90, 51.1),
        ("rater 2, open", 2, 10, 20.0),
        ("rater 2, all", 48, 100, 48.0),
        ("both, yes/no", 76, 146, 52.1),
        ("both, closed", 88, 180, 48.9),
        ("both, open", 5, 20, 25.0),
        ("both, all", 93, 200, 46.5),
    ],
)
def test_table_2_accuracy_of_the_two_readers(what, right, n, share):
    result = accuracy(verdicts(right, n), 1)

    assert result.primary.n == n
    assert percent(result.primary.value) == share, what


@pytest.mark.parametrize(
    ("row", "closed", "score"),
    [
        ("random", 39.5, 1.20),
        ("text only", 49.4, 1.00),
        ("rater 1", 46.7, 1.05),
        ("rater 2", 51.1, 0.97),
        ("both raters", 48.9, 1.01),
        ("3D CNN", 43.7, 1.11),
        ("Gemini-3.1-Pro", 47.5, 1.04),
        ("GPT-5.2", 46.3, 1.06),
        ("GPT-4.1", 45.7, 1.07),
        ("LLaMA-4-Scout", 43.6, 1.11),
        ("Claude Sonnet 4.6", 42.0, 1.15),
        ("MedGemma-27B", 39.2, 1.20),
    ],
)
def test_table_2_shortcut_scores_against_the_floor_of_49_4(row, closed, score):
    assert printed(shortcut_score(closed, 49.4), 2) == score, row


def test_chance_of_the_whole_pool():
    # 3.4: 26,378 yes/no and 19,167 questions of four options
    assert percent(chance_floor([2] * 26_378 + [4] * 19_167).value) == 39.5


def test_floors_of_the_items_that_were_read_are_others():
    # 73 yes/no and 17 of four options; table 2 gives the text-only baseline 57.4 % and 38.1 % on the two formats
    assert percent(chance_floor([2] * 73 + [4] * 17).value) == 45.3
    assert percent(text_only_floor([0.574] * 73 + [0.381] * 17).value) == 53.8


@pytest.mark.parametrize("category", TABLE_3)
def test_table_3_accuracy_and_agreement_by_category(category):
    n, first, second, agreed, *shares, agreement = TABLE_3[category]
    other = ["same"] * agreed + ["different"] * (n - agreed)

    assert [percent(accuracy(verdicts(right, n), 1).primary.value) for right in (first, second)] == shares
    assert percent(percent_agreement(["same"] * n, other).value, 0) == agreement


def test_table_3_agreement_adds_up_to_56_of_100():
    agreed, n = sum(row[3] for row in TABLE_3.values()), sum(row[0] for row in TABLE_3.values())

    assert percent(wilson_interval(agreed, n).value, 0) == 56
    # 1: 23 of the 44 disagreements
    assert sum(TABLE_3[c][0] - TABLE_3[c][3] for c in ("Diagnosis", "Severity", "Reasoning", "Location")) == 23


@pytest.mark.parametrize(
    ("categories", "share"),
    [
        pytest.param([c for c in TABLE_3 if c not in INFORMED], 50.0, id="grounded in the image"),
        pytest.param(INFORMED, 42.1, id="informed by the image"),
    ],
)
def test_4_3_accuracy_of_both_raters_on_grounded_and_informed_items(categories, share):
    right = sum(TABLE_3[c][1] + TABLE_3[c][2] for c in categories)

    assert percent(wilson_interval(right, 2 * sum(TABLE_3[c][0] for c in categories)).value) == share


def test_table_3_of_rater_2_adds_up_to_one_more_than_the_paper_says():
    # 48 right of 100 in table 2 and in the last line of table 3, whose categories hold 49
    assert [sum(row[rater] for row in TABLE_3.values()) for rater in (1, 2)] == [45, 49]


def test_4_3_agreed_and_wrong():
    # 56 items agreed on, 27 of them right; 45 and 48 right in all: 29 shared errors with the same answer
    answers_a = ["r"] * 27 + ["w"] * 29 + ["r"] * 18 + ["w"] * 26
    correct_a = [1] * 27 + [0] * 29 + [1] * 18 + [0] * 26
    answers_b = ["r"] * 27 + ["w"] * 29 + ["x"] * 18 + ["r"] * 21 + ["x"] * 5
    correct_b = [1] * 27 + [0] * 29 + [0] * 18 + [1] * 21 + [0] * 5

    result = shared_errors(answers_a, answers_b, correct_a, correct_b)

    assert percent(percent_agreement(answers_a, answers_b).value, 0) == 56
    assert (result.n_both_wrong, result.n_same_wrong_answer) == (34, 29)


def test_4_3_kappa_of_the_same_counts_on_correctness_is_not_the_printed_one_on_answers():
    # 27 both right, 18 and 21 right alone, 34 both wrong: .22, where the paper prints .40 for the answers
    assert printed(cohen_kappa_of_table([[27, 18], [21, 34]]).value, 2) == 0.22


@pytest.mark.parametrize("category", TABLE_8)
def test_table_8_kappa_of_the_scorers_by_category(category):
    n, right, disagreements, share, kappa = TABLE_8[category]

    assert printed(wilson_interval(right, 2 * n).value, 3) == share
    result = [
        count
        for count in range(right % 2, right + 1, 2)
        if printed(cohen_kappa_of_table(two_raters(n, right, count)).value, 2) == kappa
    ]
    assert result == [disagreements]


def test_table_8_kappa_of_all_rows():
    tables = [two_raters(*row[:3]) for row in TABLE_8.values()] + [[[0, 0], [0, 1]]]
    pooled = [[sum(table[i][j] for table in tables) for j in (0, 1)] for i in (0, 1)]

    estimate = cohen_kappa_of_table(pooled)

    assert (estimate.n, printed(estimate.value, 2)) == (291, 0.92)


def test_table_8_a_category_of_one_row_has_no_kappa():
    estimate = cohen_kappa([0], [0], categories=[0, 1])  # Longitudinal, judged wrong by both

    assert math.isnan(estimate.value)
    assert estimate.undefined_because


def test_table_8_a_category_without_disagreement_has_kappa_1_and_no_interval():
    estimate = cohen_kappa_of_table(two_raters(48, 38, 0))

    assert estimate.value == 1.0
    assert math.isnan(estimate.low)
    assert estimate.undefined_because


def test_table_8_mean_token_f1_of_all_rows():
    rows = TABLE_8_METRICS.values()

    estimate = weighted_mean([f1 for _, f1, _ in rows], [1 / n for n, _, _ in rows], resamples=100)

    assert printed(estimate.value, 3) == 0.151


def test_table_8_last_line_does_not_follow_from_its_rows():
    rows = TABLE_8_METRICS.values()
    right = sum(row[1] for row in TABLE_8.values())

    exact = weighted_mean([em for _, _, em in rows], [1 / n for n, _, _ in rows], resamples=100)

    assert printed(wilson_interval(right, 2 * 291).value, 3) == 0.270  # on paper .275
    assert printed(exact.value, 3) == 0.141  # on paper .142


@pytest.mark.parametrize(
    ("where", "x", "n", "digits", "share"),
    [
        ("3.4: yes/no", 26_378, 56_953, 1, 46.3),
        ("3.4: multiple choice", 19_167, 56_953, 1, 33.7),
        ("3.4: open", 11_408, 56_953, 1, 20.0),
        ("table 7: templates grounded in the image", 131, 203, 0, 65.0),
    ],
)
def test_other_printed_shares(where, x, n, digits, share):
    assert percent(wilson_interval(x, n).value, digits) == share, where
