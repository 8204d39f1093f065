"""Whether stored files are still the ones that were prepared: checked before each is sent, and for a whole study."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Database, Overlay, Volume
from db.asking import ask
from services.errors import Conflict
from services.studies.volumes import volume_store

# About 1 MB; a file that drops out of the cache is simply hashed again.
REMEMBERED = 4096
# File times tick every few milliseconds: a file changed just now could change again and keep the same times.
SETTLED_NS = 100_000_000
CHUNK = 2**20
MISSING = "missing"
DAMAGED = "damaged"

# Called with the number of bytes that were read.
Pace = Callable[[int], None]
FileIdentity = tuple[int, int, int, int, int]


class NotIntact(Conflict):
    """A stored file is missing, or is not what was prepared; `state` says which."""

    def __init__(self, sha256: str, state: str) -> None:
        words = "is missing on the server" if state == MISSING else "on the server is not the one that was prepared"
        super().__init__(f"The scan {words}; report it and continue.")
        self.sha256 = sha256
        self.state = state


class _Remembered:
    """The SHA-256 of files that were read, by an identity that any change to the file would alter."""

    def __init__(self) -> None:
        self._known: OrderedDict[FileIdentity, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, identity: FileIdentity) -> str | None:
        with self._lock:
            if identity in self._known:
                self._known.move_to_end(identity)
            return self._known.get(identity)

    def keep(self, identity: FileIdentity, sha256: str) -> None:
        with self._lock:
            self._known[identity] = sha256
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


_remembered = _Remembered()


def read_intact(path: Path) -> bytes:
    """Return the content of a file of the volume store, compared with the SHA-256 that names it.

    A file is hashed when it is first read, and again after its size, times or position on the disk have changed.

    Raises
    ------
    NotIntact
        The file is missing, or has other content.
    """
    sha256 = volume_store.sha256_of(path)
    try:
        with volume_store.open_stored(path) as file:
            before = _identity(file.fileno())
            content = file.read()
            after = _identity(file.fileno())
    except OSError:
        raise NotIntact(sha256, MISSING) from None
    digest = _remembered.get(before) if before == after else None
    if digest is None:
        digest = hashlib.sha256(content).hexdigest()
        if before == after and time.time_ns() - after[4] > SETTLED_NS:
            _remembered.keep(after, digest)
    if digest != sha256:
        raise NotIntact(sha256, DAMAGED)
    return content


def _identity(descriptor: int) -> FileIdentity:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@dataclass(frozen=True)
class StoredFile:
    """What the database says about a prepared file: its volume or overlay, and the hashes of its bytes."""

    kind: str
    key: str
    sha256: str
    unpacked_sha256: str | None


def files_of(session: Session, study_id: int) -> list[StoredFile]:
    """Return a study's prepared files, always in the same order."""
    return [StoredFile(kind, *row) for kind, query in _FILES.items() for row in ask(session, query, study_id=study_id)]


_FILES: dict[str, Any] = {
    kind: select(table.key, table.sha256, table.unpacked_sha256)
    .where(table.study_id == bindparam("study_id"))
    .order_by(col(table.id))
    for kind, table in (("volume", Volume), ("overlay", Overlay))
}


def problem_of(database: Database, file: StoredFile, pace: Pace | None = None) -> str | None:
    """Read a whole file and return what is wrong with it in one sentence; None if nothing is."""
    content = _read_slowly(volume_store.path_of(database, file.sha256), pace)
    if content is None or hashlib.sha256(content).hexdigest() != file.sha256:
        return f"The prepared file of {file.kind} '{file.key}' is missing or damaged."
    if file.unpacked_sha256 not in {None, _unpacked_sha256(content)}:
        return f"The hash of the unpacked file of {file.kind} '{file.key}' was changed; browsers refuse to show it."
    return None


def problems_of_files(database: Database, session: Session, study_id: int) -> Iterator[str]:
    """Yield one sentence for each prepared file of a study that has changed."""
    for file in files_of(session, study_id):
        problem = problem_of(database, file)
        if problem is not None:
            yield problem


def lacks_unpacked_hashes(database: Database) -> bool:
    """Return whether any file was prepared before hashes of the unpacked content existed."""
    with database.read_only() as session:
        return any(
            session.exec(select(table.id).where(col(table.unpacked_sha256).is_(None)).limit(1)).first() is not None
            for table in (Volume, Overlay)
        )


def fill_unpacked_hashes(
    database: Database, progress: Callable[[int, int, str], None] | None = None, pace: Pace | None = None
) -> list[str]:
    """Compute the hash of the unpacked content for all files that were prepared without one.

    Returns
    -------
    list of str
        One sentence for each file that still has none because it is missing or damaged.
    """
    with database.read_only() as session:
        waiting = {
            sha256: f"{table.__tablename__} '{key}'"
            for table in (Overlay, Volume)
            for sha256, key in session.exec(
                select(table.sha256, table.key).where(col(table.unpacked_sha256).is_(None)).order_by(col(table.id))
            )
        }
    problems = []
    for done, (sha256, name) in enumerate(waiting.items()):
        if progress is not None:
            progress(done, len(waiting), f"Hashing unpacked scan {done + 1} of {len(waiting)}")
        content = _read_slowly(volume_store.path_of(database, sha256), pace)
        if content is None or hashlib.sha256(content).hexdigest() != sha256:
            problems.append(f"The prepared file of {name} is missing or damaged; put it back from a backup.")
            continue
        _store_unpacked_hash(database, sha256, _unpacked_sha256(content))
    if progress is not None and waiting:
        progress(len(waiting), len(waiting), "Unpacked scans are hashed")
    return problems


def _store_unpacked_hash(database: Database, sha256: str, unpacked_sha256: str) -> None:
    with database.writing() as session:
        for table in (Volume, Overlay):
            for row in session.exec(select(table).where(table.sha256 == sha256, col(table.unpacked_sha256).is_(None))):
                row.unpacked_sha256 = unpacked_sha256
                session.add(row)


def _unpacked_sha256(content: bytes) -> str:
    """Return the SHA-256 of the content of a gzip file, without unpacking all of it at once."""
    digest = hashlib.sha256()
    unpacking = zlib.decompressobj(wbits=31)
    for start in range(0, len(content), CHUNK):
        digest.update(unpacking.decompress(content[start : start + CHUNK]))
    digest.update(unpacking.flush())
    return digest.hexdigest()


def _read_slowly(path: Path, pace: Pace | None) -> bytes | None:
    """Return a file's content, or None if it does not exist; `pace` is called for each part and may wait."""
    parts = []
    try:
        with volume_store.open_stored(path) as file:
            while part := file.read(CHUNK):
                parts.append(part)
                if pace is not None:
                    pace(len(part))
    except OSError:
        return None
    return b"".join(parts)
