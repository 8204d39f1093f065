"""Owners who act at the same moment: somebody stays who can sign in, and nobody is added twice."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from db import AuditEvent, Database, Person
from services.errors import Conflict
from services.people import accounts
from tests.situations import at_once, signed_in


def test_two_owners_who_lock_each_other_leave_somebody(database: Database) -> None:
    for number in range(8):
        pair = (f"a{number}", f"b{number}")
        with database.writing() as session:
            for person in session.exec(select(Person)):
                person.is_owner = False
                session.add(person)
        for login in pair:
            accounts.add_owner(database, login, login)
        first, second = (signed_in(database, login) for login in pair)

        at_once(
            lambda first=first, pair=pair: accounts.lock(database, first, pair[1]),
            lambda second=second, pair=pair: accounts.lock(database, second, pair[0]),
        )

        with database.read_only() as session:
            can_sign_in = select(Person.login).where(col(Person.is_owner), col(Person.locked_at).is_(None))
            assert len(session.exec(can_sign_in).all()) == 1


@pytest.mark.parametrize(
    ("login", "name", "expected"),
    [("ada l", "Ada", "The login 'ada l' has a blank in it"), ("ada", " ", "The name is empty")],
)
def test_an_owner_has_a_name_and_a_login_without_blanks(
    sqlite_database: Database, login: str, name: str, expected: str
) -> None:
    with pytest.raises(Conflict, match=expected):
        accounts.add_owner(sqlite_database, login, name)


def test_four_who_lock_somebody_lock_them_once(database: Database) -> None:
    accounts.add_owner(database, "ada", "Ada")
    accounts.add_owner(database, "bea", "Bea")
    ada = signed_in(database, "ada")

    outcome = at_once(*[lambda: accounts.lock(database, ada, "bea")] * 4)

    assert sum(isinstance(result, Conflict) for result in outcome) == 3
    with database.read_only() as session:
        assert len(session.exec(select(AuditEvent).where(AuditEvent.action == "locked")).all()) == 1


def test_an_owner_who_is_added_six_times_at_once_is_one_person(database: Database) -> None:
    outcome = at_once(*[lambda: accounts.add_owner(database, "ada", "Ada")] * 6)

    assert all(isinstance(result, str) for result in outcome)
    with database.read_only() as session:
        assert session.exec(select(Person.login)).all() == ["ada"]
