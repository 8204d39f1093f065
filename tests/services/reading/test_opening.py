"""`opens: {by_admin: yes}`: a phase is shut for its people until an admin opens it, once and with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, AuditEvent, Database, PhaseOpening
from services.errors import Conflict, NotAllowed, NotFound, ReadsOpen
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import instructions, opening, submission, worklist
from services.record import verification
from services.studies.membership import members
from tests.blinding.columns import COMMON, change_everything_but
from tests.blinding.test_listed_identity import payloads
from tests.listed_study import imported_listed, opened_listed, work_through, write_listed
from tests.situations import Situation, answers, at_once, signed_in

REASON = "The first session is over."
TWO_SESSIONS = """
blindread: 2
name: listed
title: Two sessions
phases:
  - key: first
    title: First session
    rates: items
    shows: [prompt]
    form: {seen: yes_no}
  - key: second
    title: Second session
    rates: items
    shows: [prompt, options]
    form: {seen: yes_no}
    opens: {by_admin: yes}
  - key: third
    title: Third session
    rates: items
    shows: [prompt]
    form: {seen: yes_no}
    opens: {after: second}
"""


def shut(situation: Situation, rater: Actor) -> list[str]:
    """Return the parts that are shut for a rater, for which worklist, instructions and room have to say the same."""
    parts = []
    for desk in worklist.desks_of(situation.database, rater):
        try:
            instructions.acknowledge_instructions(situation.database, rater, situation.study_key, desk.queue.key)
            submission.current_payload(situation.database, rater, situation.study_key, desk.queue.key)
        except ReadsOpen:
            assert desk.waits_for
            parts.append(desk.queue.key)
        else:
            assert not desk.waits_for
    return parts


def test_a_phase_is_shut_until_an_admin_opens_it(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", TWO_SESSIONS)
    rater = situation.raters[0]

    before = shut(situation, rater)
    waits = [desk.waits_for for desk in worklist.desks_of(database, rater)]
    opening.open_phase(database, situation.admin, "listed", "second", REASON)

    assert before == ["part-2", "part-3"]
    assert waits[1] == "“Second session” is opened by the study's admin."
    assert shut(situation, rater) == ["part-3"]
    assert len(work_through(situation)) == 2 * 3 * 6


def test_what_comes_after_it_waits_for_it_and_nothing_of_it_is_done_before(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_SESSIONS, raters=1)
    (rater,) = situation.raters
    instructions.acknowledge_instructions(sqlite_database, rater, "listed", "part-1")

    with pytest.raises(ReadsOpen, match="opened by the study's admin"):
        submission.current_payload(sqlite_database, rater, "listed", "part-2")
    with pytest.raises(ReadsOpen, match="once you are done with what comes before it"):
        submission.current_payload(sqlite_database, rater, "listed", "part-3")


def test_opening_is_a_row_with_its_reason_in_the_chain(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", TWO_SESSIONS)

    opening.open_phase(database, situation.admin, "listed", "second", f"  {REASON}\x00 ")

    with database.read_only() as session:
        (row,) = session.exec(select(PhaseOpening)).all()
        events = session.exec(select(AuditEvent).where(AuditEvent.action == "phase opened")).all()
    assert (row.phase, row.reason, row.person_id) == ("second", REASON, situation.admin.person_id)
    assert len(events) == 1
    said = data_lock.events_of(database, situation.admin, "listed")
    assert [(event.kind, event.reason) for event in said] == [("open", ""), ("open phase second", REASON)]
    assert opening.phases_to_open(database, situation.admin, "listed") == {}
    assert verification.verify_study(database, "listed") == []


def test_a_phase_is_opened_once_by_an_admin_with_a_reason(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_SESSIONS)
    admin, opened = situation.admin, opening.open_phase

    assert opening.phases_to_open(sqlite_database, admin, "listed") == {"second": "Second session"}
    with pytest.raises(NotAllowed, match="at least 10 characters"):
        opened(sqlite_database, admin, "listed", "second", " now ")
    with pytest.raises(NotFound, match="Phase 'first' is not one that an admin opens; those are: second"):
        opened(sqlite_database, admin, "listed", "first", REASON)
    with pytest.raises(NotAllowed):
        opened(sqlite_database, situation.raters[0], "listed", "second", REASON)
    opened(sqlite_database, admin, "listed", "second", REASON)
    with pytest.raises(Conflict, match="'second' is already open"):
        opened(sqlite_database, admin, "listed", "second", REASON)


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_phase_is_opened_in_an_open_study_alone(sqlite_database: Database, tmp_path: Path, state: str) -> None:
    if state == "draft":
        situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_SESSIONS))
    else:
        situation = opened_listed(sqlite_database, tmp_path / "study", TWO_SESSIONS)
        data_lock.close_study(sqlite_database, situation.admin, "listed", "Nobody has the time for it.")

    with pytest.raises(Conflict, match="not frozen yet" if state == "draft" else "re-open it"):
        opening.open_phase(sqlite_database, situation.admin, "listed", "second", REASON)


def test_two_admins_at_once_open_it_once(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", TWO_SESSIONS)

    results = at_once(
        *(lambda: opening.open_phase(database, situation.admin, "listed", "second", REASON) for _ in range(2))
    )

    with database.read_only() as session:
        assert len(session.exec(select(PhaseOpening)).all()) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 1


def test_it_is_open_for_who_joins_later(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_SESSIONS)
    opening.open_phase(sqlite_database, situation.admin, "listed", "second", REASON)

    members.invite(sqlite_database, situation.admin, "listed", "late", "Late", "rater")

    assert shut(situation, signed_in(sqlite_database, "late")) == ["part-3"]


def test_nothing_is_stored_of_what_is_not_open_by_whoever_knows_its_address(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_SESSIONS, raters=1)
    (rater,) = situation.raters
    with sqlite_database.read_only() as session:
        assignment = session.exec(
            select(Assignment).where(Assignment.phase == "second").order_by(col(Assignment.position))
        ).first()
    assert assignment is not None

    with pytest.raises(ReadsOpen):
        submission.record_display(sqlite_database, rater, assignment.public_id, load_ms=1, renderer="r", viewport="1x1")
    with pytest.raises(ReadsOpen):
        submission.save_draft(sqlite_database, rater, assignment.public_id, 1, answers(seen="yes"))


def test_who_opened_it_and_why_can_change_and_not_a_byte_does(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", TWO_SESSIONS)
    opening.open_phase(database, situation.admin, "listed", "second", REASON)
    before = payloads(situation, "second")

    changed = change_everything_but(database, COMMON | {"item.prompt", "item.options", "phase_opening.phase"})

    assert "phase_opening.reason" in changed
    assert payloads(situation, "second") == before
