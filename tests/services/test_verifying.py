"""Verdicts and decisions that were changed behind the program's back are found by their receipt."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services import adjudication, verifying
from tests.situations import Situation, answers, open_study, read_all


def with_every_verdict(database: Database, folder: Path) -> Situation:
    """Read all items with a flag and a comment among them, differing in one, and adjudicate."""
    situation = open_study(database, folder)
    flagged = {**answers(answer="yes"), "comment": "A remark.", "flag": {"id": "prompt", "note": "Which one?"}}
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": flagged})
    read_all(
        situation,
        situation.raters[1],
        by_prompt={"Prompt of i3?": "no", "Prompt of i6?": {**answers(), "not_assessable": "quality"}},
    )
    adjudication.open_review_queue(database, situation.admin, "tiny")
    read_all(situation, situation.reviewer, "review")
    read_all(situation, situation.raters[0], "scoring")
    return situation


def test_a_worked_through_study_verifies(database: Database, tmp_path: Path) -> None:
    with_every_verdict(database, tmp_path / "study")

    assert verifying.verify_study(database, "tiny") == []


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("verdict", 'UPDATE verdict SET fields = \'{"answer":"no"}\' WHERE id = 1'),
        ("verdict", "UPDATE verdict SET comment = 'Another.' WHERE id = 1"),
        ("verdict", "UPDATE verdict SET receipt = '2222-2222' WHERE id = 1"),
        ("flag", "UPDATE flag SET note = 'Another.'"),
        ("adjudication", "UPDATE adjudication SET reason = 'Another.' WHERE id = 1"),
        ("adjudication", "DELETE FROM adjudication WHERE id = 1"),
    ],
)
def test_a_changed_verdict_is_named_by_its_receipt(
    sqlite_database: Database, tmp_path: Path, table: str, change: str
) -> None:
    with_every_verdict(sqlite_database, tmp_path / "study")

    with sqlite_database.engine.begin() as connection:
        for kind in ("update", "delete"):
            connection.exec_driver_sql(f"DROP TRIGGER {table}_no_{kind}")
        connection.exec_driver_sql(change)

    problems = verifying.verify_study(sqlite_database, "tiny")
    assert problems
    assert all("is not what was submitted, or is gone" in problem for problem in problems)
