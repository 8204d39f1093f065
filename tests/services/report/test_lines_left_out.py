"""What the plan declares is not lost: a part that nobody answered has a row, a line without figures a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db import Database
from protocol.language.expansion import Expansion
from services.report.sections.lines_left_out import left_out
from services.studies import freezing
from services.studies.checking import checked_folder
from tests.listed_study import closed_tables, imported_listed, work_through
from tests.situations import answers, write_table

OF_PARTS = """
blindread: 2
name: parts
title: A part without an answer
attributes: {items: {site: text, hard: yes_no}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {answer: yes_no}
    not_assessable: {quality: Image quality}
analysis:
  resamples: 200
  also:
    - {estimate: rate, of: read.answer, by: site}
    - {estimate: agreement, of: read.answer, by: site}
    - {estimate: distribution, of: read.answer, by: site}
    - {estimate: macro_f1, of: read.answer, by: site}
    - {estimate: flag_precision, of: read.answer, over: hard, by: site}
"""
LOST = """
blindread: 2
name: lost
title: Lines of which no figure is made
forms:
  short: {answer: yes_no}
  long: {answer: yes_no, other: yes_no}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: as_item}
  - {key: again, title: Reads again, rates: items, shows: [prompt], form: {sure: yes_no}, counts: no}
analysis:
  also: [{estimate: rate, of: again.sure, option: yes}]
  criteria: [{key: enough, estimate: rate, of: read.other, option: yes, above: 0.1}]
"""
NOBODY = "nobody has answered any of these items"


def test_a_part_that_nobody_answered_has_the_rows_of_the_others_without_a_value(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(OF_PARTS, encoding="utf-8")
    items = [(f"q{n}", "yes_no", f"Item {n}?", "ab"[n % 2], "yes" if n % 3 else "no") for n in range(12)]
    write_table(study / "items.csv", "item,format,prompt,site,hard", items)
    write_table(study / "references.csv", "item,accepted", [(item[0], "yes") for item in items])
    situation = imported_listed(sqlite_database, study)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        if int(payload["prompt"].split()[1][:-1]) % 2 == 0:
            return answers(answer="yes")
        return {"fields": {}, "not_assessable": "quality", "comment": "", "flag": None}

    work_through(situation, answer)
    plan = [row for row in closed_tables(situation)["estimates.csv"] if row["section"] == "plan"]

    for number in range(1, 6):
        of_line = [row for row in plan if row["table"] == f"line_{number}"]
        answered, others = ([row for row in of_line if row["stratum"].endswith(site)] for site in "ab")
        named = [{(row["name"], row["raters"], row["plan"]) for row in rows} for rows in (answered, others)]
        assert named[0] == named[1]
        assert {(row["value"], row["n"], row["undefined_because"]) for row in others} == {("", "0", NOBODY)}


def test_a_line_of_which_no_figure_is_made_is_said_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(LOST, encoding="utf-8")
    items = [(f"q{n}", "yes_no", f"Item {n}?", "short") for n in range(4)]
    write_table(tmp_path / "items.csv", "item,format,prompt,form", items)
    study = checked_folder(tmp_path, plan_is_frozen=True).protocol
    assert isinstance(study, Expansion)

    line, criterion = left_out(study, [])

    assert line.startswith("Also declared, not computed, since no figure is made of “Reads again”, whose answers do")
    assert criterion.startswith("Criterion “enough”: not decided, since no unit that was drawn for “Reads” has")
