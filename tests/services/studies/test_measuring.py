"""How far a scan or an image reaches is known from its header, and places outside of it are warned of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from protocol.fields.pixels import Extent
from services.studies.checking import validated_folder
from services.studies.measuring import extent_of
from tests.listed_study import write_listed
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


@pytest.mark.parametrize(("place", "warned"), [("25 -20 0", False), ("26 0 0", True), ("0 0 3", True)])
def test_a_reference_outside_of_its_image_is_warned_of_with_line_and_size(
    tmp_path: Path, place: str, warned: bool
) -> None:
    def with_a_place(folder: Path) -> None:
        with_an_image(folder)
        rows = rows_of(folder / "references.csv")
        rewrite(folder / "references.csv", [row | ({"accepted": place} if row["item"] == "i7" else {}) for row in rows])

    write_listed(tmp_path / "study", PROTOCOL, [with_a_place])

    warnings = [said for said in validated_folder(tmp_path / "study").warnings if "outside" in said]

    sentence = (
        f"references.csv: line 8: the place '{place}' of field 'spot' is outside of what item 'i7' shows (50 x 40 "
        "pixels, x from -25 to 25 and y from -20 to 20 from its middle), where nobody can point; correct it."
    )
    assert warnings == ([sentence] if warned else [])


@pytest.mark.parametrize(("start", "warned"), [("12|3|0", True), ("-12|3|0", False), ("middle", False)])
def test_an_item_that_begins_where_the_reference_is_is_warned_of(tmp_path: Path, start: str, warned: bool) -> None:
    def with_a_start(folder: Path) -> None:
        with_an_image(folder)
        rows = rows_of(folder / "references.csv")
        place = {"accepted": "10 3 0", "radius": "4"}
        rewrite(folder / "references.csv", [row | (place if row["item"] == "i7" else {}) for row in rows])
        items = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [row | {"start": start if row["item"] == "i7" else ""} for row in items])

    write_listed(tmp_path / "study", PROTOCOL, [with_a_start])

    warnings = [said for said in validated_folder(tmp_path / "study").warnings if "begins" in said]

    sentence = (
        "references.csv: line 8: item 'i7' begins at 12 3 0 (start), within the radius of the place '10 3 0' that "
        "counts as right in 'spot': the crosshair shows it; begin elsewhere."
    )
    assert warnings == ([sentence] if warned else [])
