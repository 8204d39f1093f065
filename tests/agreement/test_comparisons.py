"""McNemar, paired proportions, many P values; a judge against humans."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import (
    adjust_p_values,
    diagnostic_accuracy,
    judge_direction,
    mcnemar,
    paired_difference,
    paired_proportion_difference,
    shared_errors,
)


@pytest.mark.parametrize(
    ("b", "c", "method", "p"),
    [
        # MRI-Eval, comparison of models: P = .48, and direction of the judge: P = .0018
        (28, 22, "auto", 0.4795),
        (13, 1, "auto", 0.00183105),
        # R 4.2.2:  mcnemar.test(matrix(c(10, 22, 28, 10), 2))$p.value ; binom.test(1, 14)$p.value
        (28, 22, "chi2-corrected", 0.479500122187),
        (13, 1, "exact", 0.0018310546875),
        # by hand: 2 * (1 + 14) / 2^14 less 14 / 2^14 = 16 / 16384
        (13, 1, "mid-p", 16 / 16384),
        # (13 - 1)^2 / 14 = 10.2857; R 4.2.2:  pchisq(144 / 14, 1, lower.tail = FALSE)
        (13, 1, "chi2", 0.00134064111723),
    ],
)
def test_mcnemar_is_as_published(b, c, method, p):
    assert mcnemar(b, c, method).p == pytest.approx(p, abs=5e-5 if method == "auto" else 1e-8)


def test_mcnemar_is_exact_below_25_discordant_pairs_and_corrected_from_25():
    assert mcnemar(20, 4).method.startswith("McNemar, exact")
    assert mcnemar(20, 5).method.startswith("McNemar, chi2-corrected, chi2(1) = 7.84")


@pytest.mark.parametrize("method", ["auto", "exact", "mid-p", "chi2", "chi2-corrected"])
@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_equal_and_no_discordant_pairs_have_p_1(method, count):
    estimate = mcnemar(count, count, method)

    assert estimate.p == 1.0
    if count == 0:
        assert math.isnan(estimate.value)
        assert estimate.undefined_because == "no discordant pairs"
    else:
        assert estimate.value == 0.5


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_mid_p_is_the_smaller(b, c):
    assert mcnemar(b, c).p == pytest.approx(mcnemar(c, b).p, abs=1e-12)
    assert mcnemar(b, c, "mid-p").p <= mcnemar(b, c, "exact").p <= 1.0


def test_counts_that_are_no_counts_are_refused():
    with pytest.raises(ValueError, match="b and c are -1 and 2"):
        mcnemar(-1, 2)
    with pytest.raises(ValueError, match="two whole numbers"):
        mcnemar(1.5, 2)
    with pytest.raises(ValueError, match="method is 'yates'"):
        mcnemar(1, 2, "yates")


def test_mcnemar_of_airway_hyper_responsiveness():
    # Fagerland, Lydersen and Laake (2013): 1 and 7 discordant pairs among 21 children
    assert [round(mcnemar(1, 7, method).p, 3) for method in ("chi2", "chi2-corrected", "exact", "mid-p")] == [
        0.034, 0.077, 0.070, 0.039,
    ]  # fmt: skip


def test_newcombes_paired_interval_as_published():
    # Newcombe (1998), method 10, for 36, 12, 2, 0
    estimate = paired_proportion_difference(36, 12, 2, 0)

    assert (round(estimate.low, 4), round(estimate.high, 4)) == (0.0569, 0.3404)


def test_newcombes_paired_interval_by_hand():
    # method 10 for 20, 12, 2, 16: Wilson limits of 32/50 and 22/50, phi = (20 * 16 - 12 * 2 - 25) / sqrt(32 18 22 28)
    def wilson(x, n):
        z = 1.959963984540054
        centre, half = (x + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(x * (n - x) / n + z * z / 4)
        return centre - half, centre + half

    l1, u1 = wilson(32, 50)
    l2, u2 = wilson(22, 50)
    phi = (20 * 16 - 12 * 2 - 25) / math.sqrt(32 * 18 * 22 * 28)
    low = 0.2 - math.sqrt((0.64 - l1) ** 2 - 2 * phi * (0.64 - l1) * (u2 - 0.44) + (u2 - 0.44) ** 2)
    high = 0.2 + math.sqrt((u1 - 0.64) ** 2 - 2 * phi * (u1 - 0.64) * (0.44 - l2) + (0.44 - l2) ** 2)

    estimate = paired_proportion_difference(20, 12, 2, 16)

    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.2, low, high), abs=1e-12)


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cells: sum(cells) > 0))
def test_the_paired_interval_mirrors_when_the_two_are_exchanged(cells):
    both, first, second, neither = cells

    estimate = paired_proportion_difference(both, first, second, neither)
    exchanged = paired_proportion_difference(both, second, first, neither)

    assert (estimate.low, estimate.high) == pytest.approx((-exchanged.high, -exchanged.low), abs=1e-9)
    assert -1.0 - 1e-9 <= estimate.low < estimate.high <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("method", "adjusted"),
    [
        # R 4.2.2:  p.adjust(c(.011, .02, .3, .04, .05, .011), m)  for "bonferroni", "holm", "BH", "BY"
        ("bonferroni", [0.066, 0.120, 1.000, 0.240, 0.300, 0.066]),
        ("holm", [0.066, 0.080, 0.300, 0.120, 0.120, 0.066]),
        ("bh", [0.033, 0.040, 0.300, 0.060, 0.060, 0.033]),
        ("by", [0.08085, 0.09800, 0.73500, 0.14700, 0.14700, 0.08085]),
    ],
)
def test_adjusted_p_values_are_those_of_r(method, adjusted):
    result = adjust_p_values([0.011, 0.02, 0.3, 0.04, 0.05, 0.011], method)

    assert result == pytest.approx(adjusted, abs=1e-12)


def test_a_test_that_could_not_be_done_does_not_count_among_the_tests():
    estimates = adjust_p_values([0.01, float("nan"), 0.04], "holm")

    assert estimates[[0, 2]] == pytest.approx([0.02, 0.04])
    assert math.isnan(estimates[1])
    assert adjust_p_values([], "bh").size == 0


def test_p_values_outside_0_and_1_are_refused():
    with pytest.raises(ValueError, match="outside 0 and 1"):
        adjust_p_values([0.2, 1.2], "holm")
    with pytest.raises(ValueError, match=r"p has shape \(1, 2\)"):
        adjust_p_values([[0.1, 0.2]], "holm")
    with pytest.raises(ValueError, match="method is 'sidak'"):
        adjust_p_values([0.1], "sidak")
    with pytest.raises(ValueError, match=r"p is \['x'\]"):
        adjust_p_values(["x"], "holm")


def test_a_paired_difference_of_which_few_pairs_are_unlike_the_others_warns_of_its_interval():
    by_differing = {
        count: paired_difference([1] * count + [0] * (60 - count), [0] * 60, resamples=200, seed=1) for count in (4, 5)
    }

    assert by_differing[4].warning == "fewer than 5 differ from the most frequent value: the interval is uncertain"
    assert by_differing[5].warning is None


def test_a_paired_difference_checks_its_options_even_without_pairs():
    with pytest.raises(ValueError, match="interval is 'x'"):
        paired_difference([], [], seed=1, interval="x")
    with pytest.raises(ValueError, match="confidence is 3"):
        paired_difference([], [], seed=1, confidence=3)


def test_direction_of_the_judge_of_mri_eval():
    # 122 agreements, 13 strict, 1 lenient of 136 are printed; how the 122 divide (100 and 22) is constructed
    human = [1] * 100 + [0] * 22 + [1] * 13 + [0]
    judge = [1] * 100 + [0] * 22 + [0] * 13 + [1]

    result = judge_direction(human, judge)

    assert (result.n, result.strict, result.lenient) == (136, 13, 1)
    assert round(100 * result.difference.value, 1) == 8.8
    assert round(result.difference.p, 4) == 0.0018
    assert result.difference.low > 0
    assert result.direction == "stricter"
    assert result.mcnemar_mid_p.p < result.mcnemar_exact.p
    assert result.labels_to_decide < 136


def test_direction_with_clusters_missing_verdicts_and_exchanged_roles():
    human = [1, 0, 1, 1, None, 0, 1, 0]
    judge = [0, 0, 1, 0, 1, 1, 1, None]
    items = list("aabbccdd")

    result = judge_direction(human, judge, clusters=items, seed=2)
    exchanged = judge_direction(judge, human, clusters=items, seed=2)

    assert (result.n, result.n_missing, result.strict, result.lenient) == (6, 2, 2, 1)
    assert result.difference.value == pytest.approx(1 / 6)
    assert result.difference.n_clusters == 4
    assert exchanged.difference.value == pytest.approx(-1 / 6)
    assert result.direction == "undecided"


def test_a_judge_without_common_candidates_has_no_direction():
    result = judge_direction([None, 1], [1, None])

    assert math.isnan(result.difference.value)
    assert result.direction == "undecided"
    assert result.as_dict()["difference"]["undefined_because"] == "no candidates"
    assert result.labels_to_decide is None


def test_a_verdict_that_is_neither_is_refused():
    with pytest.raises(ValueError, match="human holds 'Correct' at position 0; expected True, False"):
        judge_direction(["Correct"], [1])


def test_sensitivity_and_specificity_of_altman_and_bland():
    # Altman and Bland (1994), BMJ 308, 1552 and 309, 102: liver scan
    truth = ["abnormal"] * 258 + ["normal"] * 86
    scan = ["abnormal"] * 231 + ["normal"] * 27 + ["abnormal"] * 32 + ["normal"] * 54

    result = diagnostic_accuracy(scan, truth, "abnormal")

    assert [round(e.value, 2) for e in (result.sensitivity, result.specificity, result.ppv, result.npv)] == [
        0.90, 0.63, 0.88, 0.67,
    ]  # fmt: skip
    assert (result.true_positive, result.false_positive, result.false_negative, result.true_negative) == (
        231,
        32,
        27,
        54,
    )


def test_a_side_without_units_is_undefined_and_missing_ones_are_counted():
    result = diagnostic_accuracy([1, 0, None], [1, 1, 1], positive=1)

    assert result.sensitivity.value == 0.5
    assert math.isnan(result.specificity.value)
    assert result.n_missing == 1
    assert result.as_dict()["specificity"]["value"] is None


def test_clusters_widen_sensitivity_and_are_counted_among_the_positives_only():
    rng = np.random.default_rng(2)
    subjects = np.repeat(np.arange(20), 5)
    truth = np.repeat(rng.integers(0, 2, 20), 5)
    judge = np.where(np.repeat(rng.random(20) < 0.7, 5), truth, 1 - truth)

    result = diagnostic_accuracy(judge, truth, 1, clusters=subjects)
    independent = diagnostic_accuracy(judge, truth, 1)

    assert result.sensitivity.n_clusters == len(set(subjects[truth == 1]))
    assert result.sensitivity.high - result.sensitivity.low > independent.sensitivity.high - independent.sensitivity.low


def test_shared_errors_by_hand():
    # items:      both right, both wrong same, both wrong different, one wrong, one missing
    answers_a, correct_a = ["L", "R", "R", "R", None], [1, 0, 0, 0, None]
    answers_b, correct_b = ["L", "R", "M", "L", "R"], [1, 0, 0, 1, 0]

    result = shared_errors(answers_a, answers_b, correct_a, correct_b)

    assert result.both_wrong.value == 0.5
    assert result.same_wrong_answer.value == 0.25
    assert result.same_given_both_wrong.value == 0.5
    assert (result.n_both_wrong, result.n_same_wrong_answer, result.n_missing) == (2, 1, 1)
    # error rates 3/4 and 2/4
    assert result.expected_both_wrong == pytest.approx(3 / 8)


def test_no_shared_errors_leave_the_conditional_share_undefined():
    result = shared_errors(["L"], ["L"], [1], [1])

    assert result.both_wrong.value == 0.0
    assert math.isnan(result.same_given_both_wrong.value)


def test_correctness_without_an_answer_is_refused():
    with pytest.raises(ValueError, match="answers_b has no answer at position 0"):
        shared_errors(["L"], [None], [1], [0])
