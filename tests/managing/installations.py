"""Installations that the command line is pointed at, and what is in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from db import Database
from db.engine import database_from_environment, make_engine
from services.people import identity
from tests.harness import databases
from tests.harness.command_line import invoke

Run = Callable[..., Result]


def do_in(data_dir: Path, *commands: tuple[object, ...]) -> None:
    """Run commands on a data folder, each of which has to succeed, and leave its database closed."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BLINDREAD_DATA_DIR", str(data_dir))
        environment.delenv("DATABASE_URL", raising=False)
        database_from_environment.cache_clear()
        for command in commands:
            done = invoke(*command)
            assert done.exit_code == 0, done.output
        database_from_environment().engine.dispose()
        database_from_environment.cache_clear()
    assert [path.name for path in data_dir.glob("blindread.db*")] == ["blindread.db"]


def logins_and_studies(data_dir: Path) -> tuple[list[str], list[str]]:
    with closing(sqlite3.connect(data_dir / "blindread.db")) as connection:
        logins = [row[0] for row in connection.execute("SELECT login FROM person ORDER BY id")]
        return logins, [row[0] for row in connection.execute("SELECT key FROM study ORDER BY id")]


def link_of(data_dir: Path, printed: str) -> identity.Link | None:
    """Return what a printed link is for."""
    database = Database(make_engine(databases.sqlite_url(data_dir / "blindread.db")), data_dir)
    try:
        return identity.look_at_link(database, printed.strip().removeprefix("/link/"))
    finally:
        database.engine.dispose()


def with_sql(data_dir: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data_dir / "blindread.db")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
