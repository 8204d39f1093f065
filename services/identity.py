"""Who somebody is: links, passwords and login sessions. The database holds hashes of tokens only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlmodel import Session, col, select

from db import Credential, Database, Invitation, LoginSession, Person, audit, now, standing
from db.base import stored_id
from services import clock
from services.errors import Conflict, NotAllowed, NotFound, NotSignedIn

IDLE_LIMIT = timedelta(hours=8)
ABSOLUTE_LIMIT = timedelta(hours=72)
LINK_LIFETIME = timedelta(days=14)
# Written at most this often, so that a click costs no write of its own.
SEEN_RESOLUTION = timedelta(minutes=1)
SHORTEST_PASSWORD = 10

_hasher = PasswordHash((Argon2Hasher(),))
# Verified when a login is unknown, so that the answer takes as long as for a wrong password.
_nobody = _hasher.hash(secrets.token_hex(16))


@dataclass(frozen=True)
class Actor:
    """Somebody who is signed in, as read from the database for this very request."""

    person_id: int
    login_session_id: int
    name: str
    is_owner: bool
    # None at the command line, which has no login session.
    signed_in_at: datetime | None = None


@dataclass(frozen=True)
class Link:
    """What an unused link is for."""

    purpose: str
    name: str


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def add_person(session: Session, login: str, name: str, *, is_owner: bool = False) -> Person:
    """Return the person with this login, adding them when there is none yet."""
    login = login.strip().lower()
    person = session.exec(select(Person).where(Person.login == login)).first()
    if person is None:
        person = Person(login=login, name=name.strip() or login, is_owner=is_owner)
        session.add(person)
        session.flush()
        audit.record(session, "person added", person_id=person.id)
    return person


def issue_link(session: Session, person: Person, purpose: str) -> str:
    """Make a single-use link token for a person; the token itself is stored nowhere."""
    token = secrets.token_urlsafe(24)
    session.add(
        Invitation(
            token_sha256=_sha256(token),
            purpose=purpose,
            person_id=stored_id(person.id),
            expires_at=now() + LINK_LIFETIME,
        )
    )
    audit.record(session, f"{purpose} link issued", person_id=person.id)
    return token


def make_link(database: Database, login: str, purpose: str) -> str:
    """Return a fresh single-use token for a login name: `join` sets a password, `sign_in` just signs in."""
    with database.writing() as session:
        person = session.exec(select(Person).where(Person.login == login.strip().lower())).first()
        if person is None:
            raise NotAllowed(f"Nobody has the login '{login}'; invite them first.")
        return issue_link(session, person, purpose)


def look_at_link(database: Database, token: str) -> Link | None:
    """Say what an unused link is for, without using it up; None when it cannot be used."""
    with database.reading() as session:
        invitation = _usable_link(session, token)
        if invitation is None:
            return None
        return Link(invitation.purpose, _person(session, invitation.person_id).name)


def use_link(database: Database, token: str, password: str | None) -> str:
    """Use a link up and sign its person in; a `join` link sets the password.

    Returns
    -------
    str
        The token of the new login session.
    """
    with database.writing() as session:
        invitation = _usable_link(session, token, lock=True)
        if invitation is None:
            raise NotAllowed("This link was used already or has expired; ask for a new one.")
        if invitation.purpose == "join":
            _set_password(session, invitation.person_id, password or "")
        invitation.consumed_at = now()
        session.add(invitation)
        return _open_login_session(session, invitation.person_id, how=f"{invitation.purpose} link")


def sign_in(database: Database, login: str, password: str) -> str:
    """Check a password and return the token of a new login session."""
    with database.reading() as session:
        # PostgreSQL refuses even to compare with a NUL character.
        login = login.replace("\x00", "").strip().lower()
        found = session.exec(select(Credential).join(Person).where(Person.login == login)).first()
    stored = found.password_hash if found else _nobody
    if not _hasher.verify(password, stored) or found is None:
        raise NotAllowed("Login or password is wrong; check both, or ask the study's admin for a new link.")
    with database.writing() as session:
        return _open_login_session(session, found.person_id, how="password")


def sign_out(database: Database, login_session_id: int) -> None:
    """End a login session; sockets that are still open lose their identity with it."""
    with database.writing() as session:
        found = session.get(LoginSession, login_session_id)
        if found is not None and found.ended_at is None:
            found.ended_at = now()
            session.add(found)
            audit.record(session, "signed out", person_id=found.person_id)


def actor_of_token(database: Database, token: str | None) -> Actor | None:
    """Return who holds a login-session token, or None."""
    if not token:
        return None
    with database.asking() as connection:
        return _actor(connection.execute(standing.BY_TOKEN, {"token_sha256": _sha256(token)}).first())


def actor_of_session(database: Database, login_session_id: int) -> Actor:
    """Return who a login session belongs to, re-read from the database.

    Raises
    ------
    NotSignedIn
        When the session has ended or expired.
    """
    with database.asking() as connection:
        found = connection.execute(standing.BY_SESSION, {"login_session_id": login_session_id}).first()
    actor = _actor(found)
    if actor is None:
        raise NotSignedIn("You are signed out; sign in again to go on.")
    return actor


def _actor(found: Any) -> Actor | None:
    """Return who a login session with its person, as read from the database, stands for; None when it has ended."""
    if found is None or found.ended_at is not None:
        return None
    if clock.login_is_over(found, IDLE_LIMIT):
        return None
    return Actor(found.person_id, found.id, found.name, found.is_owner, found.created_at)


def note_seen(database: Database, login_session_id: int) -> None:
    """Write that somebody was here just now, unless that was written within the last minute."""
    with database.writing() as session:
        found = session.get(LoginSession, login_session_id)
        if found is not None and clock.idled_ms(found) > SEEN_RESOLUTION // timedelta(milliseconds=1):
            clock.note_seen(found)
            session.add(found)


def _usable_link(session: Session, token: str, *, lock: bool = False) -> Invitation | None:
    query = select(Invitation).where(Invitation.token_sha256 == _sha256(token))
    # Two clicks at once must not both use the link up.
    found = session.exec(query.with_for_update() if lock else query).first()
    if found is None or found.consumed_at is not None or now() > found.expires_at:
        return None
    return found


def _set_password(session: Session, person_id: int, password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise Conflict(f"The password has {len(password)} characters; choose one with at least {SHORTEST_PASSWORD}.")
    if len(password) > 200:
        raise Conflict("The password has more than 200 characters; choose a shorter one.")
    credential = session.get(Credential, person_id) or Credential(person_id=person_id, password_hash="")
    credential.password_hash = _hasher.hash(password)
    credential.changed_at = now()
    session.add(credential)
    # Whoever signed in with what went before has to sign in anew.
    for earlier in session.exec(
        select(LoginSession).where(LoginSession.person_id == person_id, col(LoginSession.ended_at).is_(None))
    ).all():
        earlier.ended_at = now()
        session.add(earlier)


def _open_login_session(session: Session, person_id: int, *, how: str) -> str:
    token = secrets.token_urlsafe(32)
    opened = LoginSession(token_sha256=_sha256(token), person_id=person_id, expires_at=now() + ABSOLUTE_LIMIT)
    clock.note_seen(opened)
    session.add(opened)
    audit.record(session, "signed in", person_id=person_id, how=how)
    return token


def _person(session: Session, person_id: int) -> Person:
    return session.get_one(Person, person_id)


def actor_for_command_line(database: Database, login: str | None = None) -> Actor:
    """Return the person in whose name the command line acts: the one with this login, or the first owner.

    Whoever can run the command line can read the database file, so no password is asked; what is done is recorded
    under that person.
    """
    with database.reading() as session:
        query = select(Person).order_by(col(Person.id))
        query = query.where(Person.login == login.strip().lower()) if login else query.where(col(Person.is_owner))
        person = session.exec(query).first()
    if person is None:
        raise NotFound(f"Nobody has the login '{login}'." if login else "There is no owner yet; run 'manage.py init'.")
    return Actor(stored_id(person.id), 0, person.name, person.is_owner)


def ensure_owner(database: Database, login: str, name: str) -> None:
    """Add the first owner; an installation that has one is left as it is."""
    with database.writing() as session:
        if session.exec(select(Person.id).where(col(Person.is_owner))).first() is None:
            add_person(session, login, name, is_owner=True)
