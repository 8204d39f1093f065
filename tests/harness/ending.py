"""Whatever a test run has started ends with the run, however that ends: finished, interrupted, killed.

A run has a folder, whose path is in the environment of every process that the run starts. This file, run as a
program of its own beside the run, waits for the end of its standard input, into which nothing is ever written: that
says that the run is over. Then it ends every process with that mark, and those below them, and removes the folder.
Processes are found in /proc, which is to say on Linux.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MARK = "TEST_RUN_FOLDER"
PATIENCE_SECONDS = 5.0
# Files in memory. A run writes about a gigabyte, most of it small databases that would wait for a disk at every commit.
IN_MEMORY = Path("/dev/shm")
ROOM_IN_MEMORY = 6 << 30
# What makes the kernel end a program with the process that started it, for programs that overwrite their environment.
_BOUND = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, int(sys.argv[1]));"
    " os.getppid() == int(sys.argv[2]) or sys.exit('too late'); os.execvp(sys.argv[3], sys.argv[3:])"
)


def temporary_root() -> str | None:
    """Return the folder for a run's temporary files, in memory where there is room; None for the system's usual one."""
    with contextlib.suppress(OSError):
        if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free >= ROOM_IN_MEMORY:
            return str(IN_MEMORY)
    return None


class Ending:
    """The folder of a run and the process that waits for the run's end."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="blindread-tests-", dir=temporary_root()))
        self.folder.chmod(0o755)  # PostgreSQL may run as somebody else
        self._mark_before = os.environ.get(MARK)
        os.environ[MARK] = str(self.folder)
        # A session of its own: Ctrl+C in the terminal, or a signal to the run's group, must not reach it.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    def come(self) -> None:
        """Say that the run is over, and wait until nothing is left of it."""
        if self._mark_before is None:
            del os.environ[MARK]
        else:
            os.environ[MARK] = self._mark_before
        self._process.communicate()


def run_folder() -> Path:
    """Return the folder of the run that this process belongs to."""
    return Path(os.environ[MARK])


@contextlib.contextmanager
def one_at_a_time(name: str) -> Iterator[Path]:
    """Let one of the run's processes after the other into the block; `run_folder() / name` is what they share."""
    with (run_folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield run_folder() / name


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder that `make` fills for the first of the run's processes to ask, and that the others find."""
    with one_at_a_time(name) as folder:
        if not folder.exists():
            half_made = Path(tempfile.mkdtemp(dir=run_folder()))
            make(half_made)
            half_made.rename(folder)
        return folder


def bound_to_this_process(command: list[str]) -> list[str]:
    """Return a command that runs `command` and is told by the kernel to terminate when this thread ends (on Linux)."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _BOUND, str(int(signal.SIGTERM)), str(os.getpid()), *command]


class Process(NamedTuple):
    """One process for good: numbers are given again, but not with the same start."""

    pid: int
    start: int

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self in _running()


def _running() -> dict[Process, int]:
    """Return all processes that have not ended, with the numbers of their parents."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name, in brackets, may hold anything.
            state, parent, *more = stat.read_text(errors="replace").rpartition(")")[2].split()
            if state not in "ZX":
                parents[Process(int(stat.parent.name), int(more[17]))] = int(parent)
    return parents


def processes_below(roots: set[int]) -> set[Process]:
    """Return the processes with these numbers and all that they, and theirs, have started."""
    running = _running()
    below = {process for process in running if process.pid in roots}
    while more := {process for process, parent in running.items() if parent in {known.pid for known in below}} - below:
        below |= more
    return below


def processes_of(folder: Path) -> set[Process]:
    """Return the processes of a run, and all below them."""
    mark = f"{MARK}={folder}".encode()
    marked = set()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                marked.add(int(environment.parent.name))
    return {process for process in processes_below(marked) if process.pid != os.getpid()}


def _end_all_of(folder: Path) -> None:
    """Ask the processes of a run to end, and insist when they do not."""
    left = processes_of(folder)
    for number in (signal.SIGTERM, signal.SIGKILL):
        give_up = time.monotonic() + PATIENCE_SECONDS
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, number)
        while left and time.monotonic() < give_up:
            time.sleep(0.05)
            left = left & set(_running()) | processes_of(folder)


if __name__ == "__main__":
    while os.read(sys.stdin.fileno(), 1):
        pass
    _end_all_of(Path(sys.argv[1]))
    shutil.rmtree(sys.argv[1], ignore_errors=True)
