"""How far a scan or an image reaches is known from its header, and places outside of it are warned of."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exchange.refusal import InputRefused
from exchange.study_folder.frozen_study import FrozenStudy
from protocol.fields.pixels import Extent
from services.studies.folders.checking import checked_folder, validated_folder
from services.studies.folders.measuring import extent_of
from tests.listed_study import as_frozen, write_listed
from tests.room_study import rewrite, rows_of
from tests.services.reading.test_places_in_images import PROTOCOL, with_an_image
from tests.situations import write_volume


def test_a_scan_reaches_to_the_outer_edges_of_its_voxels(tmp_path: Path) -> None:
    write_volume(tmp_path / "scan.nii.gz", seed=1)

    extent = extent_of(tmp_path / "scan.nii.gz")

    assert extent is not None and extent.pixels is None
    assert extent.holds([(low + high) / 2 for low, high in zip(extent.low, extent.high, strict=True)])
    assert not extent.holds([extent.high[0] + 0.1, *extent.high[1:]])


def test_an_image_that_lies_on_its_side_is_measured_as_it_is_shown(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(np.zeros((40, 50), dtype=np.uint8)).save(tmp_path / "turned.jpg", exif=exif)

    assert extent_of(tmp_path / "turned.jpg") == Extent.of_image(40, 50)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b", b"words"])
def test_what_cannot_be_read_has_no_extent(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.png").write_bytes(content)

    assert extent_of(tmp_path / "broken.png") is None
    assert extent_of(tmp_path / "missing.png") is None


def with_place(place: str) -> Callable[[Path], None]:
    """Return a change that gives a place as the reference of the item on an image."""

    def change(folder: Path) -> None:
        with_an_image(folder)
        rows = rows_of(folder / "references.csv")
        rewrite(folder / "references.csv", [row | ({"accepted": place} if row["item"] == "i7" else {}) for row in rows])

    return change


def starting_at(start: str, item: str = "i7") -> Callable[[Path], None]:
    """Return a change that lets an item start there."""

    def change(folder: Path) -> None:
        items = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [row | {"start": start if row["item"] == item else ""} for row in items])

    return change


@pytest.mark.parametrize(
    ("place", "warned"), [("column 1 row 40", False), ("row 40, column 50", False), ("column 51 row 20", True)]
)
def test_a_reference_outside_of_its_image_is_warned_of_with_line_and_what_the_image_has(
    tmp_path: Path, place: str, warned: bool
) -> None:
    write_listed(tmp_path / "study", PROTOCOL, [with_place(place)])

    warnings = [said for said in validated_folder(tmp_path / "study").warnings if "outside" in said]

    sentence = (
        f"references.csv: line 8: the place '{place}' of field 'spot' is outside of what item 'i7' shows (columns "
        "1 to 50 and rows 1 to 40), where nobody can point; correct it."
    )
    assert warnings == ([sentence] if warned else [])


def test_a_reference_in_an_image_is_stored_where_its_column_and_row_are(tmp_path: Path) -> None:
    write_listed(tmp_path / "study", PROTOCOL, [with_place("column 33 row 17 | column 28.5 row 1")])

    references = validated_folder(tmp_path / "study").references

    # In the radiological convention columns run against x.
    (said,) = [row.fields[0].accepted for row in references if row.item == "i7"]
    assert said == ("-7.5 3.5 0", "-3 19.5 0")


@pytest.mark.parametrize(
    ("item", "place", "says"),
    [
        (
            "i7",
            "40 30 0",
            "'40 30 0' is a place in an image without scale, where three numbers can be taken for column and row, and",
        ),
        (
            "i7",
            "40,30",
            "'40,30' is no place in an image without scale; write column and row as the reading room shows",
        ),
        ("i6", "column 40 row 30", "'column 40 row 30' is a column and a row, and item 'i6' shows no image without"),
    ],
)
def test_a_place_that_is_not_clear_is_refused(tmp_path: Path, item: str, place: str, says: str) -> None:
    def change(folder: Path) -> None:
        with_an_image(folder)
        named = {"field": "spot", "radius": "10", "accepted": place}
        rows = rows_of(folder / "references.csv")
        rewrite(folder / "references.csv", [row | (named if row["item"] == item else {}) for row in rows])

    write_listed(tmp_path / "study", PROTOCOL, [change])

    with pytest.raises(InputRefused) as refused:
        validated_folder(tmp_path / "study")

    assert says in str(refused.value)


def test_a_place_in_an_image_that_is_not_there_is_refused_with_its_file(tmp_path: Path) -> None:
    drawn = PROTOCOL.replace("from: {where: {about: image}}", "from: {sample: {size: 1}}")
    folder = write_listed(tmp_path / "study", drawn, [with_place("column 33 row 17")])
    (folder / "volumes" / "c4.png").unlink()

    with pytest.raises(InputRefused, match=r"place in c4\.png, which is not in the folder or cannot be read"):
        validated_folder(folder)


def test_a_version_of_a_frozen_study_keeps_its_places_in_pixels_from_the_middle_and_takes_no_others(
    tmp_path: Path,
) -> None:
    standing = write_listed(tmp_path / "standing", PROTOCOL, [with_place("-3 5 0")])
    moved = write_listed(tmp_path / "moved", PROTOCOL, [with_place("-3 6 0")])
    study = as_frozen(write_listed(tmp_path / "study", PROTOCOL, [with_an_image])).study
    frozen = FrozenStudy(study, references=frozenset({("i7", (-3, 5, 0))}))

    references = checked_folder(standing, frozen).references
    with pytest.raises(InputRefused, match="'-3 6 0' is a place in an image without scale") as refused:
        checked_folder(moved, frozen)

    assert [row.fields[0].accepted for row in references if row.item == "i7"] == [("-3 5 0",)]
    assert len(refused.value.problems) == 1


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (
            "12|3|0",
            "items.csv, line 8: start '12|3|0' is a place in an image without scale, where three numbers can be",
        ),
        (
            "column 51 row 3",
            "items.csv, line 8: start 'column 51 row 3' is outside of what item 'i7' shows (columns 1 to 50",
        ),
        (
            "left",
            "start is 'left', expected middle, a point in mm as x|y|z or, in an image without scale, column 33 row",
        ),
    ],
)
def test_a_start_in_an_image_is_a_column_and_row_of_it(tmp_path: Path, start: str, says: str) -> None:
    with pytest.raises(InputRefused) as refused:
        validated_folder(write_listed(tmp_path / "study", PROTOCOL, [with_an_image, starting_at(start)]))

    assert says in str(refused.value)


def test_a_version_keeps_a_start_in_pixels_from_the_middle(tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", PROTOCOL, [with_an_image])
    frozen = replace(as_frozen(folder), starts={"i7": (12, 3, 0)})

    starting_at("12|3|0")(folder)
    unmoved = checked_folder(folder, frozen).items
    starting_at("column 14 row 18")(folder)
    moved = checked_folder(folder, frozen).items

    assert [items[-1].start for items in (unmoved, moved)] == [(12, 3, 0), (11.5, 2.5, 0)]


def test_a_start_by_column_and_row_on_a_scan_is_refused(tmp_path: Path) -> None:
    changes = [with_an_image, starting_at("column 33 row 17", item="i1")]

    with pytest.raises(InputRefused, match="the item shows no image without scale"):
        validated_folder(write_listed(tmp_path / "study", PROTOCOL, changes))


@pytest.mark.parametrize(
    ("start", "warned"), [("column 14 row 17", True), ("column 37 row 17", False), ("middle", False)]
)
def test_an_item_that_begins_where_the_reference_is_is_warned_of(tmp_path: Path, start: str, warned: bool) -> None:
    def with_a_start(folder: Path) -> None:
        with_an_image(folder)
        rows = rows_of(folder / "references.csv")
        place = {"accepted": "column 15 row 17", "radius": "4"}
        rewrite(folder / "references.csv", [row | (place if row["item"] == "i7" else {}) for row in rows])
        starting_at(start)(folder)

    write_listed(tmp_path / "study", PROTOCOL, [with_a_start])

    warnings = [said for said in validated_folder(tmp_path / "study").warnings if "begins" in said]

    sentence = (
        "references.csv: line 8: item 'i7' begins at column 14 row 17 (start), within the radius of the place "
        "'column 15 row 17' that counts as right in 'spot': the crosshair shows it; begin elsewhere."
    )
    assert warnings == ([sentence] if warned else [])


def test_a_pipe_has_no_extent_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.nii.gz")

    assert extent_of(tmp_path / "pipe.nii.gz") is None
