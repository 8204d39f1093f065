"""A reviewer reads blind first, sees the opinions as A and B, and decides for good."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from sqlmodel import select

from db import Adjudication, Assignment, AuditEvent, Database, Item, ReviewTask, Verdict
from services.errors import Conflict, Incomplete, NotAllowed, NotFound
from services.progress import data_lock
from services.reading import submission
from services.studies.membership import members
from tests.services.adjudication.reviewing import FIRST_SAYS, SECOND_SAYS, desk, open_queue, read_by_both, work
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
)

# ---- what a reviewer sees --------------------------------------------------------------------------------------------


def test_opinions_are_shown_only_after_the_reviewers_own_read(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_by_both(situation)
    open_queue(situation)

    before = desk(situation)
    work(situation, before)
    after = desk(situation)

    assert (before["phase"], before["opinions"], before["own"]) == ("review", None, None)
    assert (after["phase"], after["prompt"]) == ("opinions", before["prompt"])
    assert [opinion["name"] for opinion in after["opinions"]] == ["A", "B"]
    assert after["own"][0][0] == "Answer"


def test_a_decision_before_the_own_read_is_refused(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    first = desk(opened)
    with opened.database.read_only() as session:
        decision = session.exec(
            select(Assignment).where(Assignment.phase == "opinions", Assignment.position == 1)
        ).one()

    answer = any_answers(first)["fields"]["answer"]

    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.submit(
            opened.database, opened.reviewer, decision.public_id, first["key"], answers(answer=answer, reason="why not")
        )
    with pytest.raises(Conflict):
        submission.record_display(
            opened.database, opened.reviewer, decision.public_id, load_ms=1, renderer="test", viewport="1x1"
        )


def test_nothing_sent_to_a_reviewer_tells_who_said_it_or_why_it_is_there(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    read_by_both(situation)
    open_queue(situation)
    payloads = []
    while (payload := desk(situation))["kind"] == "item":
        payloads.append(payload)
        work(situation, payload)
    payloads.append(desk(situation))

    sent = json.dumps(payloads).lower()

    for hidden in (
        "rater-1", "rater-2", "rater 1", "rater 2", "unmistakable note", "disagreement", "control", "origin",
        "subject-", "hidden note", "model-", "by construction", "arachnoid", "volumes/", ".nii",
    ):  # fmt: skip
        assert hidden not in sent, hidden
    assert len(payloads) == 7
    assert len({tuple(sorted(payload)) for payload in payloads[:-1]}) == 1
    assert all(payload["form"]["flags"] == [] for payload in payloads[:-1])
    assert all(payload["reference"] is None and payload["candidate"] is None for payload in payloads[:-1])


def test_the_order_of_the_opinions_is_stored_and_stays(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    while desk(opened)["prompt"] != "Prompt of i2?":
        work(opened, desk(opened))
    work(opened, desk(opened))

    shown = [opinion["lines"][0][1] for opinion in desk(opened)["opinions"]]

    with opened.database.read_only() as session:
        orders = session.exec(
            select(ReviewTask.opinion_order)
            .join(Assignment, Assignment.id == ReviewTask.review_assignment_id)
            .join(Item, Item.id == Assignment.item_id)
            .where(Item.key == "i2")
        ).one()
        stored = [session.get_one(Verdict, verdict).fields["answer"] for verdict in orders]
    assert [text.lower() for text in shown] == stored
    assert sorted(stored) == ["left", "right"]
    assert [opinion["lines"][0][1] for opinion in desk(opened)["opinions"]] == shown


def test_a_reviewers_item_is_nobody_elses(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    payload = desk(opened)

    for other in (*opened.raters, opened.admin):
        with pytest.raises(NotFound):
            show(opened, other, payload)
    with pytest.raises(NotAllowed):
        on_the_desk(opened, opened.raters[0], "review")
    with pytest.raises(NotAllowed):
        on_the_desk(opened, opened.reviewer, "reading")


# ---- decisions -------------------------------------------------------------------------------------------------------


def decide(situation: Situation, given: dict[str, Any]) -> dict[str, Any]:
    """Read the first item of the queue and decide on it; return the payload that was decided on."""
    work(situation, desk(situation))
    payload = desk(situation)
    work(situation, payload, given)
    return payload


def test_a_decision_is_stored_with_its_reason_and_what_was_shown(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_by_both(situation)
    open_queue(situation)
    work(situation, desk(situation))
    payload = desk(situation)
    given = any_answers(payload)
    given["fields"]["reason"] = "  The second opinion overlooks the slice above.  "

    work(situation, payload, given)

    with database.read_only() as session:
        stored = session.exec(select(Adjudication)).one()
        task = session.get_one(ReviewTask, stored.task_id)
        own_read = session.exec(select(Verdict).where(Verdict.assignment_id == task.review_assignment_id)).one()
        actions = session.exec(select(AuditEvent.action).order_by(AuditEvent.id)).all()
    assert stored.reason == "The second opinion overlooks the slice above."
    assert stored.decision == {"answer": given["fields"]["answer"]}
    assert stored.opinions_shown == task.opinion_order
    assert stored.first_read_id == own_read.id
    assert actions[-1] == "decision"
    assert desk(situation)["prompt"] != payload["prompt"]
    assert desk(situation)["progress"] == {"done": 1, "total": 3}


@pytest.mark.parametrize("reason", [None, "", []])
def test_a_decision_without_a_reason_is_refused(opened: Situation, reason: object) -> None:
    read_by_both(opened)
    open_queue(opened)
    work(opened, desk(opened))
    payload = desk(opened)
    given = any_answers(payload)
    given["fields"]["reason"] = reason

    with pytest.raises(Incomplete) as refusal:
        work(opened, payload, given)

    assert refusal.value.field == "reason"
    with opened.database.read_only() as session:
        assert session.exec(select(Adjudication)).all() == []


def test_a_decision_sent_twice_is_stored_once_and_another_one_is_refused(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_by_both(situation)
    open_queue(situation)
    work(situation, desk(situation))
    payload = desk(situation)
    show(situation, situation.reviewer, payload)
    given = any_answers(payload)

    with ThreadPoolExecutor(6) as pool:
        receipts = set(pool.map(lambda _: submit(situation, situation.reviewer, payload, given).receipt, range(6)))

    assert len(receipts) == 1
    with pytest.raises(Conflict, match="already been submitted"):
        submit(situation, situation.reviewer, payload, {**answers(), "not_assessable": "quality"})
    with database.read_only() as session:
        assert len(session.exec(select(Adjudication)).all()) == 1


def test_not_assessable_is_a_decision_too(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)

    decide(opened, {**answers(), "not_assessable": "quality"})

    with opened.database.read_only() as session:
        stored = session.exec(select(Adjudication)).one()
    assert (stored.decision, stored.not_assessable) == ({}, "quality")
    assert stored.reason


def test_a_case_that_cannot_be_shown_to_the_reviewer_needs_no_decision(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    first = desk(opened)

    submission.report_failure(opened.database, opened.reviewer, first["assignment"], "The scan did not load.")

    assert desk(opened)["prompt"] != first["prompt"]
    assert desk(opened)["progress"] == {"done": 1, "total": 3}


def test_a_decision_after_the_study_is_closed_is_refused(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    payload = desk(opened)
    show(opened, opened.reviewer, payload)
    data_lock.close_study(opened.database, opened.admin, "tiny")

    with pytest.raises(NotAllowed, match="closed"):
        submit(opened, opened.reviewer, payload)


def test_more_opinions_than_letters_are_all_shown(opened: Situation) -> None:
    """Nobody reads A to Z and misses the twenty-seventh rater."""
    for number in range(3, 30):
        members.invite(opened.database, opened.admin, "tiny", f"rater-{number}", f"Rater {number}", "rater")
    raters = [*opened.raters, *(signed_in(opened.database, f"rater-{number}") for number in range(3, 30))]
    for rater in raters:
        read_all(opened, rater, by_prompt=FIRST_SAYS if rater is raters[0] else SECOND_SAYS)
    open_queue(opened)
    work(opened, desk(opened))

    names = [opinion["name"] for opinion in desk(opened)["opinions"]]

    assert names == [*ascii_uppercase, "AA", "AB", "AC"]
