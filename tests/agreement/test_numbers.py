"""Ratings that are numbers: ICC, Lin, Bland-Altman, Kendall's W, correlations, ROC, against R and the papers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from agreement import (
    bland_altman,
    bootstrap,
    icc,
    kendall_tau,
    kendall_w,
    lin_ccc,
    macro_auc,
    mann_whitney,
    pearson,
    roc_auc,
    spearman,
)

# Shrout and Fleiss (1979), table 2
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Bland and Altman (1986), table 1: peak flow, large and mini meter, first measurements
LARGE = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
FIVE_POINT = [[1, 2, 2], [2, 1, 3], [2, 3, 3], [4, 4, 5], [5, 4, 4], [3, 3, 1], [5, 5, 5]]

SCORES = [0.1, 0.4, 0.35, 0.8, 0.7, 0.7, 0.2, 0.9, 0.55, 0.6, 0.4, 0.3]
OUTCOMES = [0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("model", "average", "value", "low", "high", "p"),
    [
        # R 4.2.2, psych 2.2.9:  ICC(sf, lmer = FALSE)$results
        (1, False, 0.1657417684, -0.13293232487, 0.7225600623, 0.1647688083446),
        (2, False, 0.2897637795, 0.01878651337, 0.7610843696, 0.0001345665165),
        (3, False, 0.7148407148, 0.34246476503, 0.9458582600, 0.0001345665165),
        (1, True, 0.4427971337, -0.88444215524, 0.9124154203, 0.1647688083446),
        (2, True, 0.6200505476, 0.07113681530, 0.9272320402, 0.0001345665165),
        (3, True, 0.9093155424, 0.67567471382, 0.9858916782, 0.0001345665165),
    ],
)
def test_icc_of_shrout_and_fleiss_is_that_of_r(model, average, value, low, high, p):
    estimate = icc(SHROUT_FLEISS, model, average, interval="f")

    assert (estimate.value, estimate.low, estimate.high, estimate.p) == pytest.approx((value, low, high, p), abs=1e-9)
    assert estimate.name == f"ICC({model},{'k' if average else 1})"


@pytest.mark.parametrize(
    ("model", "value", "low", "high"),
    [
        # R 4.2.2, psych 2.2.9:  ICC(x, lmer = FALSE)$results ; pingouin 0.5 gives the same to two digits
        (1, 0.753117206983, 0.387667904148, 0.946208277186),
        (2, 0.750000000000, 0.347532213085, 0.946634235037),
        (3, 0.722627737226, 0.312646295537, 0.939157547322),
    ],
)
def test_icc_of_a_five_point_scale_is_that_of_r(model, value, low, high):
    estimate = icc(FIVE_POINT, model, interval="f")

    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((value, low, high), abs=1e-11)


def test_icc_names_who_is_sampled():
    assert "raters sampled (random)" in icc(FIVE_POINT, 2).method
    assert "these raters (fixed)" in icc(FIVE_POINT, 3).method


def test_icc_without_spread_or_items_is_undefined_and_perfect_agreement_has_no_limits():
    assert icc([[3, 3], [3, 3]]).undefined_because == "all ratings are equal"
    assert "fewer than two" in icc([[1, 2]]).undefined_because
    assert "fewer than two" in icc([]).undefined_because
    assert "fewer than two" in icc([[1, None], [2, 3]]).undefined_because
    perfect = icc([[1, 1], [2, 2], [4, 4]])
    assert perfect.value == 1.0
    assert math.isnan(perfect.low)
    equal_means = icc([[1, 1], [0, 2], [2, 0]], 2)
    assert equal_means.value < 0
    assert "same mean" in equal_means.undefined_because
    assert "divides by 0" in icc([[0, 2], [2, 0]], 2).undefined_because
    shifted = icc([[1, 2], [2, 3], [4, 5]], 2)
    assert 0 < shifted.value < 1
    assert "perfect consistency" in shifted.undefined_because


def test_bland_altman_is_that_of_the_paper_and_of_r():
    result = bland_altman(LARGE, MINI)

    # R 4.2.2:  d <- large - mini; t.test(d)$conf.int
    assert result.bias.value == pytest.approx(-2.11764705882, abs=1e-10)
    assert (result.bias.low, result.bias.high) == pytest.approx((-22.0488376966, 17.8135435790), abs=1e-9)
    # R 4.2.2:  mean(d) - 1.96 * sd(d) + c(-1, 1) * qt(.975, 16) * sqrt(3 * var(d) / 17)
    assert result.lower.value == pytest.approx(-78.09730161109, abs=1e-10)
    assert (result.lower.low, result.lower.high) == pytest.approx((-112.619136451, -43.575466771), abs=1e-8)
    assert result.upper.value == pytest.approx(73.86200749345, abs=1e-10)
    assert result.sd == pytest.approx(38.76512987361, abs=1e-10)


def test_equal_differences_and_too_few_pairs_have_no_intervals():
    equal = bland_altman([2, 3, 4], [1, 2, 3])
    one_pair = bland_altman([2], [1])
    none = bland_altman([None], [1])

    assert equal.bias.value == equal.lower.value == equal.upper.value == 1.0
    assert equal.bias.undefined_because == "all differences are equal"
    assert one_pair.bias.value == 1.0
    assert math.isnan(one_pair.lower.value)
    assert math.isnan(none.bias.value)
    assert none.as_dict()["sd"] is None


def test_lins_concordance_is_that_of_epi_ccc_typed_out_in_r():
    estimate = lin_ccc(LARGE, MINI)

    # R 4.2.2, the lines of epiR::epi.ccc (ci = "z-transform"): p, sep, limits
    assert (estimate.value, estimate.se) == pytest.approx((0.9427424314275, 0.0286167374606), abs=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx((0.8504918731686, 0.9787262791701), abs=1e-12)


def test_lins_concordance_by_hand_and_without_spread():
    # x = 1 2 3 4, y = x + 1: variances 5/4, covariance 5/4, gap 1: 2.5 / (2.5 + 1) = 5/7
    assert lin_ccc([1, 2, 3, 4], [2, 3, 4, 5]).value == pytest.approx(5 / 7, abs=1e-15)
    assert lin_ccc([1, 2, 3], [1, 2, 3]).value == 1.0
    assert math.isnan(lin_ccc([1, 2, 3], [1, 2, 3]).low)
    assert "constant" in lin_ccc([1, 1, 1], [1, 2, 3]).undefined_because
    assert "three or more" in lin_ccc([1, 2], [1, 2]).undefined_because


def test_kendalls_w_is_that_of_friedmans_test_in_r():
    estimate = kendall_w(FIVE_POINT)

    # R 4.2.2:  f <- friedman.test(t(x)); f$statistic / (3 * 6); f$p.value
    assert estimate.value == pytest.approx(0.849794238683, abs=1e-11)
    assert estimate.p == pytest.approx(0.0180732413, abs=1e-9)
    assert math.isnan(estimate.low)


def test_kendalls_w_of_equal_and_of_no_orders():
    assert kendall_w([[1, 1], [2, 2], [3, 3]]).value == pytest.approx(1.0)
    assert kendall_w([[1, 3], [2, 2], [3, 1]]).value == pytest.approx(0.0, abs=1e-12)
    assert kendall_w([[1, 1], [1, 1]]).undefined_because == "every rater ties all items"
    # without the correction ties lower W: (12 * (3^2 + 3^2 + 6^2) - 3 * 4 * 3 * 16) / (4 * 3 * 8) = 72 / 96
    assert kendall_w([[1, 1], [1, 1], [2, 2]], correct_ties=False).value == pytest.approx(72 / 96)
    assert kendall_w([[1, 1], [1, 1], [2, 2]]).value == pytest.approx(1.0)


def test_correlations_are_those_of_r():
    # R 4.2.2:  cor.test(large, mini) ; cor(..., method = "spearman" | "kendall")
    r = pearson(LARGE, MINI)
    assert (r.value, r.low, r.high) == pytest.approx((0.943279446891, 0.846358808792, 0.979731337352), abs=1e-11)
    assert r.p == pytest.approx(1.39950133989e-08, rel=1e-9)
    assert spearman(LARGE, MINI).value == pytest.approx(0.899509803922, abs=1e-11)
    assert spearman(LARGE, MINI).p == pytest.approx(8.96481837551e-07, rel=1e-6)
    assert kendall_tau(LARGE, MINI).value == pytest.approx(0.764705882353, abs=1e-11)


@pytest.mark.parametrize("correlation", [pearson, spearman, kendall_tau])
def test_correlations_without_spread_or_pairs_are_undefined(correlation):
    assert "constant" in correlation([1, 1, 1], [1, 2, 3]).undefined_because
    assert correlation([1, None], [1, 2]).undefined_because == "1 pair: expected three or more"
    perfect = correlation(range(8), range(8))
    assert perfect.value == pytest.approx(1.0)
    assert "perfect correlation" in perfect.undefined_because
    assert "too few" in correlation([1, 2, 3], [1, 3, 2]).undefined_because


def test_the_area_under_the_roc_curve_is_that_of_proc():
    estimate = roc_auc(SCORES, OUTCOMES, interval="normal")

    # R 4.2.2, pROC 1.18.0:  r <- roc(y, score, direction = "<"); auc(r); var(r); ci.auc(r)
    assert estimate.value == pytest.approx(0.777777778, abs=1e-9)
    assert estimate.se**2 == pytest.approx(0.0200617283951, abs=1e-12)
    assert estimate.low == pytest.approx(0.500169594, abs=1e-9)
    assert estimate.high == 1.0


def test_the_clustered_area_has_the_spread_of_a_cluster_bootstrap():
    rng = np.random.default_rng(4)
    subjects = np.repeat(np.arange(60), 4)
    outcome = rng.integers(0, 2, 240)
    score = outcome + np.repeat(rng.normal(0, 1.5, 60), 4) + rng.normal(0, 0.5, 240)

    estimate = roc_auc(score, outcome, clusters=subjects)

    resampled = bootstrap(lambda s, o: roc_auc(s, o).value, (score, outcome), clusters=subjects, seed=1, resamples=400)
    assert estimate.value == roc_auc(score, outcome).value
    assert estimate.n_clusters == 60
    assert estimate.se == pytest.approx(resampled.se, rel=0.12)


def test_clusters_of_one_are_delongs():
    alone = roc_auc(SCORES, OUTCOMES, clusters=range(12))

    assert alone.se == pytest.approx(roc_auc(SCORES, OUTCOMES).se, abs=1e-15)


def test_the_macro_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(6)
    reference = rng.integers(0, 3, 90)
    scores = rng.random((90, 3)) + np.eye(3)[reference] * 0.4
    scores /= scores.sum(axis=1, keepdims=True)

    estimate = macro_auc(scores, reference, classes=[0, 1, 2])

    assert estimate.value == pytest.approx(roc_auc_score(reference, scores, multi_class="ovr", average="macro"))
    resampled = bootstrap(
        lambda s, r: macro_auc(s, r, classes=[0, 1, 2]).value, (scores, reference), seed=1, resamples=400
    )
    assert estimate.se == pytest.approx(resampled.se, rel=0.12)
    assert (
        macro_auc([[1, 0], [1, 0]], ["a", "a"], classes=["a", "b"]).undefined_because == "fewer than two classes occur"
    )


def test_the_direction_of_the_area_is_never_flipped():
    assert roc_auc([-s for s in SCORES], OUTCOMES).value == pytest.approx(1 - 0.777777778, abs=1e-9)


def test_an_area_without_both_sides_is_undefined():
    assert roc_auc([1, 2], [1, 1]).undefined_because == "no negative items"
    assert roc_auc([1, None], [0, 1]).undefined_because == "no positive items"
    separated = roc_auc([1, 2, 3, 4], [0, 0, 1, 1], interval="normal")
    assert separated.value == 1.0
    assert math.isnan(separated.low)


def test_mann_whitney_is_that_of_r():
    above = [s for s, o in zip(SCORES, OUTCOMES, strict=True) if o]
    below = [s for s, o in zip(SCORES, OUTCOMES, strict=True) if not o]

    estimate = mann_whitney(above, below)

    # R 4.2.2:  wilcox.test(above, below)  -> W = 28 of 36, p-value (ties: normal, corrected)
    assert estimate.value == pytest.approx(28 / 36, abs=1e-15)
    assert estimate.p == pytest.approx(0.126869349311, abs=1e-11)
    # R 4.2.2:  wilcox.test(c(1.1, 2.2, 3.3, 4.4), c(.5, 1.5, 2.5))$p.value   (exact)
    assert mann_whitney([1.1, 2.2, 3.3, 4.4], [0.5, 1.5, 2.5]).p == pytest.approx(0.4, abs=1e-12)


def test_groups_that_do_not_overlap_or_are_empty_have_no_normal_interval():
    assert mann_whitney([3, 4], [1, 2]).value == 1.0
    assert math.isnan(mann_whitney([3, 4], [1, 2], interval="normal").low)
    assert mann_whitney([], [1]).undefined_because == "one group is empty"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.lists(st.integers(0, 5), min_size=1, max_size=12))
@settings(max_examples=40)
def test_superiority_counts_pairs_and_mirrors(x, y):
    estimate = mann_whitney(x, y)

    pairs = [(a > b) + (a == b) / 2 for a in x for b in y]
    assert estimate.value == pytest.approx(np.mean(pairs), abs=1e-12)
    assert mann_whitney(y, x).value == pytest.approx(1 - estimate.value, abs=1e-12)


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="x holds something that is not a number"):
        pearson(["a"], [1])
    with pytest.raises(ValueError, match="ratings holds something that is not a number"):
        icc([["a", "b"]])
    with pytest.raises(ValueError, match="model is 4"):
        icc(FIVE_POINT, 4)
    with pytest.raises(ValueError, match="infinite"):
        pearson([1, math.inf], [1, 2])
