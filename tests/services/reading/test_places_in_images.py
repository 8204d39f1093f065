"""A place in an image without scale is said by its column and row, wherever it stands in words, as by the crosshair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlmodel import col, select

from db import Database, Verdict
from protocol.fields import point
from protocol.fields.kind import Reference
from protocol.fields.pixels import Pixels
from services.reading import instructions
from tests.listed_study import opened_listed
from tests.room_study import add_case, add_item, rewrite, rows_of
from tests.situations import Situation, answers, on_the_desk, show, submit

PART = "part-1"
PROTOCOL = """
blindread: 2
name: listed
title: Find it
attributes: {items: {about: text}}
phases:
  - key: read
    title: Reads
    rates: items
    from: {where: {about: image}}
    shows: [scans, prompt]
    form: {spot: {type: point, label: Spot}}
    then: {shows: [reference]}
"""


def with_an_image(folder: Path) -> None:
    """Add an item on a PNG of 50 columns and 40 rows."""
    add_case(folder, "c4", ("XR",))
    pixels = np.random.default_rng(1).integers(0, 255, (40, 50), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / "volumes" / "c4.png")
    volumes = rows_of(folder / "volumes.csv")
    volumes[-1]["file"] = "volumes/c4.png"
    rewrite(folder / "volumes.csv", volumes)
    add_item(folder, "i7", "c4", "Where?", "1 2 0", format="open", form="", sequences="XR", about="image")
    rewrite(folder / "items.csv", [row | {"about": row["about"] or "scan"} for row in rows_of(folder / "items.csv")])
    named = {"field": "spot", "radius": "10", "accepted": "column 28.5 row 15.5"}
    references = rows_of(folder / "references.csv")
    rewrite(folder / "references.csv", [row | (named if row["item"] == "i7" else {}) for row in references])
    (folder / "candidates.csv").unlink()


@pytest.fixture
def pointed(sqlite_database: Database, tmp_path: Path) -> Situation:
    """A study in which two people have pointed at the image."""
    situation = opened_listed(sqlite_database, tmp_path / "study", PROTOCOL, raters=2, changes=[with_an_image])
    point_at(situation)
    return situation


def point_at(situation: Situation) -> None:
    """Let two people point at the image, one of them with a depth that the reading room never sends."""
    for rater, spot in zip(situation.raters, ([-7.5, 3.5, 0.0], [24.5, -19.5, 40.0]), strict=True):
        instructions.acknowledge_instructions(situation.database, rater, situation.study_key, PART)
        payload = on_the_desk(situation, rater, PART)
        show(situation, rater, payload)
        submit(situation, rater, payload, answers(spot=spot))


def test_answers_and_references_are_said_by_column_and_row(pointed: Situation) -> None:
    # In the radiological convention columns run against x: of 50 the middle one lies between 25 and 26.
    after = on_the_desk(pointed, pointed.raters[0], PART)

    assert after["own"] == [["Spot", "column 33 row 17"]]
    assert after["reference"] == ["Spot: within 10 pixels of column 28 row 15"]


def test_a_place_in_an_image_has_no_depth_whatever_was_sent(pointed: Situation) -> None:
    with pointed.database.read_only() as session:
        stored = [verdict.fields["spot"] for verdict in session.exec(select(Verdict).order_by(col(Verdict.id)))]

    assert stored == [[-7.5, 3.5, 0.0], [24.5, -19.5, 0.0]]


def test_a_file_that_is_gone_leaves_a_place_in_the_words_of_what_is_stored(pointed: Situation) -> None:
    for path in pointed.database.volume_dir.glob("*/*.nii.gz"):
        path.unlink()

    assert on_the_desk(pointed, pointed.raters[0], PART)["own"] == [["Spot", "L 7.5 A 3.5 S 0.0 mm"]]


@pytest.mark.parametrize(
    ("mirrored", "column"), [pytest.param(True, 33, id="radiological"), pytest.param(False, 18, id="neurological")]
)
def test_columns_are_counted_from_the_left_of_the_screen(mirrored: bool, column: int) -> None:
    pixels = Pixels((50, 40), (-24.5, -19.5), mirrored)

    assert point.in_words([-7.5, 3.5, 0.0], {}, {"Current": pixels}) == f"column {column} row 17"


def test_a_place_is_said_in_the_words_of_its_own_pane() -> None:
    places = {"Scan": None, "Image": Pixels((50, 40), (-24.5, -19.5), True)}

    assert point.in_words([-7.5, 3.5, 0.0, "Image"], {}, places) == "column 33 row 17 (Image)"
    assert point.in_words([-7.5, 3.5, 0.0, "Scan"], {}, places) == "L 7.5 A 3.5 S 0.0 mm (Scan)"
    assert point.reference_in_words(Reference(("1 2 3",), radius=5.0), {}, places) == [
        "within 5 mm of R 1.0 A 2.0 S 3.0 mm"
    ]
