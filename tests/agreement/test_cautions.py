"""An estimate carries a warning where it rests on few clusters, few raters or a rare category."""

import math
from dataclasses import replace

import numpy as np
import pytest

from agreement import (
    Estimate,
    accuracy_of_correctness,
    brennan_prediger,
    coefficient_difference,
    cohen_kappa,
    cohen_kappa_of_table,
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_per_category,
    gwet_ac,
    icc,
    icc_with_missing,
    kappa_per_category,
    krippendorff_alpha,
    leave_one_out,
    light_kappa,
    localisation,
    macro_auc,
    mann_whitney,
    percent_agreement_of_all,
    place_agreement,
    ranking_accuracy,
    ranking_agreement,
    reader_averaged_difference,
    readers_against_judge,
    roc_auc,
    set_accuracy,
    set_agreement,
    two_way_bootstrap,
)

RARE = "a category is expected in fewer than 5 items: value and interval are uncertain"
IN_CLUSTERS = (
    "the rarest category is expected in fewer items than 6 clusters of the size that an average item is in have: "
    "the interval is likely to be a little too narrow"
)
OF_BOOTSTRAP = IN_CLUSTERS.replace("6", "8")
CONSTANT = "fewer than 5 differ from the most frequent value: the interval is uncertain"
APART = "fewer than 5 of the smaller group overlap with the other: the interval is uncertain"
GATHERED = (
    "clusters are of very unequal sizes, and fewer than 8 of them have most of the disagreements: "
    "the interval is likely to be too narrow"
)
FEW = "fewer than 5 raters: conclusions about other raters are uncertain"


def uses(rare):
    """Verdicts of two raters on 40 items, with a category that each uses so often."""
    a = ["yes"] * rare + ["no"] * (40 - rare)
    return a, [*a[1:], "no"]


@pytest.mark.parametrize("rare", [3, 9])
def test_a_rare_category_warns_where_chance_agreement_depends_on_it(rare):
    a, b = uses(rare)
    table = list(zip(a, b, strict=True))

    warned = RARE if rare == 3 else None
    assert cohen_kappa(a, b).warning == cohen_kappa(a, b, interval="percentile", resamples=50).warning == warned
    for coefficient in (fleiss_kappa, conger_kappa, krippendorff_alpha):
        assert coefficient(table).warning == warned
    assert gwet_ac(table).warning is None
    assert brennan_prediger(table).warning is None


def test_a_category_that_is_declared_and_not_used_is_not_rare():
    a, b = uses(9)

    assert cohen_kappa(a, b, categories=["no", "yes", "unclear"]).warning is None
    assert cohen_kappa_of_table([[30, 5, 0], [5, 30, 0], [0, 0, 0]]).warning is None
    assert cohen_kappa_of_table([[30, 5, 0], [5, 30, 0], [0, 0, 2]]).warning == RARE


@pytest.mark.parametrize("raters", [4, 5])
def test_few_raters_warn_where_other_raters_are_meant(raters):
    table = np.random.default_rng(1).integers(0, 9, (30, raters))
    judge = table[:, 0]

    warned = FEW if raters < 5 else None
    assert [icc(table, model).warning for model in (1, 2, 3)] == [warned, warned, None]
    assert two_way_bootstrap(np.mean, table, seed=1, resamples=50).warning == warned
    for readers, expected in (("random", warned), ("fixed", None)):
        assert reader_averaged_difference(table, table[:, ::-1] + 1, readers=readers).warning == expected
        assert readers_against_judge(table, judge, readers=readers).warning == expected


@pytest.mark.parametrize("interval", ["effective", "adjusted"])
@pytest.mark.parametrize("coefficient", [conger_kappa, fleiss_kappa, gwet_ac, krippendorff_alpha, cohen_kappa])
@pytest.mark.parametrize(
    ("sizes", "differing", "warned"),
    [([2, 7, 21], 5, GATHERED), ([2, 7, 21], 16, None), ([10, 10, 10], 5, None), ([1, 1, 1], 5, None)],
)
def test_disagreements_in_few_of_very_unequal_clusters_warn(coefficient, interval, sizes, differing, warned):
    clusters = np.repeat(np.arange(48), np.resize(sizes, 48))
    a = np.arange(clusters.size) % 2
    firsts = np.searchsorted(clusters, np.arange(differing))  # one item of each of so many clusters
    b = np.where(np.isin(np.arange(clusters.size), firsts), 1 - a, a)

    of = (a, b) if coefficient is cohen_kappa else (np.column_stack([a, b]),)
    assert of_kinds(coefficient(*of, clusters=clusters, interval=interval), "gathered_disagreements") == warned


def of_kinds(estimate, *kinds):
    """What the cautions of these kinds say, one after the other; None without any."""
    return "; ".join(caution.text for caution in estimate.cautions if caution.kind in kinds) or None


def in_clusters_of(sizes, clusters):
    """Codes of clusters of these sizes in turn, and what is right of each item: four of five, all over the clusters."""
    codes = np.repeat(np.arange(clusters), np.resize(sizes, clusters))
    return codes, np.arange(codes.size) % 5 > 0


def test_errors_in_few_of_many_very_unequal_clusters_warn_of_a_bootstrap():
    codes, _ = in_clusters_of([1, 1, 1, 40], 100)
    wrong = np.isin(codes, [3, 7, 11])

    for right in (wrong, ~wrong):
        assert accuracy_of_correctness(right, clusters=codes, interval="percentile").primary.warning == (
            "clusters are of very unequal sizes, and fewer than 8 of them have most of the rarer category: "
            "the interval is likely to be too narrow"
        )


def test_few_clusters_are_warned_of_where_there_is_an_interval_alone():
    given = Estimate("accuracy", 0.5, 0.2, 0.8, 8, "item", "bootstrap", n_clusters=4)
    none = Estimate("accuracy", 0.5, math.nan, math.nan, 8, "item", "bootstrap", "no spread", n_clusters=4)

    assert given.warning is not None and none.warning is None
    # Nor does an estimate keep it that loses its interval, as it keeps what else it is warned of.
    lost = replace(given.warned("rough"), low=math.nan, high=math.nan, undefined_because="no spread")
    assert lost.warning == "rough"


def test_warnings_stand_together_few_clusters_first_and_each_once():
    a, b = uses(3)
    few = cohen_kappa(a, b, clusters=np.arange(40) // 8, resamples=50)

    assert few.warning == f"only 5 clusters: an interval from fewer than 10 clusters is likely to be too narrow; {RARE}"
    assert replace(few, name="kappa").warning == few.warning
    assert few.warned(RARE).warning == few.warning
    assert few.as_dict()["warning"] == few.warning


def test_an_estimate_warns_of_nothing_by_default():
    assert Estimate("accuracy", 0.5, 0.2, 0.8, 80, "item", "Wilson").warning is None


def test_weights_that_hold_near_categories_together_make_none_rare():
    a, b = [3] * 60 + [2, 4, 3, 1, 5], [3] * 60 + [3, 3, 4, 2, 4]
    table = list(zip(a, b, strict=True))

    assert cohen_kappa(a, b, weights="quadratic").warning is None
    assert fleiss_kappa(table, weights="linear").warning is None
    assert krippendorff_alpha(table, "ordinal").warning is None
    assert cohen_kappa(a, b).warning == krippendorff_alpha(table).warning == RARE


@pytest.mark.parametrize(("items", "is_warned"), [(59, True), (60, False)])
def test_a_rare_end_of_a_weighted_scale_is_warned_of_in_few_items(items: int, *, is_warned: bool) -> None:
    a, b = [1, 1, 1, *(2, 3) * items][:items], [1, 1, 2, *(2, 3) * items][:items]

    assert (cohen_kappa(a, b, weights="quadratic").warning == RARE) is is_warned


@pytest.mark.parametrize("rare", [3, 9])
def test_a_rare_category_warns_in_the_coefficients_of_several_raters_and_of_each_category(rare):
    a, b = uses(rare)
    table = [[x, y, x] for x, y in zip(a, b, strict=True)]

    warned = RARE if rare == 3 else None
    assert light_kappa(table, resamples=50).warning == warned
    assert light_kappa(table, "linear", categories=["no", "yes"], resamples=50).warning is None
    for by_category in (kappa_per_category(a, b), fleiss_kappa_per_category(table)):
        assert [by_category[category].warning for category in ("no", "yes")] == [warned, warned]


def test_the_pair_of_raters_in_which_a_category_is_rarest_warns_of_their_mean_kappa():
    a, b = uses(9)
    rarely = ["yes"] * 3 + ["no"] * 37

    assert light_kappa([[x, y, x] for x, y in zip(a, b, strict=True)], resamples=50).warning is None
    assert light_kappa([[x, None, y] for x, y in zip(rarely, b, strict=True)][:20], resamples=50).undefined_because
    assert light_kappa(list(zip(rarely, rarely[::-1], strict=True)), resamples=50).warning == RARE


@pytest.mark.parametrize(("together", "is_warned"), [(2, True), (3, False)])
def test_raters_who_seldom_agree_on_a_category_warn_of_their_mean_kappa_however_often_each_uses_it(
    together: int, *, is_warned: bool
) -> None:
    alone = 10 - together
    table = [["no"] * 3] * 80 + [["yes"] * 3] * together
    table += [["no"] * rater + ["yes"] + ["no"] * (2 - rater) for rater in range(3) for _ in range(alone)]

    estimate = light_kappa(table, resamples=50)

    assert ("two raters agree on a category in fewer than 3 items" in str(estimate.warning)) == is_warned
    assert light_kappa(table, "linear", categories=["no", "yes"], resamples=50).warning is None


@pytest.mark.parametrize("rare", [3, 9])
def test_a_rare_category_of_either_side_warns_of_a_difference(rare):
    a, b = uses(rare)
    human = ["yes"] * 20 + ["no"] * 20
    usual = {"resamples": 50, "seed": 1}

    def warning(statistic, first, second, **options):
        return coefficient_difference(first, second, statistic, **usual, **options).warning

    warned = RARE if rare == 3 else None
    few = list(zip(a, b, strict=True))
    common = list(zip(human, human[1:] + human[:1], strict=True))
    for statistic in ("kappa", "fleiss", "alpha"):
        assert warning(statistic, common, few) == warning(statistic, few, common) == warned
    assert warning("ac", few, common) is None
    assert warning("kappa", few, common, weights="linear", categories=["no", "yes"]) is None
    assert warning("f1", human, b, reference=a) == warning("f1", human, b, reference=a, positive="yes") == warned
    assert warning("f1", human, b, reference=a, positive="no") is None


def test_a_difference_of_accuracies_that_rests_on_few_items_warns():
    human = ["yes", "no"] * 20
    nearly = ["no", "yes", *human[2:]]
    other = ["no" if verdict == "yes" else "yes" for verdict in human[:9]] + human[9:]
    usual = {"reference": human, "resamples": 50, "seed": 1}

    assert coefficient_difference(human, nearly, "accuracy", **usual).warning == CONSTANT
    assert coefficient_difference(human, other, "accuracy", **usual).warning is None


@pytest.mark.parametrize(("n", "warned"), [(4, CONSTANT), (5, None)])
def test_a_bootstrap_of_a_mean_of_which_nearly_all_items_say_the_same_warns(n, warned):
    sets = [({"a"}, {"a"}, {"a"})] * 30 + [({"a"}, {"a", "b"}, {"a"})] * n
    answers, reference, _ = zip(*sets, strict=True)
    lists = [[["a"], ["a"], ["a"]]] * 30 + [[["a"], ["b", "a"], ["a"]]] * n
    places = [[(0, 0, 0), (0, 0, 0), (0, 0, 0)]] * 30 + [[(0, 0, 0), (0, 0, 9), (0, 0, 0)]] * n
    raters = [["a", "a", "a"]] * 30 + [["a", "a", "b"]] * n
    few = {"resamples": 50}

    of_sets, right = set_agreement(sets, **few), set_accuracy(answers, reference, **few)
    order, hit = ranking_agreement(lists, (1,), **few), ranking_accuracy([row[1] for row in lists], ["a"] * (30 + n))
    near = place_agreement(places, 5, **few)
    far = localisation([0.0] * 30 + [9.0] * n, 5, **few)
    ceiling = leave_one_out(raters, ["a"] * (30 + n), **few)

    assert [of_sets.exact.warning, of_sets.jaccard.warning, of_sets.options[1].percent.warning] == [warned] * 3
    assert [right.jaccard.warning, right.share.warning] == [warned] * 2
    assert [order.overlap[1].warning, order.rank_biased_overlap.warning, hit.reciprocal_rank.warning] == [warned] * 3
    assert [near.distance.warning, near.within.warning, far.distance.warning] == [warned] * 3
    assert [ceiling.mean.warning, ceiling.difference.warning] == [warned] * 2


def test_wilsons_interval_of_a_share_holds_with_few_of_a_kind_and_its_bootstrap_warns():
    answers, reference = [{"a"}] * 30 + [{"b"}], [{"a"}] * 31
    table = [["a", "a"]] * 30 + [["a", "b"]]

    assert set_accuracy(answers, reference).exact.warning is None
    assert set_accuracy(answers, reference, interval="bca", resamples=50).exact.warning == CONSTANT
    assert percent_agreement_of_all(table).warning is None
    assert percent_agreement_of_all(table, interval="percentile", resamples=50).warning == CONSTANT
    assert localisation([0.0] * 30 + [9.0], 5).hits.warning is None


@pytest.mark.parametrize(("interval", "warned"), [(None, None), ("percentile", CONSTANT)])
def test_what_two_raters_have_in_common_is_such_a_share(interval, warned):
    sets = [({"a"}, {"a"})] * 30 + [({"a"}, {"a", "b"})]
    lists = [[["a"], ["a"]]] * 30 + [[["a"], ["b", "a"]]]
    places = [[(0, 0, 0), (0, 0, 0)]] * 30 + [[(0, 0, 0), (0, 0, 9)]]
    by = {"resamples": 50, "interval": interval}

    of_sets = set_agreement(sets, **by)

    assert [of_sets.exact.warning, of_sets.options[1].percent.warning] == [warned] * 2
    assert ranking_agreement(lists, (1,), **by).overlap[1].warning == warned
    assert place_agreement(places, 5, **by).within.warning == warned


def test_nothing_is_warned_of_where_there_is_no_item():
    assert set_accuracy([None], [{"a"}]).jaccard.warning is None
    assert percent_agreement_of_all([[1, None]], interval="bca").warning is None


@pytest.mark.parametrize("raters", [4, 5])
def test_few_raters_warn_in_the_icc_of_incomplete_ratings_too(raters):
    rng = np.random.default_rng(2)
    table = rng.normal(size=(30, 1)) + rng.normal(size=(30, raters))
    table[0, 0] = np.nan

    warned = FEW if raters < 5 else None
    assert [icc_with_missing(table, model).warning for model in (1, 2, 3)] == [warned, warned, None]


@pytest.mark.parametrize(("n", "warned"), [(15, APART), (60, None)])
def test_an_area_near_the_end_of_the_scale_in_small_groups_warns(n, warned):
    high = [*range(n), *[n + 1] * (n // 9)]
    low = [value - 0.55 * n for value in high]
    scores, outcome = high + low, [1] * len(high) + [0] * len(low)

    area = roc_auc(scores, outcome)
    by_class = macro_auc([[score, -score] for score in scores], outcome, classes=[1, 0])

    assert 0.85 < area.value < 0.95
    groups = mann_whitney(high, low, interval="normal")
    normal = roc_auc(scores, outcome, interval="normal")
    assert normal.warning == by_class.warning == groups.warning == warned
    # with score limits two suffice
    fewer = None if warned is None else warned.replace("5", "2")
    assert area.warning == mann_whitney(high, low).warning == fewer
    assert roc_auc([1, 2, 3, 4] * 10, [0, 1, 1, 0] * 10).warning is None


@pytest.mark.parametrize(
    ("clusters", "warned"),
    [
        (9, "only 9 clusters: an interval from fewer than 10 clusters is likely to be too narrow"),
        (19, "only 19 clusters: a bootstrap of fewer than 20 clusters is likely to be too narrow"),
        (20, None),
    ],
)
def test_a_bootstrap_of_fewer_than_twenty_clusters_warns_and_other_intervals_of_fewer_than_ten(clusters, warned):
    correct = [1, 0, 1, 1] * 60
    of = np.arange(240) % clusters

    drawn = accuracy_of_correctness(correct, clusters=of, interval="percentile", resamples=50).primary
    score = accuracy_of_correctness(correct, clusters=of).primary

    few = ("few_clusters", "few_resampled")
    assert of_kinds(drawn, *few) == warned
    assert of_kinds(score, *few) == (warned if clusters < 10 else None)


@pytest.mark.parametrize(
    ("rare", "warned", "bootstrapped"),
    [(3, RARE, RARE), (28, IN_CLUSTERS, OF_BOOTSTRAP), (35, None, OF_BOOTSTRAP), (50, None, None)],
)
def test_a_category_that_comes_in_few_clusters_warns_of_an_interval_that_allows_for_them(rare, warned, bootstrapped):
    a = ["yes"] * rare + ["no"] * (200 - rare)
    b = [*a[1:], "no"]
    table, subjects = list(zip(a, b, strict=True)), np.arange(200) // 5

    for options, says in (({}, warned), ({"interval": "percentile", "resamples": 50}, bootstrapped)):
        assert of_kinds(cohen_kappa(a, b, clusters=subjects, **options), "rare_category") == says
        for coefficient in (fleiss_kappa, conger_kappa, krippendorff_alpha):
            assert of_kinds(coefficient(table, clusters=subjects, **options), "rare_category") == says
    assert light_kappa(table, clusters=subjects, resamples=50).warning == bootstrapped
    of_candidates = cohen_kappa(a, b, unit="candidate", clusters=[number // 5 for number in range(200)])
    assert of_kinds(of_candidates, "rare_category") == (warned and warned.replace(" item", " candidate"))
    assert cohen_kappa(a, b).warning == (RARE if rare == 3 else None)
    assert cohen_kappa(a, b, clusters=range(200)).warning == (RARE if rare == 3 else None)
    assert of_kinds(gwet_ac(table, clusters=subjects), "rare_category") is None


def test_of_unequal_clusters_a_rare_category_counts_by_those_that_an_average_item_is_in():
    sizes = [1] * 30 + [13] * 10  # 4 items on average, but 10.75 of the cluster that an average item is in
    subjects = np.repeat(np.arange(40), sizes)
    a = np.array(["yes"] * 50 + ["no"] * 110)
    spread = np.random.default_rng(0).permutation(160)

    assert of_kinds(cohen_kappa(a[spread], a[spread[::-1]], clusters=subjects), "rare_category") == IN_CLUSTERS


@pytest.mark.parametrize(("of_cluster", "warned"), [(1, None), (5, APART)])
def test_positives_of_one_cluster_count_once_for_the_warning_of_an_area(of_cluster, warned):
    # forty positives and sixty negatives whose scores overlap by half: twenty on the wrong side, four of eight clusters
    outcome = np.repeat([1, 0], [40, 60])
    scores = np.concatenate([np.arange(40) % 2 * 2.0, np.ones(60)]) + np.arange(100) / 1000
    clusters = np.arange(100) // of_cluster

    area = roc_auc(scores, outcome, clusters=clusters)
    macro = macro_auc(np.column_stack([-scores, scores]), outcome, classes=[0, 1], clusters=clusters)

    assert area.value == pytest.approx(0.5, abs=0.02)
    assert (area.warning, macro.warning) == (warned, warned)
