"""Fixtures of databases, both kinds, fresh for each test; and what is done once in a run instead of in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Engine

from db.engine import Database, make_engine
from services.people import passwords
from services.record import maintenance
from services.studies.volumes import preparing
from tests.harness import databases, ending, postgresql, prepared
from tests.harness.provide import missing

BOTH_KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql))
SHIPPED_HASHER = passwords._hasher


def pytest_configure() -> None:
    """Let the engines of this process share what they have compiled."""
    databases.share_compiled_statements()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Iterator[object]:
    """Do some things once for all tests of this process.

    Not by fixtures that every test uses: pytest sets those up, or sees that they are, for each of sixteen thousand.
    """
    with pytest.MonkeyPatch.context() as own:
        _hash_passwords_quickly(own)
        _prepare_volumes_once(own)
        # The installations of this process begin with a copy of the migrated file.
        own.setattr(maintenance, "upgrade", databases.copying_instead(_migrated_once, maintenance.upgrade))
        return (yield)


def _hash_passwords_quickly(own: pytest.MonkeyPatch) -> None:
    """Hash the passwords of this process by the same function in far less time; servers keep the full one."""
    own.setattr(passwords, "_hasher", PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),)))


def _prepare_volumes_once(own: pytest.MonkeyPatch) -> None:
    """Prepare each small volume once in this process, whichever study it is imported with."""
    for name in ("prepare_volume", "prepare_overlay"):
        own.setattr(preparing, name, prepared.remembering(getattr(preparing, name)))


@pytest.fixture
def hashes_as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords at the cost that installations pay."""
    monkeypatch.setattr(passwords, "_hasher", SHIPPED_HASHER)


def _migrated_once() -> Path:
    return ending.made_once("migrated", databases.migrated_sqlite_file) / databases.MIGRATED


@pytest.fixture(scope="session")
def migrated_sqlite() -> Path:
    """A closed SQLite file with the newest schema and no rows, one for the run: to be copied and never opened."""
    return _migrated_once()


@pytest.fixture(scope="session")
def postgres_server() -> postgresql.PostgresDatabases:
    """A throw-away PostgreSQL server, one for the run, with which it ends."""
    programs = postgresql.find_postgresql()
    if programs is None:
        missing(postgresql.MISSING)
        raise AssertionError
    return postgresql.databases_of_the_run(programs)


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: postgresql.PostgresDatabases) -> str:
    """The name of a PostgreSQL database with the newest schema and no rows, to be copied and never opened."""
    with ending.one_at_a_time("migrated-postgresql") as file:
        if not file.exists():
            name = postgres_server.create_database()
            databases.migrate(postgres_server.url(name))
            file.write_text(name)
        return file.read_text()


@pytest.fixture
def empty_postgres_url(postgres_server: postgresql.PostgresDatabases) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database without any table (for tests of the migrations)."""
    name = postgres_server.create_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that does not exist yet (for tests of the migrations)."""
    return databases.sqlite_url(tmp_path / "empty.db")


@pytest.fixture(params=BOTH_KINDS)
def empty_database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a fresh database without any table, once SQLite and once PostgreSQL."""
    return str(request.getfixturevalue(f"empty_{'postgres' if request.param == 'postgresql' else 'sqlite'}_url"))


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, data_dir: Path) -> str:
    """The URL of a fresh, migrated SQLite file of this test's own."""
    return databases.copy_of_sqlite_file(migrated_sqlite, data_dir / "blindread.db")


@pytest.fixture
def postgres_url(postgres_server: postgresql.PostgresDatabases, migrated_postgres: str) -> Iterator[str]:
    """The URL of a fresh, migrated PostgreSQL database of this test's own."""
    name = postgres_server.create_database(template=migrated_postgres)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture(params=BOTH_KINDS)
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a fresh, migrated database: the test runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue("postgres_url" if request.param == "postgresql" else "sqlite_url"))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data folder of this test's own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a fresh, migrated database, once SQLite and once PostgreSQL."""
    made = make_engine(database_url)
    yield made
    made.dispose()


@pytest.fixture
def database(engine: Engine, data_dir: Path) -> Database:
    """A fresh, migrated database with its data folder, once SQLite and once PostgreSQL."""
    return Database(engine, data_dir)


@pytest.fixture
def sqlite_database(sqlite_url: str, data_dir: Path) -> Iterator[Database]:
    """A fresh, migrated SQLite database with its data folder, for tests in which the engine makes no difference."""
    made = make_engine(sqlite_url)
    yield Database(made, data_dir)
    made.dispose()
