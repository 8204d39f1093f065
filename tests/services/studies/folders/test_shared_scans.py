"""One scan under two subjects is told at the import, and refused in a version: a subject is what blinding goes by."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import nibabel
import numpy as np
import pytest
from sqlalchemy import text

from db import Database
from services.progress import data_lock
from services.reading import worklist
from services.report import build
from services.studies.folders import importing
from tests.listed_study import imported_listed, opened_listed, write_listed
from tests.situations import Situation, write_study_folder
from tests.versioned_study import READS, changed_cell

Change = Callable[[Path], object]


def same_scan(folder: Path) -> None:
    """Give the second case the scan of the first, under another name and packed otherwise."""
    packed = (folder / "volumes" / "c1-t1.nii.gz").read_bytes()
    (folder / "volumes" / "c2-t2.nii.gz").write_bytes(gzip.compress(gzip.decompress(packed), 9, mtime=1))


def same_mask(folder: Path) -> None:
    (folder / "overlays.csv").write_text(
        "overlay,case,label,file,colour,style,opacity\n"
        "o1,c1,Atlas,volumes/atlas.nii.gz,,,\no2,c2,Atlas,volumes/atlas.nii.gz,,,\n",
        "utf-8",
    )
    mask = np.zeros((12, 14, 10), np.int16)
    mask[3:6, 3:6, 3:6] = 1
    image = nibabel.Nifti1Image(mask, np.diag([2.0, 2.0, 2.5, 1.0]))
    (folder / "volumes" / "atlas.nii.gz").write_bytes(gzip.compress(image.to_bytes()))


def of_one_subject(folder: Path) -> None:
    same_scan(folder)
    changed_cell("cases.csv", "c2", "subject", "subject-1")(folder)


def warned_of(situation: Situation, folder: Path) -> list[str]:
    """Return what the import of a folder tells of scans."""
    imported = importing.import_study(situation.database, situation.admin, folder, key="again")
    return [warning for warning in imported.warnings if "has a scan of case" in warning or "such pairs" in warning]


SAYS = (
    "Case 'c2' of subject 'subject-2' has a scan of case 'c1' (volumes 'c2-t2' and 'c1-t1'), whose subject is "
    "'subject-1': who saw one has seen both; give 'c2' that subject or its own scan, or leave it out."
)


@pytest.mark.parametrize(
    "write", [write_study_folder, lambda folder: write_listed(folder, READS)], ids=["first language", "listed phases"]
)
def test_the_import_tells_of_a_scan_of_two_subjects_and_names_both(
    sqlite_database: Database, tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    folder = write(tmp_path / "study")
    same_scan(folder)
    situation = imported_listed(sqlite_database, folder, raters=0)

    assert warned_of(situation, folder) == [f"volumes.csv: {SAYS}"]


@pytest.mark.parametrize("change", [of_one_subject, same_mask], ids=["of one subject", "a mask"])
def test_what_shows_no_other_subject_is_not_told(sqlite_database: Database, tmp_path: Path, change: Change) -> None:
    folder = write_listed(tmp_path / "study", READS, [change])
    situation = imported_listed(sqlite_database, folder, raters=0)

    assert warned_of(situation, folder) == []


def test_a_scan_copied_many_times_is_told_by_the_first(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", READS)
    with (folder / "cases.csv").open("a") as cases, (folder / "volumes.csv").open("a") as volumes:
        for number in range(30):
            cases.write(f"d{number},other-{number},,,\n")
            volumes.write(f"v{number},d{number},current,T1,,volumes/c1-t1.nii.gz,T1\n")
    situation = imported_listed(sqlite_database, folder, raters=0)

    assert warned_of(situation, folder)[20] == "volumes.csv: There are 10 more such pairs of subjects."


def frozen_before(database: Database, folder: Path) -> Situation:
    """Open a study, and store in it what was taken formerly: subjects that read alike, and have a scan in common."""
    situation = opened_listed(database, folder, READS)
    with database.writing() as session:
        session.exec(text("UPDATE study_case SET subject = 'Subject-1' WHERE key = 'c2'"))  # type: ignore[call-overload]
        same = "(SELECT voxel_sha256 FROM volume WHERE key = 'c1-t1')"
        session.exec(text(f"UPDATE volume SET voxel_sha256 = {same} WHERE key = 'c2-t1'"))  # type: ignore[call-overload]
    return situation


def test_a_study_that_was_frozen_with_it_opens_and_reports(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_before(sqlite_database, tmp_path / "study")

    assert worklist.desks_of(sqlite_database, situation.raters[0])
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "So that there is a report.")
    assert build.build_report(sqlite_database, situation.admin, situation.study_key)
