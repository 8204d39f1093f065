"""Whatever runs and raters are called, and whatever a score says, the report takes it as it is."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sqlmodel import select

from db import Study
from protocol.forms import Option
from services.report import EstimateTable, PlainTable, Report, figures_of
from services.report.build import report_of
from services.report.rows.loading import load_rows
from services.report.rows.study_rows import StudyRows
from tests.services.report.lines import lines_in
from tests.services.report.situations import STUDY, Situation


@pytest.fixture(scope="module")
def rows(closed_ended: Situation) -> StudyRows:
    """What the report of the closed study rests on."""
    with closed_ended.database.read_only() as session:
        return load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())


def test_a_judge_run_keeps_its_whole_name_in_figures(rows: StudyRows) -> None:
    (run,) = rows.runs
    report = report_of(replace(rows, runs=(replace(run, name="GPT-5: prompt 2 and more"),)), "final")

    drawn = {chart.key: chart for chart in figures_of(report)}

    assert drawn["judge_1_direction"].title.startswith("GPT-5: prompt 2 and more: direction")
    names = {trace.name for trace in drawn["judge_1_agreement"].figure.data if trace.mode == "markers"}
    assert names == {"GPT-5: prompt 2 and more", "Raters with each other"}


def test_a_category_may_be_called_with_a_colon(rows: StudyRows) -> None:
    before = [figure for figure in figures_of(report_of(rows, "final")) if figure.section == "agreement"]
    named = replace(rows, items=tuple(replace(item, category="Size: large") for item in rows.items))

    after = [figure for figure in figures_of(report_of(named, "final")) if figure.section == "agreement"]
    assert len(after) == len(before)


@pytest.fixture(scope="module")
def with_one_excluded(rows: StudyRows) -> Report:
    """The report where the first of the scores says neither correct nor incorrect."""
    scoring = rows.protocol.scoring
    assert scoring is not None
    field = scoring.form.primary
    options = [
        Option(id="correct", text="Right"),
        Option(id="incorrect", text="Wrong"),
        Option(id="excluded", text="Excluded"),
    ]
    third = field.model_copy(update={"type": "choice", "options": options})
    form = scoring.form.model_copy(update={"fields": [third]})
    protocol = rows.protocol.model_copy(update={"scoring": scoring.model_copy(update={"form": form})})
    scored = [entry for entry in rows.entries if entry.phase == "scoring" and entry.answer is not None]
    entries = tuple(replace(entry, answer="excluded") if entry is scored[0] else entry for entry in rows.entries)
    return report_of(replace(rows, protocol=protocol, entries=entries), "final")


def test_a_score_that_is_neither_correct_nor_incorrect_is_counted_as_what_it_is(with_one_excluded: Report) -> None:
    report = with_one_excluded
    section = report.section("scores")
    assert section is not None
    table = section.table("scores_counts")
    assert isinstance(table, PlainTable)
    counts = [dict(zip([column.key for column in table.columns], row, strict=True)) for row in table.rows]

    assert [(row["score_excluded"], row["missing"]) for row in counts] == [(1, 0), (0, 0)]
    assert all(
        row["correct"] + row["incorrect"] + row["score_excluded"] == row["sample"]  # type: ignore[operator]
        for row in counts
    )
    scores = next(file for file in report.files if file.name == "scores.csv")
    assert [row[-1] for row in scores.rows].count("excluded") == 1
    between = section.table("scores_agreement")
    assert isinstance(between, EstimateTable)
    assert all("; 1 that one or both excluded left out, counted apart" in row.estimate.method for row in between.rows)


def test_a_share_scored_correct_has_bounds_by_what_is_neither(with_one_excluded: Report) -> None:
    rows = [row for row in lines_in(with_one_excluded, "scores", "scores_shares") if row.stratum == "all"]
    scored = {line.label: line for line in rows if line.who == "Rater 1"}
    share = scored["All candidates"].estimate
    right = share.value * share.n

    assert list(scored) == [
        "All candidates",
        "All candidates, left out counted incorrect",
        "All candidates, left out counted correct",
    ]
    least, most = (line for label, line in scored.items() if "left out" in label)
    assert share.n == 7 and least.estimate.n == most.estimate.n == 8
    assert math.isclose(least.estimate.value, right / 8) and math.isclose(most.estimate.value, (right + 1) / 8)
    assert least.note.endswith("1 neither correct nor incorrect")
    # The other rater left out nothing.
    assert [line.label for line in rows if line.who == "Rater 2"] == ["All candidates"]
