"""The pages for authors: the study on each is imported, worked through and exported just as it is written there."""

from __future__ import annotations

import csv
import io
import random
import re
from pathlib import Path

import pytest

from db import Database
from services.studies.folders import checking
from services.studies.freeze import freezing
from studies.examples import shapes
from tests.listed_study import closed_tables, drawn_answers, imported_listed, work_through
from tests.situations import write_volume

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
# The groups of those who work in the study of a page.
PEOPLE = {
    "score-answers": ("", ""),
    "read-scans": ("", ""),
    "review-items": ("experts", "experts", "curators"),
    "code-errors": ("", ""),
    "compare-answers": ("", ""),
}
EVERY = pytest.mark.parametrize("page", PEOPLE)


def text_of(page: str) -> str:
    return (PAGES / f"{page}.md").read_text(encoding="utf-8")


def written(page: str, folder: Path) -> Path:
    """Write the study on a page: its protocol, its tables under the names that stand above them, and scans."""
    folder.mkdir()
    text = text_of(page)
    section = text.partition("## The tables\n")[2].partition("\n## ")[0]
    names = re.findall(r"`(\w+\.csv)`(?=[^\n`]*(?:`\w+\.csv`)?[^\n]*:)", section)
    for name, table in zip(names, re.findall(r"```csv\n(.*?)```", section, re.DOTALL), strict=True):
        (folder / name).write_text(table, encoding="utf-8")
        if name == "volumes.csv":
            for number, row in enumerate(csv.DictReader(io.StringIO(table))):
                write_volume(folder / row["file"], seed=number)
    (protocol,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    return folder


@EVERY
def test_the_study_on_a_page_is_taken_as_it_stands(page: str, tmp_path: Path) -> None:
    assert checking.validated_folder(written(page, tmp_path / "study")).items


@EVERY
def test_the_study_on_a_page_is_worked_through_to_its_data_files(
    page: str, sqlite_database: Database, tmp_path: Path
) -> None:
    groups = PEOPLE[page]
    situation = imported_listed(
        sqlite_database, written(page, tmp_path / "study"), len(groups), groups=groups if any(groups) else ()
    )
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    rng = random.Random(2)

    seen = work_through(situation, lambda payload: drawn_answers(payload, rng))

    tables = closed_tables(situation)
    assert {row["status"] for row in tables["verdicts.csv"]} == {"answered"}
    assert len(tables["verdicts.csv"]) == len(seen) > 0
    phases = set(re.findall(r"- key: (\w+)", text_of(page)))
    assert {row["phase"] for row in tables["fields.csv"]} == phases


def test_every_shape_is_on_the_page_of_what_it_serves() -> None:
    named = {shape for page in PEOPLE for shape in re.findall(r"^\|.*\| `(\w+)` \|$", text_of(page), re.MULTILINE)}

    assert named == {shape.name for shape in shapes()}
