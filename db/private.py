"""Keeping an installation's files private: they hold references, names and scans that other users must not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

FOLDER = 0o700
FILE = 0o600


def make_private_folder(folder: Path) -> None:
    """Create a folder that only this user can enter, along with any missing parents."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=FOLDER, exist_ok=True)


def keep_private(folder: Path) -> list[Path]:
    """Remove other users' access to one of our folders, including those of earlier releases; return what stays open.

    From then on the process creates files that nobody else can read: SQLite gives its log files the permissions of the
    database, and everything else follows the umask. Paths that belong to another user or are on a read-only file system
    are left unchanged and returned.
    """
    os.umask(0o077)
    return [path for path, mode in [(folder, FOLDER), *_inside(folder)] if stays_open(path, mode)]


def stays_open(path: Path, mode: int) -> bool:
    """Remove other users' access to a path, and return whether they still have it.

    A file that is gone by now is open to nobody: a running import or another command may have deleted its own.
    """
    try:
        if stat.S_IMODE(path.lstat().st_mode) & 0o077:
            path.chmod(mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _inside(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield what we write to a data folder or backup, and nothing that somebody else put there."""
    yield from ((path, FILE) for path in folder.glob("blindread.*") if path.is_file() and not path.is_symlink())
    yield from ((path, FILE) for path in (folder / "audit-head.txt",) if path.is_file())
    for name in ("volumes", "incoming", "demo-study", "backups"):
        top = folder / name
        if not top.is_dir() or top.is_symlink():
            continue
        yield top, FOLDER
        for here, folders, files in os.walk(top):
            yield from ((Path(here, inner), FOLDER) for inner in folders if not Path(here, inner).is_symlink())
            yield from ((Path(here, file), FILE) for file in files if not Path(here, file).is_symlink())
