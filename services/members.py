"""Invite people into a study, and follow how far they are without seeing what they answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from db import (
    Assignment,
    Base,
    Database,
    Draft,
    Membership,
    Person,
    Study,
    TechnicalFailure,
    Verdict,
    audit,
    now,
    queries,
)
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.study import Protocol
from services import assigning, displaying, frozen_facts, permission, practice, proofs, removing
from services.errors import Conflict, NotAllowed, NotFound, require_length
from services.identity import Actor, add_person, has_signed_in, issue_link, open_links
from services.logins import canonical_login
from services.permission import require_role, state_of

_PSEUDONYM_WORD = {"rater": "Rater", "reviewer": "Reviewer", "admin": "Admin"}


@dataclass(frozen=True)
class MemberProgress:
    """How far a member is. It holds counts and times, and no answer to a real item."""

    pseudonym: str
    name: str
    role: str
    queue: str
    done: int
    total: int
    technical_failures: int
    last_saved: datetime | None
    # Empty where the study has no practice.
    practice: str = ""
    # How many of the items have a verdict that was revised.
    revised: int = 0


@dataclass(frozen=True)
class StudyLine:
    """One study as the list of studies shows it."""

    key: str
    title: str
    role: str
    state: str
    simulated_readers: bool
    items: int


def invite(
    database: Database,
    actor: Actor,
    study_key: str,
    login: str,
    name: str,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    purpose: str = "join",
) -> str:
    """Give a person a role in a study and return the token of their single-use link.

    Inviting the same person with the same role again issues a fresh link and changes nothing else. Somebody who has
    signed in before and is new in the study gets no link, and the token is empty: they sign in as they do.

    Raises
    ------
    Conflict
        The person has another role in this study: nobody both reads and administers or reviews.
    NotAllowed
        The person has signed in before and is asked for again by somebody who is no owner.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        return invite_within(
            session, actor, study, login, name, role, specialty=specialty, years=years, purpose=purpose
        )


def invite_within(
    session: Session,
    actor: Actor,
    study: Study,
    login: str,
    name: str,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    purpose: str = "join",
) -> str:
    """Do within the caller's transaction what `invite` does; the actor is known to administer the study."""
    if role not in _PSEUDONYM_WORD:
        raise Conflict(f"'{role}' is no role; choose rater, reviewer or admin.")
    login = require_length("The login", login, 120)
    name = require_length("The name", name, 120)
    specialty = require_length("The specialty", specialty, 120)
    if not canonical_login(login):
        raise Conflict("The login is empty; give a name or an e-mail address to sign in with.")
    person = add_person(session, login, name)
    _require_in_reach(session, actor, person)
    # Whoever holds a link acts as its person, so one for an account in use is made on purpose only, and by an owner.
    in_use = has_signed_in(session, stored_id(person.id)) and not person.is_demo
    before = _membership(session, study, person)
    was_member = before is not None and before.removed_at is None
    join(session, study, person, role, specialty=specialty, years=years, by=actor.person_id)
    if in_use and not was_member:
        return ""
    if in_use and not actor.is_owner:
        raise NotAllowed(
            f"'{person.login}' has signed in before, and whoever holds a link can act as them; ask an owner of this "
            "installation for a new one."
        )
    return issue_link(session, person, purpose, by=actor.person_id, study_id=study.id)


def _require_in_reach(session: Session, actor: Actor, person: Person) -> None:
    """Refuse a link that would open more than the actor administers: whoever holds it can act as that person."""
    if actor.is_owner:
        return
    elsewhere = session.exec(
        select(Membership.id).where(
            Membership.person_id == person.id, ~col(Membership.study_id).in_(_administered_by(actor.person_id))
        )
    ).first()
    if person.is_owner or elsewhere is not None:
        raise NotAllowed(f"'{person.login}' has an account beyond your studies; ask an owner to invite them.")


def _administered_by(person_id: int) -> SelectOfScalar[int]:
    return select(Membership.study_id).where(
        Membership.person_id == person_id, Membership.role == "admin", *STILL_MEMBER
    )


def _membership(session: Session, study: Study, person: Person) -> Membership | None:
    return session.exec(
        select(Membership).where(Membership.study_id == study.id, Membership.person_id == person.id)
    ).first()


def _end_links_that_reach_too_far(session: Session, person_id: int, study_id: int) -> None:
    """End the open links of somebody whose issuer has nothing to do with the study that they join.

    A link opens all that its person may do, also what came after it. Of links older than this rule nobody knows the
    issuer.
    """
    for link in open_links(session, person_id):
        issuer = session.get(Person, link.issued_by_id) if link.issued_by_id else None
        reaches = issuer is not None and (
            issuer.is_owner or study_id in session.exec(_administered_by(stored_id(issuer.id))).all()
        )
        if not reaches:
            link.ended_at = now()
            session.add(link)


def join(
    session: Session,
    study: Study,
    person: Person,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    by: int | None = None,
) -> Membership:
    """Return the person's membership, making it, and a rater's assignments, when there is none yet."""
    study_id, person_id = stored_id(study.id), stored_id(person.id)
    found = _membership(session, study, person)
    if found is not None and found.removed_at is None:
        if found.role != role:
            raise Conflict(f"{person.name} is {found.role} in this study already, and nobody has two roles in one.")
        return found
    if role == "rater" and state_of(session, study_id) == "closed":
        raise Conflict("This study is closed; nobody can join it as a rater any more.")
    membership = found or Membership(person_id=person_id, study_id=study_id, role="", pseudonym="")
    gone = removing.take_back(session, study, found, role) if found is not None else []
    if membership.role != role:
        membership.role, membership.pseudonym = role, _new_pseudonym(session, study_id, role)
    membership.specialty, membership.years = specialty or membership.specialty, years or membership.years
    session.add(membership)
    session.flush()
    _end_links_that_reach_too_far(session, person_id, study_id)
    removing.assign_if_frozen(session, study, membership)
    audit.record(
        session,
        "member joined",
        person_id=by,
        study_id=study_id,
        role=role,
        member=person_id,
        **_seals(session, study_id, membership, gone, again=found is not None),
    )
    return membership


def _seals(session: Session, study_id: int, membership: Membership, gone: list[int], *, again: bool) -> dict[str, Any]:
    """Return the seal on a member; who comes back has one already, and what they had may be gone: those seals end."""
    rows: list[Base] = [membership]
    ended = {"membership": str(membership.id)} if again else {}
    if gone:
        ended["assignment"] = proofs.ranges(gone)
        rows += session.exec(select(Assignment).where(Assignment.study_id == study_id)).all()
    return {"rows": proofs.sealed(rows)} | ({"ended": ended} if ended else {})


def _new_pseudonym(session: Session, study_id: int, role: str) -> str:
    """Return the role's word with a number above all that were ever given, also to whoever is out by now."""
    word = _PSEUDONYM_WORD[role]
    taken = session.exec(
        select(Membership.pseudonym).where(
            Membership.study_id == study_id, col(Membership.pseudonym).startswith(f"{word} ")
        )
    ).all()
    numbers = [int(number) for number in (one.removeprefix(f"{word} ") for one in taken) if number.isdigit()]
    return f"{word} {max(numbers, default=0) + 1}"


def studies_of(database: Database, actor: Actor) -> list[StudyLine]:
    """Return the studies in which the actor has a role."""
    with database.reading() as session:
        return [
            StudyLine(
                study.key,
                study.title,
                membership.role,
                state_of(session, stored_id(study.id)),
                study.simulated_readers,
                queries.count_items(session, stored_id(study.id)),
            )
            for study, membership in permission.studies_of(session, actor)
        ]


def roles_of(database: Database, actor: Actor) -> set[str]:
    """Return what the actor is, in whichever study."""
    with database.reading() as session:
        return {membership.role for _, membership in permission.studies_of(session, actor)}


def study_line(database: Database, actor: Actor, study_key: str) -> StudyLine:
    """Return one study that the actor administers."""
    for line in studies_of(database, actor):
        if line.key == study_key and line.role == "admin":
            return line
    raise NotFound("There is no such study among yours; choose one in the list of studies.")


def progress_of_members(database: Database, actor: Actor, study_key: str) -> list[MemberProgress]:
    """Return, for admins, how far every rater and reviewer is."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        protocol = frozen_facts.protocol_of(session, stored_id(study.id))
        rows = session.exec(
            select(Membership, Person)
            .join(Person)
            .where(Membership.study_id == study.id, Membership.role != "admin", *STILL_MEMBER)
            .order_by(col(Membership.id))
        ).all()
        lines = []
        for membership, person in rows:
            for queue in ("review",) if membership.role == "reviewer" else ("reading", "scoring"):
                done, total = displaying.progress_of(session, stored_id(membership.id), queue)
                if total or queue != "scoring":
                    lines.append(
                        MemberProgress(
                            membership.pseudonym,
                            person.name,
                            membership.role,
                            queue,
                            done,
                            total,
                            *_failures_and_last_save(session, stored_id(membership.id), queue),
                            _practice(session, protocol, stored_id(membership.id)) if queue == "reading" else "",
                            _revised(session, stored_id(membership.id), queue),
                        )
                    )
        return lines


def allow_another_attempt(database: Database, actor: Actor, study_key: str, login: str) -> None:
    """Give a rater who has used up their attempts at the practice one more.

    Raises
    ------
    Conflict
        The person has not used up their attempts.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        rater = session.exec(
            select(Membership)
            .join(Person)
            .where(
                Membership.study_id == study_id,
                Membership.role == "rater",
                *STILL_MEMBER,
                Person.login == canonical_login(login),
            )
        ).first()
        if rater is None:
            raise NotFound(f"The study has no rater '{login[:120]}'.")
        protocol = frozen_facts.protocol_of(session, study_id)
        if not practice.has_failed(session, protocol, stored_id(rater.id)):
            raise Conflict(f"'{login[:120]}' has not used up their attempts at the practice; nothing was changed.")
        last = practice.results_of(session, stored_id(rater.id))[-1].pass_number
        assigning.assign_practice(session, study_id, rater, protocol, last + 1)
        audit.record(
            session,
            "another attempt at practice",
            person_id=actor.person_id,
            study_id=study_id,
            member=rater.person_id,
            attempt=last + 1,
        )


def _practice(session: Session, protocol: Protocol, membership_id: int) -> str:
    """Say how a rater's practice went, in a few words."""
    if protocol.reading.practice is None:
        return ""
    results = practice.results_of(session, membership_id)
    state = practice.state_of_practice(session, membership_id)
    if not results:
        return "not finished yet"
    last = results[-1]
    score = f"{last.correct} of {last.judged} correct in attempt {last.pass_number}"
    return f"{'passed' if state == 'passed' else 'not passed'}: {score}" + (
        ", no attempt left" if state == "failed" else ""
    )


def _revised(session: Session, membership_id: int, queue: str) -> int:
    return session.exec(
        select(func.count(func.distinct(col(Verdict.assignment_id))))
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(
            Assignment.membership_id == membership_id,
            col(Assignment.phase).in_(displaying.QUEUES[queue]),
            col(Verdict.supersedes_id).is_not(None),
        )
    ).one()


def _failures_and_last_save(session: Session, membership_id: int, queue: str) -> tuple[int, datetime | None]:
    chosen = select(Assignment.id).where(
        Assignment.membership_id == membership_id, col(Assignment.phase).in_(displaying.QUEUES[queue])
    )
    failures = session.exec(
        select(func.count()).select_from(TechnicalFailure).where(col(TechnicalFailure.assignment_id).in_(chosen))
    ).one()
    verdict = session.exec(
        select(Verdict.submitted_at)
        .where(col(Verdict.assignment_id).in_(chosen))
        .order_by(col(Verdict.submitted_at).desc())
    ).first()
    draft = session.exec(
        select(Draft.saved_at).where(col(Draft.assignment_id).in_(chosen)).order_by(col(Draft.saved_at).desc())
    ).first()
    moments = [moment for moment in (verdict, draft) if moment is not None]
    return failures, max(moments, default=None)
