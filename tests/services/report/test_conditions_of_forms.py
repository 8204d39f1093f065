"""A line of a plan that selects by the result of a field selects by that of the form that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db import Database
from services.progress import data_lock
from services.report import build_report
from services.studies import freezing
from tests.listed_study import imported_listed, work_through
from tests.situations import answers, write_table

PROTOCOL = """
blindread: 2
name: forms
title: One field in two forms
forms:
  short: {answer: yes_no}
  long: {answer: {type: choice, options: {yes: Yes, no: No, unclear: Not clear}}, other: yes_no}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: as_item}
  - {key: again, title: Reads again, rates: items, shows: [prompt], form: {sure: yes_no}}
analysis:
  also:
    - {estimate: rate, of: again.sure, option: yes, where: {form: long, read.answer: unclear}}
    - {estimate: rate, of: again.sure, option: yes, where: {form: short, read.answer: yes}}
    - {estimate: rate, of: read.other, option: yes, where: {form: long, read.answer: yes}}
"""


def test_units_are_selected_by_the_result_in_the_form_that_a_line_names(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n:02}", "c", "yes_no", f"Item {n}?", "long" if n % 2 else "short") for n in range(20)]
    write_table(folder / "items.csv", "item,category,format,prompt,form", items)
    situation = imported_listed(sqlite_database, folder)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["prompt"].split()[1][:-1])
        asked = {field["key"] for field in payload["form"]["fields"]}
        if asked == {"sure"}:
            return answers(sure="yes" if number < 8 else "no")
        of_short = answers(answer="yes" if number < 10 else "no")
        return answers(answer="unclear" if number < 6 else "yes", other="no") if number % 2 else of_short

    work_through(situation, answer)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    plan = build_report(sqlite_database, situation.admin, situation.study_key).section("plan")

    assert plan is not None
    of_lines = [{row.estimate.n: row.stratum.value for row in table.rows} for _, table in tables_of(plan)]
    # Of both raters: long items 1, 3, 5; short items 0 to 8; long items 7 to 19.
    assert [max(of_line) for of_line in of_lines] == [6, 10, 14]
    assert "Not clear" in of_lines[0][6] or "not clear" in of_lines[0][6]


def tables_of(plan: Any) -> list[tuple[str, Any]]:
    return [(table.key, table) for table in plan.tables]
