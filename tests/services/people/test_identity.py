"""Links are used once, passwords are checked, login sessions end; the database holds hashes of tokens only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

import db
from db import Credential, Database, Invitation, LoginSession, Person, now
from services.errors import Conflict, NotAllowed, NotFound, NotSignedIn
from services.people import clock, identity
from services.people.signing_in import sign_in

PASSWORD = "correct horse battery"


def with_owner(database: Database) -> Database:
    identity.ensure_owner(database, "Ada@Example.org", "Ada")
    return database


def with_password(database: Database) -> str:
    """Let the owner choose a password and return the token of the login session that this opened."""
    token = identity.make_link(with_owner(database), "ada@example.org", "join")
    return identity.use_link(database, token, PASSWORD)


def change_session(database: Database, change: Callable[[LoginSession], Any]) -> None:
    with database.writing() as session:
        login_session = session.exec(select(LoginSession)).one()
        change(login_session)
        session.add(login_session)


def everything_stored(database: Database) -> str:
    with database.engine.connect() as connection:
        tables = [connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in db.Base.metadata.tables]
    return str([tuple(row) for rows in tables for row in rows])


# ---- links -----------------------------------------------------------------------------------------------------------


def test_a_link_signs_its_person_in(database: Database) -> None:
    link = identity.make_link(with_owner(database), "ADA@example.org ", "sign_in")

    actor = identity.actor_of_token(database, identity.use_link(database, link, None))

    assert actor is not None
    assert (actor.name, actor.is_owner) == ("Ada", True)


def test_a_link_is_used_once(database: Database) -> None:
    link = identity.make_link(with_owner(database), "ada@example.org", "sign_in")
    identity.use_link(database, link, None)

    with pytest.raises(NotAllowed, match="already been used or has expired"):
        identity.use_link(database, link, None)


def test_of_many_uses_at_once_one_counts(database: Database) -> None:
    link = identity.make_link(with_owner(database), "ada@example.org", "sign_in")

    def use(_: int) -> bool:
        try:
            identity.use_link(database, link, None)
        except NotAllowed:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(use, range(8))) == 1
    with database.read_only() as session:
        assert len(session.exec(select(LoginSession)).all()) == 1


def test_looking_at_a_link_does_not_use_it_up(sqlite_database: Database) -> None:
    link = identity.make_link(with_owner(sqlite_database), "ada@example.org", "join")

    looks = [identity.look_at_link(sqlite_database, link) for _ in range(3)]

    assert looks == [identity.Link("join", "Ada", "ada@example.org")] * 3
    assert identity.use_link(sqlite_database, link, PASSWORD)
    assert identity.look_at_link(sqlite_database, link) is None


@pytest.mark.parametrize("made_up", ["", "no such link", "x" * 5_000, "\x00", "ä"])
def test_a_link_that_was_never_made_opens_nothing(database: Database, made_up: str) -> None:
    with_owner(database)

    assert identity.look_at_link(database, made_up) is None
    with pytest.raises(NotAllowed):
        identity.use_link(database, made_up, None)


def test_an_expired_link_opens_nothing(sqlite_database: Database) -> None:
    link = identity.make_link(with_owner(sqlite_database), "ada@example.org", "sign_in")
    with sqlite_database.writing() as session:
        invitation = session.exec(select(Invitation)).one()
        assert invitation.expires_at - invitation.created_at > timedelta(days=13)
        invitation.expires_at = now() - timedelta(seconds=1)
        session.add(invitation)

    assert identity.look_at_link(sqlite_database, link) is None
    with pytest.raises(NotAllowed, match="has expired"):
        identity.use_link(sqlite_database, link, None)


def test_nobody_gets_a_link_for_a_login_that_is_not_known(sqlite_database: Database) -> None:
    with pytest.raises(NotAllowed, match="There is no account with the login 'eve'"):
        identity.make_link(with_owner(sqlite_database), "eve", "sign_in")


# ---- passwords -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("password", "expected"),
    [(None, "has 0 characters"), ("short", "has 5 characters; choose one with at least 10"), ("x" * 201, "more than")],
)
def test_a_password_against_the_rules_is_refused_and_the_link_stays_usable(
    sqlite_database: Database, password: str | None, expected: str
) -> None:
    link = identity.make_link(with_owner(sqlite_database), "ada@example.org", "join")

    with pytest.raises(Conflict, match=expected):
        identity.use_link(sqlite_database, link, password)

    assert identity.use_link(sqlite_database, link, PASSWORD)


def test_a_password_signs_in_and_a_wrong_one_does_not(database: Database) -> None:
    with_password(database)

    token = sign_in(database, " ADA@example.org", PASSWORD)

    actor = identity.actor_of_token(database, token)
    assert actor is not None
    assert actor.name == "Ada"
    for wrong in ("", PASSWORD + "\x00"):
        with pytest.raises(NotAllowed, match="Wrong login or password"):
            sign_in(database, "ada@example.org", wrong)


def test_an_unknown_login_gets_the_same_answer_as_a_wrong_password(database: Database) -> None:
    with_password(database)

    for login in ("nobody", "ada@example.org\x00x"):
        with pytest.raises(NotAllowed, match="Wrong login or password"):
            sign_in(database, login, PASSWORD)


def test_somebody_without_a_password_cannot_sign_in_with_one(sqlite_database: Database) -> None:
    with_owner(sqlite_database)

    with pytest.raises(NotAllowed):
        sign_in(sqlite_database, "ada@example.org", "")


def test_a_sign_in_link_leaves_the_password_as_it_is(sqlite_database: Database) -> None:
    with_password(sqlite_database)
    link = identity.make_link(sqlite_database, "ada@example.org", "sign_in")

    identity.use_link(sqlite_database, link, "another password")

    assert sign_in(sqlite_database, "ada@example.org", PASSWORD)


def test_a_second_join_link_replaces_the_password(sqlite_database: Database) -> None:
    with_password(sqlite_database)
    link = identity.make_link(sqlite_database, "ada@example.org", "join")

    identity.use_link(sqlite_database, link, "another password")

    assert sign_in(sqlite_database, "ada@example.org", "another password")
    with pytest.raises(NotAllowed):
        sign_in(sqlite_database, "ada@example.org", PASSWORD)


def test_passwords_and_tokens_are_stored_as_hashes_only(sqlite_database: Database) -> None:
    link = identity.make_link(with_owner(sqlite_database), "ada@example.org", "join")
    token = identity.use_link(sqlite_database, link, PASSWORD)

    stored = everything_stored(sqlite_database)

    assert not any(secret in stored for secret in (link, token, PASSWORD))
    with sqlite_database.read_only() as session:
        assert session.exec(select(Credential.password_hash)).one().startswith("$argon2id$")
        assert session.exec(select(Invitation.token_sha256)).one() == hashlib.sha256(link.encode()).hexdigest()
        assert session.exec(select(LoginSession.token_sha256)).one() == hashlib.sha256(token.encode()).hexdigest()


# ---- login sessions --------------------------------------------------------------------------------------------------


def test_a_session_ends_with_signing_out(database: Database) -> None:
    token = with_password(database)
    actor = identity.actor_of_token(database, token)
    assert actor is not None
    assert identity.actor_of_session(database, actor.login_session_id) == actor

    identity.sign_out(database, actor.login_session_id)

    assert identity.actor_of_token(database, token) is None
    with pytest.raises(NotSignedIn, match="sign in again"):
        identity.actor_of_session(database, actor.login_session_id)


def test_signing_out_twice_or_of_nothing_changes_nothing(sqlite_database: Database) -> None:
    actor = identity.actor_of_token(sqlite_database, with_password(sqlite_database))
    assert actor is not None
    identity.sign_out(sqlite_database, actor.login_session_id)
    with sqlite_database.read_only() as session:
        ended = session.exec(select(LoginSession.ended_at)).one()

    identity.sign_out(sqlite_database, actor.login_session_id)
    identity.sign_out(sqlite_database, 4_711)

    with sqlite_database.read_only() as session:
        assert session.exec(select(LoginSession.ended_at)).one() == ended


def test_signing_out_in_one_browser_leaves_the_other_signed_in(sqlite_database: Database) -> None:
    first, second = with_password(sqlite_database), sign_in(sqlite_database, "ada@example.org", PASSWORD)
    actor = identity.actor_of_token(sqlite_database, first)
    assert actor is not None

    identity.sign_out(sqlite_database, actor.login_session_id)

    assert identity.actor_of_token(sqlite_database, second) is not None


@pytest.mark.parametrize(
    ("idle", "age", "is_signed_in"),
    [
        (timedelta(hours=7, minutes=59), timedelta(hours=8), True),
        (timedelta(hours=8, minutes=1), timedelta(hours=9), False),
        (timedelta(minutes=1), timedelta(hours=71, minutes=59), True),
        (timedelta(minutes=1), timedelta(hours=72, minutes=1), False),
    ],
)
def test_a_session_expires_when_idle_and_at_last(
    sqlite_database: Database, idle: timedelta, age: timedelta, is_signed_in: bool
) -> None:
    token = with_password(sqlite_database)

    def grow_older(session: LoginSession) -> None:
        lifetime = session.expires_at - session.created_at
        session.created_at = now() - age
        session.expires_at = session.created_at + lifetime
        session.last_seen_at = now() - idle
        here = clock.read_clocks().monotonic_ms
        session.monotonic_ms = here - age // timedelta(milliseconds=1)
        session.seen_monotonic_ms = here - idle // timedelta(milliseconds=1)

    change_session(sqlite_database, grow_older)

    assert (identity.actor_of_token(sqlite_database, token) is not None) is is_signed_in


def test_being_active_keeps_a_session_from_being_idle_but_not_from_its_end(sqlite_database: Database) -> None:
    token = with_password(sqlite_database)
    seven_hours_ago = clock.read_clocks().monotonic_ms - 7 * 3_600_000
    change_session(sqlite_database, lambda session: setattr(session, "last_seen_at", now() - timedelta(hours=7)))
    change_session(sqlite_database, lambda session: setattr(session, "seen_monotonic_ms", seven_hours_ago))
    with sqlite_database.read_only() as session:
        end = session.exec(select(LoginSession.expires_at)).one()

    actor = identity.actor_of_token(sqlite_database, token)
    assert actor is not None
    identity.note_seen(sqlite_database, actor.login_session_id)

    with sqlite_database.read_only() as session:
        stored = session.exec(select(LoginSession)).one()
    assert now() - stored.last_seen_at < timedelta(minutes=1)
    assert stored.expires_at == end


@pytest.mark.parametrize("token", [None, "", "made up", "\x00"])
def test_a_token_that_was_never_issued_is_nobody(database: Database, token: str | None) -> None:
    with_password(database)

    assert identity.actor_of_token(database, token) is None


def test_the_owner_is_added_once(sqlite_database: Database) -> None:
    with_owner(sqlite_database)

    identity.ensure_owner(sqlite_database, "eve", "Eve")

    with sqlite_database.read_only() as session:
        assert session.exec(select(Person.login)).all() == ["ada@example.org"]


def test_the_command_line_acts_as_the_first_owner_or_as_the_login_it_is_told(sqlite_database: Database) -> None:
    with pytest.raises(NotFound, match="no owner yet"):
        identity.actor_for_command_line(sqlite_database)
    with_owner(sqlite_database)

    assert identity.actor_for_command_line(sqlite_database).name == "Ada"
    assert identity.actor_for_command_line(sqlite_database, "ADA@example.org").name == "Ada"
    with pytest.raises(NotFound, match="There is no account with the login 'eve'"):
        identity.actor_for_command_line(sqlite_database, "eve")


def test_a_new_password_ends_the_login_sessions_before_it(database: Database) -> None:
    identity.ensure_owner(database, "ada", "Ada")
    earlier = identity.use_link(database, identity.make_link(database, "ada", "sign_in"), None)

    identity.use_link(database, identity.make_link(database, "ada", "join"), "a new long password")

    assert identity.actor_of_token(database, earlier) is None
