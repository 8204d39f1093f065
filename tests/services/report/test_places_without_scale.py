"""The report of a study that asks for places says where its millimetres are pixels."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.progress import data_lock
from services.report import build
from tests.listed_study import opened_listed
from tests.services.reading.test_places_in_images import PROTOCOL, with_an_image

NOTICE = (
    "1 item is about images without scale: what this report and its files say of places and distances there in mm is "
    "in pixels."
)


@pytest.mark.parametrize(
    ("asked", "said"), [("point", [NOTICE]), ("text", [])], ids=["places in an image", "words about an image"]
)
def test_millimetres_that_are_pixels_are_said_once(
    sqlite_database: Database, tmp_path: Path, asked: str, said: list[str]
) -> None:
    protocol = PROTOCOL.replace("type: point", f"type: {asked}")
    if asked == "text":
        protocol = protocol.replace("    then: {shows: [reference]}\n", "")
    changes = [with_an_image] if asked == "point" else [with_an_image, without_references]
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=2, changes=changes)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "Nobody had time.")

    report = build.build_report(sqlite_database, situation.admin, situation.study_key)

    assert [notice for notice in report.notices if "pixels" in notice] == said


def without_references(folder: Path) -> None:
    (folder / "references.csv").unlink()
