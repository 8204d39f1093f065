"""`manage.py` in a process of its own that begins with what the tests have imported already.

Four fifths of a command's processor time go into imports. A fork has a process's own output, environment, limits and
end; whether a command imports what it needs, and no more, is asked of fresh interpreters (`tests/commands`).
What SQLite knows of an open file must not go through a fork: the test closes the command's database before.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from db.engine import database_from_environment
from tests.harness.server import ROOT

_FORK = multiprocessing.get_context("fork")


def forked_manage(
    environment: Mapping[str, str], *arguments: str, before: Callable[[], object] = lambda: None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` to its end.

    Parameters
    ----------
    environment
        All of the command's environment.
    before
        What the new process does first, such as limiting itself.
    timeout
        After so many seconds it is killed, and TimeoutExpired raised.

    Returns
    -------
    subprocess.CompletedProcess
        With exit code, output and errors.

    Raises
    ------
    RuntimeError
        This process has a database open in a folder that the command is given.
    """
    given = {environment.get("BLINDREAD_DATA_DIR"), *arguments}
    if held := [path for path in _open_databases() if not given.isdisjoint(map(str, path.parents))]:
        raise RuntimeError(f"{held[0]} is open, and SQLite does not go through a fork: dispose of its engine first.")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = _FORK.Process(target=_command, args=(environment, arguments, before, output, errors), daemon=True)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["manage.py", *arguments], timeout)
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode())
        return subprocess.CompletedProcess(["manage.py", *arguments], process.exitcode, *said)


def _open_databases() -> list[Path]:
    """Return the SQLite files that this process has open."""
    held = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the folder itself was open while it was read
            held.append(entry.readlink())
    return [path for path in held if path.suffix == ".db"]


def _command(
    environment: Mapping[str, str],
    arguments: tuple[str, ...],
    before: Callable[[], object],
    output: IO[bytes],
    errors: IO[bytes],
) -> None:
    """Become the command: what the tests hold open, and know of a database, is theirs alone."""
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w", closefd=False)) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.argv = ["manage.py", *arguments]
    database_from_environment.cache_clear()
    before()
    runpy.run_path("manage.py", run_name="__main__")
