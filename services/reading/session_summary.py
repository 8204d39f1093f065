"""A member's work on a study in this login session: counts and times, no answers, and never whether they were right."""

from __future__ import annotations

import statistics
from collections import defaultdict
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, false, or_
from sqlmodel import Session, col, select

from db import Assignment, Database, Membership, Verdict
from db.base import stored_id
from protocol.phases import Queue
from protocol.study_phases import StudyPhases
from services.people.identity import Actor
from services.people.permission import own_assignment
from services.reading import blinding
from services.reading.payloads import SummaryPayload, SummaryUnit
from services.studies import frozen_facts


def session_summary(database: Database, actor: Actor, public_id: str) -> SummaryPayload:
    """Return the actor's own counts and times in the study and queue of one of their assignments."""
    with database.read_only() as session:
        assignment, _, membership = own_assignment(session, actor, public_id)
        queue = frozen_facts.phases_of_member(session, membership).named(assignment.phase).queue
        return own_counts_and_times(session, actor, membership, queue)


def own_counts_and_times(session: Session, actor: Actor, membership: Membership, queue: Queue) -> SummaryPayload:
    """Return the number of units done in a queue, their total and median active time, and since when; without practice.

    The time of a revision, or of a second step, is added to that of its item.
    """
    phases = frozen_facts.phases_of_member(session, membership)
    rows = session.exec(
        _times(tuple(phase.key for phase in phases.in_queue(queue))),
        params={"login_session_id": actor.login_session_id, "membership_id": stored_id(membership.id)},
    )
    # The two steps of an answer are one unit.
    active: dict[tuple[int, int | None, int], int] = defaultdict(int)
    for item_id, candidate_id, pass_number, active_ms in rows:
        active[item_id, candidate_id, pass_number] += active_ms
    median = round(statistics.median(active.values())) if active else None
    return blinding.summary_payload(
        len(active), sum(active.values()), median, actor.signed_in_at, _unit_of(phases, queue)
    )


@lru_cache(maxsize=32)
def _times(phases: tuple[str, ...]) -> Any:
    return (
        select(Assignment.item_id, Assignment.candidate_id, Assignment.pass_number, Verdict.active_ms)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(
            Verdict.login_session_id == bindparam("login_session_id"),
            Assignment.membership_id == bindparam("membership_id"),
            # Not `in_`, whose SQL is rendered again for each execution.
            or_(false(), *(col(Assignment.phase) == phase for phase in phases)),
        )
    )


def _unit_of(phases: StudyPhases, queue: Queue) -> SummaryUnit:
    first = phases.in_queue(queue)[0]
    if first.kind == "candidates":
        return "answers"
    return "scans" if phases.rules_of(first).shows_volumes else "items"
