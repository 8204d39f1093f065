"""The warning where clusters of a kind that was not sampled would move an estimate out of its interval."""

import numpy as np
import pytest

from agreement import (
    accuracy_of_correctness,
    coefficient_difference,
    cohen_kappa,
    conger_kappa,
    krippendorff_alpha,
    percent_agreement,
    prediction_powered_mean,
)

BEYOND = "the interval does not allow for kinds of clusters that were not sampled"
UNSEEN = (
    "the rarer category is scattered over fewer than 11 clusters, and 2 more of another kind would move the value out: "
    f"{BEYOND}"
)
OF_BOOTSTRAP = (
    "fewer than 11 clusters have most of the rarer category, and 2 more of another kind would move the value out: "
    f"{BEYOND}"
)
OF_KAPPA = (
    f"disagreements are scattered over the clusters, and 2 more of another kind would move the value out: {BEYOND}"
)


def first_of(errors, clusters=20, of_cluster=30):
    """Errors, each in the first item of a cluster of its own, and the cluster of each item."""
    wrong = np.zeros((clusters, of_cluster), dtype=bool)
    wrong[:errors, 0] = True
    return wrong.ravel(), np.repeat(np.arange(clusters), of_cluster)


@pytest.mark.parametrize(
    ("errors", "clusters", "of_cluster", "warned"),
    [
        (6, 20, 30, UNSEEN),
        (10, 20, 30, UNSEEN),
        (4, 20, 2, None),  # such an interval is wide enough for two more clusters that are wrong
        (12, 20, 30, None),
        (0, 20, 30, None),  # the clusters are the n
    ],
)
@pytest.mark.parametrize("right", [True, False])
def test_a_share_warns_where_two_more_clusters_of_another_kind_would_move_it_out(
    errors, clusters, of_cluster, warned, right
):
    wrong, of = first_of(errors, clusters, of_cluster)

    assert accuracy_of_correctness(wrong != right, clusters=of).primary.warning == warned


def test_errors_of_one_cluster_show_how_they_cluster():
    wrong, of = first_of(0)
    wrong[:6] = True

    assert accuracy_of_correctness(~wrong, clusters=of).primary.warning is None


def test_a_bootstrapped_share_warns_of_gathered_errors_and_does_not_call_them_scattered():
    wrong, of = first_of(0)
    wrong[:12] = True

    warned = accuracy_of_correctness(~wrong, clusters=of, interval="percentile", resamples=400).primary.cautions

    assert OF_BOOTSTRAP in [caution.text for caution in warned]


@pytest.mark.parametrize("interval", ["score", "percentile", "bca"])
def test_every_interval_of_a_share_warns(interval):
    differ, of = first_of(6)

    assert percent_agreement(differ, False & differ, clusters=of, interval=interval, resamples=200).warning == UNSEEN


def test_a_share_asks_whether_more_clusters_as_large_as_most_items_are_in_would_move_it_out():
    of = np.repeat(np.arange(30), np.resize([1, 2, 4, 8, 16], 30))  # 186 items, 6.2 to a cluster, most in one of 11
    right = np.arange(186) != 15  # the first of a cluster of 16

    estimate = accuracy_of_correctness(right, clusters=of).primary

    assert 185 / (186 + 1.75 * 11) < estimate.low < 185 / (186 + 1.75 * 6.2)
    assert estimate.warning == UNSEEN


def estimated(coefficient, differ, of, **options):
    """A coefficient of two raters who use both categories as often."""
    first = np.arange(differ.size) % 2 == 0
    pair = (first, first ^ differ)
    given = pair if coefficient is cohen_kappa else (np.stack(pair, 1),)
    return coefficient(*given, clusters=of, **options)


@pytest.mark.parametrize("interval", ["scattered", "percentile", "bca"])
@pytest.mark.parametrize(
    ("errors", "clusters", "of_cluster", "warned"),
    [
        (6, 20, 30, OF_KAPPA),
        (18, 20, 30, OF_KAPPA),
        (40, 44, 30, OF_KAPPA),
        (6, 45, 30, None),  # of so many clusters a kind that one in twenty is of is among those sampled
    ],
)
@pytest.mark.parametrize("coefficient", [cohen_kappa, conger_kappa, krippendorff_alpha])
def test_kappas_and_alphas_warn_of_it(coefficient, errors, clusters, of_cluster, warned, interval):
    differ, of = first_of(errors, clusters, of_cluster)

    assert estimated(coefficient, differ, of, interval=interval, resamples=100).warning == warned


def test_disagreements_of_few_clusters_show_how_they_cluster():
    differ, of = first_of(0)
    differ[:60] = True

    assert estimated(cohen_kappa, differ, of).warning is None


def test_a_bootstrapped_kappa_warns_of_gathered_disagreements_and_does_not_call_them_scattered():
    differ, of = first_of(0)
    differ[:12] = True

    warned = estimated(cohen_kappa, differ, of, interval="percentile", resamples=100).warning

    assert warned == OF_KAPPA.replace(
        "disagreements are scattered over the clusters", "few clusters have most disagreements"
    )


@pytest.mark.parametrize("strata", [1, 2])
@pytest.mark.parametrize(("errors", "warned"), [(6, UNSEEN), (12, None)])
def test_a_prediction_powered_mean_warns_of_it(errors, warned, strata):
    wrong, of = first_of(errors)
    judge = np.arange(wrong.size) % 10 > 0  # and knows nothing

    estimate = prediction_powered_mean(
        ~wrong, judge, np.tile(judge, 4), clusters=of, unlabelled_clusters=100 + np.repeat(np.arange(80), 30),
        strata=None if strata == 1 else of % 2, unlabelled_strata=None if strata == 1 else np.tile(of % 2, 4),
    )  # fmt: skip

    assert estimate.warning == warned


def test_where_a_tenth_of_twenty_clusters_is_wrong_the_interval_of_a_share_holds_or_it_warns():
    rng = np.random.default_rng(5)
    of, held, heard = np.repeat(np.arange(20), 30), [], []
    for _ in range(300):
        right = rng.random(of.size) < np.where(rng.random(20) < 0.1, 0.3, 0.99)[of]
        estimate = accuracy_of_correctness(right, clusters=of).primary
        held.append(estimate.low <= 0.921 <= estimate.high)
        heard.append(held[-1] or estimate.warning is not None)

    assert np.mean(held) < 0.9 < np.mean(heard)


def test_where_all_clusters_are_alike_few_samples_warn():
    rng = np.random.default_rng(5)
    of, share = np.repeat(np.arange(20), 30), 0.9
    chances = rng.beta(share * 2, (1 - share) * 2, (200, 20))  # intraclass correlation 1/3
    warned = [
        accuracy_of_correctness(rng.random(of.size) < chance[of], clusters=of).primary.warning is not None
        for chance in chances
    ]

    assert np.mean(warned) < 0.05


@pytest.mark.parametrize(("errors", "clusters", "warned"), [(6, 20, True), (12, 20, True), (6, 45, False)])
@pytest.mark.parametrize("statistic", ["accuracy", "kappa", "alpha"])
def test_a_difference_of_coefficients_warns_where_a_cluster_in_which_the_two_differ_would_move_it_out(
    statistic, errors, clusters, warned
):
    wrong, of = first_of(errors, clusters)
    reference = np.arange(wrong.size) % 2 == 0
    first, second = reference, reference ^ wrong
    if statistic == "alpha":
        sides, held_against = [np.stack([side, reference], 1) for side in (first, second)], None
    else:
        sides, held_against = [first, second], reference

    estimate = coefficient_difference(*sides, statistic, reference=held_against, clusters=of, resamples=200, seed=1)

    assert [caution.kind for caution in estimate.cautions] == ["unseen_clusters"] * warned


@pytest.mark.parametrize("statistic", [percent_agreement, cohen_kappa, accuracy_of_correctness])
def test_below_ten_clusters_the_warning_of_few_clusters_says_it_all(statistic):
    wrong, of = first_of(4, clusters=8)
    right = np.arange(wrong.size) % 2 == 0

    sides = (~wrong,) if statistic is accuracy_of_correctness else (right, right ^ wrong)
    made = statistic(*sides, clusters=of)
    estimate = made.primary if statistic is accuracy_of_correctness else made

    assert [caution.kind for caution in estimate.cautions if caution.kind.endswith("clusters")] == ["few_clusters"]


def test_a_difference_of_correlations_does_not_ask_for_a_cluster_like_the_item_that_moves_it_most():
    rng = np.random.default_rng(3)
    reference, first, second = rng.normal(size=(3, 200))
    of = np.arange(200) // 10

    estimate = coefficient_difference(
        first + reference, second + reference, "pearson", reference=reference, clusters=of, resamples=200, seed=1
    )

    assert estimate.warning is None


@pytest.mark.parametrize("sizes", [[8] * 25, [*range(3, 21)] * 2], ids=["25 of 8", "36 of 3 to 20"])
def test_where_a_twentieth_of_the_clusters_is_wrong_the_interval_of_kappa_holds_or_it_warns(sizes):
    rng = np.random.default_rng(11)
    of, heard = np.repeat(np.arange(len(sizes)), sizes), []
    for _ in range(120):
        first = rng.random(of.size) < 0.5
        differ = rng.random(of.size) < np.where(rng.random(len(sizes)) < 0.05, 1.0, 0.02)[of]
        estimate = cohen_kappa(first, first ^ differ, clusters=of)
        heard.append(estimate.low <= 1 - 2 * 0.069 <= estimate.high or estimate.warning is not None)

    assert np.mean(heard) > 0.9
