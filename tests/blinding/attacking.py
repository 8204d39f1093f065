"""What tests of attacks have in common: other people's assignments, keys, and handing in out of turn."""

from __future__ import annotations

from typing import Any

from sqlmodel import col, func, select

from db import Assignment, Database, Membership
from services.installation.tokens import Keys
from services.people.identity import Actor
from services.people.permission import study_of
from services.reading import submission
from services.reading.displaying import keys_of
from tests.situations import Situation, answers


def assignments_of(situation: Situation, actor: Actor, phase: str) -> list[str]:
    """Return the names of somebody's assignments in their order; a rater cannot know those that lie ahead."""
    with situation.database.read_only() as session:
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
    with situation.database.read_only() as session:
        return keys_of(study_of(session, situation.study_key), actor)


def count(database: Database, table: Any) -> int:
    with database.read_only() as session:
        return session.exec(select(func.count()).select_from(table)).one()


def hand_in(situation: Situation, actor: Actor, assignment: str, key: str | None = None) -> None:
    submission.submit(
        situation.database,
        actor,
        assignment,
        keys(situation, actor).idempotency_key(assignment) if key is None else key,
        {**answers(), "not_assessable": "quality"},
    )


def display(situation: Situation, actor: Actor, assignment: str) -> None:
    submission.record_display(situation.database, actor, assignment, load_ms=1, renderer="r", viewport="1x1")
