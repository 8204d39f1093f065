"""A field that hangs on another is reported whatever its type is: sets and lists of options have no F1."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from db import Database
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, drawn_answers, imported_listed
from tests.situations import write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: depending
title: One field hangs on another
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      organ: {type: choice, primary: yes, options: {brain: Brain, lung: Lung}}
      finding: %s
analysis: {resamples: 200}
"""
OPTIONS = "options: {a: A, b: B, c: C}"
WHEN = "when: {organ: brain}"
BY = "options_by: {organ: {brain: [a, b], lung: [b, c]}}"
N = 12


@pytest.mark.parametrize(
    ("field", "has_f1"),
    [
        (f"{{type: several, {OPTIONS}, {WHEN}}}", False),
        (f"{{type: several, {OPTIONS}, {BY}}}", False),
        (f"{{type: ranked, {OPTIONS}, at_most: 2, {WHEN}}}", False),
        (f"{{type: choice, {OPTIONS}, {WHEN}}}", True),
        (f"{{type: ordinal, {OPTIONS}, {WHEN}}}", True),
    ],
)
def test_sets_and_lists_have_both_accuracies_and_one_option_of_several_has_f1_beside_them(
    sqlite_database: Database, tmp_path: Path, field: str, has_f1: bool
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL % field, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    of_organ = [(f"q{n}", "organ", "brain") for n in range(N)]
    write_table(
        study / "references.csv", "item,field,accepted", [*of_organ, *((f"q{n}", "finding", "a") for n in range(N))]
    )
    situation = imported_listed(sqlite_database, study)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    drawn = random.Random(4)
    store_all(situation, lambda payload: drawn_answers(payload, drawn))

    rows = [row for row in closed_tables(situation)["estimates.csv"] if row["table"] == "finding_depending"]

    assert len({row["name"] for row in rows if "ccuracy" in row["name"]}) == 2
    assert any("F1" in row["name"] for row in rows) == has_f1
