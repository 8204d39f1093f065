"""Time and memory of reports in both languages: ``python -m benchmarks.listed_reports``.

Each line is a process of its own on a temporary SQLite database with made-up verdicts: 200 items that ten raters have
read, and 10,000 items of which eight raters have marked an answer each, as a study that lists its phases and as one of
the first language. Printed are processor seconds, reading included, the peak of the process, and how long each part of
the report took.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.memory import memory_now
from benchmarks.read_study import STUDY, read_study
from benchmarks.serving import console, end_when_told
from benchmarks.sizes import slowness
from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.people import identity
from services.progress import data_lock
from services.report import build, listed
from services.report.sections import phases

READS = """
blindread: 2
name: read
title: A study that has been read
phases:
  - key: read
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item, confidence: {type: confidence, steps: 5, means: [0.1, 0.3, 0.5, 0.7, 0.9]}}
    not_assessable: [{id: quality, text: Image quality}]
analysis:
  primary: {estimate: agreement, of: read.answer}
  tables: [category]
"""
MARKS = """
blindread: 2
name: read
title: A study that has been marked
phases:
  - key: PHASE
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {FIELD}
"""
SCORES = MARKS.replace("PHASE", "score").replace("{FIELD}", "{verdict: correctness}")
RATES = MARKS.replace("PHASE", "rate").replace(
    "{FIELD}", "{quality: {type: ordinal, options: {'1': Poor, '2': Weak, '3': Fair, '4': Good, '5': Excellent}}}"
)
# What is in a study, and its target.
FEW = {"raters": 10, "items": 200}
MANY = {"raters": 8, "items": 10_000, "scored": 10_000}
LINES: dict[str, tuple[dict[str, Any], str]] = {
    "200 items, 10 raters: reads, first language": (FEW, "3 s"),
    "200 items, 10 raters: reads, phases listed": (FEW | {"listed": READS}, "3 s"),
    "10,000 items, 80,000 marks: reads and scores, first language": (MANY, "30 s, 1000 MB"),
    "10,000 items, 80,000 marks: correct or not, phases listed": (MANY | {"listed": SCORES}, "30 s, 1000 MB"),
    "10,000 items, 80,000 marks: from 1 to 5, phases listed": (MANY | {"listed": RATES}, "30 s, 1000 MB"),
}
# The parts of a report, by where they are called.
PARTS: dict[Any, tuple[str, ...]] = {
    build: (
        "load_rows", "accuracy_section", "floors_section", "agreement_section", "disagreements_section",
        "scoring_section", "judges_section", "completeness_section", "viewing_section", "study_section", "data_files",
    ),
    listed: ("load_listed", "ratings_of", "_intervals", "plan_section", "listed_completeness", "listed_files"),
    phases: ("topic_table", "matrices_of"),
}  # fmt: skip


@contextmanager
def parts_timed() -> Iterator[dict[str, float]]:
    """Count the processor seconds of each part of the reports that are computed meanwhile; of tables by their key."""
    spent: dict[str, float] = {}

    def timed(name: str, part: Any) -> Any:
        def run(*given: Any, **named: Any) -> Any:
            start = time.process_time()
            made = part(*given, **named)
            said = f"{name} {made.key}" if name == "topic_table" else name.removeprefix("_")
            spent[said] = spent.get(said, 0.0) + time.process_time() - start
            return made

        return run

    before = [(module, name, getattr(module, name)) for module, names in PARTS.items() for name in names]
    for module, name, part in before:
        setattr(module, name, timed(name, part))
    try:
        yield spent
    finally:
        for module, name, part in before:
            setattr(module, name, part)


def reported(folder: Path) -> dict[str, Any]:
    """Compute the report of a study; return its processor seconds, MB at most, and what its parts took."""
    database = Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)
    try:
        admin = identity.actor_for_command_line(database)
        start = time.process_time()
        with parts_timed() as spent:
            build.build_report(database, admin, STUDY)
        return {"seconds": time.process_time() - start, "peak": memory_now("VmHWM") / 1e6, "parts": spent}
    finally:
        database.engine.dispose()


def made(folder: Path, given: dict[str, Any]) -> None:
    """Make a study that is read and closed."""
    database = read_study(folder, **given)
    try:
        admin = identity.actor_for_command_line(database)
        data_lock.close_study(database, admin, STUDY, "Measured.")
    finally:
        database.engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", type=int, nargs="+", metavar="LINE", help="the numbers of the lines, from 1")
    parser.add_argument(
        "--parts", type=int, default=6, help="so many parts of each report are named, the longest first"
    )
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        end_when_told()
        if options.make is not None:
            made(options.measure, list(LINES.values())[options.make][0])
        else:
            print(json.dumps(reported(options.measure)))
        return
    _print([number - 1 for number in options.only or range(1, len(LINES) + 1)], options.parts)


def _print(numbers: list[int], parts: int) -> None:
    slower = slowness()
    console.print(f"A plain loop takes {slower:.1f} times what it takes where the targets are meant.")
    table = Table(title="Reports")
    for column in ("", "processor, s", "scaled, s", "MB at most", "target", "of which, s"):
        table.add_column(column, justify="right" if column not in ("", "of which, s") else "left")
    for number in numbers:
        name = list(LINES)[number]
        folder = Path(tempfile.mkdtemp(prefix="blindread-reports-"))
        try:
            _run("--make", str(number), "--measure", str(folder / "data"))
            took = json.loads(_run("--measure", str(folder / "data")).splitlines()[-1])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        longest = sorted(took["parts"].items(), key=lambda part: -part[1])[:parts]
        table.add_row(
            name, f"{took['seconds']:.1f}", f"{took['seconds'] / slower:.1f}", f"{took['peak']:.0f}", LINES[name][1],
            "\n".join(f"{part.removeprefix('topic_table ')} {seconds:.1f}" for part, seconds in longest),
        )  # fmt: skip
    console.print(table)


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.listed_reports", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"A report could not be measured:\n{done.stderr[-4000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
