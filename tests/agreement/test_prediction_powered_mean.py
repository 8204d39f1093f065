"""The prediction-powered mean: published values, weighted or stratified samples, clusters, where it is undefined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import (
    prediction_powered_mean,
)


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
    assert both.se**2 == pytest.approx(40 / 39 * (alone.se**2 + 0.25 / 40 - 0.25 / 200), abs=1e-12)
    assert "independent candidates" in alone.method  # each of the labelled is the only one of its cluster
    pairs = prediction_powered_mean(human, judge, unlabelled, tuned=False, clusters=clusters // 2)
    assert "clustered, unlabelled independent" in pairs.method
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


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=12),
    st.lists(st.integers(0, 1), min_size=1, max_size=12),
)
def test_every_unit_twice_leaves_the_untuned_mean_as_it_is(pairs, unlabelled):
    human, judge = zip(*pairs, strict=True)

    once = prediction_powered_mean(human, judge, unlabelled, tuned=False)
    twice = prediction_powered_mean(human * 2, judge * 2, unlabelled * 2, tuned=False)

    assert twice.value == pytest.approx(once.value, abs=1e-12)


@pytest.mark.parametrize("wrong", [1, 5])
@pytest.mark.parametrize(("design", "interval"), [("strata", "normal"), ("probabilities", "score")])
def test_few_wrong_among_the_labelled_that_stand_for_most_are_warned_of(design, interval, wrong):
    # 30 of 130 and 30 of 530 are labelled: one of the latter stands for four times as many as one of the former
    human = [1] * 20 + [0] * 10 + [1] * (30 - wrong) + [0] * wrong
    judge, unlabelled = human[5:] + human[:5], [1] * 70 + [0] * 30 + [1] * 480 + [0] * 20
    of_design = {
        "strata": {"strata": [0] * 30 + [1] * 30, "unlabelled_strata": [0] * 100 + [1] * 500},
        "probabilities": {"probabilities": [30 / 130] * 30 + [30 / 530] * 30},
    }

    estimate = prediction_powered_mean(human, judge, unlabelled, **of_design[design], interval=interval)

    text = (
        "among the labelled with the largest weights, fewer than 5 are right, or wrong: the interval is likely to be "
        "too narrow"
    )
    assert estimate.warning == (text if wrong < 5 else None)


def test_labelled_that_stand_for_about_as_many_each_are_not_warned_of():
    human, judge, unlabelled = [1] * 29 + [0], [1] * 28 + [0] * 2, [1] * 180 + [0] * 20
    strata, others = [0] * 15 + [1] * 15, [0] * 95 + [1] * 105

    assert prediction_powered_mean(human, judge, unlabelled).warning is None
    assert prediction_powered_mean(human, judge, unlabelled, strata=strata, unlabelled_strata=others).warning is None


def held_of(samples, sizes, others, right, design):
    """In how many of samples the interval holds: the judge is right in 88 of 100, and each stratum in so many."""
    rng, held = np.random.default_rng(5), 0
    strata, pool = np.repeat([0, 1], sizes), np.repeat([0, 1], others)
    parts = (np.array(sizes) + others) / (sum(sizes) + sum(others))
    given = {"strata": strata, "unlabelled_strata": pool}
    if design == "probabilities":
        given = {"probabilities": (np.array(sizes) / (np.array(sizes) + others))[strata]}
    for _ in range(samples):
        human, of_others = (
            rng.random(strata.size) < np.array(right)[strata],
            rng.random(pool.size) < np.array(right)[pool],
        )
        judge, unlabelled = human ^ (rng.random(strata.size) < 0.12), of_others ^ (rng.random(pool.size) < 0.12)
        estimate = prediction_powered_mean(human.astype(int), judge.astype(int), unlabelled.astype(int), **given)
        held += estimate.low <= parts @ right <= estimate.high
    return held


@pytest.mark.parametrize("design", ["strata", "probabilities"])
def test_it_holds_where_the_largest_stratum_has_few_errors(design):
    # 30 of 130, .7 right, and 30 of 530, .95 right, of whom none are wrong in one sample of five
    assert held_of(200, [30, 30], [100, 500], [0.7, 0.95], design) >= 0.9 * 200


def test_a_stratum_whose_labelled_are_all_right_is_not_taken_for_certain():
    # .8 of the pool in a stratum of which 30 of 30 labelled are right, whatever the judge says there
    human, strata = [1] * 20 + [0] * 10 + [1] * 30, [0] * 30 + [1] * 30
    pool, others = [1] * 50 + [0] * 20 + [1] * 370, [0] * 70 + [1] * 370

    estimate = prediction_powered_mean(human, human, pool, strata=strata, unlabelled_strata=others)

    # Wilson's lower limit of 30 of 30 is 1 / (1 + z^2 / 30) = .886; it moves the whole by .8 of what it is away from 1
    assert estimate.low < estimate.value - 0.8 * (1 - 0.886)
    assert "Wilson score intervals of the strata on their effective numbers, put together" in estimate.method


def test_every_unit_twice_in_one_cluster_says_as_much_as_once():
    human, judge = [1, 1, 0, 1, 1, 0, 1, 1] * 10, [1, 0, 0, 1, 1, 1, 1, 1] * 10
    strata, unlabelled = [0, 1] * 40, [1, 1, 0, 1] * 50
    given = {"strata": strata, "unlabelled_strata": [0, 1] * 100}

    alone = prediction_powered_mean(human, judge, unlabelled, **given)
    # every unit of a cluster adds the same: as if there were fewer of them
    human, judge, given["strata"] = (np.repeat(values, 2) for values in (human, judge, strata))
    twice = prediction_powered_mean(human, judge, unlabelled, **given, clusters=np.repeat(np.arange(80), 2))

    assert twice.high - twice.low == pytest.approx(alone.high - alone.low, rel=0.05)


def test_one_stratum_has_the_limits_of_none():
    human, judge, unlabelled = [1, 0, 1, 1, 0], [1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1]

    plain = prediction_powered_mean(human, judge, unlabelled)
    in_one_stratum = prediction_powered_mean(human, judge, unlabelled, strata=["a"] * 5, unlabelled_strata=["a"] * 6)

    assert (in_one_stratum.low, in_one_stratum.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_strata_that_share_clusters_vary_together():
    # a cluster has a unit of either stratum, and both are right or wrong: as wide as the clusters alone
    rng = np.random.default_rng(3)
    right = (rng.random(60) < 0.7).astype(int)
    human, strata, clusters = np.repeat(right, 2), np.tile([0, 1], 60), np.repeat(np.arange(60), 2)
    given = {"strata": strata, "unlabelled_strata": [0, 1] * 300}
    judge, unlabelled = rng.integers(0, 2, 120), rng.integers(0, 2, 600)

    together = prediction_powered_mean(human, judge, unlabelled, **given, clusters=clusters)
    apart = prediction_powered_mean(human, judge, unlabelled, **given)

    assert together.high - together.low == pytest.approx(2**0.5 * (apart.high - apart.low), rel=0.07)


@pytest.mark.parametrize("interval", ["score", "normal"])
@pytest.mark.parametrize("drawn", ["at random", "unequally", "in strata"])
@pytest.mark.parametrize("power", [40, 600])
def test_the_unit_of_a_judges_numbers_does_not_matter_where_lambda_is_below_1(power, drawn, interval):
    rng = np.random.default_rng(5)
    human = (rng.random(40) < 0.6).astype(float)
    judge, rest = 4.0 + human + rng.random(40) * 4.0, 4.0 + rng.random(100) * 5.0
    options = {
        "at random": {},
        "unequally": {"probabilities": [0.25, 0.5] * 20},
        "in strata": {"strata": ["x", "y"] * 20, "unlabelled_strata": ["x", "y"] * 50},
    }[drawn]
    plain = prediction_powered_mean(human, judge, rest, interval=interval, **options)
    factor = 2.0**power

    other = prediction_powered_mean(human, judge * factor, rest * factor, interval=interval, **options)

    assert (other.value, other.low, other.high, other.se) == (plain.value, plain.low, plain.high, plain.se)


def test_a_share_that_is_not_tuned_refuses_numbers_of_a_judge_whose_squares_are_not_finite():
    human, judge = [1, 0, 1, 0], [1e160, 0, 1e160, 0]

    with pytest.raises(ValueError, match=r"^judge holds 1e\+160; expected numbers from -1e\+140 to 1e\+140"):
        prediction_powered_mean(human, judge, [0, 1, 1], tuned=False, interval="score")
    with pytest.raises(ValueError, match=r"^unlabelled holds 1e"):
        prediction_powered_mean(human, human, judge, tuned=False, interval="score")


@pytest.mark.parametrize("tuned", [True, False])
@pytest.mark.parametrize("human", [1, 0])
def test_a_share_outside_the_possible_range_says_that_it_is_none(human, tuned):
    labels, judged, others = [human] * 38 + [1 - human] * 2, [human] * 34 + [1 - human] * 6, [human] * 398

    outside = prediction_powered_mean(labels, judged, [*others, 1 - human, 1 - human], tuned=tuned)
    inside = prediction_powered_mean(labels, judged, judged * 10, tuned=tuned)

    assert not 0.0 <= outside.value <= 1.0
    assert "a value outside 0 to 1 is no share" in outside.method
    assert "is no share" not in inside.method
