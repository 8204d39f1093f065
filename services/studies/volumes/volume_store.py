"""The content-addressed store of prepared volumes: a file's name is the SHA-256 of its bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, select

from db import Database, Overlay, Volume, audit
from db.asking import ask
from db.engine import volume_dir_of

_ENDING = ".nii.gz"
# The prefix of files that are not complete yet; backups leave them out.
INCOMING = ".incoming-"


def path_of(database: Database, sha256: str) -> Path:
    """Return the path of the file with this SHA-256."""
    return _path(database.volume_dir, sha256)


def path_in(session: Session, sha256: str) -> Path:
    """Return the same path for a caller that only has a database session."""
    return _path(volume_dir_of(session), sha256)


def _path(folder: Path, sha256: str) -> Path:
    return folder / sha256[:2] / f"{sha256}{_ENDING}"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 that names a file of the store."""
    return path.name.removesuffix(_ENDING)


def keep(database: Database, content: bytes, sha256: str) -> bool:
    """Store the bytes, completely or not at all; bytes that are already stored are left alone.

    Returns
    -------
    bool
        Whether the file is new.
    """
    target = path_of(database, sha256)
    if target.exists():
        # Renewed so that the removal of old unreferenced files does not take this one.
        os.utime(target)
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=INCOMING)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True


def remove(database: Database, sha256: str) -> None:
    """Remove a file, and its folder if that is then empty."""
    path = path_of(database, sha256)
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def remove_unused(database: Database, files: Iterable[str]) -> None:
    """Remove those of the files that no study refers to at this moment."""
    names = list(files)
    if not names:
        return
    with database.writing() as session:
        audit.hold(session)
        for sha256 in names:
            if not any(ask(session, query, sha256=sha256).first() for query in _IN_USE):
                remove(database, sha256)


_IN_USE: tuple[Any, ...] = tuple(
    select(table.id).where(table.sha256 == bindparam("sha256")) for table in (Volume, Overlay)
)


def open_stored(path: Path) -> BufferedReader:
    """Open a file of the store for reading, without blocking if there is a pipe in its place.

    Raises
    ------
    OSError
        There is nothing there, or it is not a regular file.
    """
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a file", str(path))
    return file


def is_intact(database: Database, sha256: str) -> bool:
    """Return whether the stored file exists and still has the SHA-256 that names it."""
    try:
        with open_stored(path_of(database, sha256)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False
