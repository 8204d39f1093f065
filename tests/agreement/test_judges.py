"""A judge in place of humans: corrected figures, alt-test, homogeneity of bias, sample size, marginal homogeneity."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import (
    adjust_p_values,
    alt_test,
    judge_bias_by_factor,
    labels_needed,
    marginal_homogeneity,
    prediction_powered_mean,
    rogan_gladen,
    wilson_interval,
)
from agreement.planning import _power

CELLS = {"true_positive": 90, "false_negative": 10, "true_negative": 80, "false_positive": 20}


def test_rogan_gladen_by_hand():
    found = rogan_gladen(410, 1000, **CELLS)

    # (.41 + .8 - 1) / (.9 + .8 - 1) = .3
    assert found.value == pytest.approx(0.3, abs=1e-12)
    # sqrt(.41 * .59 / 1000 + .09 * .09 / 100 + .49 * .16 / 100) / .7
    expected = math.sqrt(0.41 * 0.59 / 1000 + 0.09 * 0.9 * 0.1 / 100 + 0.49 * 0.8 * 0.2 / 100) / 0.7
    assert found.se == pytest.approx(expected, abs=1e-12)
    assert found.low < 0.3 < found.high


def test_the_interval_carries_the_error_of_both_samples():
    usual = rogan_gladen(410, 1000, **CELLS)
    fewer_judged = rogan_gladen(41, 100, **CELLS)
    fewer_labelled = rogan_gladen(410, 1000, true_positive=18, false_negative=2, true_negative=16, false_positive=4)

    for wider in (fewer_judged, fewer_labelled):
        assert wider.high - wider.low > 1.3 * (usual.high - usual.low)


def test_the_corrected_interval_covers_when_both_samples_are_small():
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(400):
        truth = rng.random(200) < 0.3
        judged = np.where(truth, rng.random(200) < 0.9, rng.random(200) < 0.15)
        tp, fp = rng.binomial(40, 0.9), rng.binomial(40, 0.15)
        found = rogan_gladen(
            int(judged.sum()), 200, true_positive=tp, false_negative=40 - tp, true_negative=40 - fp, false_positive=fp
        )
        held += found.low <= 0.3 <= found.high
    # nominal 95 %; 400 runs have a standard error of 1.1 points
    assert 0.915 <= held / 400 <= 0.99


def test_a_judge_that_says_nothing_or_was_not_checked_gives_no_correction():
    nothing = rogan_gladen(5, 10, true_positive=5, false_negative=5, true_negative=5, false_positive=5)
    unchecked = rogan_gladen(5, 10, true_positive=0, false_negative=0, true_negative=5, false_positive=5)

    assert "the judge says nothing" in nothing.undefined_because
    assert unchecked.undefined_because == "no labelled positives"


def test_an_impossible_prevalence_is_truncated_and_says_so():
    found = rogan_gladen(5, 100, **CELLS)

    assert found.value == 0.0
    assert "truncated from -0.214" in found.method


def test_prediction_powered_mean_is_that_of_ppi_python():
    human = [1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1]
    human += [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1]
    judge = [1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1]
    judge += [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1]
    unlabelled = [1] * 194 + [0] * 206

    plain = prediction_powered_mean(human, judge, unlabelled, tuned=False)
    tuned = prediction_powered_mean(human, judge, unlabelled)

    # ppi_py.ppi_mean_ci(y, f, g, alpha=0.05, lam=1)
    assert plain.value == pytest.approx(0.46833333, abs=1e-8)
    assert (plain.low, plain.high) == pytest.approx((0.34951096, 0.58715571), abs=1e-8)
    # ppi_py mixes a covariance over n with a variance over n - 1 in lambda; with both over n - 1, by hand:
    y, f, g = np.array(human), np.array(judge), np.array(unlabelled)
    share = np.cov(y, f)[0, 1] / ((1 + 60 / 400) * np.concatenate([f, g]).var(ddof=1))
    assert tuned.value == pytest.approx(share * g.mean() + (y - share * f).mean(), abs=1e-12)
    assert tuned.se < plain.se
    assert f"lambda {share:.3f}" in tuned.method


def test_a_judge_without_information_is_given_no_weight():
    found = prediction_powered_mean([1, 0, 1, 0], [1, 1, 0, 0], [1] * 10 + [0] * 10)

    assert found.value == pytest.approx(0.5)
    assert "lambda 0.000" in found.method


def test_a_flag_and_sample_design_is_weighted_back():
    # all 10 flagged (judge 1) are labelled, human finds 6; of 40 unflagged (judge 0) 4 were drawn, human finds 1
    human = [1] * 6 + [0] * 4 + [1, 0, 0, 0]
    judge = [1] * 10 + [0] * 4
    probabilities = [1.0] * 10 + [0.1] * 4

    found = prediction_powered_mean(human, judge, [0] * 36, tuned=False, probabilities=probabilities)

    # pool: 10/50 + (6 + 10 - 10) / 50 = .2 + .12 ; directly (6 + 40/4) / 50
    assert found.value == pytest.approx(0.32, abs=1e-12)


def test_clusters_of_equal_candidates_widen_the_interval():
    human, judge = [1, 1, 0, 0] * 10, [1, 0, 0, 1] * 10
    repeated = np.repeat(np.arange(40), 5)

    alone = prediction_powered_mean(np.repeat(human, 5), np.repeat(judge, 5), [1, 0] * 500, tuned=False)
    clustered = prediction_powered_mean(
        np.repeat(human, 5), np.repeat(judge, 5), [1, 0] * 500, tuned=False, clusters=repeated
    )

    assert clustered.n_clusters == 40
    assert clustered.se > 1.5 * alone.se


def test_too_few_labels_give_no_prediction_powered_mean():
    assert prediction_powered_mean([1], [1], [1]).undefined_because == "fewer than two labelled"
    assert prediction_powered_mean([1, 0], [1, 0], []).undefined_because == "no unlabelled verdicts"


def plain_alt_test(humans, judge, epsilon):
    """The procedure of Calderon et al. (2025), section 3, word by word for complete nominal verdicts."""
    items, raters = humans.shape
    p, advantage = [], []
    for j in range(raters):
        differences, ahead = [], []
        for i in range(items):
            others = [humans[i, k] for k in range(raters) if k != j]
            of_judge = np.mean([judge[i] == other for other in others])
            of_rater = np.mean([humans[i, j] == other for other in others])
            ahead.append(of_judge >= of_rater)
            differences.append(float(of_rater >= of_judge) - float(of_judge >= of_rater))
        p.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantage.append(np.mean(ahead))
    return np.mean(adjust_p_values(p, "by") < 0.05), np.mean(advantage), p


def test_the_alt_test_is_that_of_the_paper():
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 3, 80)
    humans = np.where(rng.random((80, 4)) < 0.75, truth[:, None], rng.integers(0, 3, (80, 4)))
    judge = np.where(rng.random(80) < 0.85, truth, rng.integers(0, 3, 80))

    found = alt_test(humans, judge, 0.15)

    rate, advantage, p = plain_alt_test(humans, judge, 0.15)
    assert found.winning_rate.value == rate
    assert found.advantage_probability.value == pytest.approx(advantage, abs=1e-12)
    assert [one.p for one in found.raters] == pytest.approx(p, abs=1e-12)
    assert found.advantage_probability.low < advantage < found.advantage_probability.high
    assert found.passed is bool(rate >= 0.5)


def test_the_alt_test_says_why_it_cannot_be_done():
    two = alt_test([[1, 1]] * 40, [1] * 40)
    few = alt_test([[1, 1, 0]] * 29, [1] * 29)

    assert two.passed is None
    assert "needs three or more" in two.undefined_because
    assert few.undefined_because == "no rater shares 30 items with another; the most is 29"
    assert alt_test([], []).passed is None
    assert few.as_dict()["winning_rate"]["value"] is None


def test_missing_verdicts_count_only_where_two_raters_are_there():
    humans = [[1, None, None]] * 10 + [[1, 1, None], [1, None, 0], [None, 1, 1]] * 40
    judge = [1] * 129 + [None]

    found = alt_test(humans, judge)

    assert [one.n for one in found.raters] == [80, 79, 79]


def test_a_rater_with_few_items_is_not_tested_but_others_are_held_against_them():
    humans = [[1, 1, 0, 1]] * 20 + [[1, 1, 0, None]] * 20

    found = alt_test(humans, [1] * 40)

    assert found.winning_rate.n == 3
    assert "1 with fewer than 30 shared items not tested" in found.winning_rate.method
    # rater 2 alone is against all others; the judge is never behind anybody
    assert found.winning_rate.value == 1.0
    assert math.isnan(found.raters[3].p)
    assert found.raters[0].n == 40


def test_a_judge_nearer_in_numbers_wins():
    rng = np.random.default_rng(2)
    truth = rng.normal(3, 1, 60)
    humans = truth[:, None] + rng.normal(0, 1, (60, 3))

    good = alt_test(humans, truth, level="interval")
    bad = alt_test(humans, truth + 5, level="interval")

    assert good.passed is True
    assert bad.passed is False


def test_homogeneity_of_bias_by_hand_for_two_independent_levels():
    # level x: d = 1 on 10 of 20; level y: d = 1 on 2 of 20; means .5, .1; variances over n times 40/39
    human, judge = [1] * 40, [0] * 10 + [1] * 10 + [0] * 2 + [1] * 18

    (found,) = judge_bias_by_factor(human, judge, {"model": ["x"] * 20 + ["y"] * 20})

    variance = (0.25 / 20 + 0.09 / 20) * 40 / 39
    assert found.statistic == pytest.approx(0.4**2 / variance, abs=1e-12)
    assert found.df == 1
    assert found.p == found.p_adjusted == pytest.approx(stats.chi2.sf(0.4**2 / variance, 1))


def test_homogeneity_holds_its_level_with_clusters_and_names_what_cannot_be_estimated():
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(100):
        items = np.repeat(np.arange(60), 3)
        models = np.tile(["x", "y", "z"], 60)
        human = np.repeat(rng.random(60) < 0.7, 3)
        judge = human & (np.repeat(rng.random(60) < 0.85, 3) | (rng.random(180) < 0.3))
        (found,) = judge_bias_by_factor(human, judge, {"model": models}, clusters=items, resamples=2)
        rejected += found.p < 0.05
    assert rejected / 100 < 0.13

    one_model, tier = judge_bias_by_factor(
        [1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 0], {"model": ["x"] * 6, "tier": [1, 1, 1, 2, 2, 3]}, resamples=10
    )
    assert one_model.undefined_because == "one level only: uniformity is not estimable"
    assert "fewer than two" in tier.undefined_because
    assert math.isnan(tier.p_adjusted)
    assert tier.as_dict()["p"] is None


def test_labels_for_a_width_are_the_least_that_reach_it():
    n = labels_needed(width=0.1, proportion=0.9)

    reached = wilson_interval(round(0.9 * n), n)
    assert reached.high - reached.low == pytest.approx(0.1, abs=0.002)
    assert labels_needed(width=0.1) > n
    assert labels_needed(width=0.1, proportion=0.9, design_effect=2) == 2 * n


def test_labels_for_a_power_reach_it_and_fewer_do_not():
    n = labels_needed(power=0.8, strict=0.1, lenient=0.02)

    assert _power(n, 0.1, 0.02, 0.05) >= 0.8
    assert _power(int(0.9 * n), 0.1, 0.02, 0.05) < 0.8
    assert labels_needed(power=0.9, strict=0.1, lenient=0.02) > n
    # who of the two is called strict does not matter
    assert labels_needed(power=0.8, strict=0.02, lenient=0.1) == n


def test_the_power_is_that_of_simulated_exact_tests():
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(800):
        strict, lenient, _rest = rng.multinomial(120, [0.1, 0.03, 0.87])
        rejected += stats.binomtest(strict, strict + lenient).pvalue <= 0.05 if strict + lenient else False

    assert _power(120, 0.1, 0.03, 0.05) == pytest.approx(rejected / 800, abs=0.05)


def test_what_no_number_of_labels_can_tell_is_refused():
    with pytest.raises(ValueError, match="exactly one"):
        labels_needed()
    with pytest.raises(ValueError, match="no number of labels"):
        labels_needed(power=0.8, strict=0.1, lenient=0.1)
    with pytest.raises(ValueError, match="more than 10000000 labels"):
        labels_needed(power=0.8, strict=0.10001, lenient=0.1)


def test_marginal_homogeneity_of_stuarts_vision_data():
    eyes = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]

    found = marginal_homogeneity(eyes)

    # Bhapkar (1966): 11.976 on 3 degrees of freedom
    assert "chi2(3) = 11.98" in found.method
    assert found.p == pytest.approx(stats.chi2.sf(11.976, 3), abs=1e-5)


def test_two_categories_are_mcnemars_and_the_diagonal_is_homogeneous():
    assert marginal_homogeneity([[50, 13], [1, 72]]).p == pytest.approx(0.0018310546875)
    assert marginal_homogeneity([[5, 0, 0], [0, 3, 0], [0, 0, 2]]).p == 1.0
    assert marginal_homogeneity(np.zeros((3, 3))).undefined_because == "no items"
