"""A rater or reviewer sends by hand what the screen never would: nothing is stored out of turn or shown early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, func, select

from db import (
    Adjudication,
    Assignment,
    AuditEvent,
    Database,
    Display,
    Draft,
    Membership,
    TechnicalFailure,
    Verdict,
    ViewingTrace,
)
from services import (
    adjudication,
    closing,
    freezing,
    identity,
    importing,
    judging,
    members,
    previewing,
    reading,
    scans,
    verifying,
    worklist,
)
from services.displaying import keys_of
from services.errors import Conflict, Incomplete, NotAllowed, NotFound
from services.identity import Actor
from services.keys import Keys
from services.permission import study_of
from services.storing import Circumstances
from tests.situations import (
    Situation,
    answers,
    any_answers,
    imported_study,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
    write_study_folder,
)


def assignments_of(situation: Situation, actor: Actor, phase: str) -> list[str]:
    """Return the names of somebody's assignments in their order; a rater cannot know those that lie ahead."""
    with situation.database.reading() as session:
        return list(
            session.exec(
                select(Assignment.public_id)
                .join(Membership, col(Membership.id) == Assignment.membership_id)
                .where(Membership.person_id == actor.person_id, Assignment.phase == phase)
                .order_by(col(Assignment.position))
            )
        )


def keys(situation: Situation, actor: Actor) -> Keys:
    """Return the derived names of a login session, as only the server can."""
    with situation.database.reading() as session:
        return keys_of(study_of(session, situation.study_key), actor)


def count(database: Database, table: Any) -> int:
    with database.reading() as session:
        return session.exec(select(func.count()).select_from(table)).one()


def hand_in(situation: Situation, actor: Actor, assignment: str, key: str | None = None) -> None:
    reading.submit(
        situation.database,
        actor,
        assignment,
        keys(situation, actor).idempotency_key(assignment) if key is None else key,
        {**answers(), "not_assessable": "quality"},
    )


def display(situation: Situation, actor: Actor, assignment: str) -> None:
    reading.record_display(situation.database, actor, assignment, load_ms=1, renderer="r", viewport="1x1")


# ---- out of turn -----------------------------------------------------------------------------------------------------


def test_an_item_that_lies_ahead_takes_no_display_verdict_or_failure(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    ahead = assignments_of(situation, rater, "reading")[1:]

    for assignment in ahead:
        for attempt in (display, hand_in):
            with pytest.raises(Conflict, match="Another item is on your desk"):
                attempt(situation, rater, assignment)
        with pytest.raises(Conflict, match="Another item is on your desk"):
            reading.report_failure(database, rater, assignment, "skip it")

    assert [count(database, table) for table in (Verdict, Display, TechnicalFailure)] == [0, 0, 0]


def test_nothing_of_another_raters_item_can_be_reached(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    attacker, victim = situation.raters
    theirs = on_the_desk(situation, victim)
    show(situation, victim, theirs)

    for attempt in (
        lambda: hand_in(situation, attacker, theirs["assignment"], theirs["key"]),
        lambda: display(situation, attacker, theirs["assignment"]),
        lambda: reading.save_draft(database, attacker, theirs["assignment"], 9, {"comment": "mine"}),
        lambda: reading.report_failure(database, attacker, theirs["assignment"], "x"),
        lambda: reading.queue_of_assignment(database, attacker, theirs["assignment"]),
    ):
        with pytest.raises(NotFound, match="no such item among yours"):
            attempt()

    assert on_the_desk(situation, victim) == theirs
    assert count(database, Draft) == 0


def test_forged_and_borrowed_keys_are_refused(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater, other = situation.raters
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    borrowed = keys(situation, other).idempotency_key(payload["assignment"])

    for key in ("", "0" * 40, payload["key"][:-1], payload["key"].upper(), payload["key"] + "0", borrowed, "é", "\x00"):
        with pytest.raises(Conflict, match="has not been shown"):
            hand_in(situation, rater, payload["assignment"], key)

    assert count(sqlite_database, Verdict) == 0


def test_a_replayed_verdict_with_other_answers_changes_nothing(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    receipt = submit(situation, rater, payload)

    for key in (payload["key"], "another key"):
        with pytest.raises(Conflict, match="submitted already"):
            hand_in(situation, rater, payload["assignment"], key)

    assert submit(situation, rater, payload) == receipt
    assert count(database, Verdict) == 1


def test_a_draft_after_the_verdict_is_refused_and_a_late_failure_changes_nothing(
    database: Database, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload)

    with pytest.raises(Conflict, match="submitted already"):
        reading.save_draft(database, rater, payload["assignment"], 99, {"comment": "late"})
    with pytest.raises(Conflict, match="Another item is on your desk"):
        reading.report_failure(database, rater, payload["assignment"], "take it back")

    assert count(database, TechnicalFailure) == 0


def test_a_failed_item_takes_no_verdict_afterwards(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    reading.report_failure(sqlite_database, rater, payload["assignment"], "black screen")

    with pytest.raises(Conflict, match="Another item is on your desk"):
        submit(situation, rater, payload)

    assert count(sqlite_database, Verdict) == 0


# ---- the scoring phase shows references ------------------------------------------------------------------------------


def test_scoring_stays_shut_while_a_single_item_is_unread(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    for _ in range(5):
        payload = on_the_desk(situation, rater)
        show(situation, rater, payload)
        submit(situation, rater, payload)
    first = assignments_of(situation, rater, "scoring")[0]
    display(situation, rater, first)

    with pytest.raises(Conflict, match="when all your items are read"):
        on_the_desk(situation, rater, "scoring")
    with pytest.raises(Conflict, match="when all your items are read"):
        reading.submit(database, rater, first, keys(situation, rater).idempotency_key(first), answers(answer="correct"))

    assert count(database, Verdict) == 5


def test_the_reference_table_is_not_read_for_whoever_still_has_to_read_blind(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    with sqlite_database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE reference RENAME TO taken_away")
        connection.exec_driver_sql("ALTER TABLE judge_verdict RENAME TO taken_away_too")
    rater = situation.raters[0]

    receipts = read_all(situation, rater)

    assert len(receipts) == 6
    assert [desk.queue for desk in worklist.desks_of(sqlite_database, rater)] == ["reading", "scoring"]


# ---- reviewers -------------------------------------------------------------------------------------------------------


def with_a_queue(database: Database, tmp_path: Path) -> Situation:
    """Open a study that both raters have read, with answers that differ, and its review queue."""
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": "yes", "Prompt of i3?": "yes"})
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no", "Prompt of i3?": "no"})
    adjudication.open_review_queue(database, situation.admin, situation.study_key)
    return situation


def test_a_reviewer_cannot_decide_or_see_opinions_before_their_own_read(database: Database, tmp_path: Path) -> None:
    situation = with_a_queue(database, tmp_path)
    reviewer = situation.reviewer
    first = on_the_desk(situation, reviewer, "review")
    opinions = assignments_of(situation, reviewer, "opinions")[0]

    for attempt in (
        lambda: display(situation, reviewer, opinions),
        lambda: hand_in(situation, reviewer, opinions),
        lambda: reading.report_failure(database, reviewer, opinions, "skip the reading"),
    ):
        with pytest.raises(Conflict, match="Another item is on your desk"):
            attempt()

    assert (first["phase"], first["opinions"], first["own"]) == ("review", None, None)
    assert on_the_desk(situation, reviewer, "review") == first
    assert count(database, Adjudication) == 0


def test_an_item_that_a_reviewer_could_not_open_is_not_decided_from_opinions_alone(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = with_a_queue(sqlite_database, tmp_path)
    reviewer = situation.reviewer
    first = on_the_desk(situation, reviewer, "review")

    reading.report_failure(sqlite_database, reviewer, first["assignment"], "black screen")

    after = on_the_desk(situation, reviewer, "review")
    assert after["kind"] == "done" or after["phase"] == "review"
    assert after.get("assignment") != first["assignment"]


def test_a_reviewers_payload_has_the_allowed_keys_and_no_other(sqlite_database: Database, tmp_path: Path) -> None:
    situation = with_a_queue(sqlite_database, tmp_path)
    frame = {
        "kind", "assignment", "key", "phase", "progress", "notice", "images", "context", "prompt", "reference",
        "candidate", "own", "opinions", "draft", "prefetch", "form", "turns", "practice", "revision", "revisable",
    }  # fmt: skip

    payload = on_the_desk(situation, situation.reviewer, "review")
    show(situation, situation.reviewer, payload)
    submit(situation, situation.reviewer, payload)
    opinions = on_the_desk(situation, situation.reviewer, "review")

    assert set(payload) == set(opinions) == frame
    assert payload["form"]["flags"] == []
    assert opinions["reference"] is None
    assert {key for one in opinions["opinions"] for key in one} == {"name", "lines"}
    assert [one["name"] for one in opinions["opinions"]] == ["A", "B"]


# ---- roles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["rater", "reviewer", "stranger"])
def test_what_only_admins_may_do_is_refused_to_others(sqlite_database: Database, tmp_path: Path, who: str) -> None:
    open_study(sqlite_database, tmp_path / "study")
    with sqlite_database.writing() as session:
        identity.add_person(session, "stranger", "Sam Stranger")
    actor = signed_in(sqlite_database, {"rater": "rater-1"}.get(who, who))
    before = count(sqlite_database, AuditEvent)

    for attempt in (
        lambda: previewing.items_of(sqlite_database, actor, "tiny"),
        lambda: previewing.preview_item(sqlite_database, actor, "tiny", "i1"),
        lambda: members.progress_of_members(sqlite_database, actor, "tiny"),
        lambda: members.invite(sqlite_database, actor, "tiny", "friend", "Friend", "admin"),
        lambda: members.study_line(sqlite_database, actor, "tiny"),
        lambda: freezing.freeze_of(sqlite_database, actor, "tiny"),
        lambda: freezing.freeze_study(sqlite_database, actor, "tiny"),
        lambda: verifying.verify_for_admin(sqlite_database, actor, "tiny"),
        lambda: closing.close_study(sqlite_database, actor, "tiny"),
        lambda: closing.reopen_study(sqlite_database, actor, "tiny", "a long enough reason"),
        lambda: closing.events_of(sqlite_database, actor, "tiny"),
        lambda: judging.judge_runs_of(sqlite_database, actor, "tiny"),
        lambda: adjudication.open_review_queue(sqlite_database, actor, "tiny"),
        lambda: importing.import_study(sqlite_database, actor, tmp_path / "study", key="mine"),
    ):
        with pytest.raises((NotAllowed, NotFound)):
            attempt()

    assert count(sqlite_database, AuditEvent) == before


@pytest.mark.parametrize(("who", "queue"), [("rater-1", "review"), ("reviewer", "reading"), ("reviewer", "scoring"),
                                            ("admin", "reading"), ("admin", "review")])  # fmt: skip
def test_nobody_enters_or_acknowledges_for_another_role(
    sqlite_database: Database, tmp_path: Path, who: str, queue: str
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    actor = signed_in(sqlite_database, who)

    for attempt in (
        lambda: on_the_desk(situation, actor, queue),
        lambda: worklist.instructions(sqlite_database, actor, "tiny", queue),
        lambda: worklist.acknowledge_instructions(sqlite_database, actor, "tiny", queue),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_a_queue_that_does_not_exist_is_not_found(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]

    for queue in ("opinions", "preview", "", "\x00", "reading "):
        with pytest.raises(NotFound):
            on_the_desk(situation, rater, queue)
    for study in ("", "\x00", "another", "TINY", "tiny "):
        with pytest.raises(NotFound):
            worklist.instructions(database, rater, study, "reading")


def test_nobody_has_two_roles_in_one_study(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    for login in ("rater-1", " RATER-1 ", "admin"):
        with pytest.raises(Conflict, match="nobody has two roles"):
            members.invite(sqlite_database, situation.admin, "tiny", login, "Again", "reviewer")


def test_an_admin_of_one_study_who_reads_in_another_previews_only_their_own(
    sqlite_database: Database, tmp_path: Path
) -> None:
    first = open_study(sqlite_database, tmp_path / "study", key="first")
    imported_study(sqlite_database, tmp_path / "again", key="second")
    members.invite(sqlite_database, first.admin, "second", "two-hats", "Two Hats", "admin")
    members.invite(sqlite_database, first.admin, "first", "two-hats", "Two Hats", "rater")
    both = signed_in(sqlite_database, "two-hats")
    own = previewing.preview_item(sqlite_database, both, "second", "i2")
    of_the_admin = previewing.preview_item(sqlite_database, first.admin, "first", "i2")

    assert scans.scan_in_reach(sqlite_database, both, _token(own)).is_file()
    with pytest.raises(NotFound):
        scans.scan_in_reach(sqlite_database, both, _token(of_the_admin))
    with pytest.raises(NotAllowed):
        previewing.preview_item(sqlite_database, both, "first", "i2")


def _token(payload: dict[str, Any]) -> str:
    return payload["images"]["panes"][0]["volumes"][0]["url"].rsplit("/", 1)[1]


def test_a_preview_can_never_be_handed_in(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    preview = previewing.preview_item(sqlite_database, situation.admin, "tiny", "i1")

    for actor in (situation.admin, situation.raters[0]):
        with pytest.raises(NotFound):
            hand_in(situation, actor, preview["assignment"], preview["key"])


def test_a_rater_cannot_fetch_with_an_admins_preview_token(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    for item in ("i1", "i2", "i3", "i4", "i5", "i6"):
        preview = previewing.preview_item(sqlite_database, situation.admin, "tiny", item)
        with pytest.raises(NotFound):
            scans.scan_in_reach(sqlite_database, situation.raters[0], _token(preview))


def test_scans_are_out_of_reach_when_a_study_is_not_open(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    token = _token(on_the_desk(situation, rater))
    closing.close_study(sqlite_database, situation.admin, "tiny")

    with pytest.raises(NotFound):
        scans.scan_in_reach(sqlite_database, rater, token)


def test_the_same_scan_has_another_name_in_every_study_and_session(sqlite_database: Database, tmp_path: Path) -> None:
    first = open_study(sqlite_database, tmp_path / "study", key="first")
    second = open_study(sqlite_database, tmp_path / "again", key="second")
    again = signed_in(sqlite_database, "rater-1")

    rater = first.raters[0]
    names = {
        _token(reading.current_payload(sqlite_database, actor, key, "reading"))
        for actor, key in ((rater, "first"), (rater, "second"), (again, "first"), (second.raters[1], "first"))
    }

    assert len(names) == 4


# ---- too much --------------------------------------------------------------------------------------------------------


def test_a_huge_viewing_trace_is_left_out_and_the_verdict_stays(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    reading.submit(
        database, rater, payload["assignment"], payload["key"], any_answers(payload),
        Circumstances(active_ms=10**15, idle_ms=-5, renderer="r" * 900, viewport="9" * 900, trace={"x": "y" * 50_000}),
    )  # fmt: skip

    assert (count(database, Verdict), count(database, ViewingTrace)) == (1, 1)
    with database.reading() as session:
        stored = session.exec(select(Verdict)).one()
    assert (stored.active_ms, stored.idle_ms) == (86_400_000, 0)


@pytest.mark.parametrize("sequence", [-1, 2**31, 10**30])
def test_a_draft_with_an_impossible_number_is_refused(sqlite_database: Database, tmp_path: Path, sequence: int) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]

    with pytest.raises(Incomplete, match="number that no draft has"):
        reading.save_draft(sqlite_database, rater, on_the_desk(situation, rater)["assignment"], sequence, {})


def test_a_huge_draft_is_refused_and_the_earlier_one_stays(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    assignment = on_the_desk(situation, rater)["assignment"]
    reading.save_draft(sqlite_database, rater, assignment, 1, {"comment": "kept"})

    with pytest.raises(Incomplete, match="longer than"):
        reading.save_draft(sqlite_database, rater, assignment, 2, {"comment": "x" * 70_000})

    assert on_the_desk(situation, rater)["draft"] == {"sequence": 1, "answers": {"comment": "kept"}}


def test_a_rater_who_joins_late_gets_an_order_of_their_own_and_nothing_of_the_others(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    read_all(situation, situation.raters[0])
    members.invite(sqlite_database, situation.admin, "tiny", "late", "Lara Late", "rater")
    late = signed_in(sqlite_database, "late")

    payload = on_the_desk(situation, late)

    assert payload["progress"] == {"done": 0, "total": 6}
    assert payload["draft"] == {"sequence": 0, "answers": {}}


def test_a_study_folder_of_a_rater_is_never_looked_at(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    folder = write_study_folder(tmp_path / "mine")

    with pytest.raises(NotAllowed, match="Only an owner"):
        importing.import_study(sqlite_database, situation.raters[0], folder, key="mine")
