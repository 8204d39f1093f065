"""Signing in by password in separate steps (count, hash, open a session), so that a server can queue the hashing."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, select

from db import Credential, Database, LoginSession, Person, now
from services.errors import NotAllowed
from services.people import tries
from services.people.identity import LOCKED, open_login_session, person_with, token_hash
from services.people.logins import canonical_login
from services.people.passwords import verify_password

_WRONG = "Wrong login or password; check both, or ask the study's admin for a new link."


@dataclass(frozen=True)
class Attempt:
    """A password attempt that has been counted and not yet evaluated."""

    login: str
    tries: tuple[int, ...]
    # None if nobody has the login, or its person has no password.
    person_id: int | None
    password_hash: str | None


def begin_sign_in(database: Database, login: str, *, address: str = "", browser: str | None = None) -> Attempt:
    """Count a password attempt before evaluating any of it.

    Parameters
    ----------
    address
        The address that the attempt comes from.
    browser
        The token of the browser's last login session. If it was the same person's, the attempt is counted separately.

    Raises
    ------
    TooManyTries
        The login or the address has used up its attempts for now.
    """
    login = canonical_login(login)
    with database.read_only() as session:
        person = person_with(session, login)
        known = browser if person and _was_opened_for(session, person, browser) else ""
        credential = session.get(Credential, person.id) if person else None
    return Attempt(
        login,
        tries.count_try(database, login, address, known or ""),
        person.id if person else None,
        credential.password_hash if credential else None,
    )


def finish_sign_in(database: Database, attempt: Attempt, password: str) -> str:
    """Check the password of a counted attempt, and return the token of a new login session."""
    if not verify_password(password, attempt.password_hash) or attempt.person_id is None:
        raise NotAllowed(_WRONG)
    with database.writing() as session:
        credential = session.get(Credential, attempt.person_id)
        if credential is None or credential.password_hash != attempt.password_hash:
            raise NotAllowed(_WRONG)
        tries.give_back(session, attempt.tries)
        if session.get_one(Person, attempt.person_id).locked_at is None:
            return open_login_session(session, attempt.person_id, how="password", moment=now())
    raise NotAllowed(LOCKED)


def abandon_sign_in(database: Database, attempt: Attempt) -> None:
    """Cancel an attempt that the server had no time to evaluate, so that it does not count."""
    with database.writing() as session:
        tries.give_back(session, attempt.tries)


def sign_in(database: Database, login: str, password: str, *, address: str = "") -> str:
    """Check a password and return the token of a new login session."""
    return finish_sign_in(database, begin_sign_in(database, login, address=address), password)


def _was_opened_for(session: Session, person: Person, token: str | None) -> bool:
    """Return whether a token is or was that of one of this person's login sessions."""
    if not token:
        return False
    query = select(LoginSession.id).where(
        LoginSession.token_sha256 == token_hash(token), LoginSession.person_id == person.id
    )
    return session.exec(query).first() is not None
