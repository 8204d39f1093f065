"""Copies of a database that are whole although people go on writing to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL

from db.engine import Database


def back_up(database: Database, target: Path) -> None:
    """Write a consistent copy of the database to `target`, which must not exist.

    SQLite uses `VACUUM INTO`: copying the file of a database in WAL mode loses what is still in the log.
    PostgreSQL uses `pg_dump` in its custom format.
    """
    if target.exists():
        raise FileExistsError(f"{target.name} exists already; name a new file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if database.engine.dialect.name == "sqlite":
        # VACUUM runs outside any transaction, so it goes through the raw connection.
        connection = database.engine.raw_connection()
        try:
            connection.driver_connection.execute("VACUUM INTO ?", (str(target),))  # type: ignore[union-attr]
        finally:
            connection.close()
        return
    _run(database, "pg_dump", "--format=custom", f"--file={target}")


def restore(database: Database, copy: Path) -> None:
    """Bring a copy that `back_up` made into a database without tables.

    Raises
    ------
    DamagedCopy
        The copy is no whole database.
    """
    if database.engine.dialect.name != "sqlite":
        _run(database, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", copy)
        return
    target = Path(str(database.engine.url.database))
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as source:
        try:
            found = source.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.DatabaseError as error:
            raise DamagedCopy(f"{copy} is damaged ({error}); use another backup.") from error
        if found != [("ok",)]:
            raise DamagedCopy(f"{copy} is damaged ({found[0][0]}); use another backup.")
        if not source.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
            raise DamagedCopy(f"{copy} holds no database of Blindread; use another backup.")
        database.engine.dispose()
        target.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(target)) as empty:
            source.backup(empty)


class DamagedCopy(Exception):
    """What lies in a backup is no whole database."""


def _run(database: Database, name: str, *arguments: str | Path) -> None:
    """Run one of PostgreSQL's own programs on the database."""
    program = shutil.which(name)
    if program is None:
        raise FileNotFoundError(f"{name} is not on this machine; install PostgreSQL's client programs.")
    url = database.engine.url
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    # Everybody on the machine can list a program's arguments, so the password travels in its environment.
    environment = {**os.environ, "PGPASSWORD": str(url.password)} if url.password else None
    done = subprocess.run(
        [program, *arguments, f"--dbname={plain.render_as_string()}"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise DamagedCopy(
            f"{name} failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no reason'}"
        )
