"""A judge in place of humans: figures corrected for its errors, and homogeneity of its bias."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import (
    diagnostic_accuracy,
    judge_bias_by_factor,
    prediction_powered_mean,
    rogan_gladen,
    rogan_gladen_in_clusters,
)

CELLS = {"true_positive": 90, "false_negative": 10, "true_negative": 80, "false_positive": 20}


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


def test_rogan_gladen_in_clusters_has_the_value_of_the_counts_and_of_single_units_the_interval():
    plain = rogan_gladen(410, 1000, **CELLS)

    single = rogan_gladen_in_clusters(
        **LABELLED, unlabelled=units(410, 590), clusters=range(200), unlabelled_clusters=range(1000)
    )

    assert single == plain


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

    assert few.warning == "a category is expected in fewer than 5 candidates: value and interval are uncertain"
    assert rogan_gladen(410, 1000, **CELLS).warning is None
    assert in_clusters.warning.startswith("only 9 clusters: an interval from fewer than 10 clusters")


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


def test_pairs_of_a_cluster_on_one_level_have_a_covariance_of_their_own_if_they_are_the_more_alike():
    # two candidates of models x and y on each of five items: those of one model are right or wrong together
    d = np.array([1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0], float)
    on_x, item = np.arange(20) % 4 < 2, np.arange(20) // 4
    pairs = np.equal.outer(item, item) & ~np.eye(20, dtype=bool)
    same = pairs & np.equal.outer(on_x, on_x)
    products, sign = np.outer(d - d.mean(), d - d.mean()), np.where(on_x, 0.1, -0.1)
    covariances = {
        "by_level": np.where(same, products[same].mean(), max(0.0, products[pairs & ~same].mean())),
        "common": np.full((20, 20), max(0.0, products[pairs].mean())),
    }
    assert products[same].mean() > products[pairs & ~same].mean()

    for kind, covariance in covariances.items():
        (result,) = judge_bias_by_factor(
            [1] * 20, 1 - d, {"model": on_x}, clusters=item, within_clusters=kind, resamples=10
        )
        own = np.trace(products) / 19 * sign @ sign
        assert result.statistic == pytest.approx((sign @ d) ** 2 / (own + sign @ (pairs * covariance) @ sign))


def test_homogeneity_is_not_estimable_where_moments_of_a_few_pairs_are_no_covariance():
    d = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0])
    models, items = list("ccdcdbdaab"), [3, 0, 0, 5, 0, 4, 2, 0, 2, 3]

    (result,) = judge_bias_by_factor([1] * 10, 1 - d, {"model": models}, clusters=items, resamples=10)

    assert np.isnan(result.statistic) and np.isnan(result.p)
    assert result.undefined_because == "too few pairs within clusters for their covariance: not estimable"


def test_homogeneity_holds_its_level_where_clusters_react_to_levels_in_ways_of_their_own():
    rng = np.random.default_rng(5)
    items, models = np.repeat(np.arange(40), 8), np.tile(np.repeat(["x", "y"], 4), 40)
    of_item_and_model = np.repeat(np.arange(80), 4)

    def share_rejected(within_clusters):
        rejected = 0
        for _ in range(150):
            shared, own = rng.random(80) < 0.15, rng.random(320) < 0.15
            wrong = np.where(rng.random(320) < 0.6, shared[of_item_and_model], own)
            (result,) = judge_bias_by_factor(
                [1] * 320, 1 - wrong.astype(int), {"model": models},
                clusters=items, within_clusters=within_clusters, resamples=2,
            )  # fmt: skip
            rejected += result.p < 0.05
        return rejected / 150

    assert share_rejected("by_level") < 0.1 < share_rejected("common")


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


def test_factors_and_corrections_are_checked_by_name():
    with pytest.raises(ValueError, match=r"factors\['model'\] is a int; expected a sequence"):
        judge_bias_by_factor([1, 0], [1, 0], {"model": 1})
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
