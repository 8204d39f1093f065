"""What the report says of viewing, against counts by hand: old traces, new ones, none, and what is not recorded."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Flag, Item, Membership, Verdict, ViewingTrace
from db.base import stored_id
from exchange.report.report_csv import csv_files
from exchange.report.report_tables import plain
from services.progress import data_lock
from services.reading import revising, submission
from services.reading.verdict_rows import Circumstances
from services.report import PlainTable, QuartileTable, Report, build_report
from tests.room_study import PRACTICE, PRACTISED, reading_rules, room_study, with_practice
from tests.services.report.lines import lines_in
from tests.services.report.looked_at import (
    CURRENT_T1,
    PRIOR_T1,
    TRACES_1,
    TRACES_2,
    folder_with_priors,
    new,
    read_study,
)
from tests.services.report.situations import FIRST, STUDY, frozen_study, read_all
from tests.situations import any_answers, on_the_desk, show


def table(report: Report, key: str) -> Any:
    section = report.section("viewing")
    assert section is not None
    return section.table(key)


def rows(report: Report, key: str) -> dict[tuple[str, str], Any]:
    return {(line.label, line.who): line for line in lines_in(report, "viewing", key)}


def shares(report: Report, key: str, label: str) -> dict[str, tuple[float, int, str]]:
    """Return value, n and note of each line with a label, by rater."""
    return {
        who: (row.estimate.value, row.estimate.n, row.note)
        for (row_label, who), row in rows(report, key).items()
        if row_label == label
    }


def about(value: float, n: int, note: str) -> tuple[Any, int, str]:
    return pytest.approx(value), n, note


def test_traces_are_counted_and_those_that_lack_by_their_reason(looked: Report) -> None:
    traces = table(looked, "viewing_traces")

    assert isinstance(traces, PlainTable)
    # verdicts, with a trace, too large, no images, none sent, prior offered
    assert traces.rows == (
        ("Rater 1", 8, 7, 0, 0, 1, 4),
        ("Rater 2", 8, 7, 1, 0, 0, 4),
        ("All raters", 16, 14, 1, 0, 1, 8),
    )


def test_answers_without_opening_the_prior_are_counted_of_the_items_that_offer_one(looked: Report) -> None:
    assert shares(looked, "prior_not_opened", "Prior never opened") == {
        "Rater 1": about(2 / 4, 4, "2 of 4"),
        "Rater 2": about(1 / 4, 4, "1 of 4"),
        "All raters": about(3 / 8, 8, "3 of 8"),
    }
    row = rows(looked, "prior_not_opened")["Prior never opened", "Rater 2"]
    # Subject 2 has 0 of 2, subject 3 has 1 of 2: each extreme comes up in a quarter of the resamples.
    assert (row.estimate.low, row.estimate.high) == pytest.approx((0.0, 0.5))
    assert (row.estimate.n_clusters, row.estimate.unit) == (2, "item")
    assert row.beside is not None
    everybody = rows(looked, "prior_not_opened")["Prior never opened", "All raters"]
    assert (everybody.estimate.unit, everybody.beside) == ("verdict", None)
    # Both subjects have one half with rater 1: no resample differs, and that is no interval of width 0.
    first = rows(looked, "prior_not_opened")["Prior never opened", "Rater 1"]
    assert math.isnan(first.estimate.low)
    assert first.estimate.undefined_because


def test_the_section_says_in_words_how_often_the_prior_was_left_unopened(looked: Report) -> None:
    section = looked.section("viewing")

    assert section is not None
    assert section.explanation[0] == ("3 of 8 verdicts on items that offer a prior were given without opening it.")


def test_accuracy_is_compared_between_reads_with_and_without_the_prior_opened(looked: Report) -> None:
    accuracy = {
        who_and_label: (row.estimate.value, row.estimate.n)
        for who_and_label, row in rows(looked, "accuracy_by_prior").items()
    }

    # Rater 1: i4 and i7 opened (both wrong), i5 and i8 not (both right). Rater 2: i4 opened (wrong), i7 opened (right),
    # i8 not (wrong); i5 is not assessable.
    assert accuracy == {
        ("Accuracy, prior opened", "Rater 1"): (0.0, 2),
        ("Accuracy, prior opened", "Rater 2"): (0.5, 2),
        ("Accuracy, prior opened", "All raters"): (0.25, 4),
        ("Accuracy, prior not opened", "Rater 1"): (1.0, 2),
        ("Accuracy, prior not opened", "Rater 2"): (0.0, 1),
        ("Accuracy, prior not opened", "All raters"): (pytest.approx(2 / 3), 3),
        ("Opened minus not opened", "Rater 1"): (-1.0, 4),
        ("Opened minus not opened", "Rater 2"): (0.5, 3),
        ("Opened minus not opened", "All raters"): (pytest.approx(1 / 4 - 2 / 3), 7),
    }
    assert "not randomised" in table(looked, "accuracy_by_prior").explanation


def test_sequences_that_were_offered_and_never_opened_are_counted(looked: Report) -> None:
    assert shares(looked, "sequence_not_opened", "Current, T2") == {
        "Rater 1": about(2 / 5, 5, "2 of 5; 1 not recorded"),
        "Rater 2": about(4 / 5, 5, "4 of 5; 1 not recorded"),
        "All raters": about(6 / 10, 10, "6 of 10; 2 not recorded"),
    }
    assert shares(looked, "sequence_not_opened", "Current, T1")["All raters"] == about(
        0.0, 14, "0 of 14; 2 not recorded"
    )
    assert [label for label, who in rows(looked, "sequence_not_opened") if who == "Rater 1"] == [
        "Current, T1", "Current, T2", "Prior, T1",
    ]  # fmt: skip


def test_what_old_traces_do_not_tell_is_not_recorded_and_not_zero(looked: Report) -> None:
    assert shares(looked, "viewer_use", "Tool: cine") == {
        "Rater 1": about(1 / 7, 7, "1 of 7; 1 not recorded"),
        "All raters": about(1 / 7, 7, "1 of 7; 9 not recorded"),
    }
    assert shares(looked, "viewer_use", "Tool: distance")["Rater 1"] == about(2 / 7, 7, "2 of 7; 1 not recorded")
    assert shares(looked, "viewer_use", "Overlay shown, where offered") == {"Rater 1": about(1 / 2, 2, "1 of 2")}
    assert shares(looked, "viewer_use", "Window changed") == {
        "Rater 1": about(2 / 7, 7, "2 of 7; 1 not recorded"),
        "Rater 2": about(1 / 6, 6, "1 of 6; 2 not recorded"),
        "All raters": about(3 / 13, 13, "3 of 13; 3 not recorded"),
    }


def test_quartiles_of_the_slices_seen_are_those_of_the_sequences_that_were_opened(looked: Report) -> None:
    quartiles = table(looked, "slices_seen")

    assert isinstance(quartiles, QuartileTable)
    by_place = {tuple(row[:2]): row[2:] for row in plain(quartiles).rows}
    assert by_place["Prior, T1: axial", "Rater 1"] == (2, 31, 38, 44)
    assert by_place["Prior, T1: coronal", "Rater 1"] == (1, 10, 10, 10)
    assert by_place["Prior, T1: axial", "Rater 2"] == (3, 50, 50, 50)
    # 10, 20 and 100 of rater 1; seven times 50 of rater 2.
    assert by_place["Current, T1: axial", "Rater 1"] == (3, 15, 20, 60)
    assert by_place["Current, T1: axial", "All raters"] == (10, 50, 50, 50)
    assert ("Current, T2: sagittal", "Rater 1") not in by_place


def lines_of(report: Report, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(csv_files(report)[name]))


def test_traces_are_exported_as_they_were_stored(looked: Report) -> None:
    lines = {(line["rater"], line["item"]): line for line in lines_of(looked, "traces.csv")}

    assert len(lines) == 16
    for rater, traces in (("Rater 1", TRACES_1), ("Rater 2", TRACES_2)):
        for item, trace in traces.items():
            line = lines[rater, item]
            if line["kept"] == "kept":
                assert json.loads(line["trace"]) == trace
            else:
                assert line["trace"] == ""
    assert lines["Rater 1", "i6"]["kept"] == "none sent"
    assert lines["Rater 2", "i3"]["kept"] == "too large"


def test_every_volume_that_was_offered_has_a_line_with_what_is_known_of_it(looked: Report) -> None:
    lines = lines_of(looked, "viewing.csv")

    # Six items with two current scans and two with one, four priors, for two raters.
    assert len(lines) == 2 * (6 * 2 + 2 + 4)
    known = {(line["rater"], line["item"], line["role"], line["sequence"]): line for line in lines}
    prior = known["Rater 1", "i4", "prior", "T1"]
    assert (prior["pane"], prior["opened"], prior["ms"], prior["seen_axial"]) == ("2", "1", "1000", "0.5")
    assert known["Rater 1", "i5", "prior", "T1"]["opened"] == "0"
    assert known["Rater 2", "i8", "prior", "T1"]["opened"] == "0"
    assert known["Rater 2", "i7", "prior", "T1"]["ms"] == ""
    assert known["Rater 1", "i6", "current", "T2"]["opened"] == ""


def test_a_new_trace_that_lacks_a_volume_does_not_say_that_it_was_never_opened(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, folder_with_priors(tmp_path / "study"), raters=1, reviewers=0)
    trace = new("i7", {CURRENT_T1: {}})
    trace["volumes"] = [volume for volume in trace["volumes"] if volume["title"] == "Current"]
    read_all(situation, "rater 1", FIRST, traces={"i7": trace})
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    assert table(report, "prior_not_opened") is None
    assert rows(report, "sequence_not_opened").keys() == {("Current, T1", "Rater 1")}


def revise(database: Database, rater: str, item: str, answer: str, trace: dict[str, Any]) -> None:
    """Let a verdict be superseded by one with another answer and another trace."""
    with database.writing() as session:
        root = session.exec(
            select(Verdict)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .where(Membership.pseudonym == rater, Item.key == item)
        ).one()
        unchanged = root.model_dump(exclude={"id", "supersedes_id", "fields", "receipt", "idempotency_key"})
        newer = Verdict(
            **unchanged,
            supersedes_id=root.id,
            fields={"answer": answer},
            receipt="2345-6789",
            idempotency_key="revised",
        )
        session.add(newer)
        session.flush()
        session.add(Flag(verdict_id=stored_id(root.id), kind="prompt", note="taken back"))
        session.add(ViewingTrace(verdict_id=stored_id(newer.id), trace=trace))


def test_a_superseded_verdict_enters_neither_with_its_answer_nor_its_flag_nor_its_trace(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = read_study(sqlite_database, tmp_path / "study")
    trace = new("i5", {CURRENT_T1: {}, PRIOR_T1: {"axial": 0.75}})
    revise(sqlite_database, "Rater 1", "i5", "yes", trace)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    assert shares(report, "prior_not_opened", "Prior never opened")["Rater 1"] == about(1 / 4, 4, "1 of 4")
    assert table(report, "viewing_traces").rows[0] == ("Rater 1", 8, 7, 0, 0, 1, 4)
    line = next(line for line in lines_of(report, "verdicts.csv") if (line["rater"], line["item"]) == ("Rater 1", "i5"))
    assert (line["answer"], line["correct"], line["revisions"], line["flags"]) == ("yes", "0", "1", "")
    raw = next(line for line in lines_of(report, "traces.csv") if (line["rater"], line["item"]) == ("Rater 1", "i5"))
    assert json.loads(raw["trace"]) == trace


HUNG = {
    "layout": "switched",
    "panes": [
        {"title": "T1", "sequences": ["T1"]},
        {"title": "T2", "sequences": ["T2"]},
        {"title": "Before", "role": "prior", "sequences": ["T1"]},
    ],
}


def looked_at(payload: dict[str, Any], but_not: str = "") -> Circumstances:
    """Return the circumstances of a reader who opens every pane but the one with that title."""
    volumes = [
        {"pane": number, "title": pane["title"], "label": volume["label"], "opened": pane["title"] != but_not,
         "ms": 10, "seen": {"axial": 0.5}}
        for number, pane in enumerate(payload["images"]["panes"])
        for volume in pane["volumes"]
    ]  # fmt: skip
    return Circumstances(active_ms=9, trace={"volumes": volumes, "windows": [], "tools": {"zoom": 1}})


def test_practice_never_enters_a_revision_replaces_and_panes_are_those_of_the_protocol(
    database: Database, tmp_path: Path
) -> None:
    rules = reading_rules(practice=PRACTICE, revision="study")
    situation = room_study(database, tmp_path / "study", with_practice, protocol={"hanging": HUNG, **rules})
    rater = situation.raters[0]

    def give(payload: dict[str, Any], answer: str | None, but_not: str = "") -> None:
        show(situation, rater, payload)
        submission.submit(
            database, rater, payload["assignment"], payload["key"], any_answers(payload, answer),
            looked_at(payload, but_not),
        )  # fmt: skip

    read = {}
    while (payload := on_the_desk(situation, rater))["kind"] == "item":
        read[payload["prompt"]] = payload["assignment"]
        give(payload, PRACTISED.get(payload["prompt"], "yes"), but_not="Before")
    data_lock.take_interim_look(database, situation.admin, "tiny", "To compare.")
    first = build_report(database, situation.admin, "tiny")
    give(revising.reopen(database, rater, read["Prompt of i3?"]), "no", but_not="T2")
    give(revising.reopen(database, rater, read["Prompt of i2?"]), "left", but_not="T2")
    second = build_report(database, situation.admin, "tiny")

    assert len(read) == 4 + 6
    who = "Rater 1"
    assert rows(first, "prior_not_opened")["Prior never opened", who].note == "1 of 1"
    assert rows(second, "prior_not_opened")["Prior never opened", who].note == "0 of 1"
    assert rows(first, "sequence_not_opened")["T2", who].note == "0 of 1"
    assert rows(second, "sequence_not_opened")["T2", who].note == "1 of 1"
    assert {label for label, _ in rows(second, "sequence_not_opened")} == {"T1", "T2", "Before, T1"}
    for report in (first, second):
        assert table(report, "viewing_traces").rows == ((who, 6, 6, 0, 0, 0, 1),)
        written = "".join(line for lines in csv_files(report).values() for line in lines)
        assert "Practise" not in written
        assert "p1" not in {line["item"] for name in ("verdicts.csv", "fields.csv") for line in lines_of(report, name)}
    changed = {line["item"]: (line["answer"], line["revisions"]) for line in lines_of(second, "verdicts.csv")
               if line["rater"] == who}  # fmt: skip
    assert (changed["i3"], changed["i2"], changed["i1"]) == (("no", "1"), ("left", "1"), ("yes", "0"))
    assert len(lines_of(second, "traces.csv")) == 6


def test_both_engines_say_the_same_of_viewing(database: Database, looked: Report, tmp_path: Path) -> None:
    situation = read_study(database, tmp_path / "study")
    data_lock.close_study(database, situation.admin, STUDY)

    report = build_report(database, situation.admin, STUDY)

    for name in ("viewing.csv", "traces.csv"):
        assert list(csv_files(report)[name]) == list(csv_files(looked)[name])
    for key in ("prior_not_opened", "accuracy_by_prior", "sequence_not_opened", "viewer_use"):
        assert [row.estimate.value for row in table(report, key).rows] == [
            row.estimate.value for row in table(looked, key).rows
        ]
