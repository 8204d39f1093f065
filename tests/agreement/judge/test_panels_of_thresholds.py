"""Curve and threshold of a judge that gives probabilities: chosen on one half, shown on the other."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.bases import main_basis
from agreement.judge.panels import reliability, thresholds
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale
from tests.agreement.judge.panel_material import PLAN, material, mri_eval, verdicts


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
    assert {row.stratum.partition(",")[0] for row in panel.rows} == {thresholds.HELD_BACK, thresholds.FITTED}
    assert panel.sentence.startswith("On 200 candidates of the half held back, the Brier score of judge is .")
    assert "chosen for a specificity of .8 on the other half, specificity is ." in panel.sentence
    assert f"] (n = {at[thresholds.SPECIFICITY]}) and sensitivity ." in panel.sentence


@pytest.mark.parametrize("when", [reliability.AS_GIVEN, reliability.RECALIBRATED])
def test_tenths_of_what_was_stated_hold_all_candidates_of_the_half_and_give_its_calibration_error(when):
    panel = thresholds.panel(with_grades(), Plan(resamples=200))

    stated = [row.estimate for row in panel.of(f"{reliability.STATED}, {when}")]
    right = [row.estimate for row in panel.of(f"{reliability.RIGHT}, {when}")]
    (error,) = panel.of(f"{thresholds.ERROR}, {when}")
    assert [tenth.n for tenth in stated] == [tenth.n for tenth in right] and sum(tenth.n for tenth in right) == 200
    off = sum(of.n * abs(of.value - mean.value) for of, mean in zip(right, stated, strict=True)) / 200
    assert off == pytest.approx(error.estimate.value)


def test_tenths_are_not_said_of_sealed_subjects():
    panel = thresholds.panel(with_grades(), Plan(resamples=200, fewest_shown=5))

    assert panel.of(f"{thresholds.BRIER}, {reliability.AS_GIVEN}")
    assert panel.of(f"{reliability.RIGHT}, {reliability.AS_GIVEN}") == []
    assert "judge: how often its probabilities are right is not said tenth by tenth" in panel.refused[0]


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
