"""One import of a judge's run in a process of its own: ``python -m benchmarks.one_import FOLDER --file judge.csv``.

`benchmarks.judge_import` and `benchmarks.judge_formats` run it, on a copy of the study that they made. It loads what
``manage.py judge import`` does and nothing else, since what is measured is the process. Printed is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, event

from benchmarks.memory import memory_now
from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.judging import import_runs, sources
from services.people import identity

STUDY, FIELD = "judged", "score.verdict"
_BEGIN = "BEGIN IMMEDIATE"
_WRITES = ("INSERT", "UPDATE", "DELETE")


class Transaction(NamedTuple):
    """A writing transaction: how long others could not write, how much of that its commit took, and what it wrote.

    `processor` are the seconds that its thread computed meanwhile: the others it waited, for the disk or its turn.
    """

    seconds: float
    committing: float
    processor: float
    wrote: str

    @property
    def in_words(self) -> str:
        """What it wrote and what its time went to."""
        return f"{self.wrote}; {self.committing:.2f} s of it committing, {self.processor:.2f} s of the processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="of a database with the study")
    parser.add_argument("--file", help="in that folder, with the verdicts")
    parser.add_argument("--scorer", default="", help="a rule that scores in place of a file")
    parser.add_argument("--column", action="append", default=[], help="as of the command")
    options = parser.parse_args()
    print(json.dumps(imported(options.folder, options.file, options.column, options.scorer)))


def opened(folder: Path) -> Database:
    """Open the database of a study that was made."""
    return Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)


def imported(folder: Path, file: str, columns: Sequence[str] = (), scorer: str = "") -> dict[str, Any]:
    """Import a file, or let a rule score, in this process; the run is called like the file or the rule."""
    database = opened(folder)
    admin = identity.actor_for_command_line(database)
    with transactions(database.engine) as noted:
        begun, processor = time.perf_counter(), time.process_time()
        if scorer:
            from services.judging import scoring

            line = scoring.score_answers(database, admin, STUDY, scorer, field=FIELD)
        else:
            line = import_runs.import_judge_verdicts(
                database, admin, STUDY, name=file, judge="a judge", content=(folder / file).read_bytes(),
                file_name=file, field=FIELD, asked=sources.asked_of(columns=columns),
            )  # fmt: skip
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
    longest = max(noted)
    return {
        "verdicts": line.candidates,
        "judged": line.judged,
        "seconds": seconds,
        "processor": processor,
        "peak": memory_now("VmHWM") / 1e6,
        "transactions": len(noted),
        "longest": longest.seconds,
        "longest_was": longest.in_words,
    }


@contextmanager
def transactions(engine: Engine) -> Iterator[list[Transaction]]:
    """Note each writing transaction, from when it has its turn to its end."""
    noted: list[Transaction] = []

    def executed(connection: Any, _cursor: object, statement: str, *_: object) -> None:
        if statement == _BEGIN:
            connection.info["began"] = time.perf_counter(), time.thread_time(), []
        elif statement.startswith(_WRITES) and "began" in connection.info:
            words = statement.split(maxsplit=3)
            connection.info["began"][2].append(words[1] if words[0] == "UPDATE" else words[2])

    def commits(connection: Any) -> None:
        if "began" in connection.info:
            connection.info["commits"] = time.perf_counter()

    def ended(info: dict[str, Any]) -> None:
        if (began := info.pop("began", None)) is None:
            return
        now, (start, processor, tables) = time.perf_counter(), began
        wrote = ", ".join(dict.fromkeys(tables)) or "nothing"
        noted.append(
            Transaction(now - start, now - info.pop("commits", now), time.thread_time() - processor, wrote)
        )  # fmt: skip

    def rolled_back(connection: Any) -> None:
        ended(connection.info)

    def given_back(_connection: object, record: Any) -> None:
        # The commit itself is over when the connection is given back.
        ended(record.info)

    listeners = (
        ("after_cursor_execute", executed), ("commit", commits), ("rollback", rolled_back), ("checkin", given_back)
    )  # fmt: skip
    for name, listener in listeners:
        event.listen(engine, name, listener)
    try:
        yield noted
    finally:
        for name, listener in listeners:
            event.remove(engine, name, listener)


def begun(folder: Path, file: str, columns: Sequence[str] = (), scorer: str = "") -> subprocess.Popen[str]:
    """Begin an import in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.one_import", str(folder), "--file", file, "--scorer", scorer]
    command += [part for column in columns for part in ("--column", column)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for a process that measures, and return what it printed.

    Raises
    ------
    SystemExit
        It failed; with what it said.
    """
    said, errors = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"It could not be measured:\n{errors[-4000:]}")
    row: dict[str, Any] = json.loads(said.splitlines()[-1])
    return row


if __name__ == "__main__":
    main()
