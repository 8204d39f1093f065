"""The panels say what the statistics beneath them say, refuse what cannot be known, and find a judge out."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from agreement import (
    alt_test,
    judge_bias_by_factor,
    judge_direction,
    leave_one_out,
    prediction_powered_mean,
)
from agreement.judge.bases import bases, main_basis
from agreement.judge.material import Factor, Made, Material, Verdicts
from agreement.judge.panels import PANELS, ceiling, corrected, criteria, direction, replacement, thresholds, uniformity
from agreement.judge.panels import repeatability as repeats
from agreement.judge.plan import Criteria, Declared, Plan
from agreement.judge.scale import BINARY, Scale, State

YES_NO = Scale("binary", BINARY, BINARY[1:])
PLAN = Plan(design="random", resamples=400)
WIDE = Plan(design="random", resamples=400, margin=0.3)
"""Whose labels are few, and soon counted."""


def verdicts(codes, states=None):
    codes = np.asarray(codes, dtype=np.float64)
    usual = np.where(np.isnan(codes), State.NO_VERDICT, State.VERDICT)
    return Verdicts(codes, np.asarray(usual if states is None else states, dtype=np.int8))


def material(humans, judges, scale=YES_NO, **parts):
    return Material(
        scale,
        {f"h{place + 1}": verdicts(codes) for place, codes in enumerate(humans)},
        {name: verdicts(codes) for name, codes in judges.items()},
        **parts,
    )


@cache
def mri_eval():
    """122 of 136 agree, 13 strict, 1 lenient, of one model of four; how the agreements divide is made up."""
    human = np.r_[np.ones(98), np.zeros(24), np.ones(13), np.zeros(1)]
    judge = np.r_[np.ones(98), np.zeros(24), np.zeros(13), np.ones(1)]
    rng = np.random.default_rng(1)
    rest = [(rng.random(1365 - (136 if k == 0 else 0)) < p).astype(float) for k, p in enumerate((0.8, 0.78, 0.75, 0.7))]
    of_model = np.repeat([0, 0, 1, 2, 3], [136, *map(len, rest)])
    items = np.r_[np.arange(136), np.arange(136, 1365), np.tile(np.arange(1365), 3)]
    return material(
        [np.r_[human, np.full(4 * 1365 - 136, np.nan)]],
        {"grok": np.r_[judge, np.concatenate(rest)]},
        models=Factor(of_model, ("GPT-5.4", "Opus 4.6", "Gemini", "Grok")),
        factors={"tier": Factor(items % 3, ("1", "2", "3"))},
        items=items,
    )


@cache
def three_humans(seed=5, items=120, errors=(0.05, 0.05, 0.3), n_labelled=80):
    """Three models, whose answers the judge errs on with these rates; three humans who err alike."""
    rng = np.random.default_rng(seed)
    truth = rng.random((items, 3)) < 0.6
    human = [np.where(rng.random(truth.shape) < 0.06, ~truth, truth).astype(float) for _ in range(3)]
    for codes in human:
        codes[n_labelled:] = np.nan
    judge = np.where(rng.random(truth.shape) < np.array(errors), ~truth, truth).astype(float)
    return material(
        [codes.ravel() for codes in human],
        {"judge": judge.ravel()},
        models=Factor(np.tile([0, 1, 2], items), ("A", "B", "C")),
        items=np.repeat(np.arange(items), 3),
        clusters=np.repeat(np.arange(items) // 2, 3),
    )


# ---- MRI-Eval --------------------------------------------------------------------------------------------------------


@cache
def direction_of_mri_eval():
    return direction.panel(mri_eval(), PLAN)


def test_the_judge_of_mri_eval_is_8_8_points_stricter():
    panel = direction_of_mri_eval()

    (row,) = panel.of("signed difference")
    assert (round(row.estimate.value, 3), round(row.estimate.p, 4), row.sentence) == (0.088, 0.0018, "stricter")
    assert [row.sentence for name in ("strict", "lenient") for row in panel.of(name)] == ["13 of 136", "1 of 136"]
    assert "grok is stricter than h1, by 8.8 points" in panel.sentence
    assert "P = .0018" in panel.sentence


def test_a_lenient_judge_is_so_by_a_size_without_a_sign():
    human, judge = np.r_[np.ones(80), np.zeros(56)], np.r_[np.ones(92), np.zeros(44)]

    panel = direction.panel(material([human], {"grok": judge}, items=np.arange(136)), PLAN)

    assert "grok is more lenient than h1, by 8.8 points [3.8, 13.8]" in panel.sentence


def test_the_labels_that_settle_a_direction_follow_from_margin_and_disagreement_alone():
    seen = direction_of_mri_eval().of("labels needed")[0].estimate
    human, judge = np.ones(136), np.r_[np.zeros(7), np.ones(129)]
    human[129:] = 0  # again 14 disagreements, now 7 of either kind
    balanced = direction.panel(material([human], {"grok": judge}), PLAN).of("labels needed")[0].estimate

    assert (seen.value, seen.low, seen.high) == (balanced.value, balanced.low, balanced.high)
    assert seen.low < seen.value < seen.high


def test_uniformity_over_models_is_not_estimable_of_one_model_and_over_tiers_is_tested():
    panel = uniformity.panel(mri_eval(), PLAN)

    findings = {row.stratum: row.sentence for row in panel.of(uniformity.TEST)}
    assert findings == {"model": "not estimable", "tier": "undecided"}
    assert "not estimable: one level only" in panel.sentence
    assert {row.sentence for row in panel.of(uniformity.ORDER)} == {uniformity.NOT_TRUSTED}


def test_a_model_without_labels_has_no_corrected_score():
    panel = corrected.panel(mri_eval(), PLAN)

    assert [row.parties[0] for row in panel.of(corrected.CORRECTED)] == ["GPT-5.4"]
    assert sum("no human labels" in sentence for sentence in panel.refused) == 3
    assert all(corrected.ASSUMES in row.sentence for row in panel.of(corrected.ROGAN_GLADEN))


def test_mri_eval_is_not_certified_and_says_what_is_missing():
    panel = criteria.panel(mri_eval(), PLAN)

    verdict = {(row.statistic, row.stratum): row.sentence for row in panel.rows}
    assert verdict[criteria.AGREEMENT, "all"] == criteria.NOT_ESTIMABLE
    assert verdict[criteria.DIRECTION, "all"] == criteria.FAILED
    assert verdict[criteria.STRATUM, "model GPT-5.4"] == criteria.PASSED
    assert verdict[criteria.STRATUM, "model Gemini"] == criteria.FAILED
    assert not criteria.passes(panel, "grok")


# ---- several humans --------------------------------------------------------------------------------------------------


def test_each_human_is_held_against_the_others_as_the_judge_is():
    given = three_humans()
    labelled = given.labelled
    alone = leave_one_out(
        labelled.human_table(),
        labelled.judges["judge"].codes,
        categories=(0, 1),
        clusters=labelled.clusters,
        resamples=400,
        seed=0,
        unit="candidate",
    )

    panel = ceiling.panel(given, PLAN)

    assert [row.estimate for row in panel.of("human with the others", stratum="all")] == list(alone.raters)
    assert panel.of(ceiling.GAP, stratum="all")[0].estimate == alone.difference


def test_two_humans_are_compared_pairwise_only():
    humans = [verdicts.codes for verdicts in three_humans().humans.values()][:2]
    judge = three_humans().judges["judge"].codes
    panel = ceiling.panel(material(humans, {"judge": judge}), PLAN)

    known = ~np.isnan(humans[0])
    between = np.mean(humans[0][known] == humans[1][known])
    with_judge = np.mean([np.mean(human[known] == judge[known]) for human in humans])
    assert panel.of("human with the others") == []
    assert panel.of(ceiling.GAP)[0].estimate.value == pytest.approx(with_judge - between)


def test_of_a_human_alone_there_is_no_ceiling():
    panel = ceiling.panel(mri_eval(), PLAN)

    assert panel.of(ceiling.GAP) == []
    assert "there is no ceiling" in panel.sentence


def test_majority_unanimous_and_each_alone_say_what_they_leave_out():
    three = material([[1, 1, 1], [1, 1, np.nan], [1, 0, 0]], {"judge": [1, 1, 1]})

    left_out = {basis.name: basis.left_out for basis in bases(three)}

    assert left_out == {"majority of 3": 1, "unanimous of 3": 2, "mean of 3": 0, "h1": 0, "h2": 1, "h3": 0}


def test_two_humans_are_joined_by_their_mean_score_which_leaves_no_hard_candidate_out():
    two = material([[1, 1, 0, 0], [1, 0, 0, np.nan]], {"judge": [1, 0, 0, 0]})

    basis = main_basis(two, Plan())
    panel = direction.panel(two, PLAN)

    assert (basis.name, basis.scores.tolist(), basis.left_out) == ("mean of 2", [1, 0.5, 0, 0], 0)
    assert panel.of("signed difference", parties=("judge", "mean of 2"))[0].estimate.value == pytest.approx(1 / 8)
    assert panel.of("mcnemar exact", parties=("judge", "mean of 2")) == []
    assert "agrees, by kappa, with h1" in ceiling.panel(two, PLAN).sentence


def test_settling_only_what_differs_from_the_judge_is_said_to_flatter_it():
    human, judge = [1, 1, 0, 0], [1, 0, 0, 0]
    only_differing = material([human], {"judge": judge}, adjudicated=verdicts([np.nan, 0, np.nan, np.nan]))
    drawn_as_well = material([human], {"judge": judge}, adjudicated=verdicts([1, 0, np.nan, np.nan]))

    said = [" ".join(ceiling.panel(given, PLAN).refused) for given in (only_differing, drawn_as_well)]

    assert ["settling only what differs" in words for words in said] == [True, False]


def test_an_adjudicated_column_stands_beside_the_others_and_can_be_chosen():
    three = material([[1, 1, 0], [1, 0, 0]], {"judge": [1, 1, 1]}, adjudicated=verdicts([1, 0, 0]))

    assert main_basis(three, Plan(basis="adjudicated")).codes.tolist() == [1, 0, 0]
    assert [basis.name for basis in bases(three)][3] == "adjudicated"
    with pytest.raises(
        ValueError, match="expected one of mean of 2, majority of 2, unanimous of 2, adjudicated, h1, h2"
    ):
        main_basis(three, Plan(basis="the eldest"))


def test_the_alternative_annotator_test_is_that_of_the_statistics():
    labelled = three_humans().labelled
    alone = alt_test(
        labelled.human_table(),
        labelled.judges["judge"].codes,
        0.2,
        categories=(0.0, 1.0),
        clusters=labelled.clusters,
        resamples=400,
        unit="candidate",
    )

    panel = replacement.panel(three_humans(), PLAN)

    assert panel.of(replacement.WINNING)[0].estimate == alone.winning_rate
    assert [row.stratum for row in panel.of(replacement.CURVE)] == [
        f"epsilon {epsilon:g}" for epsilon in replacement.SHOWN_EPSILONS
    ]


@pytest.mark.parametrize(
    ("humans", "says"),
    [
        ([np.ones(90)] * 2, "2 humans gave verdicts, and the test leaves one out and needs 3 or more"),
        ([np.ones(29)] * 3, "fewer than 3 humans share 30 candidates"),
    ],
)
def test_the_alternative_annotator_test_is_refused_where_it_does_not_hold(humans, says):
    panel = replacement.panel(material(humans, {"judge": np.ones(len(humans[0]))}), PLAN)

    assert panel.of(replacement.WINNING) == []
    assert says in panel.refused[0]


def test_readers_are_held_against_the_judge_by_adjudicated_verdicts():
    rng = np.random.default_rng(2)
    truth = (rng.random(100) < 0.5).astype(float)
    humans = [np.where(rng.random(100) < 0.1, 1 - truth, truth) for _ in range(3)]
    given = material(humans, {"judge": truth}, adjudicated=verdicts(truth))

    rows = replacement.panel(given, PLAN).of(replacement.READERS)

    assert [row.sentence for row in rows] == ["fixed", "random"]
    assert rows[0].estimate.value == pytest.approx(np.mean([np.mean(human == truth) for human in humans]) - 1)


# ---- uniformity and correction ---------------------------------------------------------------------------------------


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


def test_p_of_the_parts_of_two_models_is_by_bonferroni_within_the_pair():
    panel = corrected.panel(mri_eval(), PLAN)
    pair = [row for row in panel.of("McNemar") if row.parties == ("GPT-5.4", "Grok")]

    assert [row.stratum for row in pair] == ["by grok", "by grok, tier 1", "by grok, tier 2", "by grok, tier 3"]
    assert all("Bonferroni over 3 parts" in row.estimate.method for row in pair[1:])


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


# ---- thresholds ------------------------------------------------------------------------------------------------------


def with_grades(n=400):
    """A judge whose stated probability is too sure, as a function of how often it is right."""
    rng = np.random.default_rng(8)
    true_probability = rng.random(n)
    truth = (rng.random(n) < true_probability).astype(float)
    grade = np.clip(0.5 + 1.6 * (true_probability - 0.5), 0.01, 0.99)
    return material([truth], {"judge": (grade > 0.5).astype(float)}, grades={"judge": grade})


def test_curve_and_threshold_come_from_one_part_and_are_shown_on_another():
    panel = thresholds.panel(with_grades(), Plan(resamples=200, specificity=0.8))

    values = {row.statistic: row.estimate for row in panel.rows}
    assert values["Brier score, recalibrated"].value < values["Brier score, as given"].value
    assert values["Brier score, as given"].n == 200
    assert abs(values[thresholds.SPECIFICITY].value - 0.8) < 0.15
    assert values[thresholds.SPECIFICITY].n + values[thresholds.SENSITIVITY].n == 200


def test_too_few_to_divide_are_refused_with_the_numbers():
    panel = thresholds.panel(with_grades(50), PLAN)

    assert panel.rows == ()
    assert "50 subjects and 50 labelled items; expected 40 and 60" in panel.refused[0]


def test_a_judge_without_probabilities_has_no_thresholds():
    assert "--score" in thresholds.panel(mri_eval(), PLAN).refused[0]


# ---- repeats, scales, certificate ------------------------------------------------------------------------------------


def runs(first, second, scale=YES_NO):
    of_judge = {"old": verdicts(first), "new": verdicts(second)}
    return Material(scale, {"h1": of_judge["old"]}, {"judge": of_judge["old"]}, runs={"judge": of_judge})


def test_a_shift_in_one_direction_and_scatter_are_two_things():
    start = np.r_[np.ones(50), np.zeros(50)]
    shifted = np.r_[np.ones(50), np.ones(12), np.zeros(38)]
    scattered = np.r_[np.zeros(6), np.ones(44), np.ones(6), np.zeros(44)]

    of_shift, of_scatter = (repeats.panel(runs(start, new), PLAN) for new in (shifted, scattered))

    assert of_shift.of(repeats.SHIFT)[0].sentence == "more lenient: 12 became correct, 0 incorrect"
    assert of_scatter.of(repeats.SHIFT)[0].sentence == "no shift: 6 became correct, 6 incorrect"
    assert [p.of(repeats.SCATTER)[0].estimate.value for p in (of_shift, of_scatter)] == [0.12, 0.12]


def versions(**made):
    """Two repeated runs of a first version, and a run of a second one that is stricter; how each was made."""
    start = np.r_[np.ones(50), np.zeros(50)]
    again, stricter = start.copy(), start.copy()
    again[:3], stricter[:20] = 0, 0
    stricter[99] = np.nan
    of_judge = {"a": verdicts(start), "b": verdicts(again), "c": verdicts(stricter)}
    return Material(
        YES_NO, {"h1": of_judge["a"]}, {"judge": of_judge["a"]}, runs={"judge": of_judge},
        made={("judge", run): Made("judge", *said) for run, said in made.items()},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("second", "statistic", "names"),
    [
        (("v2", "m1"), "changed with the prompt", ("v1", "v2")),
        (("v1", "m2"), "changed with the model", ("m1", "m2")),
        (("v2", ""), "changed with prompt and model", ("v1, m1", "v2, model not said")),
    ],
)
def test_a_version_of_prompt_or_model_is_one_row_beside_the_share_that_changes_from_run_to_run(
    second, statistic, names
):
    panel = repeats.panel(versions(a=("v1", "m1"), b=("v1", "m1"), c=second), PLAN)

    (row,) = panel.of(statistic)
    assert (row.parties, round(row.estimate.value, 4), row.estimate.n) == (names, round(20 / 99, 4), 99)
    assert row.sentence == (
        "stricter: 0 became correct, 20 incorrect (P < .001); 1 missing; 0 new; "
        "3.0 % [1.0, 8.5] from run to run (a to b)"
    )
    assert [row.parties for row in panel.of(repeats.SCATTER)] == [("a", "b")]
    assert f"From {names[0]} to {names[1]}, judge changed 20.2 %" in panel.sentence


def test_without_a_repeated_run_the_share_from_run_to_run_is_said_not_to_be_known():
    panel = repeats.panel(versions(a=("v1", ""), b=("v2", ""), c=("v3", "")), PLAN)

    assert len(panel.of("changed with the prompt")) == 3
    assert all("from run to run not known" in row.sentence for row in panel.of("changed with the prompt"))


def test_verdicts_of_one_run_only_are_counted_apart():
    panel = repeats.panel(runs([1, 1, 0, np.nan], [1, np.nan, np.nan, 0]), PLAN)

    assert [panel.of(name)[0].estimate.n for name in (repeats.MISSING, repeats.NEW)] == [2, 1]
    assert panel.of(repeats.SCATTER)[0].estimate.n == 1


LIKERT = Scale("ordinal", ("1", "2", "3", "4", "5"))


def graded(scale=LIKERT, lower=0.0):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 5, 150).astype(float)
    humans = [np.clip(truth + rng.integers(-1, 2, 150), 0, 4) for _ in range(3)]
    judge = np.clip(truth - (rng.random(150) < lower), 0, 4)
    return material(humans, {"judge": judge}, scale, models=Factor(np.arange(150) % 2, ("A", "B")))


def test_ordered_levels_have_weighted_kappa_limits_of_agreement_and_a_mean_difference():
    given = graded(lower=0.8)

    names = {row.statistic for row in ceiling.panel(given, PLAN).rows}
    panel = direction.panel(given, PLAN)

    assert {"weighted kappa", "icc", "spearman", "signed difference"} <= names
    assert panel.of("signed difference", parties=("judge", "h1"))[0].sentence == "stricter"
    assert (
        panel.of("lower limit of agreement")[0].estimate.value < panel.of("upper limit of agreement")[0].estimate.value
    )
    assert uniformity.panel(given, PLAN).of(uniformity.TEST)[0].estimate.p is not None


def test_numbers_are_compared_by_concordance_with_the_mean_of_the_others():
    from agreement import lin_ccc

    given = graded(Scale("number"))
    humans = [verdicts.codes for verdicts in given.humans.values()]

    panel = ceiling.panel(given, PLAN)

    expected = lin_ccc(humans[0], (humans[1] + humans[2]) / 2).value
    assert panel.of("human with the others")[0].estimate.value == pytest.approx(expected)
    assert {"ccc", "icc", "pearson", "signed difference"} <= {row.statistic for row in panel.rows}


def test_categories_without_an_order_have_no_direction():
    given = graded(Scale("nominal", ("a", "b", "c", "d", "e")))

    refusals = [PANELS[key].compute(given, PLAN).refused for key in ("direction", "uniformity", "corrected")]

    assert all("name what counts as correct with --positive" in said[0] for said in refusals)


def test_a_judge_that_clears_every_criterion_passes():
    rng = np.random.default_rng(6)
    truth = (rng.random(600) < 0.5).astype(float)
    humans = [np.where(rng.random(600) < 0.05, 1 - truth, truth) for _ in range(3)]
    judge = np.where(rng.random(600) < 0.02, 1 - truth, truth)
    given = material(humans, {"judge": judge}, models=Factor(np.arange(600) % 2, ("A", "B")))

    lenient, strict = (
        criteria.panel(given, Plan(resamples=400, criteria=Criteria(fewest_in_stratum=least))) for least in (30, 301)
    )

    assert criteria.passes(lenient, "judge")
    assert "judge is certified" in lenient.sentence
    assert not criteria.passes(strict, "judge")


def test_the_agreement_gap_of_the_certificate_is_that_of_the_first_panel():
    (of_certificate,) = criteria.panel(three_humans(), PLAN).of(criteria.AGREEMENT)
    (of_panel,) = ceiling.panel(three_humans(), PLAN).of(ceiling.GAP, stratum="all")

    assert of_certificate.estimate == of_panel.estimate


def test_verdicts_by_interval_and_by_direction_agree_with_the_statistics():
    given = three_humans()
    basis = main_basis(given, PLAN)
    alone = judge_direction(
        basis.codes, given.labelled.judges["judge"].codes, clusters=given.labelled.clusters, resamples=400
    )

    (row,) = direction.panel(given, WIDE).of("signed difference", parties=("judge", basis.name))

    assert (row.estimate, row.sentence) == (alone.difference, alone.direction_by_interval)


def declared(**asked):
    return replace(PLAN, criteria=Criteria(fewest_in_stratum=1, declared=(Declared("ours", **asked),)))


def test_a_declared_criterion_stands_in_the_place_of_agreement_and_direction():
    plan = declared(statistic="cohen_kappa", above=0.2, each_human=True, fewest_humans=3)
    judged = criteria.panel(three_humans(), plan)

    assert {row.statistic for row in judged.rows} == {"ours", criteria.STRATUM, criteria.HUMANS}
    of_humans = {row.parties[1]: row.estimate for row in judged.of("ours")}
    (own,) = ceiling.panel(three_humans(), PLAN).of("kappa", parties=("judge", "h1"), stratum="all")
    assert len(of_humans) == 3 and of_humans["h1"].value == own.estimate.value
    assert criteria.passes(judged, "judge")


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ({"statistic": "sensitivity", "above": 0.1, "by": ("model",)}, "passed"),
        ({"statistic": "specificity", "above": 0.99}, "failed"),
        ({"statistic": "signed_difference", "above": -0.3, "below": 0.3}, "passed"),
        ({"statistic": "percent_agreement", "above": 0.5, "fewest_candidates": 100_000}, "not estimable"),
        ({"statistic": "percent_agreement", "above": 0.5, "fewest_humans": 4}, "not estimable"),
        ({"statistic": "pearson", "above": 0.5}, "not estimable"),
        ({"statistic": "percent_agreement", "above": 0.5, "by": ("tier",)}, "not estimable"),
        ({"statistic": "percent_agreement", "above": 0.5, "unknown": "it is declared with where"}, "not estimable"),
    ],
)
def test_what_a_declared_criterion_cannot_decide_is_not_passed(asked, outcome):
    rows = criteria.panel(three_humans(), declared(**asked)).of("ours")

    assert {row.sentence for row in rows} == {outcome}
