"""Copies of a database that are whole although people go on writing to it."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    url = database.engine.url
    if database.engine.dialect.name == "sqlite":
        # VACUUM runs outside any transaction, so it goes through the raw connection.
        connection = database.engine.raw_connection()
        try:
            connection.driver_connection.execute("VACUUM INTO ?", (str(target),))  # type: ignore[union-attr]
        finally:
            connection.close()
        return
    program = shutil.which("pg_dump")
    if program is None:
        raise FileNotFoundError("pg_dump is not on this machine; install PostgreSQL's client programs.")
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    # Everybody on the machine can list a program's arguments, so the password travels in its environment.
    environment = {**os.environ, "PGPASSWORD": str(url.password)} if url.password else None
    subprocess.run(
        [program, "--format=custom", f"--file={target}", plain.render_as_string()], env=environment, check=True
    )
