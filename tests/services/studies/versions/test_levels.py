"""Numbers of one level tell the reference in a version as at a freeze; what its frozen study told before stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.studies.versions import making
from tests.listed_study import opened_listed, work_through
from tests.room_study import rewrite, rows_of
from tests.situations import Situation

READ = """
blindread: 2
name: listed
title: Small and large
attributes: {items: {size: {type: number, bins: [5], tells: reference}}}
phases:
  - {key: read, rates: items, shows: [prompt], form: {seen: yes_no}}
"""
LOOK = (
    "  - {key: look, rates: items, from: {where: {size: ['1', '2']}}, shows: [prompt], form: {seen: yes_no}, "
    "opens: {at_once: yes}}\n"
)


def with_sizes(folder: Path, *sizes: int) -> None:
    rows = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [row | {"size": str(size)} for row, size in zip(rows, sizes, strict=True)])


def test_a_phase_of_one_level_that_a_version_adds_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    changes = [lambda to: with_sizes(to, 1, 7, 2, 8, 2, 9)]
    situation = opened_listed(sqlite_database, folder, READ, raters=1, changes=changes)
    (folder / "protocol.yaml").write_text(READ + LOOK, "utf-8")

    with pytest.raises(Conflict, match="All that was drawn for 'look' has one value of size \\(below 5\\)"):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)


def with_more(folder: Path, *sizes: int) -> None:
    """Add an item of each size to the tables."""
    *others, last = rows_of(folder / "items.csv")
    added = [
        last | {"item": f"i{number}", "prompt": f"Prompt of i{number}?", "size": str(size)}
        for number, size in enumerate(sizes, start=len(others) + 2)
    ]
    rewrite(folder / "items.csv", [*others, last, *added])


def test_a_sound_phase_that_a_version_makes_one_of_one_level_is_refused(
    sqlite_database: Database, tmp_path: Path
) -> None:
    # All material is small: the phase of small ones tells nothing until a large one is added beside it.
    folder = tmp_path / "study"
    changes = [lambda to: with_sizes(to, 1, 2, 2, 1, 2, 3)]
    situation = opened_listed(sqlite_database, folder, READ + LOOK, raters=1, changes=changes)
    with_more(folder, 9)

    with pytest.raises(Conflict, match="All that was drawn for 'look' has one value of size \\(below 5\\)"):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)


def frozen_before_the_rule(database: Database, folder: Path) -> Situation:
    """Open a study whose phase is of one level beside a blind one, as an earlier program froze it."""
    look = LOOK.replace("'1', '2'", "'1', '2', '9'")
    changes = [lambda to: with_sizes(to, 1, 9, 2, 8, 2, 4)]
    situation = opened_listed(database, folder, READ + look, raters=1, changes=changes)
    with database.engine.begin() as connection:
        for item, size in (("i2", 3), ("i6", 7)):
            connection.exec_driver_sql(f"UPDATE item SET attributes = '{{\"size\": \"{size}\"}}' WHERE key = '{item}'")
    with_sizes(folder, 1, 3, 2, 8, 2, 7)
    return situation


def test_a_phase_that_was_frozen_of_one_level_stays(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    situation = frozen_before_the_rule(sqlite_database, folder)
    with_more(folder, 2, 7)

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "2 items added: i7, i8." in difference.changes


def test_beside_a_phase_that_was_frozen_of_one_level_another_is_refused(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = frozen_before_the_rule(sqlite_database, folder)
    with (folder / "protocol.yaml").open("a", encoding="utf-8") as protocol:
        protocol.write(LOOK.replace("look", "big").replace("'1', '2'", "'8', '10'"))
    with_more(folder, 8, 10)

    with pytest.raises(Conflict) as refused:
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "All that was drawn for 'big' has one value of size (5 or more)" in str(refused.value)
    assert "'look' tells" not in str(refused.value)


def test_who_was_shown_a_phase_of_one_level_is_given_nothing_new_of_its_subjects(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    changes = [lambda to: with_sizes(to, 1, 2, 2, 1, 2, 9)]
    protocol = READ + LOOK.replace("{at_once: yes}", "{after: read}")
    situation = opened_listed(sqlite_database, folder, protocol, raters=1, changes=changes)
    work_through(situation)
    first, *_ = rows_of(folder / "items.csv")
    added = first | {"item": "i7", "prompt": "Prompt of i7?", "size": "2"}
    rewrite(folder / "items.csv", [*rows_of(folder / "items.csv"), added])

    with pytest.raises(Conflict, match="was shown 'size' of the subject of 'i7' in phase 'look'"):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)
