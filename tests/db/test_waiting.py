"""Nobody waits for a database for ever: not for its lock, not for its connection, not for its answer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Person, Unavailable
from db.engine import make_engine
from db.waiting import unhurried, within
from tests.harness import databases, postgresql
from tests.harness.faulty import held_by_another_program

WRITERS = 12
PATIENCE = 60.0  # of the test: with thirty seconds for each in turn, the last would wait six minutes


def add_person(database: Database, login: str) -> str:
    """Add a person within a second and say how it went."""
    try:
        with within(1.0), database.writing() as session:
            session.add(Person(login=login, name="N"))
    except Unavailable as refusal:
        return str(refusal)
    return "added"


def test_writers_do_not_wait_in_turn_for_a_file_that_another_program_holds(
    sqlite_database: Database, data_dir: Path
) -> None:
    logins = [f"person-{number}" for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        with held_by_another_program(data_dir / "blindread.db"):
            during = list(pool.map(lambda login: add_person(sqlite_database, login), logins, timeout=PATIENCE))
        # One after the other: each of them has a second only.
        after = [add_person(sqlite_database, login) for login in logins]

    assert {text.split(";")[0] for text in during} == {"The database does not answer at the moment"}
    assert set(after) == {"added"}


def test_what_is_begun_at_the_command_line_is_not_hurried(sqlite_database: Database, data_dir: Path) -> None:
    def add() -> str:
        with unhurried(), sqlite_database.writing() as session:
            session.add(Person(login="patient", name="N"))
        return "added"

    with ThreadPoolExecutor(1) as pool:
        with held_by_another_program(data_dir / "blindread.db"):
            waiting = pool.submit(add)
            assert add_person(sqlite_database, "hurried").startswith("The database does not answer")

        assert waiting.result(timeout=PATIENCE) == "added"


def test_readers_read_while_another_program_holds_the_file(sqlite_database: Database, data_dir: Path) -> None:
    with held_by_another_program(data_dir / "blindread.db"), sqlite_database.read_only() as session:
        assert session.exec(select(Person)).all() == []


def test_a_disk_that_is_full_is_said_in_words(sqlite_database: Database) -> None:
    with sqlite_database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")

    with pytest.raises(Unavailable, match="cannot store anything"), sqlite_database.writing() as session:
        session.add_all([Person(login=f"{number}" * 50, name="N" * 100) for number in range(2_000)])


@pytest.fixture
def hanging() -> Iterator[tuple[Database, postgresql.PostgresServer]]:
    """A PostgreSQL server of this test's own, with a database that has been used."""
    programs = postgresql.find_postgresql()
    assert programs is not None
    server = postgresql.PostgresServer(programs)
    url = server.url(server.create_database())
    databases.migrate(url)
    database = Database(make_engine(url), Path("unused"))
    assert add_person(database, "first") == "added"
    try:
        yield database, server
    finally:
        server.resume()
        database.engine.dispose()
        server.stop()


@pytest.mark.postgresql
def test_a_postgresql_that_hangs_keeps_nobody_and_goes_on_by_itself(
    hanging: tuple[Database, postgresql.PostgresServer],
) -> None:
    database, server = hanging

    with ThreadPoolExecutor(WRITERS) as pool:
        server.pause()
        logins = [f"person-{number}" for number in range(WRITERS)]
        during = list(pool.map(lambda login: add_person(database, login), logins, timeout=PATIENCE))
        server.resume()

    assert {text.split(";")[0] for text in during} == {"The database does not answer at the moment"}
    assert add_person(database, "afterwards") == "added"


@pytest.mark.postgresql
def test_what_was_committed_before_the_server_hung_is_there_and_half_a_transaction_is_not(
    hanging: tuple[Database, postgresql.PostgresServer],
) -> None:
    database, server = hanging

    with pytest.raises(Unavailable), within(1.0), database.writing() as session:
        session.add(Person(login="half", name="N"))
        session.flush()
        server.pause()
    server.resume()

    with database.read_only() as session:
        logins = set(session.exec(select(Person.login)).all())
    # The commit was sent, and nobody heard of it: it is there whole or not at all.
    assert logins in ({"first"}, {"first", "half"})


@pytest.mark.postgresql
def test_a_lock_that_another_transaction_holds_is_waited_for_no_longer_than_the_limit(postgres_url: str) -> None:
    both = [Database(make_engine(postgres_url), Path("unused")) for _ in range(2)]
    assert add_person(both[0], "first") == "added"
    query = select(Person).with_for_update()

    with both[0].writing() as holder:
        holder.exec(query).one()
        with pytest.raises(Unavailable, match="does not answer"), both[1].writing() as waiter:
            waiter.exec(query).one()

    with both[1].writing() as session:
        assert session.exec(query).one().login == "first"
    for database in both:
        database.engine.dispose()
