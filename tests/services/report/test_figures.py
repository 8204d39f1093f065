"""The figures hold the report's own numbers, for two raters and for many; nothing to draw is no error."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest

from agreement import wilson_interval
from db import Database
from services.progress import data_lock
from services.report import Figure, Report, build_report, figures_of
from services.report.figures.curves import Point, curves
from services.report.figures.drawing import COLOURS, FLOORS, KAPPA, SYMBOLS, Span, diverging, spans
from tests.contrast import contrast, luminance
from tests.services.report.lines import lines_in
from tests.services.report.situations import FIRST, SECOND, STUDY, frozen_study, read_all, study_folder


def figure(report: Report, key: str) -> Figure:
    return next(chart for chart in figures_of(report) if chart.key == key)


def points(chart: Figure) -> list[float]:
    return sorted(x for trace in chart.figure.data if trace.mode == "markers" for x in trace.x)


def test_direction_of_the_judge_is_drawn_in_points(report: Report) -> None:
    rows = lines_in(report, "judges", "judge_1_direction")

    assert points(figure(report, "judge_1_direction")) == pytest.approx(
        sorted(100 * row.estimate.value for row in rows)
    )


def test_before_and_after_adjudication_are_two_series(report: Report) -> None:
    drawn = figure(report, "before_and_after").figure

    assert [trace.name for trace in drawn.data] == ["Before adjudication", "After adjudication"]
    assert list(drawn.data[0].x) == pytest.approx([25.0, 50.0])
    assert list(drawn.data[1].x) == pytest.approx([100.0, 87.5])


def test_floors_are_strokes_at_their_items_and_chance_only_where_all_have_options(report: Report) -> None:
    drawn = figure(report, "accuracy").figure
    strokes = {trace.name: [x for x in trace.x if x is not None] for trace in drawn.data if trace.mode == "lines"}

    # Closed formats, yes/no, choice: each stroke has two ends.
    assert strokes["Floor: chance"] == pytest.approx([250 / 6] * 2 + [50.0] * 2 + [25.0] * 2)
    assert len(strokes["Floor: text-only baseline"]) == 10


def test_the_caption_says_over_which_items_a_floor_is(report: Report) -> None:
    captions = {
        key: figure(report, key).caption for key in ("accuracy", "accuracy_by_grounding", "accuracy_by_category")
    }

    assert "same items" not in " ".join(captions.values())
    for key in ("accuracy", "accuracy_by_grounding"):
        assert "floors over all items of the line, no matter who answered" in captions[key]
        assert "is on the items that this rater answered" in captions[key]
    assert "floors" not in captions["accuracy_by_category"]


def test_intervals_reach_as_far_as_the_table_says(report: Report) -> None:
    drawn = figure(report, "accuracy").figure
    first = [row for row in lines_in(report, "accuracy", "accuracy") if row.who == "Rater 1"]

    above = drawn.data[0].error_x.array
    for row, reach in zip(first, above, strict=True):
        known = not math.isnan(row.estimate.high)
        assert reach == (pytest.approx(100 * (row.estimate.high - row.estimate.value)) if known else None)


def test_many_raters_are_drawn_as_a_map_of_pairs(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), raters=5, reviewers=0)
    for number in range(1, 6):
        read_all(situation, f"rater {number}", FIRST if number % 2 else SECOND)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    drawn = figure(report, "agreement_answers_percent_map").figure
    values = {
        row.who: row.estimate.value
        for row in lines_in(report, "agreement", "agreement_on_answers")
        if row.stratum == "all" and row.scale == "percent"
    }
    assert drawn.data[0].z[0][1] == pytest.approx(values["Rater 1 and Rater 2"])
    assert drawn.data[0].z[4][2] == pytest.approx(values["Rater 3 and Rater 5"]) == 1.0
    assert drawn.data[0].z[3][3] is None
    percents = [
        row
        for row in lines_in(report, "agreement", "agreement_on_answers")
        if row.stratum == "all" and row.scale == "percent"
    ]
    written = {note.text.split("<br>")[1] for note in drawn.layout.annotations if note.text}
    assert written == {f"n = {row.estimate.n}" for row in percents}
    kappas = [
        row
        for row in lines_in(report, "agreement", "agreement_on_answers")
        if row.stratum == "all" and row.name.startswith("Cohen")
    ]
    forest = figure(report, "agreement_answers_number").figure
    assert len(kappas) == 10
    assert points(figure(report, "agreement_answers_number")) == pytest.approx(
        sorted(row.estimate.value for row in kappas if not math.isnan(row.estimate.value))
    )
    assert tuple(forest.layout.xaxis.range) == KAPPA


def test_a_study_without_verdicts_still_gives_figures_that_can_be_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200))
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    for chart in figures_of(build_report(sqlite_database, situation.admin, STUDY)):
        content = json.loads(chart.figure.to_json())
        assert content["layout"]["height"] == chart.height


# ---- what every figure says ------------------------------------------------------------------------------------------


def test_agreement_has_its_kappa_figure_with_intervals_on_the_whole_scale(report: Report) -> None:
    kappas = [chart for chart in figures_of(report) if "kappa" in chart.title]

    assert {chart.section for chart in kappas} == {"agreement", "judges"}
    for chart in kappas:
        low, high = chart.figure.layout.xaxis.range
        assert low <= -1 and high >= 1
        assert any(reach for trace in chart.figure.data for reach in trace.error_x.array)


def test_shares_are_drawn_from_0_to_100(report: Report) -> None:
    for chart in figures_of(report):
        if "(%)" in str(chart.figure.layout.xaxis.title.text):
            low, high = chart.figure.layout.xaxis.range
            assert low <= 0 and high >= 100


def test_differences_are_drawn_with_a_line_at_0_however_far_off_they_are(report: Report) -> None:
    differences = [chart for chart in figures_of(report) if "points)" in str(chart.figure.layout.xaxis.title.text)]

    assert differences
    for chart in differences:
        assert chart.figure.layout.xaxis.rangemode == "tozero"
        assert [(stroke.x0, stroke.x1) for stroke in chart.figure.layout.shapes] == [(0, 0)]


def test_each_line_says_the_n_of_its_values(report: Report) -> None:
    for chart in figures_of(report):
        if chart.figure.data[0].type == "heatmap":
            assert "n = " in chart.caption
            continue
        if chart.figure.layout.yaxis.ticktext is None:  # curves say it above each point, or behind a name
            above = [note for note in chart.figure.layout.annotations if str(note.text).startswith("n = ")]
            unnamed = [place for trace in chart.figure.data if "(n = " not in trace.name for place in trace.x]
            assert len(above) == len(unnamed), chart.key
            continue
        lines = len(chart.figure.layout.yaxis.ticktext)
        written = [note.text for note in chart.figure.layout.annotations if str(note.text).startswith("n = ")]
        drawn = {round(y) for trace in chart.figure.data if trace.mode == "markers" for y in trace.y}
        assert len(drawn) <= len(written), chart.key
        assert len(drawn) <= lines


def test_lines_of_curves_are_told_apart_in_grey_by_symbol_and_dash() -> None:
    share = wilson_interval(3, 4)
    drawn = curves(
        {f"Rater {n}": [Point(1, share, "one"), Point(2, share, "two")] for n in range(12)}, "x", "y", [1, 2]
    )

    looks = {(trace.marker.symbol, trace.line.dash) for trace in drawn.data}
    assert len(looks) == len({symbol for symbol, _ in looks}) == 12


def test_a_point_of_a_curve_that_another_covers_is_larger_and_stays_where_it_was_measured() -> None:
    high, low = wilson_interval(3, 4), wilson_interval(1, 4)
    series = {
        "Rater 1": [Point(25, high, "a"), Point(50, low, "b")],
        "Rater 2": [Point(25, high, "a"), Point(50, high, "b")],
        "Rater 3": [Point(25.4, high, "a"), Point(60, low, "b")],
    }

    drawn = curves(series, "x", "y")

    assert [trace.marker.size for trace in drawn.data] == [(19, 9), (14, 9), (9, 9)]
    assert [trace.x for trace in drawn.data] == [(25, 50), (25, 50), (25.4, 60)]


def test_a_single_curve_has_its_name_too_which_says_n() -> None:
    share = wilson_interval(3, 4)

    drawn = curves({"Rater 1": [Point(1, share, "one"), Point(2, share, "two")]}, "x", "y", [1, 2])

    # The library draws no legend of a single line by itself.
    assert drawn.layout.showlegend and [trace.name for trace in drawn.data] == ["Rater 1 (n = 4)"]


@pytest.mark.parametrize("steps", [2, 3, 4, 5, 7])
def test_steps_of_a_scale_are_told_apart_in_grey_by_shade_and_hatch(steps: int) -> None:
    names = [f"step {n}" for n in range(steps)]
    figure = diverging(["all"], names, {("all", name): wilson_interval(10, 10 * steps) for name in names})

    looks = [(bool(bar.marker.pattern.shape), luminance(bar.marker.color)) for bar in figure.data]
    assert [hatched for hatched, _ in looks] == [2 * n < steps - 1 for n in range(steps)]
    for hatched in (True, False):
        shades = sorted(shade for own, shade in looks if own is hatched)
        assert all(after - before > 0.02 for before, after in itertools.pairwise(shades))


def test_figures_are_told_apart_in_grey_and_stand_out_from_both_grounds() -> None:
    assert len(set(SYMBOLS)) == len(SYMBOLS) == 4 * len(COLOURS)
    for colour in (*COLOURS, *(colour for colour, _ in FLOORS.values())):
        for ground in ("#ffffff", "#fbfcfc", "#12181c", "#14171a"):
            assert contrast(colour, ground) >= 3, (colour, ground)
    assert len({dash for _, dash in FLOORS.values()}) == len(FLOORS)


def values_of(names: list[str], line: str = "all") -> list[Span]:
    return [Span(line, name, 40.0, 50.0, 60.0, name, 10) for name in names]


@pytest.mark.parametrize("count", [2, 12, 13, 24, 25, 45])
def test_no_two_names_of_a_figure_look_alike_in_grey(count: int) -> None:
    drawn = spans(values_of([f"Rater {n}" for n in range(count)]), "Share (%)", limits=None)

    told_apart = {(trace.marker.symbol, y) for trace in drawn.data for y in trace.y}
    assert len(told_apart) == sum(len(trace.y) for trace in drawn.data) == count
    assert len({trace.marker.symbol for trace in drawn.data}) == len(drawn.data)
    assert len(drawn.layout.yaxis.ticktext) == (1 if count <= len(SYMBOLS) else count)


def test_all_raters_come_last_in_each_part_of_a_figure() -> None:
    parts = {"Residents": ["Rater 1", "Rater 2", "All raters"], "Attendings": ["Rater 3", "Rater 4", "All raters"]}
    drawn = spans([span for part, names in parts.items() for span in values_of(names, part)], "Share (%)", limits=None)

    at = sorted((y, trace.name) for trace in drawn.data for y in trace.y)
    assert [name for _, name in at] == [name for names in parts.values() for name in names]


def test_a_figure_is_as_high_as_its_fullest_line_needs_however_many_names_other_lines_have() -> None:
    groups = {"students": ["A", "B", "C"], "seniors": ["D", "E", "F"]}
    parted = [span for part, names in groups.items() for span in values_of(names, part)]
    alike = [span for part in groups for span in values_of(["A", "B", "C"], part)]

    assert spans(parted, "Share (%)", limits=None).layout.height == spans(alike, "Share (%)", limits=None).layout.height


def test_where_all_differences_are_0_their_dots_are_not_cut_by_the_edge() -> None:
    nothing = Span("all", "A minus B", math.nan, 0.0, math.nan, "", 2)

    assert spans([nothing], "Difference (points)", limits=None, from_zero=True).layout.xaxis.range == (-1, 1)


@pytest.mark.parametrize("parties", [1, 3, 6])
def test_no_party_stands_beyond_the_axis_at_its_first_or_last_tick(parties: int) -> None:
    share = wilson_interval(2, 3)
    ticks = (2, 5, 10, 15, 20, 30)
    series = {f"Rater {n}": [Point(tick, share, "within it") for tick in ticks] for n in range(parties)}

    drawn = curves(series, "Distance (mm)", "Places (%)", ticks)

    first, last = drawn.layout.xaxis.range
    # A symbol is about a hundredth of the axis wide.
    room = (last - first) / 100
    assert all(first + room <= x <= last - room for trace in drawn.data for x in trace.x)
