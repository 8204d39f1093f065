"""How the database is opened and how transactions run, on SQLite and on PostgreSQL."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlmodel import Session

from db.private import keep_private, make_private_folder

# 32 threads that write at once wait 2.7 s (p99) for SQLite's own lock and 0.6 s for this one.
_sqlite_writers = threading.RLock()


DATABASE_FILE = "blindread.db"


@dataclass(frozen=True)
class Database:
    """An open database and the folder beside it that holds the prepared volumes."""

    engine: Engine
    data_dir: Path

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session whose transaction only reads."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a session in one writing transaction: committed at the end, rolled back by any exception."""
        lock = _sqlite_writers if self.engine.dialect.name == "sqlite" else _NO_LOCK
        with lock, Session(self.engine, expire_on_commit=False) as session:
            session.connection(execution_options={"blindread_writing": True})
            yield session
            session.commit()

    @property
    def volume_dir(self) -> Path:
        """The content-addressed store of prepared volumes."""
        return self.data_dir / "volumes"


class _NoLock:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


_NO_LOCK = _NoLock()


def make_engine(url: str) -> Engine:
    """Make the engine for a database URL, with the settings that keep verdicts safe."""
    # An error that quotes its parameters would put answers and names into a log or onto a terminal.
    if not url.startswith("sqlite"):
        return create_engine(url, pool_size=10, max_overflow=20, pool_pre_ping=True, hide_parameters=True)
    engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": 30}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _prepare_connection(connection: Any, _record: Any) -> None:
        # pysqlite must not begin transactions by itself; `_begin` below does.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "busy_timeout=30000",
            "foreign_keys=ON",
            # Without it INSERT OR REPLACE deletes the old row past the trigger that refuses deletion.
            "recursive_triggers=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # A deferred BEGIN that reads and then writes fails with "database is locked" whatever the timeout.
        writing = connection.get_execution_options().get("blindread_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def data_dir_from_environment() -> Path:
    """Return the folder of database and volumes: `BLINDREAD_DATA_DIR`, or `var` beside the program."""
    return Path(os.environ.get("BLINDREAD_DATA_DIR", "var")).resolve()


def url_from_environment() -> str:
    """Return `DATABASE_URL`, or the SQLite file in the data folder."""
    return os.environ.get("DATABASE_URL") or f"sqlite:///{data_dir_from_environment() / DATABASE_FILE}"


@lru_cache(maxsize=1)
def database_from_environment() -> Database:
    """Open, once per process, the database that the environment names."""
    data_dir = data_dir_from_environment()
    make_private_folder(data_dir)
    for path in keep_private(data_dir)[:1]:
        logging.getLogger("blindread").warning(
            "Other users of this machine may read %s: it is not ours to close.", path
        )
    return Database(make_engine(url_from_environment()), data_dir)
