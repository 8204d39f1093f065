"""Studies that list their phases: imported, frozen, read to the end by scripted raters, closed, exported, counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from db import Assignment, Database
from services.errors import Conflict, ReadsOpen
from services.reading import instructions, previewing, revising, submission, worklist
from services.record import package, redrawing, verification
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.listed_study import (
    READ_THEN_SCORE,
    SCORE_ALONE,
    closed_tables,
    imported_listed,
    opened_listed,
    work_through,
    write_listed,
)
from tests.room_study import change_item
from tests.situations import any_answers, on_the_desk, read_all, show, submit


def drop_lines(path: Path, *beginnings: str) -> None:
    """Remove the lines of a table that begin so."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(beginnings)), encoding="utf-8")


def test_reads_then_scores_to_the_last_row(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE)

    seen = work_through(situation)
    tables = closed_tables(situation)

    # Six items, three of them yes or no, and four of six candidates, by two raters.
    assert len(seen) == 2 * (6 + 3 + 4)
    verdicts = tables["verdicts.csv"]
    assert len(verdicts) == len(seen)
    assert {row["status"] for row in verdicts} == {"answered"}
    assert sorted({(row["phase"], row["member"]) for row in verdicts}) == [
        (phase, f"Rater {number}") for phase in ("score", "second", "secret_arm") for number in (1, 2)
    ]
    fields = [row["field"] for row in tables["fields.csv"]]
    assert (fields.count("answer"), fields.count("confidence"), fields.count("verdict")) == (18, 12, 8)
    sample = [row for row in tables["sample.csv"] if row["phase"] == "score"]
    assert len(sample) == 4
    assert {float(row["inclusion_probability"]) for row in sample} == {2 / 3}


def test_scores_need_no_reads_before_them(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", SCORE_ALONE)

    seen = work_through(situation)

    assert len(seen) == 2 * 6
    assert all(payload["images"] is None and payload["reference"] for payload in seen)
    assert len(closed_tables(situation)["verdicts.csv"]) == 12


def test_what_shows_the_reference_stays_shut_until_the_blind_reads_are_done(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE)
    rater = situation.raters[0]
    desks = worklist.desks_of(database, rater)

    assert [bool(desk.waits_for) for desk in desks] == [False, True, True]
    for desk in desks[1:]:
        with pytest.raises(ReadsOpen, match="opens once you are done"):
            submission.current_payload(database, rater, situation.study_key, desk.queue.key)


def refused_at_the_freeze(database: Database, folder: Path, protocol: str, *changes: Callable[[Path], object]) -> str:
    """Import the tiny study with a protocol that can be imported, and return why it cannot be frozen."""
    situation = imported_listed(database, write_listed(folder, protocol, changes))
    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(database, situation.admin, situation.study_key)
    assert freezing.freeze_of(database, situation.admin, situation.study_key) is None
    return str(refusal.value)


def test_other_items_of_a_subject_are_not_told_about_before_they_are_read(
    sqlite_database: Database, tmp_path: Path
) -> None:
    # Of subject 3 there is an open item and one that is answered by yes or no.
    said = refused_at_the_freeze(
        sqlite_database,
        tmp_path / "study",
        """
blindread: 2
name: listed
title: Told too early
phases:
  - key: score
    rates: candidates
    from: {where: {format: open}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {at_once: yes}
  - key: read
    rates: items
    from: {where: {format: yes_no}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    opens: {at_once: yes}
""",
    )

    assert said == (
        "Phase 'score' shows the reference of 1 subject that the same people can still have to rate in phase "
        "'read', which does not show it; let 'score' open after 'read', or draw one of the two apart (sample.not_in)."
    )


def test_an_item_without_a_reference_is_in_no_phase_that_shows_it(sqlite_database: Database, tmp_path: Path) -> None:
    said = refused_at_the_freeze(
        sqlite_database,
        tmp_path / "study",
        SCORE_ALONE,
        lambda folder: drop_lines(folder / "references.csv", "i2,", "i5,"),
    )

    assert said == (
        "Phase 'score' shows the reference, which 2 drawn items ('i2' and 'i5') lack; add lines to references.csv, or "
        "select other items."
    )


def test_an_item_without_scans_is_in_no_phase_that_shows_them(sqlite_database: Database, tmp_path: Path) -> None:
    said = refused_at_the_freeze(
        sqlite_database, tmp_path / "study", READ_THEN_SCORE, lambda folder: change_item(folder, "i4", sequences="")
    )

    assert said == (
        "Phase 'secret_arm' shows the scans, which 1 drawn item ('i4') lacks; name sequences in items.csv, rate these "
        "in a phase that shows none, or select other items."
    )


def test_a_sample_that_cannot_be_drawn_is_refused_with_its_phase(sqlite_database: Database, tmp_path: Path) -> None:
    too_many = SCORE_ALONE.replace("rates: candidates", "rates: candidates\n    from: {sample: {size: 40}}")

    said = refused_at_the_freeze(sqlite_database, tmp_path / "study", too_many)

    assert said.startswith("Phase 'score': ")
    assert "40" in said


def test_items_without_scans_are_read_with_their_reference_and_options(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(
        sqlite_database,
        tmp_path / "study",
        """
blindread: 2
name: listed
title: Review of questions
phases:
  - key: review
    rates: items
    shows: [vignette, prompt, options, reference]
    form:
      correctness: {type: choice, options: {right: Right, wrong: Wrong}}
      relevance: {type: ordinal, options: {'1': {text: Low, definition: Nobody would ask.}, '2': High}}
""",
        raters=1,
    )

    seen = {payload["prompt"]: payload for payload in work_through(situation)}

    payload = seen["Prompt of i2?"]
    assert payload["images"] is None and payload["prefetch"] == []
    assert payload["context"]["facts"] == [["Options", "Left · Right · Both · Neither"]]
    assert payload["context"]["vignette"] == "Vignette of c1"
    assert payload["reference"] == ["Left"] and payload["candidate"] is None
    assert [field["key"] for field in payload["form"]["fields"]] == ["correctness", "relevance"]
    assert payload["form"]["fields"][1]["options"] == [
        {"id": "1", "text": "Low", "meaning": "Nobody would ask."},
        {"id": "2", "text": "High"},
    ]


READ_FROM_WORDS = """
blindread: 2
name: listed
title: Reads from words
phases:
  - key: read
    title: Reads
    rates: items
    shows: [vignette, prompt, options]
    form: {answer: as_item}
    revise: until_closed
"""


def test_items_are_read_and_revised_from_words_alone_where_nothing_has_scans(
    sqlite_database: Database, tmp_path: Path
) -> None:
    without_scans = [
        *(lambda folder, item=f"i{n}": change_item(folder, item, sequences="") for n in range(1, 7)),
        lambda folder: (folder / "volumes.csv").unlink(),
    ]
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_FROM_WORDS, raters=1, changes=without_scans)
    rater = situation.raters[0]
    preview = previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2")
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, "part-1")
    unread = on_the_desk(situation, rater, "part-1")
    read_all(situation, rater, "part-1")

    first = on_the_desk(situation, rater, "part-1")["assignment"]
    earlier = revising.list_revisable(sqlite_database, rater, first)
    again = revising.reopen(sqlite_database, rater, earlier[0]["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again, any_answers(again))

    assert [shown["images"] for shown in (preview, unread, again)] == [None, None, None]
    assert [unread["revisable"], again["revisable"], len(earlier)] == [0, 6, 6]
    assert again["revision"] is not None
    assert [row["revisions"] for row in closed_tables(situation)["verdicts.csv"]].count("1") == 1


def test_what_does_not_count_may_come_after_anything(sqlite_database: Database, tmp_path: Path) -> None:
    look_back = """  - key: after
    title: Look back
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    counts: no
"""
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE + look_back, raters=1)

    work_through(situation)

    looked_back = [row for row in closed_tables(situation)["verdicts.csv"] if row["phase"] == "after"]
    assert [row["status"] for row in looked_back] == ["answered"] * 6


def test_the_records_of_a_closed_study_hold(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE)
    work_through(situation)
    closed_tables(situation)

    problems = verification.verify_study(sqlite_database, situation.study_key)
    package.export_study(sqlite_database, situation.admin, situation.study_key, tmp_path / "package")

    assert problems == []
    manifest = json.loads((tmp_path / "package" / "manifest.json").read_text("utf-8"))
    assert {key: len(phase["units"]) for key, phase in manifest["phases"].items()} == {
        "secret_arm": 6, "second": 3, "score": 4,
    }  # fmt: skip
    again = redrawing.redraw(tmp_path / "package")
    assert (again.count, again.problems) == (3, [])


def test_who_joins_later_gets_the_same_units(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE, raters=1)
    members.invite(sqlite_database, situation.admin, situation.study_key, "late", "Late", "rater")
    with sqlite_database.read_only() as session:
        dealt: dict[int, set[tuple[object, ...]]] = {}
        for row in session.exec(select(Assignment)):
            dealt.setdefault(row.membership_id, set()).add((row.phase, row.item_id, row.candidate_id))

    first, later = dealt.values()
    assert first == later and len(first) == 13


def test_a_preview_beside_scans_hangs_them_and_shows_reference_and_answer(
    sqlite_database: Database, tmp_path: Path
) -> None:
    beside_scans = SCORE_ALONE.replace("shows: [prompt,", "shows: [scans, prompt,")
    situation = opened_listed(sqlite_database, tmp_path / "study", beside_scans)

    preview = previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2")

    assert [volume["label"] for pane in preview["images"]["panes"] for volume in pane["volumes"]] == ["T1", "T2"]
    assert preview["reference"] == ["Left"]
    assert preview["candidate"] in ("On the left.", "On the right.")
    assert preview["question"] == "Does it say the same as the reference?"


def test_verdicts_are_revised_until_the_phase_that_tells_has_begun(sqlite_database: Database, tmp_path: Path) -> None:
    revisable = READ_THEN_SCORE.replace("    title: Reads\n", "    title: Reads\n    revise: until_closed\n")
    situation = opened_listed(sqlite_database, tmp_path / "study", revisable, raters=1)
    rater = situation.raters[0]
    desks = worklist.desks_of(sqlite_database, rater)
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, desks[0].queue.key)
    receipt = read_all(situation, rater, desks[0].queue.key)[0]
    done = submission.current_payload(sqlite_database, rater, situation.study_key, desks[0].queue.key)

    assert receipt.queue == "part-1"
    assert done["revisable"] == 6
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, desks[1].queue.key)
    done = submission.current_payload(sqlite_database, rater, situation.study_key, desks[0].queue.key)
    assert done["revisable"] == 0
