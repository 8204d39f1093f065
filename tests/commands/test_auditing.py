"""`manage.py blinding-audit`: its exit status says whether something leaks, its file what, and neither the value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from db import Database
from db.engine import database_from_environment
from services.studies.folders import importing
from services.studies.freeze import freezing
from tests.harness.command_line import invoke
from tests.room_study import change_item, rewrite, rows_of
from tests.situations import imported_study, open_study, write_study_folder

Run = Callable[..., Result]


@pytest.fixture
def commanded(sqlite_url: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The database that the command line opens."""
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(data_dir))
    database_from_environment.cache_clear()
    opened = database_from_environment()
    yield opened
    opened.engine.dispose()
    database_from_environment.cache_clear()


@pytest.fixture
def run(commanded: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: invoke("blinding-audit", *arguments)


def leaking(folder: Path) -> None:
    change_item(folder, "i1", prompt="What does model-a say to it?")


def test_a_clean_study_ends_with_status_0_and_a_file(commanded: Database, run: Run, tmp_path: Path) -> None:
    open_study(commanded, tmp_path / "study")

    done = run("tiny")

    assert done.exit_code == 0
    assert "20 assignments: no leak." in done.stdout
    assert json.loads((tmp_path / "blinding_audit_tiny.json").read_text("utf-8"))["result"] == "no leak"


def test_the_results_of_two_studies_lie_side_by_side(commanded: Database, run: Run, tmp_path: Path) -> None:
    situation = open_study(commanded, tmp_path / "study")
    other = write_study_folder(tmp_path / "other")
    importing.import_study(commanded, situation.admin, other, key="other")
    freezing.freeze_study(commanded, situation.admin, "other")

    run("tiny")
    run("other")

    assert {path.name for path in tmp_path.glob("*.json")} == {"blinding_audit_tiny.json", "blinding_audit_other.json"}


def test_a_leak_ends_with_status_1_and_is_not_named(commanded: Database, run: Run, tmp_path: Path) -> None:
    open_study(commanded, tmp_path / "study", changes=[leaking])

    done = run("tiny", "--out", "result.json")

    assert done.exit_code == 1
    assert "20 assignments: " in done.stdout
    assert "model-a" not in done.stdout + (tmp_path / "result.json").read_text("utf-8")


def repeating(folder: Path) -> None:
    text = "Weakness of one arm for two weeks."
    cases, candidates = rows_of(folder / "cases.csv"), rows_of(folder / "candidates.csv")
    rewrite(folder / "cases.csv", [{**row, "vignette": text} for row in cases])
    rewrite(folder / "candidates.csv", [{**row, "answer": text} for row in candidates])


def test_an_answer_that_the_vignette_has_too_is_counted_to_be_looked_at(
    commanded: Database, run: Run, tmp_path: Path
) -> None:
    open_study(commanded, tmp_path / "study", changes=[repeating])

    assert "A model's answer is in a vignette, history or fact" in run("tiny").stdout


def test_the_first_leaks_are_said_by_place_and_kind_once_for_all_readers(
    commanded: Database, run: Run, tmp_path: Path
) -> None:
    open_study(commanded, tmp_path / "study", changes=[leaking])

    said = run("tiny").stdout

    assert said.count("on the screen of") <= 5
    assert (
        "In 'reading', item 'i1', on the screen of " in said and "and 1 other: prompt contains what is hidden" in said
    )
    assert "(names of models)." in said and "--show-values names what was found" in said


def test_a_value_is_in_the_file_where_that_is_asked_for(commanded: Database, run: Run, tmp_path: Path) -> None:
    open_study(commanded, tmp_path / "study", changes=[leaking])

    run("tiny", "--show-values")

    leaks = json.loads((tmp_path / "blinding_audit_tiny.json").read_text("utf-8"))["leaks"]
    assert {leak["value"] for leak in leaks} == {"model-a"}


def test_a_draft_is_refused_in_one_sentence(commanded: Database, run: Run, tmp_path: Path) -> None:
    imported_study(commanded, tmp_path / "study")

    done = run("tiny")

    assert done.exit_code == 1
    assert "The study 'tiny' is not frozen, so nothing is assigned to look at; freeze it first." in done.stdout
    assert not list(tmp_path.glob("blinding_audit*"))
