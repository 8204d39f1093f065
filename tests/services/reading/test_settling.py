"""Units that follow from answers: drawn once, when everybody is done or an admin closes the phase, and never again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from components import worklist_view
from db import AuditEvent, Database
from services.errors import Conflict, NotAllowed, NotFound, NotOnTheDesk, NotRevisable, ReadsOpen
from services.people.identity import Actor
from services.progress import data_lock, outstanding
from services.reading import instructions, revising, settling, submission, worklist
from services.reading.member_progress import progress_of_members
from services.record import verification
from services.studies.freeze import freezing
from services.studies.membership import members, removing
from tests.blinding.columns import take_the_guards_away
from tests.following_study import (
    READ_THEN_RESOLVE,
    flagging,
    not_assessable,
    opened_following,
    plain,
    read_through,
    units_in,
)
from tests.harness.server import ROOT
from tests.listed_study import closed_tables, imported_listed
from tests.server.test_statements import statements
from tests.services.reading.units_drawn import closings, drawn
from tests.situations import Situation, at_once, on_the_desk, show, signed_in, submit, write_table

REASON = "One reader has left the hospital."


def test_what_was_flagged_answered_or_not_assessable_is_drawn_with_the_last_answer(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_following(database, tmp_path / "study")
    first, second, curator = situation.raters
    read_through(situation, first, {"i1": flagging, "i2": lambda payload: plain(payload, findings="Wrong side.")})
    before = units_in(situation, "resolve", curator)
    waits = [desk.waits_for for desk in worklist.desks_of(database, curator)]

    read_through(situation, second, {"i5": not_assessable})

    assert before == set()
    assert waits == ["“Resolution” opens once everything that comes before it is done."]
    assert units_in(situation, "resolve", curator) == {"i1", "i2", "i5"}
    assert [desk.waits_for for desk in worklist.desks_of(database, curator)] == [""]
    assert {chance for _, chance in drawn(database).values()} == {1.0}
    assert [(row.phase, row.reason, row.person_id) for row in closings(database)] == [("secret_arm", "", None)]
    assert verification.verify_study(database, situation.study_key) == []


def test_a_phase_waits_for_people_who_are_planned(sqlite_database: Database, tmp_path: Path) -> None:
    planned = READ_THEN_RESOLVE.replace("{readers: Readers,", "{readers: {title: Readers, people: 2},")
    situation = opened_following(sqlite_database, tmp_path / "study", planned, groups=("readers", "curators"))

    read_through(situation, situation.raters[0], {"i1": flagging})

    assert closings(sqlite_database) == []
    (work,) = [work for work in outstanding.open_work_of(sqlite_database, situation.admin, "listed") if work.left]
    assert work.sentence == "Resolution: 1 of 1 phase without units yet: they depend on answers still to come"


def test_two_answers_that_settle_a_phase_at_once_draw_once(database: Database, tmp_path: Path) -> None:
    situation = opened_following(database, tmp_path / "study")
    readers, curator = situation.raters[:2], situation.raters[2]
    last = []
    for reader in readers:
        read_through(situation, reader, {"i1": flagging, "i4": flagging}, most=5)
        payload = on_the_desk(situation, reader, "part-1")
        show(situation, reader, payload)
        last.append((reader, payload))

    receipts = at_once(*(lambda r=reader, p=payload: submit(situation, r, p, flagging(p)) for reader, payload in last))

    assert len({receipt.receipt for receipt in receipts}) == 2
    assert len(closings(database)) == 1
    assert len(units_in(situation, "resolve", curator)) == len(drawn(database)) >= 2
    with database.read_only() as session:
        assert len(session.exec(select(AuditEvent).where(AuditEvent.action == "phases closed")).all()) == 1
    assert verification.verify_study(database, situation.study_key) == []


def opened_and_due(database: Database, folder: Path) -> tuple[Situation, Actor]:
    """Return a study in which everybody is done since somebody was taken out, and nothing is drawn yet; its curator."""
    situation = opened_following(database, folder, groups=("readers", "readers", "readers", "curators"))
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging})
    removing.remove_member(database, situation.admin, "listed", "rater-3")
    assert closings(database) == []
    return situation, situation.raters[3]


def test_what_is_due_is_drawn_once_when_several_open_their_worklists(database: Database, tmp_path: Path) -> None:
    situation, curator = opened_and_due(database, tmp_path / "study")

    at_once(*(lambda who=who: worklist.desks_of(database, who) for who in (*situation.raters[:2], curator)))

    assert len(closings(database)) == 1
    assert units_in(situation, "resolve", curator) == {"i1"}


KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from db.engine import Database, make_engine
from services.reading import settling

engine = make_engine(sys.argv[1])

@event.listens_for(engine, "before_cursor_execute")
def kill(connection, cursor, statement, *more):
    if statement.startswith(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

settling.settle_what_is_done(Database(engine, Path(sys.argv[2])), 1)
"""


@pytest.mark.server
@pytest.mark.parametrize(
    "statement", ["INSERT INTO phase_closing", "INSERT INTO audit_event", "INSERT INTO assignment"]
)
def test_a_kill_while_it_is_drawn_leaves_nothing_of_it_and_it_is_drawn_later(
    sqlite_database: Database, tmp_path: Path, statement: str
) -> None:
    situation, curator = opened_and_due(sqlite_database, tmp_path / "study")
    sqlite_database.engine.dispose()
    url = sqlite_database.engine.url.render_as_string()

    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, str(sqlite_database.data_dir), statement],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (closings(sqlite_database), drawn(sqlite_database)) == ([], {})
    assert units_in(situation, "resolve", curator) == set()
    worklist.desks_of(sqlite_database, curator)
    assert units_in(situation, "resolve", curator) == {"i1"}
    assert verification.verify_study(sqlite_database, situation.study_key) == []


def test_who_joins_later_gets_what_was_drawn_and_nothing_of_what_is_closed(database: Database, tmp_path: Path) -> None:
    situation = opened_following(database, tmp_path / "study")
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging, "i4": flagging})
    for login, group in (("late-curator", "curators"), ("late-reader", "readers")):
        members.invite(database, situation.admin, "listed", login, login, "rater", group=group)
    late_curator, late_reader = signed_in(database, "late-curator"), signed_in(database, "late-reader")

    opinions = {}
    for curator in (situation.raters[2], late_curator):
        for payload in read_through(situation, curator):
            opinions.setdefault(payload["prompt"], []).append(payload["opinions"])

    assert units_in(situation, "resolve", late_curator) == {"i1", "i4"}
    assert units_in(situation, "secret_arm", late_reader) == set()
    assert all(first == second for first, second in opinions.values())
    assert verification.verify_study(database, situation.study_key) == []


def test_an_admin_closes_a_phase_with_a_reason_and_what_comes_later_does_not_enter(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_following(database, tmp_path / "study")
    first, second, curator = situation.raters
    read_through(situation, first, {"i1": flagging})
    instructions.acknowledge_instructions(database, second, "listed", "part-1")
    payload = on_the_desk(situation, second, "part-1")
    show(situation, second, payload)

    units = settling.close_phase(database, situation.admin, "listed", "secret_arm", REASON)

    assert units == {"resolve": 1}
    with pytest.raises(NotOnTheDesk, match="This part was closed before your answer was saved"):
        submit(situation, second, payload, flagging(payload))
    assert on_the_desk(situation, second, "part-1")["kind"] == "done"
    assert units_in(situation, "resolve", curator) == {"i1"}
    assert [(row.phase, row.reason, row.person_id) for row in closings(database)] == [
        ("secret_arm", REASON, situation.admin.person_id)
    ]
    read_through(situation, curator)
    statuses = [row["status"] for row in closed_tables(situation)["verdicts.csv"] if row["phase"] == "secret_arm"]
    assert (statuses.count("answered"), statuses.count("missing")) == (6, 6)
    assert verification.verify_study(database, situation.study_key) == []


def test_nobody_is_thanked_or_counted_for_what_a_closed_phase_cut_off(database: Database, tmp_path: Path) -> None:
    situation = opened_following(database, tmp_path / "study")
    first, second, _ = situation.raters
    read_through(situation, first, {"i1": flagging})

    settling.close_phase(database, situation.admin, "listed", "secret_arm", REASON)

    said = [worklist_view.progress_text(worklist.desks_of(database, rater)[0]) for rater in (first, second)]
    assert said == ["All 6 done. Thank you.", "0 of 6 done. This part is closed; nothing more is needed."]
    counts = [(line.done, line.total) for line in progress_of_members(database, situation.admin, "listed")][:2]
    assert counts == [(6, 6), (0, 6)]


def test_an_answer_and_a_closing_at_once_are_either_before_or_after_each_other(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_following(database, tmp_path / "study")
    first, second, curator = situation.raters
    read_through(situation, first, most=1)
    instructions.acknowledge_instructions(database, second, "listed", "part-1")
    payload = on_the_desk(situation, second, "part-1")
    show(situation, second, payload)

    answer, _ = at_once(
        lambda: submit(situation, second, payload, flagging(payload)),
        lambda: settling.close_phase(database, situation.admin, "listed", "secret_arm", REASON),
    )

    assert len(closings(database)) == 1
    came_too_late = isinstance(answer, NotOnTheDesk)
    assert len(units_in(situation, "resolve", curator)) == (0 if came_too_late else 1)
    assert verification.verify_study(database, situation.study_key) == []


def test_of_two_admins_who_close_a_phase_at_once_one_is_refused(database: Database, tmp_path: Path) -> None:
    situation = opened_following(database, tmp_path / "study")
    read_through(situation, situation.raters[0], {"i1": flagging})
    reasons = ["One reader has left.", "Nobody answers any more."]

    outcomes = at_once(
        *(
            lambda said=said: settling.close_phase(database, situation.admin, "listed", "secret_arm", said)
            for said in reasons
        )
    )

    refused = [isinstance(outcome, Conflict) for outcome in outcomes]
    assert sorted(refused) == [False, True]
    assert [row.reason for row in closings(database)] == [reasons[refused.index(False)]]
    assert outcomes[refused.index(False)] == {"resolve": 1}
    assert "closed" in str(outcomes[refused.index(True)])


def test_a_phase_is_closed_with_a_reason_alone_and_once(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    admin, close = situation.admin, settling.close_phase

    with pytest.raises(Conflict, match="Phase 'secret_arm' has no answers yet"):
        close(sqlite_database, admin, "listed", "secret_arm", REASON)
    read_through(situation, situation.raters[0], most=1)
    with pytest.raises(NotFound, match="phases wait for: secret_arm"):
        close(sqlite_database, admin, "listed", "resolve", REASON)
    with pytest.raises(NotAllowed, match="A reason of at least 10 characters"):
        close(sqlite_database, admin, "listed", "secret_arm", " no ")
    with pytest.raises(NotAllowed):
        close(sqlite_database, situation.raters[0], "listed", "secret_arm", REASON)
    close(sqlite_database, admin, "listed", "secret_arm", REASON)
    with pytest.raises(Conflict, match="already closed"):
        close(sqlite_database, admin, "listed", "secret_arm", REASON)
    data_lock.close_study(sqlite_database, admin, "listed")
    with pytest.raises(Conflict, match="re-open it"):
        close(sqlite_database, admin, "listed", "secret_arm", REASON)


def test_with_nothing_let_in_nothing_is_to_be_done(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")

    for reader in situation.raters[:2]:
        read_through(situation, reader)

    assert len(closings(sqlite_database)) == 1
    said = data_lock.events_of(sqlite_database, situation.admin, "listed")
    assert [(event.kind, event.by) for event in said][1:] == [("close phase secret_arm", "all were done")]
    (desk,) = worklist.desks_of(sqlite_database, situation.raters[2])
    assert (desk.total, desk.waits_for) == (0, "")
    assert desk.nothing == "Nothing was assigned to you in this part."
    assert outstanding.open_work_of(sqlite_database, situation.admin, "listed") == []


def test_verdicts_are_final_once_units_were_drawn_from_them(sqlite_database: Database, tmp_path: Path) -> None:
    revisable = READ_THEN_RESOLVE.replace("    by: readers\n", "    by: readers\n    revise: until_closed\n", 1)
    situation = opened_following(sqlite_database, tmp_path / "study", revisable)
    first, second, _ = situation.raters
    seen = read_through(situation, first, {"i1": flagging})
    revising.reopen(sqlite_database, first, seen[0]["assignment"])

    read_through(situation, second)

    with pytest.raises(NotRevisable):
        revising.reopen(sqlite_database, first, seen[1]["assignment"])
    assert on_the_desk(situation, first, "part-1")["revisable"] == 0


def test_a_unit_that_was_exchanged_past_the_program_is_noticed(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging})

    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(text("UPDATE freeze_item SET item_id = item_id + 1 WHERE phase = 'resolve'"))
        connection.execute(text("UPDATE phase_closing SET reason = 'another'"))
        connection.commit()

    problems = " ".join(verification.verify_study(sqlite_database, situation.study_key))
    assert "Table freeze_item" in problems and "Table phase_closing" in problems


@pytest.mark.parametrize("source", ["{phase: secret_arm, let_in: [flagged]}", "{where: {secret_arm.findings: mass}}"])
def test_a_part_whose_units_are_still_to_come_says_what_it_waits_for(
    sqlite_database: Database, tmp_path: Path, source: str
) -> None:
    several = "{phase: secret_arm, let_in: [flagged, not_assessable, {answered: findings}]}"
    protocol = READ_THEN_RESOLVE.replace(several, source).replace(", opinions]", "]")
    protocol = protocol.replace("{type: resolution}", "text")
    situation = opened_following(sqlite_database, tmp_path / "study", protocol)

    (desk,) = worklist.desks_of(sqlite_database, situation.raters[2])

    assert (desk.done, desk.total) == (0, 0)
    assert desk.waits_for == desk.nothing == "“Resolution” opens once everything that comes before it is done."


def test_a_phase_that_rests_on_one_that_is_not_drawn_is_shut(sqlite_database: Database, tmp_path: Path) -> None:
    more = """
  - key: again
    title: Again
    rates: items
    from: resolve
    shows: [scans, prompt, options, reference, opinions]
    form: {what: text}
    by: others
    opens: {at_once: yes}
"""
    protocol = READ_THEN_RESOLVE.replace("curators: Curators}", "curators: Curators, others: Others}")
    protocol = (protocol + more).replace(
        "reference, opinions]\n    form: {what: text}", "reference]\n    form: {what: text}"
    )
    situation = opened_following(
        sqlite_database, tmp_path / "study", protocol, groups=("readers", "readers", "curators", "others")
    )

    (desk,) = worklist.desks_of(sqlite_database, situation.raters[3])

    assert desk.waits_for == "“Again” opens once everything that comes before it is done."
    with pytest.raises(ReadsOpen):
        submission.current_payload(sqlite_database, situation.raters[3], "listed", "part-1")


def test_a_phase_that_is_not_drawn_is_shut(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")

    with pytest.raises(ReadsOpen):
        submission.current_payload(sqlite_database, situation.raters[2], "listed", "part-1")


MANY = """
blindread: 2
name: listed
title: Many items
groups: {readers: Readers, curators: Curators}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form: {answer: yes_no}
    by: readers
  - key: resolve
    rates: items
    from: read
    shows: [prompt, opinions]
    form: {what: resolution}
    by: curators
"""


def statements_for(database: Database, folder: Path, key: str, items: int) -> tuple[int, int]:
    """Return how many statements it takes to open a study of so many items, and to draw all of them again."""
    folder.mkdir()
    (folder / "protocol.yaml").write_text(MANY, encoding="utf-8")
    rows = [(f"q{number}", "presence", "yes_no", f"Prompt {number}?") for number in range(items)]
    write_table(folder / "items.csv", "item,category,format,prompt", rows)
    situation = imported_listed(database, folder, key=key, groups=("readers", "curators"))
    with statements(database.engine) as opening:
        freezing.freeze_study(database, situation.admin, key)
    # Beside one answer, all the other items come without opinions.
    read_through(situation, situation.raters[0], most=1)
    with statements(database.engine) as drawing:
        settling.close_phase(database, situation.admin, key, "read", REASON)
    return len(opening), len(drawing)


def test_opening_takes_no_more_statements_for_many_units_than_for_few(database: Database, tmp_path: Path) -> None:
    few = statements_for(database, tmp_path / "few", "few", 20)
    many = statements_for(database, tmp_path / "many", "many", 400)

    assert many[0] <= few[0] + 2
    assert many[1] <= few[1] + 2


def test_the_own_first_answer_stands_beside_opinions_in_a_second_step(
    sqlite_database: Database, tmp_path: Path
) -> None:
    beside_scans = """
blindread: 2
name: listed
title: Reads, then a look at them
groups: {readers: Readers, curators: Curators}
phases:
  - {key: read, title: Reads, rates: items, shows: [scans, prompt, options], form: {answer: as_item}, by: readers}
  - key: look
    title: A look
    rates: items
    from: {phase: read, where: {format: [yes_no]}}
    shows: [scans, prompt, options, opinions]
    form: {answer: as_item}
    then: {shows: [age], again: yes}
    by: curators
"""
    situation = opened_following(sqlite_database, tmp_path / "study", beside_scans)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {})

    steps = []
    while (payload := on_the_desk(situation, situation.raters[2], "part-1"))["kind"] == "item":
        steps.append(payload["own"])
        show(situation, situation.raters[2], payload)
        submit(situation, situation.raters[2], payload, plain(payload))

    assert sum(bool(own) for own in steps) == len(steps) / 2 > 0


SECOND_LOOK = """
  - key: again
    title: Second look
    rates: items
    from: {phase: secret_arm, let_in: [not_assessable]}
    shows: [scans, prompt, options, reference, opinions]
    form: {clear: yes_no}
    by: curators
"""


def test_progress_lists_every_part_that_waits_for_answers(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_RESOLVE + SECOND_LOOK)

    lines = progress_of_members(sqlite_database, situation.admin, "listed")

    of_curator = [(line.queue.title, line.count_in_words) for line in lines if line.group == "Curators"]
    assert of_curator == [("Resolution", "–"), ("Second look", "–")]
