"""Uniformity and correction: a judge who errs on one model is found out, and scores are corrected or withheld."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agreement import (
    judge_bias_by_factor,
    prediction_powered_mean,
)
from agreement.judge.bases import main_basis
from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.panels import corrected, criteria, uniformity
from agreement.judge.plan import Plan
from agreement.judge.scale import State
from agreement.judge.uniform import uniformity as of_levels
from agreement.p_in_clusters import few_for_test
from tests.agreement.judge.panel_material import PLAN, YES_NO, material, three_humans, verdicts


def test_the_test_of_uniformity_is_that_of_the_statistics():
    given = three_humans()
    basis = main_basis(given, PLAN)
    labelled = given.labelled
    (alone,) = judge_bias_by_factor(
        basis.codes,
        labelled.judges["judge"].codes,
        {"model": labelled.models.codes},
        clusters=labelled.clusters,
        resamples=2,
    )

    (row,) = uniformity.panel(given, PLAN).of(uniformity.TEST, parties=("judge", basis.name))

    assert (row.estimate.value, row.estimate.p) == (pytest.approx(alone.statistic), pytest.approx(alone.p_adjusted))


def one_sided(rates, n=400):
    """A judge who calls these shares of each model's right answers wrong, all of which humans call right."""
    judge = np.concatenate([np.r_[np.zeros(int(rate * n)), np.ones(n - int(rate * n))] for rate in rates])
    names = tuple("ABC"[: len(rates)])
    return material([np.ones(judge.size)], {"judge": judge}, models=Factor(np.repeat(np.arange(len(rates)), n), names))


@pytest.mark.parametrize(("items", "few"), [(12, True), (20, False)])
def test_the_test_of_uniformity_says_how_many_clusters_it_allows_for_and_warns_of_few(items, few):
    given = three_humans(items=items, n_labelled=items)  # two items in a cluster

    (row,) = uniformity.panel(given, PLAN).of(uniformity.TEST, parties=("judge", main_basis(given, PLAN).name))

    assert row.estimate.n_clusters == items // 2
    assert "allowing for clusters, 2 degrees of freedom" in row.estimate.method
    said = f"only {items // 2} clusters: P of a test of fewer than 10 clusters is uncertain"
    assert row.estimate.warning == (said if few else None)


@pytest.mark.parametrize(("largest", "warns"), [(4, False), (60, True)])
def test_the_test_of_uniformity_warns_if_one_cluster_holds_most_of_the_candidates(largest, warns):
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), [largest] + [4] * 19)
    human, judge = np.ones(clusters.size), (rng.random(clusters.size) > 0.2).astype(float)
    models = {"model": Factor(np.arange(clusters.size) % 2, ("x", "y"))}

    result = of_levels(human, judge, models, clusters, shares=True, margin=None, plan=PLAN)["model"]

    warning = str(few_for_test(result.n_clusters, result.clusters_worth))
    assert ("equal size: P of a test is likely to be too small" in warning) is warns


def test_a_test_of_uniformity_of_candidates_that_share_no_cluster_speaks_of_none():
    given = one_sided((0.1, 0.2))

    (row,) = uniformity.panel(given, PLAN).of(uniformity.TEST)

    assert row.estimate.n_clusters is None and "clusters" not in row.estimate.method


def test_a_judge_that_is_stricter_on_a_model_is_found_out_by_name():
    panel = uniformity.panel(one_sided((0.02, 0.3)), PLAN)

    assert panel.of(uniformity.TEST)[0].sentence == "not uniform"
    assert "does not err alike" in panel.sentence
    assert "30.0 points" in panel.sentence


@pytest.fixture(scope="module")
def strict_on_subjects():
    """Panel 3 on two models of 40 subjects, 2 items each: on B the judge is strict on both items of 8 subjects."""
    subjects, model = np.tile(np.arange(80) // 2, 2), np.repeat([0, 1], 80)
    judge = 1.0 - ((model == 1) & (subjects < 8)) - ((model == 0) & (np.arange(160) == 3))
    given = material([np.ones(160)], {"judge": judge}, models=Factor(model, ("A", "B")), clusters=subjects)
    return uniformity.panel(given, PLAN)


def test_the_p_of_a_level_in_clusters_is_of_mcnemar_in_clusters_by_bonferroni_over_the_levels(strict_on_subjects):
    (of_b,) = strict_on_subjects.of(uniformity.LEVEL, stratum="model B")

    # 16 strict of one kind in 8 of 40 subjects: 16^2 / (40 / 39 x 8 x 2^2) = 7.8 on one degree of freedom
    assert of_b.estimate.p == pytest.approx(2 * stats.chi2.sf(7.8, 1))
    assert "P McNemar in clusters (Obuchowski), by Bonferroni over 2 levels" in of_b.estimate.method


def test_a_level_that_its_interval_shows_to_be_strict_and_its_p_does_not_is_undecided():
    # ten subjects of six, of which five have strict verdicts on A only: P = .034 of A alone
    subjects = np.tile(np.repeat(np.arange(10), 6), 2)
    strict = np.arange(60) % 6 < np.array([6, 6, 6, 6, 6, 0, 0, 0, 0, 0])[subjects[:60]]
    given = material(
        [np.ones(120)], {"judge": np.r_[~strict, np.ones(60)].astype(float)},
        models=Factor(np.repeat([0, 1], 60), ("A", "B")), clusters=subjects,
    )  # fmt: skip

    (row,) = uniformity.panel(given, PLAN).of(uniformity.LEVEL, stratum="model A")

    assert row.estimate.low > 0.0
    assert (round(row.estimate.p, 2), row.sentence) == (0.07, "undecided")


def test_a_level_that_interval_and_p_show_to_be_strict_is_called_stricter(strict_on_subjects):
    said = {row.stratum: row.sentence for row in strict_on_subjects.of(uniformity.LEVEL)}

    assert said == {"model A": "undecided", "model B": "stricter"}


def test_two_levels_that_differ_in_one_direction_are_compared_in_clusters_as_of_independent_candidates():
    model, judge = np.repeat([0, 1], 60), 1.0 - np.isin(np.arange(120), [0, 20, 40, 70])
    given = material([np.ones(120)], {"judge": judge}, models=Factor(model, ("A", "B")))
    two_share = replace(given, clusters=np.r_[np.arange(58), 57, 57, np.arange(60, 118), 117, 117])

    (of_alone,), (of_shared,) = (uniformity.panel(each, PLAN).of(uniformity.OF_LEVELS) for each in (given, two_share))

    assert (of_shared.estimate.low, of_shared.estimate.high) == pytest.approx(
        (of_alone.estimate.low, of_alone.estimate.high), abs=0.006
    )


def test_the_p_of_a_level_of_a_single_cluster_is_not_of_independent_candidates():
    subjects, model = np.repeat([0, 1, 2], 20), np.repeat([0, 1, 1], 20)
    judge = (np.arange(60) >= 8).astype(float)
    given = material([np.ones(60)], {"judge": judge}, models=Factor(model, ("A", "B")), clusters=subjects)

    (row,) = uniformity.panel(given, PLAN).of(uniformity.LEVEL, stratum="model A")

    assert row.estimate.p is None
    assert np.isnan(row.estimate.low)


def test_the_p_of_a_level_whose_candidates_share_no_cluster_is_exact():
    (row,) = uniformity.panel(one_sided((0.1, 0.1), n=60), PLAN).of(uniformity.LEVEL, stratum="model A")

    assert row.estimate.p == pytest.approx(2 * 2 * 0.5**6)
    assert "exact McNemar" in row.estimate.method and "by Bonferroni over 2 levels" in row.estimate.method


def test_alike_is_said_only_where_the_whole_interval_lies_within_the_margin():
    wide = uniformity.panel(one_sided((0.02, 0.02), n=100), PLAN)
    narrow = uniformity.panel(one_sided((0.02, 0.02), n=2_000), PLAN)

    assert [panel.of(uniformity.TEST)[0].sentence for panel in (wide, narrow)] == ["undecided", "equivalent"]
    assert "does not mean that it errs alike" in wide.sentence
    assert "errs alike within 5 points" in narrow.sentence


def test_the_order_of_two_models_is_trusted_only_where_no_allowed_bias_turns_it():
    rows = uniformity.panel(one_sided((0.05, 0.05, 0.6), n=200), Plan()).of(uniformity.ORDER)

    assert {row.parties for row in rows if row.sentence == uniformity.NOT_TRUSTED} >= {("A", "B"), ("A", "C")}


def test_the_order_of_two_models_does_not_hang_on_which_of_them_stands_first_in_the_file():
    names = ("Z", "A")
    judge = np.r_[np.ones(1_000), np.zeros(900), np.ones(100)]
    given = material(
        [judge], {"judge": judge}, models=Factor(np.repeat([0, 1], 1_000), names), items=np.tile(np.arange(1_000), 2)
    )

    (row,) = uniformity.panel(given, PLAN).of(uniformity.ORDER)

    assert (row.parties, row.sentence) == (("A", "Z"), uniformity.TRUSTED)
    assert row.estimate.value == pytest.approx(-0.9)


def test_nothing_is_corrected_unless_it_is_said_how_the_labelled_were_drawn():
    panel = corrected.panel(three_humans(), Plan())

    assert panel.of(corrected.CORRECTED) == panel.of(corrected.ROGAN_GLADEN) == []
    assert "how the labelled candidates were chosen is not said" in panel.refused[0]


def labelled_on_all_of_a():
    """Model A of 136 answers, all labelled, model B of 40, labelled on 20, and model C without labels."""
    human = np.r_[np.ones(111), np.zeros(25), np.ones(20), np.full(60, np.nan)]
    judge = np.r_[np.ones(99), np.zeros(37), np.ones(80)]
    return material([human], {"j": judge}, models=Factor(np.repeat([0, 1, 2], [136, 40, 40]), ("A", "B", "C")))


def test_a_model_whose_every_answer_is_labelled_has_the_humans_own_score_without_a_design():
    panel = corrected.panel(labelled_on_all_of_a(), Plan())

    (row,) = panel.of(corrected.CORRECTED)
    assert row.parties == ("A", "j") and row.estimate.value == pytest.approx(111 / 136)
    assert (round(row.estimate.low, 2), round(row.estimate.high, 2)) == (0.74, 0.87)
    assert "every candidate is labelled: the humans' own" in row.estimate.method
    assert panel.sentence.startswith("Every candidate of A is labelled, so that scores are the humans' own: A .82")
    assert "B and C cannot be corrected without labels of their own, on all candidates or on a part" in panel.sentence


@pytest.mark.parametrize("design", ["unknown", "random"])
def test_answers_that_all_humans_excluded_are_labelled_and_leave_the_others_own_score(design):
    whole = three_humans(items=60, n_labelled=60)
    excluded = np.zeros(180, dtype=np.bool_)
    excluded[[0, 4, 100]] = True
    states = np.where(excluded, State.EXCLUDED, State.VERDICT)
    humans = {name: verdicts(np.where(excluded, np.nan, own.codes), states) for name, own in whole.humans.items()}
    of_others = np.where(excluded, np.nan, main_basis(whole, PLAN).scores)

    panel = corrected.panel(replace(whole, humans=humans), Plan(design=design, resamples=400))

    rows = panel.of(corrected.CORRECTED)
    assert [row.estimate.value for row in rows] == pytest.approx(np.nanmean(of_others.reshape(-1, 3), axis=0))
    assert "every candidate is labelled, 1 of them excluded: the humans' own" in rows[0].estimate.method
    assert panel.sentence.startswith("Every candidate is labelled, so that scores are the humans' own")
    assert all(np.isnan(row.estimate.value) for row in panel.of(corrected.ROGAN_GLADEN))
    assert not any("count as unlabelled" in why for why in panel.refused)
    # On an item that one of two models has excluded answers to, the two are not compared.
    (a, b, _), (row, *_) = of_others.reshape(-1, 3).T, panel.of("corrected difference")
    assert row.estimate.value == pytest.approx(np.nanmean(a - b)) and row.estimate.n == 57


def test_answers_that_all_humans_excluded_are_not_said_to_be_where_humans_differ():
    part = three_humans(items=60, n_labelled=40)
    excluded = np.zeros(180, dtype=np.bool_)
    excluded[[0, 4]] = True
    humans = {
        name: verdicts(np.where(excluded, np.nan, own.codes), np.where(excluded, State.EXCLUDED, own.states))
        for name, own in part.humans.items()
    }

    panel = corrected.panel(replace(part, humans=humans), Plan(design="random", resamples=400))

    (said,) = [why for why in panel.refused if "count as unlabelled" in why]
    assert "2 of the labelled have no majority of 3 and count as unlabelled, as humans differ, excluded them" in said
    assert said.endswith("leaves out only those without a verdict by that human.")


def test_where_the_judge_could_stand_in_for_no_answer_the_score_is_the_humans_own():
    human = np.tile([0.0, 1.0, 1.0], 10)
    human[29] = np.nan
    judge = np.where(np.isnan(human), np.nan, 1.0)

    (row,) = corrected.panel(material([human], {"judge": judge}), PLAN).of(corrected.CORRECTED)

    assert (row.estimate.value, row.estimate.n) == (19 / 29, 29)
    assert str(row.estimate.method).endswith(
        "every candidate with a verdict of the judge is labelled, 1 without left out: the humans' own"
    )


def test_beside_a_model_that_is_labelled_throughout_the_others_lack_a_design_or_labels():
    panel = corrected.panel(labelled_on_all_of_a(), Plan())

    assert panel.of(corrected.ROGAN_GLADEN) == [] and panel.of("corrected difference") == []
    assert "Of B, how the labelled candidates were chosen is not said" in panel.refused[0]
    assert "C has no human labels, and so no corrected score." in panel.refused[1]


def test_two_models_labelled_throughout_are_compared_without_a_design():
    whole = three_humans(items=60, n_labelled=60)
    unlabelled = np.where(whole.models.codes == 2, np.nan, 1.0)
    humans = {name: verdicts(own.codes * unlabelled) for name, own in whole.humans.items()}

    panel = corrected.panel(replace(whole, humans=humans), Plan(resamples=400))

    (row,) = panel.of("corrected difference")
    assert (row.parties, row.sentence) == (("A", "B"), corrected.ITEM_BY_ITEM)
    a, b = (row.estimate.value for row in panel.of(corrected.CORRECTED))
    assert row.estimate.value == pytest.approx(a - b)


def test_two_models_labelled_throughout_that_share_no_items_are_compared_by_the_limits_of_both():
    human = np.r_[np.repeat([1.0, 0.0], [56, 14]), np.repeat([1.0, 0.0], [48, 32])]
    given = material([human], {"judge": human}, models=Factor(np.repeat([0, 1], [70, 80]), ("A", "B")))

    (row,) = corrected.panel(given, PLAN).of("corrected difference")

    # Newcombe (1998), method 10
    assert (round(row.estimate.low, 4), round(row.estimate.high, 4)) == (0.0524, 0.3339)
    assert row.estimate.n == 150 and "limits from those of both" in str(row.estimate.method)


def test_two_models_that_are_right_and_wrong_on_the_same_few_items_have_a_difference_without_limits():
    human, items = np.tile([0.0, 1.0], 8), np.tile(np.arange(8), 2)
    given = material([human], {"judge": human}, items=items, models=Factor(np.repeat([0, 1], 8), ("A", "B")))

    (row,) = corrected.panel(given, PLAN).of("corrected difference")

    assert (row.estimate.value, row.estimate.undefined_because) == (0.0, "the errors of both scores are the same")


def test_where_a_judge_is_silent_on_a_model_labelled_throughout_no_score_of_its_own_is_said():
    given = material([np.ones(4)], {"j": np.full(4, np.nan)}, models=Factor(np.array([0, 0, 1, 1]), ("A", "B")))

    assert corrected.panel(given, Plan()).sentence.count("alone") == 0


def test_a_model_of_which_the_judge_says_nothing_has_no_score_in_a_sentence():
    models = Factor(np.array([0, 0, 1, 1]), ("A", "B"))
    human = [np.array([1.0, np.nan, 1.0, np.nan])]

    said = corrected.panel(material(human, {"j": np.array([1.0, 1.0, np.nan, np.nan])}, models=models), Plan()).sentence
    assert said.endswith("It has no verdict on any answer of B, so that there is no score of that.")
    assert "undefined" not in said and "By j alone, uncorrected: A 1.00" in said

    silent = corrected.panel(material(human, {"j": np.full(4, np.nan)}, models=models), Plan()).sentence
    assert silent == "j has no verdict on any answer, so that there is no score."


@pytest.mark.parametrize(
    "level_of",
    [lambda item: item % 2, lambda item: item // 40, lambda item: int(item % 4 < 2 and item < 40)],
    ids=["every cluster has both", "no cluster has both", "half of the clusters have both"],
)
def test_a_difference_between_two_levels_counts_every_cluster_once(level_of):
    items = np.arange(80)
    judge = np.where(items % 7 == 0, 0.0, 1.0)
    level = Factor(np.array([level_of(item) for item in items]), ("one", "two"))

    result = of_levels(np.ones(80), judge, {"level": level}, items // 4, shares=True, margin=None, plan=PLAN)

    (difference,) = result["level"].gaps.values()
    assert (difference.n, difference.n_clusters) == (80, 20)


def test_the_corrected_score_is_that_of_the_statistics_in_each_model():
    given = three_humans()
    basis = main_basis(given, PLAN)
    human = np.full(given.n, np.nan)
    human[given.labelled_places] = basis.codes
    among = given.models.codes == 2
    labelled, rest = among & ~np.isnan(human), among & np.isnan(human)
    judge = given.judges["judge"].codes
    alone = prediction_powered_mean(
        human[labelled], judge[labelled], judge[rest],
        clusters=given.clusters[labelled], unlabelled_clusters=given.clusters[rest], name="corrected score",
    )  # fmt: skip

    (row,) = corrected.panel(given, PLAN).of(corrected.CORRECTED, parties=("C", "judge"))

    assert row.estimate == alone


def test_several_runs_that_were_opened_at_once_are_counted_and_their_level_is_said():
    panel = criteria.panel(three_humans(), replace(PLAN, runs_opened=5))

    assert "5 runs of this prompt were opened together: 95 % holds for one named before" in panel.sentence
    assert "99 % is needed" in panel.sentence


def test_the_corrected_scores_by_every_other_basis_are_side_by_side_with_what_these_leave_out():
    rows = corrected.panel(three_humans(), PLAN).of(corrected.SIDE_BY_SIDE, parties=("A", "judge"))

    assert [row.stratum for row in rows] == ["by unanimous of 3", "by mean of 3", "by h1", "by h2", "by h3"]
    assert "0 left out" in rows[1].basis
    assert "0 left out" not in rows[0].basis


def test_where_every_candidate_is_labelled_the_humans_own_mean_and_paired_difference_are_given():
    whole = three_humans(items=60, n_labelled=60)
    human = main_basis(whole, PLAN).scores.reshape(-1, 3)

    panel = corrected.panel(whole, PLAN)

    scores = [row.estimate.value for row in panel.of(corrected.CORRECTED)]
    assert scores == pytest.approx(human.mean(axis=0))
    assert panel.of("corrected difference")[0].estimate.value == pytest.approx(scores[0] - scores[1])
    assert "every candidate is labelled" in panel.of(corrected.CORRECTED)[0].estimate.method
    assert {row.estimate.undefined_because for row in panel.of(corrected.ROGAN_GLADEN)} == {
        "all that the judge gave a verdict on are labelled: nothing is left to correct"
    }


def test_rogan_gladen_is_withheld_where_rates_are_known_to_differ():
    differing = corrected.panel(three_humans(errors=(0.02, 0.02, 0.45), items=300, n_labelled=200), PLAN)
    alike = corrected.panel(three_humans(errors=(0.1, 0.1, 0.1)), PLAN)

    assert differing.of(corrected.ROGAN_GLADEN) == []
    assert any(f"it {corrected.ASSUMES}, which is rejected" in sentence for sentence in differing.refused)
    assert "not rejected" in alike.of(corrected.ROGAN_GLADEN)[0].sentence


def test_failures_bound_the_raw_score_and_are_not_scored():
    judge = Verdicts(
        np.array([1, 1, 0, np.nan, np.nan]), np.array([0, 0, 0, State.ERROR, State.REFUSAL], dtype=np.int8)
    )
    given = Material(YES_NO, {"h1": verdicts([1, 1, 0, 1, 1])}, {"judge": judge})

    panel = corrected.panel(given, Plan())

    values = {row.statistic: row.estimate.value for row in panel.rows}
    assert values["raw"] == pytest.approx(2 / 3)
    assert (values["raw, worst case"], values["raw, best case"]) == (0.4, 0.8)
    assert "1 error, 1 refusal" in panel.of("raw, worst case")[0].estimate.method


def test_orders_that_are_not_trusted_for_want_of_an_interval_are_counted_apart():
    human = np.tile([1.0, 1.0, 0.0, 0.0], 30)
    models = Factor(np.repeat([0, 1, 2], 40), ("A", "B", "C"))
    never, on_two = human.copy(), human.copy()
    on_two[[0, 1, 2, 40, 43]] = 1.0 - on_two[[0, 1, 2, 40, 43]]
    other = human.copy()
    other[-1] = 1.0 - other[-1]

    panel = uniformity.panel(material([human, other], {"never": never, "on two": on_two}, models=models), PLAN)

    said = {head.partition(":")[0]: head.partition("n = 120; ")[2] for head in panel.heads}
    reason = "of them for want of an interval, as where judge and humans never differ on a model)."
    assert said["never"] == f"the order of 3 of 3 pairs of models must not be trusted (3 {reason}"
    assert said["on two"] == "the order of 3 of 3 pairs of models must not be trusted."


def test_a_judge_that_errs_differently_stands_first_in_a_line_of_its_own_with_its_failing_levels():
    given = one_sided((0.02, 0.02, 0.3))
    calm = one_sided((0.02, 0.02, 0.02)).judges["judge"]
    given = replace(given, judges={"calm": calm, "judge": given.judges["judge"]})

    panel = uniformity.panel(given, PLAN)

    assert [head.partition(":")[0] for head in panel.heads] == ["judge", "calm"]
    assert panel.heads[0].startswith("judge: errs differently over model (2.0 points")
    assert "30.0 points" in panel.heads[0] and "on C; above 0 is stricter)" in panel.heads[0]
    assert panel.heads[0].count("must not be trusted") == 1
    first = [(row.statistic, row.parties[0], row.stratum) for row in panel.rows[:2]]
    assert first == [(uniformity.TEST, "judge", "model"), (uniformity.LEVEL, "judge", "model C")]
    assert panel.in_short == panel.heads and len(panel.sentences) > len(panel.heads)


@pytest.mark.parametrize(("design", "share"), [("random", 1 / 3), ("probability", None), ("stratified", None)])
def test_a_score_is_the_humans_own_where_only_what_they_labelled_is_judged_if_all_were_drawn_alike(design, share):
    # Of the answers that are right, half were labelled; of those that are wrong, all.
    human = np.r_[np.zeros(20), np.ones(10), np.full(10, np.nan)]
    strata = Factor(np.repeat([0, 1], 20), ("wrong", "right"))
    of_part = material([human], {"judge": human}, probability=np.repeat([1.0, 0.5], 20), strata=strata)

    (score,) = corrected.panel(of_part, replace(PLAN, design=design)).of(corrected.CORRECTED)

    assert score.estimate.value == pytest.approx(share) if share else np.isnan(score.estimate.value)
