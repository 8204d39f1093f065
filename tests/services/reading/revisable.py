"""A study whose verdicts may be revised, and what its tests do with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlmodel import select

from db import Database, Verdict, queries
from services.people.identity import Actor
from services.reading.submission import Receipt
from tests.room_study import reading_rules, room_study
from tests.situations import (
    Situation,
    on_the_desk,
    show,
    submit,
)

FLAGGED = {"fields": {}, "not_assessable": "quality", "comment": "first", "flag": {"id": "prompt", "note": "odd"}}


def revisable_study(database: Database, folder: Path, rule: str = "session", *changes: Any) -> Situation:
    return room_study(database, folder, *changes, protocol=reading_rules(revision=rule))


def read_item(
    situation: Situation, rater: Actor, given: dict[str, Any] | None = None
) -> tuple[dict[str, Any], Receipt]:
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    return payload, submit(situation, rater, payload, given)


def chain_of(database: Database, receipt: str) -> list[Verdict]:
    with database.read_only() as session:
        first = session.exec(select(Verdict).where(Verdict.receipt == receipt)).one()
        return queries.verdict_chain(session, first.assignment_id)
