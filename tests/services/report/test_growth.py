"""The work of a report grows with its study, and not with the square of it: calls of functions are counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.read_study import STUDY, read_study
from db import Database
from db.engine import make_engine
from exchange.report.report_tables import printed
from services.people import identity
from services.progress import data_lock
from services.report.build import build_report
from services.studies.freeze import freezing
from tests.harness.counting import calls_of
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.situations import answers, write_table
from tests.stored_answers import store_all

FEW, MANY = 30, 120
# What grows with the square of the items is called 16 times as often, what grows with the items 4 times.
MOST = 8.0
EVERY_TYPE = """
blindread: 2
name: read
title: A field of every type, read and scored
phases:
  - key: read
    rates: items
    shows: [prompt]
    form:
      which: {type: choice, options: [a, b, c]}
      sure: {type: confidence, range: [0, 1]}
      size: number
      grade: {type: ordinal, options: ['1', '2', '3']}
      signs: {type: several, options: [a, b, c]}
      names: {type: ranked, at_most: 2}
      place: point
      words: text
    not_assessable: {quality: Quality}
  - key: score
    rates: candidates
    shows: [prompt, candidate]
    form: {verdict: correctness, quality: {type: ordinal, options: ['1', '2', '3']}}
analysis: {primary: {estimate: accuracy, of: read.which}, resamples: 200}
"""
Made = Callable[[Path, Path, int], tuple[Database, str]]


def first_language(_: Path, folder: Path, items: int) -> tuple[Database, str]:
    """Return a study of the first language, read and scored by two, and its key."""
    return read_study(folder, raters=2, items=items, scored=items), STUDY


def every_type(migrated: Path, folder: Path, items: int) -> tuple[Database, str]:
    """Return a study that lists its phases, with a field of each type, read and scored by two, and its key."""
    database = Database(make_engine(copy_of_sqlite_file(migrated, folder / "data" / "blindread.db")), folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(EVERY_TYPE, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(items)])
    right = {"which": "a", "size": "3", "grade": "2", "signs": "a", "names": "first", "place": "1 2 3", "words": "left"}
    write_table(
        study / "references.csv", "item,field,accepted,radius",
        [(f"q{n}", name, own, 6 if name == "place" else "") for n in range(items) for name, own in right.items()],
    )  # fmt: skip
    texts = [(f"{model}{n}", f"q{n}", model, f"{model} {n}") for n in range(items) for model in ("x", "y")]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    dice = random.Random(1)

    def said(payload: dict[str, Any]) -> dict[str, Any]:
        option, grade = dice.choice("abc"), dice.choice("123")
        if payload["candidate"] is not None:
            return answers(verdict=dice.choice(("correct", "incorrect")), quality=grade)
        if dice.random() < 0.05:
            return answers() | {"not_assessable": "quality"}
        place = [1.0, 2.0, dice.choice((3.0, 30.0))]
        return answers(
            which=option, sure=dice.random(), size=dice.choice((1.0, 3.0)), grade=grade, signs=[option],
            names=dice.sample(("first", "second", "third"), 2), place=place, words=dice.choice(("left", "right")),
        )  # fmt: skip

    store_all(situation, said)
    return database, situation.study_key


def calls_of_a_report(database: Database, key: str) -> Counter[str]:
    """Return how often the report, its printed tables included, calls each function (as each step of a generator)."""
    admin = identity.actor_for_command_line(database)
    data_lock.close_study(database, admin, key, "Read to the end.")

    def print_all() -> None:
        report = build_report(database, admin, key)
        for section in report.sections:
            for table in section.tables:
                printed(table)

    try:
        return calls_of(print_all)
    finally:
        database.engine.dispose()


@pytest.mark.parametrize("made", [first_language, every_type])
def test_no_function_is_called_with_the_square_of_the_items(made: Made, migrated_sqlite: Path, tmp_path: Path) -> None:
    few, many = (calls_of_a_report(*made(migrated_sqlite, tmp_path / str(n), n)) for n in (FEW, MANY))
    assert {name: (few[name], calls) for name, calls in many.items() if calls > max(MOST * few[name], MANY**2)} == {}
