"""Other users of the machine read nothing: not the database, its log files, the scans or a backup."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from db import Database
from db.engine import database_from_environment
from db.private import FILE, keep_private, stays_open
from services.record import maintenance


@pytest.fixture(autouse=True)
def _mask() -> Iterator[None]:
    """Begin with the mask that most systems have, and leave the one that was there."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def readable_for_others(folder: Path) -> list[str]:
    everything = [folder, *folder.rglob("*")]
    return [path.name for path in everything if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    database_from_environment.cache_clear()
    return database_from_environment()


def test_a_new_folder_and_all_that_comes_into_it_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "somewhere" / "data"
    database = opened(folder, monkeypatch)
    try:
        maintenance.prepare(database)
        with database.engine.connect() as connection:
            connection.execute(text("SELECT * FROM person")).all()
            connection.commit()
            assert (folder / "blindread.db-wal").exists()
            assert readable_for_others(folder) == []
    finally:
        database.engine.dispose()
        database_from_environment.cache_clear()


def test_the_folder_of_an_earlier_release_is_closed_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    (folder / "volumes" / "ab").mkdir(parents=True)
    for name in ("blindread.db-wal", "volumes/ab/scan.nii.gz"):
        (folder / name).write_bytes(b"")
    (folder / "of-somebody-else.txt").write_text("stays", encoding="utf-8")

    database = opened(folder, monkeypatch)
    database.engine.dispose()
    database_from_environment.cache_clear()

    # The folder itself is shut, so that what is not ours cannot be reached either.
    assert readable_for_others(folder) == ["of-somebody-else.txt"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("x", encoding="utf-8")
    folder = tmp_path / "data"
    (folder / "volumes").mkdir(parents=True)
    (folder / "volumes" / "link").symlink_to(outside)

    keep_private(folder)

    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_a_backup_is_private(sqlite_database: Database, tmp_path: Path) -> None:
    sqlite_database.volume_dir.mkdir()
    (sqlite_database.volume_dir / "scan.nii.gz").write_bytes(b"x")

    maintenance.back_up_installation(sqlite_database, tmp_path / "backup")

    assert readable_for_others(tmp_path / "backup") == []


def test_a_file_that_another_command_has_just_deleted_is_no_hindrance(tmp_path: Path) -> None:
    assert not stays_open(tmp_path / "incoming" / "gone.nii.gz", FILE)
