"""Remove a member without verdicts, apart from practice, and restore them if they are invited again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, exists, or_
from sqlmodel import Session, col, select

from db import (
    Acknowledgement,
    Assignment,
    AuditEvent,
    Database,
    Display,
    Draft,
    Invitation,
    Membership,
    Person,
    ReviewTask,
    Study,
    TechnicalFailure,
    Verdict,
    audit,
    now,
    queries,
)
from db.base import stored_id
from db.standing import REMAINS, STILL_MEMBER
from protocol.phases import Phase
from services.errors import Conflict, NotFound
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor, end_issued_links, has_signed_in
from services.people.logins import canonical_login
from services.people.permission import require_role, state_of
from services.seals.order import VERSION_MADE
from services.studies import frozen_facts, groups
from services.studies.dealing import assigning

REMOVED = "member removed"


@dataclass(frozen=True)
class Removable:
    """A member who can be removed from a study."""

    login: str
    name: str
    role: str
    pseudonym: str


def removable_members(database: Database, actor: Actor, study_key: str) -> list[Removable]:
    """Return, for admins, the members without a verdict, except the actor; empty once the data are locked.

    While test subjects are sealed, members of whom this would tell something about sealed answers are left out.
    """
    with database.read_only() as session:
        study, own = require_role(session, actor, study_key, "admin")
        if state_of(session, stored_id(study.id)) not in acts.TAKE_OUT.before:
            return []
        following = _sealed_phases(session, stored_id(study.id))
        uncounted = _uncounted(session, stored_id(study.id), following)
        rows = session.exec(
            select(Person, Membership)
            .join(Membership)
            .where(
                Membership.study_id == study.id,
                Membership.id != own.id,
                *STILL_MEMBER,
                ~_has_answered(uncounted),
            )
            .order_by(col(Membership.id))
        ).all()
        return [
            Removable(person.login, person.name, member.role, member.pseudonym)
            for person, member in rows
            if not _may_have_answered(session, member, following)
        ]


def remove_member(database: Database, actor: Actor, study_key: str, login: str) -> str:
    """Remove a member without verdicts from a study, end their open links to it, and return their pseudonym.

    Raises
    ------
    NotFound
        Nobody with this login is in the study.
    Conflict
        They have given a verdict, or may have given one that nobody may know of while test subjects are sealed, are
        the actor, or the data are locked.
    """
    wanted = canonical_login(login)
    with database.writing() as session:
        study, own = require_role(session, actor, study_key, "admin")
        require_in_study(session, acts.TAKE_OUT, study)
        # A submission in progress locks this row: either its verdict is stored before the check, or it is too late.
        member = session.exec(
            select(Membership)
            .join(Person)
            .where(Membership.study_id == study.id, Person.login == wanted, *STILL_MEMBER)
            .with_for_update(of=Membership)
        ).first()
        if member is None:
            raise NotFound(f"Nobody with the login '{login[:120]}' is in the study '{study.key}'.")
        if member.id == own.id:
            raise Conflict("You cannot remove yourself from a study; another admin can.")
        following = _sealed_phases(session, stored_id(study.id))
        has_answered = _has_answered(_uncounted(session, stored_id(study.id), following))
        if session.exec(select(Membership.id).where(Membership.id == member.id, has_answered)).first() is not None:
            raise Conflict(
                f"{member.pseudonym} has given verdicts, which are kept; only members without verdicts, except in "
                "practice, can be removed."
            )
        if _may_have_answered(session, member, following):
            raise Conflict(
                f"{member.pseudonym} answers what follows from other people's answers, which are sealed of test "
                "subjects, so that nobody may know whether there was anything to answer; unseal the study before "
                "removing somebody who has signed in."
            )
        member.removed_at = now()
        session.add(member)
        session.flush()
        _end_links(session, member)
        end_issued_links(session, member.person_id, stored_id(study.id))
        audit.record(
            session,
            REMOVED,
            person_id=actor.person_id,
            study_id=study.id,
            member=member.person_id,
            role=member.role,
            pseudonym=member.pseudonym,
        )
        return member.pseudonym


def take_back(session: Session, study: Study, member: Membership, role: str, group: str) -> list[int]:
    """Restore a removed member with what they had, or in another role if they have seen nothing.

    They can join another group of the study only if nothing was assigned to them in their earlier one.

    Returns
    -------
    list of int
        The ids of the assignments that were deleted with the earlier role.

    Raises
    ------
    Conflict
        They have seen items in another role or had items in another group, or their items have since been given to
        somebody else. If it is sealed whether they had any, as if they had.
    """
    if _works_in(session, member, _sealed_phases(session, stored_id(study.id))):
        _require_as_before(session, member, role, group)
    own = col(Assignment.membership_id) == member.id
    gone: list[int] = []
    if role != member.role:
        if saw_items(session, member):
            raise Conflict(
                f"{member.pseudonym} already had items as {member.role} in this study; invite them in that role again."
            )
        gone = _delete_assignments(session, own)
    elif member.group_key != group and session.exec(select(Assignment.id).where(own).limit(1)).first() is not None:
        raise Conflict(
            f"{member.pseudonym} was given items in the group '{member.group_key}'; invite them into that group again."
        )
    elif role == "rater" and groups.was_filled_anew(session, member):
        raise Conflict(f"The items of {member.pseudonym} have since been given to another rater; invite somebody else.")
    elif role == "reviewer" and _given_to_another(session, member):
        raise Conflict(
            f"The items of {member.pseudonym} were given to another reviewer meanwhile; invite somebody else."
        )
    member.removed_at = None
    session.add(member)
    session.flush()
    return gone


def saw_items(session: Session, member: Membership, *, but: Sequence[Phase] = ()) -> bool:
    """Return whether any of a member's items, except in some phases, was on their screen, or failed to be shown there.

    A browser has the first item as soon as the instructions are acknowledged, before it reports the item as shown.
    """
    own = and_(col(Assignment.membership_id) == member.id, col(Assignment.phase).not_in([phase.key for phase in but]))
    has_begun = exists().where(
        col(Acknowledgement.membership_id) == Assignment.membership_id,
        col(Acknowledgement.group_key) == member.group_key,
        col(Acknowledgement.phase) == Assignment.phase,
    )
    return session.exec(select(Assignment.id).where(own, or_(_was_used(), has_begun)).limit(1)).first() is not None


def has_answered(session: Session, member: Membership) -> bool:
    """Return whether a member has given any verdict, also in practice."""
    return session.exec(select(Membership.id).where(Membership.id == member.id, _has_answered(()))).first() is not None


def delete_unseen(session: Session, study: Study, member: Membership) -> list[int]:
    """Delete what a returning rater would work on, if versions were made since they left; return the deleted ids.

    They are then dealt all of it as who joins late is: behind what they had, something new about a subject would come
    after second steps that reveal its reference. Practice stays, and so does what is closed.
    """
    study_id = stored_id(study.id)
    if member.role != "rater" or not _has_versions_since_removal(session, study_id, member):
        return []
    phases, closed = frozen_facts.phases_of_member(session, member), queries.phases_closed(session, study_id)
    open_ones = [phase.key for phase in phases.counted if phase.listed_as not in closed]
    own = and_(col(Assignment.membership_id) == member.id, col(Assignment.phase).in_(open_ones))
    return _delete_assignments(session, own)


def _has_versions_since_removal(session: Session, study_id: int, member: Membership) -> bool:
    """Return whether a version was made since a member was removed, by the audit chain: a clock can be set back."""
    of_study = AuditEvent.study_id == study_id
    removals = session.exec(select(AuditEvent.id, AuditEvent.detail).where(of_study, AuditEvent.action == REMOVED))
    removed = max((stored_id(place) for place, said in removals if said["member"] == member.person_id), default=0)
    made = select(AuditEvent.id).where(of_study, AuditEvent.action == VERSION_MADE, col(AuditEvent.id) > removed)
    return session.exec(made.limit(1)).first() is not None


def _delete_assignments(session: Session, condition: Any) -> list[int]:
    gone = [stored_id(key) for key in session.exec(select(Assignment.id).where(condition))]
    session.exec(delete(Draft).where(col(Draft.assignment_id).in_(select(Assignment.id).where(condition))))
    session.exec(delete(Assignment).where(condition))
    return gone


def assign_if_frozen(session: Session, study: Study, member: Membership) -> None:
    """Give a rater of a frozen study their assignments in each phase in which they have none yet."""
    study_id = stored_id(study.id)
    if member.role == "rater" and state_of(session, study_id) != "draft":
        assigning.assign_rater(session, study_id, member, frozen_facts.phases_of_member(session, member))


def _sealed_phases(session: Session, study_id: int) -> tuple[Phase, ...]:
    """Return the phases of which it is sealed whether there was anything to answer; none if nothing is sealed."""
    if not queries.sealed_items(session, study_id):
        return ()
    return frozen_facts.phases_of(session, study_id).chosen_by_answers


def _uncounted(session: Session, study_id: int, sealed: tuple[Phase, ...]) -> tuple[Phase, ...]:
    """Return the phases in which a verdict does not keep its author: practice, and those of which it is sealed."""
    return (*frozen_facts.phases_of(session, study_id).trainings, *sealed)


def _has_answered(but: tuple[Phase, ...]) -> Any:
    """Return the condition that a member has given a verdict in any phase except some."""
    return exists().where(
        col(Verdict.assignment_id) == Assignment.id,
        col(Assignment.membership_id) == Membership.id,
        col(Assignment.phase).not_in([phase.key for phase in but]),
    )


def _may_have_answered(session: Session, member: Membership, following: tuple[Phase, ...]) -> bool:
    """Return whether a member works in one of some phases and could have given a verdict there.

    Only who never signed in has certainly given none, whatever there was to answer.
    """
    return _works_in(session, member, following) and has_signed_in(session, member.person_id)


def _works_in(session: Session, member: Membership, following: tuple[Phase, ...]) -> bool:
    """Return whether a member works in a queue that follows from answers, if any of its phases are given."""
    if not following:
        return False
    phases = frozen_facts.phases_of_member(session, member)
    queues = (queue for queue in phases.queues if queue.role == member.role)
    return any(map(phases.is_chosen_by_answers, queues))


def _require_as_before(session: Session, member: Membership, role: str, group: str) -> None:
    """Require the role and group that somebody had, and of a reviewer that nobody else can have got their items."""
    if (role, group) != (member.role, member.group_key):
        raise Conflict(
            f"{member.pseudonym} may have had items that follow from answers, which are sealed of test subjects; "
            "invite them in the role and group that they had, or unseal the study before."
        )
    another = select(Membership.id).where(
        Membership.study_id == member.study_id,
        Membership.id != member.id,
        Membership.role == "reviewer",
        *STILL_MEMBER,
    )
    if role == "reviewer" and session.exec(another).first() is not None:
        raise Conflict(
            f"The items of {member.pseudonym} may have been given to another reviewer meanwhile; invite somebody else."
        )


def _was_used() -> Any:
    """Return the condition that an assignment was on a screen, could not be shown, or is in a reviewer's queue."""
    return or_(
        exists().where(col(Display.assignment_id) == Assignment.id),
        exists().where(col(TechnicalFailure.assignment_id) == Assignment.id),
        exists().where(col(ReviewTask.review_assignment_id) == Assignment.id),
        exists().where(col(ReviewTask.opinions_assignment_id) == Assignment.id),
    )


def _given_to_another(session: Session, member: Membership) -> bool:
    adjudication = frozen_facts.phases_of(session, member.study_id).adjudication
    if adjudication is None:
        return False
    of_queue = Assignment.phase == adjudication.own_read.key
    items = select(Assignment.item_id).where(Assignment.membership_id == member.id, of_queue)
    return (
        session.exec(
            select(Assignment.id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(
                of_queue,
                Assignment.membership_id != member.id,
                col(Assignment.item_id).in_(items),
                *STILL_MEMBER,
            )
            .limit(1)
        ).first()
        is not None
    )


def _end_links(session: Session, member: Membership) -> None:
    """End a member's open links to the study, or all their links if they are in no other study and not an owner."""
    person = session.get_one(Person, member.person_id)
    elsewhere = session.exec(
        select(Membership.id).join(Study).where(Membership.person_id == person.id, *REMAINS, *STILL_MEMBER).limit(1)
    ).first()
    query = select(Invitation).where(
        Invitation.person_id == person.id,
        col(Invitation.consumed_at).is_(None),
        col(Invitation.ended_at).is_(None),
    )
    if person.is_owner or elsewhere is not None:
        query = query.where(Invitation.study_id == member.study_id)
    for link in session.exec(query).all():
        link.ended_at = now()
        session.add(link)
