"""Means of a sample that was drawn with unequal chances, recomputed from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.report.build import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, tables_of, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: listed
title: All flagged questions and a tenth of the others
attributes: {items: {flagged: yes_no}}
phases:
  - key: rate
    rates: items
    from: {sample: {strata: flagged, sizes: {yes: all, no: 10 %}}}
    shows: [prompt]
    form:
      quality: {type: ordinal, options: ['1', '2', '3', '4', '5']}
      length: {type: number, unit: mm}
analysis:
  primary: {estimate: mean, of: rate.quality}
  also: [{estimate: mean, of: rate.length}]
  criteria: [{key: it, estimate: agreement, of: rate.length, statistic: icc, above: 0.1}]
  resamples: 400
"""


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("means")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}", "yes" if n < 20 else "no") for n in range(220)]
    write_table(study / "items.csv", "item,format,prompt,flagged", items)
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    asked = 0

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        number = int(payload["prompt"].split()[1])
        quality = 1 + number % 3 + (2 if number >= 20 else 0)
        return answers(quality=str(quality), length=10.0 * quality + number % 7 + asked % 2)

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield tables_of(database, build_report(database, situation.admin, situation.study_key))
    engine.dispose()


@pytest.mark.parametrize(("field", "line"), [("quality", "line_1"), ("length", "line_2")])
def test_a_mean_is_weighted_to_the_pool_where_chances_of_being_drawn_differ(
    tables: dict[str, Rows], field: str, line: str
) -> None:
    weight = {row["item"]: 1 / float(row["inclusion_probability"]) for row in tables["sample.csv"]}
    assert sorted({round(each) for each in weight.values()}) == [1, 10]
    said = values_in(tables["fields.csv"], field, "item")
    of_units = {item: [float(own[item]) for own in said.values()] for item in weight}
    gave = {who: {item: float(own[item]) for item in weight} for who, own in said.items()}
    gave["All raters"] = {item: float(np.mean(own)) for item, own in of_units.items()}
    rows = {
        (row["label"], row["raters"]): row
        for row in tables["estimates.csv"]
        if row["section"] == "plan" and row["table"] == line
    }

    for who, own in gave.items():
        plain, weighted = rows["All items: mean", who], rows["All items: mean, weighted to the pool", who]
        assert math.isclose(float(plain["value"]), float(np.mean(list(own.values()))))
        in_pool = float(np.average(list(own.values()), weights=[weight[item] for item in own]))
        assert math.isclose(float(weighted["value"]), in_pool) and int(weighted["n"]) == len(own) == 40
        assert float(weighted["low"]) < in_pool < float(weighted["high"])


def test_a_criterion_on_the_icc_of_numbers_is_decided(tables: dict[str, Rows]) -> None:
    cells = {row["column"]: row["value"] for row in tables["counts.csv"] if row["table"] == "criteria"}

    assert (cells["statistic"], cells["whose"], cells["outcome"]) == ("ICC(2,1)", "All raters", "met")
