"""Memory that the verdicts of judges take when a report's rows are loaded: ``python -m benchmarks.judges``.

Fills a temporary SQLite database (8 runs over 200,000 candidates unless told otherwise) and prints, each from a process
of its own: the bytes that the columns hold for each verdict, by how much reading them raises the peak of the process,
and the same for one object per verdict with what the judge wrote. About half a minute.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.table import Table
from sqlmodel import Session, col, select

from benchmarks.memory import memory_now
from benchmarks.serving import STUDY, console, end_when_told
from db import Database, JudgeRun, JudgeVerdict, Study
from db.engine import DATABASE_FILE, make_engine
from db.migrate import upgrade
from protocol.scales import CORRECTNESS
from services.judging.verdict_columns import verdict_columns
from services.people import identity
from services.report.rows.loading import load_rows
from services.studies.folders import importing, starter
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.judged_runs import new_run

CANDIDATES, RUNS = 200_000, 8
EXPLANATION = "The answer names the same side and the same lobe as the reference, in other words. " * 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--measure", choices=sorted(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.folder, WAYS[options.measure])))
        return
    end_when_told()
    folder = Path(tempfile.mkdtemp(prefix="blindread-judges-"))
    try:
        _print(folder, options.candidates, options.runs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(folder: Path, candidates: int, runs: int) -> Database:
    """Make a database with a frozen study of so many more candidates, each judged in so many runs; 1 in 50 an error."""
    folder.mkdir(parents=True)
    database = Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)
    upgrade(database.engine)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = identity.actor_for_command_line(database)
    importing.import_study(database, admin, starter.new_study(folder / "study"), key=STUDY)
    members.invite(database, admin, STUDY, "rater-1", "Rater 1", "rater")
    freezing.freeze_study(database, admin, STUDY)
    with database.writing() as session:
        study = session.exec(select(Study)).one()
        connection = session.connection().connection.driver_connection
        assert connection is not None
        items = [row[0] for row in connection.execute("SELECT id FROM item ORDER BY id")]
        connection.executemany(
            "INSERT INTO candidate (study_id, item_id, key, model, answer) VALUES (?, ?, ?, ?, ?)",
            (
                (study.id, items[number % len(items)], f"more-{number}", f"model-{number % 5}", "The left side.")
                for number in range(candidates)
            ),
        )
        more = "SELECT id FROM candidate WHERE key LIKE 'more-%' ORDER BY id"
        ids = [row[0] for row in connection.execute(more)]
        for number in range(runs):
            run = new_run(session, int(study.id or 0), f"run {number}")
            connection.executemany(
                "INSERT INTO judge_verdict (run_id, candidate_id, verdict, error, explanation) VALUES (?, ?, ?, ?, ?)",
                _verdicts(int(run.id or 0), ids),
            )
    return database


def _verdicts(run_id: int, candidate_ids: list[int]) -> Iterator[tuple[Any, ...]]:
    for place, candidate_id in enumerate(candidate_ids):
        verdict = None if place % 50 == 0 else CORRECTNESS.names[(place + run_id) % 3 > 0]
        yield run_id, candidate_id, verdict, "timeout" if verdict is None else None, EXPLANATION


def _columns(session: Session) -> tuple[int, int, Any]:
    runs = session.exec(select(JudgeRun.id)).all()
    by_run = verdict_columns(session, {int(run or 0): CORRECTNESS for run in runs})
    verdicts = sum(len(columns) for columns in by_run.values())
    return verdicts, sum(columns.candidates.nbytes + columns.codes.nbytes for columns in by_run.values()), by_run


# Objects for all runs would need gigabytes: those of one are read, and counted per verdict.
def _objects(session: Session) -> tuple[int, int, Any]:
    first = select(JudgeRun.id).order_by(col(JudgeRun.id)).limit(1).scalar_subquery()
    by_candidate = {
        row.candidate_id: (row.verdict, row.error, row.explanation)
        for row in session.exec(select(JudgeVerdict).where(JudgeVerdict.run_id == first))
    }
    return len(by_candidate), 0, by_candidate


def _report_rows(session: Session) -> tuple[int, int, Any]:
    rows = load_rows(session, session.exec(select(Study)).one())
    held = [run.verdicts for run in rows.runs]
    return (
        sum(len(columns) for columns in held),
        sum(columns.candidates.nbytes + columns.codes.nbytes for columns in held),
        rows,
    )


WAYS: dict[str, Callable[[Session], tuple[int, int, Any]]] = {
    "columns": _columns,
    "objects": _objects,
    "rows": _report_rows,
}


def measured(folder: Path, way: Callable[[Session], tuple[int, int, Any]]) -> dict[str, float]:
    """Read in this process; return the verdicts, bytes of their arrays, growth of peak and standing memory, seconds."""
    database = Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)
    with database.read_only() as session:
        # The first statements load what every later one needs.
        session.exec(select(JudgeRun)).all()
        gc.collect()
        # Forget the peak that starting up has reached: the kernel's own count starts over.
        Path("/proc/self/clear_refs").write_text("5")
        before, start = memory_now("VmRSS"), time.perf_counter()
        verdicts, held, retained = way(session)
        seconds, peak = time.perf_counter() - start, memory_now("VmHWM")
    gc.collect()
    standing = memory_now("VmRSS")
    del retained
    return {
        "verdicts": verdicts, "held": held, "peak": peak - before, "stands": standing - before, "seconds": seconds,
    }  # fmt: skip


def _in_a_process(way: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.judges", "--measure", way, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"'{way}' could not be measured:\n{done.stderr[-4000:]}")
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def _print(folder: Path, candidates: int, runs: int) -> None:
    fill(folder / "bare", candidates, 0).engine.dispose()
    fill(folder / "judged", candidates, runs).engine.dispose()
    bare, rows = _in_a_process("rows", folder / "bare"), _in_a_process("rows", folder / "judged")
    columns, objects = _in_a_process("columns", folder / "judged"), _in_a_process("objects", folder / "judged")
    table = Table(title=f"{runs} runs x {candidates:,} candidates: what reading adds to its process")
    for column in ("", "verdicts", "peak, MB", "peak, bytes per verdict", "afterwards, MB", "seconds"):
        table.add_column(column, justify="right" if column else "left")
    for name, row in (
        ("the verdicts as columns", columns),
        ("one run as an object per verdict", objects),
        ("a report's rows, no judge", bare),
        ("a report's rows, all judges", rows),
    ):
        # A report's rows are more than verdicts.
        each = f"{row['peak'] / row['verdicts']:.0f}" if row in (columns, objects) else ""
        table.add_row(
            name, f"{row['verdicts']:,.0f}", f"{row['peak'] / 1e6:.0f}", each, f"{row['stands'] / 1e6:.0f}",
            f"{row['seconds']:.1f}",
        )  # fmt: skip
    console.print(table)
    ratio = (objects["peak"] / objects["verdicts"]) / (columns["peak"] / columns["verdicts"])
    console.print(f"The arrays hold {columns['held'] / columns['verdicts']:.1f} bytes per verdict.")
    peak, stands = ((rows[key] - bare[key]) / 1e6 for key in ("peak", "stands"))
    console.print(
        f"In a report's rows the verdicts add {peak:.0f} MB to the peak and {stands:.0f} MB to what stands afterwards; "
        "the target is below 200 MB."
    )
    console.print(f"An object per verdict takes {ratio:.0f} times the memory of the columns (peak, per verdict).")


if __name__ == "__main__":
    main()
