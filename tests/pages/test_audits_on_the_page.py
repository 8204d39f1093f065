"""A study's page says when its blinding was audited last, and what came of it."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.record.blinding_audit.auditing import audit_blinding
from services.studies.freeze import freezing, thawing
from tests.pages.conftest import OpenPage
from tests.room_study import change_item, rewrite, rows_of
from tests.situations import open_study
from tests.versioned_study import new_version, one_more_case, opened_for_versions

PAGE = "admin/study.py"
LATER = "What is frozen now was frozen later, and is not audited yet."


def leaking(folder: Path) -> None:
    change_item(folder, "i1", prompt="What does model-a say to it?")


def test_the_page_of_the_study_says_when_and_what(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")

    before = open_page(situation.admin, PAGE, study="tiny")
    audit_blinding(served_database, situation.admin, "tiny", tmp_path / "audit.json")
    after = open_page(situation.admin, PAGE, study="tiny")

    assert any("Blinding not audited yet" in element.value for element in before.markdown)
    assert any("UTC (just now). 20 assignments: no leak." in element.value for element in after.markdown)


def test_the_page_of_the_study_shows_a_leak_as_an_error(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study", changes=[leaking])

    audit_blinding(served_database, situation.admin, "tiny", tmp_path / "audit.json")

    page = open_page(situation.admin, PAGE, study="tiny")

    assert any("leaks." in element.value for element in page.error)


def repeating(folder: Path) -> None:
    for table, column in (("cases.csv", "vignette"), ("candidates.csv", "answer")):
        rewrite(folder / table, [{**row, column: "Weakness of one arm."} for row in rows_of(folder / table)])


def test_the_page_of_the_study_says_how_often_an_answer_of_a_model_is_in_a_vignette(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study", changes=[repeating])
    audit_blinding(served_database, situation.admin, "tiny", tmp_path / "audit.json")

    page = open_page(situation.admin, PAGE, study="tiny")

    assert any("A model's answer is in a vignette, history or fact" in element.value for element in page.caption)


def test_an_audit_of_what_was_thawed_is_said_not_to_cover_the_next_freeze(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    audit_blinding(served_database, situation.admin, "tiny", tmp_path / "audit.json")
    thawing.thaw_study(served_database, situation.admin, "tiny", "A prompt is misspelt.")
    freezing.freeze_study(served_database, situation.admin, "tiny")

    page = open_page(situation.admin, PAGE, study="tiny")

    assert any(LATER in element.value for element in page.warning)


def test_an_audit_is_said_not_to_cover_a_version_that_came_after_it(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_for_versions(served_database, tmp_path / "study", raters=1)
    audit_blinding(served_database, situation.admin, "listed", tmp_path / "audit.json")
    new_version(situation, tmp_path / "study", one_more_case)

    before = open_page(situation.admin, PAGE, study="listed")
    audit_blinding(served_database, situation.admin, "listed", tmp_path / "audit.json")
    after = open_page(situation.admin, PAGE, study="listed")

    assert any(LATER in element.value for element in before.warning)
    assert not any(LATER in element.value for element in (*after.warning, *after.markdown))
