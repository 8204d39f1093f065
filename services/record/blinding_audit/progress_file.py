"""The file beside a result in the making: it stores progress, so that an interrupted audit can be resumed.

The first line identifies the audit. Each further line states how far it had come, and what it found since the previous
line. An open file is locked; the lock ends with the process.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from services.errors import Conflict
from services.record.blinding_audit.tally import Tally

ENDING = ".part"


@dataclass
class Progress:
    """An audit in progress: what it is about, how many assignments are done, and what was found."""

    file: IO[str]
    head: dict[str, Any] = field(default_factory=dict)
    done: int = 0
    tally: Tally = field(default_factory=Tally)

    def begin(self, head: Mapping[str, Any]) -> None:
        """Start over, discarding any earlier progress."""
        self.head, self.done, self.tally = dict(head), 0, Tally()
        self.file.seek(0)
        self.file.truncate()
        self._write(self.head)

    def keep(self, done: int, since: Tally) -> None:
        """Store how many assignments are done, and what was found since the last time."""
        self._write({"done": done, **since.as_json()})
        self.done = done
        self.tally.add(since)

    def _write(self, line: Mapping[str, Any]) -> None:
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())


@contextmanager
def progress_beside(out: Path) -> Iterator[Progress]:
    """Open the progress of the audit that will write `out`; nobody else can until it is closed.

    Raises
    ------
    Conflict
        Another process is writing this result.
    """
    path = out.with_name(out.name + ENDING)
    while True:
        with path.open("a+", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(
                    f"Another audit is writing {out.name}; wait for it, or name another file with --out."
                ) from None
            # The previous holder of the lock may have finished and removed the file.
            if not path.exists() or not os.path.samestat(path.stat(), os.fstat(file.fileno())):
                continue
            progress = _read(file)
            try:
                yield progress
            finally:
                if not progress.head:
                    path.unlink(missing_ok=True)
            return


def _read(file: IO[str]) -> Progress:
    """Return the progress in a file, discarding an incomplete last line."""
    file.seek(0)
    progress, end = Progress(file), 0
    for number, line in enumerate(iter(file.readline, "")):
        try:
            if not line.endswith("\n"):
                break
            said = json.loads(line)
            if number:
                since = Tally.of_json(said)
                progress.done = int(said["done"])
                progress.tally.add(since)
            else:
                progress.head = dict(said)
        except (ValueError, TypeError, LookupError):
            break
        end = file.tell()
    file.seek(end)
    file.truncate()
    return progress
