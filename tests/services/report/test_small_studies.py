"""No study is too small for a report: each type of field, hanging on another or not, with references and without."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from db import Database
from services.studies import freezing
from tests.listed_study import closed_tables, drawn_answers, imported_listed, work_through
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: small
title: A small study
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      organ: {type: choice, primary: yes, options: {brain: Brain, lung: Lung}}
      finding: {%s%s}
analysis: {resamples: 200}
"""
OPTIONS = "options: {a: A, b: B, c: C}"
# What a field of each type says of itself, and what is accepted in it.
FIELDS = {
    "type: yes_no": "yes",
    f"type: choice, {OPTIONS}": "a",
    f"type: several, {OPTIONS}": "a",
    f"type: ranked, {OPTIONS}, at_most: 2": "a",
    "type: ranked, at_most: 2": "first",
    f"type: ordinal, {OPTIONS}": "a",
    "type: text": "Text 1",
    "type: number": "",
    "type: confidence, about: organ, steps: 3": "",
}


@pytest.mark.parametrize("when", ["", ", when: {organ: brain}"])
@pytest.mark.parametrize("field", FIELDS)
def test_a_report_is_made_however_few_rated_however_little(
    sqlite_database: Database, tmp_path: Path, field: str, when: str
) -> None:
    accepted, drawn = FIELDS[field], random.Random(4)
    for number, (items, raters, works) in enumerate([(1, 1, True), (1, 2, True), (4, 3, True), (2, 2, False)]):
        for of_finding in (False, True):
            study = tmp_path / f"{number}{of_finding}"
            study.mkdir()
            (study / "protocol.yaml").write_text(PROTOCOL % (field, when), encoding="utf-8")
            keys = [f"q{n}" for n in range(items)]
            write_table(study / "items.csv", "item,format,prompt", [(key, "open", f"Item {key}?") for key in keys])
            lines = [(key, "organ", "brain") for key in keys] if of_finding else []
            lines += [(key, "finding", accepted) for key in keys] if of_finding and accepted else []
            if lines:
                write_table(study / "references.csv", "item,field,accepted", lines)
            situation = imported_listed(sqlite_database, study, raters, key=f"small-{number}-{int(of_finding)}")
            freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
            if works:
                work_through(situation, lambda payload: drawn_answers(payload, drawn))

            assert "estimates.csv" in closed_tables(situation)
