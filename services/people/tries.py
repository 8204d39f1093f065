"""How often somebody may try a password: counted in the database before the password is looked at.

Counted afterwards, forty tries at once would all be evaluated; counted in memory, every process and every restart would
start over. What is barred is trying passwords. Links and login sessions that are open go on.
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
    """Note a try before it is evaluated, and return the keys under which it can be given back.

    Parameters
    ----------
    login
        In its canonical form.
    address
        Where the try comes from; empty at the command line. A network of IPv6 (/64) is one address, because whoever has
        one address of it has them all.
    browser
        What tells a browser in which this person was signed in before, so that strangers who try their login elsewhere
        do not bar them from it; empty for any other.

    Raises
    ------
    TooManyTries
        The login, or the address, has had its tries for now. Such a try is not counted.
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
    """Take a try out of the count: it was right, or it was never evaluated."""
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
    """Let nobody count between our counting and our adding; SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for subject in subjects:
        key = int.from_bytes(bytes.fromhex(subject[:16]), "big", signed=True)
        session.connection().execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _forget_old_tries(session: Session) -> None:
    """Delete tries that count no more; also those of a future from which the clock was set back."""
    moment = now()
    old = or_(col(SignInTry.at) < moment - WITHIN, col(SignInTry.at) > moment + WITHIN)
    session.exec(delete(SignInTry).where(old))


def _count(session: Session, subject: str) -> int:
    return session.exec(select(func.count()).select_from(SignInTry).where(SignInTry.subject_sha256 == subject)).one()
