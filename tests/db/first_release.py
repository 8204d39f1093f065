"""A database as release 0.1.0 left it: the demo, partly read, and its finished example. Its volumes are not kept."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

from alembic import command
from sqlalchemy import Boolean, Engine, MetaData, text

from db.engine import make_engine
from db.migrate import configuration

DUMP = Path(__file__).with_name("first_release.sql.gz")
# The newest migration that the release had.
SCHEMA = "0002"


def write_first_release(file: Path) -> Path:
    """Write the release's SQLite database to `file`, closed and complete in itself."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file)
    connection.executescript(gzip.decompress(DUMP.read_bytes()).decode("utf-8"))
    connection.close()
    return file


def load_first_release(engine: Engine, scratch: Path) -> None:
    """Bring an empty database, of either kind, to where the release left it."""
    command.upgrade(configuration(engine), SCHEMA)
    schema = MetaData()
    schema.reflect(engine)
    source = make_engine(f"sqlite:///{write_first_release(scratch / 'first_release.db').as_posix()}")
    with source.connect() as rows, engine.begin() as target:
        for table in schema.sorted_tables:
            if table.name == "alembic_version":
                continue
            columns = [column.name for column in table.columns]
            truth = {column.name for column in table.columns if isinstance(column.type, Boolean)}
            named = ", ".join(f'"{name}"' for name in columns)
            values = [
                {name: bool(value) if name in truth else value for name, value in zip(columns, row, strict=True)}
                for row in rows.execute(text(f'SELECT {named} FROM "{table.name}" ORDER BY 1'))
            ]
            if values:
                into = ", ".join(f":{name}" for name in columns)
                target.execute(text(f'INSERT INTO "{table.name}" ({named}) VALUES ({into})'), values)
            if engine.dialect.name == "postgresql" and "id" in columns:
                target.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('\"{table.name}\"', 'id'), "
                        f'coalesce((SELECT max(id) FROM "{table.name}"), 1))'
                    )
                )
    source.dispose()
