"""What a version's folder lacks, or holds under a key of something else: said, and never taken for a correction."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.studies.versions import making
from tests.listed_study import opened_listed
from tests.pool_study import POOL, opened_pool, with_models
from tests.situations import Situation, write_volume
from tests.versioned_study import READS, REASON, changed_cell, corrected_prompt, new_version, opened_for_versions

OTHER_SCAN = (
    "The file of volume 'c2-t1' (c2-t1.nii.gz) is not the one that was shown; put it back, or add a case of "
    "another key with items of its own."
)


def refused(situation: Situation, folder: Path) -> str:
    with pytest.raises(Conflict) as refusal:
        making.make_version(situation.database, situation.admin, situation.study_key, folder, REASON)
    return str(refusal.value)


def test_a_table_of_references_that_was_left_out_corrects_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    (tmp_path / "study" / "references.csv").unlink()

    assert refused(situation, tmp_path / "study") == (
        "references.csv has no line about any item of version 1, which has references of 6 items: a version takes "
        "nothing out; put the table back."
    )


def test_a_reference_that_is_taken_back_is_called_so(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    table = tmp_path / "study" / "references.csv"
    table.write_text("\n".join(line for line in table.read_text().splitlines() if not line.startswith("i1,")) + "\n")

    difference = making.difference_of(sqlite_database, situation.admin, "listed", tmp_path / "study")

    assert difference.changes == ("Item 'i1': reference (none any more) is corrected; it is new as 'i1.v2'.",)


@pytest.mark.parametrize("with_a_correction", [False, True])
def test_another_scan_under_the_key_of_one_that_was_shown_is_refused(
    sqlite_database: Database, tmp_path: Path, with_a_correction: bool
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    write_volume(tmp_path / "study" / "volumes" / "c2-t1.nii.gz", seed=4711)
    if with_a_correction:
        corrected_prompt(tmp_path / "study")

    assert refused(situation, tmp_path / "study") == OTHER_SCAN


def test_what_a_model_answered_in_the_fields_of_a_pool_is_corrected(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pool(sqlite_database, tmp_path / "study", POOL)

    difference = new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k1a", "why", "It bleeds."))

    assert difference.changes == ("Candidate 'k1a': answer is corrected; it is new as 'k1a.v2'.",)


def test_a_declared_column_that_says_something_else_is_named(sqlite_database: Database, tmp_path: Path) -> None:
    declared = "attributes: {cases: {site: text}}\nphases:\n"
    protocol = POOL.replace("phases:\n", declared)
    situation = opened_pool(sqlite_database, tmp_path / "study", protocol, changes=(with_sites,))
    changed_cell("cases.csv", "c1", "site", "South")(tmp_path / "study")

    assert refused(situation, tmp_path / "study").startswith("Case 'c1' differs in site from the one that was read")


def with_sites(folder: Path) -> None:
    """Say of each case where it comes from, and of each item what models answered."""
    with_models(folder)
    table = folder / "cases.csv"
    header, *lines = table.read_text("utf-8").splitlines()
    table.write_text("\n".join([f"{header},site", *(f"{line},North" for line in lines)]) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("table", "line", "says"),
    [
        ("volumes.csv", "c9-t1,", "Volume 'c9-t1' of version 1 is missing in volumes.csv: a version takes nothing out"),
        ("cases.csv", "c8,", "Case 'c8' of version 1 is missing in cases.csv: a version takes nothing out; put it"),
    ],
)
def test_a_line_of_a_scan_or_a_case_that_is_left_out_is_missed(
    sqlite_database: Database, tmp_path: Path, table: str, line: str, says: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READS, 1, changes=(unused_cases,))
    path = tmp_path / "study" / table
    path.write_text("".join(row for row in path.read_text("utf-8").splitlines(True) if not row.startswith(line)))
    corrected_prompt(tmp_path / "study")

    assert refused(situation, tmp_path / "study").startswith(says)


def unused_cases(folder: Path) -> None:
    """Add cases of which there is no item, one of them with a scan."""
    write_volume(folder / "volumes" / "c9-t1.nii.gz", seed=9)
    for table, lines in (
        ("cases.csv", "c8,subject-8,A vignette,61,\nc9,subject-9,A vignette,61,\n"),
        ("volumes.csv", "c9-t1,c9,current,T1,2024-06-01,volumes/c9-t1.nii.gz,T1\n"),
    ):
        with (folder / table).open("a", encoding="utf-8") as file:
            file.write(lines)
