"""A line of a plan that selects by the result of a field selects by that of the form that it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from db import Database
from exchange.report.report_structure import Section
from services.progress import data_lock
from services.report import build_report
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, work_through
from tests.situations import answers, write_table
from tests.stored_answers import store_all

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

    store_all(situation, answer)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    plan = build_report(sqlite_database, situation.admin, situation.study_key).section("plan")

    assert plan is not None
    of_lines = [{row.estimate.n: row.stratum.value for row in table.rows} for _, table in tables_of(plan)]
    # Of both raters: long items 1, 3, 5; short items 0 to 8; long items 7 to 19.
    assert [max(of_line) for of_line in of_lines] == [6, 10, 14]
    assert "Not clear" in of_lines[0][6] or "not clear" in of_lines[0][6]


def tables_of(plan: Any) -> list[tuple[str, Any]]:
    return [(table.key, table) for table in plan.tables]


SETTLED = """
blindread: 2
name: forms
title: One field in two forms, settled
groups: {readers: Readers, chairs: Chairs}
forms:
  short: {answer: yes_no}
  long: {answer: {type: choice, options: {yes: Yes, no: No, unclear: Not clear}}}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: as_item, by: readers}
  - key: settle
    title: Settles
    rates: items
    from: {phase: read, let_in: [differs]}
    shows: [prompt]
    form: as_item
    by: chairs
    settles: read
  - {key: again, title: Reads again, rates: items, shows: [prompt], form: {sure: yes_no}, by: readers}
analysis:
  also:
    - {estimate: accuracy, of: read.answer, as: settled, where: {form: short}}
    - {estimate: accuracy, of: read.answer, as: settled, where: {form: long}}
    - {estimate: rate, of: again.sure, option: yes, where: {form: short, read.answer: yes}}
    - {estimate: rate, of: again.sure, option: yes, where: {form: long, read.answer: yes}}
"""


def test_what_a_later_phase_settles_holds_in_every_form(sqlite_database: Database, tmp_path: Path) -> None:
    asked: dict[int, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["prompt"].split()[1][:-1])
        if payload["form"]["fields"][0]["key"] == "sure":
            return answers(sure="yes" if number < 10 else "no")
        asked[number] = asked.get(number, 0) + 1
        # The readers differ on the first 14 items, and the chair says of those what the first of them said.
        return answers(answer="no" if asked[number] == 2 and number < 14 else "yes")

    plan = report_on(sqlite_database, tmp_path / "study", SETTLED, answer, ("readers", "readers", "chairs"))

    # Of either form 10 items, each with an answer that holds; of the 20 answers on them half are sure.
    estimates = [table.rows[-1].estimate for table in plan.tables]
    assert [(estimate.value, estimate.n) for estimate in estimates] == [(1.0, 10), (1.0, 10), (0.5, 20), (0.5, 20)]


WITH_CONTROLS = """
blindread: 2
name: forms
title: Some of what the readers agree on goes along, unmarked
groups: {readers: Readers, chairs: Chairs}
forms:
  short: {answer: yes_no}
  long: {answer: yes_no}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: {answer: yes_no}, by: readers, flags: {odd: Odd}}
  - key: settle
    title: Settles
    rates: items
    from: {phase: read, let_in: [differs, flagged], controls: 5}
    shows: [prompt]
    form: {answer: yes_no}
    by: chairs
    settles: read
analysis: {also: [{estimate: accuracy, of: read.answer, as: settled}]}
"""


def test_controls_keep_what_the_raters_agreed_on(sqlite_database: Database, tmp_path: Path) -> None:
    asked: dict[int, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["prompt"].split()[1][:-1])
        asked[number] = asked.get(number, 0) + 1
        # The readers differ on 4 items and flag 3 others; of these and of 5 controls the chair says what is wrong.
        given = answers(answer="no" if asked[number] > 2 or (asked[number] == 2 and number < 4) else "yes")
        return given | {"flag": {"id": "odd", "note": ""}} if payload["form"]["flags"] and 4 <= number < 7 else given

    plan = report_on(sqlite_database, tmp_path / "study", WITH_CONTROLS, answer, ("readers", "readers", "chairs"))

    assert sum(times == 3 for times in asked.values()) == 12
    settled = tables_of(plan)[0][1].rows[-1].estimate
    assert (settled.value, settled.n) == (13 / 20, 20)


IN_TWO_STEPS = """
blindread: 2
name: forms
title: One field in two forms, answered twice
forms:
  short: {answer: yes_no}
  long: {answer: {type: choice, options: {yes: Yes, no: No, unclear: Not clear}}}
phases:
  - {key: read, title: Reads, rates: items, shows: [], form: as_item, then: {shows: [prompt], again: yes}}
analysis:
  also:
    - {estimate: rate, of: read.answer, option: yes, as: [step 1, given], where: {form: short}}
    - {estimate: rate, of: read.answer, option: yes, as: [step 1, given], where: {form: long}}
"""


def test_the_first_step_of_a_line_is_that_of_the_form_that_it_names(sqlite_database: Database, tmp_path: Path) -> None:
    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        is_long = len(payload["form"]["fields"][0]["options"]) == 3
        return answers(answer="yes" if is_long == bool(payload.get("prompt")) else "no")

    plan = report_on(sqlite_database, tmp_path / "study", IN_TWO_STEPS, answer, ("", ""))

    shares = [
        [(row.estimate.value, row.estimate.n) for row in table.rows if row.parties[0].kind == "all_raters"]
        for table in plan.tables
    ]
    assert shares == [[(1.0, 20), (0.0, 20)], [(0.0, 20), (1.0, 20)]]


def report_on(
    database: Database,
    folder: Path,
    protocol: str,
    answer: Callable[[dict[str, Any]], dict[str, Any]],
    groups: tuple[str, ...],
) -> Section:
    """Return the plan's section of a study of twenty items, of which every other one has the long form."""
    folder.mkdir()
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    items = [(f"q{n:02}", "c", "yes_no", f"Item {n}?", "long" if n % 2 else "short") for n in range(20)]
    write_table(folder / "items.csv", "item,category,format,prompt,form", items)
    write_table(folder / "references.csv", "item,accepted", [(f"q{n:02}", "yes") for n in range(20)])
    situation = imported_listed(database, folder, len(groups), groups=groups)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    work_through(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    plan = build_report(database, situation.admin, situation.study_key).section("plan")
    assert plan is not None
    return plan
