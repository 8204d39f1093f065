"""What follows from answers is drawn in the version that holds by then, and is a unit of that."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import col, select

from db import Database, FreezeItem, Item
from services.record import verification
from tests.following_study import flagging, opened_following, read_through
from tests.versioned_study import corrected_prompt, new_version


def test_units_that_follow_from_answers_are_of_the_version_in_which_they_are_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i2": flagging})

    with sqlite_database.read_only() as session:
        units = session.exec(
            select(Item.key, FreezeItem.version)
            .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
            .where(FreezeItem.phase == "resolve")
        ).all()

    assert [tuple(unit) for unit in units] == [("i2", 2)]
    assert verification.verify_study(sqlite_database, "listed") == []
