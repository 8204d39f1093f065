"""A filled study to start from: as a folder and as a ZIP file it imports as it is."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from db import Database
from exchange.study_folder.folder import read_study_folder
from services.errors import Conflict, NotFound
from services.studies.folders import importing, starter, uploads
from services.studies.freeze import freezing
from studies import examples
from tests.situations import owner_of


def test_the_new_study_imports_and_freezes_as_it_is(database: Database, tmp_path: Path) -> None:
    owner = owner_of(database)

    done = importing.import_study(database, owner, starter.new_study(tmp_path / "mine"))

    assert (done.cases, done.items, done.candidates, done.conversions, done.warnings) == (3, 3, 3, (), ())
    assert freezing.freeze_study(database, owner, done.study_key).sha256


def test_its_zip_is_taken_as_an_upload(sqlite_database: Database) -> None:
    owner = owner_of(sqlite_database)

    upload = uploads.receive_upload(
        sqlite_database, owner, io.BytesIO(starter.new_study_zip(owner)), f"{starter.NAME}.zip"
    )

    assert (upload.name, upload.items) == ("my-study", 3)


def test_every_volume_of_it_says_that_it_is_simulated(tmp_path: Path) -> None:
    contents = read_study_folder(starter.new_study(tmp_path / "mine"))

    assert all("simulated" in volume.label for volume in contents.volumes)
    assert "Simulated" in (contents.protocol.notice or "")


def test_a_study_in_the_shape_of_a_published_one_imports_and_freezes_as_it_is(
    sqlite_database: Database, tmp_path: Path
) -> None:
    owner = owner_of(sqlite_database)

    folder = starter.new_study(tmp_path / "mine", "mri_eval_judge_validation")
    done = importing.import_study(sqlite_database, owner, folder)

    assert (done.study_key, done.items, done.candidates) == ("mri-eval-judge-validation", 48, 384)
    assert freezing.freeze_study(sqlite_database, owner, done.study_key).sha256


def test_a_shape_that_there_is_not_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(
        NotFound, match=r"no shape 'neuroqa_read' \(nearest: 'neuroqa_reads'\); choose one of compared_"
    ):
        starter.new_study(tmp_path / "mine", "neuroqa_read")

    assert not (tmp_path / "mine").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept", encoding="utf-8")

    with pytest.raises(Conflict, match="is not empty"):
        starter.new_study(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_no_two_shapes_make_up_the_same_subjects() -> None:
    # Else one that leaves out the subjects of another would be refused beside it.
    texts = [path.read_text("utf-8") for path in examples.HERE.glob("*/example.yaml")]
    subjects = [said for text in texts for said in re.findall(r"subject: '([^']*)'", text)]

    assert len(subjects) > 10
    assert len(set(subjects)) == len(subjects)
