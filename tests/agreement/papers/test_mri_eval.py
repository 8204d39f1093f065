"""MRI-Eval: tables 1 to 6, B1, C1, D1, appendices A and H, recomputed from the counts that they imply.

The tables print percentages. Each has exactly one count that rounds to it, and these counts add up to table 1, so the
counts are the paper's own. Discordant pairs are unprinted; they follow from the two counts and the printed P.
"""

import pytest

from agreement import (
    adjust_p_values,
    cohen_kappa,
    cohen_kappa_of_table,
    judge_direction,
    mcnemar,
    paired_proportion_difference,
    percent_agreement,
    weighted_mean,
    wilson_interval,
)
from tests.agreement.papers.printing import percent, printed

MODELS = ("GPT-5.4", "Opus", "Sonnet", "Gemini", "Llama")
RIGHT = dict(zip(MODELS, (1325, 1319, 1300, 1293, 1272), strict=True))

TIERS = (1134, 213, 18)
TABLE_2 = {
    "GPT-5.4": ((1102, 207, 16), (97.2, 97.2, 88.9)),
    "Opus": ((1096, 205, 18), (96.6, 96.2, 100.0)),
    "Sonnet": ((1078, 206, 16), (95.1, 96.7, 88.9)),
    "Gemini": ((1073, 205, 15), (94.6, 96.2, 83.3)),
    "Llama": ((1060, 198, 14), (93.5, 93.0, 77.8)),
}

# artifacts, GE domain knowledge, GE scanner operations, k-space, parallel imaging, pulse sequences, safety, SNR, T1/T2
CATEGORIES = (80, 155, 406, 113, 20, 330, 142, 52, 67)
TABLE_3 = {
    "Sonnet": ((78, 150, 366, 109, 20, 323, 139, 50, 65), (97.5, 96.8, 90.1, 96.5, 100.0, 97.9, 97.9, 96.2, 97.0)),
    "Opus": ((79, 151, 376, 112, 20, 321, 141, 52, 67), (98.8, 97.4, 92.6, 99.1, 100.0, 97.3, 99.3, 100.0, 100.0)),
    "GPT-5.4": ((80, 148, 384, 112, 20, 324, 140, 50, 67), (100.0, 95.5, 94.6, 99.1, 100.0, 98.2, 98.6, 96.2, 100.0)),
    "Gemini": ((79, 149, 358, 111, 20, 320, 138, 51, 67), (98.8, 96.1, 88.2, 98.2, 100.0, 97.0, 97.2, 98.1, 100.0)),
    "Llama": ((78, 144, 360, 103, 19, 312, 140, 50, 66), (97.5, 92.9, 88.7, 91.2, 95.0, 94.5, 98.6, 96.2, 98.5)),
}
TABLE_B1 = {
    "Opus": ((62, 73, 108, 98, 17, 272, 96, 44, 64), (77.5, 47.1, 26.6, 86.7, 85.0, 82.4, 67.6, 84.6, 95.5)),
    "GPT-5.4": ((64, 60, 121, 93, 18, 258, 98, 47, 64), (80.0, 38.7, 29.8, 82.3, 90.0, 78.2, 69.0, 90.4, 95.5)),
    "Sonnet": ((68, 50, 106, 90, 18, 264, 94, 45, 62), (85.0, 32.3, 26.1, 79.6, 90.0, 80.0, 66.2, 86.5, 92.5)),
    "Llama": ((47, 25, 56, 59, 7, 181, 49, 32, 51), (58.8, 16.1, 13.8, 52.2, 35.0, 54.8, 34.5, 61.5, 76.1)),
}
STEM_ONLY = {"Opus": (834, 61.1), "GPT-5.4": (823, 60.3), "Sonnet": (797, 58.4), "Llama": (507, 37.1)}


def difference(first: int, second: int, n: int) -> float:
    """Percentage points; the estimate does not depend on the discordant pairs, so as few as possible are assumed."""
    both = min(first, second)
    estimate = paired_proportion_difference(both, first - both, second - both, n - max(first, second))
    return 100 * estimate.value


@pytest.mark.parametrize(
    ("model", "share", "low", "high"),
    [("GPT-5.4", 97.1, 96.0, 97.8), ("Opus", 96.6, 95.5, 97.5), ("Sonnet", 95.2, 94.0, 96.2),
     ("Gemini", 94.7, 93.4, 95.8), ("Llama", 93.2, 91.7, 94.4)],
)  # fmt: skip
def test_table_1_accuracy_with_wilson_interval(model, share, low, high):
    estimate = wilson_interval(RIGHT[model], 1365)

    assert [percent(limit) for limit in (estimate.value, estimate.low, estimate.high)] == [share, low, high]


@pytest.mark.parametrize("model", TABLE_2)
def test_table_2_accuracy_by_tier(model):
    counts, shares = TABLE_2[model]

    assert tuple(percent(wilson_interval(x, n).value) for x, n in zip(counts, TIERS, strict=True)) == shares
    assert sum(counts) == RIGHT[model]


@pytest.mark.parametrize("model", TABLE_3)
def test_table_3_accuracy_by_category(model):
    counts, shares = TABLE_3[model]

    assert tuple(percent(wilson_interval(x, n).value) for x, n in zip(counts, CATEGORIES, strict=True)) == shares
    assert sum(counts) == RIGHT[model]


@pytest.mark.parametrize("model", TABLE_3)
def test_table_1_is_table_3_weighted_by_the_sizes_of_its_categories(model):
    # weights of 1 / (1 / n): the accuracies of the categories, each as often as it has items
    shares = [x / n for x, n in zip(TABLE_3[model][0], CATEGORIES, strict=True)]

    estimate = weighted_mean(shares, [1 / n for n in CATEGORIES], resamples=100)

    assert estimate.value == pytest.approx(RIGHT[model] / 1365)


@pytest.mark.parametrize("model", TABLE_B1)
def test_table_b1_stem_only_accuracy_by_category_and_overall(model):
    counts, shares = TABLE_B1[model]
    right, overall = STEM_ONLY[model]

    assert tuple(percent(wilson_interval(x, n).value) for x, n in zip(counts, CATEGORIES, strict=True)) == shares
    assert sum(counts) == right
    assert percent(wilson_interval(right, 1365).value) == overall


@pytest.mark.parametrize(
    ("where", "first", "second", "n", "points"),
    [
        ("abstract: spread of the five models", 1325, 1272, 1365, 3.9),
        ("table 3: spread in GE scanner operations", 384, 358, 406, 6.4),
        ("table 5: Opus", 834, 1319, 1365, -35.5),
        ("table 5: GPT-5.4", 823, 1325, 1365, -36.8),
        ("table 5: Sonnet", 797, 1300, 1365, -36.8),
        ("table 5: spread of the frontier models", 834, 797, 1365, 2.7),
        ("table 6: GPT-5.4 primed", 920, 823, 1365, 7.1),
        ("table 6: Opus primed", 900, 834, 1365, 4.8),
        ("table 6: Sonnet primed", 858, 797, 1365, 4.5),
        ("table 6: Llama primed", 540, 507, 1365, 2.4),
        ("table C1: Llama, parallel imaging", 12, 7, 20, 25.0),
        ("table C1: Sonnet, GE domain knowledge", 72, 50, 155, 14.2),
        ("table C1: Llama, artifacts", 38, 47, 80, -11.3),
        ("table C1: Sonnet, artifacts", 60, 68, 80, -10.0),
        ("appendix C: Llama, seven items of tier 2", 0, 7, 213, -3.3),
        ("appendix C: Llama, one item of tier 3", 0, 1, 18, -5.6),
    ],
)
def test_differences_in_percentage_points(where, first, second, n, points):
    assert printed(difference(first, second, n), 1) == points, where


@pytest.mark.parametrize(
    ("where", "first", "second", "from_counts", "on_paper"),
    [("results: spread of the frontier models", 1325, 1293, 2.3, 2.4), ("table 5: Llama", 507, 1272, -56.0, -56.1)],
)
def test_differences_that_the_paper_takes_between_rounded_percentages(where, first, second, from_counts, on_paper):
    rounded = percent(first / 1365) - percent(second / 1365)

    assert printed(difference(first, second, 1365), 1) == from_counts, where
    assert printed(rounded, 1) == on_paper, where


@pytest.mark.parametrize(
    ("comparison", "ahead", "digits", "p", "discordant"),
    [
        ("GPT-5.4 / Opus", 1325 - 1319, 2, 0.48, (28, 22)),
        ("Sonnet / Gemini", 1300 - 1293, 2, 0.44, (34, 27)),
        ("GPT-5.4 / Sonnet", 1325 - 1300, 4, 0.0018, (42, 17)),
        ("Gemini / Llama", 1293 - 1272, 3, 0.030, (53, 32)),
    ],
)
def test_mcnemar_between_models_has_one_solution_by_the_rule_of_25(comparison, ahead, digits, p, discordant):
    solutions = [(c + ahead, c) for c in range(90) if printed(mcnemar(c + ahead, c).p, digits) == p]

    assert solutions == [discordant], comparison


@pytest.mark.parametrize(
    ("comparison", "ahead", "p", "discordant"),
    [
        ("k-space: Opus / Llama and GPT-5.4 / Llama, exact", 112 - 103, 0.035, [(9, 0)]),
        ("pulse sequences: GPT-5.4 / Llama, exact", 324 - 312, 0.038, [(14, 2)]),
        ("GE scanner operations: GPT-5.4 / Sonnet, chi-square", 384 - 366, 0.032, [(26, 8)]),
        ("GE scanner operations: GPT-5.4 / Llama, chi-square", 384 - 360, 0.006, [(35, 11)]),
        ("GE scanner operations: GPT-5.4 / Gemini, chi-square", 384 - 358, 0.001, [(33, 7), (34, 8), (35, 9)]),
    ],
)
def test_mcnemar_within_categories_after_bonferroni_over_nine(comparison, ahead, p, discordant):
    def adjusted(c: int) -> float:
        return float(adjust_p_values([mcnemar(c + ahead, c).p, *[1.0] * 8], "bonferroni")[0])

    assert [(c + ahead, c) for c in range(25) if printed(adjusted(c), 3) == p] == discordant, comparison


@pytest.mark.parametrize("method", ["exact", "mid-p"])
def test_above_25_discordant_pairs_the_exact_forms_do_not_give_the_printed_p(method):
    # GE scanner operations, GPT-5.4 / Sonnet: 18 items ahead, P = .032 over nine categories
    assert not [c for c in range(25) if printed(9 * mcnemar(c + 18, c, method).p, 3) == 0.032]


@pytest.mark.parametrize(
    ("disagreements", "agreement", "kappa"),
    [(2, 99.85, 0.998), (7, 99.49, 0.993), (8, 99.41, 0.992), (17, 98.75, 0.983)],
)
def test_table_4_repeatability_is_on_the_option_letters(disagreements, agreement, kappa):
    # the letters themselves are unprinted; options are shuffled, so they are taken as evenly spread
    first = [letter for item in range(1365) for letter in "ABCD"[item % 4]]
    second = [("ABCD"[("ABCD".index(x) + 1) % 4] if item < disagreements else x) for item, x in enumerate(first)]

    assert percent(percent_agreement(first, second).value, 2) == agreement
    assert printed(cohen_kappa(first, second).value, 3) == kappa


@pytest.mark.parametrize(("items", "points"), [(2, 0.15), (1, 0.07)])
def test_table_4_accuracies_of_two_runs_are_one_or_two_items_apart(items, points):
    assert printed(difference(items, 0, 1365), 2) == points


def test_table_4_opus_on_correctness_has_another_kappa():
    # two disagreements, runs .15 % = 2 items apart: both items turned from right to wrong; .998 on the letters
    assert printed(cohen_kappa_of_table([[1317, 2], [0, 46]]).value, 3) == 0.978


def test_table_4_gpt_on_correctness_has_another_kappa():
    # Runs 2 items apart: an even number of the 17 disagreements changed correctness, 16 at most (a seventeenth went
    # from one wrong letter to another). The more of them did, the lower kappa, and .983 on the letters is far away.
    assert printed(cohen_kappa_of_table([[1316, 9], [7, 33]]).value, 3) == 0.799
    assert printed(cohen_kappa_of_table([[1318, 7], [9, 31]]).value, 3) == 0.789


@pytest.mark.parametrize("both_right", [0, 61, 122])
def test_appendix_h_agreement_and_net_strictness_do_not_need_the_unprinted_concordant_cells(both_right):
    human = [1] * both_right + [0] * (122 - both_right) + [1] * 13 + [0]
    judge = [1] * both_right + [0] * (122 - both_right) + [0] * 13 + [1]

    result = judge_direction(human, judge)

    assert percent(percent_agreement(human, judge).value) == 89.7
    assert (percent(result.difference.value), printed(result.difference.p, 4)) == (8.8, 0.0018)
    assert result.direction == "stricter"


@pytest.mark.parametrize(
    ("where", "x", "n", "share"),
    [
        ("methods: tier 1", 1134, 1365, 83.1),
        ("methods: tier 2", 213, 1365, 15.6),
        ("methods: tier 3", 18, 1365, 1.3),
        ("methods: correct option longer than its distractors", 1150, 1355, 84.9),
        ("appendix E: empty responses", 52, 1365, 3.8),
        ("table D1: Opus", 10, 10, 100.0),
        ("table D1: Sonnet, GPT-5.4 and Gemini", 9, 10, 90.0),
        ("table D1: Llama", 8, 10, 80.0),
    ],
)
def test_other_printed_shares(where, x, n, share):
    assert percent(wilson_interval(x, n).value) == share, where
