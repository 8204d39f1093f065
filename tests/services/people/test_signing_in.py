"""A try is counted before it is evaluated, in the database; links and open sessions are not barred by it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlmodel import func, select

from db import Database, Person, SignInTry, now
from db.engine import make_engine
from services.errors import NotAllowed, NotSignedIn, Refused, TooManyTries
from services.people import identity, signing_in, tries

PASSWORD = "correct horse battery"
WRONG = "wrong horse battery"
SPELLINGS = ("ada", " ada", "ada ", "ADA", "a\u200bda", "\u00a0ada", "ada\x00", "ａda", "ada\t", "\u3000Ada")


def with_password(database: Database, login: str = "ada") -> str:
    """Add somebody with a password and return the token of the session that this opened."""
    with database.writing() as session:
        identity.add_person(session, login, login.title(), is_owner=True)
    return identity.use_link(database, identity.make_link(database, login, "join"), PASSWORD)


def evaluated(database: Database, login: str, address: str = "", password: str = WRONG) -> bool:
    """Whether a try came as far as the password."""
    try:
        signing_in.sign_in(database, login, password, address=address)
    except TooManyTries:
        return False
    except NotAllowed:
        return True
    return True


def stored_tries(database: Database) -> int:
    with database.read_only() as session:
        return session.exec(select(func.count()).select_from(SignInTry)).one()


def count_only(database: Database, login: str, address: str) -> bool:
    try:
        signing_in.begin_sign_in(database, login, address=address)
    except TooManyTries:
        return False
    return True


# ---- the limit -------------------------------------------------------------------------------------------------------


def test_blanks_case_and_forms_give_no_further_tries(sqlite_database: Database) -> None:
    with_password(sqlite_database)

    passed = sum(count_only(sqlite_database, spelling, f"10.0.{n}.1") for n in range(4) for spelling in SPELLINGS)

    assert passed == tries.TRIES_OF_LOGIN == 10


def test_of_forty_tries_at_once_ten_are_evaluated(database: Database) -> None:
    with_password(database)
    together = threading.Barrier(40)

    def try_once(number: int) -> bool:
        together.wait()
        return count_only(database, SPELLINGS[number % len(SPELLINGS)], f"10.0.0.{number}")

    with ThreadPoolExecutor(40) as pool:
        assert sum(pool.map(try_once, range(40))) == 10


def test_one_address_tries_sixty_times_whatever_the_login(database: Database) -> None:
    passed = sum(count_only(database, f"somebody {number}", "192.0.2.7") for number in range(70))

    assert passed == tries.TRIES_OF_ADDRESS == 60
    assert count_only(database, "somebody else", "192.0.2.8")


def test_a_network_of_ipv6_is_one_address(sqlite_database: Database) -> None:
    passed = sum(count_only(sqlite_database, f"s{n}", f"2001:db8:1:2::{n:x}") for n in range(1, 70))

    assert passed == 60
    assert count_only(sqlite_database, "s", "2001:db8:1:3::1")


def test_the_right_password_does_not_help_whoever_has_tried_too_often(sqlite_database: Database) -> None:
    with_password(sqlite_database)
    for _ in range(10):
        assert count_only(sqlite_database, "ada", "")

    with pytest.raises(TooManyTries, match="wait ten minutes"):
        signing_in.sign_in(sqlite_database, "ada", PASSWORD)


def test_the_count_holds_over_a_restart_and_in_another_process(sqlite_database: Database) -> None:
    for _ in range(10):
        count_only(sqlite_database, "ada", "")
    other = Database(make_engine(str(sqlite_database.engine.url)), sqlite_database.data_dir)

    assert not count_only(other, "ada", "")
    other.engine.dispose()


def test_a_success_gives_its_own_try_back_and_no_other(sqlite_database: Database) -> None:
    with_password(sqlite_database)
    assert evaluated(sqlite_database, "ada", "192.0.2.7")
    before = stored_tries(sqlite_database)

    for _ in range(3):
        signing_in.sign_in(sqlite_database, "ada", PASSWORD, address="192.0.2.7")

    assert stored_tries(sqlite_database) == before == 2


def test_tries_are_forgotten_after_ten_minutes_and_do_not_outlive_a_clock_set_back(sqlite_database: Database) -> None:
    for shift in (-tries.WITHIN, tries.WITHIN):
        for _ in range(10):
            count_only(sqlite_database, "ada", "")
        with sqlite_database.writing() as session:
            for attempt in session.exec(select(SignInTry)).all():
                attempt.at = now() + shift + (timedelta(seconds=-1) if shift < timedelta() else timedelta(minutes=1))
                session.add(attempt)

        assert count_only(sqlite_database, "ada", "")
        assert stored_tries(sqlite_database) == 1


def test_a_login_that_nobody_has_is_counted_like_any_other(sqlite_database: Database) -> None:
    passed = sum(count_only(sqlite_database, "nobody", "") for _ in range(15))

    assert passed == 10


# ---- who is not barred -----------------------------------------------------------------------------------------------


def test_strangers_bar_neither_links_nor_open_sessions(sqlite_database: Database) -> None:
    token = with_password(sqlite_database)
    while count_only(sqlite_database, "ada", ""):
        pass

    assert identity.actor_of_token(sqlite_database, token) is not None
    link = identity.make_link(sqlite_database, "ada", "sign_in")
    assert identity.use_link(sqlite_database, link, None)


def test_strangers_do_not_bar_a_browser_in_which_the_person_was_signed_in(sqlite_database: Database) -> None:
    token = with_password(sqlite_database)
    with_password(sqlite_database, "eve")
    eves = signing_in.sign_in(sqlite_database, "eve", PASSWORD)
    while count_only(sqlite_database, "ada", ""):
        pass

    attempt = signing_in.begin_sign_in(sqlite_database, "ada", browser=token)

    assert signing_in.finish_sign_in(sqlite_database, attempt, PASSWORD)
    for of_another in (eves, "made up", ""):
        with pytest.raises(TooManyTries):
            signing_in.begin_sign_in(sqlite_database, "ada", browser=of_another)


def test_a_known_browser_has_ten_tries_of_its_own(sqlite_database: Database) -> None:
    token = with_password(sqlite_database)

    for _ in range(10):
        signing_in.begin_sign_in(sqlite_database, "ada", browser=token)

    with pytest.raises(TooManyTries):
        signing_in.begin_sign_in(sqlite_database, "ada", browser=token)


def test_a_try_that_was_not_evaluated_is_given_back(sqlite_database: Database) -> None:
    attempt = signing_in.begin_sign_in(sqlite_database, "ada", address="192.0.2.7")

    signing_in.abandon_sign_in(sqlite_database, attempt)

    assert stored_tries(sqlite_database) == 0


# ---- locked, and changed meanwhile -----------------------------------------------------------------------------------


def test_a_locked_account_opens_by_no_way(sqlite_database: Database) -> None:
    token = with_password(sqlite_database)
    link = identity.make_link(sqlite_database, "ada", "sign_in")
    actor = identity.actor_of_token(sqlite_database, token)
    assert actor is not None
    with sqlite_database.writing() as session:
        person = session.exec(select(Person)).one()
        person.locked_at = now()
        session.add(person)

    assert identity.actor_of_token(sqlite_database, token) is None
    with pytest.raises(NotSignedIn):
        identity.actor_of_session(sqlite_database, actor.login_session_id)
    assert identity.look_at_link(sqlite_database, link) is None
    with pytest.raises(Refused):
        identity.use_link(sqlite_database, link, None)
    with pytest.raises(NotAllowed, match="is locked"):
        signing_in.sign_in(sqlite_database, "ada", PASSWORD)
    with pytest.raises(NotAllowed, match="Wrong login or password"):
        signing_in.sign_in(sqlite_database, "ada", WRONG)


def test_a_password_that_was_changed_meanwhile_opens_nothing(sqlite_database: Database) -> None:
    with_password(sqlite_database)
    attempt = signing_in.begin_sign_in(sqlite_database, "ada")
    identity.use_link(sqlite_database, identity.make_link(sqlite_database, "ada", "join"), "four quiet lamps")

    with pytest.raises(NotAllowed):
        signing_in.finish_sign_in(sqlite_database, attempt, PASSWORD)


def test_nothing_is_hashed_inside_a_writing_transaction(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Argon2 computes, somebody else writes; they could not if the transaction were open."""
    wrote: list[bool] = []

    def write() -> None:
        with sqlite_database.writing() as session:
            session.add(SignInTry(subject_sha256="x" * 64))

    def beside(name: str) -> None:
        plain = getattr(Argon2Hasher, name)

        def hashing(self: Argon2Hasher, *given: object, **named: object) -> object:
            other = threading.Thread(target=write, daemon=True)
            other.start()
            other.join(timeout=5)
            wrote.append(not other.is_alive())
            return plain(self, *given, **named)

        monkeypatch.setattr(Argon2Hasher, name, hashing)

    beside("hash")
    beside("verify")

    with_password(sqlite_database)
    signing_in.sign_in(sqlite_database, "ada", PASSWORD)

    assert wrote == [True, True]
