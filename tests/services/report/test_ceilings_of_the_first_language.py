"""Ceilings, and accuracy over queue and time, of a study of the first language, recomputed from its data files."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.report import Report, build_report, figures_of
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.recomputed import Rows, estimate_in, tables_of
from tests.services.report.situations import FIRST, SECOND, STUDY, frozen_study, read_all, study_folder

THIRD = FIRST | {"i1": "left", "i4": "none", "i7": "yes", "i6": "occipital"}
RATERS = ("Rater 1", "Rater 2", "Rater 3")


@pytest.fixture(scope="module")
def made(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("ceilings")
    database = Database(make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db")), folder)
    situation = frozen_study(database, study_folder(folder / "study"), raters=3)
    for number, given in enumerate((FIRST, SECOND, THIRD), start=1):
        read_all(situation, f"rater {number}", given)
    data_lock.close_study(database, situation.admin, STUDY)
    report = build_report(database, situation.admin, STUDY)
    tables = tables_of(database, report)
    database.engine.dispose()
    return report, tables


@pytest.fixture(scope="module")
def tables(made: tuple[Report, dict[str, Rows]]) -> dict[str, Rows]:
    return made[1]


def printed(tables: dict[str, Rows], table: str, label: str, raters: str) -> tuple[float, int]:
    row = estimate_in(tables, "floors", table, label, raters)
    return float(row["value"]), int(row["n"])


def of_rater(tables: dict[str, Rows], rater: str, column: str) -> dict[str, str]:
    """Return a column of a rater's answers by item; what was not answered is left out."""
    return {row["item"]: row[column] for row in tables["verdicts.csv"] if row["rater"] == rater and row["answer"]}


def test_the_best_rater_is_the_one_who_is_right_most_often(tables: dict[str, Rows]) -> None:
    shares = {
        rater: np.mean([right == "1" for right in of_rater(tables, rater, "correct").values()]) for rater in RATERS
    }
    best = max(shares, key=lambda rater: shares[rater])

    value, _ = printed(tables, "ceilings", "All items: the best rater", best)
    assert math.isclose(value, shares[best])


def test_always_the_most_frequent_answer_is_of_the_items_that_have_the_same_options(tables: dict[str, Rows]) -> None:
    accepted = Counter(row["accepted"] for row in tables["items.csv"] if row["format"] == "yes_no")

    often = printed(tables, "ceilings", "Yes/no: always the most frequent answer", "Yes")

    assert often == (accepted["yes"] / 4, 4) and not [
        row
        for row in tables["estimates.csv"]
        if row["table"] == "ceilings" and row["label"].startswith("Choice: always")
    ]


def test_each_rater_is_held_against_what_both_others_say(tables: dict[str, Rows]) -> None:
    said = {rater: of_rater(tables, rater, "compared_as") for rater in RATERS}
    for rater in RATERS:
        first, second = (said[other] for other in RATERS if other != rater)
        same = [said[rater][item] == first[item] for item in said[rater] if first.get(item, 0) == second.get(item, 1)]
        value, n = printed(tables, "against_others", "All items: same as most of the others", rater)
        assert math.isclose(value, np.mean(same)) and n == len(same)


def test_accuracy_is_printed_by_thirds_of_the_queue(tables: dict[str, Rows]) -> None:
    for rater in RATERS:
        place, right = of_rater(tables, rater, "position"), of_rater(tables, rater, "correct")
        ordered = sorted(right, key=lambda item: int(place[item]))
        last = [right[item] == "1" for rank, item in enumerate(ordered) if 3 * rank // len(ordered) == 2]
        row = printed(tables, "order_and_time", "All items: right in the last third of the queue", rater)
        assert row == (pytest.approx(np.mean(last)), len(last))


def test_floors_and_ceilings_are_drawn(made: tuple[Report, dict[str, Rows]]) -> None:
    drawn = {figure.key: figure for figure in figures_of(made[0]) if figure.section == "floors"}

    assert {"levels", "levels_closed", "order_and_time-queue"} <= set(drawn)
    assert [trace.name for trace in drawn["levels"].figure.data] == ["Without the images", "Raters", "Ceilings"]
