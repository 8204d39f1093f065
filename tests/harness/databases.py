"""Fresh, migrated databases for tests: copies of one that was migrated once per run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Engine, inspect
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.default import DefaultDialect

from db.engine import make_engine
from db.migrate import upgrade

MIGRATED = "migrated.db"


class _Alike(DefaultDialect):
    """A dialect of which any two in a process are equal, and whose engines share what they have compiled."""

    compiled: ClassVar[dict[Any, Any]]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=cls.compiled)


class AlikeSQLite(_Alike, SQLiteDialect_pysqlite):
    supports_statement_cache = True
    compiled: ClassVar[dict[Any, Any]] = {}


class AlikePostgreSQL(_Alike, PGDialect_psycopg):
    supports_statement_cache = True
    compiled: ClassVar[dict[Any, Any]] = {}


def share_compiled_statements() -> None:
    """Let a test's engine use the statements that the engines of earlier tests have compiled.

    SQLAlchemy looks them up in the engine and by its dialect, of which each engine has its own. A server has one engine
    for as long as it runs; with one for each test, a fifth of the time of tests with a database goes into compiling.
    """
    registry.register("sqlite", __name__, AlikeSQLite.__name__)
    registry.register("postgresql.psycopg", __name__, AlikePostgreSQL.__name__)


def migrated_sqlite_file(folder: Path) -> Path:
    """Migrate a new SQLite database and return its file, closed and complete in itself."""
    file = folder / MIGRATED
    migrate(sqlite_url(file))
    leftovers = [path.name for path in folder.glob(f"{MIGRATED}-*")]
    if leftovers:
        raise RuntimeError(f"The migrated database was not closed ({', '.join(leftovers)}): a copy would lose rows.")
    return file


def copy_of_sqlite_file(template: Path, target: Path) -> str:
    """Copy a closed SQLite file and return the copy's URL."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(template, target)
    return sqlite_url(target)


def copying_instead(migrated: Callable[[], Path], run_migrations: Callable[[Engine], None]) -> Callable[[Engine], None]:
    """Return what does the same as `run_migrations`, and makes an empty SQLite file a copy of the migrated one.

    Twenty migrations take as long as a hundred tests. Those in `tests/db` run them, as does every `manage.py init`.
    """

    def brought_up_to_date(engine: Engine) -> None:
        file = engine.url.database
        if engine.dialect.name != "sqlite" or file is None or inspect(engine).get_table_names():
            run_migrations(engine)
            return
        engine.dispose()  # what a connection has read of the file before would be old
        shutil.copyfile(migrated(), file)

    return brought_up_to_date


def sqlite_url(file: Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{file.as_posix()}"


def migrate(url: str) -> None:
    """Bring a database to the newest schema and leave no connection open."""
    engine = make_engine(url)
    try:
        upgrade(engine)
    finally:
        engine.dispose()
