"""What is still to be done is said by person and part before the data are locked, and again in the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import select

from db import AuditEvent, Database, StudyEvent
from services import report
from services.adjudication import review_queue
from services.errors import NotAllowed
from services.judging import import_runs
from services.progress import data_lock, outstanding
from services.reading import submission
from services.studies import catalogue
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed
from tests.room_study import practising
from tests.situations import Situation, on_the_desk, open_study, read_all, show, submit

REASON = "The grant ends on Friday."
JUDGE = b"item,candidate,verdict\ni1,k1,correct\ni1,k2,correct\n"


def sentences(situation: Situation) -> list[str]:
    return [
        piece.sentence for piece in outstanding.open_work_of(situation.database, situation.admin, situation.study_key)
    ]


def with_disagreement(situation: Situation) -> None:
    """Let both raters read everything, and differ on one item."""
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": "yes"})
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no"})


def finish(situation: Situation) -> None:
    with_disagreement(situation)
    review_queue.open_review_queue(situation.database, situation.admin, "tiny")
    read_all(situation, situation.reviewer, "review")
    for rater in situation.raters:
        read_all(situation, rater, "scoring")


def test_a_study_in_which_nothing_is_done_says_so_for_everybody(opened: Situation) -> None:
    assert sentences(opened) == [
        "Rater 1: 6 of 6 items not read",
        "Rater 2: 6 of 6 items not read",
        "Rater 1: 4 of 4 answers not scored",
        "Rater 2: 4 of 4 answers not scored",
    ]


def test_each_part_of_the_work_is_told_apart(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    with_disagreement(situation)
    assert sentences(situation)[-1] == (
        "No reviewer: 1 of 6 items read are flagged or disagree, and are not with a reviewer"
    )

    review_queue.open_review_queue(database, situation.admin, "tiny")
    import_runs.import_judge_verdicts(
        database, situation.admin, "tiny", name="run 1", judge="", content=JUDGE, file_name="judge.csv"
    )
    show(situation, situation.reviewer, payload := on_the_desk(situation, situation.reviewer, "review"))
    submit(situation, situation.reviewer, payload)

    assert sentences(situation) == [
        "Rater 1: 4 of 4 answers not scored",
        "Rater 2: 4 of 4 answers not scored",
        "Reviewer 1: 1 of 2 items in the queue not read by the reviewer",
        "Reviewer 1: 1 of 2 items in the queue read by the reviewer and not decided",
        "Judge run “run 1”: 4 of 6 candidates not judged",
    ]


def test_a_finished_study_has_nothing_open_and_closes_without_a_reason(opened: Situation) -> None:
    finish(opened)
    assert sentences(opened) == []
    data_lock.close_study(opened.database, opened.admin, "tiny", "")
    assert catalogue.study_line(opened.database, opened.admin, "tiny").state == "closed"


def test_a_study_to_which_no_rater_came_is_not_called_done(opened: Situation, tmp_path: Path) -> None:
    empty = imported_listed(
        opened.database, write_listed(opened.database.data_dir / "empty", READ_THEN_SCORE), raters=0
    )
    freezing.freeze_study(empty.database, empty.admin, empty.study_key)

    assert [
        outstanding.is_anything_assigned(study.database, study.admin, study.study_key) for study in (opened, empty)
    ] == [True, False]


def test_practice_that_is_not_passed_is_named(sqlite_database: Database, tmp_path: Path) -> None:
    situation = practising(sqlite_database, tmp_path / "study")
    lines = sentences(situation)
    assert any("because the practice has not been passed" in line for line in lines), lines


def test_what_could_not_be_shown_is_told_and_needs_no_reason(opened: Situation) -> None:
    submission.report_failure(
        opened.database, opened.raters[0], on_the_desk(opened, opened.raters[0])["assignment"], "x"
    )
    finish(opened)

    assert sentences(opened) == ["Rater 1: 1 of 6 items could not be shown"]
    data_lock.close_study(opened.database, opened.admin, "tiny", "")


@pytest.mark.parametrize("reason", ["", "   ", "too short"])
def test_open_work_needs_a_reason(opened: Situation, reason: str) -> None:
    with pytest.raises(NotAllowed, match=r"Rater 1: 6 of 6 items not read.*a reason of at least 10 characters"):
        data_lock.close_study(opened.database, opened.admin, "tiny", reason)
    assert catalogue.study_line(opened.database, opened.admin, "tiny").state == "open"


def test_the_reason_and_what_was_open_are_kept(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    data_lock.close_study(database, situation.admin, "tiny", REASON)
    with database.read_only() as session:
        assert session.exec(select(StudyEvent.reason).where(StudyEvent.kind == "close")).one() == REASON
        detail = session.exec(select(AuditEvent.detail).where(AuditEvent.action == "study close")).one()
    assert (detail["reason"], detail["outstanding"]) == (REASON, {"reading": 12, "scoring": 8})


def test_raters_are_not_told(opened: Situation) -> None:
    with pytest.raises(NotAllowed):
        outstanding.open_work_of(opened.database, opened.raters[0], "tiny")


def test_the_number_of_queries_does_not_grow_with_people(opened: Situation) -> None:
    def statements() -> int:
        seen: list[str] = []
        listener = lambda *args: seen.append(args[2])  # noqa: E731
        event.listen(opened.database.engine, "before_cursor_execute", listener)
        sentences(opened)
        event.remove(opened.database.engine, "before_cursor_execute", listener)
        return len(seen)

    # Once beforehand: what is fixed by the freeze is remembered.
    sentences(opened)
    before = statements()
    for number in range(3, 9):
        members.invite(opened.database, opened.admin, "tiny", f"rater-{number}", f"Rater {number}", "rater")
    assert statements() == before


# ---- in the report ---------------------------------------------------------------------------------------------------


def test_the_report_notes_missing_reads_scores_and_decisions_alike(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    with_disagreement(situation)
    review_queue.open_review_queue(database, situation.admin, "tiny")
    import_runs.import_judge_verdicts(
        database, situation.admin, "tiny", name="run 1", judge="", content=JUDGE, file_name="judge.csv"
    )
    expected = sentences(situation)
    data_lock.close_study(database, situation.admin, "tiny", REASON)

    built = report.build_report(database, situation.admin, "tiny")

    for notice in (
        "8 assigned scores have no verdict; see “Completeness”.",
        "2 items in the reviewers’ queue were not read by the reviewer; see “Completeness”.",
        "Judge run “run 1”: 4 of 6 candidates not judged.",
    ):
        assert notice in built.notices
    # An item that is not read cannot be decided: that is said once.
    assert not any("decided" in notice for notice in built.notices)
    rows = built.section("completeness").table("missing").rows  # type: ignore[union-attr]
    assert not any("decided" in what for *_, what in rows)
    assert [f"{who}: {missing} of {total} {what}" for who, missing, total, what in rows] == expected


def test_the_report_notes_a_decision_that_is_missing_where_the_item_was_read(
    database: Database, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    with_disagreement(situation)
    review_queue.open_review_queue(database, situation.admin, "tiny")
    show(situation, situation.reviewer, payload := on_the_desk(situation, situation.reviewer, "review"))
    submit(situation, situation.reviewer, payload)
    expected = sentences(situation)
    data_lock.close_study(database, situation.admin, "tiny", REASON)

    built = report.build_report(database, situation.admin, "tiny")

    assert "1 item in the reviewers’ queue was not read by the reviewer; see “Completeness”." in built.notices
    assert "1 item in the reviewers’ queue was read by the reviewer and is not decided; see “Completeness”." in (
        built.notices
    )
    rows = built.section("completeness").table("missing").rows  # type: ignore[union-attr]
    assert [f"{who}: {missing} of {total} {what}" for who, missing, total, what in rows] == expected


def test_the_report_notes_items_that_were_sent_to_nobody(opened: Situation) -> None:
    with_disagreement(opened)
    data_lock.close_study(opened.database, opened.admin, "tiny", REASON)
    built = report.build_report(opened.database, opened.admin, "tiny")
    assert "1 item with differing verdicts or a flag was not sent to a reviewer; see “Completeness”." in built.notices


def test_the_report_of_a_finished_study_misses_nothing(opened: Situation) -> None:
    finish(opened)
    data_lock.close_study(opened.database, opened.admin, "tiny", "")
    built = report.build_report(opened.database, opened.admin, "tiny")
    assert built.section("completeness").table("missing") is None  # type: ignore[union-attr]
    assert not any("Completeness" in notice for notice in built.notices)
