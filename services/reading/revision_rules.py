"""Revising a verdict, as far as the protocol allows it: which verdicts, and which of them is open again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, select

from db import Acknowledgement, Assignment, Item, Membership, Reopening, Verdict, queries
from db.base import stored_id
from protocol.phases import READING, REVIEW, SCORING
from protocol.study import Protocol
from services.errors import NotRevisable
from services.people.identity import Actor
from services.people.permission import hold_study, state_of

NOT_REVISABLE = "This verdict cannot be revised; reload the page to continue."


def revisable_verdicts(
    session: Session, actor: Actor, protocol: Protocol, membership: Membership
) -> list[tuple[Assignment, Verdict]]:
    """Return the rater's verdicts that may be revised now with their assignments, the last item first."""
    if not _may_revise(session, protocol, membership):
        return []
    rows = session.exec(
        select(Assignment, Verdict)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
        .where(*_conditions(protocol.reading.revision == "session"))
        # Not by the time of the verdict: whoever revises several would find others under the same digits each time.
        .order_by(col(Assignment.position).desc()),
        params=_named(actor, membership),
    )
    return [(assignment, verdict) for assignment, verdict in rows]


def count_revisable(session: Session, actor: Actor, protocol: Protocol, membership: Membership) -> int:
    """Return how many of the rater's verdicts may be revised now."""
    if not _may_revise(session, protocol, membership):
        return 0
    count: int = session.exec(_count(protocol.reading.revision == "session"), params=_named(actor, membership)).one()
    return count


@lru_cache(maxsize=2)
def _count(in_this_session: bool) -> Any:
    return (
        select(func.count())
        .select_from(Assignment)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
        .where(*_conditions(in_this_session))
    )


def require_revisable(
    session: Session, actor: Actor, protocol: Protocol, membership: Membership, assignment: Assignment
) -> Verdict:
    """Return the verdict of an assignment that stands and may be revised, or refuse.

    The reviewers' queue is not opened before this transaction has ended: it would show what is being superseded.
    """
    hold_study(session, membership.study_id)
    if _may_revise(session, protocol, membership):
        verdict = session.exec(
            select(Verdict)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .where(Assignment.id == assignment.id, *_conditions(protocol.reading.revision == "session")),
            params=_named(actor, membership),
        ).first()
        if verdict is not None:
            return verdict
    raise NotRevisable(NOT_REVISABLE)


def _may_revise(session: Session, protocol: Protocol, membership: Membership) -> bool:
    """Return whether anything of this rater may be revised.

    Once references are shown to them (scoring answers), or the raters' verdicts are compared (the reviewers' queue), no
    verdict may change: for all raters and items alike, so that nobody can tell which items are in the queue.
    """
    if protocol.reading.revision == "never" or membership.role != "rater":
        return False
    if state_of(session, membership.study_id, afresh=True) != "open":
        return False
    settled = session.exec(
        _SETTLED, params={"study_id": membership.study_id, "membership_id": stored_id(membership.id)}
    )
    return not settled.one()


_COMPARED = select(Assignment.id).where(Assignment.study_id == bindparam("study_id"), Assignment.phase == REVIEW.key)
_BEGUN = select(Acknowledgement.id).where(
    Acknowledgement.membership_id == bindparam("membership_id"), Acknowledgement.phase == SCORING.queue.key
)
_SETTLED: Any = select(or_(_COMPARED.exists(), _BEGUN.exists()))


def has_begun_scoring(session: Session, membership_id: int) -> bool:
    """Return whether a rater has acknowledged the instructions of the scoring phase, which shows references."""
    return session.exec(_BEGUN, params={"membership_id": membership_id}).first() is not None


@lru_cache(maxsize=2)
def _conditions(in_this_session: bool) -> list[Any]:
    """Return what makes a verdict of the rater revisable: it stands, and no later turn of it has been sent.

    The next turn comes with the receipt of the one before it, so a turn that has a later one is settled by then.
    """
    own, later = aliased(Item), aliased(Item)
    later_turn = (
        select(later.id)
        .join(own, (col(own.conversation) == later.conversation) & (col(own.study_id) == later.study_id))
        .where(own.id == Assignment.item_id, col(later.turn) > own.turn)
        .correlate(Assignment)
    )
    conditions = [
        Assignment.membership_id == bindparam("membership_id"),
        Assignment.phase == READING.key,
        queries.stands(),
        ~later_turn.exists(),
    ]
    if in_this_session:
        conditions.append(Verdict.login_session_id == bindparam("login_session_id"))
    return conditions


def _named(actor: Actor, membership: Membership) -> dict[str, int]:
    return {"login_session_id": actor.login_session_id, "membership_id": stored_id(membership.id)}


def reopened(
    session: Session, actor: Actor, protocol: Protocol, membership: Membership
) -> tuple[Assignment, Verdict] | None:
    """Return what this login session is revising in a study; nothing when that verdict does not stand any more."""
    if protocol.reading.revision == "never":
        return None
    row = session.exec(_REOPENED, params=_named(actor, membership)).first()
    return (row[0], row[1]) if row is not None else None


_REOPENED: Any = (
    select(Assignment, Verdict)
    .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
    .join(Reopening, col(Reopening.verdict_id) == Verdict.id)
    .where(
        Reopening.login_session_id == bindparam("login_session_id"),
        Reopening.membership_id == bindparam("membership_id"),
        queries.stands(),
    )
)


def opening_of(session: Session, actor: Actor, membership_id: int) -> Reopening:
    """Return this login session's note of what it is revising in a study."""
    return session.get_one(Reopening, (actor.login_session_id, membership_id))


def end(session: Session, actor: Actor, membership: Membership) -> None:
    """Forget what this login session was revising in a study."""
    session.exec(
        delete(Reopening).where(
            col(Reopening.login_session_id) == actor.login_session_id,
            col(Reopening.membership_id) == membership.id,
        )
    )
