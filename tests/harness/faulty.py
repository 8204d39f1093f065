"""Faults made on purpose: another program that holds a database, a disk that takes nothing more."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_by_another_program(file: Path) -> Iterator[None]:
    """Hold an exclusive lock on a SQLite file, from a process of its own, for the length of the block."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
    finally:
        holder.communicate("")


@contextmanager
def full_disk(pid: int, largest: int) -> Iterator[None]:
    """Let a process write no byte beyond `largest` into any file, for the length of the block."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
