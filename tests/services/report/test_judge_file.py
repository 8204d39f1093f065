"""What judges wrote is read page by page where it is written into a file, and nowhere else."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, insert
from sqlmodel import select

from db import Candidate, Database, Item, JudgeVerdict, Study
from exchange.report.report_csv import csv_files
from services.judging.verdict_columns import PAGE
from services.progress import data_lock
from services.report import Report, build_report
from services.report.build import report_of
from services.report.files.judge_file import judge_files
from services.report.rows.loading import load_rows
from tests.judged_runs import new_run
from tests.services.report.situations import STUDY, Situation, frozen_study, import_judge, study_folder

MORE_THAN_TWO_PAGES = 2 * PAGE + 1


@pytest.fixture
def judged(sqlite_database: Database, tmp_path: Path) -> Situation:
    """A closed study whose only work was a judge's: its verdicts come in another order than the candidates."""
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), raters=1, reviewers=0)
    import_judge(situation, {"k3": "correct", "k1": "", "k2": "incorrect"})
    data_lock.close_study(sqlite_database, situation.admin, STUDY, "Only the judge was to work.")
    return situation


def lines(situation: Situation, report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(csv_files(report, *judge_files(situation.database, report))["judge.csv"]))


def test_the_file_keeps_the_order_in_which_the_verdicts_came(judged: Situation) -> None:
    report = build_report(judged.database, judged.admin, STUDY)

    assert [(line["candidate"], line["verdict"], line["error"]) for line in lines(judged, report)] == [
        ("k3", "correct", ""), ("k1", "", "timeout"), ("k2", "incorrect", ""),
    ]  # fmt: skip


def test_a_run_that_came_after_the_report_was_built_is_not_in_its_file(judged: Situation) -> None:
    report = build_report(judged.database, judged.admin, STUDY)
    import_judge(judged, {"k4": "correct"}, name="judge 2")

    later = build_report(judged.database, judged.admin, STUDY)

    assert {line["run"] for line in lines(judged, report)} == {"judge 1"}
    assert {line["run"] for line in lines(judged, later)} == {"judge 1", "judge 2"}


def test_a_report_is_built_without_reading_what_the_judges_wrote(judged: Situation) -> None:
    said: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    event.listen(judged.database.engine, "before_cursor_execute", note)
    try:
        build_report(judged.database, judged.admin, STUDY)
    finally:
        event.remove(judged.database.engine, "before_cursor_execute", note)

    assert any("judge_verdict" in statement for statement in said)
    assert not any("judge_verdict.explanation" in statement for statement in said)


def test_a_run_of_several_pages_is_written_whole_and_in_order(judged: Situation) -> None:
    keys = [f"x{number}" for number in range(MORE_THAN_TWO_PAGES)]
    with judged.database.writing() as session:
        item = session.exec(select(Item).order_by(Item.id)).first()
        run = new_run(session, item.study_id, "long")
        rows = [
            {"study_id": item.study_id, "item_id": item.id, "key": key, "model": "m", "answer": "a"} for key in keys
        ]
        session.connection().execute(insert(Candidate), rows)
        ids = session.exec(select(Candidate.id).where(Candidate.model == "m").order_by(Candidate.id)).all()
        session.connection().execute(
            insert(JudgeVerdict),
            [
                {"run_id": run.id, "candidate_id": candidate_id, "verdict": "correct", "explanation": "e"}
                for candidate_id in ids
            ],
        )
    report = build_report(judged.database, judged.admin, STUDY)

    written = [line["candidate"] for line in lines(judged, report) if line["run"] == "long"]

    assert written == keys


def test_a_study_without_candidates_has_no_file_of_judges(judged: Situation) -> None:
    with judged.database.read_only() as session:
        rows = load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())

    report = report_of(replace(rows, candidates=(), runs=()), "final")

    assert judge_files(judged.database, report) == ()


def test_a_study_that_no_judge_has_seen_has_a_file_without_lines(judged: Situation) -> None:
    with judged.database.read_only() as session:
        rows = load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())

    report = report_of(replace(rows, runs=()), "final")

    assert lines(judged, report) == []
