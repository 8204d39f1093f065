"""Limiting password attempts: each is counted in the database before the password is looked at.

If they were counted afterwards, forty simultaneous attempts would all be evaluated; if they were counted in memory,
each process and each restart would begin at zero. Only password attempts are blocked. Links and open login sessions
continue to work.
"""

from __future__ import annotations

import hashlib
import ipaddress
from datetime import timedelta

from sqlalchemy import func, text
from sqlmodel import Session, col, delete, or_, select

from db import Database, SignInTry, now
from services.errors import TooManyTries

TRIES_OF_LOGIN = 10
TRIES_OF_ADDRESS = 60
WITHIN = timedelta(minutes=10)


def count_try(database: Database, login: str, address: str, browser: str = "") -> tuple[int, ...]:
    """Count an attempt before it is evaluated, and return the keys by which the count can be undone.

    Parameters
    ----------
    login
        In canonical form.
    address
        The address that the attempt comes from; empty on the command line. An IPv6 network (/64) counts as one address,
        because anybody with one of its addresses has them all.
    browser
        Identifies a browser in which this person was signed in before, so that strangers who try their login elsewhere
        cannot lock them out of it; empty for any other browser.

    Raises
    ------
    TooManyTries
        The login or the address has used up its attempts for now. Such an attempt is not counted.
    """
    allowed = {_subject("browser", browser) if browser else _subject("login", login): TRIES_OF_LOGIN}
    if address:
        allowed[_subject("address", _network_of(address))] = TRIES_OF_ADDRESS
    with database.writing() as session:
        _let_in_one_by_one(session, sorted(allowed))
        _forget_old_tries(session)
        for subject, most in allowed.items():
            if _count(session, subject) >= most:
                raise TooManyTries("Too many attempts; wait ten minutes, or ask for a sign-in link.")
        tries = [SignInTry(subject_sha256=subject) for subject in allowed]
        session.add_all(tries)
        session.flush()
        return tuple(attempt.id for attempt in tries if attempt.id is not None)


def give_back(session: Session, tries: tuple[int, ...]) -> None:
    """Remove an attempt from the count, because it succeeded or was never evaluated."""
    session.exec(delete(SignInTry).where(col(SignInTry.id).in_(tries)))


def _subject(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind}\0{name}".encode()).hexdigest()


def _network_of(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def _let_in_one_by_one(session: Session, subjects: list[str]) -> None:
    """Prevent other counts between our counting and our adding; SQLite has only one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for subject in subjects:
        key = int.from_bytes(bytes.fromhex(subject[:16]), "big", signed=True)
        session.connection().execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _forget_old_tries(session: Session) -> None:
    """Delete attempts that no longer count, including those in the future if the clock was set back."""
    moment = now()
    old = or_(col(SignInTry.at) < moment - WITHIN, col(SignInTry.at) > moment + WITHIN)
    session.exec(delete(SignInTry).where(old))


def _count(session: Session, subject: str) -> int:
    return session.exec(select(func.count()).select_from(SignInTry).where(SignInTry.subject_sha256 == subject)).one()
