"""Two models by one judge: item by item where they share items, by corrected scores where they do not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agreement import mcnemar
from agreement.judge.factors import Factor
from agreement.judge.panels import corrected
from agreement.judge.pool import Pool
from agreement.judge.scale import Scale
from agreement.spread import widened
from tests.agreement.judge.panel_material import PLAN, material, mri_eval, three_humans


def test_models_on_the_same_items_are_compared_item_by_item():
    panel = corrected.panel(three_humans(), PLAN)

    pairs = panel.of("corrected difference")
    assert [row.parties for row in pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert all("independent, normal" not in row.estimate.method for row in pairs)
    assert len(panel.of("rank set")) == 3


def test_items_labelled_for_one_of_two_models_only_count_as_unlabelled_in_their_difference():
    rng = np.random.default_rng(3)
    item, model = np.divmod(np.arange(200), 2)
    human, judge = (rng.integers(0, 2, 200).astype(float) for _ in range(2))
    human[np.where(model == 0, item >= 40, (item < 20) | (item >= 60))] = np.nan
    by_halves = material([human], {"judge": judge}, models=Factor(model, ("A", "B")), items=item)

    (row,) = corrected.panel(by_halves, PLAN).of("corrected difference")

    assert row.estimate.n == 20
    assert "80 unlabelled" in row.estimate.method


@pytest.mark.parametrize("n_labelled", [40, 30], ids=["every_item_labelled", "some_items_labelled"])
def test_of_several_answers_of_a_model_to_an_item_the_mean_counts_in_its_difference(n_labelled):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 2, (2, 40, 3)).astype(float)
    human, judge = scores
    human[n_labelled:] = np.nan
    thrice = material(
        [np.r_[human.ravel(), np.zeros(n_labelled), np.full(40 - n_labelled, np.nan)]],
        {"judge": np.r_[judge.ravel(), np.zeros(40)]},
        models=Factor(np.repeat([0, 1], [120, 40]), ("A", "B")),
        items=np.r_[np.repeat(np.arange(40), 3), np.arange(40)],
    )  # fmt: skip
    once = material(
        [np.r_[human.mean(axis=1), np.zeros(n_labelled), np.full(40 - n_labelled, np.nan)]],
        {"judge": np.r_[judge.mean(axis=1), np.zeros(40)]},
        models=Factor(np.repeat([0, 1], 40), ("A", "B")), items=np.tile(np.arange(40), 2),
    )  # fmt: skip

    of_thrice, of_once = (
        Pool(given, given.humans["h1"].codes, given.judges["judge"].codes, PLAN) for given in (thrice, once)
    )

    assert of_thrice.pairs("A", "B")
    assert of_thrice.difference("A", "B", {}) == of_once.difference("A", "B", {})


@pytest.mark.parametrize("score", [Pool.raw, Pool.corrected], ids=["as_judged", "of_people"])
def test_means_of_numbers_in_few_clusters_are_widened_unless_the_plan_is_of_before(score):
    numbers = np.random.default_rng(2).normal(size=60)
    before = replace(PLAN, of_numbers="plain")
    given = material([numbers], {"judge": numbers}, Scale("number"), clusters=np.arange(60) // 3)

    of_today, confident, earlier = (
        score(Pool(given, numbers, numbers, plan), "all answers")
        for plan in (PLAN, replace(before, confidence=widened(0.95, 20)), before)
    )

    assert (of_today.low, of_today.high) == (confident.low, confident.high)
    assert "percentiles widened by t" in of_today.method
    assert "percentile," in earlier.method


@pytest.mark.parametrize("n_labelled", [40, 30], ids=["every_item_labelled", "some_items_labelled"])
def test_two_models_compared_item_by_item_have_a_p_as_two_scores_have(n_labelled):
    human, judge = np.random.default_rng(5).integers(0, 2, (2, 80)).astype(float)
    human[np.tile(np.arange(40), 2) >= n_labelled] = np.nan
    given = material(
        [human], {"judge": judge}, models=Factor(np.repeat([0, 1], 40), ("A", "B")), items=np.tile(np.arange(40), 2)
    )

    difference = Pool(given, human, judge, PLAN).difference("A", "B", {})

    assert (difference.p > 0.05) == (difference.low < 0.0 < difference.high)


@pytest.mark.parametrize(("whole", "by_item"), [(False, False), (True, True)], ids=["answers_drawn", "items_drawn"])
def test_items_of_several_answers_do_not_pass_for_all_where_answers_were_drawn_one_by_one(whole, by_item):
    rng = np.random.default_rng(4)
    item = np.tile(np.r_[np.repeat(np.arange(100), 3), np.arange(100, 200)], 2)
    model = np.repeat([0, 1], 400)
    truth = (rng.random((60, 800)) < 0.5).astype(float)
    favoured = (model == 0) & (item < 100) & (rng.random((60, 800)) < 0.5)
    drawn = rng.random((60, 200))[:, item] < 0.4 if whole else rng.random((60, 800)) < 0.4

    pools = [
        Pool(
            material([human], {"judge": judge}, models=Factor(model, ("A", "B")), items=item), human, judge, PLAN
        )
        for human, judge in zip(np.where(drawn, truth, np.nan), np.where(favoured, 1.0, truth), strict=True)
    ]  # fmt: skip
    results = [pool.difference("A", "B", {name: pool.corrected(name) for name in "AB"}) for pool in pools]

    assert {pool.pairs("A", "B") for pool in pools} == {by_item}
    assert abs(np.mean([each.value for each in results])) < 2.5 * np.mean([each.se for each in results]) / 60**0.5


def of_several_answers(judge, *, conditions=False):
    """Panel 5 on A, which answered each item as often as the judge's first scores of it, and B, which did once.

    Or on two conditions of one model.
    """
    of_a, of_b = judge
    items, times = of_a.shape
    names = Factor(np.repeat([0, 1], [of_a.size, items]), ("A", "B"))
    given = material(
        [np.ones(of_a.size + items)],
        {"judge": np.r_[of_a.ravel(), of_b]},
        models=Factor(np.zeros(of_a.size + items, dtype=int), ("M",)) if conditions else names,
        items=np.r_[np.repeat(np.arange(items), times), np.arange(items)],
        factors={"tier": Factor(np.r_[np.tile(np.arange(times) % 2, items), np.zeros(items, dtype=int)], ("x", "y"))},
        conditions={"mode": names} if conditions else {},
    )  # fmt: skip
    return corrected.panel(given, PLAN)


def drawn_scores(times):
    rng = np.random.default_rng(8)
    return rng.integers(0, 2, (60, times)).astype(float), rng.integers(0, 2, 60).astype(float)


def test_ranks_rest_on_the_mean_of_several_answers_of_a_model_to_an_item():
    of_a, of_b = drawn_scores(3)

    panel = of_several_answers((of_a, of_b))

    means = {row.parties[0]: row.estimate.value for row in panel.of("rank set")}
    assert means == {"A": pytest.approx(of_a.mean()), "B": pytest.approx(of_b.mean())}


def test_two_conditions_differ_by_the_means_of_several_answers_to_an_item():
    of_a, of_b = drawn_scores(3)

    panel = of_several_answers((of_a, of_b), conditions=True)

    (raw,), (both,) = panel.of("difference of conditions, raw"), panel.of("difference of conditions, corrected")
    assert (raw.estimate.value, raw.estimate.n) == (pytest.approx(np.mean(of_a.mean(axis=1) - of_b)), 60)
    assert both.estimate.n == 60


@pytest.mark.parametrize("conditions", [False, True], ids=["models", "conditions"])
def test_mcnemar_leaves_out_and_counts_items_on_which_verdicts_on_several_answers_differ(conditions):
    of_a, of_b = drawn_scores(2)
    alike = of_a[:, 0] == of_a[:, 1]
    alone = mcnemar(int((alike & (of_a[:, 0] > of_b)).sum()), int((alike & (of_a[:, 0] < of_b)).sum()))

    panel = of_several_answers((of_a, of_b), conditions=conditions)

    row, of_part, *_ = panel.of("McNemar of conditions" if conditions else "McNemar")
    assert (row.estimate.n, row.estimate.value, row.estimate.p) == (alone.n, alone.value, alone.p)
    said = f"{(~alike).sum()} items on which verdicts on several answers of a model differ left out"
    assert said in row.estimate.method
    assert f"{alike.sum()} items with only some of the answers there left out" in of_part.estimate.method


def of_two_models(design="random", *, copies=False, **parts):
    """300 items answered by A and B, of whose candidates one in five is labelled, whichever model it is of."""
    rng = np.random.default_rng(3)
    item, model = np.divmod(np.arange(600), 2)
    truth = (rng.random(600) < 0.7).astype(float)
    drawn = rng.random(600) < 0.2
    if copies:  # B says what A says, and the same candidates are labelled
        truth, drawn = np.repeat(truth[::2], 2), np.repeat(drawn[::2], 2)
    judge = np.where((np.repeat(rng.random(300), 2) if copies else rng.random(600)) < 0.9, truth, 1.0 - truth)
    human = np.where(drawn, truth, np.nan)
    given = material([human], {"judge": judge}, models=Factor(model, ("A", "B")), items=item, **parts)
    (row,) = corrected.panel(given, replace(PLAN, design=design)).of("corrected difference")
    return row, int(drawn.sum())


def test_models_of_which_candidates_and_not_items_were_drawn_are_compared_by_their_corrected_scores():
    row, labels = of_two_models()

    assert row.sentence == corrected.OF_SCORES
    assert row.estimate.n == labels
    assert "correlation" in row.estimate.method


def test_models_of_which_items_were_drawn_are_said_to_be_compared_item_by_item():
    (first, *_) = corrected.panel(three_humans(), PLAN).of("corrected difference")

    assert first.sentence == corrected.ITEM_BY_ITEM


@pytest.mark.parametrize(
    ("design", "parts"),
    [
        ("stratified", {"strata": Factor(np.arange(600) // 300, ("early", "late"))}),
        ("probability", {"probability": np.where(np.arange(600) < 300, 0.2, 0.25)}),
    ],
)
def test_two_scores_whose_errors_are_the_same_do_not_differ(design, parts):
    row, _ = of_two_models(design, copies=True, **parts)

    assert row.estimate.value == pytest.approx(0.0)
    assert row.estimate.undefined_because == "the standard error is 0"


def test_two_scores_share_the_clusters_of_models_that_answer_no_item_in_common():
    subject = np.repeat(np.arange(60), 10)
    alone, _ = of_two_models()
    in_clusters, _ = of_two_models(clusters=subject)
    apart, _ = of_two_models(clusters=2 * subject + np.arange(600) % 2)

    assert "correlation 0.00" in apart.estimate.method
    assert in_clusters.estimate.value == apart.estimate.value == pytest.approx(alone.estimate.value)
    assert in_clusters.estimate.se != pytest.approx(apart.estimate.se)


@pytest.mark.parametrize(("subjects", "warned"), [(30, False), (8, True)])
def test_two_scores_say_how_many_clusters_their_difference_rests_on(subjects, warned):
    row, _ = of_two_models(clusters=np.arange(600) // 2 * subjects // 300)

    assert row.sentence == corrected.OF_SCORES
    assert row.estimate.n_clusters == subjects
    assert (f"only {subjects} clusters" in str(row.estimate.warning)) == warned


def test_p_of_the_parts_of_two_models_is_by_bonferroni_within_the_pair():
    panel = corrected.panel(mri_eval(), PLAN)
    pair = [row for row in panel.of("McNemar") if row.parties == ("GPT-5.4", "Grok")]

    assert [row.stratum for row in pair] == ["by grok", "by grok, tier 1", "by grok, tier 2", "by grok, tier 3"]
    assert all("Bonferroni over 3 parts" in row.estimate.method for row in pair[1:])
    whole = pair[0].estimate
    only_first = round(whole.value * whole.n)
    assert pair[0].sentence == f"the first alone correct on {only_first} of {whole.n} that differ"


@pytest.mark.parametrize(
    ("of_first", "of_second"), [([0, 1, 2, 3], [4, 5, 6, 7]), ([0, 1, 2, 3], [0, 1, 6, 7])], ids=["items", "verdicts"]
)
def test_two_models_without_an_item_of_both_have_no_p(of_first, of_second):
    judge = np.array([np.nan, np.nan, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    apart = material(
        [np.ones(8)], {"judge": judge}, models=Factor(np.repeat([0, 1], 4), ("A", "B")),
        items=np.array([*of_first, *of_second]),
    )  # fmt: skip

    (row,) = corrected.panel(apart, PLAN).of("McNemar")

    assert row.estimate.p is None
    assert row.estimate.undefined_because == "no item on which both models have a verdict of the judge"


def two_models(judge, **parts):
    """Panel 5 on two models that answered the same items; the judge's verdicts have the shape (items, 2)."""
    item, model = np.divmod(np.arange(judge.size), 2)
    own = {name: np.repeat(values, 2) if len(values) < judge.size else values for name, values in parts.items()}
    factors = {name: Factor(codes, ("plain", "bold")) for name, codes in own.items() if name != "clusters"}
    given = material(
        [np.ones(judge.size)], {"judge": judge.ravel()}, models=Factor(model, ("A", "B")), items=item,
        clusters=own.get("clusters"), factors=factors,
    )  # fmt: skip
    return [row for row in corrected.panel(given, PLAN).rows if row.statistic == "McNemar"]


# A alone is right on both items of six of 20 subjects, B alone on one item of each of four others.
OF_SUBJECTS = np.ones((40, 2))


OF_SUBJECTS[:12, 1] = OF_SUBJECTS[12:20:2, 0] = 0.0


def test_mcnemar_between_models_is_by_subject_where_several_items_are_of_one():
    (row,) = two_models(OF_SUBJECTS, clusters=np.arange(40) // 2)

    # (12 - 4)^2 / (20 / 19 x (6 x 2^2 + 4 x 1^2)) = 2.171 on one degree of freedom; exact, of 12 and 4, P = .08
    assert row.estimate.p == pytest.approx(stats.chi2.sf(64 / (20 / 19 * 28), 1))
    assert row.estimate.method.startswith("McNemar, Obuchowski, chi2(1) = 2.171; ")
    assert (row.estimate.value, row.estimate.n, row.sentence) == (
        0.75,
        16,
        "the first alone correct on 12 of 16 that differ",
    )


def test_the_share_beside_mcnemar_by_subject_has_an_interval_by_subject_too():
    (by_subject,), (by_item,) = (two_models(OF_SUBJECTS, clusters=np.arange(40) // items) for items in (2, 1))

    assert by_subject.estimate.n_clusters == 10
    assert by_subject.estimate.low < by_item.estimate.low


def test_mcnemar_between_models_is_exact_where_no_two_items_are_of_one_subject():
    (row,) = two_models(OF_SUBJECTS, clusters=np.arange(40))

    assert row.estimate.method == "McNemar, exact; Clopper-Pearson interval"


def test_mcnemar_between_models_has_no_p_where_all_items_are_of_one_subject():
    (row,) = two_models(OF_SUBJECTS, clusters=np.zeros(40, dtype=int))

    assert row.estimate.p is None
    assert np.isnan(row.estimate.low)


def test_a_part_of_two_models_holds_the_items_on_which_both_answers_are_of_it():
    bold = np.zeros((40, 2), dtype=int)
    bold[10:, 0] = 1
    bold[30:, 1] = 1

    _, in_bold, plain = two_models(OF_SUBJECTS, layout=bold.ravel())

    # both are plain on items 0 to 9, of which A alone is right, both bold from 30 on; on 20 they differ
    assert (plain.estimate.n, in_bold.estimate.n) == (10, 0)
    assert "20 items with only one of the two answers there left out" in plain.estimate.method
    assert "20 items with only one of the two answers there left out" in in_bold.estimate.method
