"""An installation's people, for its owners: list, lock, unlock, sign out everywhere, add further owners."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from db import Database, LoginSession, Membership, Person, Study, audit, now
from db.base import stored_id
from db.standing import REMAINS, STILL_MEMBER
from services.errors import Conflict, NotAllowed, NotFound, require_length
from services.people.identity import (
    Actor,
    add_person,
    end_issued_links,
    end_login_sessions,
    end_open_links,
    issue_link,
    person_with,
)
from services.people.logins import canonical_login


@dataclass(frozen=True)
class PersonLine:
    """One person as owners see them."""

    login: str
    name: str
    is_owner: bool
    is_demo: bool
    locked_at: datetime | None
    # The number of login sessions that are open now.
    sessions: int
    last_seen: datetime | None
    # "key: role", for each study.
    roles: tuple[str, ...]
    # Whether this is the owner who is looking.
    is_self: bool


def people_of(database: Database, actor: Actor) -> list[PersonLine]:
    """Return everybody, in the order in which they were added."""
    _require_owner(actor)
    with database.read_only() as session:
        roles: dict[int, list[str]] = {}
        for person_id, key, role in session.exec(
            select(Membership.person_id, Study.key, Membership.role)
            .join(Study, col(Study.id) == Membership.study_id)
            .where(*REMAINS, *STILL_MEMBER)
            .order_by(col(Study.id))
        ).all():
            roles.setdefault(person_id, []).append(f"{key}: {role}")
        moment = now()
        is_open = col(LoginSession.ended_at).is_(None) & (col(LoginSession.expires_at) > moment)
        seen = {
            person_id: (opened, last)
            for person_id, opened, last in session.exec(
                select(
                    LoginSession.person_id,
                    func.count(col(LoginSession.id)).filter(is_open),
                    func.max(LoginSession.last_seen_at),
                ).group_by(col(LoginSession.person_id))
            ).all()
        }
        return [
            PersonLine(
                person.login,
                person.name,
                person.is_owner,
                person.is_demo,
                person.locked_at,
                sessions=seen.get(stored_id(person.id), (0, None))[0],
                last_seen=seen.get(stored_id(person.id), (0, None))[1],
                roles=tuple(roles.get(stored_id(person.id), ())),
                is_self=person.id == actor.person_id,
            )
            for person in session.exec(select(Person).order_by(col(Person.id))).all()
        ]


def add_owner(database: Database, login: str, name: str, *, by: Actor | None = None) -> str:
    """Make somebody an owner, adding them if the login is new, and return the token of their link."""
    login = require_length("The login", login, 120)
    name = require_length("The name", name, 120)
    if not canonical_login(login):
        raise Conflict("The login is empty; give a name or an e-mail address to sign in with.")
    if not name:
        raise Conflict("The name is empty; write the name to display.")
    with database.writing() as session:
        person = add_person(session, login, name)
        if person.is_demo:
            raise Conflict(f"'{person.login}' is a demo account and is removed with the demo; choose another login.")
        by_id = None if by is None else by.person_id
        if not person.is_owner:
            person.is_owner = True
            session.add(person)
            audit.record(session, "made owner", person_id=by_id, member=person.id)
        return issue_link(session, person, "join", by=by_id)


def lock(database: Database, actor: Actor, login: str) -> None:
    """Lock an account. Its sessions end, as do its open links and the links that it issued."""
    _require_owner(actor)
    with database.writing() as session:
        hold_owners(session)
        person = _person(session, login)
        if person.locked_at is not None:
            raise Conflict(f"'{person.login}' is already locked.")
        if person.is_owner and not other_owners(session, {stored_id(person.id)}):
            raise Conflict(f"'{person.login}' is the only owner; create another one before you lock them.")
        lock_within(session, person)
        audit.record(session, "locked", person_id=actor.person_id, member=person.id)


def hold_owners(session: Session) -> None:
    """Make other transactions wait before locking or unlocking people: otherwise two owners could lock each other."""
    session.exec(select(Person.id).where(col(Person.is_owner)).order_by(col(Person.id)).with_for_update()).all()


def lock_within(session: Session, person: Person) -> None:
    """Lock somebody within the caller's transaction."""
    person_id = stored_id(person.id)
    person.locked_at = now()
    session.add(person)
    end_login_sessions(session, person_id)
    end_open_links(session, person_id)
    end_issued_links(session, person_id)


def unlock(database: Database, actor: Actor, login: str) -> None:
    """Unlock an account. Its person signs in with their password or by a new link."""
    _require_owner(actor)
    with database.writing() as session:
        hold_owners(session)
        person = _person(session, login)
        if person.locked_at is None:
            raise Conflict(f"'{person.login}' is not locked.")
        person.locked_at = None
        session.add(person)
        audit.record(session, "unlocked", person_id=actor.person_id, member=person.id)


def sign_out_everywhere(database: Database, actor: Actor, login: str) -> int:
    """End every login session of a person and return their number. Owners may do so, and people for themselves."""
    with database.writing() as session:
        person = person_with(session, login)
        if person is None or person.id != actor.person_id:
            _require_owner(actor)
        person = _person(session, login)
        ended = end_login_sessions(session, stored_id(person.id))
        audit.record(session, "signed out everywhere", person_id=actor.person_id, member=person.id, sessions=ended)
        return ended


def make_logins_canonical(database: Database) -> None:
    """Convert logins stored by an earlier release to canonical form, unless somebody else already has that form."""
    with database.writing() as session:
        everybody = session.exec(select(Person).order_by(col(Person.id))).all()
        taken = {person.login for person in everybody}
        for person in everybody:
            login = canonical_login(person.login)
            if login and login not in taken:
                taken.add(login)
                person.login = login
                session.add(person)


def other_owners(session: Session, but: set[int]) -> bool:
    """Return whether there is another owner, apart from these people, who can sign in."""
    owners = select(Person.id).where(col(Person.is_owner), col(Person.locked_at).is_(None), ~col(Person.id).in_(but))
    return session.exec(owners).first() is not None


def _require_owner(actor: Actor) -> None:
    if not actor.is_owner:
        raise NotAllowed("Only an owner of this installation can do that; ask one.")


def _person(session: Session, login: str) -> Person:
    person = person_with(session, login)
    if person is None:
        raise NotFound(f"There is no account with the login '{login[:120]}'.")
    return person
