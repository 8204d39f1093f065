"""P and limits by a standard error in clusters are by t; plans that were frozen before keep the normal distribution."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agreement import mann_whitney, prediction_powered_difference, prediction_powered_mean, roc_auc
from agreement.judge.plan import Plan
from agreement.judge.pool import Pool
from tests.agreement.judge.panel_material import three_humans

OF_NORMAL = "with fewer than 20, the normal distribution gives"


def two_groups(clusters, each=4):
    rng = np.random.default_rng(clusters)
    codes = np.repeat(np.arange(clusters), each)
    return rng.normal(size=codes.size) + rng.normal(size=clusters)[codes], codes, np.arange(codes.size) % 2 == 0


def superiority(clusters, **options):
    numbers, codes, first = two_groups(clusters)
    of_both = (codes[first], codes[~first])
    return mann_whitney(numbers[first], numbers[~first], clusters=of_both, **options)


def area_of_first(clusters, **options):
    numbers, codes, first = two_groups(clusters)
    return roc_auc(numbers, first, clusters=codes, **options)


def difference(clusters, **options):
    rng = np.random.default_rng(clusters)
    codes = np.repeat(np.arange(clusters), 8)
    human = rng.normal(size=(2, codes.size)) + rng.normal(size=(2, clusters))[:, codes]
    judge = human + rng.normal(size=human.shape)
    labelled = np.arange(codes.size) % 4 == 0
    by = (
        {"clusters": codes[labelled], "unlabelled_clusters": codes[~labelled]} if options.pop("clustered", True) else {}
    )
    of_human, of_judge, others = human[:, labelled], judge[:, labelled], judge[:, ~labelled]
    return prediction_powered_difference(tuple(of_human), tuple(of_judge), tuple(others), **by, **options).difference


def test_a_corrected_difference_in_clusters_has_limits_and_p_by_t_of_their_number_less_one():
    estimate = difference(6)

    half, standardised = (estimate.high - estimate.low) / 2, abs(estimate.value) / estimate.se
    assert half == pytest.approx(stats.t.isf(0.025, 5) * estimate.se)
    assert estimate.p == pytest.approx(2 * stats.t.sf(standardised, 5))
    assert "t interval by the number of clusters" in estimate.method
    assert OF_NORMAL not in estimate.warning


def test_a_corrected_difference_of_independent_items_stays_normal():
    estimate = difference(6, clustered=False)

    assert estimate.p == pytest.approx(2 * stats.norm.sf(abs(estimate.value) / estimate.se))
    assert "normal interval" in estimate.method and estimate.warning is None


def test_a_corrected_mean_of_numbers_in_clusters_has_limits_by_t_and_a_share_keeps_its_score_limits():
    numbers, codes, first = two_groups(6)
    of = {"clusters": codes[first], "unlabelled_clusters": codes[~first]}

    mean = prediction_powered_mean(numbers[first], numbers[first] / 2, numbers[~first], **of)
    share = prediction_powered_mean(numbers[first] > 0, numbers[first] > 0.5, numbers[~first] > 0.5, **of)

    assert mean.high - mean.value == pytest.approx(stats.t.isf(0.025, 5) * mean.se)
    assert "score interval" in share.method


@pytest.mark.parametrize("area", [superiority, area_of_first])
def test_p_of_an_area_in_clusters_is_by_the_t_of_its_limits(area):
    estimate, earlier = area(6), area(6, p_in_clusters="normal")

    standardised = abs(estimate.value - 0.5) / estimate.se
    assert estimate.p == pytest.approx(2 * stats.t.sf(standardised, 5))
    assert earlier.p == pytest.approx(2 * stats.norm.sf(standardised))
    assert (estimate.low, estimate.high) == (earlier.low, earlier.high)


@pytest.mark.parametrize("clusters", [9, 19, 20])
def test_the_normal_distribution_of_earlier_plans_is_warned_of_below_twenty_clusters(clusters):
    of_difference, of_area = difference(clusters, interval="normal"), superiority(clusters, p_in_clusters="normal")
    by_t = difference(clusters), superiority(clusters)

    for estimate in (of_difference, of_area):
        assert (OF_NORMAL in (estimate.warning or "")) == (clusters < 20)
    assert all(OF_NORMAL not in (estimate.warning or "") for estimate in by_t)
    assert of_difference.p < by_t[0].p and of_area.p < by_t[1].p


def test_without_any_difference_p_is_below_5_percent_in_about_one_sample_in_twenty_of_six_clusters():
    rng, codes = np.random.default_rng(4), np.repeat(np.arange(6), 4)
    labelled, ps = np.arange(24) % 4 == 0, []
    for _ in range(300):
        gap = rng.normal(size=24) + rng.normal(size=6)[codes]
        judge, zero = gap + rng.normal(size=24), np.zeros(24)
        ps.append(
            prediction_powered_difference(
                (gap[labelled], zero[labelled]), (judge[labelled], zero[labelled]), (judge[~labelled], zero[~labelled]),
                clusters=codes[labelled], unlabelled_clusters=codes[~labelled],
            ).difference.p
        )  # fmt: skip

    assert 0.02 <= np.mean(np.array(ps) < 0.05) <= 0.09  # by the normal distribution .13


@pytest.mark.parametrize("by_item", [True, False])
def test_a_corrected_difference_of_a_judges_panel_is_by_the_distribution_of_the_plan(by_item):
    given = three_humans(items=24, n_labelled=16)  # in 12 clusters, of which 8 have labels
    given = given if by_item else replace(given, items=None)
    human, judge = given.humans["h1"].codes, given.judges["judge"].codes

    estimates = {}
    for distribution in ("t", "normal"):
        plan = Plan(design="random", resamples=400, p_in_clusters=distribution)
        pool = Pool(given, human, judge, plan)
        corrected = {model: pool.corrected(model) for model in ("A", "C")}
        estimates[distribution] = pool.difference("A", "C", corrected)

    by_t, by_normal = estimates["t"], estimates["normal"]
    assert by_t.value == by_normal.value and by_t.se == by_normal.se
    assert by_t.p == pytest.approx(2 * stats.t.sf(abs(by_t.value) / by_t.se, 7))
    assert by_t.high - by_t.value == pytest.approx(stats.t.isf(0.025, 7) * by_t.se)
    assert by_normal.p == pytest.approx(2 * stats.norm.sf(abs(by_t.value) / by_t.se))
    assert OF_NORMAL in by_normal.warning and OF_NORMAL not in by_t.warning
