"""What is said of a version does not tell what was answered about sealed subjects."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.engine import Database, make_engine
from services.errors import Conflict
from services.judging import sealed_split
from services.studies.freeze import freezing
from services.studies.versions import making
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, work_through
from tests.sealed_study import with_many_items
from tests.services.report.sealed_scores import items_for_test
from tests.situations import Situation, answers
from tests.versioned_study import changed_cell

PROTOCOL = """
blindread: 2
name: sealed
title: Reads, a second look at what differs, and a third
groups: {readers: Readers, seconds: Seconds, thirds: Thirds}
forms:
  side: {side: {type: choice, options: {left: Left, right: Right}}}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: side, by: readers}
  - {key: rate, title: Answers, rates: candidates, shows: [prompt, candidate], form: side, by: seconds}
  - key: look_again
    title: What differs
    rates: candidates
    from: {phase: read, let_in: [differs]}
    shows: [prompt, reference, candidate]
    form: side
    by: seconds
  - key: look_once_more
    title: Once more
    rates: candidates
    from: {phase: look_again, let_in: [{answered: side}]}
    shows: [prompt, candidate]
    form: side
    by: thirds
"""
EVERY = 5


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    """Two readers differ on every fifth item, which somebody who rates answers then sees with its reference."""
    folder = tmp_path_factory.mktemp("sealed")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    with_many_items(folder / "study", PROTOCOL)
    opened = imported_listed(
        database, folder / "study", key="sealed", groups=("readers", "readers", "seconds", "thirds")
    )
    freezing.freeze_study(database, opened.admin, "sealed")
    sealed_split.make_split(database, opened.admin, "sealed", 0.5)
    for place, rater in enumerate(opened.raters[:3]):
        work_through(replace(opened, raters=(rater,)), _answering(differs=place == 1))
    yield opened
    engine.dispose()


def _answering(*, differs: bool) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = re.search(r"Item (\d+)", str(payload))
        assert number is not None
        return answers(side="right" if differs and int(number[1]) % EVERY == 0 else "left")

    return answer


def said_of_a_version(situation: Situation, folder: Path, change: Callable[[Path], object]) -> str:
    shutil.copytree(situation.database.data_dir.parent / "study", folder)
    change(folder)
    with pytest.raises(Conflict) as refused:
        making.difference_of(situation.database, situation.admin, "sealed", folder)
    return str(refused.value)


@pytest.mark.parametrize(
    ("table", "key", "column", "says"),
    [
        ("items.csv", "i{}", "prompt", "Phase 'read' is closed, since other phases waited for it"),
        ("candidates.csv", "k{}", "answer", "Phase 'look_again' follows from answers, which are sealed of test"),
    ],
)
def test_a_correction_is_refused_alike_whether_readers_differed_on_a_sealed_item_or_not(
    situation: Situation, tmp_path: Path, table: str, key: str, column: str, says: str
) -> None:
    numbers = sorted(int(item[1:]) for item in items_for_test(situation))
    differing = next(number for number in numbers if number % EVERY == 0)
    alike = next(number for number in numbers if number % EVERY)

    first, second = (
        said_of_a_version(
            situation, tmp_path / str(number), changed_cell(table, key.format(number), column, f"Corrected {number}.")
        ).replace(f"'{key.format(number)}'", "'it'")
        for number in (differing, alike)
    )

    assert first == second
    assert first.startswith(says) and first.count("Phase '") == 1
