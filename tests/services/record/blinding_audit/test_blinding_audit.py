"""An audit looks at everything that it says, changes nothing, goes on where it was interrupted, and is remembered."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import TestCase

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from db import AuditEvent, Database, Membership, Person, Study, Unavailable, audit
from db.base import Base
from db.engine import only_reading
from services.errors import Conflict, NotAllowed, ReadsOpen
from services.reading import displaying, worklist
from services.record.blinding_audit import auditing, plan, progress_file
from services.record.blinding_audit.auditing import audit_blinding, last_audit
from services.studies.membership import removing
from tests.blinding.columns import take_the_guards_away
from tests.following_study import flagging, opened_following, read_through, units_in
from tests.harness.server import ROOT
from tests.listed_study import READ_THEN_SCORE, TWO_GROUPS, opened_listed, work_through
from tests.services.record.blinding_audit.planted_study import audited
from tests.situations import Situation, imported_study, open_study, read_all

# SQLite's words become those of a disk that cannot be written.
REFUSED = (Unavailable, DBAPIError)


def listed(database: Database, folder: Path) -> Situation:
    return opened_listed(database, folder, READ_THEN_SCORE)


# ---- what is searched ------------------------------------------------------------------------------------------------


def test_every_assignment_of_a_study_with_sections_is_searched(opened: Situation, tmp_path: Path) -> None:
    result = audited(opened, tmp_path / "audit.json").result

    # Two raters read six items, of three forms, and score four answers.
    assert result["assignments"] == {
        "in_the_study": 20, "searched": 20, "of_nobody": 0, "screens": 4, "draw": None,
    }  # fmt: skip
    assert (result["searched"]["payloads"], result["searched"]["pages"]) == (20, 2)
    # Of three cases the first scan, of one the other contrast and of one the prior.
    assert result["searched"]["volume_headers"] == 5
    assert result["hidden_values"]["reference"] == 4
    assert (result["result"], result["leaks"], result["not_rendered"]) == ("no leak", [], [])


def test_every_assignment_of_a_study_that_lists_its_phases_is_searched(database: Database, tmp_path: Path) -> None:
    result = audited(listed(database, tmp_path / "study"), tmp_path / "audit.json").result

    # Two raters read six items, three of them again, and score four answers.
    assert (result["assignments"]["searched"], result["assignments"]["screens"]) == (26, 3)
    assert result["result"] == "no leak"


def test_nothing_changes_by_what_was_done_meanwhile(sqlite_database: Database, tmp_path: Path) -> None:
    situation = listed(sqlite_database, tmp_path / "study")
    work_through(situation)

    result = audited(situation, tmp_path / "audit.json").result

    assert (result["assignments"]["searched"], result["result"]) == (26, "no leak")


def test_each_group_gets_its_own_screens(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(
        sqlite_database, tmp_path / "study", TWO_GROUPS, groups=("residents", "scorers", "scorers")
    )

    result = audited(situation, tmp_path / "audit.json").result

    # One reads six items; two score six answers, and three of them once more.
    assert (result["assignments"]["searched"], result["result"]) == (24, "no leak")


def test_opinions_that_a_phase_shows_are_no_leaks(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging, "i4": flagging})

    result = audited(situation, tmp_path / "audit.json").result

    # Two read six items, and one resolves the two that were flagged.
    assert (result["assignments"]["searched"], result["result"]) == (14, "no leak")


def test_an_audit_does_not_draw_what_is_due_as_opening_the_worklist_does(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging})
    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        # As if the server had been killed between the last answer and the draw behind it.
        for statement in (
            "DELETE FROM phase_closing",
            "DELETE FROM assignment WHERE phase = 'resolve'",
            "DELETE FROM freeze_item WHERE phase = 'resolve'",
        ):
            connection.execute(text(statement))
        connection.commit()

    with TestCase().assertNoLogs():
        audited(situation, tmp_path / "audit.json")

    assert units_in(situation, "resolve", situation.raters[2]) == set()
    worklist.desks_of(sqlite_database, situation.raters[2])
    assert units_in(situation, "resolve", situation.raters[2]) == {"i1"}


def test_what_a_member_had_who_was_taken_out_is_nobodys(opened: Situation, tmp_path: Path) -> None:
    removing.remove_member(opened.database, opened.admin, opened.study_key, "rater-2")

    assignments = audited(opened, tmp_path / "audit.json").result["assignments"]

    assert (assignments["searched"], assignments["of_nobody"]) == (10, 10)


def test_a_screen_that_cannot_be_built_is_named_and_is_no_clean_result(opened: Situation, tmp_path: Path) -> None:
    for path in opened.database.volume_dir.rglob("*.nii.gz"):
        path.unlink()

    outcome = audit_blinding(opened.database, opened.admin, "tiny", tmp_path / "audit.json")

    assert (outcome.leaks, outcome.not_rendered, outcome.holds) == (0, 12, False)
    assert "The screen of 12 assignments could not be built." in outcome.sentence


# ---- nothing is changed ----------------------------------------------------------------------------------------------


def rows(database: Database) -> dict[str, list[Any]]:
    """Return every row of every table."""
    with database.engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(table.select()))) for table in Base.metadata.sorted_tables
        }


def test_no_row_is_changed_but_the_event_that_says_what_came_of_it(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0])
    before = rows(database)

    audited(situation, tmp_path / "audit.json")

    after = rows(database)
    events = set(after.pop("audit_event")) - set(before.pop("audit_event"))
    assert after == before
    assert len(events) == 1


def test_a_database_that_is_only_read_refuses_every_change(database: Database) -> None:
    with only_reading(database) as reading, reading.asking() as connection, pytest.raises(REFUSED):
        connection.execute(text("DELETE FROM login_session"))


def test_the_database_can_be_changed_after_it_was_only_read(database: Database) -> None:
    with only_reading(database) as reading, reading.read_only() as session:
        assert session.exec(select(Person.id)).all() == []

    with database.writing() as session:
        audit.record(session, "tried")


def test_scores_are_shown_to_the_audit_alone_while_reads_are_open(opened: Situation, tmp_path: Path) -> None:
    audited(opened, tmp_path / "audit.json")

    with opened.database.read_only() as session, pytest.raises(ReadsOpen):
        study = session.exec(select(Study)).one()
        rater = session.exec(select(Membership).where(Membership.role == "rater")).first()
        assert rater is not None
        waiting = displaying.desk.waiting_for(
            session,
            phases := displaying.frozen_facts.phases_of_member(session, rater),
            rater.id or 0,
            phases.queues[1],
        )
        displaying.assignment_payload(session, opened.raters[0], study, waiting, (0, 4))


def test_nothing_but_the_audit_builds_what_is_not_open_yet() -> None:
    places = [
        file.relative_to(ROOT).as_posix()
        for room in ("services", "server", "components", "pages", "commands")
        for file in sorted((ROOT / room).rglob("*.py"))
        if "payload_once_open" in (text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute | ast.Name | ast.alias)
        and "payload_once_open" in (getattr(node, "attr", ""), getattr(node, "id", ""), getattr(node, "name", ""))
    ]

    assert places == ["services/record/blinding_audit/searching.py"]


# ---- interrupted, and two at once ------------------------------------------------------------------------------------


def interrupting(after: int) -> Callable[[int, int, str], None]:
    """Return a progress bar at which somebody presses Ctrl+C once so many assignments are done."""

    def feed(done: int, _total: int, _text: str) -> None:
        if done >= after:
            raise KeyboardInterrupt

    return feed


def interrupted(situation: Situation, out: Path, after: int = 8, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        audited(situation, out, batch=4, progress=interrupting(after), **options)


def without_times(path: Path) -> dict[str, Any]:
    result = json.loads(path.read_text("utf-8"))
    return {name: said for name, said in result.items() if name not in ("began_at", "ended_at")}


def test_an_interrupted_audit_goes_on_where_it_was(opened: Situation, tmp_path: Path) -> None:
    audited(opened, tmp_path / "at-once.json")
    out = tmp_path / "audit.json"
    interrupted(opened, out)
    assert not out.exists()

    outcome = audit_blinding(opened.database, opened.admin, "tiny", out)

    assert outcome.continued_after == 8
    assert without_times(out) == without_times(tmp_path / "at-once.json")
    assert sorted(path.name for path in tmp_path.glob("*.json*")) == ["at-once.json", "audit.json"]


def test_it_goes_on_after_a_line_that_was_broken_off(opened: Situation, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    interrupted(opened, out)
    part = tmp_path / f"audit.json{progress_file.ENDING}"
    part.write_text(part.read_text("utf-8")[:-40], encoding="utf-8")

    outcome = audit_blinding(opened.database, opened.admin, "tiny", out)

    assert outcome.continued_after == 4
    assert without_times(out)["searched"]["assignments"] == 20


def test_verdicts_that_come_meanwhile_do_not_keep_it_from_going_on(opened: Situation, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    interrupted(opened, out)
    read_all(opened, opened.raters[0])

    assert audit_blinding(opened.database, opened.admin, "tiny", out).continued_after == 8


def test_it_begins_anew_where_a_hidden_value_is_another(opened: Situation, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    interrupted(opened, out)
    with opened.database.writing() as session:
        person = session.exec(select(Person).where(Person.login == "rater-2")).one()
        person.name = "Rita Renamed"
        session.add(person)

    assert audit_blinding(opened.database, opened.admin, "tiny", out).continued_after == 0


def test_two_audits_cannot_write_the_same_result(opened: Situation, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"

    with progress_file.progress_beside(out), pytest.raises(Conflict, match=r"Another audit is writing audit\.json"):
        audited(opened, out)


def test_two_audits_at_once_do_not_disturb_each_other(opened: Situation, tmp_path: Path) -> None:
    def other(done: int, _total: int, _text: str) -> None:
        if done == 8:
            audited(opened, tmp_path / "other.json")

    audited(opened, tmp_path / "audit.json", batch=4, progress=other)

    assert without_times(tmp_path / "audit.json") == without_times(tmp_path / "other.json")


# ---- drawn from many -------------------------------------------------------------------------------------------------


def test_above_the_limit_so_many_are_drawn_and_one_of_each_screen(opened: Situation, tmp_path: Path) -> None:
    assignments = audited(opened, tmp_path / "audit.json", limit=19, drawn=2).result["assignments"]

    # One for each of four screens, and two more unless they are among these.
    assert 4 <= assignments["searched"] <= 6
    assert (assignments["in_the_study"], assignments["screens"]) == (20, 4)
    assert (assignments["draw"]["limit"], assignments["draw"]["drawn"]) == (19, 2)
    assert isinstance(assignments["draw"]["seed"], int)


def test_up_to_the_limit_all_are_searched(opened: Situation, tmp_path: Path) -> None:
    assert audited(opened, tmp_path / "audit.json", limit=20, drawn=2).result["assignments"]["searched"] == 20


def test_a_draw_is_repeated_by_its_seed() -> None:
    planned = [
        plan.Planned((phase, "rater", ""), 1, item, None, (item,), (item, 99))
        for item, phase in enumerate(["read"] * 50 + ["score"] * 50)
    ]

    plans = [plan.plan_of(planned, 0, seed, limit=10, drawn=5).planned for seed in (7, 7, 8)]

    assert plans[0] == plans[1] != plans[2]
    assert {assignment.screen[0] for assignment in plans[0]} == {"read", "score"}


def test_an_interrupted_draw_goes_on_with_the_same_seed(opened: Situation, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    interrupted(opened, out, after=4, limit=10, drawn=9)
    seed = json.loads((tmp_path / "audit.json.part").read_text("utf-8").splitlines()[0])["seed"]

    assignments = audited(opened, out, limit=10, drawn=9).result["assignments"]

    assert assignments["draw"]["seed"] == seed


# ---- the result ------------------------------------------------------------------------------------------------------


def test_the_result_names_freeze_program_and_date_and_the_chain_names_the_result(
    opened: Situation, tmp_path: Path
) -> None:
    out = tmp_path / "audit.json"

    result = audited(opened, out).result

    with opened.database.read_only() as session:
        event = session.exec(select(AuditEvent).where(AuditEvent.action == auditing.AUDITED)).one()
        assert list(audit.broken_links(session)) == []
    assert event.detail["file_sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert event.detail["freeze_sha256"] == result["freeze_sha256"]
    assert (result["study"], result["software_version"]) == ("tiny", event.detail["software_version"])
    assert result["began_at"] <= result["ended_at"]


def test_the_last_audit_is_known_to_admins(opened: Situation, tmp_path: Path) -> None:
    assert last_audit(opened.database, opened.admin, "tiny") is None
    audited(opened, tmp_path / "audit.json")

    last = last_audit(opened.database, opened.admin, "tiny")

    assert last is not None
    assert (last.holds, last.sentence) == (True, "20 assignments: no leak.")


def test_an_audit_of_a_part_says_of_how_many() -> None:
    outcome = auditing.Outcome(assignments=5_010, in_the_study=60_000, leaks=2, not_rendered=0, repeated=0)

    assert outcome.sentence == "5,010 assignments drawn from 60,000: 2 leaks."


@pytest.mark.parametrize(("leaks", "advised"), [(12, True), (0, False)])
def test_leaks_come_with_what_to_do_about_a_value_that_a_text_repeats(leaks: int, advised: bool) -> None:
    outcome = auditing.Outcome(assignments=20, in_the_study=20, leaks=leaks, not_rendered=0, repeated=0)

    assert ("take it from the text, or let that phase show the attribute" in outcome.advice) == advised


def test_an_earlier_result_is_replaced_and_another_file_is_not(opened: Situation, tmp_path: Path) -> None:
    out, other = tmp_path / "audit.json", tmp_path / "notes.json"
    other.write_text('{"mine": true}', encoding="utf-8")
    audited(opened, out)
    audited(opened, out)

    with pytest.raises(Conflict, match="was not written by an audit"):
        audited(opened, other)

    assert other.read_text("utf-8") == '{"mine": true}'


def test_a_result_needs_a_folder(opened: Situation, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match="does not exist; make it"):
        audited(opened, tmp_path / "nowhere" / "audit.json")


def test_a_study_that_is_not_frozen_has_nothing_to_audit(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_study(sqlite_database, tmp_path / "study")

    with pytest.raises(Conflict, match="is not frozen"):
        audited(situation, tmp_path / "audit.json")

    assert not list(tmp_path.glob("audit*"))


def test_only_an_admin_may_audit(opened: Situation, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        audit_blinding(opened.database, opened.raters[0], "tiny", tmp_path / "audit.json")
    with pytest.raises(NotAllowed):
        last_audit(opened.database, opened.raters[0], "tiny")
