"""The worklist of somebody who is in several studies begins with what can be done now."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import worklist
from services.studies.freeze import freezing
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed


def test_studies_with_open_work_come_before_those_that_wait_and_those_that_are_over(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE)
    signed: dict[str, Actor] = {}
    there = {
        key: imported_listed(sqlite_database, folder, raters=1, key=key, signed=signed)
        for key in ("closed", "draft", "open")
    }
    for key in ("closed", "open"):
        freezing.freeze_study(sqlite_database, there[key].admin, key)
    data_lock.close_study(sqlite_database, there["closed"].admin, "closed", "Nobody had time.")

    desks = worklist.desks_of(sqlite_database, there["open"].raters[0])

    assert list(dict.fromkeys(desk.study_key for desk in desks)) == ["open", "draft", "closed"]
