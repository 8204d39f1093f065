"""A sample that is drawn apart from another study says so before the freeze if that study is not frozen here."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.studies import freezing, thawing
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed
from tests.situations import open_study

APART = READ_THEN_SCORE.replace(
    "from: {where: {format: [yes_no]}}", "from: {sample: {size: 1, not_in: [secret_arm, tiny]}}"
)
SAID = (
    "Phase 'second': sample.not_in names 'tiny', and no study of this name is frozen here: no subject is left out for "
    "it. Freeze that study first, or correct the name."
)


def test_a_study_that_is_not_frozen_here_is_named_before_the_freeze(sqlite_database: Database, tmp_path: Path) -> None:
    there = open_study(sqlite_database, tmp_path / "tiny")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", APART))
    frozen = freezing.standing_of(sqlite_database, situation.admin, "listed").remarks

    thawing.thaw_study(sqlite_database, there.admin, "tiny", "A misspelt prompt.")
    thawed = freezing.standing_of(sqlite_database, situation.admin, "listed").remarks

    assert (frozen, thawed) == ((), (SAID,))
