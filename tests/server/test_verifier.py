"""The process that verifies daily: started beside the server, and gone when the server is gone, however it went."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Lease, Verification
from db.engine import make_engine
from tests.harness import databases
from tests.harness.server import ROOT, RunningServer, clean_environment
from tests.situations import open_study

PATIENCE = 90
# Nine files of a few kilobytes, so slowly that they last until the test is over.
CRAWLING = 200


@pytest.fixture
def environment(sqlite_database: Database, tmp_path: Path) -> dict[str, str]:
    """What a process finds that works on a frozen study."""
    open_study(sqlite_database, tmp_path / "study")
    return clean_environment(sqlite_database.data_dir, {})


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """What a test starts, to be ended with it."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait(timeout=PATIENCE)


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.1)


def leases_of(database: Database) -> list[str]:
    with database.read_only() as session:
        return [lease.name for lease in session.exec(select(Lease))]


def ends_of(database: Database) -> list[bool]:
    with database.read_only() as session:
        return [run.ended_at is not None for run in session.exec(select(Verification))]


def test_it_verifies_and_says_when_it_wants_to_be_run_again(
    sqlite_database: Database, environment: dict[str, str], started: list[subprocess.Popen[bytes]]
) -> None:
    command = [sys.executable, "-m", "server.verifier", "50000000"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    started.append(process)

    assert process.stdout is not None
    said = process.stdout.read()

    assert (float(said), process.wait(timeout=PATIENCE)) == (3600, 0)
    assert (ends_of(sqlite_database), leases_of(sqlite_database)) == ([True], [])


def test_it_ends_when_the_server_is_killed_and_lets_the_next_one_go_on(
    sqlite_database: Database, environment: dict[str, str], started: list[subprocess.Popen[bytes]]
) -> None:
    running = f"import asyncio; from server import verifier; asyncio.run(verifier._run_once({CRAWLING}))"
    server = subprocess.Popen([sys.executable, "-c", running], cwd=ROOT, env=environment)
    started.append(server)
    until(lambda: ends_of(sqlite_database) == [False])
    verifier = child_of(server.pid)
    gentlest = min(19, os.getpriority(os.PRIO_PROCESS, server.pid) + 19)
    assert (os.getpriority(os.PRIO_PROCESS, verifier), leases_of(sqlite_database)) == (gentlest, ["daily verification"])

    server.kill()

    until(lambda: not alive(verifier))
    assert (ends_of(sqlite_database), leases_of(sqlite_database)) == ([False], [])


def child_of(pid: int) -> int:
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def test_the_server_starts_it_unless_it_is_switched_off(
    server: Callable[..., RunningServer], sqlite_database: Database, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = Path(environment["BLINDREAD_DATA_DIR"])
    sqlite_database.engine.dispose()
    served = Database(make_engine(databases.sqlite_url(folder / "blindread.db")), folder)

    server(data_dir=folder, env={"BLINDREAD_DAILY_VERIFICATION": "on"})

    until(lambda: ends_of(served) == [True])
    served.engine.dispose()
