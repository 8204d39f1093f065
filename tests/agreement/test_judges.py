"""A judge in place of humans: corrected figures, alt-test, homogeneity of bias, sample size, marginal homogeneity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agreement import (
    adjust_p_values,
    alt_test,
    diagnostic_accuracy,
    judge_bias_by_factor,
    judge_direction,
    labels_needed,
    marginal_homogeneity,
    prediction_powered_mean,
    rogan_gladen,
    rogan_gladen_in_clusters,
    wilson_interval,
)
from agreement.planning import _power

CELLS = {"true_positive": 90, "false_negative": 10, "true_negative": 80, "false_positive": 20}


def test_rogan_gladen_by_hand():
    estimate = rogan_gladen(410, 1000, **CELLS)

    # (.41 + .8 - 1) / (.9 + .8 - 1) = .3
    assert estimate.value == pytest.approx(0.3, abs=1e-12)
    # sqrt(.41 * .59 / 1000 + .09 * .09 / 100 + .49 * .16 / 100) / .7
    expected = math.sqrt(0.41 * 0.59 / 1000 + 0.09 * 0.9 * 0.1 / 100 + 0.49 * 0.8 * 0.2 / 100) / 0.7
    assert estimate.se == pytest.approx(expected, abs=1e-12)
    assert estimate.low < 0.3 < estimate.high


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
        estimate = rogan_gladen(
            int(judged.sum()), 200, true_positive=tp, false_negative=40 - tp, true_negative=40 - fp, false_positive=fp
        )
        held += estimate.low <= 0.3 <= estimate.high
    # nominal 95 %; 400 runs have a standard error of 1.1 points
    assert 0.915 <= held / 400 <= 0.99


def test_a_judge_that_says_nothing_or_was_not_checked_gives_no_correction():
    nothing = rogan_gladen(5, 10, true_positive=5, false_negative=5, true_negative=5, false_positive=5)
    unchecked = rogan_gladen(5, 10, true_positive=0, false_negative=0, true_negative=5, false_positive=5)

    assert "the judge says nothing" in nothing.undefined_because
    assert unchecked.undefined_because == "no labelled positives"


def test_an_impossible_prevalence_is_truncated_and_says_so():
    estimate = rogan_gladen(5, 100, **CELLS)

    assert estimate.value == 0.0
    assert "truncated from -0.214" in estimate.method


def judged_in_clusters(rng, clusters, prevalence, correlation):
    """Human and judge on five units of each cluster; prevalence, sensitivity .9 and specificity .85 vary with it."""
    of = np.repeat(np.arange(clusters), 5)
    scale = 1 / correlation - 1
    truly, sensitivity, specificity = (
        rng.beta(share * scale, (1 - share) * scale, clusters)[of] for share in (prevalence, 0.9, 0.85)
    )
    human = rng.random(of.size) < truly
    judge = np.where(human, rng.random(of.size) < sensitivity, rng.random(of.size) >= specificity)
    return human.astype(int), judge.astype(int), of


def units(positives, negatives):
    return [1] * positives + [0] * negatives


LABELLED = {"human": units(100, 100), "judge": units(90, 10) + units(20, 80)}


def test_rogan_gladen_in_clusters_has_the_value_of_the_counts_and_of_single_units_nearly_the_interval():
    plain = rogan_gladen(410, 1000, **CELLS)

    single = rogan_gladen_in_clusters(
        **LABELLED, unlabelled=units(410, 590), clusters=range(200), unlabelled_clusters=range(1000)
    )

    assert (single.value, single.n, single.n_clusters) == (plain.value, 1000, 1000)
    assert (single.low, single.high) == pytest.approx((plain.low, plain.high), abs=0.005)
    assert single.se == pytest.approx(plain.se, rel=0.02)


def test_units_that_are_copies_of_each_other_tell_no_more_than_one_of_them():
    once = rogan_gladen_in_clusters(
        **LABELLED, unlabelled=units(410, 590), clusters=range(200), unlabelled_clusters=range(1000)
    )

    thrice = rogan_gladen_in_clusters(
        *(np.repeat(verdicts, 3) for verdicts in (LABELLED["human"], LABELLED["judge"], units(410, 590))),
        clusters=np.repeat(np.arange(200), 3),
        unlabelled_clusters=np.repeat(np.arange(1000), 3),
    )

    assert thrice.value == pytest.approx(once.value)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=0.005)
    assert "100 + 100" not in thrice.method
    assert "300 + 300 labelled in 200 clusters, on the effective number of them, t with" in thrice.method


@pytest.mark.parametrize("which", ["clusters", "unlabelled_clusters"])
def test_clusters_of_either_sample_widen_the_interval(which):
    rng = np.random.default_rng(4)
    human, judge, of = judged_in_clusters(rng, 60, 0.4, 0.4)
    _, unlabelled, rest = judged_in_clusters(rng, 60, 0.4, 0.4)
    alone = {"clusters": range(300), "unlabelled_clusters": range(300)}

    single = rogan_gladen_in_clusters(human, judge, unlabelled, **alone)
    together = rogan_gladen_in_clusters(
        human, judge, unlabelled, **alone | {which: of if which == "clusters" else rest}
    )

    assert together.high - together.low > 1.1 * (single.high - single.low)


def test_the_corrected_interval_covers_in_clusters():
    rng = np.random.default_rng(11)
    held, as_independent = 0, 0
    for _ in range(300):
        human, judge, of = judged_in_clusters(rng, 30, 0.3, 1 / 3)
        _, unlabelled, rest = judged_in_clusters(rng, 100, 0.3, 1 / 3)
        options = {"clusters": of, "unlabelled_clusters": rest}
        estimate = rogan_gladen_in_clusters(human, judge, unlabelled, **options)
        single = rogan_gladen_in_clusters(human, judge, unlabelled, clusters=range(150), unlabelled_clusters=range(500))
        held += estimate.low <= 0.3 <= estimate.high
        as_independent += single.low <= 0.3 <= single.high
    # nominal 95 %; 300 runs have a standard error of 1.3 points
    assert held / 300 >= 0.915
    assert as_independent / 300 < 0.9


def test_in_clusters_too_a_judge_that_says_nothing_gives_no_correction_and_one_cluster_no_interval():
    verdicts = {"human": units(4, 4), "judge": [1, 0, 1, 0, 1, 0, 1, 0], "unlabelled": units(3, 3)}
    nothing = rogan_gladen_in_clusters(**verdicts, clusters=range(8), unlabelled_clusters=range(6))
    good = verdicts | {"judge": units(4, 4)}
    single = [
        rogan_gladen_in_clusters(**good, clusters=of, unlabelled_clusters=rest)
        for of, rest in (([1] * 8, range(6)), (range(8), [1] * 6))
    ]

    assert "the judge says nothing" in nothing.undefined_because
    for estimate in single:
        assert estimate.value == 0.5
        assert estimate.undefined_because == "fewer than two clusters: nothing to compare"


def test_in_clusters_missing_verdicts_are_left_out_with_their_clusters():
    human, judge = [*LABELLED["human"], None, 1], [*LABELLED["judge"], 1, None]
    whole = rogan_gladen_in_clusters(
        **LABELLED, unlabelled=units(41, 59), clusters=range(200), unlabelled_clusters=range(100)
    )

    gaps = rogan_gladen_in_clusters(
        human, judge, [*units(41, 59), None], clusters=range(202), unlabelled_clusters=range(101)
    )

    assert (gaps.low, gaps.high, gaps.n_clusters) == (whole.low, whole.high, whole.n_clusters)
    assert "; 3 with a missing verdict left out" in gaps.method
    with pytest.raises(ValueError, match="unlabelled_clusters has shape"):
        rogan_gladen_in_clusters(human, judge, [1, 0], clusters=range(202), unlabelled_clusters=range(3))


def test_few_labelled_of_a_kind_or_few_clusters_warn():
    few = rogan_gladen(5, 100, true_positive=3, false_negative=1, true_negative=40, false_positive=2)
    in_clusters = rogan_gladen_in_clusters(
        **LABELLED, unlabelled=units(410, 590), clusters=np.arange(200) % 9, unlabelled_clusters=range(1000)
    )

    assert few.warning == "a category is expected in fewer than 5 items: value and interval are uncertain"
    assert rogan_gladen(410, 1000, **CELLS).warning is None
    assert in_clusters.warning.startswith("only 9 clusters: an interval from fewer than 10 clusters")


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
    estimate = prediction_powered_mean([1, 0, 1, 0], [1, 1, 0, 0], [1] * 10 + [0] * 10)

    assert estimate.value == pytest.approx(0.5)
    assert "lambda 0.000" in estimate.method


def test_a_flag_and_sample_design_is_weighted_back():
    # all 10 flagged (judge 1) are labelled, human finds 6; of 40 unflagged (judge 0) 4 were drawn, human finds 1
    human = [1] * 6 + [0] * 4 + [1, 0, 0, 0]
    judge = [1] * 10 + [0] * 4
    probabilities = [1.0] * 10 + [0.1] * 4

    estimate = prediction_powered_mean(human, judge, [0] * 36, tuned=False, probabilities=probabilities)

    # pool: 10/50 + (6 + 10 - 10) / 50 = .2 + .12 ; directly (6 + 40/4) / 50
    assert estimate.value == pytest.approx(0.32, abs=1e-12)


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

    result = alt_test(humans, judge, 0.15)

    rate, advantage, p = plain_alt_test(humans, judge, 0.15)
    assert result.winning_rate.value == rate
    assert result.advantage_probability.value == pytest.approx(advantage, abs=1e-12)
    assert [rater.p for rater in result.raters] == pytest.approx(p, abs=1e-12)
    assert result.advantage_probability.low < advantage < result.advantage_probability.high
    assert result.passed is bool(rate >= 0.5)


def test_the_alt_test_says_why_it_cannot_be_done():
    two = alt_test([[1, 1]] * 40, [1] * 40)
    few = alt_test([[1, 1, 0]] * 4, [1] * 4)
    few_clustered = alt_test([[1, 1, 0]] * 29, [1] * 29, clusters=range(29))

    assert two.passed is None
    assert "needs three or more" in two.undefined_because
    assert few.undefined_because == "no rater shares 5 items with another; the most is 4"
    assert few_clustered.undefined_because == "no rater shares 30 items with another; the most is 29"
    assert alt_test([], []).passed is None
    assert few.as_dict()["winning_rate"]["value"] is None


def test_missing_verdicts_count_only_where_two_raters_are_there():
    humans = [[1, None, None]] * 10 + [[1, 1, None], [1, None, 0], [None, 1, 1]] * 40
    judge = [1] * 129 + [None]

    result = alt_test(humans, judge)

    assert [rater.n for rater in result.raters] == [80, 79, 79]


def test_a_rater_with_few_items_is_not_tested_but_others_are_held_against_them():
    humans = [[1, 1, 0, 1]] * 20 + [[1, 1, 0, None]] * 20

    result = alt_test(humans, [1] * 40, clusters=range(40))

    assert result.winning_rate.n == 3
    assert "1 with fewer than 30 shared items not tested" in result.winning_rate.method
    # rater 2 alone is against all others; the judge is never behind anybody
    assert result.winning_rate.value == 1.0
    assert result.raters[3].p is None
    assert result.raters[0].n == 40


def test_a_judge_nearer_in_numbers_wins():
    rng = np.random.default_rng(2)
    truth = rng.normal(3, 1, 60)
    humans = truth[:, None] + rng.normal(0, 1, (60, 3))

    good = alt_test(humans, truth, level="interval")
    bad = alt_test(humans, truth + 5, level="interval")

    assert good.passed is True
    assert bad.passed is False


def test_homogeneity_of_bias_by_hand_for_two_independent_levels():
    # level x: d = 1 on 10 of 20; level y: d = 1 on 2 of 20; means .5 and .1, all together 12 of 40
    human, judge = [1] * 40, [0] * 10 + [1] * 10 + [0] * 2 + [1] * 18

    (result,) = judge_bias_by_factor(human, judge, {"model": ["x"] * 20 + ["y"] * 20})

    variance = 40 / 39 * 0.3 * 0.7 * (1 / 20 + 1 / 20)
    assert result.statistic == pytest.approx(0.4**2 / variance, abs=1e-12)
    assert result.df == 1
    assert result.p == result.p_adjusted == pytest.approx(stats.chi2.sf(0.4**2 / variance, 1))


def test_homogeneity_of_a_judge_who_is_never_lenient_is_kruskal_and_wallis():
    # with two values of d, ranks are a linear function of d, and both statistics are the same
    rng = np.random.default_rng(5)
    levels = rng.integers(0, 9, 136)
    judge = (rng.random(136) > 0.1).astype(int)

    (result,) = judge_bias_by_factor([1] * 136, judge, {"category": levels})

    expected = stats.kruskal(*((1 - judge)[levels == level] for level in range(9)))
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_homogeneity_of_bias_by_hand_for_pairs_of_candidates_of_one_item():
    # d of models x and y on five items; deviations from the mean .4 multiply to .36 (1, 1),
    # -.24 (twice) and .16 (twice)
    d = {"x": [1, 1, 1, 0, 0], "y": [1, 0, 0, 0, 0]}
    human, judge = [1] * 10, [1 - right for right in [*d["x"], *d["y"]]]

    (result,) = judge_bias_by_factor(
        human, judge, {"model": ["x"] * 5 + ["y"] * 5}, clusters=[1, 2, 3, 4, 5] * 2, resamples=10
    )

    variance = (4 * 0.6**2 + 6 * 0.4**2) / 9
    common = (0.36 - 2 * 0.24 + 2 * 0.16) / 5
    assert result.statistic == pytest.approx(0.4**2 / (2 * (variance - common) / 5), abs=1e-12)


def test_homogeneity_holds_its_level_over_many_sparse_categories():
    rng = np.random.default_rng(3)
    categories = np.arange(136) % 9
    rejected = 0
    for _ in range(200):
        judge = (rng.random(136) > 0.1).astype(int)
        (estimate,) = judge_bias_by_factor([1] * 136, judge, {"category": categories})
        rejected += estimate.p < 0.05
    assert rejected / 200 < 0.1


def test_homogeneity_holds_its_level_with_clusters_and_names_what_cannot_be_estimated():
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(100):
        items = np.repeat(np.arange(60), 3)
        models = np.tile(["x", "y", "z"], 60)
        human = np.repeat(rng.random(60) < 0.7, 3)
        judge = human & (np.repeat(rng.random(60) < 0.85, 3) | (rng.random(180) < 0.3))
        (estimate,) = judge_bias_by_factor(human, judge, {"model": models}, clusters=items, resamples=2)
        rejected += estimate.p < 0.05
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

    estimate = marginal_homogeneity(eyes)

    # Bhapkar (1966): 11.976 on 3 degrees of freedom
    assert "chi2(3) = 11.98" in estimate.method
    assert estimate.p == pytest.approx(stats.chi2.sf(11.976, 3), abs=1e-5)


def test_two_categories_are_mcnemars_and_the_diagonal_is_homogeneous():
    assert marginal_homogeneity([[50, 13], [1, 72]]).p == pytest.approx(0.0018310546875)
    assert marginal_homogeneity([[5, 0, 0], [0, 3, 0], [0, 0, 2]]).p == 1.0
    assert marginal_homogeneity(np.zeros((3, 3))).undefined_because == "no items"


def test_a_stratified_sample_by_hand():
    # stratum a: 4 of 8 labelled, b: 2 of 12; untuned: a .5 + (.5 - .5), b .2 + (.5 - 0)
    human, judge = [1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 0, 0]
    unlabelled = [1, 1, 0, 0] + [1] * 2 + [0] * 8
    strata, others = ["a"] * 4 + ["b"] * 2, ["a"] * 4 + ["b"] * 10

    estimate = prediction_powered_mean(human, judge, unlabelled, tuned=False, strata=strata, unlabelled_strata=others)

    value = 0.4 * 0.5 + 0.6 * 0.7
    of_a = 0.25 / 4 + 0.5 / 4  # judge's variance, then that of human minus judge (0, 1, 0, -1)
    of_b = 0.16 / 10 + 0.25 / 2
    between = (0.4 * (0.5 - value) ** 2 + 0.6 * (0.7 - value) ** 2) / 20
    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert estimate.se**2 == pytest.approx(0.4**2 * of_a + 0.6**2 * of_b + between, abs=1e-12)
    assert "2 strata" in estimate.method


def test_one_stratum_is_no_stratum():
    human, judge, unlabelled = [1, 0, 1, 1, 0], [1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1]

    plain = prediction_powered_mean(human, judge, unlabelled)
    in_one_stratum = prediction_powered_mean(human, judge, unlabelled, strata=["a"] * 5, unlabelled_strata=["a"] * 6)

    assert (in_one_stratum.value, in_one_stratum.se) == pytest.approx((plain.value, plain.se), abs=1e-12)


def test_a_stratum_labelled_in_full_does_not_need_the_judge():
    estimate = prediction_powered_mean(
        [1, 1, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1], [1, 0], strata=[1, 1, 1, 2, 2, 2], unlabelled_strata=[2, 2], tuned=False
    )

    # of 8: stratum 1 holds 3 with mean 2/3, stratum 2 holds 5: .5 + (2/3 - 2/3)
    assert estimate.value == pytest.approx(3 / 8 * 2 / 3 + 5 / 8 * 0.5, abs=1e-12)


def test_a_stratum_with_one_label_is_named():
    estimate = prediction_powered_mean([1, 0, 1], [1, 0, 1], [1, 0], strata=[1, 1, 2], unlabelled_strata=[1, 2])

    assert estimate.undefined_because == "fewer than two labelled in a stratum"


def test_unequal_probabilities_by_hand():
    human, judge, unlabelled, probabilities = [1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0.5, 0.5, 0.25, 0.25]

    estimate = prediction_powered_mean(human, judge, unlabelled, tuned=False, probabilities=probabilities)

    # weights 2, 2, 4, 4 of 12; human minus judge 0, 0, 1, 0 with weighted mean 1/3; the judge's mean over the pool .3
    of_labelled = [2 * -1 / 36 + 0.07, 2 * -1 / 36 - 0.03, 4 * 2 / 36 - 0.03, 4 * -1 / 36 + 0.07]
    of_others = [0.07] + [-0.03] * 5
    assert estimate.value == pytest.approx(0.3 + 1 / 3, abs=1e-12)
    assert estimate.se**2 == pytest.approx(sum(part**2 for part in of_labelled + of_others), abs=1e-12)


def test_the_interval_of_a_flag_and_sample_design_is_as_wide_as_its_estimates_vary():
    rng = np.random.default_rng(6)
    values, errors = [], []
    for _ in range(400):
        flagged = rng.random(300) < 0.3
        right = rng.random(300) < np.where(flagged, 0.4, 0.9)
        chance = np.where(flagged, 0.8, 0.2)
        drawn = rng.random(300) < chance
        estimate = prediction_powered_mean(right[drawn], ~flagged[drawn], ~flagged[~drawn], probabilities=chance[drawn])
        values.append(estimate.value)
        errors.append(estimate.se**2)

    assert np.mean(values) == pytest.approx(0.3 * 0.4 + 0.7 * 0.9, abs=0.01)
    # 400 values give their standard deviation to about 3.5 %
    assert np.mean(errors) ** 0.5 == pytest.approx(np.std(values), rel=0.12)


def test_units_of_one_cluster_among_the_unlabelled_widen_the_interval_too():
    human, judge = [1, 1, 0, 0] * 10, [1, 0, 0, 1] * 10
    unlabelled = np.repeat([1, 0] * 20, 5)
    clusters = np.arange(40)

    alone = prediction_powered_mean(human, judge, unlabelled, tuned=False, clusters=clusters)
    both = prediction_powered_mean(
        human, judge, unlabelled, tuned=False, clusters=clusters, unlabelled_clusters=np.repeat(np.arange(40, 80), 5)
    )

    # five equal units to a cluster: the judge's part of the variance is five times as large
    assert both.se**2 - alone.se**2 == pytest.approx(40 / 39 * 0.25 / 40 - 0.25 / 200, abs=1e-12)
    assert "unlabelled independent" in alone.method
    assert both.n_clusters == 40


def test_a_judge_that_never_differs_among_the_labelled_is_remarked():
    estimate = prediction_powered_mean([1, 0, 1], [1, 0, 1], [1, 0, 0], tuned=False)

    assert "never differ among the labelled" in estimate.method


def test_a_design_is_given_for_both_parts_or_refused():
    with pytest.raises(ValueError, match="expected both or none"):
        prediction_powered_mean([1, 0], [1, 0], [1], strata=[1, 1])
    with pytest.raises(ValueError, match="expected one of them"):
        prediction_powered_mean([1], [1], [1], strata=[1], unlabelled_strata=[1], probabilities=[1])
    with pytest.raises(ValueError, match="unlabelled_clusters without clusters"):
        prediction_powered_mean([1, 0], [1, 0], [1], unlabelled_clusters=[1])


def test_repeated_items_do_not_make_the_alt_test_surer_with_clusters():
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 3, 40)
    humans = np.where(rng.random((40, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (40, 3)))
    judge = np.where(rng.random(40) < 0.8, truth, rng.integers(0, 3, 40))

    once = alt_test(humans, judge, resamples=20)
    thrice = alt_test(
        np.repeat(humans, 3, axis=0), np.repeat(judge, 3), clusters=np.repeat(np.arange(40), 3), resamples=20
    )

    assert [rater.p for rater in thrice.raters] == pytest.approx([rater.p for rater in once.raters], abs=1e-12)


def test_ties_of_numbers_do_not_depend_on_their_binary_fractions():
    rng = np.random.default_rng(3)
    humans, judge = rng.integers(1, 6, (40, 4)), rng.integers(1, 6, 40)

    whole = alt_test(humans, judge, level="interval", resamples=20)
    tenths = alt_test(humans / 10, judge / 10, level="interval", resamples=20)

    assert [rater.p for rater in tenths.raters] == pytest.approx([rater.p for rater in whole.raters], abs=1e-12)


@given(st.permutations(range(4)), st.permutations(range(36)))
def test_the_alt_test_does_not_know_the_order_of_raters_and_items(raters, items):
    rng = np.random.default_rng(5)
    humans, judge = rng.integers(0, 3, (36, 4)), rng.integers(0, 3, 36)

    usual = alt_test(humans, judge, resamples=2)
    other = alt_test(humans[items][:, raters], judge[items], resamples=2)

    assert other.winning_rate.value == usual.winning_rate.value
    assert other.advantage_probability.value == pytest.approx(usual.advantage_probability.value, abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=12),
    st.lists(st.integers(0, 1), min_size=1, max_size=12),
)
def test_every_unit_twice_leaves_the_untuned_mean_as_it_is(pairs, unlabelled):
    human, judge = zip(*pairs, strict=True)

    once = prediction_powered_mean(human, judge, unlabelled, tuned=False)
    twice = prediction_powered_mean(human * 2, judge * 2, unlabelled * 2, tuned=False)

    assert twice.value == pytest.approx(once.value, abs=1e-12)


@pytest.mark.parametrize(
    ("strict", "lenient", "power", "confidence"), [(0.5, 0.1, 0.01, 0.5), (0.7, 0.3, 0.3, 0.95), (0.9, 0.1, 0.8, 0.9)]
)
def test_no_smaller_number_of_labels_keeps_the_power(strict, lenient, power, confidence):
    n = labels_needed(power=power, strict=strict, lenient=lenient, confidence=confidence)

    def reached(size):
        ahead = range(size, size + max(2, size // 10) + 1)
        return all(_power(more, strict, lenient, 1 - confidence) >= power for more in ahead)

    assert reached(n)
    assert not any(reached(size) for size in range(1, n))


def test_very_many_labels_are_found_to_a_quarter_of_a_percent():
    n = labels_needed(power=0.8, strict=0.02, lenient=0.017)

    assert _power(n, 0.02, 0.017, 0.05) >= 0.8
    assert _power(int(n * 0.995), 0.02, 0.017, 0.05) < 0.8


def test_clusters_decide_a_direction_by_the_interval_and_ask_for_more_labels():
    human, judge = [1] * 12 + [1] * 60, [0] * 12 + [1] * 60
    subjects = [0] * 12 + list(range(1, 61))

    result = judge_direction(human, judge, clusters=subjects, seed=1)
    independent = judge_direction(human, judge)

    # twelve strict verdicts, all of one subject
    assert result.direction == "stricter"
    assert result.direction_by_interval == "undecided"
    assert independent.direction_by_interval == "stricter"
    assert result.design_effect > 5
    assert result.labels_to_decide == pytest.approx(result.design_effect * independent.labels_to_decide, abs=1)


def test_factors_and_corrections_are_checked_by_name():
    with pytest.raises(ValueError, match="factors is a list"):
        judge_bias_by_factor([1, 0], [1, 0], ["x", "y"])
    with pytest.raises(ValueError, match="correction is 'sidak'"):
        judge_bias_by_factor([1, 0], [1, 0], {"tier": [1, 2]}, correction="sidak")


def test_sensitivity_needs_a_verdict_that_counts_as_positive():
    with pytest.raises(ValueError, match="positive is None"):
        diagnostic_accuracy([1], [1], None)


@pytest.mark.parametrize("factor", [2.0**600, 2.0**-600], ids=["huge", "tiny"])
def test_the_magnitude_of_scores_does_not_matter(factor):
    human, judge, unlabelled = [3.0, 1.0, 4.0, 1.0], [3.0, 2.0, 4.0, 1.0], [5.0, 1.0, 2.0]

    usual = prediction_powered_mean(human, judge, unlabelled)
    other = prediction_powered_mean(*([factor * value for value in part] for part in (human, judge, unlabelled)))

    assert (other.value / factor, other.low / factor) == pytest.approx((usual.value, usual.low), rel=1e-12)


@pytest.mark.parametrize("factor", [2.0**600, 2.0**-600], ids=["huge", "tiny"])
def test_the_magnitude_of_numeric_verdicts_does_not_matter_for_the_alt_test(factor):
    rng = np.random.default_rng(3)
    humans, judge = rng.normal(3, 1, (40, 3)), rng.normal(3, 1, 40)

    usual = alt_test(humans, judge, level="interval", resamples=20)
    other = alt_test(humans * factor, judge * factor, level="interval", resamples=20)

    assert [rater.p for rater in other.raters] == [rater.p for rater in usual.raters]
