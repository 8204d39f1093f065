"""Revising verdicts as far as the protocol allows: which verdicts may be revised, and which one is open again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, false, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, select

from db import Acknowledgement, Assignment, Display, Item, Membership, PhaseClosing, Reopening, Verdict, queries
from db.base import stored_id
from protocol.phases import Phase, Queue
from protocol.study_phases import StudyPhases
from services.errors import NotRevisable
from services.people.identity import Actor
from services.people.permission import hold_study, state_of

# Phase keys, each with whether its verdicts may be revised only in the login session that gave them.
Rules = tuple[tuple[str, bool], ...]
NOT_REVISABLE = "This verdict can no longer be revised and remains as it was saved; reload the page to continue."


def revisable_verdicts(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership, queue: Queue
) -> list[tuple[Assignment, Verdict]]:
    """Return the rater's verdicts in a queue that may be revised now, with their assignments, last item first."""
    rules = _may_revise_in(session, phases, membership, queue)
    if not rules:
        return []
    rows = session.exec(
        select(Assignment, Verdict)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
        .where(*_conditions(rules))
        # Not ordered by the verdict's time: each revision would then move the others to different digit keys.
        .order_by(col(Assignment.position).desc()),
        params=_named(actor, membership),
    )
    return [(assignment, verdict) for assignment, verdict in rows]


def count_revisable(session: Session, actor: Actor, phases: StudyPhases, membership: Membership, queue: Queue) -> int:
    """Return how many of the rater's verdicts in a queue may be revised now."""
    rules = _may_revise_in(session, phases, membership, queue)
    if not rules:
        return 0
    count: int = session.exec(_count(rules), params=_named(actor, membership)).one()
    return count


@lru_cache(maxsize=16)
def _count(rules: Rules) -> Any:
    return (
        select(func.count())
        .select_from(Assignment)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
        .where(*_conditions(rules))
    )


def require_revisable(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership, assignment: Assignment
) -> Verdict:
    """Return the standing verdict of an assignment that may be revised, or refuse.

    The study is held, so the reviewers' queue cannot open before this transaction ends: it would show the verdict that
    is being superseded.
    """
    hold_study(session, membership.study_id)
    verdict = _revisable_of(session, actor, phases, membership, assignment)
    if verdict is None:
        raise NotRevisable(NOT_REVISABLE)
    return verdict


def _revisable_of(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership, assignment: Assignment
) -> Verdict | None:
    rules = _may_revise(session, phases, membership)
    if not rules:
        return None
    return session.exec(
        select(Verdict)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.id == assignment.id, *_conditions(rules)),
        params=_named(actor, membership),
    ).first()


def _may_revise(session: Session, phases: StudyPhases, membership: Membership) -> Rules:
    """Return the phases in which this rater may revise verdicts, each with whether only in the same login session.

    Once a rater is shown references (when scoring answers), or the raters' verdicts are compared (in the reviewers'
    queue), verdicts may no longer change. This holds for all raters and items, so that nobody can tell which items are
    in the queue.
    """
    if not phases.revisable or membership.role != "rater":
        return ()
    if state_of(session, membership.study_id, afresh=True) != "open":
        return ()
    return tuple(
        (phase.key, phases.rules_of(phase).revision == "session")
        for phase in phases.revisable
        if not _is_settled(session, phases, membership, phase)
    )


def _may_revise_in(session: Session, phases: StudyPhases, membership: Membership, queue: Queue) -> Rules:
    return tuple(rule for rule in _may_revise(session, phases, membership) if phases.named(rule[0]).queue == queue)


def is_settled(session: Session, phases: StudyPhases, membership: Membership, queue: Queue) -> bool:
    """Return whether a queue's verdicts are final from the start although the protocol allows revisions."""
    revisable = [phase for phase in phases.in_queue(queue) if phase in phases.revisable]
    return bool(revisable) and all(_is_settled(session, phases, membership, phase) for phase in revisable)


def _is_settled(session: Session, phases: StudyPhases, membership: Membership, phase: Phase) -> bool:
    named = {"study_id": membership.study_id, **_of_member(membership)}
    settled: bool = session.exec(_settled(*_what_settles(phases, phase)), params=named).one()
    return settled


def _what_settles(phases: StudyPhases, phase: Phase) -> tuple[str | None, tuple[str, ...], str | None]:
    """Return what settles a phase's verdicts: the phase that compares them, and the phases that do so by beginning.

    The third part is the phase itself if it can be closed before everybody is done: closing it settles them too.
    """
    adjudication = phases.adjudication
    compared = adjudication.own_read.key if adjudication is not None and adjudication.settled == phase else None
    begun = tuple(begun_as(phases, queue) for queue in phases.queues if phase in phases.settled_by(queue))
    return compared, begun, phase.key if phase.can_be_closed else None


@lru_cache(maxsize=16)
def _settled(compared: str | None, begun: tuple[str, ...], followed: str | None) -> Any:
    # Displays count as well: earlier releases stored acknowledgements of listed phases under other keys.
    settles = [begins.exists() for key in begun for begins in (_acknowledged(key), _shown(key))]
    if compared is not None:
        compares = (Assignment.study_id == bindparam("study_id"), Assignment.phase == compared)
        settles.append(select(Assignment.id).where(*compares).exists())
    if followed is not None:
        closed = (PhaseClosing.study_id == bindparam("study_id"), PhaseClosing.phase == followed)
        settles.append(select(PhaseClosing.id).where(*closed).exists())
    return select(or_(false(), *settles))


@lru_cache(maxsize=16)
def _acknowledged(key: str) -> Any:
    return select(Acknowledgement.id).where(
        Acknowledgement.membership_id == bindparam("membership_id"),
        Acknowledgement.group_key == bindparam("group_key"),
        Acknowledgement.phase == key,
    )


def _shown(phase: str) -> Any:
    own = (Assignment.membership_id == bindparam("membership_id"), Assignment.phase == phase)
    return select(Display.id).join(Assignment, col(Assignment.id) == Display.assignment_id).where(*own)


def begun_as(phases: StudyPhases, queue: Queue) -> str:
    """Return the key under which the start of a queue is stored: that of its first phase.

    A queue's own key is a position, at which another group may have a different phase.
    """
    return phases.in_queue(queue)[0].key


def has_acknowledged(session: Session, phases: StudyPhases, membership: Membership, queue: Queue) -> bool:
    """Return whether a member has acknowledged the instructions of a queue, in whichever wording."""
    return session.exec(_acknowledged(begun_as(phases, queue)), params=_of_member(membership)).first() is not None


def _of_member(membership: Membership) -> dict[str, int | str]:
    return {"membership_id": stored_id(membership.id), "group_key": membership.group_key}


@lru_cache(maxsize=16)
def _conditions(rules: Rules) -> list[Any]:
    """Return the conditions for a revisable verdict: it stands, and neither a later turn nor a new version followed.

    The next turn appears together with the receipt of the one before, so only the last turn can still be revised.
    """
    own, later = aliased(Item), aliased(Item)
    later_turn = (
        select(later.id)
        .join(own, (col(own.conversation) == later.conversation) & (col(own.study_id) == later.study_id))
        .where(own.id == Assignment.item_id, col(later.turn) > own.turn)
        .correlate(Assignment)
    )
    in_this_session = col(Verdict.login_session_id) == bindparam("login_session_id")
    of_phases = [
        and_(col(Assignment.phase) == phase, in_this_session) if only_now else col(Assignment.phase) == phase
        for phase, only_now in rules
    ]
    return [
        Assignment.membership_id == bindparam("membership_id"),
        or_(*of_phases),
        queries.stands(),
        ~later_turn.exists(),
        # Units that a version of the study replaced are final.
        ~queries.is_withdrawn(Assignment),
    ]


def _named(actor: Actor, membership: Membership) -> dict[str, int]:
    return {"login_session_id": actor.login_session_id, "membership_id": stored_id(membership.id)}


def reopened(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership
) -> tuple[Assignment, Verdict] | None:
    """Return what this login session has reopened in a study; None if that verdict no longer stands."""
    if not phases.revisable:
        return None
    row = session.exec(_REOPENED, params=_named(actor, membership)).first()
    return (row[0], row[1]) if row is not None else None


def being_revised(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership
) -> tuple[Assignment, Verdict] | None:
    """Return what this login session is revising and still may; None if the verdict was settled in the meantime."""
    opened = reopened(session, actor, phases, membership)
    if opened is None or _revisable_of(session, actor, phases, membership, opened[0]) is None:
        return None
    return opened


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


def end(session: Session, actor: Actor, membership: Membership) -> None:
    """Delete the record of what this login session was revising in a study."""
    session.exec(
        delete(Reopening).where(
            col(Reopening.login_session_id) == actor.login_session_id,
            col(Reopening.membership_id) == membership.id,
        )
    )
