"""The work of a report grows with its study, and not with the square of it: calls of functions are counted."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import pytest

from benchmarks.listed_reports import RATES
from benchmarks.read_study import STUDY, read_study
from services.people import identity
from services.progress import data_lock
from services.report.build import build_report

FEW, MANY = 30, 120
# What grows with the square of the items is called 16 times as often, what grows with the items 4 times.
MOST = 8.0


def calls_of_a_report(folder: Path, items: int, listed: str) -> Counter[str]:
    """Return how often the report of so many items calls each function (each step of a generator is a call)."""
    database = read_study(folder, raters=2, items=items, scored=items, listed=listed)
    admin = identity.actor_for_command_line(database)
    data_lock.close_study(database, admin, STUDY, "Read to the end.")
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[f"{frame.f_code.co_filename}: {frame.f_code.co_qualname}"] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        build_report(database, admin, STUDY)
    finally:
        sys.setprofile(before)
        database.engine.dispose()
    return calls


@pytest.mark.parametrize("listed", ["", RATES], ids=["first language", "phases listed"])
def test_no_function_is_called_with_the_square_of_the_items(tmp_path: Path, listed: str) -> None:
    few, many = (calls_of_a_report(tmp_path / str(items), items, listed) for items in (FEW, MANY))
    assert {name: (few[name], calls) for name, calls in many.items() if calls > max(MOST * few[name], MANY**2)} == {}
