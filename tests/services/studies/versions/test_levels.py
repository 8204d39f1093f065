"""Numbers of one level tell the reference in what a version adds; what its frozen study has of the kind stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.studies.versions import making
from tests.listed_study import opened_listed, work_through
from tests.room_study import rewrite, rows_of

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


def test_a_frozen_phase_that_comes_to_be_of_one_level_stays(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    changes = [lambda to: with_sizes(to, 1, 2, 2, 1, 2, 3)]
    situation = opened_listed(sqlite_database, folder, READ + LOOK, raters=1, changes=changes)
    last = rows_of(folder / "items.csv")[-1]
    added = last | {"item": "i7", "prompt": "Prompt of i7?", "size": "9"}
    rewrite(folder / "items.csv", [*rows_of(folder / "items.csv"), added])

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


def test_a_phase_of_one_level_is_refused_although_its_items_make_a_frozen_phase_one(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    changes = [lambda to: with_sizes(to, 1, 2, 2, 1, 2, 3)]
    situation = opened_listed(sqlite_database, folder, READ + LOOK, raters=1, changes=changes)
    (folder / "protocol.yaml").write_text(
        READ + LOOK + LOOK.replace("look", "big").replace("'1', '2'", "8, 9"), "utf-8"
    )
    *_, last = rows_of(folder / "items.csv")
    added = [
        last | {"item": item, "prompt": f"Prompt of {item}?", "size": size} for item, size in (("i7", 8), ("i8", 9))
    ]
    rewrite(folder / "items.csv", [*rows_of(folder / "items.csv"), *added])

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
