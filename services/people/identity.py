"""Who somebody is: links, passwords and login sessions. Of tokens, the database holds only hashes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Credential, Database, Invitation, LoginSession, Person, audit, now, standing
from db.base import stored_id
from services.errors import Conflict, NotAllowed, NotFound, NotSignedIn
from services.people import clock
from services.people.logins import canonical_login
from services.people.passwords import hash_password, require_good_password

IDLE_LIMIT = timedelta(hours=8)
ABSOLUTE_LIMIT = timedelta(hours=72)
LINK_LIFETIME = timedelta(days=14)
# Recorded at most this often, so that not every click causes a write.
SEEN_RESOLUTION = timedelta(minutes=1)
LOCKED = "This account is locked; ask an owner of this installation to unlock it."


@dataclass(frozen=True)
class Actor:
    """Somebody who is signed in, read from the database for the current request."""

    person_id: int
    login_session_id: int
    name: str
    is_owner: bool
    # None on the command line, which has no login session.
    signed_in_at: datetime | None = None


@dataclass(frozen=True)
class Link:
    """The purpose and person of an unused link."""

    purpose: str
    name: str
    login: str


def token_hash(token: str) -> str:
    """Return the hash by which the database knows a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def add_person(session: Session, login: str, name: str, *, is_owner: bool = False) -> Person:
    """Return the person with this login, adding them if there is none yet.

    Raises
    ------
    Conflict
        The login is new and contains a blank. Existing logins with a blank are kept.
    """
    login = canonical_login(login)
    person = person_with(session, login)
    if person is not None:
        return person
    if " " in login:
        raise Conflict(f"The login '{login}' has a blank in it; write it as one word, such as an e-mail address.")
    # Two transactions that add the same people in different orders would deadlock. After the wait, somebody else may
    # have added the person already.
    audit.hold(session)
    person = person_with(session, login)
    if person is None:
        person = Person(login=login, name=name.strip() or login, is_owner=is_owner)
        session.add(person)
        session.flush()
        audit.record(session, "person added", person_id=person.id)
    return person


def person_with(session: Session, login: str) -> Person | None:
    """Return the person with a login, however it is spelt or capitalised."""
    person: Person | None = session.exec(_PERSON_WITH, params={"login": canonical_login(login)}).first()
    return person


_PERSON_WITH: Any = select(Person).where(Person.login == bindparam("login"))


def issue_link(
    session: Session, person: Person, purpose: str, *, by: int | None = None, study_id: int | None = None
) -> str:
    """Create a single-use link token for a person and end their earlier links. The token itself is not stored.

    Anybody with the link can act as its person. The audit trail therefore names who issued it, and if the person has
    signed in before, a link that somebody else made for them is marked: they are notified, and the report counts it. A
    link without `by` is the installation's own, as for the demo; making one takes access to the database itself.
    """
    if person.locked_at is not None:
        raise NotAllowed(f"The account of '{person.login}' is locked; an owner has to unlock it first.")
    person_id = stored_id(person.id)
    end_open_links(session, person_id)
    token = secrets.token_urlsafe(24)
    for_known = by is not None and not person.is_demo and has_signed_in(session, person_id)
    session.add(
        Invitation(
            token_sha256=token_hash(token),
            purpose=purpose,
            person_id=person_id,
            expires_at=now() + LINK_LIFETIME,
            issued_by_id=by,
            study_id=study_id,
            for_known=for_known,
        )
    )
    audit.record(
        session,
        f"{purpose} link issued",
        person_id=by,
        study_id=study_id,
        member=person_id,
        **({"for_known": True} if for_known else {}),
    )
    return token


def has_signed_in(session: Session, person_id: int) -> bool:
    """Return whether somebody has ever signed in. From then on, a link opens an account that is in use."""
    return session.exec(_SIGNED_IN, params={"person_id": person_id}).first() is not None


_SIGNED_IN: Any = select(LoginSession.id).where(LoginSession.person_id == bindparam("person_id"))


def open_links(session: Session, person_id: int) -> Sequence[Invitation]:
    """Return a person's links that are neither used nor ended, including expired ones."""
    links: Sequence[Invitation] = session.exec(_OPEN_LINKS, params={"person_id": person_id}).all()
    return links


_OPEN_LINKS: Any = select(Invitation).where(
    Invitation.person_id == bindparam("person_id"),
    col(Invitation.consumed_at).is_(None),
    col(Invitation.ended_at).is_(None),
)


def end_open_links(session: Session, person_id: int) -> None:
    """End every unused link of a person."""
    for invitation in open_links(session, person_id):
        invitation.ended_at = now()
        session.add(invitation)


def end_issued_links(session: Session, issuer_id: int, study_id: int | None = None) -> None:
    """End the unused links that somebody issued, in one study or all: people who lose a right must not keep a key."""
    query = select(Invitation).where(
        Invitation.issued_by_id == issuer_id,
        col(Invitation.consumed_at).is_(None),
        col(Invitation.ended_at).is_(None),
    )
    if study_id is not None:
        query = query.where(Invitation.study_id == study_id)
    for link in session.exec(query).all():
        link.ended_at = now()
        session.add(link)


def end_login_sessions(session: Session, person_id: int) -> int:
    """Sign a person out everywhere and return how many sessions were ended."""
    opened = session.exec(
        select(LoginSession).where(LoginSession.person_id == person_id, col(LoginSession.ended_at).is_(None))
    ).all()
    for login_session in opened:
        login_session.ended_at = now()
        session.add(login_session)
    return len(opened)


def make_link(database: Database, login: str, purpose: str, *, by: Actor | None = None) -> str:
    """Return a new single-use token for a login: `join` links set a password, `sign_in` links only sign in."""
    with database.writing() as session:
        person = person_with(session, login)
        if person is None:
            raise NotAllowed(f"There is no account with the login '{login}'; invite them first.")
        return issue_link(session, person, purpose, by=None if by is None else by.person_id)


def look_at_link(database: Database, token: str) -> Link | None:
    """Return what an unused link is for, without consuming it; None if it cannot be used."""
    with database.read_only() as session:
        invitation = _usable_link(session, token)
        if invitation is None:
            return None
        person = _person(session, invitation.person_id)
        return Link(invitation.purpose, person.name, person.login)


def use_link(database: Database, token: str, password: str | None) -> str:
    """Consume a link and sign its person in. A `join` link sets the password and ends all other links.

    Returns
    -------
    str
        The token of the new login session.
    """
    password_hash = _hash_for_link(database, token, password or "")
    with database.writing() as session:
        invitation = _usable_link(session, token, lock=True)
        if invitation is None:
            raise NotAllowed("This link has already been used or has expired; ask for a new one.")
        if invitation.purpose == "join":
            _set_password(session, invitation.person_id, password_hash)
        # The same moment in both rows later shows which login session a link opened.
        moment = now()
        invitation.consumed_at = moment
        session.add(invitation)
        return open_login_session(session, invitation.person_id, how=f"{invitation.purpose} link", moment=moment)


def _hash_for_link(database: Database, token: str, password: str) -> str:
    """Return the hash of the password that a `join` link sets, computed before the transaction that stores it."""
    with database.read_only() as session:
        invitation = _usable_link(session, token)
        if invitation is None or invitation.purpose != "join":
            return ""
        person = _person(session, invitation.person_id)
    require_good_password(password, person.login, person.name)
    return hash_password(password)


def sign_out(database: Database, login_session_id: int) -> None:
    """End a login session. Sockets that are still open lose their identity with it."""
    with database.writing() as session:
        login_session = session.get(LoginSession, login_session_id)
        if login_session is not None and login_session.ended_at is None:
            login_session.ended_at = now()
            session.add(login_session)
            audit.record(session, "signed out", person_id=login_session.person_id)


def actor_of_token(database: Database, token: str | None) -> Actor | None:
    """Return the person who holds a login-session token, or None."""
    if not token:
        return None
    with database.asking() as connection:
        return _actor(connection.execute(standing.BY_TOKEN, {"token_sha256": token_hash(token)}).first())


def actor_of_session(database: Database, login_session_id: int) -> Actor:
    """Return the person to whom a login session belongs, re-read from the database.

    Raises
    ------
    NotSignedIn
        The session has ended or expired.
    """
    with database.asking() as connection:
        row = connection.execute(standing.BY_SESSION, {"login_session_id": login_session_id}).first()
    actor = _actor(row)
    if actor is None:
        raise NotSignedIn("You are signed out; sign in again to continue.")
    return actor


def _actor(row: Any) -> Actor | None:
    """Return the actor of a login session's row; None if the session is over or the person is locked."""
    if row is None or row.ended_at is not None:
        return None
    if clock.login_is_over(row, IDLE_LIMIT):
        return None
    if row.locked_at is not None:
        return None
    return Actor(row.person_id, row.id, row.name, row.is_owner, row.created_at)


def note_seen(database: Database, login_session_id: int) -> None:
    """Record that somebody was seen just now, unless that was recorded within the last minute."""
    with database.writing() as session:
        login_session = session.get(LoginSession, login_session_id)
        if login_session is not None and clock.idled_ms(login_session) > SEEN_RESOLUTION // timedelta(milliseconds=1):
            clock.note_seen(login_session)
            session.add(login_session)


def _usable_link(session: Session, token: str, *, lock: bool = False) -> Invitation | None:
    # Two simultaneous clicks must not both consume the link.
    query = _LINK_TO_USE if lock else _LINK
    link: Invitation | None = session.exec(query, params={"token_sha256": token_hash(token)}).first()
    if link is None or link.consumed_at is not None or link.ended_at is not None or now() > link.expires_at:
        return None
    return None if _person(session, link.person_id).locked_at is not None else link


_LINK: Any = select(Invitation).where(Invitation.token_sha256 == bindparam("token_sha256"))
_LINK_TO_USE: Any = _LINK.with_for_update()


def _set_password(session: Session, person_id: int, password_hash: str) -> None:
    credential = session.get(Credential, person_id) or Credential(person_id=person_id, password_hash="")
    credential.password_hash = password_hash
    credential.changed_at = now()
    session.add(credential)
    end_open_links(session, person_id)
    # Sessions that were opened with the old password or a link have to sign in again.
    end_login_sessions(session, person_id)


def open_login_session(session: Session, person_id: int, *, how: str, moment: datetime) -> str:
    """Sign somebody in within the caller's transaction, and return the token for their browser."""
    token = secrets.token_urlsafe(32)
    opened = LoginSession(
        token_sha256=token_hash(token), person_id=person_id, created_at=moment, expires_at=moment + ABSOLUTE_LIMIT
    )
    clock.note_seen(opened)
    session.add(opened)
    audit.record(session, "signed in", person_id=person_id, how=how)
    return token


def _person(session: Session, person_id: int) -> Person:
    return session.get_one(Person, person_id)


def actor_for_command_line(database: Database, login: str | None = None) -> Actor:
    """Return the person on whose behalf the command line acts: the one with this login, or the first real owner.

    Running the command line implies access to the database, so no password is required; what is done is recorded under
    that person.
    """
    with database.read_only() as session:
        person = person_with(session, login) if login else _first_owner(session)
    if person is None:
        raise NotFound(
            f"There is no account with the login '{login}'."
            if login
            else "There is no owner yet; create one with 'manage.py owner LOGIN --name NAME'."
        )
    if person.locked_at is not None:
        raise NotAllowed(LOCKED)
    return Actor(stored_id(person.id), 0, person.name, person.is_owner)


def _first_owner(session: Session) -> Person | None:
    """Return the owner for whom the command line acts by default; the demo's admin if there is nobody else."""
    owners = select(Person).where(col(Person.is_owner), col(Person.locked_at).is_(None))
    return session.exec(owners.order_by(col(Person.is_demo), col(Person.id))).first()


def login_to_act_as(database: Database, actor: Actor) -> str:
    """Return the login that a command has to name to act as somebody, or an empty string if it does so by default."""
    with database.read_only() as session:
        first = _first_owner(session)
        return "" if first is not None and first.id == actor.person_id else _person(session, actor.person_id).login


def login_of(database: Database, actor: Actor) -> str:
    """Return the login with which somebody signs in."""
    with database.read_only() as session:
        return _person(session, actor.person_id).login


def ensure_owner(database: Database, login: str, name: str) -> None:
    """Add the first owner. If the installation has one, nothing changes."""
    with database.writing() as session:
        if session.exec(select(Person.id).where(col(Person.is_owner))).first() is None:
            add_person(session, login, name, is_owner=True)
