"""The tiny study of which a version is made: items are added, and a prompt is corrected."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from db import Database
from services.studies.versions import making
from tests.following_study import plain
from tests.listed_study import opened_listed
from tests.situations import Situation, on_the_desk, show, submit, write_table, write_volume

READS = """
blindread: 2
name: listed
title: Reads
instructions: Read every item.
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    order: as_listed
"""
WITH_REFERENCE = """  - key: score
    title: Scores
    question: Does it say the same as the reference?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
"""
REASON = "A prompt was misspelt, and a case came in."


def opened_for_versions(
    database: Database, folder: Path, protocol: str = READS, groups: Sequence[str] = (), raters: int = 2
) -> Situation:
    """Open the tiny study with such a protocol, nothing of it read."""
    return opened_listed(database, folder, protocol, raters, groups=groups)


def changed_cell(table: str, key: str, column: str, value: str) -> Callable[[Path], None]:
    """Return what writes another value into one cell of a table, whose line has this key in its first column."""

    def change(folder: Path) -> None:
        path = folder / table
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        place = lines[0].index(column)
        for line in lines[1:]:
            if line[0] == key:
                line[place] = value
        write_table(path, ",".join(lines[0]), lines[1:])

    return change


corrected_prompt = changed_cell("items.csv", "i1", "prompt", "Is there a lesion?")


def without_item(folder: Path) -> None:
    """Take the last item, which has no candidates, out of the tables."""
    for table in ("items.csv", "references.csv"):
        path = folder / table
        lines = path.read_text("utf-8").splitlines()
        path.write_text("\n".join(line for line in lines if not line.startswith("i6,")) + "\n", "utf-8")


def one_more_case(folder: Path, name: str = "c4", item: str = "i7", subject: str = "subject-4") -> None:
    """Add a case with a scan, an item and a candidate to the tables."""
    write_volume(folder / "volumes" / f"{name}-t1.nii.gz", seed=zlib.crc32(name.encode()))
    for table, line in (
        ("cases.csv", f"{name},{subject},A vignette,61,"),
        ("volumes.csv", f"{name}-t1,{name},current,T1,2024-06-01,volumes/{name}-t1.nii.gz,T1"),
        ("items.csv", f"{item},{name},presence,yes_no,image_grounded,yes_no,Prompt of {item}?,,T1,false"),
        ("references.csv", f"{item},yes,,,no,by construction"),
        ("candidates.csv", f"k-{item},{item},model-a,Yes."),
    ):
        with (folder / table).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def new_version(situation: Situation, folder: Path, *changes: Callable[[Path], object]) -> making.Difference:
    """Change a study folder, and make a version of the study from it."""
    for change in changes:
        change(folder)
    return making.make_version(situation.database, situation.admin, situation.study_key, folder, REASON)


def read(situation: Situation, rater: int, most: int = 100, queue: str = "part-1") -> list[str]:
    """Let a rater answer, at most so many units; return the prompts that they were shown."""
    actor = situation.raters[rater]
    prompts: list[str] = []
    while len(prompts) < most and (payload := on_the_desk(situation, actor, queue))["kind"] == "item":
        show(situation, actor, payload)
        submit(situation, actor, payload, plain(payload))
        prompts.append(payload["prompt"])
    return prompts
