"""Whether a folder holds the files that a study was read with, however they were prepared then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exchange.study_folder.folder import read_study_folder
from imaging import prepare_volume
from services.studies.versions import same_files
from tests.situations import write_study_folder


@pytest.mark.parametrize("crops_images", [True, False], ids=["before the border was kept", "now"])
def test_an_image_is_the_one_that_was_shown_with_and_without_its_border(tmp_path: Path, crops_images: bool) -> None:
    folder = write_study_folder(tmp_path / "study")
    values = np.pad(np.random.default_rng(1).integers(1, 255, (40, 50), dtype=np.uint8), 20)
    Image.fromarray(values).save(folder / "volumes" / "c1-t1.nii.gz", format="PNG")
    shown = prepare_volume(folder / "volumes" / "c1-t1.nii.gz", crops_images=crops_images)
    contents = read_study_folder(folder)

    assert same_files.others_than({("volume", "c1-t1"): shown.voxel_sha256}, contents) == []
    assert len(same_files.others_than({("volume", "c1-t1"): "another"}, contents)) == 1
