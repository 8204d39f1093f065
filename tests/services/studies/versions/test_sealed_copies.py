"""A version brings no subject in once more under another name: nobody would be blind, and no test subject sealed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from db import Case, Database, Item, SealedSplit, Volume, queries
from services.errors import Conflict, InputRefused
from services.studies.freeze import freezing
from services.studies.versions import making
from tests.listed_study import imported_listed
from tests.sealed_study import with_many_items
from tests.situations import Situation
from tests.versioned_study import REASON, changed_cell, one_more_case, opened_for_versions


def divided(situation: Situation, *for_test: str) -> None:
    """Divide a study that is too small for a draw."""
    with situation.database.writing() as session:
        split = SealedSplit(study_id=1, share=0.5, strata=[], test_subjects=list(for_test), method="by hand")
        session.add(split)


def refused(situation: Situation, folder: Path) -> list[str]:
    with pytest.raises(Conflict) as refusal:
        making.make_version(situation.database, situation.admin, situation.study_key, folder, REASON)
    with situation.database.read_only() as session:
        assert session.exec(select(Case.key).where(Case.key == "c4")).first() is None
    return str(refusal.value).splitlines()


def same_scan(folder: Path, subject: str) -> None:
    """Add a case with the scan of the first one."""
    one_more_case(folder, subject=subject)
    shutil.copy(folder / "volumes" / "c1-t1.nii.gz", folder / "volumes" / "c4-t1.nii.gz")


@pytest.mark.parametrize("for_test", [(), ("subject-1",), ("subject-2",)], ids=["undivided", "test", "development"])
def test_the_scan_of_a_subject_does_not_come_in_under_another(
    sqlite_database: Database, tmp_path: Path, for_test: tuple[str, ...]
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    if for_test:
        divided(situation, *for_test)
    same_scan(tmp_path / "study", "subject-4")

    (reason,) = refused(situation, tmp_path / "study")
    assert reason == (
        "Case 'c4' of subject 'subject-4' has a scan of case 'c1' (volumes 'c4-t1' and 'c1-t1'), whose subject is "
        "'subject-1': who saw one has seen both; give 'c4' that subject or its own scan, or leave it out."
    )


@pytest.mark.parametrize(
    "change",
    [lambda folder: same_scan(folder, "subject-1"), one_more_case],
    ids=["of the same subject", "another scan"],
)
def test_other_cases_come_in(sqlite_database: Database, tmp_path: Path, change: Callable[[Path], None]) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    divided(situation, "subject-1")
    change(tmp_path / "study")

    making.make_version(sqlite_database, situation.admin, situation.study_key, tmp_path / "study", REASON)


def test_a_subject_that_reads_like_one_that_is_there_does_not_come_in(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    one_more_case(tmp_path / "study", subject="Subject-1 ")

    with pytest.raises(InputRefused, match="line 5: subject 'Subject-1' and 'subject-1' in line 2 differ only in"):
        making.make_version(sqlite_database, situation.admin, situation.study_key, tmp_path / "study", REASON)


def test_what_was_frozen_under_two_names_still_gets_other_cases(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    with sqlite_database.writing() as session:
        for case, subject in (("c2", "Subject-1"), ("c3", "SUBJECT-1")):
            session.exec(update(Case).where(col(Case.key) == case).values(subject=subject))
            changed_cell("cases.csv", case, "subject", subject)(tmp_path / "study")
        first = select(Volume.voxel_sha256).where(Volume.key == "c1-t2").scalar_subquery()
        session.exec(update(Volume).where(col(Volume.key) == "c2-t2").values(voxel_sha256=first))
    shutil.copy(tmp_path / "study" / "volumes" / "c1-t2.nii.gz", tmp_path / "study" / "volumes" / "c2-t2.nii.gz")
    one_more_case(tmp_path / "study")

    making.make_version(sqlite_database, situation.admin, situation.study_key, tmp_path / "study", REASON)


def add(folder: Path, prompt: str, answer: str) -> None:
    for table, line in (
        ("items.csv", f"copy,a,open,{prompt}"),
        ("references.csv", "copy,left,,,,"),
        ("candidates.csv", f"k-copy,copy,m,{answer}"),
    ):
        with (folder / table).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def test_texts_of_a_test_subject_are_known_again_and_what_a_version_corrects_stays_for_test(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = with_many_items(tmp_path / "study", items=4)
    situation = imported_listed(sqlite_database, folder, key="divided")
    freezing.freeze_study(sqlite_database, situation.admin, "divided")
    divided(situation, "i0", "i1")
    as_it_was = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    add(folder, "Item 0?", "answer 0")

    (reason,) = refused(situation, folder)
    assert reason == (
        "Item 'copy' of subject 'copy' says and is answered what is in item 'i0', whose subject 'i0' is for test; "
        "give it that subject, or leave it out."
    )

    for path, content in as_it_was.items():
        path.write_bytes(content)
    add(folder, "Item 0?", "Another answer.")
    changed_cell("items.csv", "i1", "prompt", "Corrected?")(folder)
    making.make_version(sqlite_database, situation.admin, "divided", folder, REASON)
    with sqlite_database.read_only() as session:
        keys = session.exec(select(Item.key).where(Item.id.in_(queries.items_for_test(session, 1)))).all()
    assert sorted(keys) == ["i0", "i1", "i1.v2"]
