"""The panels say what the statistics beneath them say, refuse what cannot be known, and find a judge out."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.factors import Factor
from agreement.judge.panels import PANELS, ceiling, corrected, criteria, direction, uniformity
from agreement.judge.plan import Criteria, Declared, Plan
from agreement.judge.printing import what_was_read
from agreement.judge.scale import Scale
from tests.agreement.judge.panel_material import PLAN, graded, material, mri_eval, three_humans


def test_uniformity_over_models_is_not_estimable_of_one_model_and_over_tiers_is_tested():
    panel = uniformity.panel(mri_eval(), PLAN)

    findings = {row.stratum: row.sentence for row in panel.of(uniformity.TEST)}
    assert findings == {"model": "not estimable", "tier": "undecided"}
    assert "not estimable: one level only" in panel.sentence
    assert {row.sentence for row in panel.of(uniformity.ORDER)} == {uniformity.NOT_TRUSTED}


def test_a_level_with_a_colon_in_its_name_is_named_whole_where_it_is_too_small():
    truth, tiers = np.ones(9), np.r_[np.zeros(8, dtype=int), 1]
    factors = {"tier": Factor(tiers, ("CT", "MR: T1"))}

    panel = uniformity.panel(material([truth], {"judge": truth}, factors=factors), PLAN)

    assert "not estimable: level 'MR: T1' with fewer than two candidates." in panel.sentence


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


def test_every_line_says_on_how_many_candidates_it_rests():
    panels = {key: kind.compute(three_humans(), PLAN) for key, kind in PANELS.items()}

    for key in ("direction", "uniformity", "replacement", "corrected", "certificate"):
        assert "n = " in " ".join(panels[key].in_short), key


def test_on_development_subjects_a_judge_would_pass_and_is_not_certified():
    lenient = Plan(
        resamples=200, is_trial=True, criteria=Criteria(agreement_bound=-0.9, direction_margin=0.9, fewest_in_stratum=1)
    )

    said = [criteria.panel(three_humans(), plan).sentence for plan in (lenient, replace(PLAN, is_trial=True))]

    assert said[0].startswith("judge would pass on development subjects, and nothing is certified before test: ")
    assert said[1].startswith("judge would not pass on development subjects, and nothing is certified before test: ")


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


def test_a_criterion_by_what_no_labelled_candidate_has_is_not_passed():
    given = three_humans()
    unlabelled = np.setdiff1d(np.arange(given.n), given.labelled_places)
    tiers = np.full(given.n, -1)
    tiers[unlabelled] = 0
    of_few = replace(given, factors={"tier": Factor(tiers, ("1",))})

    (row,) = criteria.panel(of_few, declared(statistic="percent_agreement", above=0.1, by=("tier",))).of("ours")

    assert (row.sentence, row.estimate.undefined_because) == ("not estimable", "no labelled candidate has a tier")


def errs_alike_in_sum():
    """A judge that errs on one of two models only, as often in either direction."""
    truth = np.tile(np.r_[np.ones(60), np.zeros(60)], 2)
    judge = truth.copy()
    judge[120:144], judge[180:204] = 0.0, 1.0
    of_model = Factor(np.repeat([0, 1], 120), ("A", "B"))
    return material([truth], {"grok": judge}, models=of_model, items=np.tile(np.arange(120), 2))


def test_panels_3_and_5_refer_to_each_other_where_rates_differ_and_the_signed_difference_does_not():
    seen = errs_alike_in_sum()

    three, five = uniformity.panel(seen, PLAN), corrected.panel(seen, PLAN)

    assert "by model, though (panel 5, P < .001): errors of both kinds cancel." in three.sentence
    (rejected,) = [why for why in five.refused if "which is rejected" in why]
    assert "; panel 3, undecided over model, is of the signed difference, in which errors of both kinds" in rejected


def test_one_missing_verdict_is_called_as_several_are():
    judges = {"a": np.array([1.0, 1.0, 1.0, np.nan]), "b": np.array([1.0, 1.0, np.nan, np.nan])}

    said = list(what_was_read(material([np.ones(4)], judges), PLAN))

    assert "a: 1 without a verdict: not scored." in said and "b: 2 without a verdict: not scored." in said
