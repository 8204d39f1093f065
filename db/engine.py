"""How the database is opened and how transactions run, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlmodel import Session

from db.private import keep_private, make_private_folder
from db.waiting import CANNOT_STORE, DOES_NOT_ANSWER, LONGEST_UNHURRIED, ONE_STEP, Unavailable, left

# 32 threads that write at once wait 2.7 s (p99) for SQLite's own lock and 0.6 s for this one.
_sqlite_writers = threading.RLock()
# What SQLite says when others hold the file, and when the disk is full or may not be written.
_SQLITE_BUSY = ("database is locked", "database table is locked", "database is busy")
_SQLITE_CANNOT_STORE = ("database or disk is full", "readonly database", "disk I/O error", "unable to open database")
DATABASE_FILE = "blindread.db"
_VOLUME_DIR = "volume_dir"  # under which name a session notes its database's store of volumes


@dataclass(frozen=True)
class Database:
    """An open database and the folder beside it that holds the prepared volumes."""

    engine: Engine
    data_dir: Path

    @contextmanager
    def read_only(self) -> Iterator[Session]:
        """Open a session whose transaction only reads."""
        with _pool_in_words(), self._session() as session:
            yield session

    @contextmanager
    def asking(self) -> Iterator[Connection]:
        """Open a connection for one plain question, without all that a session keeps of its rows."""
        with _pool_in_words(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a session in one writing transaction: committed at the end, rolled back by any exception."""
        turn = _turn_to_write() if self.engine.dialect.name == "sqlite" else nullcontext()
        with turn, _pool_in_words(), self._session() as session:
            session.connection(execution_options={"blindread_writing": True})
            yield session
            session.commit()

    def _session(self) -> Session:
        return Session(self.engine, expire_on_commit=False, info={_VOLUME_DIR: self.volume_dir})

    @cached_property
    def volume_dir(self) -> Path:
        """The content-addressed store of prepared volumes; `volume_dir_of` a session says the same."""
        return self.data_dir / "volumes"


def volume_dir_of(session: Session) -> Path:
    """Return the store of prepared volumes of the database that a session is of."""
    folder: Path = session.info[_VOLUME_DIR]
    return folder


@contextmanager
def _turn_to_write() -> Iterator[None]:
    """Let one thread of this process write at a time, and nobody wait for their turn for ever."""
    if not _sqlite_writers.acquire(timeout=min(left(), LONGEST_UNHURRIED)):
        raise Unavailable(DOES_NOT_ANSWER)
    try:
        yield
    finally:
        _sqlite_writers.release()


@contextmanager
def _pool_in_words() -> Iterator[None]:
    try:
        yield
    except PoolExhausted as error:
        raise Unavailable(DOES_NOT_ANSWER) from error


def _of_json(text: str | bytes) -> Any:
    """Return what a JSON column says; most of them, in tables of a hundred thousand rows, say an empty list."""
    if text == "[]":
        return []
    return {} if text == "{}" else json.loads(text)


def make_engine(url: str) -> Engine:
    """Make the engine for a database URL, with the settings that keep verdicts safe."""
    # An error that quotes its parameters would put answers and names into a log or onto a terminal.
    if not url.startswith("sqlite"):
        return _make_postgresql_engine(url)
    engine = create_engine(
        url,
        connect_args={"check_same_thread": False, "timeout": ONE_STEP},
        pool_size=10,
        max_overflow=50,
        pool_timeout=ONE_STEP,
        hide_parameters=True,
        json_deserializer=_of_json,
    )

    @event.listens_for(engine, "connect")
    def _prepare_connection(connection: Any, _record: Any) -> None:
        # pysqlite must not begin transactions by itself; `_begin` below does.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            f"busy_timeout={int(1000 * ONE_STEP)}",
            "foreign_keys=ON",
            # Without it INSERT OR REPLACE deletes the old row past the trigger that refuses deletion.
            "recursive_triggers=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # A deferred BEGIN that reads and then writes fails with "database is locked" whatever the timeout.
        _set_patience(connection)
        if connection.get_execution_options().get("blindread_writing", False):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            # It waits for nobody and cannot fail, and half of all statements would be this one.
            connection.connection.driver_connection.execute("BEGIN")

    return _with_words_for_waiting(engine, _sqlite_cannot_store, _sqlite_is_busy)


def _sqlite_cannot_store(error: BaseException) -> bool:
    return _says(error, _SQLITE_CANNOT_STORE)


def _sqlite_is_busy(error: BaseException) -> bool:
    return _says(error, _SQLITE_BUSY)


def _says(error: BaseException, parts: Iterable[str]) -> bool:
    return type(error).__module__ == "sqlite3" and any(part in str(error) for part in parts)


def _set_patience(connection: Any) -> None:
    """Let SQLite wait for its file as long as this request still may; said again only where it has changed."""
    milliseconds = int(1000 * min(left(), LONGEST_UNHURRIED))
    if connection.info.get("busy_timeout") != milliseconds:
        connection.connection.driver_connection.execute(f"PRAGMA busy_timeout={milliseconds}")
        connection.info["busy_timeout"] = milliseconds


def _make_postgresql_engine(url: str) -> Engine:
    # The driver is loaded only where there is a server: on SQLite every command starts the sooner.
    from db import postgresql

    engine = create_engine(
        url,
        connect_args=postgresql.SETTINGS,
        pool_size=10,
        max_overflow=20,
        pool_timeout=ONE_STEP,
        pool_pre_ping=True,
        hide_parameters=True,
        json_deserializer=_of_json,
    )

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: Any, _record: Any, arguments: Any, named: Any) -> Any:
        return postgresql.connect(*arguments, **named)

    return _with_words_for_waiting(engine, postgresql.cannot_store, postgresql.is_passing)


def _with_words_for_waiting(
    engine: Engine, cannot_store: Callable[[BaseException], bool], is_passing: Callable[[BaseException], bool]
) -> Engine:
    """Let the engine raise `Unavailable` for what may be gone at the next try, wherever it arises."""

    @event.listens_for(engine, "handle_error", retval=True)
    def _in_words(context: ExceptionContext) -> Unavailable | None:
        error = context.original_exception
        if cannot_store(error):
            return Unavailable(CANNOT_STORE)
        if is_passing(error):
            return Unavailable(DOES_NOT_ANSWER)
        return None

    return engine


def data_dir_from_environment() -> Path:
    """Return the folder of database and volumes: `BLINDREAD_DATA_DIR`, or `var` beside the program."""
    return Path(os.environ.get("BLINDREAD_DATA_DIR", "var")).resolve()


def url_from_environment() -> str:
    """Return `DATABASE_URL`, or the SQLite file in the data folder."""
    return os.environ.get("DATABASE_URL") or f"sqlite:///{data_dir_from_environment() / DATABASE_FILE}"


@contextmanager
def only_reading(database: Database) -> Iterator[Database]:
    """Open the same database a second time in such a way that it refuses every change, whatever is asked of it."""
    engine = make_engine(database.engine.url.render_as_string(hide_password=False))
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _refuse_changes(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA query_only=ON")

        reading = engine
    else:
        reading = engine.execution_options(postgresql_readonly=True)
    try:
        yield Database(reading, database.data_dir)
    finally:
        engine.dispose()


@lru_cache(maxsize=1)
def database_from_environment() -> Database:
    """Open, once per process, the database that the environment names."""
    data_dir = data_dir_from_environment()
    make_private_folder(data_dir)
    for path in keep_private(data_dir)[:1]:
        logging.getLogger("blindread").warning(
            "Other users of this machine may read %s: it is not ours to close.", path
        )
    return unmade_database_from_environment()


def unmade_database_from_environment() -> Database:
    """Return the database that the environment names, without making its folder."""
    return Database(make_engine(url_from_environment()), data_dir_from_environment())
