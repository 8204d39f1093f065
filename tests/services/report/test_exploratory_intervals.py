"""What stands beside an older plan: the same estimates with today's default interval, marked, and nothing moved."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Study
from db.engine import Database, make_engine
from exchange.report.estimate_rows import EstimateRow
from exchange.report.report_csv import csv_files
from exchange.report.report_structure import EstimateTable, Report, Section
from exchange.report.report_words import lines_of
from protocol.analysis import AnalysisPlan
from services.report import report_json, table_markup
from services.report.build import report_of
from services.report.interval_settings import IntervalSettings
from services.report.rows.loading import load_rows
from services.report.rows.reads import reads_of
from services.report.rows.scores import items_of, scores_of
from services.report.rows.study_rows import StudyRows
from services.report.sections.accuracy import accuracy_section
from services.report.sections.agreement import agreement_section
from services.report.sections.automatic_scorers import automatic_scorers
from services.report.sections.scoring import scoring_section
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.situations import FIRST, SECOND, STUDY, Situation, frozen_study, read_all, study_folder

OLDER: dict[str, Any] = {"interval": "percentile_bootstrap", "kappa_interval": "adjusted", "draw": 1}
NOTE = "exploratory: by today’s default interval, not the frozen plan"


def rows_of_study(situation: Situation) -> StudyRows:
    """Return what the report of a study is computed from."""
    with situation.database.read_only() as session:
        return load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())


@pytest.fixture(scope="module")
def rows(closed_ended: Situation) -> StudyRows:
    """A study of two raters with scores."""
    return rows_of_study(closed_ended)


@pytest.fixture(scope="module")
def of_three_raters(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRows]:
    """A study of three raters."""
    folder = tmp_path_factory.mktemp("three")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = frozen_study(Database(engine, folder / "data"), study_folder(folder / "study"), raters=3, reviewers=0)
    for number in (1, 2, 3):
        read_all(situation, f"rater {number}", FIRST if number % 2 else SECOND)
    yield rows_of_study(situation)
    engine.dispose()


def planned_as(rows: StudyRows, **settings: Any) -> StudyRows:
    """Return the study as if it had been frozen with other settings."""
    plan = AnalysisPlan(**{"resamples": 400, "seed": 3, **settings})
    return replace(rows, protocol=rows.protocol.model_copy(update={"analysis": plan}))


def by_table(report: Report) -> dict[str, tuple[EstimateRow, ...]]:
    """Return the rows of each table of estimates."""
    return {table.key: table.rows for _, table in report.estimate_tables()}


def exploratory(report: Report) -> list[tuple[str, EstimateRow]]:
    """Return the exploratory rows with the key of their table."""
    return [(key, row) for key, rows in by_table(report).items() for row in rows if row.exploratory]


def about(row: EstimateRow) -> tuple[object, ...]:
    """Return what a row is about, whatever its interval."""
    return row.statistic, row.compared, row.parties, row.stratum, row.bound, row.weighted


def row_in(rows: tuple[EstimateRow, ...], wanted: EstimateRow) -> EstimateRow:
    """Return the plan's own row about the same."""
    (row,) = [row for row in rows if about(row) == about(wanted) and not row.exploratory]
    return row


@pytest.mark.parametrize("primary", ["closed_format_accuracy", "overall_accuracy", "agreement"])
def test_beside_an_older_plan_stand_the_intervals_of_a_plan_of_today(rows: StudyRows, primary: str) -> None:
    older = report_of(planned_as(rows, primary=primary, **OLDER), "final")
    today = by_table(report_of(planned_as(rows, primary=primary, draw=1), "final"))

    beside = exploratory(older)

    assert beside
    for table, row in beside:
        frozen = row_in(by_table(older)[table], row)
        assert repr(row.estimate) == repr(row_in(today[table], row).estimate)
        assert (row.estimate.value, row.estimate.n) == (frozen.estimate.value, frozen.estimate.n)
        assert row.estimate.method != frozen.estimate.method
        assert (row.planned, row.beside) == (False, None)


@pytest.mark.parametrize(
    ("primary", "table", "statistic", "count"),
    [
        ("closed_format_accuracy", "accuracy", "accuracy", 2),
        ("overall_accuracy", "accuracy", "accuracy", 2),
        ("agreement", "agreement_on_answers", "percent_agreement", 1),
    ],
)
def test_each_planned_estimate_has_one_beside_it_and_no_other_share_has(
    rows: StudyRows, primary: str, table: str, statistic: str, count: int
) -> None:
    report = report_of(planned_as(rows, primary=primary, **OLDER), "final")
    planned = [row for row in by_table(report)[table] if row.planned]

    beside = [(key, row) for key, row in exploratory(report) if row.statistic not in ("cohen_kappa",)]

    assert len(planned) == count
    assert [(key, about(row)) for key, row in beside] == [(table, about(row)) for row in planned]
    assert {row.statistic for row in planned} == {statistic}


def test_coefficients_of_raters_have_one_beside_them(rows: StudyRows, of_three_raters: StudyRows) -> None:
    two, three = (exploratory(report_of(planned_as(study, **OLDER), "final")) for study in (rows, of_three_raters))

    kappas = {key for key, row in two if row.statistic == "cohen_kappa"}
    assert kappas == {
        "agreement_on_answers",
        "agreement_on_correctness",
        "scores_agreement",
        "scores_by_category",
    }
    alphas = {(key, row.compared) for key, row in three if row.statistic == "krippendorff_alpha"}
    assert alphas == {("agreement_of_all", "answers"), ("agreement_of_all", "correctness")}


@pytest.mark.parametrize("older", ["adjusted", "effective"])
def test_beside_an_older_interval_of_kappa_only_kappa_and_alpha_stand(of_three_raters: StudyRows, older: str) -> None:
    report = report_of(planned_as(of_three_raters, kappa_interval=older), "final")

    assert {row.statistic for _, row in exploratory(report)} == {"cohen_kappa", "krippendorff_alpha"}


@pytest.mark.parametrize("settings", [{}, {"draw": 1}, {"confidence": 0.9, "seed": 8, "primary": "agreement"}])
def test_a_plan_with_the_intervals_of_today_has_nothing_beside_it(rows: StudyRows, settings: dict[str, Any]) -> None:
    assert exploratory(report_of(planned_as(rows, **settings), "final")) == []


@pytest.mark.parametrize("draw", [1, 2])
@pytest.mark.parametrize("primary", ["closed_format_accuracy", "agreement"])
def test_what_the_plan_froze_is_the_same_with_and_without(rows: StudyRows, draw: int, primary: str) -> None:
    study = planned_as(rows, **(OLDER | {"draw": draw, "primary": primary}))

    def rows_by(sections: tuple[Section, ...]) -> list[EstimateRow]:
        tables = [table for section in sections for table in section.tables if isinstance(table, EstimateTable)]
        return [row for table in tables for row in table.rows]

    def sections_with(today: bool) -> tuple[Section, ...]:
        plan, reads, scores = study.protocol.analysis, reads_of(study), scores_of(study)
        of_subjects = IntervalSettings.of(plan, reads.subjects)
        of_items = IntervalSettings.of(plan, items_of(study, study.candidates))
        if not today:
            of_subjects, of_items = replace(of_subjects, today=None), replace(of_items, today=None)
        scoring = scoring_section(study, scores, of_items, automatic_scorers(study, scores, of_items))
        assert scoring is not None
        return accuracy_section(reads, of_subjects, plan), agreement_section(reads, of_subjects, plan), scoring

    with_today, without = rows_by(sections_with(True)), rows_by(sections_with(False))

    assert len(with_today) > len(without) > 50
    assert [repr(row) for row in with_today if not row.exploratory] == [repr(row) for row in without]


def test_page_json_and_csv_mark_it(rows: StudyRows) -> None:
    report = report_of(planned_as(rows, **OLDER), "final")
    labels = {"Closed formats (yes/no and choice), exploratory"}

    section = report.section("accuracy")
    assert section is not None
    table = section.table("accuracy")
    assert isinstance(table, EstimateTable)
    assert {line.label for line in lines_of(table) if line.note == NOTE} == labels
    assert table_markup(table).count(NOTE) == 2
    tables = {each["key"]: each for part in json.loads(report_json(report))["sections"] for each in part["tables"]}
    marked = [row for row in tables["accuracy"]["rows"] if row["exploratory"]]
    assert {(row["label"], row["note"]) for row in marked} == {(label, NOTE) for label in labels}
    assert [row["planned"] for row in marked] == [False, False]
    lines = csv.DictReader(io.StringIO("".join(csv_files(report)["estimates.csv"])))
    in_csv = [line for line in lines if line["table"] == "accuracy" and line["note"] == NOTE]
    assert {(line["label"], line["name"]) for line in in_csv} == {(label, "accuracy, exploratory") for label in labels}
    assert [float(line["low"]) for line in in_csv] == [row["estimate"]["low"] for row in marked]
