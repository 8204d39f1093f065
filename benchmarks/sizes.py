"""Time and memory of large studies until they are open: ``python -m benchmarks.sizes``.

Each line is a process of its own on a temporary SQLite database: a pool of 100,000 items with 200,000 candidates
is validated and imported, 500 items drawn from it are frozen for 10 raters, 100 items are frozen for 200 raters, and a
folder with a thousand errors is looked through. Printed are seconds, processor seconds, and the peak of the process. As
machines differ, so does the last column: processor seconds, divided by what a plain loop takes longer here than on a
machine that adds ten million numbers in 0.55 s.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.memory import memory_now
from benchmarks.serving import STUDY, console, end_when_told
from db import Database
from db.engine import DATABASE_FILE, make_engine
from db.migrate import upgrade
from exchange.refusal import InputRefused
from services.people import identity
from services.studies.folders import checking, importing, pool_files
from services.studies.freeze import freezing
from services.studies.membership import members

ITEMS, VOLUMES, MODELS, TEMPLATES, PER_SUBJECT = 100_000, 12_000, ("model A", "model B"), 178, 8
DRAWN, RATERS = 500, 10
FEW_ITEMS, MANY_RATERS = 100, 200
ERRORS = 1_000
# What ten million additions take on the machine for which the targets are meant, in seconds.
USUAL_LOOP = 0.55
ADDITIONS = 10_000_000

READS = """
blindread: 2
name: {name}
title: Reads
attributes: {{items: {{template: text}}}}
phases:
  - key: read
    rates: items
    from: {{sample: {{size: {size}}}}}
    shows: [scans, prompt, options]
    form: {{answer: as_item}}
"""
SCORES = """
  - key: score
    rates: candidates
    from: {sample: {size: 300, strata: model}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {after: read}
"""


@dataclass(frozen=True)
class Cost:
    """What something took: seconds, seconds of the processor, and the peak of the process in bytes."""

    seconds: float
    processor: float
    peak: int


def write_pool(folder: Path, items: int, volumes: int, size: int, candidates: int = 0) -> Path:
    """Write so many items about so many cases of one scan, none of which is there, with two models' answers to each."""
    folder.mkdir(parents=True)
    text = READS.format(name=STUDY, size=size) + (SCORES if candidates else "")
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    case_of = [number % volumes for number in range(items)]
    _write(folder / "cases.csv", "case,subject", ((f"c{n}", f"s{n // PER_SUBJECT}") for n in range(volumes)))
    _write(
        folder / "volumes.csv",
        "volume,case,role,sequence,acquired,file,label",
        ((f"v{n}", f"c{n}", "current", "T1", "", f"volumes/v{n}.nii.gz", "T1") for n in range(volumes)),
    )
    _write(
        folder / "items.csv",
        "item,case,category,format,prompt,options,sequences,template",
        (
            (f"i{n}", f"c{case}", f"category {n % 11}", "choice", f"On which side is finding {n} of this scan?",
             "left=Left|right=Right|both=Both sides|none=Neither side", "T1", f"t{n % TEMPLATES}")
            for n, case in enumerate(case_of)
        ),
    )  # fmt: skip
    _write(
        folder / "references.csv",
        "item,accepted,low,high,text_only_answer,provenance",
        ((f"i{n}", "left", "", "", "right", "by construction") for n in range(items)),
    )
    if candidates:
        _write(
            folder / "candidates.csv",
            "candidate,item,model,answer",
            (
                (f"k{n}", f"i{n // len(MODELS)}", MODELS[n % len(MODELS)], "The finding is on the left side, I think.")
                for n in range(candidates)
            ),
        )
    return folder


def write_errors(folder: Path, errors: int) -> Path:
    """Write a folder in which so many cells are wrong: a third each of formats, references and roles of scans."""
    write_pool(folder, errors, errors, 1)
    third = errors // 3
    for file, old, new, lines in (
        ("items.csv", ",choice,", ",chioce,", slice(1, 1 + third)),
        # No reference is called missing of an item in which something is wrong.
        ("references.csv", ",left,", ",leeft,", slice(1 + third, 1 + 2 * third)),
        ("volumes.csv", ",current,", ",curent,", slice(1 + 2 * third, None)),
    ):
        table = (folder / file).read_text("utf-8").splitlines(keepends=True)
        table[lines] = [line.replace(old, new) for line in table[lines]]
        (folder / file).write_text("".join(table), encoding="utf-8")
    return folder


def _write(path: Path, columns: str, rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split(","))
        writer.writerows(rows)


def _bring_in(folder: Path, missing: Sequence[str]) -> None:
    """Put a scan of its own in each place that is named: the smallest, since reading it is not what is measured."""
    # NumPy and nibabel are what a process has loaded that measures this.
    import nibabel
    import numpy as np

    rng = np.random.default_rng(1)
    (folder / "volumes").mkdir(exist_ok=True)
    for path in missing:
        voxels = rng.integers(1, 1_000, size=(12, 14, 10)).astype(np.int16)
        (folder / path).write_bytes(nibabel.Nifti1Image(voxels, np.eye(4)).to_bytes())


@contextmanager
def database_in(folder: Path) -> Iterator[Database]:
    """Make an empty database with an owner."""
    folder.mkdir(parents=True)
    database = Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)
    try:
        upgrade(database.engine)
        identity.ensure_owner(database, "admin", "Ada Admin")
        yield database
    finally:
        database.engine.dispose()


def measured(act: Callable[[], object]) -> Cost:
    """Do something in this process and say what it took."""
    # Forget the peak that preparing it has reached: the kernel's own count starts over.
    Path("/proc/self/clear_refs").write_text("5")
    start, processor = time.perf_counter(), time.process_time()
    act()
    return Cost(time.perf_counter() - start, time.process_time() - processor, memory_now("VmHWM"))


def validating(folder: Path, scale: float) -> Cost:
    """Validate the pool."""
    items = round(ITEMS * scale)
    study = write_pool(folder / "study", items, round(VOLUMES * scale), round(DRAWN * scale), 2 * items)
    return measured(lambda: checking.validated_folder(study))


def importing_pool(folder: Path, scale: float) -> Cost:
    """Import the pool, which validates it too."""
    items = round(ITEMS * scale)
    study = write_pool(folder / "study", items, round(VOLUMES * scale), round(DRAWN * scale), 2 * items)
    with database_in(folder / "data") as database:
        admin = identity.actor_for_command_line(database)
        return measured(lambda: importing.import_study(database, admin, study, key=STUDY))


def freezing_pool(folder: Path, scale: float) -> Cost:
    """Freeze what is drawn from the pool."""
    items = round(ITEMS * scale)
    study = write_pool(folder / "study", items, round(VOLUMES * scale), round(DRAWN * scale), 2 * items)
    return _frozen(folder, study, RATERS)


def freezing_for_many(folder: Path, scale: float) -> Cost:
    """Freeze few items for many raters."""
    items = round(FEW_ITEMS * scale)
    return _frozen(folder, write_pool(folder / "study", items, items, items), round(MANY_RATERS * scale))


def _frozen(folder: Path, study: Path, raters: int) -> Cost:
    with database_in(folder / "data") as database:
        admin = identity.actor_for_command_line(database)
        needs = importing.import_study(database, admin, study, key=STUDY).needs
        assert needs is not None
        _bring_in(study, needs.missing)
        pool_files.prepare_volumes(database, admin, STUDY, study)
        for number in range(1, raters + 1):
            members.invite(database, admin, STUDY, f"rater-{number}", f"Rater {number}", "rater")
        return measured(lambda: freezing.freeze_study(database, admin, STUDY))


def listing_errors(folder: Path, scale: float) -> Cost:
    """List what is wrong with a folder."""
    study = write_errors(folder / "study", round(ERRORS * scale))

    def look() -> None:
        try:
            checking.validated_folder(study)
        except InputRefused as refusal:
            assert refusal.count == round(ERRORS * scale), refusal.count
            return
        raise AssertionError("nothing was wrong")

    return measured(look)


# What is done, and its targets in seconds and MB.
LINES: dict[str, tuple[Callable[[Path, float], Cost], str]] = {
    f"{ITEMS:,} items, {2 * ITEMS:,} candidates: validated": (validating, "60 s, 1000 MB"),
    f"{ITEMS:,} items, {2 * ITEMS:,} candidates: imported": (importing_pool, "60 s, 1000 MB"),
    f"{DRAWN} drawn of {ITEMS:,} items, frozen for {RATERS} raters": (freezing_pool, "10 s"),
    f"{FEW_ITEMS} items, frozen for {MANY_RATERS} raters": (freezing_for_many, "5 s"),
    f"{ERRORS:,} errors of a folder, listed": (listing_errors, "5 s"),
}


def slowness() -> float:
    """Return how many times longer a plain loop takes here than where the targets are meant."""
    start, total = time.process_time(), 0
    for number in range(ADDITIONS):
        total += number
    return (time.process_time() - start) / USUAL_LOOP


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="this part of each number of items and raters")
    parser.add_argument("--only", type=int, nargs="+", metavar="LINE", help="the numbers of the lines, from 1")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    lines = list(LINES.values())
    if options.measure is not None:
        end_when_told()
        folder = Path(tempfile.mkdtemp(prefix="blindread-sizes-"))
        try:
            print(json.dumps(vars(lines[options.measure][0](folder, options.scale))))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    _print([number - 1 for number in options.only or range(1, len(lines) + 1)], options.scale)


def _print(numbers: Sequence[int], scale: float) -> None:
    slower = slowness()
    console.print(
        f"A loop of {ADDITIONS:,} additions takes {slower * USUAL_LOOP:.2f} s here: {slower:.1f} times 0.55 s."
    )
    table = Table(title="Large studies" + (f", {scale:g} of the size" if scale != 1 else ""))
    for column in ("", "seconds", "processor, s", "MB at most", "processor, scaled, s", "target"):
        table.add_column(column, justify="right" if column else "left")
    for number in numbers:
        name = list(LINES)[number]
        command = [sys.executable, "-m", "benchmarks.sizes", "--measure", str(number), "--scale", str(scale)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"'{name}' could not be measured:\n{done.stderr[-4000:]}")
        cost = Cost(**json.loads(done.stdout.splitlines()[-1]))
        table.add_row(
            name, f"{cost.seconds:.1f}", f"{cost.processor:.1f}", f"{cost.peak / 1e6:.0f}",
            f"{cost.processor / slower:.1f}", LINES[name][1],
        )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
