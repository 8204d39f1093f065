"""Writes the demo study as a complete study folder: tables, protocol and scans.

Run `python -m studies.demo.build FOLDER`. Some tables are files beside this one (items, references, candidates, a
judge's verdicts, the protocol); cases and volumes are written from `cases.py`, so that they cannot contradict the
voxels.
"""

import argparse
import csv
import gzip
import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from studies.demo.cases import CASES, Case, Scan, Sequence
from studies.demo.volumes import Grid, make_volume, source_file

HERE = Path(__file__).parent
COPIED = ("protocol.yaml", "items.csv", "references.csv", "candidates.csv", "judge_verdicts.csv")
STAMP = "volumes/.made-from"
Progress = Callable[[int, int, str], None]


def build(target: Path, *, progress: Progress | None = None, step: float = 1.0) -> Path:
    """Write the study folder of the demo.

    A second call on the same folder rewrites the tables and leaves the scans as they are, as long as neither their
    specification nor the code that makes them has changed. An interrupted call is made good by the next one.

    Parameters
    ----------
    target
        The folder; made if missing.
    progress
        Called before each scan with its number from 0, the number of scans, and its name; and at the end with both
        numbers equal.
    step
        Distance of neighbouring voxels in mm. 1 is for readers; 4 makes the whole folder in two seconds, for tests.

    Returns
    -------
    Path
        `target`.
    """
    (target / "volumes").mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(HERE / name, target / name)
    _write(target / "cases.csv", ("case", "subject", "vignette", "age", "note"), (_case_row(case) for case in CASES))
    _write(
        target / "volumes.csv",
        ("volume", "case", "role", "sequence", "acquired", "file", "label"),
        (_volume_row(*scan) for scan in scans()),
    )
    _write_volumes(target, Grid(step), progress or (lambda done, total, name: None))
    return target


def scans() -> list[tuple[Case, str, Scan, Sequence]]:
    """Return (case, role, scan, sequence) of every volume of the demo, case by case."""
    return [
        (case, role, scan, sequence) for case in CASES for role, scan in case.scans() for sequence in scan.sequences
    ]


def volume_key(case: Case, role: str, sequence: str) -> str:
    """Return the key of one volume, which is also the name of its file."""
    return f"{case.key}-{role}-{sequence.lower()}"


def _case_row(case: Case) -> tuple[object, ...]:
    made = "; ".join(f"{role}: {_findings(scan)}" for role, scan in case.scans())
    return case.key, case.subject, case.vignette, case.age, f"Simulated. Made with {made}."


def _findings(scan: Scan) -> str:
    findings = [f"{lesion.kind} {lesion.side} {lesion.region}, radius {lesion.radius:g} mm" for lesion in scan.lesions]
    if scan.enlarged_ventricle:
        findings.append(f"{scan.enlarged_ventricle} lateral ventricle enlarged")
    return ", ".join(findings) or "no finding"


def _volume_row(case: Case, role: str, scan: Scan, sequence: str) -> tuple[object, ...]:
    key = volume_key(case, role, sequence)
    # One label for all volumes of a sequence, whether or not anything was put into them: it must not tell.
    return (
        key, case.key, role, sequence, scan.acquired.isoformat(), f"volumes/{key}.nii.gz", f"{sequence} (simulated)",
    )  # fmt: skip


def _write(path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def _write_volumes(target: Path, grid: Grid, progress: Progress) -> None:
    wanted = scans()
    stamp = target / STAMP
    recipe = _recipe(grid)
    paths = [target / "volumes" / f"{volume_key(case, role, sequence)}.nii.gz" for case, role, _, sequence in wanted]
    if stamp.is_file() and stamp.read_text() == recipe and all(path.is_file() for path in paths):
        progress(len(wanted), len(wanted), "")
        return
    stamp.unlink(missing_ok=True)
    # One person's volumes after another, as the anatomy that they share is made once for those that follow each other.
    in_turn = sorted(zip(wanted, paths, strict=True), key=lambda volume: volume[0][0].subject)
    for number, ((case, _, scan, sequence), path) in enumerate(in_turn):
        progress(number, len(wanted), path.name)
        content = make_volume(case, scan, sequence, grid).to_bytes()
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))
        unfinished.replace(path)
    stamp.write_text(recipe)
    progress(len(wanted), len(wanted), "")


def _recipe(grid: Grid) -> str:
    """Return a hash over everything that the scans are made from."""
    digest = hashlib.sha256(repr(grid).encode())
    for path in (HERE / "cases.py", HERE / "volumes.py", source_file()):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write the demo study as a study folder.")
    parser.add_argument("target", type=Path, help="folder to write")
    target = parser.parse_args().target
    build(target, progress=lambda done, total, name: print(f"{done}/{total} {name}".rstrip(), flush=True))
    print(f"The demo study is in {target}.")


if __name__ == "__main__":
    _main()
