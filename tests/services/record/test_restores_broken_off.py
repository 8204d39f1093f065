"""A restore that is killed, refused halfway or met by another leaves nothing that is taken for a whole one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from db import Database, backup
from db.backup import restore_dump
from db.engine import make_engine
from db.migrate import standing
from services.errors import Conflict, InputRefused
from services.record import maintenance
from services.record.restoring import restore_installation
from tests.harness import databases
from tests.services.record.conftest import MakeEmpty
from tests.situations import Situation, open_study

ROOT = Path(__file__).resolve().parents[3]


DIES = """
import os, signal, sys
def die(event, arguments):
    if event == sys.argv[1] and sys.argv[2] in str(arguments):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(die)
from manage import cli
cli(["--data-dir", sys.argv[4], "restore", sys.argv[3]])
"""


@pytest.mark.server
@pytest.mark.parametrize(
    ("event", "what"),
    [
        ("shutil.copyfile", "volumes"),
        ("sqlite3.connect", "blindread.db.restoring"),
        ("os.rename", "blindread.db.restoring"),
    ],
)
def test_a_restore_that_is_killed_leaves_no_usable_database_and_can_be_repeated(
    opened: Situation, tmp_path: Path, event: str, what: str
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    place = tmp_path / "elsewhere"
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}

    killed = subprocess.run(
        [sys.executable, "-c", DIES, event, what, tmp_path / "backup", place], cwd=ROOT, env=environment, check=False
    )

    assert killed.returncode == -signal.SIGKILL
    assert not (place / "blindread.db").exists()
    elsewhere = Database(make_engine(databases.sqlite_url(place / "blindread.db")), place)
    done = restore_installation(elsewhere, tmp_path / "backup")
    elsewhere.engine.dispose()
    assert (done.problems, done.sessions_ended) == ([], 4)
    assert sorted(path.name for path in place.iterdir() if path.name != "volumes") == ["blindread.db"]
    assert list(place.rglob(".incoming-*")) == []


def test_a_place_in_which_a_restore_was_broken_off_is_neither_served_nor_begun_anew(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    elsewhere = make_empty("sqlite")
    shutil.copy(tmp_path / "backup" / "blindread.db", elsewhere.data_dir / "blindread.db.restoring")

    for act in (maintenance.require_prepared, maintenance.prepare):
        with pytest.raises(Conflict, match=r"was interrupted; run 'manage\.py restore' again"):
            act(elsewhere)

    assert restore_installation(elsewhere, tmp_path / "backup").problems == []
    maintenance.require_prepared(elsewhere)


@pytest.mark.postgresql
def test_a_dump_that_was_brought_in_without_an_end_is_neither_served_nor_migrated(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    maintenance.back_up_installation(database, tmp_path / "backup")
    elsewhere = make_empty("postgresql")
    with elsewhere.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE restore_unfinished (since timestamptz)")
    restore_dump(elsewhere, tmp_path / "backup" / "blindread.dump")

    for act in (
        maintenance.require_prepared,
        maintenance.prepare,
        lambda target: restore_installation(target, tmp_path / "backup"),
    ):
        with pytest.raises(Conflict, match="was broken off; make an empty database"):
            act(elsewhere)
    database.engine.dispose()


@pytest.mark.postgresql
def test_a_restore_that_was_killed_before_the_dump_came_in_is_repeated(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    maintenance.back_up_installation(database, tmp_path / "backup")
    elsewhere = make_empty("postgresql")
    with elsewhere.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE restore_unfinished (since timestamptz)")

    restore_installation(elsewhere, tmp_path / "backup")

    maintenance.require_prepared(elsewhere)
    database.engine.dispose()


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", r"The backup has schema 9999 and this program knows up to"),
        ("DROP TABLE alembic_version", "holds no database of Blindread"),
    ],
)
def test_a_dump_that_is_refused_leaves_the_database_as_it_was(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path, change: str, expected: str
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(change)
    maintenance.back_up_installation(database, tmp_path / "backup")
    elsewhere = make_empty("postgresql")

    with pytest.raises((Conflict, InputRefused), match=expected):
        restore_installation(elsewhere, tmp_path / "backup")

    assert standing(elsewhere.engine) == "empty"
    database.engine.dispose()


@pytest.mark.postgresql
def test_a_dump_that_was_cut_leaves_the_database_empty(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    open_study(database, tmp_path / "study")
    maintenance.back_up_installation(database, tmp_path / "backup")
    dump = tmp_path / "backup" / "blindread.dump"
    dump.write_bytes(dump.read_bytes()[: -dump.stat().st_size // 4])
    elsewhere = make_empty("postgresql")

    with pytest.raises(InputRefused, match="pg_restore failed"):
        restore_installation(elsewhere, tmp_path / "backup")

    assert standing(elsewhere.engine) == "empty"
    database.engine.dispose()


def test_two_restores_into_one_place_do_not_meet(database: Database, make_empty: MakeEmpty, tmp_path: Path) -> None:
    open_study(database, tmp_path / "study")
    maintenance.back_up_installation(database, tmp_path / "backup")
    elsewhere = make_empty(database.engine.dialect.name)
    elsewhere.data_dir.mkdir(exist_ok=True)

    with (
        backup.alone(elsewhere, elsewhere.data_dir),
        pytest.raises(Conflict, match="Another restore into this place is under way"),
    ):
        restore_installation(elsewhere, tmp_path / "backup")

    assert restore_installation(elsewhere, tmp_path / "backup").problems == []


ORPHANED = """
import os, signal, subprocess
from db.backup import _ends_with_us
print(subprocess.Popen(["sleep", "600"], preexec_fn=_ends_with_us).pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.server
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program outlives the process that started it")
def test_a_program_of_postgresql_ends_with_the_restore_that_started_it() -> None:
    killed = subprocess.run([sys.executable, "-c", ORPHANED], cwd=ROOT, capture_output=True, text=True, check=False)

    child = Path("/proc", killed.stdout.strip())
    deadline = time.monotonic() + 10
    while child.exists() and "sleep" in (child / "comm").read_text() and time.monotonic() < deadline:
        if (child / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    assert time.monotonic() < deadline


def test_two_data_folders_of_one_database_do_not_restore_at_once(opened: Situation, tmp_path: Path) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    place = tmp_path / "shared" / "blindread.db"
    for name in ("shared", "one", "other"):
        (tmp_path / name).mkdir()
    first, second = (Database(make_engine(databases.sqlite_url(place)), tmp_path / name) for name in ("one", "other"))

    with (
        backup.alone(first, first.data_dir),
        pytest.raises(Conflict, match="Another restore into this place is under way"),
    ):
        restore_installation(second, tmp_path / "backup")

    assert not place.exists()
    assert restore_installation(second, tmp_path / "backup").problems == []
    second.engine.dispose()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path.with_name("nowhere")), Path.mkdir])
def test_what_is_no_lock_is_refused_at_once_and_nothing_is_written(
    opened: Situation, make_empty: MakeEmpty, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    elsewhere = make_empty("sqlite")
    elsewhere.data_dir.mkdir(exist_ok=True)
    make(elsewhere.data_dir / ".restoring.lock")

    with pytest.raises(OSError, match=r"\.restoring\.lock"):
        restore_installation(elsewhere, tmp_path / "backup")

    assert [path.name for path in elsewhere.data_dir.iterdir()] == [".restoring.lock"]
