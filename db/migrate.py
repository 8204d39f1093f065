"""Migrating a database to the newest schema, and comparing its schema with the program's, on either database."""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from db.backup import beside
from db.engine import make_engine
from db.schema import Definitions, altered_definitions, definitions
from db.waiting import unhurried

Standing = Literal["empty", "foreign", "older", "current", "newer", "unfinished"]
# A table that exists in a PostgreSQL database during a restore. The restore's last transaction drops it.
UNFINISHED = "restore_unfinished"
SCRIPTS = Path(__file__).parent / "migrations"
_NUMBERS = text("SELECT version_num FROM alembic_version")
# Alembic's context is global to the process.
_one_at_a_time = threading.Lock()


def configuration(engine: Engine) -> Config:
    """Return Alembic's configuration for `engine`; `env.py` takes the engine from its attributes."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine) -> None:
    """Run every migration that the database does not have yet."""
    with unhurried():
        command.upgrade(configuration(engine), "head")


def altered_schema(connection: Connection) -> list[str]:
    """Return one sentence for each part of the schema that differs from what the migrations up to its number make.

    If the number is missing or unknown, the newest schema is used for the comparison.
    """
    number = _number(connection)
    if standing_of_schema(number) not in {"current", "older"}:
        number = newest_schema()
    actual = {label: parts for label, parts in definitions(connection).items() if label != f"table '{UNFINISHED}'"}
    if connection.dialect.name == "postgresql":
        return altered_definitions(actual, stored_definitions(str(number)))
    with _one_at_a_time:
        return altered_definitions(actual, _definitions_as_made(str(number)))


def place_of_definitions(number: str) -> Path:
    """Return the path of the file with a PostgreSQL schema's definitions."""
    return SCRIPTS / "postgresql" / f"{number}.json"


@lru_cache
def stored_definitions(number: str) -> Definitions:
    """Return the definitions of a new PostgreSQL database at a schema number, from the file beside the migrations.

    For SQLite a new database is made for the comparison. Doing the same here would need rights that the program's role
    may not have (to create schemas), and would write to the very database being verified, where anything planted in it
    could interfere. PostgreSQL 12 to 18 print all definitions identically. `tests/db/test_schema.py` compares the files
    with what the migrations make, and writes them.
    """
    stored = json.loads(place_of_definitions(number).read_text(encoding="utf-8"))
    return {label: frozenset(parts) for label, parts in stored.items()}


@lru_cache
def _definitions_as_made(number: str) -> Definitions:
    """Return the definitions of a new SQLite database at a schema number; computed once per process."""
    with TemporaryDirectory(prefix="blindread-schema-") as folder:
        new = make_engine(f"sqlite:///{Path(folder) / 'new.db'}")
        try:
            with unhurried():
                command.upgrade(configuration(new), number)
            with new.connect() as connection:
                return definitions(connection)
        finally:
            new.dispose()


def schema_of(engine: Engine) -> str | None:
    """Return the database's schema number, or None if it has none of our tables."""
    with engine.connect() as connection:
        return _number(connection)


def _number(connection: Connection) -> str | None:
    # As Alembic's own context says, which takes ten times as long to be made.
    has_any = inspect(connection).has_table("alembic_version")
    numbers = connection.execute(_NUMBERS).scalars().all() if has_any else ()
    # We never write two numbers, so two at once count as none.
    return numbers[0] if len(numbers) == 1 else None


def newest_schema() -> str:
    """Return the schema number that this program works with."""
    return _numbers_of_schemas()[0]


def standing_of_schema(revision: str | None) -> Standing:
    """Compare a schema number with the program's, for a database that has tables."""
    if revision is None:
        return "foreign"
    newest, *older = _numbers_of_schemas()
    if revision == newest:
        return "current"
    return "older" if revision in older else "newer"


def standing(engine: Engine) -> Standing:
    """Compare the database's schema with the program's. A database with tables but no version is foreign."""
    if is_unfinished(engine):
        return "unfinished"
    revision = schema_of(engine)
    if revision is None and not inspect(engine).get_table_names():
        return "empty"
    return standing_of_schema(revision)


def is_unfinished(engine: Engine) -> bool:
    """Return whether a restore into this database was started and not completed."""
    if engine.dialect.name == "postgresql":
        return inspect(engine).has_table(UNFINISHED)
    place = Path(str(engine.url.database))
    return beside(place).exists() and not (place.exists() and inspect(engine).get_table_names())


@lru_cache(maxsize=1)
def _numbers_of_schemas() -> tuple[str, ...]:
    """Return all schema numbers that the program knows, newest first. The files are read once."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    numbers = tuple(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())
    if not numbers:
        raise RuntimeError("the program has no migrations")
    return numbers
