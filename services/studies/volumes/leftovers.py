"""Prepared volumes that nothing refers to: what a killed import left behind."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import col, select

from db import Database, Lease, Overlay, Volume, now
from db.asking import ask
from services.errors import Conflict
from services.installation import leases

OLDER_THAN_SECONDS = 24 * 3600
# Renewed every few volumes, each of which takes seconds.
IMPORT_LEASE = timedelta(hours=1)
CLEAN_LEASE = timedelta(minutes=15)
_IMPORT, _CLEAN = "import ", "clean"


@dataclass(frozen=True)
class Leftover:
    """A file in the store that no row refers to."""

    path: Path
    size: int
    hours: int


class ImportLease:
    """The lease of a running import, whose files no row refers to yet."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = secrets.token_hex(16)

    def renew(self) -> None:
        """Record that the import is still running."""
        leases.take(self._database, _IMPORT + self._holder, self._holder, IMPORT_LEASE)

    def give_back(self) -> None:
        """Record that the import is over."""
        leases.give_back(self._database, _IMPORT + self._holder, self._holder)


@contextmanager
def importing(database: Database) -> Iterator[ImportLease]:
    """Protect the files of this import from `manage.py clean` for the duration of the block.

    Raises
    ------
    Conflict
        Files are being removed right now.
    """
    lease = ImportLease(database)
    # Each side stores its own lease before it looks for the other's, so that at least one of them sees the other.
    lease.renew()
    try:
        if _live(database, _CLEAN):
            raise Conflict("Left-over files are being removed right now; import again in a minute.")
        yield lease
    finally:
        lease.give_back()


def list_leftovers(database: Database) -> list[Leftover]:
    """Return files in the store that no row refers to and that are older than a day, half-written ones included."""
    with database.read_only() as session:
        named = {*session.exec(select(Volume.sha256)).all(), *session.exec(select(Overlay.sha256)).all()}
    leftovers = []
    for path in sorted(database.volume_dir.glob("*/*")):
        state = path.stat()
        age = time.time() - state.st_mtime
        if path.is_file() and path.name.split(".")[0] not in named and age > OLDER_THAN_SECONDS:
            leftovers.append(Leftover(path, state.st_size, int(age // 3600)))
    return leftovers


def remove_leftovers(database: Database) -> list[Leftover]:
    """Remove files that nothing refers to, and return them.

    Raises
    ------
    Conflict
        An import is running: no row refers yet to the files that it prepared or found prepared.
    """
    holder = secrets.token_hex(16)
    if not leases.take(database, _CLEAN, holder, CLEAN_LEASE):
        raise Conflict("Left-over files are being removed by another 'manage.py clean'; wait for it.")
    try:
        if until := _live(database, _IMPORT):
            raise Conflict(
                f"An import is running, or was killed and counts as running until {until}; try again when it is over."
            )
        leftovers = list_leftovers(database)
        for leftover in leftovers:
            leftover.path.unlink(missing_ok=True)
        for folder in {leftover.path.parent for leftover in leftovers}:
            if not any(folder.iterdir()):
                folder.rmdir()
        return leftovers
    finally:
        leases.give_back(database, _CLEAN, holder)


def _live(database: Database, beginning: str) -> str:
    """Return the time until which a lease of this kind holds, in UTC; empty if there is none."""
    with database.read_only() as session:
        ends = ask(session, _LIVE, beginning=beginning, moment=now()).scalars().all()
    return f"{max(ends):%Y-%m-%d %H:%M} UTC" if ends else ""


_LIVE: Any = select(Lease.expires_at).where(
    col(Lease.name).startswith(bindparam("beginning")), col(Lease.expires_at) > bindparam("moment")
)
