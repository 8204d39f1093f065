"""The report of a study that asks for places says what is in pixels, and prints it so."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from exchange.report.estimate_rows import EstimateRow
from exchange.report.shown_numbers import shown_value
from services.progress import data_lock
from services.report import build
from tests.listed_study import opened_listed
from tests.services.reading.test_places_in_images import PROTOCOL, point_at, with_an_image
from tests.situations import write_table

NOTICE = (
    "1 item is about images without scale: places and distances there are in pixels, and a mean over these and others "
    "mixes pixels with mm."
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


def test_distances_in_an_image_are_printed_in_pixels_and_have_a_column_of_their_own(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", PROTOCOL, raters=2, changes=[with_an_image])
    point_at(situation)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "All is read.")

    report = build.build_report(sqlite_database, situation.admin, situation.study_key)

    rows = [
        row
        for section in report.sections
        for table in section.tables
        for row in table.rows
        if isinstance(row, EstimateRow)
    ]
    assert {shown_value(row.estimate.value, row.scale) for row in rows if row.statistic == "mean_distance"} == {
        "4.7 px",
        "36.8 px",
        "39.4 px",
    }
    assert {row.category.text for row in rows if row.category and row.compared == "distance"} >= {"2 px", "30 px"}
    (fields,) = [file for file in report.files if file.name == "fields.csv"]
    mm, px = ([column.key for column in fields.columns].index(name) for name in ("distance_mm", "distance_px"))
    assert [line[mm] for line in fields.rows] == [None, None]
    assert sorted(round(line[px], 1) for line in fields.rows) == [4.7, 36.8]


@pytest.mark.parametrize(
    ("written", "right"),
    [("column 33 row 17", 1.0), ("row 17, column 33", 1.0), ("column 3 row 17", 0.0)],
    ids=["near", "row_first", "far"],
)
def test_a_models_place_is_held_against_the_reference_by_its_column_and_row(
    sqlite_database: Database, tmp_path: Path, written: str, right: float
) -> None:
    def with_a_model(folder: Path) -> None:
        with_an_image(folder)
        write_table(
            folder / "candidates.csv", "candidate,item,model,answer,spot", [("k", "i7", "M", "There.", written)]
        )

    protocol = f"{PROTOCOL}analysis: {{primary: {{estimate: accuracy, of: read.spot, with: models}}}}\n"
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=2, changes=[with_a_model])
    point_at(situation)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "All is read.")

    report = build.build_report(sqlite_database, situation.admin, situation.study_key)

    of_model = {
        row.estimate.value
        for section in report.sections
        for table in section.tables
        for row in table.rows
        if isinstance(row, EstimateRow)
        and row.statistic == "accuracy"
        and [each.kind for each in row.parties] == ["model"]
    }
    assert of_model == {right}


def without_references(folder: Path) -> None:
    (folder / "references.csv").unlink()
