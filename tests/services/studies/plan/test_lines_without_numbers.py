"""Lines of a plan that no answers could bring to a number are refused at the import, or said before the freeze."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from db import Database
from exchange.refusal import InputRefused
from exchange.study_folder.folder_rows import ReferenceRow
from protocol.references import FieldReference
from services.studies.folders import importing
from services.studies.folders.checking import checked_folder
from services.studies.freeze import before_freeze
from services.studies.plan.lines_without_numbers import References
from tests.listed_study import TWO_GROUPS, as_frozen, imported_listed, write_listed
from tests.protocol.language.study_text import expanded
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: numberless
title: Lines without a number
groups: {{a: {{title: A, people: 1}}, b: {{title: B, people: 2}}, c: {{title: C, people: 1}}}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt{shows}]
    by: {by}
    form: {{answer: {{type: yes_no, primary: yes}}, other: yes_no, sure: {{type: confidence, steps: 5, about: other}}}}
analysis: {{{plan}}}
"""
ACCURACY = "estimate: accuracy, of: read.answer"
PLACES = """
phases:
  - {key: read, title: R, rates: items, shows: [prompt, scans], form: {place: point}}
analysis: {also: [{estimate: distance, of: read.place}]}
"""
AGREED = "estimate: agreement, of: read.answer"
AGREEMENT = f"also: [{{{AGREED}}}]"
OF_GROUPS = f"also: [{{{AGREED}, compare: group}}]"


def folder_with(path: Path, plan: str, by: str = "[a, b]", shows: str = "") -> Path:
    (path / "protocol.yaml").write_text(PROTOCOL.format(plan=plan, by=by, shows=shows), encoding="utf-8")
    items = [(f"q{n}", "c", "yes_no", f"Item {n}?") for n in range(20)]
    write_table(path / "items.csv", "item,category,format,prompt", items)
    references = [(item[0], "", "yes", "", "", "", "") for item in items]
    write_table(path / "references.csv", "item,field,accepted,low,high,radius,provenance", references)
    return path


@pytest.mark.parametrize(
    ("plan", "by", "shows", "says"),
    [
        ("also: [{estimate: accuracy, of: read.other}]", "[a, b]", "", "what is right in other on any of the 20 units"),
        ("also: [{estimate: calibration, of: read.sure}]", "[a, b]", "", "what is right in other on any of the 20"),
        (f"also: [{{{ACCURACY}}}]", "[a, b]", ", reference", "the reference of answer is shown there"),
        (AGREEMENT, "a", "", "needs two raters, and for 'read' 1 is planned"),
        (AGREEMENT, "{groups: [a, b], per_unit: 1}", "", "each unit of 'read' has one"),
        (OF_GROUPS, "[a, b]", "", "needs two raters of it, and of a in 'read' one is planned"),
        (f"also: [{{{AGREED}, by: group, where: {{group: a}}}}]", "[a, b]", "", "needs two raters, and for 'read' 1"),
        (f"also: [{{{AGREED}, by: group}}]", "[a, c]", "", "needs two raters of it, and of a and c in 'read' one"),
        (f"also: [{{{AGREED}, as: settled}}]", "[a, b]", "", "but a settled result is only one; remove as: settled"),
        (
            f"criteria: [{{key: it, {ACCURACY}, above: 0.1, least: {{raters: 4}}}}]",
            "[a, b]",
            "",
            "4 raters are asked for, and for 'read' 3 are planned",
        ),
        (
            f"criteria: [{{key: it, {ACCURACY}, above: 0.1, where: {{group: b}}, least: {{raters: 3}}}}]",
            "[a, b]",
            "",
            "3 raters are asked for, and for 'read' 2 are planned",
        ),
    ],
)
def test_a_line_that_no_answers_could_bring_to_a_number_is_refused(
    tmp_path: Path, plan: str, by: str, shows: str, says: str
) -> None:
    with pytest.raises(InputRefused, match="analysis") as refusal:
        checked_folder(folder_with(tmp_path, plan, by, shows))

    assert says in str(refusal.value)


@pytest.mark.parametrize(
    "plan",
    [
        f"primary: {{{ACCURACY}}}, also: [{{estimate: rate, of: read.other}}]",
        f"criteria: [{{key: it, {ACCURACY}, above: 0.1, least: {{raters: 3}}}}]",
        AGREEMENT,
        f"also: [{{{AGREED}, by: group}}]",
        f"also: [{{{AGREED}, as: [given, settled]}}]",
    ],
)
def test_a_line_that_answers_can_bring_to_a_number_is_taken(tmp_path: Path, plan: str) -> None:
    assert checked_folder(folder_with(tmp_path, plan)).items


TWO_FORMS = """
blindread: 2
name: forms
title: One field in two forms
forms:
  short: {answer: yes_no}
  long: {answer: {type: choice, options: [yes, no, unclear]}, other: yes_no}
phases: [{key: read, title: Reads, rates: items, shows: [prompt], form: as_item}]
analysis: {also: [%s]}
"""


def folder_of_two_forms(path: Path, also: str) -> Path:
    (path / "protocol.yaml").write_text(TWO_FORMS % also, encoding="utf-8")
    items = [(f"q{n}", "c", "yes_no", f"Item {n}?", "long" if n % 2 else "short") for n in range(20)]
    write_table(path / "items.csv", "item,category,format,prompt,form", items)
    return path


def test_a_line_about_a_field_of_two_forms_names_one_of_them(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refusal:
        checked_folder(folder_of_two_forms(tmp_path, "{estimate: agreement, of: read.answer}"))

    assert (
        "line 1 of analysis.also, key of: 'read.answer' is a field of the forms short and long"
        in str(refusal.value).lower()
    )
    assert "where: {form: short}" in str(refusal.value)


def test_a_line_is_about_the_field_of_the_form_that_it_names(tmp_path: Path) -> None:
    line = "estimate: rate, of: read.answer"
    lines = [f"{{{line}, option: unclear, where: {{form: long}}}}", "{estimate: agreement, of: read.other}"]

    assert checked_folder(folder_of_two_forms(tmp_path, ", ".join(lines))).items
    for form, says in (("short", "'unclear'"), ("shrot", "nearest: 'short'"), ("[long, short]", "fields of one form")):
        with pytest.raises(InputRefused) as refusal:
            checked_folder(folder_of_two_forms(tmp_path, f"{{{line}, option: unclear, where: {{form: {form}}}}}"))
        assert says in str(refusal.value)


def test_a_line_of_which_no_figure_would_be_made_is_refused(tmp_path: Path) -> None:
    folder = folder_of_two_forms(tmp_path, "{estimate: rate, of: read.other, option: yes}")
    of_one = [(f"q{n}", "c", "yes_no", f"Item {n}?", "short") for n in range(20)]
    write_table(folder / "items.csv", "item,category,format,prompt,form", of_one)

    with pytest.raises(InputRefused, match="filled in by the form long, so that nobody is asked 'other'"):
        checked_folder(folder)

    again = "{key: again, title: Again, rates: items, shows: [prompt], form: {sure: yes_no}, counts: no}"
    text = TWO_FORMS.replace("as_item}]", f"as_item}}, {again}]") % "{estimate: rate, of: again.sure, option: yes}"
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputRefused, match="figure is made of 'again', since it has counts: no"):
        checked_folder(folder)


def test_a_line_that_selects_by_a_result_that_two_forms_have_names_one_of_them(tmp_path: Path) -> None:
    line = "estimate: rate, of: read.other, option: yes"

    with pytest.raises(InputRefused) as refusal:
        checked_folder(folder_of_two_forms(tmp_path, f"{{{line}, where: {{read.answer: no}}}}"))

    assert "'read.answer' is a field of the forms short and long" in str(refusal.value)
    assert "where: {form: short, read.answer: no}" in str(refusal.value)
    named = f"{{{line}, where: {{form: long, read.answer: unclear}}}}"
    assert checked_folder(folder_of_two_forms(tmp_path, named)).items
    line = "estimate: agreement, of: read.answer, where: {form: short, read.answer: unclear}"
    with pytest.raises(InputRefused, match="no option of 'read\\.answer' 'unclear'"):
        checked_folder(folder_of_two_forms(tmp_path, f"{{{line}}}"))


def test_a_version_keeps_the_lines_of_the_frozen_plan_and_adds_none_that_no_answer_makes_a_number(
    tmp_path: Path,
) -> None:
    line, added = "{estimate: accuracy, of: read.other}", "{estimate: accuracy, of: read.other, by: group}"
    frozen = as_frozen(folder_with(tmp_path, f"also: [{line}]"))

    assert checked_folder(tmp_path, frozen).items
    folder_with(tmp_path, f"also: [{line}, {added}]")
    with pytest.raises(InputRefused) as refused:
        checked_folder(tmp_path, frozen)

    (problem,) = refused.value.problems
    assert problem.place == "line 2 of analysis.also" and "what is right in other" in problem.says


def test_before_the_freeze_it_is_said_which_criteria_people_and_units_cannot_reach(
    sqlite_database: Database, tmp_path: Path
) -> None:
    line = "estimate: agreement, of: read.answer, statistic: percent_agreement"
    plan = f"analysis: {{criteria: [{{key: it, {line}, above: 0.9, least: {{raters: 2}}}}]}}"
    folder = write_listed(tmp_path / "study", f"{TWO_GROUPS}\n{plan}\n")
    situation = imported_listed(sqlite_database, folder, groups=["residents"])

    lacking, alone, narrow = before_freeze.standing_of(sqlite_database, situation.admin, "listed").unreachable

    assert lacking.startswith(
        "analysis.criteria.it.least: 2 raters are asked for, and for 'read' 1 is there or planned"
    )
    assert alone.startswith("analysis.criteria.it: agreement needs two raters")
    assert "with 6 units in 3 subjects the limits are 0.139 and 1.000, 0.861 apart, at best; it takes 68" in narrow


@contextmanager
def reads_of(database: Database, table: str) -> Iterator[list[str]]:
    """Note each statement that reads a table."""
    read: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if f"FROM {table}" in statement.replace("\n", " ").replace('"', ""):
            read.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield read
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def test_the_tables_are_read_once_for_each_state_of_a_draft(sqlite_database: Database, tmp_path: Path) -> None:
    line = "estimate: rate, of: read.answer, option: yes, above: 0.9"
    folder = write_listed(tmp_path / "study", f"{TWO_GROUPS}\nanalysis: {{criteria: [{{key: it, {line}}}]}}\n")
    situation = imported_listed(sqlite_database, folder, raters=0)

    def read_by(count: int) -> tuple[int, list[tuple[str, ...]]]:
        with reads_of(sqlite_database, "candidate") as read:
            said = [
                before_freeze.standing_of(sqlite_database, situation.admin, "listed").unreachable for _ in range(count)
            ]
        return len(read), said

    first, (said,) = read_by(1)
    again, repeated = read_by(3)
    assert (again, repeated) == (0, [said] * 3)

    importing.import_study(sqlite_database, situation.admin, folder, over_draft=True)
    assert first > 0
    assert read_by(1)[0] == first


def test_a_distance_is_to_a_point_that_is_accepted_and_not_to_a_mask() -> None:
    place = expanded(PLACES).phase("read").fields[0]
    point, mask = FieldReference(accepted=("1 2 3",), radius=5), FieldReference(overlay="lesion")
    of_items = {"i1": replace(point, field="place"), "i2": replace(mask, field="place")}
    rows = [ReferenceRow(item, (), None, None, "", "", (said,)) for item, said in of_items.items()]
    line = expanded(PLACES).analysis.also[0]

    usable = References(rows).used_by(line)

    assert [usable(item, place) for item in of_items] == [True, False]
