"""What tests of the reviewers' queue have in common: two raters who differ, and a reviewer at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import select

from db import Assignment, Database, Item, ReviewTask
from services.adjudication.review_queue import QueueSummary, open_review_queue
from tests.situations import Situation, answers, on_the_desk, read_all, show, submit

FLAGGED = {**answers(answer="yes"), "flag": {"id": "prompt", "note": "an unmistakable note"}}
FIRST_SAYS: dict[str, object] = {"Prompt of i1?": FLAGGED, "Prompt of i5?": "A cyst."}
SECOND_SAYS: dict[str, object] = {"Prompt of i2?": "right", "Prompt of i5?": "cyst"}


def read_by_both(
    situation: Situation,
    first: Mapping[str, object] = FIRST_SAYS,
    second: Mapping[str, object] = SECOND_SAYS,
) -> None:
    """Let both raters read: they differ on i2, the first flags i1, and on i5 they say the same in other words."""
    read_all(situation, situation.raters[0], by_prompt=first)
    read_all(situation, situation.raters[1], by_prompt=second)


def open_queue(situation: Situation) -> QueueSummary:
    """Open the queue, or add to it, as the admin."""
    return open_review_queue(situation.database, situation.admin, "tiny")


def queue_of(database: Database) -> list[tuple[str, str]]:
    """Return item key and origin of every task, in the reviewer's order."""
    with database.read_only() as session:
        rows = session.exec(
            select(Item.key, ReviewTask.origin)
            .join(Assignment, Assignment.id == ReviewTask.review_assignment_id)
            .join(Item, Item.id == Assignment.item_id)
            .order_by(Assignment.position)
        ).all()
    return [(key, origin) for key, origin in rows]


def work(situation: Situation, payload: dict[str, Any], given: dict[str, Any] | None = None) -> None:
    """Look at what is on the reviewer's desk and hand it in."""
    show(situation, situation.reviewer, payload)
    submit(situation, situation.reviewer, payload, given)


def desk(situation: Situation) -> dict[str, Any]:
    """Return what is on the reviewer's desk."""
    return on_the_desk(situation, situation.reviewer, "review")
