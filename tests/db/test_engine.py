"""The engine: settings that keep verdicts safe, writers that wait for each other, transactions that leave nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, func, select

from db import Candidate, Database, Person, engine, new_public_id
from db.base import stored_id

THREADS = 32


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # FULL
        ("busy_timeout", 5_000),
        ("foreign_keys", 1),
        ("recursive_triggers", 1),
    ],
)
def test_every_connection_to_sqlite_has_the_settings_that_keep_verdicts_safe(
    sqlite_database: Database, pragma: str, value: object
) -> None:
    with sqlite_database.read_only() as first, sqlite_database.read_only() as second:
        values = [session.connection().execute(text(f"PRAGMA {pragma}")).scalar_one() for session in (first, second)]

    assert values == [value, value]


def test_threads_that_read_and_then_write_all_come_through(database: Database) -> None:
    """With a plain BEGIN most of these would fail with "database is locked", whatever the timeout."""
    with database.writing() as session:
        session.add(Person(id=1, login="0", name="counter"))

    def add_one(_: int) -> None:
        with database.writing() as session:
            person = session.exec(select(Person).where(Person.id == 1).with_for_update()).one()
            person.login = str(int(person.login) + 1)
            session.add(person)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(add_one, range(THREADS * 3)))

    with database.read_only() as session:
        assert session.exec(select(Person.login)).one() == str(THREADS * 3)


def test_two_engines_on_one_file_wait_for_each_other(sqlite_url: str, tmp_path: Path) -> None:
    """Two processes share no lock of ours: here only BEGIN IMMEDIATE and the busy timeout help."""
    both = [Database(engine.make_engine(sqlite_url), tmp_path) for _ in range(2)]
    with both[0].writing() as session:
        session.add(Person(id=1, login="0", name="counter"))

    def add_one(number: int) -> None:
        # The engine's own lock is left out on purpose: another process would not hold it either.
        with Session(both[number % 2].engine) as session:
            session.connection(execution_options={"blindread_writing": True})
            person = session.get_one(Person, 1)
            person.login = str(int(person.login) + 1)
            session.add(person)
            session.commit()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add_one, range(40)))

    with both[0].read_only() as session:
        assert session.exec(select(Person.login)).one() == "40"
    for database in both:
        database.engine.dispose()


def test_readers_do_not_wait_for_a_writer_and_see_nothing_of_it(database: Database) -> None:
    with database.writing() as writer:
        writer.add(Person(login="a", name="A"))
        writer.flush()

        with database.read_only() as reader:
            assert reader.exec(select(func.count()).select_from(Person)).one() == 0

    with database.read_only() as reader:
        assert reader.exec(select(func.count()).select_from(Person)).one() == 1


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_a_failed_writing_transaction_leaves_nothing(database: Database, interruption: type[BaseException]) -> None:
    @contextmanager
    def something_that_fails() -> Iterator[None]:
        with database.writing() as session:
            session.add(Person(login="a", name="A"))
            session.flush()
            yield
            raise interruption

    with suppress(interruption), something_that_fails():
        pass

    with database.read_only() as session:
        assert session.exec(select(Person)).all() == []


def test_after_a_failed_transaction_the_next_one_can_write(database: Database) -> None:
    with suppress(ZeroDivisionError), database.writing():
        raise ZeroDivisionError

    with database.writing() as session:
        session.add(Person(login="a", name="A"))

    with database.read_only() as session:
        assert session.exec(select(Person.login)).all() == ["a"]


def test_a_session_that_only_reads_stores_nothing(database: Database) -> None:
    with database.read_only() as session:
        session.add(Person(login="a", name="A"))
        session.flush()

    with database.read_only() as session:
        assert session.exec(select(Person)).all() == []


def test_a_row_that_refers_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add(Candidate(study_id=1, item_id=1, key="k", model="m", answer="a"))


def test_public_identifiers_hold_128_random_bits_and_do_not_repeat() -> None:
    made = {new_public_id() for _ in range(1_000)}

    assert len(made) == 1_000
    assert {len(public_id) for public_id in made} == {22}  # 128 bits in base 64


def test_a_row_that_was_never_stored_has_no_key() -> None:
    with pytest.raises(ValueError, match="not been stored"):
        stored_id(None)


def test_the_environment_says_where_the_database_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert engine.url_from_environment() == f"sqlite:///{tmp_path / 'blindread.db'}"

    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://somewhere/else")

    assert engine.url_from_environment() == "postgresql+psycopg://somewhere/else"
    assert engine.data_dir_from_environment() == tmp_path
