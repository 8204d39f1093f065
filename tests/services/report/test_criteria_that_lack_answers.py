"""Criteria of which a part, a rater or a pair has too little to rest on, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from db import Database
from exchange.report.report_structure import PlainTable
from protocol.fields.abstention import UNDETERMINED
from services.progress import data_lock
from services.report import build_report
from services.studies.freeze import freezing
from tests.listed_study import imported_listed
from tests.situations import answers, write_table
from tests.stored_answers import store_all

# Sixty items of thirty cases, at two sites in turn; the first twelve have a reference.
PROTOCOL = """
blindread: 2
name: lacking
title: What criteria rest on
attributes: {{items: {{site: text}}}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {{answer: yes_no}}
    undetermined: [answer]
    not_assessable: {{quality: Quality}}
analysis:
  resamples: 300
  criteria:
    - {{key: it, {criterion}}}
"""
NOTHING = {"fields": {}, "not_assessable": "quality", "comment": "", "flag": None}
SHARE = "estimate: rate, of: read.answer"
SAME = "estimate: agreement, statistic: percent_agreement, of: read.answer"
# Of an item by its number, and of whoever comes to it first, second or third.
Says = Callable[[int, int], str | None]


class Line(NamedTuple):
    """What the report says of a criterion in one line."""

    whose: str | None
    part: str
    units: int
    raters: int
    outcome: str
    because: str


def lines_of(database: Database, folder: Path, criterion: str, says: Says, raters: int = 2) -> list[Line]:
    """Return the lines of a criterion in a study whose raters say that of each item, None for not assessable."""
    folder.mkdir()
    (folder / "protocol.yaml").write_text(PROTOCOL.format(criterion=criterion), encoding="utf-8")
    items = [(f"q{n:02}", f"k{n // 2}", "c", "yes_no", f"Item {n}?", ("north", "south")[n % 2]) for n in range(60)]
    write_table(folder / "items.csv", "item,case,category,format,prompt,site", items)
    write_table(folder / "cases.csv", "case,subject", [(f"k{n}", f"p{n}") for n in range(30)])
    write_table(folder / "references.csv", "item,accepted", [(f"q{n:02}", "yes") for n in range(12)])
    situation = imported_listed(database, folder, raters)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    came: dict[int, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["prompt"].split()[1][:-1])
        came[number] = came.get(number, 0) + 1
        said = says(number, came[number])
        return NOTHING if said is None else answers(answer=dict(UNDETERMINED) if said == "abstains" else said)

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    plan = build_report(database, situation.admin, situation.study_key).section("plan")
    assert plan is not None
    (table,) = [table for table in plan.tables if isinstance(table, PlainTable)]
    names = [column.key for column in table.columns]
    return [Line(*(dict(zip(names, row, strict=True))[name] for name in Line._fields)) for row in table.rows]


def test_given_and_settled_answers_rest_each_on_their_own(sqlite_database: Database, tmp_path: Path) -> None:
    # The raters differ on forty items, of which nothing is settled.
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, as: [given, settled], above: 0.2, least: {{units: 50, raters: 2}}",
        lambda number, who: "no" if who == 2 and number >= 20 else "yes",
    )

    assert lines == [
        Line("All raters", "All items", 60, 2, "met", ""),
        Line("Consensus", "All items", 20, 2, "not decided", "it rests on 20 of 50 units"),
    ]


def test_given_and_settled_answers_of_a_single_rater_are_both_decided(
    sqlite_database: Database, tmp_path: Path
) -> None:
    criterion = f"{SHARE}, as: [given, settled], above: 0.2"

    lines = lines_of(sqlite_database, tmp_path / "study", criterion, lambda *_: "yes", raters=1)

    assert sorted((line.whose, line.units, line.outcome, line.because) for line in lines) == [
        ("Consensus", 60, "met", ""),
        ("Rater 1", 60, "met", ""),
    ]


def test_where_raters_agree_on_nothing_it_is_said_that_nothing_is_settled(
    sqlite_database: Database, tmp_path: Path
) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, as: [given, settled], above: 0.2",
        lambda _, who: "no" if who == 2 else "yes",
    )

    assert [(line.whose, line.outcome, line.because) for line in lines] == [
        ("All raters", "met", ""),
        (None, "not decided", "nothing is settled of any of these units"),
    ]


def test_of_two_raters_it_is_said_that_alpha_is_of_three(sqlite_database: Database, tmp_path: Path) -> None:
    criterion = "estimate: agreement, statistic: krippendorff_alpha, of: read.answer, above: 0.2"

    (line,) = lines_of(sqlite_database, tmp_path / "study", criterion, lambda *_: "yes")

    assert (line.outcome, line.because) == (
        "not decided", "alpha is of three raters or more, and here there are two, of whom there is kappa",
    )  # fmt: skip


def test_who_only_abstained_is_none_of_the_raters_that_a_criterion_rests_on(
    sqlite_database: Database, tmp_path: Path
) -> None:
    (line,) = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, above: 0.2, least: {{raters: 3}}",
        lambda _, who: "abstains" if who == 3 else "yes",
        raters=3,
    )

    assert (line.raters, line.outcome) == (2, "not decided")
    assert line.because == "it rests on 2 of 3 raters (of 1 more there are abstentions alone)"


@pytest.mark.parametrize(("criterion", "whose"), [(SHARE, "All raters"), (SAME, "Rater 1 and Rater 2")])
def test_a_part_without_any_answer_is_not_decided(
    sqlite_database: Database, tmp_path: Path, criterion: str, whose: str
) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{criterion}, by: site, above: 0.3",
        lambda number, _: None if number % 2 else "yes",
    )

    assert lines == [
        Line(whose, "Site: north", 30, 2, "met", ""),
        Line(None, "Site: south", 0, 0, "not decided", "nobody has answered any of these units"),
    ]


def test_a_rater_without_any_answer_is_not_decided_where_each_has_to_reach_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, each_rater: yes, above: 0.3",
        lambda _, who: None if who == 2 else "yes",
    )

    assert [(line.whose, line.outcome, line.because) for line in lines] == [
        ("Rater 1", "met", ""),
        ("Rater 2", "not decided", "this rater has answered none of these units"),
    ]


def test_each_pair_with_a_rater_without_any_answer_is_not_decided(sqlite_database: Database, tmp_path: Path) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SAME}, each_rater: yes, above: 0.3",
        lambda _, who: None if who == 3 else "yes",
        raters=3,
    )

    because = "Rater 3 answered none of these units"
    assert [(line.whose, line.outcome, line.because) for line in lines] == [
        ("Rater 1 and Rater 2", "met", ""),
        ("Rater 1 and Rater 3", "not decided", because),
        ("Rater 2 and Rater 3", "not decided", because),
    ]


def test_units_are_those_that_the_estimate_rests_on(sqlite_database: Database, tmp_path: Path) -> None:
    (line,) = lines_of(
        sqlite_database,
        tmp_path / "study",
        "estimate: accuracy, of: read.answer, above: 0.2, least: {units: 12}",
        lambda number, _: None if number == 0 else "yes",
    )

    # Fifty-nine items are answered, and eleven of them have a reference.
    assert (line.units, line.outcome, line.because.split(";")[0]) == (11, "not decided", "it rests on 11 of 12 units")


def test_of_agreement_they_are_those_that_both_answered(sqlite_database: Database, tmp_path: Path) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SAME}, above: 0.2, least: {{units: 30}}",
        lambda number, who: None if who == 2 and number > 20 else "yes",
    )

    because = "it rests on 21 of 30 units"
    assert lines == [Line("Rater 1 and Rater 2", "All items", 21, 2, "not decided", because)]


def test_the_line_of_a_rater_has_the_units_of_that_rater(sqlite_database: Database, tmp_path: Path) -> None:
    def says(number: int, who: int) -> str | None:
        return None if who == 2 and number > 20 else "yes"

    lines = lines_of(
        sqlite_database, tmp_path / "study", f"{SHARE}, each_rater: yes, above: 0.2, least: {{units: 30}}", says
    )

    assert {(line.units, line.outcome, line.because) for line in lines} == {
        (60, "met", ""),
        (21, "not decided", "it rests on 21 of 30 units"),
    }


def test_the_line_of_a_rater_or_pair_counts_these_and_the_least_is_asked_of_all(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def says(number: int, who: int) -> str | None:
        return None if who == 3 else "yes"

    least = "least: {units: 50, raters: 3}"
    lines = lines_of(sqlite_database, tmp_path / "study", f"{SHARE}, each_rater: yes, above: 0.2, {least}", says, 3)

    because = "2 of 3 raters have answered"
    assert [(line.whose, line.raters, line.because) for line in lines] == [
        ("Rater 1", 1, because),
        ("Rater 2", 1, because),
        ("Rater 3", 0, "this rater has answered none of these units"),
    ]


def test_of_all_raters_together_a_unit_counts_once(sqlite_database: Database, tmp_path: Path) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, above: 0.2, least: {{units: 50}}",
        lambda number, who: None if (who == 2 and number > 20) or number >= 40 else "yes",
    )

    # Sixty-one verdicts of forty items.
    assert lines == [Line("All raters", "All items", 40, 2, "not decided", "it rests on 40 of 50 units")]


def test_pairs_that_are_too_many_to_be_told_apart_in_a_part_are_not_decided(
    sqlite_database: Database, tmp_path: Path
) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SAME}, each_rater: yes, by: site, above: 0.3",
        lambda *_: "yes",
        raters=5,
    )

    because = "its 10 pairs of raters are too many to be told apart here"
    assert [(line.whose, line.outcome, line.because) for line in lines] == 2 * [(None, "not decided", because)]


@pytest.mark.parametrize("narrowed", ["by: site", "where: {site: north}"])
def test_each_rater_is_held_to_a_share_of_a_part_as_of_all(
    sqlite_database: Database, tmp_path: Path, narrowed: str
) -> None:
    lines = lines_of(
        sqlite_database,
        tmp_path / "study",
        f"{SHARE}, each_rater: yes, above: 0.3, {narrowed}",
        lambda _, who: "no" if who == 2 else "yes",
    )

    of_parts = {(line.whose, line.units, line.outcome, line.because) for line in lines}
    assert of_parts == {
        ("Rater 1", 30, "met", ""),
        ("Rater 2", 30, "not met", "the lower limit is not above 0.3"),
    }
    assert len(lines) == (4 if narrowed.startswith("by") else 2)
