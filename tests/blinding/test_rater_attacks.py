"""A rater or reviewer sends by hand what the screen never would: nothing is stored out of turn or shown early."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Adjudication, Database, Display, Draft, TechnicalFailure, Verdict, ViewingTrace
from services.adjudication import review_queue
from services.errors import Conflict, Incomplete, NotAllowed, NotFound
from services.reading import revising, submission, worklist
from services.reading.verdict_rows import Circumstances
from services.studies.folders import importing
from services.studies.membership import members
from tests.blinding.attacking import assignments_of, count, display, hand_in, keys
from tests.room_study import reading_rules
from tests.situations import (
    Situation,
    answers,
    any_answers,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
    write_study_folder,
)

# ---- out of turn -----------------------------------------------------------------------------------------------------


def test_an_item_that_lies_ahead_takes_no_display_verdict_or_failure(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    ahead = assignments_of(situation, rater, "reading")[1:]

    for assignment in ahead:
        for attempt in (display, hand_in):
            with pytest.raises(Conflict, match="You have moved on to another item"):
                attempt(situation, rater, assignment)
        with pytest.raises(Conflict, match="You have moved on to another item"):
            submission.report_failure(database, rater, assignment, "skip it")

    assert [count(database, table) for table in (Verdict, Display, TechnicalFailure)] == [0, 0, 0]


def test_nothing_of_another_raters_item_can_be_reached(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    attacker, victim = situation.raters
    theirs = on_the_desk(situation, victim)
    show(situation, victim, theirs)

    for attempt in (
        lambda: hand_in(situation, attacker, theirs["assignment"], theirs["key"]),
        lambda: display(situation, attacker, theirs["assignment"]),
        lambda: submission.save_draft(database, attacker, theirs["assignment"], 9, {"comment": "mine"}),
        lambda: submission.report_failure(database, attacker, theirs["assignment"], "x"),
        lambda: submission.queue_of_assignment(database, attacker, theirs["assignment"]),
    ):
        with pytest.raises(NotFound, match="item does not exist, or you have no access"):
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
        with pytest.raises(Conflict, match="already been submitted"):
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

    with pytest.raises(Conflict, match="already been submitted"):
        submission.save_draft(database, rater, payload["assignment"], 99, {"comment": "late"})
    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.report_failure(database, rater, payload["assignment"], "take it back")

    assert count(database, TechnicalFailure) == 0


def test_a_failed_item_takes_no_verdict_afterwards(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submission.report_failure(sqlite_database, rater, payload["assignment"], "black screen")

    with pytest.raises(Conflict, match="You have moved on to another item"):
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

    with pytest.raises(Conflict, match="once you have read all your items"):
        display(situation, rater, first)
    with pytest.raises(Conflict, match="once you have read all your items"):
        on_the_desk(situation, rater, "scoring")
    with pytest.raises(Conflict, match="once you have read all your items"):
        submission.submit(
            database, rater, first, keys(situation, rater).idempotency_key(first), answers(answer="correct")
        )

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
    assert [desk.queue.key for desk in worklist.desks_of(sqlite_database, rater)] == ["reading", "scoring"]


# ---- reviewers -------------------------------------------------------------------------------------------------------


def with_a_queue(database: Database, tmp_path: Path) -> Situation:
    """Open a study that both raters have read, with answers that differ, and its review queue."""
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": "yes", "Prompt of i3?": "yes"})
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no", "Prompt of i3?": "no"})
    review_queue.open_review_queue(database, situation.admin, situation.study_key)
    return situation


def test_a_reviewer_cannot_decide_or_see_opinions_before_their_own_read(database: Database, tmp_path: Path) -> None:
    situation = with_a_queue(database, tmp_path)
    reviewer = situation.reviewer
    first = on_the_desk(situation, reviewer, "review")
    opinions = assignments_of(situation, reviewer, "opinions")[0]

    for attempt in (
        lambda: display(situation, reviewer, opinions),
        lambda: hand_in(situation, reviewer, opinions),
        lambda: submission.report_failure(database, reviewer, opinions, "skip the reading"),
    ):
        with pytest.raises(Conflict, match="You have moved on to another item"):
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

    submission.report_failure(sqlite_database, reviewer, first["assignment"], "black screen")

    after = on_the_desk(situation, reviewer, "review")
    assert after["kind"] == "done" or after["phase"] == "review"
    assert after.get("assignment") != first["assignment"]


def test_a_reviewers_payload_has_the_allowed_keys_and_no_other(sqlite_database: Database, tmp_path: Path) -> None:
    situation = with_a_queue(sqlite_database, tmp_path)
    frame = {
        "kind", "assignment", "key", "phase", "progress", "notice", "images", "context", "prompt", "reference",
        "candidate", "own", "opinions", "draft", "prefetch", "form", "turns", "practice", "revision", "revisable",
        "text", "ahead", "heading", "in_parts", "revision_rule",
    }  # fmt: skip

    payload = on_the_desk(situation, situation.reviewer, "review")
    show(situation, situation.reviewer, payload)
    submit(situation, situation.reviewer, payload)
    opinions = on_the_desk(situation, situation.reviewer, "review")

    assert set(payload) == set(opinions) == frame
    assert payload["form"]["flags"] == []
    assert opinions["reference"] is None
    assert {key for opinion in opinions["opinions"] for key in opinion} == {"name", "lines"}
    assert [opinion["name"] for opinion in opinions["opinions"]] == ["A", "B"]


# ---- too much --------------------------------------------------------------------------------------------------------


def test_a_huge_viewing_trace_is_left_out_and_the_verdict_stays(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    submission.submit(
        database, rater, payload["assignment"], payload["key"], any_answers(payload),
        Circumstances(active_ms=10**15, idle_ms=-5, renderer="r" * 900, viewport="9" * 900, trace={"x": "y" * 50_000}),
    )  # fmt: skip

    assert (count(database, Verdict), count(database, ViewingTrace)) == (1, 1)
    with database.read_only() as session:
        stored = session.exec(select(Verdict)).one()
    assert (stored.active_ms < 3_600_000, stored.idle_ms) == (True, 0)


@pytest.mark.parametrize("sequence", [-1, 2**31, 10**30])
def test_a_draft_with_an_impossible_number_is_refused(sqlite_database: Database, tmp_path: Path, sequence: int) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]

    with pytest.raises(Incomplete, match="draft has an invalid number"):
        submission.save_draft(sqlite_database, rater, on_the_desk(situation, rater)["assignment"], sequence, {})


def test_a_verdict_can_be_reopened_whatever_number_its_draft_has(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study", reading_rules(revision="session"))
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    submission.save_draft(database, rater, payload["assignment"], submission.LARGEST_SEQUENCE, {})
    show(situation, rater, payload)
    submit(situation, rater, payload)

    reopened = revising.reopen(database, rater, payload["assignment"])

    assert reopened["draft"]["sequence"] == submission.LARGEST_SEQUENCE + 1
    assert reopened["draft"]["answers"] == any_answers(payload)


def test_a_huge_draft_is_refused_and_the_earlier_one_stays(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    assignment = on_the_desk(situation, rater)["assignment"]
    submission.save_draft(sqlite_database, rater, assignment, 1, {"comment": "kept"})

    with pytest.raises(Incomplete, match="longer than"):
        submission.save_draft(sqlite_database, rater, assignment, 2, {"comment": "x" * 70_000})

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
