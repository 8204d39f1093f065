"""What a table of a panel prints is what its sentences print: one unit and one precision."""

import re
from dataclasses import replace
from functools import cache

from agreement.judge.cells import shown_figures
from agreement.judge.panels import calibrate, criteria
from agreement.judge.plan import Criteria, Declared
from agreement.judge.printing import report
from tests.agreement.judge.panel_material import PLAN, mri_eval, three_humans

FIGURE = re.compile(r"-?[\d.,]*\d(?: points| %)? \[-?[\d.,]+, -?[\d.,]+\]")


@cache
def panels():
    return calibrate(mri_eval(), PLAN)


def test_every_figure_of_a_sentence_stands_so_in_a_table():
    cells = {" ".join(shown_figures(row, mri_eval().scale)) for panel in panels().values() for row in panel.rows}

    said = {figure for panel in panels().values() for text in panel.sentences for figure in FIGURE.findall(text)}

    assert len(said) >= 3 and said <= cells


def test_coefficients_have_two_places_and_differences_of_shares_are_points():
    lines = report(mri_eval(), panels(), PLAN, everything=True).splitlines()

    kappa = next(line for line in lines if line.startswith("  kappa "))
    difference = next(line for line in lines if line.startswith("  signed difference "))

    assert re.search(r" \.\d\d  \[\.\d\d, \.\d\d\]", kappa), kappa
    assert "8.8 points" in difference


def test_what_is_said_in_short_names_how_many_resamples_are_drawn_and_with_which_seed():
    lines = report(mri_eval(), panels(), PLAN).splitlines()

    short = lines[: lines.index("")]
    assert f"  Intervals by resampling: {PLAN.resamples:,} resamples, seed {PLAN.seed}." in short


def test_a_kappa_that_a_plan_declares_by_the_name_of_the_direction_is_not_in_points():
    plan = replace(PLAN, criteria=Criteria(declared=(Declared("direction", "cohen_kappa", above=0.2),)))

    (row,) = criteria.panel(three_humans(), plan).of(criteria.DIRECTION)

    assert re.fullmatch(r"\.\d\d", shown_figures(row, three_humans().scale)[0])
