"""Prepare, and keep safe, an installation: migrate, back up, remember the head of the audit chain."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import inspect

from db import Database, audit
from db.backup import back_up
from db.migrate import upgrade
from services import sealing
from services.errors import Conflict


def prepare(database: Database) -> None:
    """Bring the database to the newest schema and make the folder of the volumes."""
    upgrade(database.engine)
    sealing.seal_earlier_rows(database)
    database.volume_dir.mkdir(parents=True, exist_ok=True)


def require_prepared(database: Database) -> None:
    """Refuse to work on a database without our tables."""
    if not inspect(database.engine).has_table("study"):
        raise Conflict("There is no Blindread database yet; run 'manage.py init' first.")


def back_up_installation(database: Database, folder: Path) -> list[Path]:
    """Write a consistent copy of the database, the volumes, and the head of the audit chain into a new folder.

    The head reveals, when it is compared later, whether the end of the chain was cut off; keep it elsewhere too.
    """
    if folder.exists():
        raise Conflict(f"{folder.name} exists already; name a new folder for the backup.")
    sqlite = database.engine.dialect.name == "sqlite"
    copy = folder / ("blindread.db" if sqlite else "blindread.dump")
    # Read before the copy is made: the copy then holds this head, also when people go on writing.
    with database.reading() as session:
        chain_head = audit.head(session)
    back_up(database, copy)
    volumes = folder / "volumes"
    if database.volume_dir.is_dir():
        shutil.copytree(database.volume_dir, volumes, ignore=shutil.ignore_patterns(".incoming-*"))
    else:
        volumes.mkdir()
    head = folder / "audit-head.txt"
    head.write_text(chain_head + "\n", encoding="utf-8")
    return [copy, volumes, head]
