"""What is weighted to the pool of a sample drawn with unequal chances, recomputed from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db import Database
from db.engine import make_engine
from exchange.report.report_structure import EstimateTable
from services.progress import data_lock
from services.report import Report
from services.report.build import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: unequal
title: All flagged questions and a quarter of the others
attributes: {items: {flagged: yes_no}}
phases:
  - key: read
    rates: items
    from: {sample: {strata: flagged, sizes: {yes: all, no: 25 %}}}
    shows: [prompt]
    form:
      kind: {type: choice, options: {a: Alpha, b: Beta, c: Gamma}}
      causes: {type: ranked, at_most: 3}
      words: {type: text}
      place: {type: point}
      part: {type: choice, options: {x: One, y: Two}, when: {kind: a}}
  - key: score
    rates: candidates
    from: {sample: {unit: item, strata: flagged, sizes: {yes: all, no: 25 %}}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
  - key: score_each
    rates: candidates
    from: {sample: {strata: flagged, sizes: {yes: all, no: 25 %}}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
analysis:
  cluster: item
  primary: {estimate: accuracy, of: read.kind}
  also:
    - {estimate: difference, of: score.verdict, compare: model}
    - {estimate: joint_rate, of: [read.kind, read.causes]}
  comparisons: {correction: holm}
  resamples: 300
"""
ITEMS = 120
# All that are flagged, and so many of the others that some have a reference for every field.
DRAWN = 45
KINDS = "abc"
WEIGHTED = "All items: {}, weighted to the pool"


def kind_said(number: int, asked: int) -> str:
    """Return an answer that is right more often where it was flagged, and by the first rater."""
    wrong = number % 4 == 0 if number < 20 else number % 3 > asked % 2
    return KINDS[(number + wrong) % 3]


@pytest.fixture(scope="module")
def reported(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Report, dict[str, Rows]]]:
    folder = tmp_path_factory.mktemp("unequal")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}", "yes" if n < 20 else "no") for n in range(ITEMS)]
    write_table(study / "items.csv", "item,format,prompt,flagged", items)
    right = {"kind": lambda n: KINDS[n % 3], "causes": lambda n: f"cause {n % 2}", "words": lambda n: f"left side {n}"}
    lines = [(f"q{n}", field, of(n)) for n in range(ITEMS) for field, of in right.items()]
    rows = [(*line, "") for line in lines]
    rows += [(f"q{n}", "place", f"{n} 0 0", 4) for n in range(ITEMS)]
    rows += [(f"q{n}", "part", "x", "") for n in range(0, ITEMS, 3)]
    write_table(study / "references.csv", "item,field,accepted,radius", rows)
    texts = [(f"{model}{n}", f"q{n}", model, f"{model} {n}") for n in range(ITEMS) for model in ("one", "two")]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    asked = 0

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        number = int(payload["prompt"].split()[1])
        if payload["candidate"]:
            is_right = number % 3 > 0 if payload["candidate"].startswith("one") else number < 20 or number % 2
            return answers(verdict="correct" if is_right else "incorrect")
        causes = ["cause 0", "cause 1"] if number < 20 or number % 5 == asked % 2 else ["cause 1", "cause 2"]
        kind = kind_said(number, asked)
        words = "left side" if number % 3 else "right side"
        place = [float(number), float(number % 7 + (3 if number < 20 else 0)), 0.0]
        part = {"part": "x" if number % 2 else "y"} if kind == "a" else {}
        return answers(kind=kind, causes=causes, words=words, place=place, **part)

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    report = build_report(database, situation.admin, situation.study_key)
    yield report, tables_of(database, report)
    engine.dispose()


@pytest.fixture(scope="module")
def tables(reported: tuple[Report, dict[str, Rows]]) -> dict[str, Rows]:
    return reported[1]


def weights_in(tables: dict[str, Rows], phase: str, unit: str) -> dict[str, float]:
    """Return for how many each unit stands that a phase drew."""
    return {row[unit]: 1 / float(row["inclusion_probability"]) for row in tables["sample.csv"] if row["phase"] == phase}


def in_pool(tables: dict[str, Rows], values: dict[str, float]) -> float:
    weights = weights_in(tables, "read", "item")
    return float(np.average([values[item] for item in weights], weights=list(weights.values())))


@pytest.mark.parametrize(("section", "table"), [("plan", "line_1"), ("phase_read", "kind_accuracy")])
def test_accuracy_is_weighted_for_each_rater_and_for_all(tables: dict[str, Rows], section: str, table: str) -> None:
    assert sorted({round(each) for each in weights_in(tables, "read", "item").values()}) == [1, 4]
    said = values_in(tables["fields.csv"], "kind", "item")
    in_the_pool = {}
    for who, own in said.items():
        in_the_pool[who] = in_pool(tables, {item: float(own[item] == KINDS[int(item[1:]) % 3]) for item in own})
    in_the_pool["All raters"] = float(np.mean(list(in_the_pool.values())))

    for who, value in in_the_pool.items():
        row = estimate_in(tables, section, table, WEIGHTED.format("accuracy"), who)
        assert math.isclose(float(row["value"]), value) and float(row["low"]) < value < float(row["high"])
        assert int(row["n"]) == (2 * DRAWN if who == "All raters" else DRAWN)


@pytest.mark.parametrize(("section", "table"), [("plan", "line_2"), ("phase_score", "verdict_by_model")])
def test_a_difference_on_the_same_items_is_weighted(tables: dict[str, Rows], section: str, table: str) -> None:
    weights = weights_in(tables, "score", "candidate")
    said = values_in(tables["fields.csv"], "verdict")["Rater 1"]
    items = sorted({key.removeprefix("one").removeprefix("two") for key in weights})
    gaps = [(said[f"one{n}"] == "correct") - float(said[f"two{n}"] == "correct") for n in items]
    value = float(np.average(gaps, weights=[weights[f"one{n}"] for n in items]))

    row = estimate_in(
        tables, section, table, "All candidates: difference of shares, weighted to the pool", "one minus two"
    )

    assert math.isclose(float(row["value"]), value) and int(row["n"]) == len(items) == DRAWN
    assert float(row["low"]) < value < float(row["high"])


def test_a_difference_of_answers_drawn_one_by_one_is_not_weighted_by_the_chance_of_one(
    reported: tuple[Report, Any],
) -> None:
    section = reported[0].section("phase_score_each")
    assert section is not None
    share, differences = (section.table(f"verdict_{topic}") for topic in ("share_correct", "by_model"))

    assert isinstance(share, EstimateTable) and any(row.weighted for row in share.rows)
    assert isinstance(differences, EstimateTable) and not any(row.weighted for row in differences.rows)
    assert "Not weighted to the pool: units had unequal chances of being drawn" in differences.explanation


def test_first_lines_are_weighted_at_every_depth(tables: dict[str, Rows]) -> None:
    for who, own in values_in(tables["fields.csv"], "causes", "item").items():
        for depth in (1, 3):
            within = {
                item: float(f"cause {int(item[1:]) % 2}" in lines.split(" | ")[:depth]) for item, lines in own.items()
            }
            row = estimate_in(tables, "phase_read", "causes_pass_at_k", WEIGHTED.format(f"pass@{depth}"), who)
            assert math.isclose(float(row["value"]), in_pool(tables, within))


def test_token_f1_is_weighted(tables: dict[str, Rows]) -> None:
    for who, own in values_in(tables["fields.csv"], "words", "item").items():
        # Of three words of the reference, the answer has two or one, of its own two.
        overlap = {item: 4 / 5 if words == "left side" else 2 / 5 for item, words in own.items()}
        label = WEIGHTED.format("mean token F1")
        row = estimate_in(tables, "phase_read", "words_token_f1", label, who)
        assert math.isclose(float(row["value"]), in_pool(tables, overlap))


def test_distances_and_shares_within_them_are_weighted(tables: dict[str, Rows]) -> None:
    for who in ("Rater 1", "Rater 2"):
        away = {
            row["item"]: float(row["distance_mm"])
            for row in tables["fields.csv"]
            if (row["member"], row["field"]) == (who, "place")
        }
        mean = estimate_in(
            tables, "phase_read", "place_distance", WEIGHTED.format("mean distance from the reference"), who
        )
        near = estimate_in(tables, "phase_read", "place_within", WEIGHTED.format("within 5 mm"), who)
        assert math.isclose(float(mean["value"]), in_pool(tables, away))
        assert math.isclose(float(near["value"]), in_pool(tables, {item: float(mm <= 5) for item, mm in away.items()}))


def test_a_field_that_depends_on_another_is_weighted_in_both_denominators(tables: dict[str, Rows]) -> None:
    weights = weights_in(tables, "read", "item")
    kind, part = (values_in(tables["fields.csv"], field, "item")["Rater 1"] for field in ("kind", "part"))
    wanted = [item for item in weights if int(item[1:]) % 3 == 0]
    for words, items in (
        ("of all with a reference", wanted),
        ("where the answer above is right", [item for item in wanted if kind[item] == "a"]),
    ):
        right = [part.get(item) == "x" for item in items]
        row = estimate_in(tables, "phase_read", "part_depending", WEIGHTED.format(f"accuracy {words}"), "Rater 1")
        assert math.isclose(float(row["value"]), float(np.average(right, weights=[weights[item] for item in items])))


def test_all_fields_at_once_are_weighted(tables: dict[str, Rows]) -> None:
    right: dict[str, dict[str, bool]] = {}
    for row in tables["fields.csv"]:
        if row["member"] == "Rater 1" and row["phase"] == "read":
            right.setdefault(row["item"], {})[row["field"]] = row["correct"] == "yes"
    at_once = {item: float(of_field["kind"] and of_field["causes"]) for item, of_field in right.items()}
    label = "All items: right in all fields at once, weighted to the pool"
    row = estimate_in(tables, "plan", "line_3_1", label, "Rater 1")

    assert math.isclose(float(row["value"]), in_pool(tables, at_once))


def test_weighted_rows_are_no_further_comparisons(reported: tuple[Report, dict[str, Rows]]) -> None:
    (table,) = (table for _, table in reported[0].estimate_tables() if table.key == "line_2")

    assert "1 comparison, so that its P value needs no correction." in table.explanation


def test_a_table_of_which_no_row_is_weighted_says_so(reported: tuple[Report, dict[str, Rows]]) -> None:
    said = {table.key: table.explanation for _, table in reported[0].estimate_tables()}

    assert "Not weighted to the pool: units had unequal chances of being drawn" in said["kind_agreement"]
    assert "Not weighted to the pool" in said["kind_classes"]
    assert "Every other row is of the sample as it is." in said["kind_accuracy"]
