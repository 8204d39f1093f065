"""One subject has one spelling, also in a draft that was stored before the import asked for it, and between studies."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from db import Database
from services.errors import Conflict
from services.studies.folders import importing
from services.studies.freeze import freezing
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through, units_in
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed
from tests.room_study import rewrite, rows_of
from tests.situations import Situation, write_study_folder

APART = READ_THEN_SCORE.replace("from: {where: {format: [yes_no]}}", "from: {sample: {size: 1, not_in: other}}")


def other_study(situation: Situation, folder: Path, subject: str) -> None:
    """Freeze a study of the first case alone, whose subject is written in this way."""
    write_study_folder(folder)
    rewrite(folder / "cases.csv", [row | {"subject": subject} for row in rows_of(folder / "cases.csv")[:1]])
    for table in ("items", "volumes"):
        rewrite(folder / f"{table}.csv", [row for row in rows_of(folder / f"{table}.csv") if row["case"] == "c1"])
    for table in ("references", "candidates"):
        rows = [row for row in rows_of(folder / f"{table}.csv") if row["item"] in ("i1", "i2")]
        rewrite(folder / f"{table}.csv", rows)
    importing.import_study(situation.database, situation.admin, folder, key="other")
    freezing.freeze_study(situation.database, situation.admin, "other")


def spelt_otherwise(database: Database, case: str, subject: str) -> None:
    """Store another spelling of a subject, as an import did before it refused that."""
    with database.engine.begin() as connection:
        values = {"case": case, "subject": subject}
        connection.execute(text("UPDATE study_case SET subject = :subject WHERE key = :case"), values)


@pytest.mark.parametrize("listed", [False, True], ids=["first language", "listed phases"])
def test_a_draft_with_two_spellings_of_one_subject_is_not_frozen(
    sqlite_database: Database, tmp_path: Path, listed: bool
) -> None:
    folder = tmp_path / "study"
    written = write_listed(folder, READ_THEN_SCORE) if listed else write_study_folder(folder)
    situation = imported_listed(sqlite_database, written)
    spelt_otherwise(sqlite_database, "c3", "Subject-1\u00a0")

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert str(refusal.value) == (
        "Subject 'Subject-1\u00a0' of case 'c3' and 'subject-1' of case 'c1' differ only in case, blanks, forms of a "
        "character or characters that are not drawn; write one subject in one way, and two in ways that can be told "
        "apart, and import the folder again."
    )
    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is None


def test_items_without_a_case_are_subjects_of_their_own_by_keys_that_nobody_wrote_as_a_subject(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "items.csv").write_text("item,format,prompt\nA1,open,One?\na1,open,Two?\n", "utf-8")
    (folder / "protocol.yaml").write_text(
        "blindread: 2\nname: listed\ntitle: Words\n"
        "phases: [{key: read, rates: items, shows: prompt, form: {answer: text}}]\n",
        "utf-8",
    )
    situation = imported_listed(sqlite_database, folder)

    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is not None


def test_a_sample_is_not_drawn_apart_from_a_study_that_writes_one_of_its_subjects_otherwise(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", APART))
    other_study(situation, tmp_path / "other", "SUBJECT-1")

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert str(refusal.value).splitlines()[0] == (
        "Phase 'second': sample.not_in: subject 'subject-1' here and 'SUBJECT-1' there differ only in case, blanks, "
        "forms of a character or characters that are not drawn; write one subject in one way, and two in ways that "
        "can be told apart."
    )


def test_what_follows_from_answers_is_drawn_apart_from_a_subject_that_is_written_otherwise_by_then(
    sqlite_database: Database, tmp_path: Path
) -> None:
    apart = "from: {phase: secret_arm, let_in: flagged, sample: {size: all, not_in: other}}"
    protocol = READ_THEN_RESOLVE.replace(
        "from: {phase: secret_arm, let_in: [flagged, not_assessable, {answered: findings}]}", apart
    )
    situation = opened_following(sqlite_database, tmp_path / "study", protocol)
    other_study(situation, tmp_path / "other", "SUBJECT-1")
    first, second, curator = situation.raters

    for reader in (first, second):
        read_through(situation, reader, {"i1": flagging, "i5": flagging})

    assert units_in(situation, "resolve", curator) == {"i5"}
