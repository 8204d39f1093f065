"""Uniformity and correction: a judge who errs on one model is found out, and scores are corrected or withheld."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agreement import (
    judge_bias_by_factor,
    prediction_powered_mean,
)
from agreement.estimate import Estimate
from agreement.judge.bases import main_basis
from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.panels import corrected, criteria, uniformity
from agreement.judge.plan import Criteria, Declared, Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.scale import State
from agreement.judge.withheld import rounded
from tests.agreement.judge.panel_material import PLAN, YES_NO, material, mri_eval, three_humans, verdicts


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


def test_a_model_of_which_the_judge_says_nothing_has_no_score_in_a_sentence():
    models = Factor(np.array([0, 0, 1, 1]), ("A", "B"))
    human = [np.array([1.0, 0.0, 1.0, 0.0])]

    said = corrected.panel(material(human, {"j": np.array([1.0, 1.0, np.nan, np.nan])}, models=models), Plan()).sentence
    assert said.endswith("It has no verdict on any answer of B, so that there is no score of that.")
    assert "undefined" not in said and "By j alone, uncorrected: A 1.00" in said

    silent = corrected.panel(material(human, {"j": np.full(4, np.nan)}, models=models), Plan()).sentence
    assert silent == "j has no verdict on any answer, so that there is no score."


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


def few_labels(labelled):
    """Models with so many labelled of 100 candidates each, by human and judge alike but for some."""
    rng = np.random.default_rng(12)
    human = (rng.random((len(labelled), 100)) < 0.5).astype(float)
    judge = np.where(rng.random(human.shape) < 0.2, 1 - human, human)
    for row, n in zip(human, labelled, strict=True):
        row[n:] = np.nan
    names = tuple("ABC"[: len(labelled)])
    models = Factor(np.repeat(np.arange(len(labelled)), 100), names)
    return material([human.ravel()], {"judge": judge.ravel()}, models=models)


SEALED = replace(PLAN, fewest_shown=5)


def test_of_sealed_verdicts_no_figure_rests_on_so_few_that_single_ones_are_told():
    panel = corrected.panel(few_labels((40, 2, 9)), SEALED)

    # What A and all models together say would tell what is said of B, were C there too.
    assert {row.parties[0] for row in panel.of(corrected.CORRECTED)} == {"A"}
    assert panel.of("corrected difference") == panel.of(corrected.SIDE_BY_SIDE) == []
    assert any("The corrected score of B is withheld: beside all others, a figure on fewer than 5" in said
               for said in panel.refused)  # fmt: skip
    assert len(corrected.panel(few_labels((40, 2, 9)), PLAN).of(corrected.CORRECTED)) == 3


def test_a_criterion_in_a_part_with_so_few_sealed_verdicts_is_not_estimable():
    asked = Declared("ours", "percent_agreement", above=0.1, by=("model",))
    plan = replace(SEALED, criteria=Criteria(fewest_in_stratum=1, declared=(asked,)))

    rows = {row.stratum: row for row in criteria.panel(few_labels((40, 2, 9)), plan).of("ours")}

    assert {stratum: row.sentence for stratum, row in rows.items()} == {
        "model A": "passed", "model B": "not estimable", "model C": "not estimable",
    }  # fmt: skip
    assert np.isnan(rows["model B"].estimate.value) and np.isnan(rows["model C"].estimate.value)


@pytest.mark.parametrize(("judged", "is_said"), [(1, False), (4, False), (5, True)])
def test_by_the_shipped_criteria_a_judge_of_few_sealed_candidates_does_not_tell_what_was_said_of_them(judged, is_said):
    human = np.tile([0.0, 1.0], 20)
    judge = np.where(np.arange(40) < judged, 1.0, np.nan)
    other = np.where(np.arange(40) < 2, 1.0 - human, human)
    given = material([human, human, other], {"judge": judge}, items=np.arange(40))

    panel = criteria.panel(given, SEALED)

    shown = [row for key in (criteria.AGREEMENT, criteria.DIRECTION) for row in panel.of(key)]
    assert [not np.isnan(row.estimate.value) for row in shown] == [is_said] * 2
    assert ("withheld: beside all others" in panel.sentence) == (not is_said)


@pytest.mark.parametrize(("judged", "is_said"), [(1, False), (4, False), (5, True)])
def test_a_judge_of_few_sealed_candidates_does_not_tell_whether_two_people_agree_on_them(judged, is_said):
    human = np.tile([0.0, 1.0], 20)
    judge = np.where(np.arange(40) < judged, 1.0, np.nan)
    of_two = material([human, np.where(np.arange(40) < 1, 1.0 - human, human)], {"judge": judge})

    panel = criteria.panel(of_two, replace(SEALED, basis="majority"))

    (labels,) = panel.of(criteria.STRATUM)
    assert labels.sentence == criteria.FAILED
    assert (labels.estimate.value == judged - 1) == is_said and np.isnan(labels.estimate.value) != is_said
    assert labels.estimate.n == (judged - 1 if is_said else 0)
    assert ("all: withheld" in panel.sentence) != is_said


def test_figures_on_sealed_verdicts_have_too_few_digits_to_spell_them_out():
    """With a probability of 1/2, 1/4, 1/8 ... for each candidate, a Brier score has a digit for each verdict."""
    whole = Estimate("Brier score", 0.3799920944244756, 0.0012345, 0.987654, 32, "candidate", "made up", p=0.0123456)
    narrow = replace(whole, value=0.98765, low=0.98764, high=0.98766)
    panel = Panel("thresholds", (), tuple(Row("Brier score", ("judge",), each) for each in (whole, narrow)))

    first, second = (row.estimate for row in rounded(panel, 5).rows)

    assert (first.value, first.low, first.high, first.p) == (0.38, 0.00124, 0.987, 0.0123)
    assert (second.value, second.low, second.high) == (0.988, 0.987, 0.988)
    assert rounded(panel, 1) == panel


@pytest.mark.parametrize("bound", [0.5, -0.1, 0.854, -0.05])
def test_a_rounded_limit_still_clears_the_bound_that_it_cleared(bound):
    above = Estimate("made up", bound + 0.02, bound + 1e-7, bound + 0.1, 9, "candidate", "made up")
    below = replace(above, value=bound - 0.02, low=bound - 0.1, high=bound - 1e-7)
    panel = Panel(criteria.KEY, (), tuple(Row("made up", ("judge",), each) for each in (above, below)))

    first, second = (row.estimate for row in rounded(panel, 5).rows)

    assert first.low > bound > second.high


def test_factors_whose_names_begin_alike_withhold_their_own_levels():
    given, place = few_labels((51,)), np.arange(100)
    factors = {
        "tumour grade": Factor((place < 3).astype(int), ("low", "high")),
        "tumour site": Factor((place > 46).astype(int), ("left", "right")),
    }
    asked = Declared("ours", "percent_agreement", above=0.1, by=tuple(factors))
    plan = replace(SEALED, criteria=Criteria(fewest_in_stratum=1, declared=(asked,)))

    rows = criteria.panel(replace(given, factors=factors), plan).of("ours")

    # Of each factor one level has fewer than five labels, and what all say less the other's would tell them.
    assert [row.sentence for row in rows] == ["not estimable"] * 4


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
