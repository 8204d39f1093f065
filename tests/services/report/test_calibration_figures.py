"""Figures of a calibration: in the unit of the sentences and tables beside them, with zero where a value has a sign."""

from __future__ import annotations

from dataclasses import replace

from agreement.cautions import few_raters
from agreement.estimate import undefined
from agreement.judge.panels import criteria, direction, replacement
from agreement.judge.plan import Criteria, Declared
from agreement.judge.rows import Panel, Row
from agreement.judge.scale import BINARY, Scale
from services.report.calibration.figures import figures_of
from tests.agreement.judge.panel_material import PLAN, mri_eval, three_humans

SHARES = Scale("binary", BINARY, BINARY[1:])


def drawn_directions(scale: Scale) -> dict[str, object]:
    (row,) = direction.panel(mri_eval(), PLAN).of(direction.DIFFERENCE)
    (figure,) = figures_of(Panel(direction.KEY, (), (row,), ()), scale)
    return figure.figure.to_plotly_json()


def test_a_difference_of_shares_is_drawn_in_points_as_it_is_said() -> None:
    drawn = drawn_directions(SHARES)

    assert round(drawn["data"][0]["x"][0], 1) == 8.8
    assert drawn["layout"]["xaxis"]["title"]["text"].endswith("stricter (points)")
    assert drawn["data"][0]["text"][0].endswith("signed difference 8.8 points [3.4, 14.5], n = 136")


def test_a_difference_is_drawn_beside_none() -> None:
    drawn = drawn_directions(SHARES)

    assert (drawn["layout"]["xaxis"]["rangemode"], len(drawn["layout"]["shapes"])) == ("tozero", 1)


def test_a_difference_of_a_scale_without_shares_has_no_unit() -> None:
    drawn = drawn_directions(Scale("ordinal", ("1", "2", "3")))

    assert round(drawn["data"][0]["x"][0], 3) == 0.088
    assert drawn["layout"]["xaxis"]["title"]["text"].endswith("stricter")


def test_lines_are_called_intervals_only_where_there_are_lines() -> None:
    rate = undefined("winning rate", 3, "rater", "alt-test", "these raters are fixed", value=1.0)
    (figure,) = figures_of(Panel(replacement.KEY, (), (Row(replacement.WINNING, ("j", "h1"), rate),), ()), SHARES)
    (of_lines,) = figures_of(Panel(direction.KEY, (), tuple(direction.panel(mri_eval(), PLAN).rows), ()), SHARES)

    assert figure.caption.endswith("no point has an interval, the number at the right is n.")
    assert of_lines.caption.endswith("lines are intervals, the number at the right is n.")


def test_a_value_with_a_warning_has_its_sign_in_the_figure_of_a_panel_too() -> None:
    (row,) = direction.panel(mri_eval(), PLAN).of(direction.DIFFERENCE)
    warned = replace(row, estimate=row.estimate.warned(few_raters(2)))

    def drawn(of: Row) -> tuple[str, str]:
        (figure,) = figures_of(Panel(direction.KEY, (), (of,), ()), SHARES)
        beside = [str(text.text) for text in figure.figure.layout.annotations if str(text.text).startswith("n =")]
        return beside[0], figure.caption

    assert (drawn(row)[0], drawn(warned)[0]) == ("n = 136", "n = 136 †")
    assert "†" not in drawn(row)[1] and drawn(warned)[1].endswith("† beside n: with a warning, which the table gives.")


def test_the_place_of_a_human_is_drawn_by_candidates_by_humans_and_by_epsilon() -> None:
    candidates, humans, epsilons = figures_of(replacement.panel(three_humans(), PLAN), SHARES)

    assert "Share of the candidates on which the judge is at least as close" in candidates.caption
    assert candidates.figure.data[0].error_x.array[0] > 0
    assert "Share of the humans against whom the judge wins" in humans.caption
    assert {text.split(":")[0] for text in epsilons.figure.data[0].text} >= {"judge, epsilon 0", "judge, epsilon 0.3"}


def test_the_bounds_that_decide_a_criterion_are_drawn_and_within_the_axis() -> None:
    agreement, direction_ = (each.draw() for each in figures_of(criteria.panel(three_humans(), PLAN), SHARES))

    for figure, bounds in ((agreement, [-0.1]), (direction_, [-5, 5])):
        dashed = [shape.x0 for shape in figure.layout.shapes if shape.line.dash == "dash"]
        low, high = figure.layout.xaxis.range
        assert dashed == bounds
        assert low < min(bounds) and max(0, *bounds) < high


def test_a_criterion_that_a_plan_declares_is_not_drawn_as_the_shipped_one_that_it_is_named_like() -> None:
    named = (Declared("agreement", "cohen_kappa", above=0.2), Declared("direction", "cohen_kappa", above=0.2))
    declared = replace(PLAN, criteria=Criteria(declared=named))

    assert len(figures_of(criteria.panel(three_humans(), PLAN), SHARES)) == 2
    assert figures_of(criteria.panel(three_humans(), declared), SHARES) == []
