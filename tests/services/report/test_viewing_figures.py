"""The figures of the Viewing section hold the numbers of its tables, for two raters and for many."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from exchange.report.estimate_rows import ALL_RATERS, Party
from exchange.report.report_structure import EstimateTable, QuartileRow, QuartileTable
from exchange.report.report_words import who
from services.report import Figure, Report, figures_of
from services.report.figures.drawing import SHARES


def figure(report: Report, key: str) -> Figure:
    return next(chart for chart in figures_of(report) if chart.key == key)


def table(report: Report, key: str) -> Any:
    section = report.section("viewing")
    assert section is not None
    return section.table(key)


def with_tables(report: Report, **changed: QuartileTable | EstimateTable) -> Report:
    """Return the report with other tables in its Viewing section."""
    sections = tuple(
        replace(section, tables=tuple(changed.get(old.key, old) for old in section.tables))
        if section.key == "viewing"
        else section
        for section in report.sections
    )
    return replace(report, sections=sections)


def test_each_rater_has_a_line_with_their_share_of_unopened_priors_interval_and_n(looked: Report) -> None:
    rows = table(looked, "prior_not_opened").rows

    chart = figure(looked, "prior_not_opened").figure

    [trace] = chart.data
    assert list(trace.x) == pytest.approx([100 * row.estimate.value for row in rows])
    for row, reach in zip(rows, trace.error_x.array, strict=True):
        known = not math.isnan(row.estimate.high)
        assert reach == (pytest.approx(100 * (row.estimate.high - row.estimate.value)) if known else None)
    written = [label.replace("<br>", " ") for label in chart.layout.yaxis.ticktext]
    assert written == [who(row) for row in rows]
    signs = [" †" if row.estimate.warning else "" for row in rows]
    beside = [f"n = {row.estimate.n}{sign}" for row, sign in zip(rows, signs, strict=True)]
    assert [note.text for note in chart.layout.annotations] == beside
    assert tuple(chart.layout.xaxis.range) == SHARES


def test_an_estimate_without_an_interval_is_said_to_have_none(looked: Report) -> None:
    rows = table(looked, "prior_not_opened").rows
    unknown = replace(rows[0].estimate, low=math.nan, high=math.nan)
    without = EstimateTable("prior_not_opened", "Prior", "", (replace(rows[0], estimate=unknown), *rows[1:]))
    known = replace(rows[0].estimate, low=0.0, high=1.0)
    all_with = EstimateTable("prior_not_opened", "Prior", "", (replace(rows[0], estimate=known),))

    assert "no interval" in figure(with_tables(looked, prior_not_opened=without), "prior_not_opened").caption
    assert "no interval" not in figure(with_tables(looked, prior_not_opened=all_with), "prior_not_opened").caption


def test_the_quartiles_of_slices_seen_are_drawn_for_each_rater(looked: Report) -> None:
    chart = figure(looked, "slices_seen").figure

    drawn = {
        (volume.replace("<br>", " "), trace.name): (x - below, x, x + above)
        for trace in chart.data
        for x, y, below, above in zip(
            trace.x, trace.y, trace.error_x.arrayminus, trace.error_x.array, strict=True
        )
        for volume in [chart.layout.yaxis.ticktext[round(y)]]
    }  # fmt: skip
    assert drawn == {
        (f"{row.volume}: {row.plane}", row.party.name): (row.low, row.median, row.high)
        for row in table(looked, "slices_seen").rows
        if row.party != ALL_RATERS
    }


def test_of_many_raters_the_quartiles_of_all_together_are_drawn(looked: Report) -> None:
    seen = table(looked, "slices_seen")
    raters = [*(Party("rater", f"Rater {number}") for number in range(1, 11)), ALL_RATERS]
    many = replace(seen, rows=tuple(QuartileRow("Current, T1", "axial", rater, 5, 10, 20, 30) for rater in raters))

    chart = figure(with_tables(looked, slices_seen=many), "slices_seen").figure

    assert [trace.name for trace in chart.data] == ["All raters"]


def test_nothing_is_drawn_where_nothing_was_recorded(report: Report) -> None:
    """The other small study was read without traces and without priors."""
    assert not [chart for chart in figures_of(report) if chart.section == "viewing"]
