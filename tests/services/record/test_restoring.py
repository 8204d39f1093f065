"""A backup taken while raters read is brought back elsewhere: every receipt from before it is there, and all holds."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Invitation, LoginSession, Study, Verdict, audit
from db.base import now
from db.engine import make_engine
from db.migrate import newest_schema, standing
from services.errors import Conflict, InputRefused
from services.people import identity
from services.reading import instructions
from services.record import maintenance, restoring, verification
from services.record.restoring import restore_installation
from tests.db.first_release import load_first_release
from tests.harness import databases
from tests.services.record.conftest import MakeEmpty
from tests.services.record.tampering import change_copy
from tests.situations import Situation, on_the_desk, open_study, show, submit
from tests.versioned_study import changed_cell, corrected_prompt, new_version, one_more_case, opened_for_versions, read

ROOT = Path(__file__).resolve().parents[3]


def read_on(situation: Situation, rater: int, receipts: list[str], stop: threading.Event) -> None:
    """Read item after item and note each receipt, until told to stop."""
    actor = situation.raters[rater]
    while not stop.is_set() and (payload := on_the_desk(situation, actor))["kind"] == "item":
        show(situation, actor, payload)
        receipts.append(submit(situation, actor, payload).receipt)


def test_a_backup_under_load_loses_no_receipt_from_before_it(
    database: Database, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    receipts: list[str] = []
    stop, begun = threading.Event(), threading.Event()

    with ThreadPoolExecutor(2) as pool:
        work = [pool.submit(read_on, situation, rater, receipts, stop) for rater in (0, 1)]
        while len(receipts) < 2 and not all(future.done() for future in work):
            begun.wait(0.01)
        before = set(receipts)
        maintenance.back_up_installation(database, tmp_path / "backup")
        stop.set()
        for future in work:
            future.result()
    elsewhere = make_empty(database.engine.dialect.name)
    done = restore_installation(elsewhere, tmp_path / "backup")

    with elsewhere.read_only() as session:
        restored = set(session.exec(select(Verdict.receipt)).all())
    assert len(before) >= 2
    assert before <= restored <= set(receipts)
    assert done.problems == []
    assert done.studies == 1
    assert verification.verify_study(elsewhere, "tiny") == []


def test_studies_that_were_removed_are_not_counted_as_restored(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    with opened.database.writing() as session:
        session.exec(select(Study)).one().removed_at = now()
    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    assert restore_installation(make_empty("sqlite"), tmp_path / "backup").studies == 0


def test_nobody_is_signed_in_after_a_restore_and_no_link_is_open_again(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    link = identity.make_link(opened.database, "rater-1", "sign_in")
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    identity.use_link(opened.database, link, None)
    elsewhere = make_empty("sqlite")

    done = restore_installation(elsewhere, tmp_path / "backup")

    with elsewhere.read_only() as session:
        assert {login_session.ended_at is None for login_session in session.exec(select(LoginSession)).all()} == {False}
        assert all(
            invitation.ended_at or invitation.consumed_at for invitation in session.exec(select(Invitation)).all()
        )
        events = session.exec(select(audit.AuditEvent.action)).all()
    assert done.sessions_ended == 4
    assert identity.look_at_link(elsewhere, link) is None
    assert events[-1] == "restored from a backup"


def test_a_backup_is_never_restored_over_a_database(opened: Situation, tmp_path: Path) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")

    with pytest.raises(Conflict, match="There is a database already"):
        restore_installation(opened.database, tmp_path / "backup")


def test_what_is_damaged_or_missing_in_a_backup_is_named(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    first, second, *_ = sorted((tmp_path / "backup" / "volumes").rglob("*.nii.gz"))
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1])

    done = restore_installation(make_empty("sqlite"), tmp_path / "backup")

    assert done.problems[0] == "2 of 9 prepared volumes are missing or damaged."


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"\x07" * 5_000])
def test_a_copy_that_is_no_whole_database_is_refused(content: bytes, make_empty: MakeEmpty, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    (tmp_path / "backup" / "blindread.db").write_bytes(content)
    elsewhere = make_empty("sqlite")

    with pytest.raises(InputRefused, match=r"is damaged|holds no database of Blindread"):
        restore_installation(elsewhere, tmp_path / "backup")

    assert standing(elsewhere.engine) == "empty"


def test_a_folder_that_is_no_backup_is_refused(make_empty: MakeEmpty, tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"holds no blindread\.db: name a folder"):
        restore_installation(make_empty("sqlite"), tmp_path)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_a_backup_of_the_first_release_is_brought_into_this_one(
    kind: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    old = make_empty(kind)
    old.data_dir.mkdir(exist_ok=True)
    load_first_release(old.engine, tmp_path / "scratch")
    maintenance.back_up_installation(old, tmp_path / "backup", incomplete=True)
    with old.read_only() as session:
        receipts = set(session.exec(select(Verdict.receipt)).all())
    elsewhere = make_empty(kind)

    done = restoring.restore_installation(elsewhere, tmp_path / "backup")

    assert (done.schema, done.studies) == ("0002", 2)
    assert standing(elsewhere.engine) == "current"
    with elsewhere.read_only() as session:
        assert set(session.exec(select(Verdict.receipt)).all()) == receipts
        assert len(session.exec(select(Study)).all()) == 2
    # The release's volumes are not kept for tests, and that is all that is missing.
    assert done.problems
    assert all("volume" in problem for problem in done.problems)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_a_migration_begins_with_a_backup_that_can_be_restored(
    kind: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    old = make_empty(kind)
    old.data_dir.mkdir(exist_ok=True)
    load_first_release(old.engine, tmp_path / "scratch")

    saved, again = maintenance.prepare(old), maintenance.prepare(old)

    assert saved is not None
    assert saved.parent == old.data_dir / "backups"
    assert saved.name.startswith(f"before-{newest_schema()}-from-0002-")
    assert again is None
    assert restore_installation(make_empty(kind), saved).schema == "0002"


def test_a_database_of_a_newer_program_is_neither_migrated_nor_served(sqlite_database: Database) -> None:
    with sqlite_database.engine.connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    for act in (maintenance.prepare, maintenance.require_prepared):
        with pytest.raises(Conflict, match=r"schema 9999, which a newer Blindread made; this program knows up to \d+"):
            act(sqlite_database)


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_link_upwards(path: Path) -> None:
    path.symlink_to(path.parent)


@pytest.mark.parametrize("make", [a_fifo, a_link_upwards])
def test_what_is_no_file_among_the_volumes_is_refused_by_name_before_anything_is_written(
    opened: Situation, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    strange = next((tmp_path / "backup" / "volumes").glob("*/*")).with_name("strange")
    make(strange)
    place = tmp_path / "elsewhere"
    elsewhere = Database(make_engine(databases.sqlite_url(place / "blindread.db")), place)

    with pytest.raises(InputRefused, match=str(strange)):
        restore_installation(elsewhere, tmp_path / "backup")

    assert not place.exists()


def test_a_log_without_its_database_is_not_taken_for_that_of_the_restored_one(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    elsewhere = make_empty("sqlite")
    (elsewhere.data_dir / "blindread.db-wal").write_bytes(b"left behind")

    with pytest.raises(Conflict, match=r"blindread\.db-wal was left by a database that is not there"):
        restore_installation(elsewhere, tmp_path / "backup")


def test_a_login_session_with_a_date_that_is_none_is_ended_like_the_others(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup" / "blindread.db")) as connection:
        connection.execute("UPDATE login_session SET created_at = 'yesterday' WHERE id = 1")
        connection.commit()
    elsewhere = make_empty("sqlite")

    restore_installation(elsewhere, tmp_path / "backup")

    with closing(sqlite3.connect(elsewhere.data_dir / "blindread.db")) as connection:
        assert connection.execute("SELECT count(*) FROM login_session WHERE ended_at IS NULL").fetchone() == (0,)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("INSERT INTO alembic_version VALUES ('0001')", "holds no database of Blindread"),
        ("DELETE FROM alembic_version", "holds no database of Blindread"),
        ("ALTER TABLE alembic_version RENAME COLUMN version_num TO number", "holds no database of Blindread"),
        ("UPDATE alembic_version SET version_num = '0001'", "does not have the schema that Blindread made"),
    ],
)
def test_a_copy_whose_number_of_the_schema_was_changed_is_refused_in_words(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path, statement: str, says: str
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    change_copy(tmp_path / "backup", statement)
    elsewhere = make_empty("sqlite")

    with pytest.raises(InputRefused, match=says):
        restore_installation(elsewhere, tmp_path / "backup")

    assert not (elsewhere.data_dir / "blindread.db").exists()


def test_a_restore_names_prepared_volumes_that_cannot_be_read(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    change_copy(tmp_path / "backup", "UPDATE volume SET sha256 = CAST(x'ff' AS TEXT) WHERE id = 1")

    done = restore_installation(make_empty("sqlite"), tmp_path / "backup")

    assert "Rows that name prepared volumes cannot be read: 1." in done.problems


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path.with_name("nowhere")), Path.mkdir])
def test_what_is_no_file_in_the_place_of_the_head_is_refused(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    (tmp_path / "backup" / "audit-head.txt").unlink()
    make(tmp_path / "backup" / "audit-head.txt")

    with pytest.raises(InputRefused, match="holds no head of an audit chain"):
        restore_installation(make_empty("sqlite"), tmp_path / "backup")


def test_a_study_with_a_version_is_restored_with_it_and_goes_on(
    database: Database, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    situation = opened_for_versions(database, tmp_path / "study", raters=1)
    instructions.acknowledge_instructions(database, situation.raters[0], "listed", "part-1")
    read(situation, 0, most=2)
    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)
    maintenance.back_up_installation(database, tmp_path / "backup")

    restored = make_empty(database.engine.dialect.name)
    restore_installation(restored, tmp_path / "backup")

    assert verification.verify_study(restored, "listed") == []
    there = replace(situation, database=restored)
    assert read(there, 0)[-2:] == ["Is there a lesion?", "Prompt of i7?"]
    third = new_version(there, tmp_path / "study", changed_cell("items.csv", "i1", "prompt", "Is there any lesion?"))
    assert third.version == 3
