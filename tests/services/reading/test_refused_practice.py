"""Practice that nobody could pass, or that would show what is read later, is refused before anybody has practised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Case, Database
from exchange.refusal import InputRefused
from services.errors import Conflict
from services.studies.folders import importing
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, write_listed
from tests.room_study import rewrite, rows_of, with_practice
from tests.services.reading.practised import REPORT, TRAINED
from tests.situations import owner_of


def refused(database: Database, folder: Path, protocol: str, *changes: Any) -> str:
    """Import the tiny study with practice, and return why it cannot be frozen."""
    situation = imported_listed(database, write_listed(folder, protocol, [with_practice, *changes]))
    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(database, situation.admin, situation.study_key)
    return str(refusal.value)


def test_practice_on_the_subject_of_a_read_is_refused_at_the_freeze(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TRAINED, [with_practice]))
    with sqlite_database.writing() as session:
        # No table says so: the import refuses it already.
        session.exec(select(Case).where(Case.key == "p-one")).one().subject = "subject-1"

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert str(refusal.value) == (
        "Practice 'secret_training' tells the reference of 1 subject that the same people rate in phase 'read', "
        "which does not show it; practise with other subjects."
    )


def test_practice_without_a_reference_to_be_right_by_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    def without(folder: Path) -> None:
        rewrite(folder / "references.csv", [row for row in rows_of(folder / "references.csv") if row["item"] != "p2"])

    protocol = TRAINED.replace("    then: {shows: [reference, explanation]}\n", "")

    assert refused(sqlite_database, tmp_path / "study", protocol, without) == (
        "Phase 'secret_training' needs the reference, which 1 drawn item ('p2') lacks; add lines to references.csv, or "
        "select other items."
    )


def test_practice_that_nobody_can_pass_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = REPORT.replace("left: On the left, ", "")

    assert refused(sqlite_database, tmp_path / "study", protocol) == (
        "Practice 'secret_training' can never be answered right on item 'p3': 'finding' offers 'yes', 'no' and "
        "'right', and the reference is 'left'; write the id of an option."
    )


@pytest.mark.parametrize(
    ("field", "accepted", "says"),
    [
        (
            "{finding: {type: several, options: ['yes', 'no', left, right], at_most: 1}}",
            "left|right",
            "'finding' takes at most 1 of its options, and 2 together are the reference; change one of the two.",
        ),
        (
            (
                "{side: {type: choice, options: [l, r]}, finding: {type: choice, primary: yes, "
                "options: ['yes', 'no', left], options_by: {side: {l: ['yes', 'no'], r: ['no']}}}}"
            ),
            "left",
            "'finding' offers 'yes' and 'no', and the reference is 'left'; write the id of an option.",
        ),
    ],
    ids=["more options than the field takes", "an option that goes with nothing above"],
)
def test_practice_whose_reference_no_answer_can_equal_is_refused(
    field: str, accepted: str, says: str, sqlite_database: Database, tmp_path: Path
) -> None:
    def of_practice(folder: Path) -> None:
        rows = rows_of(folder / "references.csv")
        next(row for row in rows if row["item"] == "p3")["accepted"] = accepted
        rewrite(folder / "references.csv", rows)

    form = "{answer: as_item, sure: {type: confidence, steps: 3}}"

    assert refused(sqlite_database, tmp_path / "study", TRAINED.replace(form, field), of_practice) == (
        f"Practice 'secret_training' can never be answered right on item 'p3': {says}"
    )


@pytest.mark.parametrize(
    ("protocol", "changes", "says"),
    [
        (TRAINED[: TRAINED.index("  - key: secret")] + TRAINED[TRAINED.index("  - key: read") :], [with_practice],
         "the item is for practice, and no phase selects that"),
        (TRAINED, [], "items.csv, column practice: phase 'secret_training' is practice, and no item is for it"),
    ],
    ids=["items without a phase", "a phase without items"],
)  # fmt: skip
def test_practice_that_lacks_its_other_half_is_refused(
    sqlite_database: Database, tmp_path: Path, protocol: str, changes: list[Any], says: str
) -> None:
    folder = write_listed(tmp_path / "study", protocol, changes)

    with pytest.raises(InputRefused, match=says):
        importing.import_study(sqlite_database, owner_of(sqlite_database), folder)
