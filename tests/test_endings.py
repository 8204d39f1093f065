"""A test run that is interrupted or killed leaves nothing running and nothing lying about."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.harness import chromium, databases, left_running, postgresql
from tests.harness.ending import Ending, Process, processes_below, run_folder
from tests.harness.provide import missing
from tests.harness.server import ROOT

PATIENCE = 120

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.1)


def names_of(processes: set[Process]) -> set[str]:
    names = set()
    for process in filter(lambda process: process.runs, processes):
        # It may end at any moment.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            names.add(Path(f"/proc/{process.pid}/comm").read_text().strip())
    return names


@pytest.fixture
def waiting_run(tmp_path: Path, migrated_sqlite: Path, request: pytest.FixtureRequest) -> subprocess.Popen[bytes]:
    """A run of pytest whose tests have opened a server, PostgreSQL and Chromium, and wait."""
    if chromium.find_chromium() is None:
        missing(chromium.MISSING)
    if postgresql.find_postgresql() is None:
        missing(postgresql.MISSING)
    workers = request.param
    for number in (1, 2):
        folder = left_running.data_of(number, tmp_path)
        folder.mkdir()
        databases.copy_of_sqlite_file(migrated_sqlite, folder / "blindread.db")
    command = [sys.executable, "-m", "pytest", "-n", str(workers), "--dist", "load", left_running.__file__]
    environment = {**os.environ, left_running.PLACE: str(tmp_path)}
    with (tmp_path / "log").open("wb") as log:
        run = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            # A run in the background may have been told to ignore Ctrl+C, and would pass that on.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    until(lambda: len(list(tmp_path.glob("*.waiting"))) == max(1, workers) or run.poll() is not None)
    assert run.poll() is None, (tmp_path / "log").read_text()
    return run


@pytest.mark.browser
@pytest.mark.postgresql
@pytest.mark.parametrize("waiting_run", [0, 2], ids=["in one process", "with two workers"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_nothing_outlives_a_run(waiting_run: subprocess.Popen[bytes], number: signal.Signals, tmp_path: Path) -> None:
    folders = {Path(file.read_text()) for file in tmp_path.glob("*.waiting")}
    started = processes_below({waiting_run.pid})
    names = " ".join(names_of(started))

    if number == signal.SIGINT:
        os.killpg(waiting_run.pid, number)  # Ctrl+C reaches all that the terminal has started
    else:
        waiting_run.send_signal(number)
    waiting_run.wait(timeout=PATIENCE)
    until(lambda: not names_of(started))
    until(lambda: not any(folder.exists() for folder in folders))

    assert "postgres" in names
    assert "chrom" in names
    assert len(folders) == 1


def test_what_a_run_has_left_behind_ends_with_it(tmp_path: Path) -> None:
    outer = run_folder()
    inner = Ending()
    left = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True)

    inner.come()

    assert left.wait(timeout=PATIENCE) == -signal.SIGTERM
    assert not inner.folder.exists()
    assert run_folder() == outer


def test_a_process_that_does_not_want_to_end_is_killed() -> None:
    inner = Ending()
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
    left = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE, start_new_session=True)
    assert left.stdout is not None
    left.stdout.readline()

    inner.come()

    assert left.wait(timeout=PATIENCE) == -signal.SIGKILL


def test_a_program_that_is_bound_to_a_process_ends_with_it() -> None:
    starting = (
        "import signal, subprocess, sys\n"
        "from tests.harness.ending import bound_to_this_process\n"
        "child = subprocess.Popen(bound_to_this_process([sys.executable, '-c', 'import signal; signal.pause()']))\n"
        "print(child.pid, flush=True)\n"
        "signal.pause()"
    )
    parent = subprocess.Popen([sys.executable, "-c", starting], cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = processes_below({int(parent.stdout.readline())})
    assert names_of(child)

    parent.kill()
    parent.wait()

    until(lambda: not names_of(child))
