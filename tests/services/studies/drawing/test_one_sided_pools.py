"""An item of a pool that no model answered tells that people wrote what is rated of it: said before the freeze."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db import Database
from services.studies.folders import checking
from services.studies.freeze import before_freeze
from tests.listed_study import imported_listed, write_listed
from tests.pool_study import GROUPS, POOL, with_models
from tests.room_study import rewrite, rows_of

SAID = (
    "In the pool of 'grade', {lacking} of 6 items that 'secret_arm' can draw have no answer of a model ({keys}): "
    "anybody who rates an answer to them knows that a person wrote it. Add models' answers, or select in "
    "'secret_arm' (from.where, by a column of items.csv) the items that have some."
)
OF_A = POOL.replace("takes: [", "from: {where: {model: model-a}}\n    takes: [")
OF_READ = POOL.replace("rates: items\n", "rates: items\n    from: {where: {category: [presence, side, change]}}\n")


def answered(*keys: str) -> Callable[[Path], None]:
    """Leave only the answers of the models to these items, or of the one with such an ending."""

    def change(folder: Path) -> None:
        with_models(folder)
        rows = [row for row in rows_of(folder / "candidates.csv") if row["candidate"].startswith(keys)]
        rewrite(folder / "candidates.csv", rows)

    return change


@pytest.mark.parametrize(
    ("protocol", "there", "said"),
    [
        (POOL, ("k1", "k2", "k3", "k4", "k5", "k6"), []),
        (POOL, ("k1", "k2", "k4b"), [SAID.format(lacking=3, keys="i3, i5, i6")]),
        # No response is no answer.
        (POOL, ("k1", "k2", "k3", "k4", "k5", "k6b"), [SAID.format(lacking=1, keys="i6")]),
        # Of a model whose answers are not in the pool.
        (OF_A, ("k1", "k2", "k3", "k4b", "k5", "k6"), [SAID.format(lacking=1, keys="i4")]),
        # People are not asked the others.
        (OF_READ, ("k1", "k2", "k3", "k4", "k6"), []),
    ],
    ids=["all answered", "some", "no response", "another model's", "not asked"],
)
def test_items_that_only_people_answered_are_said_with_the_folder(
    tmp_path: Path, protocol: str, there: tuple[str, ...], said: list[str]
) -> None:
    folder = write_listed(tmp_path / "study", protocol, [answered(*there)])

    warnings = checking.checked_folder(folder).warnings

    assert [warning for warning in warnings if "knows that a person wrote it" in warning] == said


def test_they_are_said_before_the_freeze(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", POOL, [answered("k1", "k2", "k4b")])
    situation = imported_listed(sqlite_database, folder, groups=GROUPS)

    standing = before_freeze.standing_of(sqlite_database, situation.admin, "listed")

    assert standing.one_sided == (SAID.format(lacking=3, keys="i3, i5, i6"),)
