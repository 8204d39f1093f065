"""Statistics of numbers, and tests of paired verdicts, whose items share clusters."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from agreement import (
    ClusterDraw,
    bland_altman,
    icc,
    kendall_tau,
    lin_ccc,
    mann_whitney,
    marginal_homogeneity_in_clusters,
    mcnemar_in_clusters,
    pearson,
    roc_auc,
    spearman,
)

OF_TWO = {
    "pearson": (pearson, lambda x, y: np.corrcoef(x, y)[0, 1]),
    "spearman": (spearman, lambda x, y: stats.spearmanr(x, y).statistic),
    "kendall": (kendall_tau, lambda x, y: stats.kendalltau(x, y).statistic),
    "ccc": (lin_ccc, lambda x, y: 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)),
    "icc": (lambda x, y, **options: icc(np.column_stack([x, y]), 3, **options), None),
    "bias": (lambda x, y, **options: bland_altman(x, y, **options).bias, lambda x, y: np.mean(x - y)),
    "upper": (
        lambda x, y, **options: bland_altman(x, y, **options).upper,
        lambda x, y: np.mean(x - y) + 1.96 * np.std(x - y, ddof=1),
    ),
}


def scores(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(25), 4)
    shared = rng.normal(size=25)[subjects]
    return shared + rng.normal(size=100).round(1), shared + rng.normal(size=100).round(1), subjects


@pytest.mark.parametrize("name", OF_TWO)
def test_the_cluster_bootstrap_is_that_of_a_plain_loop_over_subjects(name):
    statistic, by_hand = OF_TWO[name]
    x, y, subjects = scores()

    estimate = statistic(x, y, clusters=subjects, interval="percentile", resamples=2000, seed=1)

    rng, values = np.random.default_rng(2), []
    for _ in range(250):
        rows = (rng.integers(0, 25, 25)[:, None] * 4 + np.arange(4)).ravel()
        values.append(by_hand(x[rows], y[rows]) if by_hand else statistic(x[rows], y[rows]).value)
    assert estimate.value == statistic(x, y).value
    assert estimate.se == pytest.approx(np.std(values, ddof=1), rel=0.16)
    assert estimate.n_clusters == 25
    assert "cluster bootstrap" in estimate.method


@pytest.mark.parametrize("name", OF_TWO)
def test_a_bootstrap_of_items_is_had_on_request_and_a_plain_interval_refused_for_clusters(name):
    statistic, _ = OF_TWO[name]
    x, y, subjects = scores()

    estimate = statistic(x, y, interval="bca", resamples=300)

    assert estimate.low < estimate.value < estimate.high
    assert estimate.n_clusters is None
    with pytest.raises(ValueError, match="interval is"):
        statistic(x, y, clusters=subjects, interval="normal")


def test_one_cluster_has_no_interval():
    estimate = spearman([1, 2, 3], [1, 3, 2], clusters=["s", "s", "s"])

    assert estimate.value == pytest.approx(0.5)
    assert estimate.undefined_because == "fewer than two clusters: nothing to resample"


def test_missing_pairs_leave_their_clusters_with_them():
    estimate = pearson([1, 2, 3, 4, None], [1, 3, 2, 4, 4], clusters=["a", "b", "c", "c", "d"], resamples=100)

    assert estimate.n_clusters == 3


def test_the_superiority_of_clustered_groups_is_the_area_under_their_roc_curve():
    x, y, subjects = scores()

    estimate = mann_whitney(x + 0.5, y, clusters=(subjects, subjects))
    area = roc_auc(np.r_[x + 0.5, y], [1] * 100 + [0] * 100, clusters=np.r_[subjects, subjects])

    assert (estimate.value, estimate.se, estimate.p) == (area.value, area.se, area.p)
    assert estimate.value == mann_whitney(x + 0.5, y).value
    assert mann_whitney([], [1], clusters=([], ["s"])).undefined_because == "one group is empty"


@pytest.mark.parametrize(
    ("x", "y", "of_x", "reason"),
    [
        ([1, 2], [3, 4], "ss", "x or y in one cluster only: no standard error"),
        ([1, 2], [3, 4], "st", "the groups do not overlap: the standard error is 0"),
        ([1, 1], [1, 1], "st", "the groups do not vary: the standard error is 0"),
        ([], [1, 1], "", "one group is empty"),
    ],
)
def test_why_clustered_groups_have_no_interval_is_said_of_groups(x: list[int], y: list[int], of_x: str, reason: str):
    estimate = mann_whitney(x, y, clusters=([*of_x], ["s", "t"]), interval="normal")

    assert estimate.undefined_because == reason


def test_clusters_of_one_group_only_are_refused():
    with pytest.raises(ValueError, match="clusters is not a pair"):
        mann_whitney([1, 2], [3], clusters="ab c")


def test_clusters_of_one_pair_have_the_statistics_of_independent_pairs():
    a, b = [1] * 14 + [0] * 6 + [1] * 10, [0] * 14 + [1] * 6 + [1] * 10

    durkalski = mcnemar_in_clusters(a, b, clusters=range(30), resamples=200)
    obuchowski = mcnemar_in_clusters(a, b, clusters=range(30), method="obuchowski", resamples=200)

    # (14 - 6)^2 / 20, and 29/30 of it
    assert durkalski.p == pytest.approx(stats.chi2.sf(64 / 20, 1))
    assert obuchowski.p == pytest.approx(stats.chi2.sf(64 / 20 * 29 / 30, 1))
    assert durkalski.value == 14 / 20
    assert durkalski.method.startswith("McNemar, Durkalski, chi2(1) = 3.2; cluster bootstrap")


def test_margins_of_two_categories_are_obuchowskis_test():
    rng = np.random.default_rng(3)
    a, b, subjects = rng.integers(0, 2, 60), rng.integers(0, 2, 60), np.repeat(np.arange(15), 4)

    margins = marginal_homogeneity_in_clusters(a, b, clusters=subjects)

    assert margins.p == pytest.approx(mcnemar_in_clusters(a, b, clusters=subjects, method="obuchowski").p)
    assert margins.method.startswith("Obuchowski, chi2(1)")


def test_margins_do_not_depend_on_the_order_of_categories():
    rng = np.random.default_rng(4)
    a, b, subjects = rng.integers(0, 3, 90), rng.integers(0, 3, 90), np.repeat(np.arange(30), 3)

    one_order = marginal_homogeneity_in_clusters(a, b, clusters=subjects, categories=[0, 1, 2])
    other_order = marginal_homogeneity_in_clusters(a, b, clusters=subjects, categories=[2, 0, 1])

    assert one_order.p == pytest.approx(other_order.p)
    assert "chi2(2)" in one_order.method


@pytest.mark.parametrize("test", ["durkalski", "obuchowski", "margins"])
def test_without_a_difference_one_sample_of_twenty_is_rejected(test):
    rng = np.random.default_rng(5)
    subjects, rejected = np.repeat(np.arange(40), 4), 0
    for _ in range(300):
        levels = 2 if test != "margins" else 3
        shift = rng.random(40)[subjects]
        a, b = (np.where(rng.random(160) < 0.6 * shift, 0, rng.integers(0, levels, 160)) for _ in range(2))
        lean = rng.random(40)[subjects] < 0.5  # one rater of the two leans towards 0 in a subject, either as often
        a, b = np.where(lean & (rng.random(160) < 0.3), 0, a), np.where(~lean & (rng.random(160) < 0.3), 0, b)
        if test == "margins":
            estimate = marginal_homogeneity_in_clusters(a, b, clusters=subjects)
        else:
            estimate = mcnemar_in_clusters(a, b, clusters=subjects, method=test, resamples=2)
        rejected += estimate.p < 0.05

    assert stats.binomtest(rejected, 300, 0.05).pvalue > 0.01


def test_what_cannot_be_tested_says_why():
    few = marginal_homogeneity_in_clusters([0, 1, 2, 0], [1, 2, 0, 0], clusters=["s", "t", "u", "u"])
    none = mcnemar_in_clusters([1, 1], [1, 1], clusters=["s", "t"])

    assert math.isfinite(few.value)
    assert few.p is None
    assert "3 clusters: the test needs" in few.undefined_because
    assert none.undefined_because == "no discordant pairs"
    assert none.p == 1.0


def test_a_rank_correlation_of_few_values_in_many_clusters_is_that_of_every_item_ranked(monkeypatch):
    rng = np.random.default_rng(4)
    x, of = rng.integers(1, 4, 60), np.arange(60) // 3
    y = np.clip(x + rng.integers(-1, 2, 60), 1, 3)

    def estimated():
        return spearman(x, y, **ClusterDraw(of, resamples=300, seed=1).by())

    ranked = estimated()
    monkeypatch.setattr("agreement.ranks_of_units.MANY_TIMES", 0)
    of_table = estimated()

    assert (of_table.low, of_table.high) == pytest.approx((ranked.low, ranked.high), abs=1e-12)
    assert of_table.value == ranked.value


def test_a_rank_correlation_of_many_values_in_many_clusters_needs_no_new_ranks(monkeypatch):
    rng = np.random.default_rng(4)
    of = np.repeat(np.arange(600), 2)
    x = rng.normal(size=600)[of] + rng.normal(size=1200)
    y = x + rng.normal(size=1200)

    def estimated():
        return spearman(x, y, **ClusterDraw(of, resamples=300, seed=1).by())

    ranked = estimated()
    monkeypatch.setattr("agreement.ranks_of_units.MANY_TIMES", 0)
    of_terms = estimated()

    assert of_terms.value == ranked.value
    assert (of_terms.low, of_terms.high) == pytest.approx((ranked.low, ranked.high), abs=ranked.se / 8)
    assert of_terms.method.endswith("; ranks by their first-order terms")


@pytest.mark.parametrize(
    ("correlation", "of"),
    [(spearman, np.arange(10_500) % 400), (kendall_tau, np.repeat(np.arange(11), [1500, *[1] * 10]))],
)
def test_rank_correlations_of_many_items_in_few_clusters_hold_no_table_of_them(correlation, of):
    rng = np.random.default_rng(6)
    x = rng.normal(size=of.size)
    y = x + rng.normal(size=of.size)

    tracemalloc.start()
    estimate = correlation(x, y, clusters=of, resamples=2)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert estimate.value > 0.4
    assert most < 30e6


def test_equal_and_opposite_orders_of_many_items_are_perfect_and_have_no_interval(monkeypatch):
    monkeypatch.setattr("agreement.ranks_of_units.MANY_TIMES", 0)
    x = np.random.default_rng(5).normal(size=600)

    for sign in (1, -1):
        estimate = spearman(x, sign * x, clusters=np.arange(600), interval="percentile", resamples=50)
        assert estimate.value == sign
        assert math.isnan(estimate.low)


def test_limits_of_concordance_never_lie_above_1():
    a, b = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [1, 3, 2, 1, 0, 1]

    # some resamples are in perfect concordance, which sums put a rounding error above 1
    estimate = lin_ccc(a, b, clusters=[0, 0, 0, 1, 2, 3], seed=3, resamples=60)

    assert estimate.high == 1.0
