"""The section *Study* of a study that lists its phases: what was fixed, who took part, what was drawn and happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from exchange.report.report_structure import Cell, PlainTable
from services.progress import data_lock
from services.reading import instructions, settling
from services.report import Report, build_report
from services.studies.freeze import freezing, thawing
from services.studies.membership import members, removing
from tests.following_study import flagging, opened_following, read_through
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed, work_through
from tests.situations import answers, any_answers
from tests.versioned_study import READS, REASON, corrected_prompt, new_version, one_more_case, opened_for_versions, read

PROTOCOL = """
blindread: 2
name: listed
title: Read by some, scored by others
groups: {residents: {title: Residents, people: 2}, scorers: Scorers}
seed: 11
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: residents
    not_assessable: {quality: Image quality}
    flags: {prompt: The prompt is unclear}
  - key: score
    title: Scores
    rates: candidates
    from: {sample: {size: 4, strata: model}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: scorers
analysis: {primary: {estimate: agreement, of: read.answer}}
"""


@pytest.fixture(scope="module")
def report(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """The report of a study that was thawed once, of whose two residents one reads, and of whose scorers one is out."""
    folder = tmp_path_factory.mktemp("phases")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    opened = opened_listed(database, folder / "study", PROTOCOL, groups=("residents", "residents", "scorers"))
    thawing.thaw_study(database, opened.admin, "listed", "A misspelt prompt.")
    freezing.freeze_study(database, opened.admin, "listed")
    members.invite(database, opened.admin, "listed", "late", "Late", "rater", group="scorers")
    removing.remove_member(database, opened.admin, "listed", "late")
    seen: list[str] = []

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        seen.append(payload["prompt"])
        if len(seen) == 1:
            return {**answers(), "not_assessable": "quality"}
        flag = {"id": "prompt", "note": "It names no side."} if len(seen) == 2 else None
        return {**any_answers(payload), "flag": flag}

    resident, _, scorer = opened.raters
    work_through(replace(opened, raters=(resident, scorer)), answer)
    data_lock.close_study(database, opened.admin, "listed", "The second resident left.")
    yield build_report(database, opened.admin, "listed")
    engine.dispose()


def lines_of(report: Report, key: str) -> list[dict[str, Cell]]:
    """Return the lines of a table of the section, each by the keys of its columns."""
    section = report.section("study")
    assert section is not None
    table = section.table(key)
    assert isinstance(table, PlainTable)
    return [dict(zip([column.key for column in table.columns], row, strict=True)) for row in table.rows]


def test_the_head_says_of_which_phases_verdicts_are_missing(report: Report) -> None:
    missing = [notice for notice in report.notices if "not been given" in notice]

    assert missing == ["Reads: 6 of 12 verdicts have not been given; see “Completeness”."]


def test_the_head_says_what_a_phase_lacked_when_it_was_closed(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    read_through(situation, situation.raters[0], {})
    settling.close_phase(sqlite_database, situation.admin, "listed", "secret_arm", "The second reader has left.")
    data_lock.close_study(sqlite_database, situation.admin, "listed", "Nothing was flagged.")

    notices = build_report(sqlite_database, situation.admin, "listed").notices

    assert [notice for notice in notices if "not been given" in notice] == [
        "Reads: 6 of 12 verdicts have not been given; see “Completeness”."
    ]


def test_the_plan_stands_with_its_seeds_and_with_the_hashes_that_the_report_names(report: Report) -> None:
    fixed = {line["what"]: line["value"] for line in reversed(lines_of(report, "plan"))}

    assert fixed["Plan"] == "Primary estimate: agreement on “Answer” in “Reads”, between raters."
    assert (fixed["SHA-256 of the freeze"], fixed["SHA-256 of the protocol"]) == (
        report.freeze_sha256, report.protocol_sha256,
    )  # fmt: skip
    assert fixed["Seed of the draws"] == "11"


def test_people_are_counted_by_group_as_planned_invited_taken_out_and_finished(report: Report) -> None:
    assert [tuple(line.values()) for line in lines_of(report, "people")] == [
        ("Residents", 2, 2, 0, 1), ("Scorers", None, 2, 1, 1),
    ]  # fmt: skip


def test_each_phase_says_how_much_was_drawn_of_how_much_and_what_became_of_it(report: Report) -> None:
    reads, scores = lines_of(report, "drawn")

    assert (reads["phase"], reads["drawn"]) == ("Reads", "6 of 6 items")
    assert [reads[key] for key in ("shown", "answered", "not_assessable", "not_shown", "flagged", "missing")] == [
        6, 5, 1, 0, 1, 6,
    ]  # fmt: skip
    assert (scores["drawn"], scores["answered"], scores["missing"]) == ("4 of 6 candidates", 4, 0)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "No item of this study has a reference, so nothing that needs one was computed."),
        (
            ["i1,yes", "i2,left"],
            "4 of 6 items have no reference: they are excluded from every figure that needs one, and from its n.",
        ),
    ],
    ids=["none", "some"],
)
def test_items_without_a_reference_are_counted(
    sqlite_database: Database, tmp_path: Path, lines: list[str], said: str
) -> None:
    def with_references(folder: Path) -> None:
        (folder / "references.csv").unlink()
        if lines:
            (folder / "references.csv").write_text("\n".join(["item,accepted", *lines, ""]), encoding="utf-8")

    opened = opened_listed(sqlite_database, tmp_path / "study", READS, raters=1, changes=[with_references])
    data_lock.close_study(sqlite_database, opened.admin, "listed", "Nobody came.")

    section = build_report(sqlite_database, opened.admin, "listed").section("study")

    assert section is not None
    assert section.explanation[-1] == said


def test_a_phase_with_a_second_step_is_counted_once(sqlite_database: Database, tmp_path: Path) -> None:
    in_two_steps = PROTOCOL.replace("    by: residents\n", "    then: {shows: [vignette]}\n    by: residents\n")
    opened = opened_listed(sqlite_database, tmp_path / "study", in_two_steps, groups=("residents",))
    data_lock.close_study(sqlite_database, opened.admin, "listed", "Nobody came to read.")

    report = build_report(sqlite_database, opened.admin, "listed")

    section = report.section("study")
    assert section is not None
    assert " in 2 phases." in section.explanation[0]
    assert len(lines_of(report, "drawn")) == 3


def test_a_thaw_stands_among_the_events_with_its_reason(report: Report) -> None:
    assert [(line["event"], line["reason"]) for line in lines_of(report, "events")] == [
        ("Frozen and opened", None), ("Thawed: a draft again", "A misspelt prompt."), ("Frozen and opened", None),
        ("Closed (data lock)", "The second resident left."),
    ]  # fmt: skip


def test_a_version_says_what_it_changed_why_and_how_much_it_added_to_what_was_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    opened = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    instructions.acknowledge_instructions(sqlite_database, opened.raters[0], "listed", "part-1")
    read(opened, 0)
    new_version(opened, tmp_path / "study", corrected_prompt, one_more_case)
    data_lock.close_study(sqlite_database, opened.admin, "listed", "Nobody reads what is new.")

    report = build_report(sqlite_database, opened.admin, "listed")

    (version,) = lines_of(report, "versions")
    assert (version["version"], version["reason"], version["sha256"]) == ("2", REASON, report.freeze_sha256)
    assert "i7" in str(version["changes"])
    (reads,) = lines_of(report, "drawn")
    assert (reads["drawn"], reads["answered"], reads["missing"]) == ("7 of 7 items", 6, 2)
    (drawn,) = [table for section in report.sections for table in section.tables if table.key == "drawn"]
    assert "counts once as drawn; the other columns count what it replaced, too" in drawn.explanation
    assert "Version 2 made" in [line["event"] for line in lines_of(report, "events")]


def test_a_phase_that_was_closed_is_called_by_its_title_among_the_events(
    sqlite_database: Database, tmp_path: Path
) -> None:
    opened = opened_following(sqlite_database, tmp_path / "study")
    read_through(opened, opened.raters[0], {"i1": flagging}, most=1)
    settling.close_phase(sqlite_database, opened.admin, "listed", "secret_arm", "The others left.")
    data_lock.close_study(sqlite_database, opened.admin, "listed", "The others left.")

    events = lines_of(build_report(sqlite_database, opened.admin, "listed"), "events")

    assert ("Phase closed: Reads", "The others left.") in [(line["event"], line["reason"]) for line in events]
