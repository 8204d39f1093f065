"""A version brings no test subject in once more under another name: its items would count as development."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from db import Case, Database, Item, SealedSplit, queries
from services.errors import Conflict
from services.studies import freezing
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


@pytest.mark.parametrize(
    ("for_test", "part"), [(("subject-1",), "test"), (("subject-4",), "development")], ids=["test", "development"]
)
def test_the_scan_of_a_subject_does_not_come_in_under_another_in_the_other_part(
    sqlite_database: Database, tmp_path: Path, for_test: tuple[str, ...], part: str
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    divided(situation, *for_test)
    same_scan(tmp_path / "study", "subject-4")

    (reason,) = refused(situation, tmp_path / "study")
    assert reason == (
        f"Case 'c4' of subject 'subject-4' has a scan of case 'c1', whose subject 'subject-1' is for {part}; give it "
        "that subject, or leave it out."
    )


@pytest.mark.parametrize(
    ("for_test", "change"),
    [
        (("subject-1",), lambda folder: same_scan(folder, "subject-1")),
        (("subject-2",), lambda folder: same_scan(folder, "subject-4")),
        (("subject-1",), one_more_case),
    ],
    ids=["of the same subject", "in the same part", "another scan"],
)
def test_other_cases_come_in(
    sqlite_database: Database, tmp_path: Path, for_test: tuple[str, ...], change: Callable[[Path], None]
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    divided(situation, *for_test)
    change(tmp_path / "study")

    making.make_version(sqlite_database, situation.admin, situation.study_key, tmp_path / "study", REASON)


def test_the_same_scan_comes_in_where_nothing_is_divided(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    same_scan(tmp_path / "study", "subject-4")

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
