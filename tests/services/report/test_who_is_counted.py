"""Who is counted in the report: not who was never let in to the items, and everybody else with what is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.adjudication import review_queue
from services.progress import data_lock
from services.reading import practice
from services.report import PlainTable, Report, build_report, report_stamp
from services.studies.membership import members
from tests.room_study import PRACTISED, practise, practising
from tests.services.report.lines import all_lines
from tests.situations import Situation, answers, open_study, read_all, signed_in

FLAGGED = {**answers(answer="yes"), "flag": {"id": "prompt", "note": ""}}


def rows_of(report: Report, section_key: str, key: str) -> list[dict[str, object]]:
    """Return a table of counts, each line by the keys of its columns."""
    section = report.section(section_key)
    assert section is not None
    table = section.table(key)
    assert isinstance(table, PlainTable)
    return [dict(zip([column.key for column in table.columns], row, strict=True)) for row in table.rows]


@pytest.fixture
def failed_practice(sqlite_database: Database, tmp_path: Path) -> Situation:
    """Two raters have read everything, a third one has used up their only attempt at the practice."""
    situation = practising(sqlite_database, tmp_path / "study", attempts=1)
    members.invite(sqlite_database, situation.admin, "tiny", "rater-3", "Rater-3", "rater")
    practise(situation, situation.raters[0], tuple(PRACTISED))
    for rater in (situation.raters[1], signed_in(sqlite_database, "rater-3")):
        practise(situation, rater)
        read_all(situation, rater)
    return situation


def closed_report(situation: Situation) -> Report:
    data_lock.close_study(situation.database, situation.admin, "tiny")
    return build_report(situation.database, situation.admin, "tiny")


def test_who_failed_the_practice_misses_nothing_and_is_named_with_n(failed_practice: Situation) -> None:
    report = closed_report(failed_practice)

    assert [row["rater"] for row in rows_of(report, "completeness", "completeness")] == ["Rater 2", "Rater 3"]
    assert [row["missing"] for row in rows_of(report, "completeness", "completeness")] == [0, 0]
    said = "1 of 3 raters did not pass the practice (Rater 1)."
    assert any(said in notice for notice in report.notices)
    for key in ("completeness", "study"):
        section = report.section(key)
        assert section is not None
        assert any(said in sentence for sentence in section.explanation)
    assert not any("reads have no verdict" in notice for notice in report.notices)


def test_who_failed_the_practice_is_in_no_figure_and_in_no_data_file_but_the_members(
    failed_practice: Situation,
) -> None:
    report = closed_report(failed_practice)

    assert not [line for line in all_lines(report) if "Rater 1" in line.who]
    naming = [file.name for file in report.files if any("Rater 1" in row for row in file.rows)]
    assert naming == ["members.csv"]
    listed = {row["member"]: row["role"] for row in rows_of(report, "study", "members")}
    assert listed["Rater 1"] == "rater, practice not passed"
    assert listed["Rater 2"] == "rater"


def test_one_more_attempt_lets_a_rater_in_again_and_the_report_follows(failed_practice: Situation) -> None:
    database, admin = failed_practice.database, failed_practice.admin
    data_lock.take_interim_look(database, admin, "tiny", "to see who failed")
    before = report_stamp(database, admin, "tiny")

    practice.allow_another_attempt(database, admin, "tiny", "rater-1")

    assert report_stamp(database, admin, "tiny") != before
    report = build_report(database, admin, "tiny")
    missing = {row["rater"]: row["missing"] for row in rows_of(report, "completeness", "completeness")}
    assert missing == {"Rater 1": 6, "Rater 2": 0, "Rater 3": 0}
    assert not any("did not pass" in notice for notice in report.notices)


def test_a_verdict_that_came_after_the_queue_is_counted_as_not_shown(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={"Prompt of i1?": FLAGGED})
    review_queue.open_review_queue(sqlite_database, situation.admin, "tiny")
    read_all(situation, situation.reviewer, "review")
    members.invite(sqlite_database, situation.admin, "tiny", "rater-3", "Rater-3", "rater")
    late = signed_in(sqlite_database, "rater-3")
    read_all(situation, late)

    unseen = {
        row["origin"]: row["unseen"] for row in rows_of(closed_report(situation), "adjudication", "review_counts")
    }

    assert unseen == {
        "Flagged by a rater": 1, "Verdicts differ": 0, "Control": 1, "Verdicts differ, not in the queue": 0,
    }  # fmt: skip
