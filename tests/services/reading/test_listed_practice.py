"""Practice before a listed phase: a part of its own, passed by its mark, explained afterwards, in no figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from components import worklist_view
from db import Database
from services.errors import ReadsOpen
from services.progress import data_lock
from services.reading import instructions, member_progress, practice, previewing, revising, submission, worklist
from services.record import package, verification
from tests.blinding.columns import COMMON, OF_THE_ITEM, change_everything_but
from tests.blinding.test_listed_identity import payloads
from tests.listed_study import closed_tables, opened_listed, work_through
from tests.room_study import PRACTISED, rewrite, rows_of, with_practice
from tests.services.reading.practised import READ, REPORT, TRAIN, TRAINED, practise, trained
from tests.situations import any_answers, on_the_desk, read_all, show, submit

BESIDE_PRACTICE = """
  - key: beside
    title: At once
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    opens: {at_once: yes}
  - key: afterwards
    title: After the reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    opens: {after: read}
"""


def test_reads_open_once_the_practice_is_passed_and_it_is_in_no_figure(database: Database, tmp_path: Path) -> None:
    situation = trained(database, tmp_path / "study")
    rater = situation.raters[0]

    with pytest.raises(ReadsOpen, match="once you are done with what comes before"):
        submission.current_payload(database, rater, situation.study_key, READ)
    receipts = practise(situation, rater, wrong=1)
    instructions.acknowledge_instructions(database, rater, situation.study_key, READ)
    read = read_all(situation, rater, READ)
    tables = closed_tables(situation)

    assert [receipt.feedback["correct"] for receipt in receipts if receipt.feedback] == [False, True, True, True]
    assert len(read) == 6
    assert {row["phase"] for name in ("verdicts.csv", "fields.csv", "sample.csv") for row in tables[name]} == {"read"}
    assert len(tables["sample.csv"]) == 6


def test_practice_with_references_makes_no_read_final(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")
    reader = situation.raters[0]
    said = instructions.of_queue(sqlite_database, reader, situation.study_key, TRAIN)
    assert said.settles == ""
    practise(situation, reader)
    said = instructions.of_queue(sqlite_database, reader, situation.study_key, READ)
    assert said.revision == instructions.REVISION["session"]
    instructions.acknowledge_instructions(sqlite_database, reader, situation.study_key, READ)

    read = on_the_desk(situation, reader, READ)
    show(situation, reader, read)
    submit(situation, reader, read, any_answers(read))

    assert len(revising.list_revisable(sqlite_database, reader, read["assignment"])) == 1


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "pass_mark: 0.75\n    attempts: 2",
            "The practice is passed with 75 % of its answers right; you have 2 attempts.",
        ),
        (
            "pass_mark: 0.75\n    attempts: 1",
            "The practice is passed with 75 % of its answers right; you have 1 attempt.",
        ),
        (
            "pass_mark: 1",
            "The practice is passed with 100 % of its answers right; you have as many attempts as you need.",
        ),
        ("note: none", ""),
    ],
)
def test_what_a_practice_requires_is_said_before_it_and_before_no_other_part(
    sqlite_database: Database, tmp_path: Path, rule: str, said: str
) -> None:
    protocol = TRAINED.replace("pass_mark: 0.75\n    attempts: 2", rule).replace("    note: none\n", "")
    protocol = protocol.replace("  - key: read\n", "  - key: read\n    opens: {at_once: yes}\n")
    situation = trained(sqlite_database, tmp_path / "study", protocol)

    of_parts = [
        instructions.of_queue(sqlite_database, situation.raters[0], situation.study_key, part).practice
        for part in (TRAIN, READ)
    ]

    assert of_parts == [said, ""]


def test_practice_is_a_part_with_its_own_words_and_progress(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    said = instructions.of_queue(sqlite_database, rater, situation.study_key, TRAIN)
    first = on_the_desk(situation, rater, TRAIN)
    desks = worklist.desks_of(sqlite_database, rater)

    assert (said.text, said.consent) == ("These do not count.", "I agree.")
    assert (first["phase"], first["heading"], first["practice"]["pass_mark"]) == ("practice", "Try it", 0.75)
    assert [(desk.queue.title, desk.practice, bool(desk.waits_for), desk.total) for desk in desks] == [
        ("Try it", "open", False, 4),
        ("Reads", "", True, 6),
    ]
    practise(situation, rater)
    done = submission.current_payload(sqlite_database, rater, situation.study_key, TRAIN)
    assert done["kind"] == "done" and done["next"] is not None
    assert [desk.practice for desk in worklist.desks_of(sqlite_database, rater)] == ["", ""]


def test_who_fails_is_told_which_parts_stay_closed_and_no_other_does(sqlite_database: Database, tmp_path: Path) -> None:
    beside = TRAINED + BESIDE_PRACTICE
    situation = trained(sqlite_database, tmp_path / "study", beside)
    rater = situation.raters[0]
    practise(situation, rater, wrong=2)

    practise(situation, rater, wrong=2)

    over = submission.current_payload(sqlite_database, rater, situation.study_key, TRAIN)
    assert over["kind"] == "done"
    assert over["message"] == (
        "All attempts are used up, so “Reads” and “After the reads” stay closed for you. You had 2 of 4 right. "
        "The study's admin can see this; ask how to continue."
    )
    desks = worklist.desks_of(sqlite_database, rater)
    (reads,) = [desk for desk in desks if desk.queue.title == "Reads"]
    assert reads.total and worklist_view.progress_text(reads) == reads.waits_for
    waits = {desk.queue.title: desk.waits_for for desk in desks}
    assert waits == {
        "Try it": "",
        "Reads": "“Reads” stays closed for you, as the practice was not passed.",
        "At once": "",
        "After the reads": "“After the reads” stays closed for you, as the practice was not passed.",
    }


FLAGGED = TRAINED.replace("    revise: session\n", "    flags: {odd: Odd}\n") + (
    "  - {key: look, title: Looks, rates: items, from: {phase: read, let_in: [flagged]}, shows: [prompt], "
    "form: {clear: yes_no}}\n"
)


def test_a_part_that_is_drawn_later_stays_closed_before_anything_is_drawn_for_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = trained(sqlite_database, tmp_path / "study", FLAGGED)
    rater = situation.raters[0]
    practise(situation, rater, wrong=2)

    practise(situation, rater, wrong=2)

    *_, look = worklist.desks_of(sqlite_database, rater)
    assert look.waits_for == "“Looks” stays closed for you, as the practice was not passed."
    over = submission.current_payload(sqlite_database, rater, situation.study_key, TRAIN)
    assert "so “Reads” and “Looks” stay closed for you" in dict(over)["message"]


def test_who_fails_gets_another_order_then_stays_out_until_an_admin_allows_more(
    database: Database, tmp_path: Path
) -> None:
    situation = trained(database, tmp_path / "study")
    rater = situation.raters[0]
    practise(situation, rater, wrong=2)
    again = on_the_desk(situation, rater, TRAIN)
    practise(situation, rater, wrong=2)

    assert again["ahead"]["heading"] == "Attempt 2 of 2, the last"
    over = submission.current_payload(database, rater, situation.study_key, TRAIN)
    assert over["kind"] == "done" and over["title"] == practice.FAILED and over["next"] is None
    with pytest.raises(ReadsOpen):
        submission.current_payload(database, rater, situation.study_key, READ)
    states = [line.practice for line in member_progress.progress_of_members(database, situation.admin, "listed")]
    assert states[0] == "not passed: 2 of 4 correct in attempt 2, no attempt left"

    practice.allow_another_attempt(database, situation.admin, situation.study_key, "rater-1")
    practise(situation, rater)
    assert [bool(desk.waits_for) for desk in worklist.desks_of(database, rater)] == [False, False]
    assert verification.verify_study(database, situation.study_key) == []


@pytest.mark.parametrize(
    ("then", "lines", "correct"),
    [
        ("    then: {shows: [reference]}\n", ["Reference"], True),
        ("    then: {shows: explanation}\n", ["Explanation"], None),
        ("", None, None),
    ],
    ids=["the reference", "the explanation", "nothing"],
)
def test_what_is_said_to_an_answer_is_what_then_names(
    sqlite_database: Database, tmp_path: Path, then: str, lines: list[str] | None, correct: bool | None
) -> None:
    protocol = TRAINED.replace("    then: {shows: [reference, explanation]}\n", then)
    situation = trained(sqlite_database, tmp_path / "study", protocol)

    receipt = practise(situation, situation.raters[0])[0]

    if lines is None:
        assert receipt.feedback is None
    else:
        assert receipt.feedback is not None
        assert ([name for name, _ in receipt.feedback["lines"]], receipt.feedback["correct"]) == (lines, correct)


def test_hidden_values_can_all_change_and_not_a_byte_of_practice_does(database: Database, tmp_path: Path) -> None:
    situation = trained(database, tmp_path / "study")
    before = payloads(situation, "secret_training")

    shown = (COMMON | OF_THE_ITEM) - {"study_case.vignette", "study_case.age", "item.form"}
    changed = change_everything_but(database, shown)

    assert payloads(situation, "secret_training") == before
    assert {"reference.accepted", "reference.explanation", "item.category"} <= set(changed)


def test_nothing_that_is_sent_in_practice_is_of_a_real_item_nor_names_the_phase(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    sent = payloads(situation, "secret_training")

    assert b"Prompt of i" not in sent and b"MARK-EXPLANATION" not in sent and b"secret_training" not in sent


def test_a_field_with_options_of_its_own_is_compared_by_their_ids_and_an_abstention_is_not_right(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = trained(sqlite_database, tmp_path / "study", REPORT)
    rater, receipts = situation.raters[0], []
    for place, _ in enumerate(PRACTISED):
        payload = on_the_desk(situation, rater, TRAIN)
        right: Any = PRACTISED[payload["prompt"]] if place else {"abstention": "undetermined"}
        show(situation, rater, payload)
        receipts.append(
            submit(situation, rater, payload, {"fields": {"finding": right}, "not_assessable": None, "comment": ""})
        )

    feedback = [receipt.feedback for receipt in receipts if receipt.feedback]
    assert [said["correct"] for said in feedback] == [False, True, True, True]
    words = {line[1] for said in feedback for line in said["lines"] if line[0] == "Reference"}
    assert words <= {"Present", "Absent", "On the left"}
    assert all(not desk.waits_for for desk in worklist.desks_of(sqlite_database, rater))


SCORING = """
blindread: 2
name: listed
title: Scores after practice
phases:
  - key: try
    title: Try scoring
    question: Does it say the same?
    rates: candidates
    from: {where: {practice: yes}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
    then: {shows: [reference, explanation]}
    counts: no
  - key: score
    title: Scores
    question: Does it say the same?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
"""


UNTOLD = {
    rates: f"""
blindread: 2
name: listed
title: Practised without being told
phases:
  - {{key: practice, rates: {rates}, from: {{where: {{practice: yes}}}}, shows: {shows}, form: {{said: {asked}}},
     counts: no}}
  - {{key: read, rates: items, shows: [prompt], form: {{answer: text}}}}
"""
    for rates, shows, asked in (
        ("items", "[prompt]", "text"),
        ("candidates", "[prompt, candidate]", "correctness"),
        ("pairs", "[prompt, candidate]", "preference"),
    )
}


def with_answers_to_practise_with(folder: Path) -> None:
    rows = rows_of(folder / "candidates.csv")
    more = [{"candidate": f"t{n}", "item": f"p{n}", "model": "model-a", "answer": f"Answer {n}"} for n in (1, 2, 3)]
    rewrite(folder / "candidates.csv", [*rows, *more])


def test_scores_are_practised_from_words_alone_without_a_mark_to_pass(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(
        database, tmp_path / "study", SCORING, raters=1, changes=[with_practice, with_answers_to_practise_with]
    )
    rater = situation.raters[0]
    instructions.acknowledge_instructions(database, rater, situation.study_key, TRAIN)
    first = on_the_desk(situation, rater, TRAIN)
    show(situation, rater, first)
    receipt = submit(situation, rater, first, any_answers(first))
    desk = worklist.desks_of(database, rater)[0]

    seen = work_through(situation)

    assert (first["phase"], first["images"], first["practice"]["total"]) == ("practice", None, 3)
    said = worklist_view.progress_text(desk)
    assert said == f"Practice first: 1 of 3 done. The {desk.queue.unit}s open once all of it is done."
    assert desk.queue.unit == "answer"
    assert receipt.feedback is not None and receipt.feedback["correct"] is None
    assert [name for name, _ in receipt.feedback["lines"]] == ["Reference", "Explanation"]
    assert [payload["phase"] for payload in seen] == ["practice"] * 2 + ["scoring"] * 6
    assert {row["phase"] for row in closed_tables(situation)["verdicts.csv"]} == {"score"}


@pytest.mark.parametrize("rates", ["items", "candidates", "pairs"])
def test_practice_that_tells_nothing_ends_on_items_without_a_reference(
    sqlite_database: Database, tmp_path: Path, rates: str
) -> None:
    def without_references(folder: Path) -> None:
        (folder / "references.csv").unlink()
        more = [
            {"candidate": f"{model}-{n}", "item": f"p{n}", "model": f"model-{model}", "answer": f"Answer {n}"}
            for model in ("a", "b")
            for n in (1, 2)
        ]
        if rates != "items":
            rewrite(folder / "candidates.csv", [*rows_of(folder / "candidates.csv"), *more])

    situation = opened_listed(
        sqlite_database, tmp_path / "study", UNTOLD[rates], raters=1, changes=[with_practice, without_references]
    )
    seen = work_through(situation)

    phases = [payload["phase"] for payload in seen]
    assert phases.count("practice") == {"items": 4, "candidates": 4, "pairs": 2}[rates]
    assert phases[-6:].count("reading") == 6


def test_a_group_without_practice_begins_with_its_own_part(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = TRAINED.replace("phases:\n", "groups: {residents: Residents, seniors: Seniors}\nphases:\n").replace(
        "    counts: no\n", "    counts: no\n    by: residents\n"
    )
    situation = opened_listed(
        sqlite_database, tmp_path / "study", protocol, changes=[with_practice], groups=["residents", "seniors"]
    )

    resident, senior = (worklist.desks_of(sqlite_database, rater) for rater in situation.raters)

    assert [(desk.queue.title, bool(desk.waits_for)) for desk in resident] == [("Try it", False), ("Reads", True)]
    assert [(desk.queue.title, bool(desk.waits_for)) for desk in senior] == [("Reads", False)]


def test_an_admin_previews_what_is_said_after_an_answer(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    lines = previewing.preview_feedback(sqlite_database, situation.admin, situation.study_key, "p3")

    assert lines == [["Reference", "Left"], ["Explanation", "MARK-EXPLANATION of p3"]]


def test_the_package_of_a_study_with_practice_holds(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")
    for rater in situation.raters:
        practise(situation, rater)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)

    package.export_study(sqlite_database, situation.admin, situation.study_key, tmp_path / "package")

    manifest = json.loads((tmp_path / "package" / "manifest.json").read_text("utf-8"))
    assert {key: len(phase["units"]) for key, phase in manifest["phases"].items()} == {"secret_training": 4, "read": 6}
    assert verification.verify_study(sqlite_database, situation.study_key) == []


def test_a_preview_of_practice_says_which_of_how_many_items_it_is(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    previewed = [
        dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, item, "secret_training"))
        for item in ("p1", "p3")
    ]

    assert [(each["practice"]["done"], each["practice"]["total"]) for each in previewed] == [(0, 4), (2, 4)]


@pytest.mark.parametrize(
    ("then", "says_so"),
    [("    then: {shows: [reference, explanation]}\n", True), ("    then: {shows: explanation}\n", False), ("", False)],
    ids=["the reference", "the explanation", "nothing"],
)
def test_how_many_were_right_is_said_after_a_practice_only_if_each_answer_was_told(
    sqlite_database: Database, tmp_path: Path, then: str, says_so: bool
) -> None:
    protocol = TRAINED.replace("    then: {shows: [reference, explanation]}\n", then)
    situation = trained(sqlite_database, tmp_path / "study", protocol)
    rater = situation.raters[0]
    practise(situation, rater, wrong=2)
    again = on_the_desk(situation, rater, TRAIN)["ahead"]["message"]
    practise(situation, rater, wrong=1)

    over = on_the_desk(situation, rater, TRAIN)["message"]

    assert again.startswith("In attempt 1 you had 2 of 4 right; ") is says_so
    assert over.startswith("You had 3 of 4 right. ") is says_so
    assert ("right" in again, "right" in over) == (says_so, says_so)
