"""Queries of assignments: which exist, which are done, and when they were displayed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, case, exists, false, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.asking import ask
from db.base import stored_id
from db.frozen import PhaseClosing, StudyVersion, WithdrawnUnit
from db.people import Membership
from db.queries.since_freeze import is_withdrawn
from db.reading import Adjudication, Assignment, Display, ReviewTask, TechnicalFailure, Verdict
from db.study import Case, Item
from protocol.phases import Phase, Reach


def is_done(assignment: Any, phases: Sequence[Phase] | None = None) -> Any:
    """Return the condition that an assignment needs nothing more: answered, decided, failed to show, or too late.

    Parameters
    ----------
    assignment
        The table, or an alias of it.
    phases
        The phases that the assignment can have, if known: not all of them are closed by a decision.
    """
    done = _has_come(assignment)
    if phases is None or any(phase.done_by == "decision" for phase in phases):
        done += _has_been_decided(assignment)
    if not phases or any(phase.listed for phase in phases):
        closed = (PhaseClosing.study_id == assignment.study_id, PhaseClosing.phase == assignment.phase)
        done += [exists().where(*closed), is_withdrawn(assignment)]
    return or_(*done)


def has_ended(assignment: Any) -> Any:
    """Whether an assignment has a verdict or a decision, or could not be shown; one that came too late has not."""
    return or_(*_has_come(assignment), *_has_been_decided(assignment))


def _has_been_decided(assignment: Any) -> list[Any]:
    """Return the ways in which a decision ends: it was made, or its item could not be shown to the reviewer."""
    of_task = ReviewTask.opinions_assignment_id == assignment.id
    decided = select(Adjudication.id).join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id).where(of_task)
    unreadable = (
        select(TechnicalFailure.id)
        .join(ReviewTask, col(ReviewTask.review_assignment_id) == TechnicalFailure.assignment_id)
        .where(of_task)
    )
    return [decided.exists(), unreadable.exists()]


def _has_come(assignment: Any) -> list[Any]:
    """Return the conditions for what may have come of an assignment: a verdict, or a failure to show it."""
    return [
        # Only the first verdict is looked up, because there is an index for it; later ones supersede it.
        exists().where(col(Verdict.assignment_id) == assignment.id, col(Verdict.supersedes_id).is_(None)),
        exists().where(col(TechnicalFailure.assignment_id) == assignment.id),
    ]


def open_assignments(
    session: Session, membership_id: int, phases: Sequence[Phase], *, limit: int | None = None
) -> list[Assignment]:
    """Return a member's assignments that are not closed, by position and, within a unit, by the step of their phase."""
    return list(session.exec(_open(tuple(phases), limit), params={"membership_id": membership_id}))


def has_open(session: Session, membership_id: int, phases: Sequence[Phase]) -> bool:
    """Return whether a member has an assignment in some phases that is not closed."""
    return _is_there(session, _open_ids(tuple(phases)), membership_id=membership_id)


def ends_of_assignments(
    session: Session, membership_id: int, phases: Sequence[Phase]
) -> list[tuple[int, datetime | None]]:
    """Return the ids of a member's assignments in order, and since when each is done (None if it is open).

    An assignment is also done once a version replaces its unit or its phase is closed.
    """
    answered = select(func.min(Verdict.submitted_at)).where(Verdict.assignment_id == Assignment.id)
    failed = select(func.min(TechnicalFailure.created_at)).where(TechnicalFailure.assignment_id == Assignment.id)
    replaced = (
        select(func.min(StudyVersion.at))
        .join(WithdrawnUnit, col(WithdrawnUnit.version_id) == StudyVersion.id)
        .where(
            WithdrawnUnit.item_id == Assignment.item_id,
            or_(col(WithdrawnUnit.candidate_id).is_(None), col(WithdrawnUnit.candidate_id) == Assignment.candidate_id),
        )
    )
    closed = select(func.min(PhaseClosing.at)).where(
        PhaseClosing.study_id == Assignment.study_id, PhaseClosing.phase == Assignment.phase
    )
    rows: Any = (
        select(Assignment.id, *(each.scalar_subquery() for each in (answered, failed, replaced, closed)))
        .where(Assignment.membership_id == membership_id, _of(phases))
        .order_by(col(Assignment.position), col(Assignment.step))
    )
    return [(number, min((at for at in ends if at is not None), default=None)) for number, *ends in session.exec(rows)]


def _of(phases: Sequence[Phase]) -> Any:
    # Not `in_`, whose SQL is rendered anew for each execution.
    return or_(*(col(Assignment.phase) == phase.key for phase in phases))


@lru_cache(maxsize=32)
def _open(phases: tuple[Phase, ...], limit: int | None) -> Any:
    return (
        select(Assignment)
        .where(*_waiting(phases))
        .order_by(col(Assignment.position), col(Assignment.step))
        .limit(limit)
    )


@lru_cache(maxsize=32)
def _open_ids(phases: tuple[Phase, ...]) -> Any:
    return select(Assignment.id).where(*_waiting(phases)).limit(1)


def _waiting(phases: tuple[Phase, ...]) -> tuple[Any, ...]:
    return Assignment.membership_id == bindparam("membership_id"), _of(phases), ~is_done(Assignment, phases)


def phases_dealt(session: Session, membership_id: int) -> frozenset[str]:
    """Return the keys of the phases in which a member has any assignment, done or open."""
    return frozenset(ask(session, _PHASES_DEALT, membership_id=membership_id).scalars())


_PHASES_DEALT: Any = select(Assignment.phase).where(Assignment.membership_id == bindparam("membership_id")).distinct()


def has_open_about(
    session: Session, membership_id: int, phases: Sequence[Phase], assignment: Assignment, reach: Reach
) -> bool:
    """Return whether a member has open assignments in some phases that overlap with a given assignment.

    `reach` says how far an overlap goes: the same subject, the same item or the same unit. A conversation counts as one
    item: what is revealed about one turn is revealed about all of them.
    """
    if not phases:
        return False
    about = {"item_id": assignment.item_id}
    if reach == "unit":
        about["candidate_id"] = assignment.candidate_id or 0
    return _is_there(session, _open_about(tuple(phases), reach), membership_id=membership_id, **about)


@lru_cache(maxsize=64)
def _open_about(phases: tuple[Phase, ...], reach: Reach) -> Any:
    item_id: Any = bindparam("item_id")
    if reach == "subject":
        case_, own = aliased(Case), aliased(Item)
        subject = select(case_.subject).join(own, col(own.case_id) == case_.id).where(own.id == item_id)
        about = (
            select(Item.id)
            .join(Case, col(Case.id) == Item.case_id)
            .where(Case.subject == subject.scalar_subquery(), Item.study_id == Assignment.study_id)
        )
    elif reach == "unit":
        same_candidate = func.coalesce(Assignment.candidate_id, 0) == bindparam("candidate_id")
        about = select(Item.id).where(col(Item.id) == item_id, same_candidate)
    else:
        turn = aliased(Item)
        conversation = select(turn.conversation).where(turn.id == item_id).scalar_subquery()
        about = select(Item.id).where(
            or_(col(Item.id) == item_id, col(Item.conversation) == conversation), Item.study_id == Assignment.study_id
        )
    waiting = select(Assignment.id).where(
        Assignment.membership_id == bindparam("membership_id"),
        _of(phases),
        col(Assignment.item_id).in_(about.correlate(Assignment)),
        ~is_done(Assignment, phases),
    )
    return waiting.limit(1)


def _is_there(session: Session, statement: Any, **parameters: int) -> bool:
    return ask(session, statement, **parameters).first() is not None


def _same_candidate(some: Any, other: Any) -> Any:
    return func.coalesce(some, 0) == func.coalesce(other, 0)


def has_open_of_the_same(
    session: Session, membership_id: int, phases: Sequence[Phase], other: Phase, reach: Reach
) -> bool:
    """Return whether a member has open assignments in some phases that overlap with their work in another phase.

    `reach` says what counts as overlap: the same subject, the same item or conversation, or the same unit.
    """
    if not phases:
        return False
    return _is_there(session, _open_of_the_same(tuple(phases), other.key, reach), membership_id=membership_id)


@lru_cache(maxsize=64)
def _open_of_the_same(phases: tuple[Phase, ...], other: str, reach: Reach) -> Any:
    there, item, case_ = aliased(Assignment), aliased(Item), aliased(Case)
    same = {
        "subject": col(case_.subject) == Case.subject,
        "item": or_(col(item.id) == Item.id, col(item.conversation) == Item.conversation),
        "unit": and_(col(item.id) == Item.id, _same_candidate(there.candidate_id, Assignment.candidate_id)),
    }[reach]
    membership_id: Any = bindparam("membership_id")
    of_other = (
        select(there.id)
        .join(item, col(item.id) == there.item_id)
        .join(case_, col(case_.id) == item.case_id)
        .where(there.membership_id == membership_id, there.phase == other, same)
        .correlate(Case, Item, Assignment)
    )
    waiting = (
        select(Assignment.id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Assignment.membership_id == membership_id, _of(phases), ~is_done(Assignment, phases), of_other.exists())
    )
    return waiting.limit(1)


def has_been_shown(session: Session, membership_id: int, phases: Sequence[Phase]) -> bool:
    """Return whether any of a member's assignments in some phases has been shown on their screen."""
    return _is_there(session, _shown(tuple(phases)), membership_id=membership_id)


@lru_cache(maxsize=32)
def _shown(phases: tuple[Phase, ...]) -> Any:
    shown = (
        select(Display.id)
        .join(Assignment, col(Assignment.id) == Display.assignment_id)
        .where(Assignment.membership_id == bindparam("membership_id"), _of(phases))
    )
    return shown.limit(1)


def members_with_open(session: Session, study_id: int, phase: Phase) -> set[int]:
    """Return the memberships of a study that have an assignment in a phase which is not closed."""
    return set(
        session.exec(
            select(Assignment.membership_id)
            .where(Assignment.study_id == study_id, Assignment.phase == phase.key, ~is_done(Assignment, (phase,)))
            .distinct()
        )
    )


def anybody_has_open(session: Session, study_id: int, phases: Sequence[str]) -> bool:
    """Return whether anybody who is still in a study has an assignment in these phases that is not closed."""
    return _is_there(session, _open_of_anybody(tuple(phases)), study_id=study_id)


@lru_cache(maxsize=32)
def _open_of_anybody(phases: tuple[str, ...]) -> Any:
    waiting = (
        select(Assignment.id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(
            Assignment.study_id == bindparam("study_id"),
            # Without any phase the condition is false.
            or_(false(), *(col(Assignment.phase) == phase for phase in phases)),
            col(Membership.removed_at).is_(None),
            ~is_done(Assignment, ()),
        )
    )
    return waiting.limit(1)


def last_assignment(session: Session, membership_id: int, phases: Sequence[Phase]) -> str | None:
    """Return the public id of a member's last assignment, closed or not."""
    last: str | None = ask(session, _public_ids(tuple(phases)), membership_id=membership_id).scalars().first()
    return last


@lru_cache(maxsize=32)
def _public_ids(phases: tuple[Phase, ...]) -> Any:
    of_member = Assignment.membership_id == bindparam("membership_id")
    return select(Assignment.public_id).where(of_member, _of(phases)).order_by(col(Assignment.id).desc())


def count_assignments(
    session: Session, membership_id: int, phases: Sequence[Phase], *, pass_number: int | None = None
) -> tuple[int, int]:
    """Return how many of a member's assignments are closed, and how many there are, in one pass or in all.

    Units that a version of the study replaced before they were answered are in neither number.
    """
    query = _counts(tuple(phases), pass_number is not None)
    total, done = ask(session, query, membership_id=membership_id, pass_number=pass_number).one()
    return done or 0, total


@lru_cache(maxsize=32)
def _counts(phases: tuple[Phase, ...], of_one_pass: bool) -> Any:
    chosen: list[Any] = [Assignment.membership_id == bindparam("membership_id"), _of(phases)]
    if of_one_pass:
        chosen.append(Assignment.pass_number == bindparam("pass_number"))
    if any(phase.listed for phase in phases):
        chosen.append(or_(~is_withdrawn(Assignment), has_ended(Assignment)))
    done = func.sum(case((is_done(Assignment, phases), 1), else_=0))
    return select(func.count(), done).select_from(Assignment).where(*chosen)


def count_cut_off(session: Session, membership_id: int, phase: Phase) -> int:
    """Return how many of a member's assignments had no outcome when their phase was closed, without replaced units."""
    return int(ask(session, _cut_off(phase), membership_id=membership_id).scalar_one())


@lru_cache(maxsize=32)
def _cut_off(phase: Phase) -> Any:
    closed: list[Any] = [PhaseClosing.study_id == Assignment.study_id, PhaseClosing.phase == Assignment.phase]
    of_member = (Assignment.membership_id == bindparam("membership_id"), _of((phase,)))
    # If the phase was closed because everybody was done, nothing was cut off.
    return select(func.count(col(Assignment.id))).where(
        *of_member, exists().where(*closed), ~or_(*_has_come(Assignment)), ~is_withdrawn(Assignment)
    )


def assignment_beside(session: Session, assignment: Assignment, phase: str) -> Assignment | None:
    """Return the assignment of another phase that the same member has on the same unit, in the same pass."""
    place = {
        "membership_id": assignment.membership_id,
        "phase": phase,
        "pass_number": assignment.pass_number,
        "item_id": assignment.item_id,
        "candidate_id": assignment.candidate_id or 0,
    }
    beside: Assignment | None = session.exec(_BESIDE, params=place).first()
    return beside


_BESIDE: Any = select(Assignment).where(
    Assignment.membership_id == bindparam("membership_id"),
    Assignment.phase == bindparam("phase"),
    Assignment.pass_number == bindparam("pass_number"),
    Assignment.item_id == bindparam("item_id"),
    func.coalesce(Assignment.candidate_id, 0) == bindparam("candidate_id"),
)


def displays_of(session: Session, assignment_id: int) -> list[Display]:
    """Return an assignment's displays in all login sessions, oldest first."""
    return list(session.exec(_DISPLAYS, params={"assignment_id": assignment_id}))


_DISPLAYS: Any = select(Display).where(Display.assignment_id == bindparam("assignment_id")).order_by(col(Display.id))


def review_task_of(session: Session, assignment: Assignment) -> ReviewTask:
    """Return the task that a review or opinions assignment belongs to."""
    task: ReviewTask = session.exec(_REVIEW_TASK, params={"assignment_id": stored_id(assignment.id)}).one()
    return task


_REVIEW_TASK: Any = select(ReviewTask).where(
    or_(
        col(ReviewTask.review_assignment_id) == bindparam("assignment_id"),
        col(ReviewTask.opinions_assignment_id) == bindparam("assignment_id"),
    )
)
