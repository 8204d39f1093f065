"""A mask is taken only where it would be drawn at the place that it was made for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nibabel
import numpy as np
import pytest
from PIL import Image

from db import Database
from services.errors import InputRefused
from services.studies.folders import importing
from services.studies.volumes.volume_store import path_of
from tests.room_study import add_case, add_item, change_item, rewrite, rows_of, with_overlays
from tests.situations import owner_of, write_study_folder

Change = Callable[[Path], None]
# The place of the tiny study's scans, and their size.
PLACE, SIZE = np.diag([2.0, 2.0, 2.5, 1.0]), (12, 14, 10)


def imported(database: Database, folder: Path, change: Change) -> importing.Imported:
    change(write_study_folder(folder))
    return importing.import_study(database, owner_of(database), folder)


def mask(affine: np.ndarray = PLACE, size: tuple[int, int, int] = SIZE) -> Change:
    """Let item i1 show a mask with this grid over its one scan, T1."""

    def change(folder: Path) -> None:
        with_overlays(folder)
        voxels = np.zeros(size, dtype=np.uint8)
        voxels[1:-1, 1:-1, 1:-1] = 1
        nibabel.save(nibabel.Nifti1Image(voxels, affine), folder / "volumes" / "lesion.nii.gz")

    return change


def moved(millimetres: float) -> np.ndarray:
    affine = PLACE.copy()
    affine[0, 3] = millimetres
    return affine


def image(
    mask_size: tuple[int, int] = (40, 30), scan_name: str = "x.png", mask_name: str = "m.png", second: bool = False
) -> Change:
    """Let an item show a mask over an image of 40 x 30 pixels, and with `second` over one of 20 x 10 too."""

    def change(folder: Path) -> None:
        add_case(folder, "x-ray", ("T1", "T2") if second else ("T1",))
        volumes = rows_of(folder / "volumes.csv")
        for row, (width, height) in zip(volumes[9:], ((40, 30), (20, 10)), strict=False):
            row["file"] = f"volumes/{row['sequence']}-{scan_name}"
            noise = np.random.default_rng(2).integers(0, 256, (height, width), dtype=np.uint8)
            Image.fromarray(noise).save(folder / row["file"])
        rewrite(folder / "volumes.csv", volumes)
        inside = np.zeros(mask_size[::-1], dtype=np.uint8)
        inside[5:8, 4:7] = 255
        Image.fromarray(inside).save(folder / "volumes" / mask_name)
        overlay = {"overlay": "m", "case": "x-ray", "label": "Mask", "file": f"volumes/{mask_name}",
                   "colour": "", "style": "", "opacity": ""}  # fmt: skip
        rewrite(folder / "overlays.csv", [overlay])
        sequences = "T1|T2" if second else "T1"
        add_item(folder, "x1", "x-ray", "Is it there?", "yes", overlays="m", sequences=sequences)

    return change


def volume_over_picture(folder: Path) -> None:
    image()(folder)
    mask()(folder)
    overlays = rows_of(folder / "overlays.csv")
    rewrite(folder / "overlays.csv", [{**overlays[0], "overlay": "m", "case": "x-ray"}])
    change_item(folder, "i1", overlays="")


def picture_over_volume(folder: Path) -> None:
    mask()(folder)
    Image.fromarray(np.eye(14, dtype=np.uint8)).save(folder / "volumes" / "eye.png")
    overlays = rows_of(folder / "overlays.csv")
    overlays[0]["file"] = "volumes/eye.png"
    rewrite(folder / "overlays.csv", overlays)


@pytest.mark.parametrize(
    "change",
    [
        image(),
        image(scan_name="x.jpg"),
        mask(),
        # Rounding of the scanner's software, far less than half a voxel.
        mask(moved(0.01)),
        # A grid of its own: finer, oblique, or larger than the scan.
        mask(np.diag([1.0, 1.0, 1.0, 1.0]), (24, 28, 25)),
        mask(np.array([[1.8, -0.6, 0, 3], [0.6, 1.8, 0, 1], [0, 0, 2, 2], [0, 0, 0, 1.0]]), (8, 9, 7)),
        mask(np.array([[30.0, 0, 0, -60], [0, 30, 0, -60], [0, 0, 30, -60], [0, 0, 0, 1.0]]), (7, 7, 7)),
    ],
)
def test_an_overlay_that_lies_over_its_volume_is_taken(
    sqlite_database: Database, tmp_path: Path, change: Change
) -> None:
    assert imported(sqlite_database, tmp_path / "study", change).items >= 6


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            image((30, 40)),
            (
                "overlays.csv, overlay 'm': m.png has 30 x 40 pixels, but 40 x 30 are expected, the size of volume "
                "'x-ray-T1' (T1-x.png) of item 'x1', over which it lies; save the mask with that size, or take it from "
                "the item."
            ),
        ),
        (
            image(second=True),
            (
                "overlays.csv, overlay 'm': m.png has 40 x 30 pixels, but 20 x 10 are expected, the size of volume "
                "'x-ray-T2' (T2-x.png) of item 'x1', over which it lies; save the mask with that size, or take it from "
                "the item."
            ),
        ),
        (
            image(mask_name="m.jpg"),
            (
                "overlays.csv, overlay 'm': m.jpg is a JPEG, which keeps no sharp edges, but a mask with exact pixels "
                "is expected: save it as PNG."
            ),
        ),
        (
            volume_over_picture,
            (
                "overlays.csv, overlay 'm': lesion.nii.gz is a NIfTI file, but volume 'x-ray-T1' (T1-x.png) of item "
                "'x1', over which it lies, is an image; give both as the same kind of file."
            ),
        ),
        (
            picture_over_volume,
            (
                "overlays.csv, overlay 'lesion-1': eye.png is an image, but volume 'c1-t1' (c1-t1.nii.gz) of item "
                "'i1', over which it lies, is a NIfTI file; give both as the same kind of file."
            ),
        ),
        (
            mask(np.eye(4)),
            (
                "overlays.csv, overlay 'lesion-1': lesion.nii.gz has the size of volume 'c1-t1' (c1-t1.nii.gz) of item "
                "'i1', but its affine puts the voxels elsewhere; save the mask with the affine of the scan on which it "
                "was drawn."
            ),
        ),
        (
            mask(moved(500.0), (8, 8, 8)),
            (
                "overlays.csv, overlay 'lesion-1': lesion.nii.gz is outside all scans of item 'i1', but a mask "
                "over one of them is expected; save it in the scanner's millimetres, or take it from the item."
            ),
        ),
    ],
)
def test_an_overlay_that_would_lie_elsewhere_is_refused_and_nothing_is_stored(
    sqlite_database: Database, tmp_path: Path, change: Change, said: str
) -> None:
    with pytest.raises(InputRefused) as refusal:
        imported(sqlite_database, tmp_path / "study", change)

    assert str(refusal.value) == said
    with sqlite_database.engine.connect() as connection:
        for table in ("study", "volume", "overlay", "item"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    assert not [path for path in path_of(sqlite_database, "00").parent.parent.rglob("*") if path.is_file()]


def test_an_overlay_may_have_the_grid_of_another_volume_of_its_case(sqlite_database: Database, tmp_path: Path) -> None:
    """Drawn on the prior, which has as many voxels as the current scan and lies a little aside."""

    def change(folder: Path) -> None:
        mask(moved(3.0))(folder)
        voxels = np.random.default_rng(5).integers(1, 1000, SIZE).astype(np.int16)
        nibabel.save(nibabel.Nifti1Image(voxels, moved(3.0)), folder / "volumes" / "c1-p.nii.gz")

    assert imported(sqlite_database, tmp_path / "study", change).items == 6


def test_an_overlay_that_no_item_shows_need_not_fit(sqlite_database: Database, tmp_path: Path) -> None:
    def change(folder: Path) -> None:
        mask(np.eye(4))(folder)
        change_item(folder, "i1", overlays="")

    assert imported(sqlite_database, tmp_path / "study", change).items == 6
