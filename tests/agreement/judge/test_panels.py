"""The panels say what the statistics beneath them say, refuse what cannot be known, and find a judge out."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from agreement import (
    judge_direction,
    labels_needed,
)
from agreement.clustered_pairs import paired_score_in_clusters
from agreement.judge.bases import main_basis
from agreement.judge.factors import Factor
from agreement.judge.material import Made, Material
from agreement.judge.panels import PANELS, ceiling, corrected, criteria, direction, thresholds, uniformity
from agreement.judge.panels import repeatability as repeats
from agreement.judge.plan import Criteria, Declared, Plan
from agreement.judge.printing import what_was_read
from agreement.judge.scale import Scale
from agreement.judge.wording import p_in_words
from agreement.percent import share
from tests.agreement.judge.panel_material import PLAN, WIDE, YES_NO, material, mri_eval, three_humans, verdicts

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


def test_a_direction_that_is_undecided_and_small_is_said_to_lie_within_the_margin():
    truth = np.tile([1.0, 1.0, 0.0], 200)
    judge = np.where(np.isin(np.arange(600), [0, 2]), 1.0 - truth, truth)
    small, few = (
        direction.panel(material([truth[:n]], {"judge": judge[:n]}), PLAN).sentence.partition(";")[0] for n in (600, 6)
    )

    assert "is undecided at n = 600: human minus judge 0.0 points [-0." in small
    assert ", within the margin of 5 points, " in small
    assert "undecided" in few and "within" not in few


def test_a_direction_that_the_interval_shows_and_the_test_does_not_is_undecided():
    # nine strict, two lenient: Newcombe's interval excludes 0, exact McNemar gives P = .065
    human = np.r_[np.ones(99), np.zeros(43), np.ones(9), np.zeros(2)]
    judge = np.r_[np.ones(99), np.zeros(43), np.zeros(9), np.ones(2)]

    panel = direction.panel(material([human], {"grok": judge}, items=np.arange(153)), PLAN)

    (row,) = panel.of("signed difference")
    assert row.estimate.low > 0.0 and row.estimate.p > 0.05
    assert row.sentence == "undecided"
    assert "grok is stricter or more lenient than h1 is undecided at n = 153" in panel.sentence
    assert "exact McNemar P = .07, so that the interval alone would decide it" in panel.sentence


def test_a_direction_in_clusters_that_the_interval_shows_and_the_test_does_not_is_undecided():
    # ten subjects of six, with 6, 6, 6, 2, 1 and no strict verdicts: 441 / (10 / 9 x 113) = 3.51 on one degree of
    # freedom
    subjects = np.repeat(np.arange(10), 6)
    judge = (np.arange(60) % 6 >= np.array([6, 6, 6, 2, 1, 0, 0, 0, 0, 0])[subjects]).astype(float)

    panel = direction.panel(material([np.ones(60)], {"grok": judge}, clusters=subjects), PLAN)

    (row,) = panel.of("signed difference")
    (test,) = panel.of(direction.IN_CLUSTERS)
    assert row.estimate.low > 0.0 and row.estimate.p == test.estimate.p == pytest.approx(0.061, abs=0.0005)
    assert row.sentence == "undecided"


def test_a_direction_in_a_single_cluster_has_no_p():
    judge = (np.arange(60) >= 8).astype(float)

    panel = direction.panel(material([np.ones(60)], {"grok": judge}, clusters=np.zeros(60, dtype=int)), PLAN)

    (row,) = panel.of("signed difference")
    assert row.estimate.p is None
    assert row.sentence == "undecided"
    assert "no P of a single cluster" in panel.sentence


def test_labels_to_notice_a_direction_and_labels_to_pass_its_criterion_are_two_numbers():
    panel = direction_of_mri_eval()

    (notice,), (to_pass,) = panel.of("labels needed"), panel.of("labels to pass")
    assert (notice.estimate.value, to_pass.estimate.value) == (346, 462)
    assert "a difference of 5 points is noticed with power .8 by 346 labels (200 to 548)" in panel.sentence
    within = "that a judge without a direction lies within 5 points is shown with power .8 by 462 labels (309 to 709)"
    assert within in panel.sentence


def test_labels_to_pass_are_of_the_margin_of_the_criterion():
    wide = replace(PLAN, criteria=Criteria(direction_margin=0.1))

    (row,) = direction.panel(mri_eval(), wide).of("labels to pass")

    assert row.estimate.value == labels_needed(power=0.8, within=0.1, differing=14 / 136)
    assert "lies within 10 points is shown" in direction.panel(mri_eval(), wide).sentence


@pytest.mark.parametrize(("strict", "lenient", "is_said"), [(7, 7, True), (40, 0, False)])
def test_a_certificate_that_direction_fails_by_width_says_how_many_labels_pass(strict, lenient, is_said):
    n = strict + lenient
    human = np.r_[np.ones(50), np.zeros(36), np.ones(strict), np.zeros(lenient)]
    judge = np.r_[np.ones(50), np.zeros(36), np.zeros(strict), np.ones(lenient)]

    said = criteria.panel(material([human], {"grok": judge}, items=np.arange(86 + n)), PLAN).sentence

    assert "direction failed" in said
    assert ("too wide: that a judge without a direction lies within 5 points is shown" in said) == is_said


def test_a_certificate_on_few_sealed_verdicts_leaves_the_number_of_labels_to_panel_2():
    human = np.r_[np.ones(50), np.zeros(36), np.ones(7), np.zeros(7)]
    judge = np.r_[np.ones(50), np.zeros(36), np.zeros(7), np.ones(7)]

    said = criteria.panel(material([human], {"grok": judge}), replace(PLAN, fewest_shown=5)).sentence

    assert "too wide: panel 2 says how many labels that takes" in said


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


def test_what_is_divided_here_is_called_halves_with_the_numbers_that_each_figure_rests_on():
    panel = thresholds.panel(with_grades(), Plan(resamples=200, specificity=0.8))

    at = {row.statistic: row.estimate.n for row in panel.rows}
    assert {row.stratum for row in panel.rows} == {thresholds.HELD_BACK, thresholds.FITTED}
    assert panel.sentence.startswith("On 200 candidates of the half held back, the Brier score of judge is .")
    assert "chosen for a specificity of .8 on the other half, specificity is ." in panel.sentence
    assert f"] (n = {at[thresholds.SPECIFICITY]}) and sensitivity ." in panel.sentence


def test_it_is_said_that_a_threshold_is_of_one_random_half_and_how_far_it_ranges_over_others():
    graded = with_grades()

    panel, again = (thresholds.panel(graded, replace(PLAN, seed=seed)) for seed in (1, 2))

    (row,) = panel.of("threshold, over other halves")
    low, high = (float(edge) for edge in row.sentence.removeprefix("from ").split(" to "))
    of_one_half = again.of("threshold")[0].estimate.value
    assert low < high and low - 0.02 <= of_one_half <= high + 0.02
    assert f"All this is of one random half of the subjects: over 20 others the threshold lies {row.sentence}" in (
        panel.sentence
    )
    assert len(panel.of("specificity at the threshold, over other halves")) == 1


def test_too_few_to_divide_are_refused_with_the_numbers():
    panel = thresholds.panel(with_grades(50), PLAN)

    assert panel.rows == ()
    assert "50 subjects and 50 labelled items; expected 40 and 60" in panel.refused[0]


def test_a_judge_without_probabilities_has_no_thresholds():
    assert "--score" in thresholds.panel(mri_eval(), PLAN).refused[0]


def test_of_two_humans_thresholds_rest_on_what_both_say_and_the_panel_says_so():
    of_one = with_grades()
    second = of_one.humans["h1"].codes.copy()
    second[:30] = 1.0 - second[:30]
    of_two = replace(of_one, humans={**of_one.humans, "h2": verdicts(second)})

    panel = thresholds.panel(of_two, PLAN)

    assert main_basis(of_two, PLAN).name == "mean of 2"
    assert panel.refused == ()
    assert {row.basis for row in panel.rows} == {"majority of 2, 370 labelled, 30 left out"}
    assert panel.sentences[0] == (
        "Thresholds need verdicts right or wrong, which mean of 2 is not: they rest on majority of 2, of 370 labelled "
        "candidates. 30 have none, mostly those on which people differ: leaving them out flatters a judge."
    )
    both = thresholds.panel(of_two, replace(PLAN, basis="majority"))
    assert [row.estimate for row in both.rows] == [row.estimate for row in panel.rows]


def test_a_scale_on_which_nothing_is_right_or_wrong_has_no_thresholds():
    graded = replace(with_grades(), scale=Scale("ordinal", ("poor", "good")))

    (why,) = thresholds.panel(graded, PLAN).refused
    # No choice of human verdicts would help.
    assert why == "Thresholds need verdicts right or wrong: name what counts as correct with --positive."


def test_numbers_have_no_thresholds_and_no_option_for_them():
    graded = replace(with_grades(), scale=Scale("number"))

    (why,) = thresholds.panel(graded, PLAN).refused
    assert why == "Thresholds need verdicts right or wrong: numbers are neither."


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


def test_a_shift_is_tested_exactly_if_no_two_repeated_candidates_share_a_cluster():
    start = np.r_[np.ones(50), np.zeros(50)]
    shifted = np.r_[np.zeros(14), np.ones(36), np.ones(15), np.zeros(35)]
    plain = runs(start, shifted)

    alone, of_pairs = (
        repeats.panel(replace(plain, clusters=clusters), PLAN).of(repeats.SHIFT)[0].estimate
        for clusters in (np.arange(100), np.arange(100) // 2)
    )

    assert alone == repeats.panel(plain, PLAN).of(repeats.SHIFT)[0].estimate
    assert alone.p == 1.0 and "exact" in alone.method and "Obuchowski" in of_pairs.method


def test_runs_without_a_common_candidate_are_no_repeats_and_show_no_lack_of_shift():
    parts = runs([1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 0])
    panel = repeats.panel(parts, PLAN)

    assert panel.sentence == "old and new of judge have no candidate with both verdicts: they do not repeat each other."
    assert panel.of(repeats.SHIFT) == []
    assert [panel.of(name)[0].estimate.value for name in (repeats.MISSING, repeats.NEW)] == [2, 2]
    assert (
        "judge: only its first run, old, is calibrated; 2 of the candidates that it lacks are in other runs: parts of "
        "one run belong in one import, or one file."
    ) in what_was_read(parts, PLAN)


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


def test_verdicts_of_one_run_only_are_counted_among_all_that_it_has():
    panel = repeats.panel(runs([1, 1, 0, np.nan], [1, np.nan, np.nan, 0]), PLAN)

    missing, new = (panel.of(name)[0].estimate for name in (repeats.MISSING, repeats.NEW))
    assert [(missing.value, missing.n), (new.value, new.n)] == [(2, 3), (1, 2)]
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


@pytest.mark.parametrize("in_clusters", [False, True])
def test_difference_and_direction_of_the_panel_are_those_of_the_statistic(in_clusters):
    given = three_humans() if in_clusters else replace(three_humans(), clusters=None)
    basis = main_basis(given, PLAN)
    human, judge = basis.codes, given.labelled.judges["judge"].codes
    alone = judge_direction(
        human, judge, test_in_clusters=direction.mcnemar_of_clusters(given.labelled, human, judge, WIDE)
    )
    if in_clusters:
        known = ~np.isnan(human) & ~np.isnan(judge)
        scored = paired_score_in_clusters(
            human[known], judge[known], given.labelled.clusters[known], confidence=0.95, unit="candidate"
        )
        alone = replace(alone, difference=replace(scored, p=alone.difference.p))

    (row,) = direction.panel(given, WIDE).of("signed difference", parties=("judge", basis.name))

    assert (row.estimate.value, row.estimate.low, row.estimate.high, row.sentence) == (
        alone.difference.value, alone.difference.low, alone.difference.high, alone.direction,
    )  # fmt: skip


@pytest.mark.parametrize(("n", "strict"), [(60, 1), (60, 2), (100, 4), (150, 4)])
def test_one_shared_subject_neither_passes_nor_fails_the_criterion_of_direction(n, strict):
    human, judge = np.ones(n), (np.arange(n) >= strict).astype(float)
    each_alone = material([human], {"judge": judge})
    two_share = material([human], {"judge": judge}, clusters=np.r_[np.arange(n - 1), n - 2])

    (of_alone,), (of_shared,) = (
        criteria.panel(given, PLAN).of(criteria.DIRECTION) for given in (each_alone, two_share)
    )

    assert of_shared.sentence == of_alone.sentence
    assert of_shared.estimate.low == pytest.approx(of_alone.estimate.low, abs=0.003)
    assert of_shared.estimate.high == pytest.approx(of_alone.estimate.high, abs=0.003)


def test_strict_and_lenient_in_clusters_have_the_interval_of_a_share_in_clusters():
    given = three_humans()
    basis = main_basis(given, PLAN)
    human, judge = given.scale.scores(basis.codes), given.scale.scores(given.labelled.judges["judge"].codes)
    known = ~(np.isnan(human) | np.isnan(judge))
    panel = direction.panel(given, PLAN)

    for name, differs in (("strict", human > judge), ("lenient", human < judge)):
        (row,) = panel.of(name, parties=("judge", basis.name))
        expected = share(differs[known], given.labelled.clusters[known], name=row.estimate.name, unit="candidate")
        assert row.estimate == expected
        assert "on the effective number of independent items" in row.estimate.method


def test_strict_and_lenient_of_one_candidate_to_a_cluster_have_wilsons_interval():
    given = three_humans()
    alone = replace(given, clusters=np.arange(given.clusters.size))

    rows = [row for name in ("strict", "lenient") for row in direction.panel(alone, PLAN).of(name)]

    assert {row.estimate.method for row in rows} == {"Wilson score interval, assumes independent items"}


def test_the_p_beside_a_difference_in_clusters_is_the_one_that_the_sentence_names():
    given = three_humans()
    parties = ("judge", main_basis(given, PLAN).name)
    panel = direction.panel(given, PLAN)

    (difference,), (exact,) = (panel.of(name, parties=parties) for name in (direction.DIFFERENCE, direction.EXACT))
    (in_clusters,) = panel.of(direction.IN_CLUSTERS, parties=parties)

    assert difference.estimate.p == in_clusters.estimate.p != exact.estimate.p
    assert difference.estimate.method.endswith("P McNemar in clusters (Obuchowski)")
    assert f"McNemar in clusters {p_in_words(in_clusters.estimate.p)}" in panel.sentence
    assert exact.sentence.startswith("as if candidates were independent")


def test_the_criterion_of_direction_has_the_p_of_the_panel_of_direction():
    given, parties = three_humans(), ("judge", "majority of 3")
    plan = replace(PLAN, resamples=40)

    (difference,) = direction.panel(given, plan).of(direction.DIFFERENCE, parties=parties)
    (criterion,) = criteria.panel(given, plan).of(criteria.DIRECTION, parties=parties)

    assert criterion.estimate == difference.estimate


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


@pytest.mark.parametrize(("sources", "compared"), [(("x", "x", "y"), 1), (("x", "x", "x"), 0), (("x", "y", ""), 3)])
def test_runs_that_were_read_from_one_file_are_no_repeats_and_are_said_to_be_none(sources, compared):
    codes = np.tile([1.0, 0.0], 20)
    runs = {f"run {place}": verdicts(codes) for place in range(3)}
    read_from = {("grok", run): source for run, source in zip(runs, sources, strict=True)}
    twice = replace(material([codes], {"grok": codes}), runs={"grok": runs}, sources=read_from)

    panel = repeats.panel(twice, PLAN)

    assert len(panel.of(repeats.SCATTER)) == compared
    said = [why for why in panel.refused if why.startswith("run 0 and run 1 of grok were read from the same file")]
    assert len(said) == (sources[1] == "x")
    assert not any("--run" in why for why in panel.refused)


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
