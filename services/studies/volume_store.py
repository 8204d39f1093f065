"""The content-addressed store of prepared volumes: a file's name is the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sqlmodel import select

from db import Database, Overlay, Volume, audit

_ENDING = ".nii.gz"


def path_of(database: Database, sha256: str) -> Path:
    """Return where the file with this SHA-256 lies."""
    return database.volume_dir / sha256[:2] / f"{sha256}{_ENDING}"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 that a file of the store is named by."""
    return path.name.removesuffix(_ENDING)


def keep(database: Database, content: bytes, sha256: str) -> bool:
    """Store the bytes, whole or not at all; bytes that are there already are left alone.

    Returns
    -------
    bool
        Whether the file is new.
    """
    target = path_of(database, sha256)
    if target.exists():
        # Whoever removes old files that nothing refers to sees that this one is wanted again.
        os.utime(target)
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".incoming-")
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
    """Remove a file, and its folder where that is empty then."""
    path = path_of(database, sha256)
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def remove_unused(database: Database, files: Iterable[str]) -> None:
    """Remove those of the files that no study refers to, or has come to refer to meanwhile."""
    with database.writing() as session:
        audit.hold(session)
        for sha256 in files:
            in_use = [
                session.exec(select(table.id).where(table.sha256 == sha256)).first() for table in (Volume, Overlay)
            ]
            if in_use == [None, None]:
                remove(database, sha256)


def is_intact(database: Database, sha256: str) -> bool:
    """Return whether the stored file is there and still has the SHA-256 that names it."""
    path = path_of(database, sha256)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256
