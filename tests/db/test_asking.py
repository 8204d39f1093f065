"""Questions whose answers are values: of the transaction of their session, and of what it has still to write."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlmodel import select

from db import Database, Person
from db.asking import ask

NAMES = select(Person.login, Person.name).where(Person.login == bindparam("login"))


def test_what_was_added_to_the_session_is_part_of_the_answer(sqlite_database: Database) -> None:
    with sqlite_database.writing() as session:
        session.add(Person(login="ada", name="Ada"))

        assert ask(session, NAMES, login="ada").all() == [("ada", "Ada")]


def test_others_are_answered_once_it_is_committed(sqlite_database: Database) -> None:
    with sqlite_database.writing() as session, sqlite_database.read_only() as other:
        session.add(Person(login="ada", name="Ada"))
        ask(session, NAMES, login="ada")

        assert ask(other, NAMES, login="ada").all() == []
