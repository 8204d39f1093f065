"""Two groups of raters are compared in how far their members agree with each other, from what the plan declares."""

from __future__ import annotations

import math
import random
from itertools import combinations
from pathlib import Path
from typing import Any

from db import Database
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import estimate_in, pairs_of, share_same, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: agreeing
title: Two groups agree
groups: {students: Students, seniors: Seniors}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: {grade: {type: choice, options: [a, b, c]}},
     by: [students, seniors]}
analysis:
  primary: {estimate: agreement, of: read.grade, compare: group}
"""
N = 12


def test_the_difference_of_two_groups_is_that_of_the_pairs_within_each(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    groups = ["students"] * 5 + ["seniors"] * 5
    situation = imported_listed(sqlite_database, study, groups=groups)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    drawn, times = random.Random(3), dict[str, int]()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        rater = times[payload["prompt"]] = times.get(payload["prompt"], -1) + 1
        number = int(payload["prompt"].split()[1][:-1])
        sure = drawn.random() < (0.5 if rater < 5 else 0.9)
        return answers(grade="abc"[number % 3] if sure else drawn.choice("abc"))

    store_all(situation, answer)
    tables = closed_tables(situation)
    given = values_in(tables["fields.csv"], "grade", "item")

    def within(names: range) -> float:
        pairs = [
            pairs_of(given[f"Rater {first}"], given[f"Rater {second}"]) for first, second in combinations(names, 2)
        ]
        return sum(share_same(pair) for pair in pairs) / len(pairs)

    whose = "Students minus Seniors"
    row = estimate_in(tables, "plan", "line_1", "All items: difference of agreement within groups", whose)
    assert math.isclose(float(row["value"]), within(range(1, 6)) - within(range(6, 11))) and row["plan"] == "also"
    kappa = estimate_in(tables, "plan", "line_1", "All items: difference of kappa within groups", whose)
    assert (
        kappa["plan"] == "primary" and float(kappa["low"]) < float(kappa["value"]) < float(kappa["high"]) and kappa["p"]
    )


def test_with_a_group_of_one_rater_the_difference_is_undefined_and_says_why(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    situation = imported_listed(sqlite_database, study, groups=["students", "seniors", "seniors"])
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    store_all(situation, lambda _: answers(grade="a"))

    tables = closed_tables(situation)

    for statistic in ("agreement", "kappa"):
        name = f"All items: difference of {statistic} within groups"
        row = estimate_in(tables, "plan", "line_1", name, "Students minus Seniors")
        assert row["value"] == ""
        assert row["undefined_because"] == "agreement within a group is of two raters or more; of Students there is one"
