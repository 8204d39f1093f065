"""Whatever runs and raters are called, and whatever a mark says, the report takes it as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from db import Study
from protocol.forms import Option
from services.report import PlainTable, figures_of
from services.report.build import report_of
from services.report.collect import collect
from services.report.collected import Collected
from tests.services.report.situations import STUDY, Situation


@pytest.fixture
def collected(closed: Situation) -> Collected:
    """What the report of the closed study rests on."""
    with closed.database.reading() as session:
        return collect(session, session.exec(select(Study).where(Study.key == STUDY)).one())


def test_a_judge_run_keeps_its_whole_name_in_figures(collected: Collected) -> None:
    (run,) = collected.runs
    report = report_of(replace(collected, runs=(replace(run, name="GPT-5: prompt 2 and more"),)), "final")

    drawn = {one.key: one for one in figures_of(report)}

    assert drawn["judge_1_direction"].title.startswith("GPT-5: prompt 2 and more: direction")
    names = {trace.name for trace in drawn["judge_1_agreement"].figure.data if trace.mode == "markers"}
    assert names == {"GPT-5: prompt 2 and more", "Raters with each other"}


def test_a_category_may_be_called_with_a_colon(collected: Collected) -> None:
    found = [figure for figure in figures_of(report_of(collected, "final")) if figure.section == "agreement"]
    named = replace(collected, items=tuple(replace(item, category="Size: large") for item in collected.items))

    assert len([one for one in figures_of(report_of(named, "final")) if one.section == "agreement"]) == len(found)


def test_a_mark_that_is_neither_correct_nor_incorrect_is_counted_as_what_it_is(collected: Collected) -> None:
    scoring = collected.protocol.scoring
    assert scoring is not None
    field = scoring.form.primary
    options = [
        Option(id="correct", text="Right"),
        Option(id="incorrect", text="Wrong"),
        Option(id="excluded", text="Excluded"),
    ]
    third = field.model_copy(update={"type": "choice", "options": options})
    form = scoring.form.model_copy(update={"fields": [third]})
    protocol = collected.protocol.model_copy(update={"scoring": scoring.model_copy(update={"form": form})})
    marked = [entry for entry in collected.entries if entry.phase == "scoring" and entry.answer is not None]
    entries = tuple(replace(entry, answer="excluded") if entry is marked[0] else entry for entry in collected.entries)

    report = report_of(replace(collected, protocol=protocol, entries=entries), "final")
    section = report.section("marks")
    assert section is not None
    table = section.table("marks_counts")
    assert isinstance(table, PlainTable)
    counts = [dict(zip([column.key for column in table.columns], row, strict=True)) for row in table.rows]

    assert [(row["mark_excluded"], row["missing"]) for row in counts] == [(1, 0), (0, 0)]
    assert all(
        row["correct"] + row["incorrect"] + row["mark_excluded"] == row["sample"]  # type: ignore[operator]
        for row in counts
    )
    marks = next(file for file in report.files if file.name == "marks.csv")
    assert [row[-1] for row in marks.rows].count("excluded") == 1
