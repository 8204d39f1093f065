"""An installation is prepared once and again, and its backup holds database, volumes and the head of the chain."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Study, Volume, audit
from db.engine import make_engine
from services.errors import Conflict
from services.record import maintenance, verification
from services.seals import audit_head
from tests.harness import databases
from tests.situations import Situation, open_study, read_all


def test_preparing_makes_schema_and_folders_and_may_be_repeated(empty_sqlite_url: str, tmp_path: Path) -> None:
    engine = make_engine(empty_sqlite_url)
    database = Database(engine, tmp_path / "data")

    maintenance.prepare(database)
    maintenance.prepare(database)

    assert database.volume_dir.is_dir()
    with database.read_only() as session:
        assert session.exec(select(Study)).all() == []
    engine.dispose()


def test_a_backup_can_take_the_place_of_the_installation(opened: Situation, tmp_path: Path) -> None:
    read_all(opened, opened.raters[0])

    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    restored = Database(make_engine(databases.sqlite_url(tmp_path / "backup" / "blindread.db")), tmp_path / "backup")
    assert verification.verify_study(restored, "tiny") == []
    with restored.read_only() as session:
        volumes = session.exec(select(Volume.sha256)).all()
    assert len(list((tmp_path / "backup" / "volumes").rglob("*.nii.gz"))) == len(set(volumes)) == 9
    restored.engine.dispose()


def test_the_backup_holds_the_head_that_later_shows_whether_the_chain_was_cut(
    opened: Situation, tmp_path: Path
) -> None:
    *_, head_file = maintenance.back_up_installation(opened.database, tmp_path / "backup")
    head = audit_head.head_in(head_file.read_text(encoding="utf-8"))

    read_all(opened, opened.raters[0])

    with opened.database.read_only() as session:
        assert audit.leads_to(session, head)
        assert audit.head(session) != head
    with opened.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_event_no_delete")
        connection.exec_driver_sql(f"DELETE FROM audit_event WHERE hash = '{head}' OR id > 10")
    with opened.database.read_only() as session:
        assert not audit.leads_to(session, head)


def test_half_written_volumes_are_left_out(opened: Situation, tmp_path: Path) -> None:
    (opened.database.volume_dir / "ab").mkdir(exist_ok=True)
    (opened.database.volume_dir / "ab" / ".incoming-half").write_bytes(b"half")

    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    assert list((tmp_path / "backup").rglob(".incoming-*")) == []


def test_a_backup_needs_a_new_folder(opened: Situation, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()

    with pytest.raises(Conflict, match="backup already exists"):
        maintenance.back_up_installation(opened.database, tmp_path / "backup")

    assert list((tmp_path / "backup").iterdir()) == []


def test_an_installation_without_volumes_can_be_backed_up(sqlite_database: Database, tmp_path: Path) -> None:
    shutil.rmtree(sqlite_database.volume_dir, ignore_errors=True)

    written = maintenance.back_up_installation(sqlite_database, tmp_path / "backup")

    assert all(path.exists() for path in written)
    assert audit_head.head_in(written[-1].read_text(encoding="utf-8")) == audit.GENESIS


def test_a_backup_without_files_that_the_database_names_is_refused_and_leaves_nothing(
    database: Database, tmp_path: Path
) -> None:
    open_study(database, tmp_path / "study")
    mistyped = Database(database.engine, tmp_path / "typo")

    with pytest.raises(Conflict, match="9 of the 9 prepared files that the database names are missing in"):
        maintenance.back_up_installation(mistyped, tmp_path / "backups" / "one")

    assert not (tmp_path / "backups").exists()


def test_a_backup_whose_writing_fails_leaves_nothing_that_looks_like_one(opened: Situation, tmp_path: Path) -> None:
    strange = next(opened.database.volume_dir.glob("*/*")).with_name("strange")
    strange.symlink_to("/nowhere")

    with pytest.raises(OSError, match="strange"):
        maintenance.back_up_installation(opened.database, tmp_path / "backups" / "one")

    assert list((tmp_path / "backups").iterdir()) == []


def test_an_incomplete_backup_is_taken_where_it_is_asked_for(opened: Situation, tmp_path: Path) -> None:
    next(opened.database.volume_dir.glob("*/*")).unlink()

    copy, *_ = maintenance.back_up_installation(opened.database, tmp_path / "backup", incomplete=True)

    assert copy.is_file()


def test_a_pipe_among_the_volumes_is_left_out_of_a_backup(opened: Situation, tmp_path: Path) -> None:
    os.mkfifo(opened.database.volume_dir / "pipe")

    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    assert not (tmp_path / "backup" / "volumes" / "pipe").exists()


def test_a_backup_whose_files_cannot_be_compared_says_so_and_is_taken_without_comparing(
    opened: Situation, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(opened.database.data_dir / "blindread.db")) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        connection.execute("UPDATE volume SET sha256 = CAST(x'ff' AS TEXT) WHERE id = 1")
        connection.commit()

    with pytest.raises(Conflict, match="of which 1 rows cannot be read"):
        maintenance.back_up_installation(opened.database, tmp_path / "backup")

    maintenance.back_up_installation(opened.database, tmp_path / "backup", incomplete=True)
    assert (tmp_path / "backup" / "blindread.db").is_file()


def test_a_link_out_of_the_data_folder_is_left_out_of_a_backup_and_its_volume_is_named_as_missing(
    opened: Situation, tmp_path: Path
) -> None:
    volume = next(opened.database.volume_dir.rglob("*.nii.gz"))
    volume.rename(tmp_path / "somewhere.nii.gz")
    volume.symlink_to(tmp_path / "somewhere.nii.gz")

    with pytest.raises(Conflict, match="1 of the 9 prepared files that the database names are missing in"):
        maintenance.back_up_installation(opened.database, tmp_path / "backup")

    maintenance.back_up_installation(opened.database, tmp_path / "backup", incomplete=True)
    assert len(list((tmp_path / "backup" / "volumes").rglob("*.nii.gz"))) == 8


def test_volumes_that_lie_on_another_disk_are_backed_up(opened: Situation, tmp_path: Path) -> None:
    """The folder of the volumes may be a link as a whole."""
    opened.database.volume_dir.rename(tmp_path / "disk")
    opened.database.volume_dir.symlink_to(tmp_path / "disk")

    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    assert len(list((tmp_path / "backup" / "volumes").rglob("*.nii.gz"))) == 9
