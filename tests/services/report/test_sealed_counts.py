"""How many units follow from what people differ in is agreement: of sealed subjects no admin is told it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlmodel import func, select

from db import Assignment, Database, Draft, Item, Membership, Study, Verdict, queries
from db.engine import make_engine
from services import report
from services.judging import sealed_split
from services.progress import data_lock, outstanding, overview
from services.reading import instructions, member_progress, submission, worklist
from services.record import package
from services.studies import frozen_facts
from services.studies.freeze import freezing
from tests.harness.databases import sqlite_url
from tests.listed_study import work_through
from tests.services.report.sealed_scores import drafted, items_for_test, saying
from tests.situations import Situation


def verdicts_in(situation: Situation, phase: str, *, of_test: bool) -> int:
    """Count what was answered in a phase, about test subjects or about the others."""
    items = items_for_test(situation)
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Item.key, func.count())
            .join(Assignment, Assignment.item_id == Item.id)
            .join(Verdict, Verdict.assignment_id == Assignment.id)
            .where(Assignment.phase == phase)
            .group_by(Item.key)
        ).all()
    return sum(many for key, many in rows if (key in items) == of_test)


def test_progress_counts_of_what_differs_that_of_development_subjects_alone(sealed: Situation) -> None:
    of_curator = member_progress.progress_of_members(sealed.database, sealed.admin, "sealed")[-1]

    assert verdicts_in(sealed, "settle", of_test=True)
    development = verdicts_in(sealed, "settle", of_test=False)
    assert (of_curator.done, of_curator.total) == (development, development)
    assert of_curator.count_in_words == f"{development} of {development} in development; those of test are sealed"


def test_the_line_of_a_study_leaves_out_what_differs_of_test_subjects(sealed: Situation) -> None:
    line = overview.overview_of(sealed.database, sealed.admin, "sealed")

    scored = verdicts_in(sealed, "score", of_test=True) + verdicts_in(sealed, "score", of_test=False)
    assert line.total == scored + verdicts_in(sealed, "settle", of_test=False)


def test_the_line_of_a_study_is_the_same_whether_people_differ_on_a_sealed_subject_or_not(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    """Who has nothing to settle but sealed subjects has not yet begun with anything, in what is counted."""
    lines = []
    for differing in (1, 0):
        situation = drafted(migrated_sqlite, tmp_path / str(differing), items=64)
        freezing.freeze_study(situation.database, situation.admin, "sealed")
        sealed_split.make_split(situation.database, situation.admin, "sealed", 0.5)
        others = sorted(items_for_test(situation))[:differing]
        for number, rater in enumerate(situation.raters):
            said = replace(situation, raters=(rater,))
            work_through(said, saying(others if number == 1 else []))
        assert verdicts_in(situation, "settle", of_test=True) == differing
        lines.append(overview.overview_of(situation.database, situation.admin, "sealed"))
        situation.database.engine.dispose()

    assert lines[0] == lines[1]


def test_the_count_of_sealed_verdicts_leaves_out_those_of_what_differs(sealed: Situation, tmp_path: Path) -> None:
    scored = verdicts_in(sealed, "score", of_test=True)
    line = sealed_split.split_of(sealed.database, sealed.admin, "sealed")
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    counted = json.loads((tmp_path / "package" / "sealed.json").read_text(encoding="utf-8"))

    assert line is not None
    assert f"sealed, with {scored} verdicts" in line.in_words
    assert f": {scored} verdicts on them" in " ".join(
        report.current_report(sealed.database, sealed.admin, "sealed").notices
    )
    assert (counted["verdicts_left_out"], counted["not_counted"]) == (scored, ["settle"])


def test_the_audit_trail_of_the_package_has_no_event_of_what_differs_of_test_subjects(
    sealed: Situation, tmp_path: Path
) -> None:
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    events = json.loads((tmp_path / "package" / "audit.json").read_text(encoding="utf-8"))

    scored = verdicts_in(sealed, "score", of_test=True) + verdicts_in(sealed, "score", of_test=False)
    listed = scored + verdicts_in(sealed, "settle", of_test=False)
    assert sum(event["action"] == "verdict" for event in events) == listed


def test_nothing_in_the_audit_trail_of_the_package_says_where_an_event_is_left_out(
    sealed: Situation, tmp_path: Path
) -> None:
    """An event that does not continue from the hash of the one before it says that there is one between them."""
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    events = json.loads((tmp_path / "package" / "audit.json").read_text(encoding="utf-8"))

    assert {name for event in events for name in event} == {"at", "person", "action", "detail"}


def test_the_audit_trail_of_the_package_has_no_draws_where_people_are_dealt_what_differs(
    sealed: Situation, tmp_path: Path
) -> None:
    """Whether a draw deals a person's first units follows from whether they were dealt any before."""
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    events = json.loads((tmp_path / "package" / "audit.json").read_text(encoding="utf-8"))

    assert "drawn" not in {event["action"] for event in events}


def test_the_audit_trail_of_the_package_has_no_event_of_what_differs_of_test_subjects_and_could_not_be_shown(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    situation = drafted(migrated_sqlite, tmp_path, items=64)
    freezing.freeze_study(situation.database, situation.admin, "sealed")
    sealed_split.make_split(situation.database, situation.admin, "sealed", 0.5)
    others = sorted(items_for_test(situation))[:1]
    for number, rater in enumerate(situation.raters[:2]):
        work_through(replace(situation, raters=(rater,)), saying(others if number == 1 else []))
    curator = situation.raters[2]
    (desk,) = worklist.desks_of(situation.database, curator)
    instructions.acknowledge_instructions(situation.database, curator, "sealed", desk.queue.key)
    differing = submission.current_payload(situation.database, curator, "sealed", desk.queue.key)
    submission.report_failure(situation.database, curator, differing["assignment"], "It is not drawn.")
    data_lock.close_study(situation.database, situation.admin, "sealed")

    package.export_study(situation.database, situation.admin, "sealed", tmp_path / "package")

    events = json.loads((tmp_path / "package" / "audit.json").read_text(encoding="utf-8"))
    assert "technical failure" not in {event["action"] for event in events}
    situation.database.engine.dispose()


def test_work_on_sealed_subjects_is_not_counted_of_who_is_no_longer_in_the_study(sealed: Situation) -> None:
    with sealed.database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == "sealed")).one()
        following = frozen_facts.phases_of(session, study.id).following
        before = queries.count_sealed_by_member(session, study.id, following)
        for member in session.exec(select(Membership).where(Membership.study_id == study.id)):
            member.removed_at = study.created_at
        session.flush()
        after = queries.count_sealed_by_member(session, study.id, following)
        session.rollback()

    assert before
    assert after == {}


def test_open_work_on_sealed_subjects_is_said_and_not_counted() -> None:
    nothing_else = outstanding.OpenWork("Rater 3", "settle", 0, 4, left="answers open", is_without_test=True)
    on_test = replace(nothing_else, is_open_on_test=True)

    assert outstanding.in_order([nothing_else, on_test]) == [on_test]
    assert on_test.sentence == "Rater 3: 0 of 4 answers open in development, and some of test, which are sealed"


def test_revisions_and_the_last_save_are_said_of_development_subjects_alone(sealed: Situation, tmp_path: Path) -> None:
    """Who watches them while somebody works would count the units of test subjects that follow from answers."""
    with sqlite3.connect(sealed.database.data_dir / "blindread.db") as of_all, sqlite3.connect(tmp_path / "b.db") as to:
        of_all.backup(to)
    copied = Database(make_engine(sqlite_url(tmp_path / "b.db")), tmp_path)
    before = member_progress.progress_of_members(copied, sealed.admin, "sealed")[-1]
    with copied.writing() as session:
        of_test = queries.sealed_items(session, session.exec(select(Study.id)).one())
        settled = session.exec(
            select(Verdict)
            .join(Assignment, Assignment.id == Verdict.assignment_id)
            .where(Assignment.phase == "settle", Assignment.item_id.in_(of_test))
        ).first()
        again = settled.model_dump(exclude={"id"})
        later = settled.submitted_at + timedelta(days=1)
        again |= {"receipt": "LATE-RXXX", "idempotency_key": "later", "submitted_at": later}
        session.add(Verdict(**again | {"supersedes_id": settled.id}))
        session.add(Draft(assignment_id=settled.assignment_id, sequence=1, answers={}, saved_at=later))

    after = member_progress.progress_of_members(copied, sealed.admin, "sealed")[-1]
    copied.engine.dispose()

    assert after == before
