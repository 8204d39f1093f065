"""Import of a judge's run from each format that is read, and of a rule's: ``python -m benchmarks.judge_formats``.

Makes a temporary SQLite database with a study of so many answers of 16 models, writes a judge's verdicts on all of them
in each format, and imports each file, and lets a rule score the same answers, in a process of its own on a copy of the
study. Printed is a table with a line for each as soon as it is measured: processor seconds and the peak of the process,
each also as a ratio to our own table's, seconds, and the longest writing transaction with what it wrote; what is over
the target of 500 MB is marked. With ``--verdicts 1600000 --only marcus score`` the largest are measured; with
``--folder`` the study is made once. A file that is larger than what is taken is named and passed over.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import judge_import, one_import
from benchmarks.judge_import import MODELS, PROTOCOL
from benchmarks.one_import import STUDY
from benchmarks.serving import console, end_when_told
from db.engine import DATABASE_FILE
from db.migrate import upgrade
from exchange.judge_verdicts import LARGEST_FILE
from services.people import identity
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members

VERDICTS, DRAWN, MOST_MB = 100_000, 200, 500.0
DECLARED = "attributes: {items: {image_path: text}}\n"
# Of a rule, which reads no file.
SCORE, RULE = "score", "exact_match"
HEADER = (
    f"{'':<14} {'verdicts':>10} {'processor, s':>12} {'ratio':>6} {'MB':>6} {'ratio':>6} {'s':>8} {'writing, s':>12}"
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """One format: what its file is called, how a verdict stands in it, and what has to be said of it."""

    file: str
    row: Callable[[int, str], Row]
    write: Callable[[Path, Iterable[Row]], None]
    columns: Sequence[str] = ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--verdicts", type=int, default=VERDICTS)
    parser.add_argument("--only", nargs="+", choices=[*FORMATS, SCORE], default=[*FORMATS, SCORE])
    parser.add_argument("--folder", type=Path, help="where the study is kept, or was kept by an earlier measurement")
    options = parser.parse_args()
    end_when_told()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="blindread-judge-formats-"))
    try:
        if not (folder / "made").exists():
            make(folder, options.verdicts)
        own: dict[str, Any] = {}
        console.print(HEADER)
        # Our own table comes first: the others are held against it.
        for key in dict.fromkeys(("csv", *options.only)):
            result = _measured(folder, key, options.verdicts)
            if result is None:
                console.print(f"{key}: a file of so many verdicts has more than {LARGEST_FILE // 10**6} MB")
                continue
            own = own or result
            console.print(_line(key, result, own))
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


def make(folder: Path, rows: int) -> None:
    """Make a frozen study with so many answers."""
    folder.mkdir(parents=True, exist_ok=True)
    database = one_import.opened(folder)
    upgrade(database.engine)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = identity.actor_for_command_line(database)
    drawn = min(DRAWN, rows // 2)
    study = judge_import.write_study(folder / "study", rows, drawn)
    (study / "protocol.yaml").write_text(PROTOCOL.format(name=STUDY, size=drawn) + DECLARED, encoding="utf-8")
    _declare_images(study / "items.csv")
    importing.import_study(database, admin, study, key=STUDY)
    members.invite(database, admin, STUDY, "rater-1", "Rater 1", "rater")
    freezing.freeze_study(database, admin, STUDY)
    database.engine.dispose()
    shutil.rmtree(study)
    # Written last: it says that the study is whole.
    (folder / "made").touch()


def _declare_images(items: Path) -> None:
    lines = items.read_text(encoding="utf-8").splitlines()
    with items.open("w", encoding="utf-8") as file:
        file.write(f"{lines[0]},image_path\n")
        file.writelines(f"{line},images/{line.partition(',')[0]}.png\n" for line in lines[1:])


def write_file(folder: Path, key: str, rows: int) -> Path:
    """Write a judge's verdicts on all answers in a format; the same verdicts in each."""
    wanted, dice, file = FORMATS[key], random.Random(3), folder / FORMATS[key].file
    wanted.write(file, (wanted.row(n, ("incorrect", "correct")[dice.random() < 0.7]) for n in range(rows)))
    return file


def _own(n: int, verdict: str) -> Row:
    return {"item": f"i{n // MODELS}", "candidate": f"k{n}", "verdict": verdict, "explanation": "It names it."}


def _mapped(n: int, verdict: str) -> Row:
    return {"answer_id": f"k{n}", "score": {"grade": verdict, "why": "It names it."}}


def _marcus(n: int, verdict: str) -> Row:
    item = n // MODELS
    return {
        "case_id": f"c{item // 5}",
        "question": f"Is finding {item} there?",
        "ground_truth": "yes",
        f"model-{n % MODELS}": "It is there.",
        "eval_label": verdict,
        "explanation": "It names it.",
    }


def _neurovlm(n: int, verdict: str) -> Row:
    return {
        "experiment_id": f"run_{n:06}",
        "api_response": {"model": f"model-{n % MODELS}", "total_tokens": 1290},
        "input": {"image_path": f"images/i{n // MODELS}.png", "model_requested": f"model-{n % MODELS}"},
        "output": {"parsed_response": {"verdict": verdict}, "status": "success", "error": None},
    }


def _inspect(n: int, verdict: str) -> Row:
    # A log is of one model: those of all models in one say in each sample whose answer it is.
    return {
        "id": f"i{n // MODELS}",
        "epoch": 1,
        "metadata": {"model": f"model-{n % MODELS}"},
        "output": {"completion": "It is there."},
        "scores": {"grader": {"value": verdict[0].upper(), "explanation": "It names it."}},
    }


def _healthbench(n: int, verdict: str) -> Row:
    return {
        "prompt_id": f"i{n // MODELS}",
        "completion_id": f"k{n}",
        "rubric": "yes",
        "completion": "It is there.",
        "criteria_met": verdict == "correct",
    }


def _write_csv(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(_own(0, "")))
        writer.writeheader()
        writer.writerows(rows)


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _write_array(path: Path, rows: Iterable[Row]) -> None:
    _write_enclosed(path, "[", rows, "]")


def _write_log(path: Path, rows: Iterable[Row]) -> None:
    _write_enclosed(path, '{"version": 2, "eval": {"model": "several"}, "samples": [', rows, "]}")


def _write_enclosed(path: Path, before: str, rows: Iterable[Row], after: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(before)
        for number, row in enumerate(rows):
            file.write((",\n" if number else "\n") + json.dumps(row))
        file.write(after)


def _write_archive(path: Path, rows: Iterable[Row]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", '{"version": 2, "eval": {"model": "several"}}')
        for number, row in enumerate(rows):
            archive.writestr(f"samples/{number}.json", json.dumps(row))


_MODEL = ("model=metadata.model",)
_MAPPED = ("candidate=answer_id", "verdict=score.grade", "explanation=score.why")
FORMATS = {
    "csv": Format("own.csv", _own, _write_csv),
    "jsonl": Format("own.jsonl", _own, _write_lines),
    "array": Format("own.json", _own, _write_array),
    "mapped": Format("mapped.jsonl", _mapped, _write_lines, _MAPPED),
    "marcus": Format("marcus.jsonl", _marcus, _write_lines),
    "marcus-array": Format("marcus.json", _marcus, _write_array),
    "neurovlm": Format("neurovlm.jsonl", _neurovlm, _write_lines),
    "healthbench": Format("healthbench.jsonl", _healthbench, _write_lines),
    "inspect-json": Format("inspect.json", _inspect, _write_log, _MODEL),
    "inspect-eval": Format("inspect.eval", _inspect, _write_archive, _MODEL),
}


def asked_for(key: str) -> tuple[str, Sequence[str], str]:
    """Return the file that is imported, its columns, and the rule that scores where there is no file."""
    return ("", (), RULE) if key == SCORE else (FORMATS[key].file, FORMATS[key].columns, "")


def _measured(folder: Path, key: str, rows: int) -> dict[str, Any] | None:
    """Measure on a copy, so that each finds the study as it was made; None where the file is too large to be taken."""
    with tempfile.TemporaryDirectory(prefix="blindread-judge-formats-") as place:
        shutil.copy(folder / DATABASE_FILE, place)
        if key != SCORE and write_file(Path(place), key, rows).stat().st_size > LARGEST_FILE:
            return None
        return one_import.result_of(one_import.begun(Path(place), *asked_for(key)))


def _line(key: str, result: dict[str, Any], own: dict[str, Any]) -> str:
    """Return a line of the table; the ratios are to our own table."""
    over = f"  over {MOST_MB:g} MB" if result["peak"] > MOST_MB else ""
    return (
        f"{key:<14} {result['judged']:>10,.0f} {result['processor']:>12.1f} "
        f"{result['processor'] / own['processor']:>6.1f} {result['peak']:>6.0f} "
        f"{result['peak'] / own['peak']:>6.1f} {result['seconds']:>8.1f} {result['longest']:>12.2f}{over}\n"
        f"{'':<14} the longest: {result['longest_was']}"
    )


if __name__ == "__main__":
    main()
