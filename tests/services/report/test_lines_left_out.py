"""What the plan declares is not lost: a part that nobody answered has a row, a line without figures a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.report import build_report
from services.report.rows.ratings import PhaseRatings
from services.report.sections.lines_left_out import left_out
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import as_frozen, closed_tables, imported_listed
from tests.services.report.recomputed import Rows
from tests.situations import answers, write_table
from tests.stored_answers import store_all

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
OF_COMPARISONS = """
blindread: 2
name: compared
title: Comparisons of which a part is missing
groups: {one: One, two: Two}
attributes:
  items: {site: text, hard: yes_no}
  candidates: {image: yes_no}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {answer: yes_no, grade: {type: ordinal, options: ['1', '2']}}
    not_assessable: {quality: Image quality}
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {found: yes_no}
    not_assessable: {quality: Image quality}
    by: one
analysis:
  resamples: 200
  also:
    - {estimate: difference, of: read.answer, compare: hard, by: site}
    - {estimate: mean, of: read.grade, compare: group, by: site}
    - {estimate: joint_rate, of: score.found, option: yes, over: image, by: site}
    - {estimate: rate, of: read.answer, as: [given, settled], by: site}
    - {estimate: flag_precision, of: read.answer, over: hard}
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
WITHOUT_ROWS = """
blindread: 2
name: without-rows
title: Lines without any row
attributes: {items: {site: text, hard: yes_no}, candidates: {image: yes_no, words: number}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {answer: yes_no, grade: {type: ordinal, options: ['1', '2']}}
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {verdict: correctness}
    not_assessable: {quality: Quality}
  - key: again
    title: Scores again
    rates: candidates
    shows: [prompt, candidate]
    form: {right: {type: correctness, excluded: Excluded}}
analysis:
  resamples: 200
  also:
    - {estimate: agreement, of: read.answer}
    - {estimate: difference, of: read.grade, compare: hard, by: site}
    - {estimate: rate, of: read.answer, option: yes, where: {site: c}}
    - {estimate: agreement, of: score.verdict}
    - {estimate: corrected, of: score.verdict}
    - {estimate: rate, of: read.answer, option: yes, by: specialty}
    - {estimate: joint_rate, of: again.right, option: correct, over: image}
    - {estimate: auc, of: again.right, over: words}
"""
SURE = """
blindread: 2
name: sure
title: A confidence that is no probability
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {answer: yes_no, sure: {type: confidence, range: [0, 100]}}
analysis:
  resamples: 200
  also: [{estimate: calibration, of: read.sure}, {estimate: auc, of: read.sure}]
"""
UNSEEN = {"fields": {}, "not_assessable": "quality", "comment": "", "flag": None}
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

    store_all(situation, answer)
    plan = [row for row in closed_tables(situation)["estimates.csv"] if row["section"] == "plan"]

    for number in range(1, 6):
        of_line = [row for row in plan if row["table"] == f"line_{number}"]
        answered, others = ([row for row in of_line if row["stratum"].endswith(site)] for site in "ab")
        named = [{(row["name"], row["raters"], row["plan"]) for row in rows} for rows in (answered, others)]
        assert named[0] == named[1]
        assert {(row["value"], row["n"], row["undefined_because"]) for row in others} == {("", "0", NOBODY)}


@pytest.fixture(scope="module")
def compared(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    """Two raters of two groups: of site a they say the same, nobody answers site b, and of site c they differ."""
    folder = tmp_path_factory.mktemp("compared")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(OF_COMPARISONS, encoding="utf-8")
    items = [(f"q{n}", "yes_no", f"Item {n}?", "abc"[n % 3], "yes" if n % 2 else "no") for n in range(18)]
    write_table(study / "items.csv", "item,format,prompt,site,hard", items)
    write_table(study / "references.csv", "item,accepted", [(item[0], "yes") for item in items])
    texts = [(f"{n}-{image}", f"q{n}", "M", f"Text {n} {image}", image) for n in range(18) for image in ("yes", "no")]
    write_table(study / "candidates.csv", "candidate,item,model,answer,image", texts)
    situation = imported_listed(Database(engine, folder / "data"), study, groups=["one", "two"])
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    came: Counter[str] = Counter()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        site = "abc"[int(payload["prompt"].split()[1][:-1]) % 3]
        if site == "b":
            return {"fields": {}, "not_assessable": "quality", "comment": "", "flag": None}
        if payload.get("candidate"):
            return answers(found="yes")
        came[payload["prompt"]] += 1
        return answers(answer="no" if site == "c" and came[payload["prompt"]] == 2 else "yes", grade="1")

    store_all(situation, answer)
    yield [row for row in closed_tables(situation)["estimates.csv"] if row["section"] == "plan"]
    engine.dispose()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_comparison_has_its_rows_without_a_value_in_a_part_that_nobody_answered(compared: Rows, number: int) -> None:
    of_line = [row for row in compared if row["table"] == f"line_{number}"]
    answered, others = ([row for row in of_line if row["label"].startswith(f"Site: {site}")] for site in "ab")

    assert {(row["name"], row["raters"]) for row in others} == {(row["name"], row["raters"]) for row in answered}
    assert {(row["value"], row["n"]) for row in others} == {("", "0")}


def test_a_part_of_which_nothing_is_settled_has_that_row_without_a_value(compared: Rows) -> None:
    of_part = [row for row in compared if row["table"] == "line_4" and row["stratum"] == "site c"]

    given = {row["value"] for row in of_part if row["raters"] == "All raters"}
    settled = [(row["value"], row["undefined_because"]) for row in of_part if row["raters"] == "Consensus"]
    assert (given, settled) == ({"0.5"}, [("", "nothing is settled of any of these items")])


def test_what_a_flag_misses_says_how_many_units_count_as_not_read(compared: Rows) -> None:
    of_misses = [row["note"] for row in compared if row["table"] == "line_5" and "missed" in row["label"]]

    assert of_misses == ["planned; 6 undetermined or not assessable, counted as not read"] * 2
    # Of the six, every second is flagged.
    of_precision = {row["note"] for row in compared if row["table"] == "line_5" and "precision" in row["label"]}
    assert of_precision == {"planned; 3 undetermined or not assessable, counted as not read"}


def test_a_line_of_which_no_figure_is_made_is_said_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(LOST, encoding="utf-8")
    items = [(f"q{n}", "yes_no", f"Item {n}?", "short") for n in range(4)]
    write_table(tmp_path / "items.csv", "item,format,prompt,form", items)
    study = as_frozen(tmp_path).study

    line, criterion = left_out(study, [])

    assert line.startswith("Also declared, not computed, since no figure is made of “Reads again”, whose answers do")
    assert criterion.startswith("Criterion “enough”: not decided, since no unit that was drawn for “Reads” has")

    # Such as a phase that waits for the answers of another, and never opened.
    _, criterion = left_out(study, [PhaseRatings(study.phase("read"), (), ())])
    assert criterion.startswith("Criterion “enough”: not decided, since nothing was drawn for “Reads”: ")


def test_a_line_without_any_row_says_what_it_lacks(sqlite_database: Database, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(WITHOUT_ROWS, encoding="utf-8")
    # All of one site are hard, and none of the other.
    items = [(f"q{n}", "open", f"Item {n}?", "ab"[n % 2], ("yes", "no")[n % 2]) for n in range(4)]
    write_table(study / "items.csv", "item,format,prompt,site,hard", items)
    texts = [(f"{item[0]}-{seen}", item[0], "x", f"T {seen}", seen, 3) for item in items for seen in ("yes", "no")]
    write_table(study / "candidates.csv", "candidate,item,model,answer,image,words", texts)
    situation = imported_listed(sqlite_database, study, raters=1)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        if not payload["candidate"]:
            return answers(answer="yes", grade="1")
        return UNSEEN if payload["form"]["not_assessable"] else answers(right="excluded")

    store_all(situation, answer)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)

    plan = build_report(sqlite_database, situation.admin, situation.study_key).section("plan")

    assert plan is not None
    assert plan.tables == plan.method == (), "Nothing was computed, so there is no way of it."
    reasons = [said.partition(", since ")[2].partition(":")[0] for said in plan.explanation if "not computed" in said]
    assert reasons == [
        "a single rater has answered these items",
        "no two of the items that it compares differ in hard",
        "no unit that was drawn is among those that it is about",
        "nobody has answered any of these candidates",
        "no judge’s run is about this field",
        "specialty of none of these raters is known",
        *["every answer to these candidates is “Excluded”, which leaves nothing to count"] * 2,
    ]


def test_a_calibration_of_no_probability_says_that_the_area_beside_it_is_all_there_is(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(SURE, encoding="utf-8")
    items = [(f"q{n}", "yes_no", f"Item {n}?") for n in range(4)]
    write_table(study / "items.csv", "item,format,prompt", items)
    write_table(study / "references.csv", "item,accepted", [(f"q{n}", ("yes", "no")[n % 2]) for n in range(4)])
    situation = imported_listed(sqlite_database, study, raters=1)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    store_all(situation, lambda payload: answers(answer="yes", sure=50.0))
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)

    plan = build_report(sqlite_database, situation.admin, situation.study_key).section("plan")

    assert plan is not None and [table.key for table in plan.tables] == ["line_2"]
    (said,) = [said for said in plan.explanation if "not computed" in said]
    assert "since this confidence is no probability, and the rest" in said


WEIGHTED_IN_PARTS = """
blindread: 2
name: weighted-in-parts
title: A flag in a part of unequal chances
attributes: {items: {site: text, hard: yes_no, rare: yes_no}}
phases:
  - key: read
    title: Reads
    rates: items
    from: {sample: {strata: rare, sizes: {yes: all, no: 6}}}
    shows: [prompt]
    form: {answer: yes_no}
analysis:
  resamples: 200
  also: [{estimate: flag_precision, of: read.answer, over: hard, by: site}]
"""


def test_a_part_that_has_weighted_rows_alone_has_no_row_without_a_value(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(WEIGHTED_IN_PARTS, encoding="utf-8")
    # Of one site all are rare. Of the other, two rare ones are flagged, and of 12 others 6 are drawn, all flagged.
    rare = [(f"a{n}", "a", "yes" if n % 2 else "no", "yes") for n in range(6)]
    mixed = [(f"b{n}", "b", "yes", "yes" if n < 2 else "no") for n in range(14)] + [("b14", "b", "no", "yes")]
    items = [(key, "yes_no", f"Item {key}?", *own) for key, *own in (*rare, *mixed)]
    write_table(study / "items.csv", "item,format,prompt,site,hard,rare", items)
    situation = imported_listed(sqlite_database, study, raters=1)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    store_all(situation, lambda _: answers(answer="yes"))
    plan = [row for row in closed_tables(situation)["estimates.csv"] if row["table"] == "line_1"]

    of_sites = [(row["stratum"], "weighted" in row["label"]) for row in plan]
    assert of_sites == 2 * [("site a", False)] + 2 * [("site b", True)]
