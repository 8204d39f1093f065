"""The command line does with an installation what its pages do: init, owners, links, backup; it says where it works."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.engine import database_from_environment
from services.people import identity
from tests.harness.forked import forked_manage
from tests.harness.server import RunningServer
from tests.managing.installations import Run, link_of, logins_and_studies, with_sql


def test_init_may_be_repeated_and_keeps_what_was_entered(installed: Run, data_dir: Path) -> None:
    again = installed("init")

    assert again.exit_code == 0
    assert f"ready in {data_dir}" in again.stdout
    assert logins_and_studies(data_dir) == (["ada"], [])


def test_init_makes_the_hashes_that_volumes_of_an_earlier_release_lack(frozen: Run, data_dir: Path) -> None:
    with closing(sqlite3.connect(data_dir / "blindread.db")) as connection:
        before = connection.execute("SELECT key, unpacked_sha256 FROM volume ORDER BY id").fetchall()
    with_sql(data_dir, "UPDATE volume SET unpacked_sha256 = NULL")

    made = frozen("init")
    again = frozen("init")

    assert "Unpacked scans are hashed" in made.output
    assert "hashed" not in again.output
    with closing(sqlite3.connect(data_dir / "blindread.db")) as connection:
        assert connection.execute("SELECT key, unpacked_sha256 FROM volume ORDER BY id").fetchall() == before


def test_no_log_file_stays_beside_the_database(installed: Run, data_dir: Path) -> None:
    assert [path.name for path in data_dir.glob("blindread.db*")] == ["blindread.db"]


@pytest.mark.parametrize("command", [("freeze", "tiny"), ("verify", "tiny"), ("links",), ("owner", "a", "--name", "A")])
def test_commands_before_init_say_what_to_do_and_leave_nothing(
    run: Run, data_dir: Path, command: tuple[str, ...]
) -> None:
    refused = run("--data-dir", data_dir, *command)

    assert refused.exit_code == 1
    assert refused.stdout.startswith(f"There is no Blindread database in {data_dir}; ")
    assert refused.stdout.endswith("run 'manage.py init' to begin one there.\n")
    assert not data_dir.exists()


def test_the_owners_link_signs_in(installed: Run, data_dir: Path) -> None:
    done = installed("owner", "ada", "--name", "Ada")

    assert done.stdout.startswith("/link/")
    assert link_of(data_dir, done.stdout) == identity.Link("join", "Ada Admin", "ada")
    assert "A link for 'ada' that works once, within 14 days" in done.stderr
    assert "open it in a browser to choose a password." in done.stderr


def test_what_is_said_of_a_link_names_the_public_address(installed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLINDREAD_PUBLIC_URL", "https://reads.example.org/")

    said = installed("owner", "ada", "--name", "Ada").stderr

    assert "append it to the server's address (https://reads.example.org) and open it" in said


def test_a_link_names_the_login_as_it_is_stored(installed: Run) -> None:
    done = installed("owner", " Eve@Example.ORG\n", "--name", "Eve")

    assert done.stderr.splitlines()[-1].startswith("A link for 'eve@example.org' that works once")


def test_a_backup_holds_database_volumes_and_the_head_of_the_chain(frozen: Run, tmp_path: Path) -> None:
    done = frozen("backup", tmp_path / "backup")

    assert done.exit_code == 0
    paths, said = done.stdout.splitlines()[:3], done.stdout.splitlines()[3:]
    assert [Path(line).name for line in paths] == ["blindread.db", "volumes", "audit-head.txt"]
    assert said[0].startswith("Head of the audit chain (store it elsewhere): ")
    with closing(sqlite3.connect(tmp_path / "backup" / "blindread.db")) as connection:
        assert connection.execute("SELECT key FROM study").fetchall() == [("tiny",)]
    assert len(list((tmp_path / "backup" / "volumes").rglob("*.nii.gz"))) == 9
    assert frozen("backup", tmp_path / "backup").exit_code == 1


# ---- where, who ------------------------------------------------------------------------------------------------------


def test_every_command_says_where_it_works_beside_what_it_prints(installed: Run, data_dir: Path) -> None:
    done = installed("owner", "bo", "--name", "Bo")

    assert done.stderr.splitlines()[0] == f"Data folder {data_dir}, database blindread.db (SQLite)."
    assert done.stdout.count("\n") == 1


def test_another_folder_can_be_named_and_an_empty_one_is_warned_of(
    installed: Run, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "var").symlink_to(data_dir)
    monkeypatch.chdir(tmp_path)
    database_from_environment.cache_clear()

    empty = installed("--data-dir", tmp_path / "elsewhere", "init")
    database_from_environment.cache_clear()
    used = installed("--data-dir", data_dir, "init")

    assert f"Data folder {tmp_path / 'elsewhere'}," in empty.stderr
    assert "This database has no people, but there are some in " in empty.stderr
    assert str(data_dir) in empty.stderr
    assert "Nobody" not in used.stderr


def test_another_database_that_is_just_being_made_stops_no_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "blindread.db").touch()
    monkeypatch.chdir(tmp_path)

    refused = run("--data-dir", tmp_path / "typo", "links")

    assert refused.stdout.startswith(f"There is no Blindread database in {tmp_path / 'typo'}; ")


def test_the_folder_of_a_server_that_runs_is_named(run: Run, server: Callable[..., RunningServer]) -> None:
    running = server(seeded=False)
    running.manage("owner", "ada", "--name", "Ada")

    warned = run("init")

    assert "there are some in" in warned.stderr
    assert str(running.data_dir.resolve()) in warned.stderr


def test_there_can_be_further_owners(installed: Run, data_dir: Path) -> None:
    printed = installed("owner", "bo", "--name", "Bo").stdout

    assert link_of(data_dir, printed) == identity.Link("join", "Bo", "bo")
    with_sql(data_dir, "UPDATE person SET locked_at = '2026-01-01 00:00:00' WHERE login = 'ada'")
    assert installed("lock", "bo").exit_code == 1  # who acts is the only owner left


def test_somebody_is_locked_unlocked_and_signed_out(frozen: Run) -> None:
    for command, said in (
        (("lock", "RATER-1 "), "is locked"),
        (("unlock", "rater-1"), "may sign in again"),
        (("sign-out-everywhere", "rater-1"), "signed out of 0 login sessions"),
    ):
        done = frozen(*command)
        assert (done.exit_code, said in done.stdout) == (0, True)
    assert "not locked" in frozen("unlock", "rater-1").stdout
    assert "There is no account with the login 'x'" in frozen("lock", "x").stdout
    assert "the only owner" in frozen("lock", "ada").stdout
    assert "Only an owner" in frozen("lock", "ada", "--as", "rater-1").stdout


def as_process(data_dir: Path, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return forked_manage({**environment, **settings}, "--data-dir", str(data_dir), *map(str, arguments))


def test_serving_a_mistyped_folder_says_so_alone_and_leaves_nothing(tmp_path: Path) -> None:
    refused = as_process(tmp_path / "typo", "serve")

    assert refused.returncode == 1
    assert refused.stdout.startswith(f"There is no Blindread database in {tmp_path / 'typo'}; ")
    assert "is running on" not in refused.stdout + refused.stderr
    assert not (tmp_path / "typo").exists()


def test_serving_what_is_no_database_of_ours_never_says_where_it_answers(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "blindread.db")) as connection:
        connection.execute("CREATE TABLE something (x)")

    refused = as_process(tmp_path / "data", "serve")

    assert refused.returncode == 1
    assert "belongs to another program or is damaged" in refused.stderr
    assert "is running on" not in refused.stdout


@pytest.mark.parametrize("length", [None, 0, 20_000])
def test_a_backup_that_is_missing_or_cut_is_refused_and_leaves_nothing(
    frozen: Run, tmp_path: Path, length: int | None
) -> None:
    assert frozen("backup", tmp_path / "backup").exit_code == 0
    copy = tmp_path / "backup" / "blindread.db"
    shutil.rmtree(copy.parent) if length is None else os.truncate(copy, length)

    refused = as_process(tmp_path / "new", "restore", tmp_path / "backup")

    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "new").exists()


def test_what_was_restored_is_counted_in_words_that_agree(frozen: Run, tmp_path: Path) -> None:
    assert frozen("backup", tmp_path / "backup").exit_code == 0

    done = as_process(tmp_path / "new", "restore", tmp_path / "backup")

    assert done.stdout.startswith(f"Restored 1 study into {tmp_path / 'new'} (schema ")
    assert "; 0 login sessions and all open links were ended." in done.stdout


@pytest.mark.parametrize("command", [("backup", "B"), ("verify", "tiny"), ("links",), ("serve",)])
def test_no_command_makes_a_data_folder_for_a_database_elsewhere(tmp_path: Path, command: tuple[str, ...]) -> None:
    elsewhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"

    refused = as_process(tmp_path / "typo", *command, DATABASE_URL=elsewhere)

    assert refused.returncode == 1
    assert refused.stdout.startswith(f"There is no data folder {tmp_path / 'typo'}; ")
    assert not (tmp_path / "typo").exists()
