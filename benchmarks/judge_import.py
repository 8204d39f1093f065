"""Import of a judge's run of any size while a rater submits: ``python -m benchmarks.judge_import``.

Makes a temporary SQLite database with a study of which 2,000 answers were drawn and marked by three raters, imports a
run about every answer in a process of its own while one of the raters goes on submitting from another, and calibrates
the judge. Printed are the time, the peak of the process, the longest writing transaction with what it wrote, the
longest wait of the rater, and what the calibration takes after the start of a program and again. With
``--verdicts 1600000`` it takes about ten minutes, and 2 GB of disk; with ``--folder`` the study is made once.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, col, select

from benchmarks import one_import
from benchmarks.memory import memory_now
from benchmarks.one_import import FIELD, STUDY, opened
from benchmarks.serving import console, end_when_told
from db import Assignment, Database, Verdict
from db.migrate import upgrade
from services.people import identity
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import instructions, submission, worklist
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members

VERDICTS, LABELS, MODELS, RATERS, AT_ONCE = 20_000, 2_000, 16, 3, 5_000
# Assignments of the first rater that are left to be submitted during the import.
LEFT_OPEN = 1_000
THINKS_SECONDS = 0.1
JUDGE_FILE = "judge.csv"
PROTOCOL = """
blindread: 2
name: {name}
title: A study with a judge
phases:
  - key: score
    rates: candidates
    from: {{sample: {{size: {size}}}}}
    shows: [prompt, reference, candidate]
    form: {{verdict: correctness}}
analysis:
  primary: {{estimate: agreement, of: score.verdict}}
"""
# What is measured, with its target: name in the results, words, unit, most.
TARGETS = (
    ("seconds", "import", "s", 300.0),
    ("processor", "of the processor", "s", None),
    ("peak", "peak of its process", "MB", 500.0),
    ("longest", "longest writing transaction", "s", 1.0),
    ("waited", "longest wait of the rater's submit", "s", None),
    ("cold", "calibration, first time", "s", 20.0),
    ("warm", "calibration, again", "s", 5.0),
    ("calibrating", "of the processor, each", "s", None),
    ("held", "peak of its process", "MB", 3000.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--verdicts", type=int, default=VERDICTS)
    parser.add_argument("--labels", type=int, default=LABELS)
    parser.add_argument("--folder", type=Path, help="where the study is kept, or was kept by an earlier measurement")
    parser.add_argument("--calibrate", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.calibrate:
        print(json.dumps(calibrated(options.folder)))
        return
    end_when_told()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="blindread-judge-import-"))
    try:
        if not (folder / JUDGE_FILE).exists():
            make(folder, options.verdicts, options.labels).engine.dispose()
        with tempfile.TemporaryDirectory(prefix="blindread-judge-import-") as place:
            # The study itself stays as it was made, so that it can be measured again.
            _print(measured(shutil.copytree(folder, Path(place) / "study")))
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


def make(folder: Path, verdicts: int, labels: int) -> Database:
    """Make a frozen study with so many answers, of which so many are drawn and marked, and the file of a judge."""
    folder.mkdir(parents=True, exist_ok=True)
    database = opened(folder)
    upgrade(database.engine)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = identity.actor_for_command_line(database)
    importing.import_study(database, admin, write_study(folder / "study", verdicts, labels), key=STUDY)
    for number in range(1, RATERS + 1):
        members.invite(database, admin, STUDY, f"rater-{number}", f"Rater {number}", "rater")
    freezing.freeze_study(database, admin, STUDY)
    with database.writing() as session:
        _mark(session, min(LEFT_OPEN, labels // 2))
    # Written last: it says that the study is whole.
    write_verdicts(folder / JUDGE_FILE, verdicts)
    return database


def write_study(folder: Path, answers: int, drawn: int) -> Path:
    """Write a study of answers of so many models; five items share a subject."""
    folder.mkdir(parents=True)
    items = -(-answers // MODELS)
    (folder / "protocol.yaml").write_text(PROTOCOL.format(name=STUDY, size=drawn), encoding="utf-8")
    _write(folder / "cases.csv", "case,subject", ((f"c{n}", f"s{n}") for n in range(-(-items // 5))))
    _write(
        folder / "items.csv",
        "item,case,category,format,prompt",
        ((f"i{n}", f"c{n // 5}", f"category {n % 9}", "yes_no", f"Is finding {n} there?") for n in range(items)),
    )
    _write(
        folder / "references.csv", "item,accepted,provenance", ((f"i{n}", "yes", "made up") for n in range(items))
    )  # fmt: skip
    _write(
        folder / "candidates.csv",
        "candidate,item,model,answer",
        ((f"k{n}", f"i{n // MODELS}", f"model-{n % MODELS}", "It is there.") for n in range(answers)),
    )
    return folder


def write_verdicts(file: Path, verdicts: int) -> None:
    """Write a judge's verdicts on all answers; 1 in 50 is an error."""
    dice = random.Random(3)
    _write(
        file,
        "item,candidate,verdict,error,explanation",
        (
            (f"i{n // MODELS}", f"k{n}", "", "timeout", "")
            if n % 50 == 0
            else (f"i{n // MODELS}", f"k{n}", ("incorrect", "correct")[dice.random() < 0.7], "", "It names it.")
            for n in range(verdicts)
        ),
    )


def _write(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(header + "\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)


def _mark(session: Session, left_open: int) -> None:
    """Let raters mark what was dealt to them, as the judge or not, but for the last assignments of the first one."""
    dice = random.Random(1)
    assignments = session.exec(
        select(Assignment).order_by(col(Assignment.membership_id), col(Assignment.position))
    ).all()
    first = assignments[0].membership_id
    of_first = [assignment for assignment in assignments if assignment.membership_id == first]
    open_ones = {assignment.id for assignment in of_first[len(of_first) - left_open :]}
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        {
            "assignment_id": each.id, "fields": {"verdict": ("incorrect", "correct")[dice.random() < 0.7]},
            "comment": "", "shown_at": moment, "submitted_at": moment, "active_ms": 9_000, "idle_ms": 0,
            "load_ms": 100, "renderer": "webgl2", "viewport": "1440x900", "software_version": "benchmark",
            "freeze_sha256": "0" * 64, "receipt": f"{number:09}", "idempotency_key": f"{number:064}",
            "content_sha256": "0" * 64,
        }
        for number, each in enumerate(assignments)
        if each.id not in open_ones
    ]  # fmt: skip
    for start in range(0, len(rows), AT_ONCE):
        session.execute(insert(Verdict), rows[start : start + AT_ONCE])


def measured(folder: Path) -> dict[str, Any]:
    """Import in one process while a rater submits in this one, then calibrate in a third."""
    database = opened(folder)
    process = one_import.begun(folder, JUDGE_FILE)
    waits = list(submits(database, lambda: process.poll() is None))
    taken = one_import.result_of(process)
    admin = identity.actor_for_command_line(database)
    data_lock.close_study(database, admin, STUDY, "Measured to its end.")
    database.engine.dispose()
    command = [sys.executable, "-m", "benchmarks.judge_import", "--calibrate", "--folder", str(folder)]
    calibrated = one_import.result_of(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    )  # fmt: skip
    return {**taken, **calibrated, "waited": max(waits, default=0.0), "submitted": len(waits)}


def submits(database: Database, is_running: Callable[[], bool]) -> Iterator[float]:
    """Submit as the first rater until something is over; yield how long each submit took."""
    rater = _first_rater(database)
    queue = worklist.desks_of(database, rater)[0].queue.key
    instructions.acknowledge_instructions(database, rater, STUDY, queue)
    while is_running():
        payload = submission.current_payload(database, rater, STUDY, queue)
        if payload["kind"] != "item":
            return
        submission.record_display(
            database, rater, payload["assignment"], load_ms=100, renderer="benchmark", viewport="1440x900"
        )
        answers = {"fields": {"verdict": "correct"}, "not_assessable": None, "comment": "", "flag": None}
        begun = time.perf_counter()
        submission.submit(database, rater, payload["assignment"], payload["key"], answers)
        yield time.perf_counter() - begun
        time.sleep(THINKS_SECONDS)


def _first_rater(database: Database) -> Actor:
    token = identity.use_link(database, identity.make_link(database, "rater-1", "sign_in"), None)
    actor = identity.actor_of_token(database, token)
    if actor is None:
        raise SystemExit("The rater cannot sign in.")
    return actor


def calibrated(folder: Path) -> dict[str, float]:
    """Calibrate in this process, as the page does first and again."""
    # The import is measured without what a report needs.
    from services.report import calibration

    database = opened(folder)
    admin = identity.actor_for_command_line(database)
    took, processor = [], time.process_time()
    for _ in range(2):
        begun = time.perf_counter()
        calibration.in_words(calibration.calibration_of(database, admin, STUDY, FIELD, [JUDGE_FILE]))
        took.append(time.perf_counter() - begun)
    processor = (time.process_time() - processor) / len(took)
    return {"cold": took[0], "warm": took[1], "calibrating": processor, "held": memory_now("VmHWM") / 1e6}


def _print(result: dict[str, Any]) -> None:
    console.print(
        f"{result['verdicts']:,.0f} verdicts in {result['transactions']:,.0f} transactions, "
        f"{result['submitted']:,.0f} submits of a rater meanwhile"
    )
    for key, words, unit, most in TARGETS:
        target = "" if most is None else f" (target at 1.6 million: under {most:g} {unit})"
        what = f": {result['longest_was']}" if key == "longest" else ""
        console.print(f"{words}: {result[key]:.2f} {unit}{target}{what}")


if __name__ == "__main__":
    main()
