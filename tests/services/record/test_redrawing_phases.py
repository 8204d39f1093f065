"""The draws of a study that lists its phases come out again from its package: in each version, and for each slot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.progress import data_lock
from services.record import package, redrawing
from tests.listed_study import work_through
from tests.pair_study import opened_pairs
from tests.pool_study import consulting, opened_pool
from tests.situations import any_answers
from tests.versioned_study import corrected_prompt, new_version, one_more_case, opened_for_versions

DRAWN = """
blindread: 2
name: listed
title: Reads
instructions: Read every item.
groups: {readers: {title: Readers, people: 3}}
phases:
  - key: some
    rates: items
    from: {sample: {size: 3, at_most: {subject: 1}}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: others
    rates: items
    from: {sample: {size: 60 %, strata: category}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {per_unit: 1}
  - key: again
    rates: items
    from: others
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {per_unit: 1, not_in: others}
"""


@pytest.fixture
def exported(sqlite_database: Database, tmp_path: Path) -> Path:
    """The package of a study with a version, in which samples were drawn and dealt; nothing of it was read."""
    situation = opened_for_versions(sqlite_database, tmp_path / "study", DRAWN, ("readers",) * 3, raters=3)
    more = [lambda folder, n=n: one_more_case(folder, f"c{n}", f"i{n}", f"subject-{n}") for n in range(7, 13)]
    new_version(situation, tmp_path / "study", corrected_prompt, *more)
    data_lock.close_study(sqlite_database, situation.admin, "listed", "Nothing is to be read.")
    package.export_study(sqlite_database, situation.admin, "listed", tmp_path / "package")
    return tmp_path / "package"


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> list[str]:
    """Change what a package discloses, and return what then differs when it is drawn again."""
    disclosed = json.loads((folder / "draws.json").read_text("utf-8"))
    change(disclosed)
    (folder / "draws.json").write_text(json.dumps(disclosed), encoding="utf-8")
    return redrawing.redraw(folder).problems


def of_version(disclosed: dict[str, Any], phase: str, version: int) -> list[dict[str, Any]]:
    return [row for row in disclosed["units"] if (row["phase"], row["version"]) == (phase, version)]


def test_samples_and_slots_of_each_version_come_out_again(exported: Path) -> None:
    disclosed = json.loads((exported / "draws.json").read_text("utf-8"))
    assert of_version(disclosed, "others", 2) != []

    again = redrawing.redraw(exported)

    assert again.problems == []
    repeated = [
        (row["purpose"], row["who"][0], row["freeze_version"]) for row in disclosed["drawn"] if len(row["who"]) == 1
    ]
    assert {("sample", "some", 1), ("design", "others", 1), ("sample", "others", 2), ("design", "again", 2)} <= {
        *repeated
    }
    assert again.left == len(disclosed["drawn"]) - again.count > 0


def test_what_was_drawn_for_a_version_and_is_not_there_is_named(exported: Path) -> None:
    def one_less(disclosed: dict[str, Any]) -> None:
        added = [row for row in of_version(disclosed, "others", 2) if not row["item"].endswith(".v2")]
        disclosed["units"].remove(added[0])
        one_less.item = added[0]["item"]  # type: ignore[attr-defined]

    assert changed(exported, one_less)[0] == (
        f"The units of phase 'others' in version 2 differ when drawn again: {one_less.item}."  # type: ignore[attr-defined]
    )


def test_other_slots_than_those_that_were_drawn_are_named(exported: Path) -> None:
    def dealt_otherwise(disclosed: dict[str, Any]) -> None:
        for row in of_version(disclosed, "others", 1):
            row["slots"] = ["readers 1"]

    assert any(
        problem.startswith("The slots of the units of phase 'others' in version 1")
        for problem in changed(exported, dealt_otherwise)
    )


def test_another_key_draws_something_else(exported: Path) -> None:
    def other_keys(disclosed: dict[str, Any]) -> None:
        for row in disclosed["keys"]:
            row["key"] = "00" * 32

    assert changed(exported, other_keys) != []


def test_pairs_come_out_again(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study")
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "Nothing is to be compared.")
    package.export_study(sqlite_database, situation.admin, situation.study_key, tmp_path / "package")

    again = redrawing.redraw(tmp_path / "package")

    assert (again.count, again.problems) == (1, [])


def test_the_draws_beside_a_pool_of_peoples_answers_come_out_again(sqlite_database: Database, tmp_path: Path) -> None:
    # What people answered is in the pool of a phase, and not in the tables from which everything else is drawn.
    situation = opened_pool(sqlite_database, tmp_path / "study")
    work_through(situation, lambda shown: any_answers(shown) if shown["candidate"] else consulting()(shown))
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    package.export_study(sqlite_database, situation.admin, situation.study_key, tmp_path / "package")

    again = redrawing.redraw(tmp_path / "package")

    assert (again.count, again.problems) == (1, [])
