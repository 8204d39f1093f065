"""Backups are whole although people go on writing, and can be brought back."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, func, select

from db import Database, Person, audit
from db.backup import back_up
from db.engine import make_engine
from tests.harness import postgresql

ROWS = 200


def add_people(database: Database, first: int, count: int) -> None:
    for number in range(first, first + count):
        with database.writing() as session:
            session.add(Person(login=f"person {number:05d}", name="somebody"))
            audit.record(session, "person added", number=number)


def holds_whole_transactions(engine: Engine) -> int:
    """Return how many people a copy holds, after checking that each came with its audit event."""
    with Session(engine) as session:
        people = session.exec(select(func.count()).select_from(Person)).one()
        events = session.exec(select(func.count()).select_from(audit.AuditEvent)).one()
        assert people == events
        assert list(audit.broken_links(session)) == []
    return people


@pytest.fixture
def postgres_programs(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = postgresql.find_postgresql()
    assert folder is not None
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_a_copy_of_sqlite_made_while_people_write_is_whole(sqlite_database: Database, tmp_path: Path) -> None:
    add_people(sqlite_database, 0, ROWS)
    enough = threading.Event()

    def keep_writing() -> None:
        number = ROWS
        while not enough.is_set():
            add_people(sqlite_database, number, 1)
            number += 1

    writer = threading.Thread(target=keep_writing)
    writer.start()

    try:
        for number in range(3):
            back_up(sqlite_database, tmp_path / f"copy-{number}.db")
    finally:
        enough.set()
        writer.join()

    for number in range(3):
        copy = make_engine(f"sqlite:///{tmp_path / f'copy-{number}.db'}")
        assert holds_whole_transactions(copy) >= ROWS
        copy.dispose()


def test_a_copy_of_sqlite_is_one_sound_file_with_its_triggers(sqlite_database: Database, tmp_path: Path) -> None:
    add_people(sqlite_database, 0, 3)

    back_up(sqlite_database, tmp_path / "copy.db")

    assert [path.name for path in tmp_path.glob("copy.db*")] == ["copy.db"]
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        with pytest.raises(sqlite3.IntegrityError, match="audit_event is append-only"):
            connection.execute("DELETE FROM audit_event")


def test_a_backup_never_overwrites(sqlite_database: Database, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("something that is still needed")

    with pytest.raises(FileExistsError, match="already exists; name a new file"):
        back_up(sqlite_database, target)

    assert target.read_text() == "something that is still needed"


@pytest.mark.postgresql
def test_a_dump_of_postgresql_restores_into_an_empty_database(
    postgres_url: str, empty_postgres_url: str, postgres_programs: Path, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path)
    add_people(database, 0, 20)

    back_up(database, tmp_path / "copy.dump")

    database.engine.dispose()
    target = empty_postgres_url.replace("postgresql+psycopg", "postgresql")
    restored = subprocess.run(
        [postgres_programs / "pg_restore", "--no-owner", f"--dbname={target}", tmp_path / "copy.dump"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert restored.returncode == 0, restored.stderr
    assert (tmp_path / "copy.dump").read_bytes()[:5] == b"PGDMP"  # the custom format
    copy = make_engine(empty_postgres_url)
    assert holds_whole_transactions(copy) == 20
    copy.dispose()


@pytest.mark.postgresql
def test_the_password_of_postgresql_is_not_on_the_command_line(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody on the machine can list the arguments of running programs."""
    recorder = tmp_path / "bin" / "pg_dump"
    recorder.parent.mkdir()
    recorder.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\n')
    recorder.chmod(0o755)
    monkeypatch.setenv("PATH", f"{recorder.parent}{os.pathsep}{os.environ['PATH']}")
    engine = make_engine(postgres_url)

    back_up(Database(engine, tmp_path), tmp_path / "copy.dump")

    assert engine.url.password
    assert str(engine.url.password) not in (tmp_path / "arguments").read_text()
    engine.dispose()


@pytest.mark.postgresql
def test_a_missing_pg_dump_is_named(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("pg_dump") is None
    engine = make_engine(postgres_url)

    with pytest.raises(FileNotFoundError, match="pg_dump is not on this machine"):
        back_up(Database(engine, tmp_path), tmp_path / "copy.dump")

    engine.dispose()
