"""What a killed import leaves behind is found and removed; what anybody needs is not."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Lease, now
from services.errors import Conflict
from services.record import verification
from services.studies.folders import importing
from services.studies.volumes import leftovers, volume_store
from tests.situations import Situation, owner_of, write_study_folder

DAY = 24 * 3600
NOBODYS = "ab" * 32


def put(database: Database, sha256: str, hours: float) -> Path:
    volume_store.keep(database, b"prepared", sha256)
    return age(volume_store.path_of(database, sha256), hours)


def age(path: Path, hours: float) -> Path:
    moment = time.time() - 3600 * hours
    os.utime(path, (moment, moment))
    return path


def test_only_what_nothing_refers_to_and_is_older_than_a_day_is_removed(opened: Situation) -> None:
    database = opened.database
    for path in database.volume_dir.rglob("*.nii.gz"):
        age(path, 1_000)
    old, young = put(database, NOBODYS, 25), put(database, "cd" * 32, 23)
    half = old.parent / ".incoming-half"
    half.write_bytes(b"half")
    age(half, 25)

    listed = [leftover.path for leftover in leftovers.list_leftovers(database)]
    assert old.exists()
    removed = [leftover.path for leftover in leftovers.remove_leftovers(database)]

    assert listed == removed == sorted([half, old])
    assert not old.exists()
    assert not half.exists()
    assert young.exists()
    assert verification.verify_study(database, opened.study_key) == []


def test_nothing_is_removed_while_an_import_runs(database: Database) -> None:
    old = put(database, NOBODYS, 25)

    with leftovers.importing(database), pytest.raises(Conflict, match="An import is running"):
        leftovers.remove_leftovers(database)

    assert old.exists()
    assert [leftover.path for leftover in leftovers.remove_leftovers(database)] == [old]


def test_a_killed_import_counts_as_running_until_its_lease_has_run_out(database: Database) -> None:
    put(database, NOBODYS, 25)
    leftovers.ImportLease(database).renew()
    with pytest.raises(Conflict, match="was killed and counts as running until"):
        leftovers.remove_leftovers(database)

    with database.writing() as session:
        for lease in session.exec(select(Lease)).all():
            lease.expires_at = now() - timedelta(seconds=1)

    assert len(leftovers.remove_leftovers(database)) == 1


def test_no_import_begins_while_files_are_removed(database: Database, tmp_path: Path) -> None:
    admin = owner_of(database)
    with database.writing() as session:
        session.add(Lease(name="clean", holder="somebody", expires_at=now() + timedelta(minutes=1)))

    with pytest.raises(Conflict, match="Left-over files are being removed"):
        importing.import_study(database, admin, write_study_folder(tmp_path / "study"))

    with pytest.raises(Conflict, match="removed by another"):
        leftovers.remove_leftovers(database)


def test_a_file_that_an_import_finds_prepared_counts_as_new(database: Database) -> None:
    put(database, NOBODYS, 1_000)

    assert volume_store.keep(database, b"prepared", NOBODYS) is False

    assert leftovers.list_leftovers(database) == []
