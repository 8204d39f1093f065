"""`then`: more is shown once the own answer is locked and all that it tells about is answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from components import worklist_view
from db import Assignment, Database, Display, Study, TechnicalFailure, Verdict
from services.errors import Conflict, NotFound, NotOnTheDesk, ReadsOpen
from services.reading import displaying, instructions, shown_volumes, submission, worklist
from services.record import verification
from tests.blinding.columns import COMMON, OF_THE_ITEM, change_everything_but
from tests.blinding.test_listed_identity import payloads
from tests.listed_study import closed_tables, opened_listed, work_through
from tests.room_study import change_item, rewrite, rows_of, with_conversation, with_overlays
from tests.situations import Situation, any_answers, on_the_desk, show, submit

READ_THEN_TOLD = """
blindread: 2
name: listed
title: Read, then see
phases:
  - key: secret_arm
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    then: {shows: [reference, explanation]}
"""
AIDED = """
blindread: 2
name: listed
title: Read, then read with an answer beside
phases:
  - key: read
    title: Reads
    question: What is it?
    rates: candidates
    from: {where: {model: model-a}}
    shows: [scans, prompt, options]
    form: {finding: {type: text, label: Finding}}
    flags: {prompt: Unclear}
    then: {shows: [candidate], again: yes}
"""
PART = "part-1"


def in_order(seen: list[dict[str, Any]]) -> list[str]:
    """Return the prompts of what was shown, with a mark at what came after an answer."""
    return [payload["prompt"].split()[-1].rstrip("?") + ("+" if payload["own"] is not None else "") for payload in seen]


def with_explanations(folder: Path) -> None:
    rewrite(
        folder / "items.csv",
        [row | {"explanation": f"MARK of {row['item']}"} for row in rows_of(folder / "items.csv")],
    )


def test_the_reference_is_shown_once_all_items_of_the_subject_are_answered(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_TOLD, raters=1, changes=[with_explanations])

    seen = work_through(situation)
    order = in_order(seen)

    assert len(seen) == 12
    for subject in (("i1", "i2"), ("i3", "i4"), ("i5", "i6")):
        answered = max(order.index(item) for item in subject)
        assert all(order.index(f"{item}+") > answered for item in subject)
    first = [payload for payload in seen if payload["own"] is None]
    then = {payload["prompt"]: payload for payload in seen if payload["own"] is not None}
    assert all(payload["reference"] is None for payload in first) and "MARK" not in repr(first)
    second = then["Prompt of i2?"]
    assert second["reference"] == ["Left"]
    assert ["Explanation", "MARK of i2"] in second["context"]["facts"]
    assert [label for label, _ in second["own"]] == ["Answer"]
    assert (second["form"]["fields"], second["form"]["comment"], second["form"]["flags"]) == ([], False, [])
    assert [second["heading"], second["progress"]["total"]] == ["Reads: after your answer", 6]


def test_a_unit_of_two_steps_counts_once_and_is_done_by_the_second(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_TOLD, raters=1)
    (rater,) = situation.raters
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)

    said = []
    for _ in range(12):
        payload = on_the_desk(situation, rater, PART)
        show(situation, rater, payload)
        submit(situation, rater, payload)
        (desk,) = worklist.desks_of(sqlite_database, rater)
        said.append((desk.done, desk.total, desk.halfway))
    done = on_the_desk(situation, rater, PART)

    assert [after[:2] for after in said] == sorted(after[:2] for after in said)
    assert said[-1] == (6, 6, 0) and all(total == 6 for _, total, _ in said)
    assert [done + done + halfway for done, _, halfway in said] == list(range(1, 13))
    assert (done["progress"], done["summary"]["items"]) == ({"done": 6, "total": 6}, 6)


def test_the_worklist_says_what_is_answered_and_comes_once_more(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_TOLD, raters=1)
    (rater,) = situation.raters
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)
    payload = on_the_desk(situation, rater, PART)
    show(situation, rater, payload)
    submit(situation, rater, payload)

    (desk,) = worklist.desks_of(sqlite_database, rater)

    assert worklist_view.progress_text(desk) == ("0 of 6 done, 6 items to do (1 of them answered, and shown once more)")


def test_both_steps_are_exported_and_their_records_hold(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", AIDED)

    seen = work_through(situation)
    tables = closed_tables(situation)

    assert [payload["candidate"] is None for payload in seen] == [payload["own"] is None for payload in seen]
    assert [field["key"] for payload in seen for field in payload["form"]["fields"]] == ["finding"] * 12
    rows = [(row["phase"], row["step"], row["status"]) for row in tables["verdicts.csv"]]
    assert sorted(rows) == [("read", "1", "answered")] * 6 + [("read", "2", "answered")] * 6
    assert [row["step"] for row in tables["fields.csv"]].count("2") == 6
    assert len(tables["sample.csv"]) == 3
    assert verification.verify_study(database, situation.study_key) == []


def test_what_asks_nothing_is_seen_and_has_no_fields(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_TOLD, raters=1)
    work_through(situation)
    tables = closed_tables(situation)
    with sqlite_database.read_only() as session:
        shown = session.exec(select(Assignment.phase).join(Display, col(Display.assignment_id) == Assignment.id)).all()

    assert [(row["step"], row["status"]) for row in tables["verdicts.csv"]].count(("2", "seen")) == 6
    assert {row["step"] for row in tables["fields.csv"]} == {"1"}
    assert list(shown).count("secret_arm.then") == 6


def one_step(situation: Situation, answer: Callable[[dict[str, Any]], dict[str, Any]] = any_answers) -> dict[str, Any]:
    payload = dict(on_the_desk(situation, situation.raters[0], PART))
    show(situation, situation.raters[0], payload)
    submit(situation, situation.raters[0], payload, answer(payload))
    return payload


def test_an_answer_is_sealed_before_more_is_shown_and_stands_from_then_on(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", AIDED, raters=1)
    rater = situation.raters[0]
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)
    first = one_step(situation)
    then = on_the_desk(situation, rater, PART)

    assert first["candidate"] is None and then["candidate"] is not None
    assert verification.verify_study(sqlite_database, situation.study_key) == []
    with pytest.raises(Conflict):
        submit(situation, rater, first, {**any_answers(first), "fields": {"finding": "another"}})
    with sqlite_database.read_only() as session:
        assert len(session.exec(select(Verdict)).all()) == 1


def assignments_of(database: Database, phase: str) -> list[Assignment]:
    with database.read_only() as session:
        return list(session.exec(select(Assignment).where(Assignment.phase == phase)))


@pytest.mark.parametrize(
    ("protocol", "phase"), [(READ_THEN_TOLD, "secret_arm.then"), (AIDED, "read.then")], ids=["reference", "candidate"]
)
def test_more_is_built_for_nobody_before_the_answer(
    sqlite_database: Database, tmp_path: Path, protocol: str, phase: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1)
    waiting = assignments_of(sqlite_database, phase)[:1]

    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        with pytest.raises((NotOnTheDesk, ReadsOpen)):
            displaying.assignment_payload(session, situation.raters[0], study, waiting, (0, 1))
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, PART)
    with pytest.raises(Conflict):
        submission.record_display(
            sqlite_database, situation.raters[0], waiting[0].public_id, load_ms=1, renderer="t", viewport="1x1"
        )


def test_hidden_values_can_all_change_and_not_a_byte_does_before_the_answer(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_TOLD, changes=[with_explanations, with_overlays])
    before = payloads(situation, "secret_arm")

    shown = (COMMON | OF_THE_ITEM) - {"study_case.vignette", "study_case.age", "item.form"}
    changed = change_everything_but(database, shown)

    assert payloads(situation, "secret_arm") == before
    assert {"reference.accepted", "reference.explanation", "candidate.answer", "item.overlays"} <= set(changed)
    assert b"secret_arm" not in before and b".then" not in before


def test_without_a_reference_more_follows_its_own_item(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = READ_THEN_TOLD.replace("[reference, explanation]", "[vignette]")
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1)

    seen = work_through(situation)
    order = in_order(seen)

    assert [name.rstrip("+") for name in order[::2]] == [name.rstrip("+") for name in order[1::2]]
    assert [payload["context"]["vignette"] is None for payload in seen] == [True, False] * 6


@pytest.mark.parametrize(
    ("table", "column", "follows"),
    [("items.csv", "item", "their item"), ("cases.csv", "case", "their subject")],
)
def test_an_attribute_follows_all_of_what_it_tells_about(
    sqlite_database: Database, tmp_path: Path, table: str, column: str, follows: str
) -> None:
    def with_site(folder: Path) -> None:
        rewrite(folder / table, [row | {"site": "Bonn"} for row in rows_of(folder / table)])

    declared = f"attributes: {{{table.removesuffix('.csv')}: {{site: text}}}}\nphases:"
    protocol = READ_THEN_TOLD.replace("phases:", declared).replace("[reference, explanation]", "[site]")
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=[with_site])

    order = in_order(work_through(situation))

    # Two items are about each subject.
    subjects = [{"i1": 1, "i2": 1, "i3": 2, "i4": 2}.get(name.rstrip("+"), 3) for name in order]
    open_before = [
        any(not later.endswith("+") and subjects[place + after] == subjects[place]
            for after, later in enumerate(order[place:]))
        for place, name in enumerate(order)
        if name.endswith("+")
    ]  # fmt: skip
    assert len(open_before) == 6
    assert any(open_before) == (follows == "their item")


def test_of_a_conversation_more_follows_its_last_turn(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = READ_THEN_TOLD.replace("[reference, explanation]", "[vignette]")
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=[with_conversation])

    seen = [payload for payload in work_through(situation) if "of the talk" in payload["prompt"]]

    assert [(payload["prompt"].split()[1], payload["own"] is not None) for payload in seen] == [
        ("1", False), ("2", False), ("3", False), ("1", True), ("2", True), ("3", True),
    ]  # fmt: skip
    assert [len(payload["turns"]) for payload in seen] == [0, 1, 2, 0, 1, 2]


def with_answers_to_turns(folder: Path) -> None:
    turns = [
        {"candidate": f"t{turn}", "item": f"talk-{turn}", "model": "model-a", "answer": f"Said to turn {turn}."}
        for turn in (1, 2, 3)
    ]
    rewrite(folder / "candidates.csv", [*rows_of(folder / "candidates.csv"), *turns])


def test_of_answers_to_a_conversation_more_follows_the_last_of_them(database: Database, tmp_path: Path) -> None:
    changes = [with_conversation, with_answers_to_turns]
    situation = opened_listed(database, tmp_path / "study", AIDED, raters=1, changes=changes)

    seen = work_through(situation)
    of_talk = [place for place, payload in enumerate(seen) if "Said to turn" in str(payload["candidate"])]

    assert len(seen) == 12 and len(of_talk) == 3
    assert of_talk == list(range(of_talk[0], of_talk[0] + 3))


def test_where_nothing_counts_more_follows_at_once(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_TOLD + "    counts: no\n", raters=1)

    order = in_order(work_through(situation))

    assert order[1::2] == [f"{name}+" for name in order[::2]]


def addresses(payload: dict[str, Any]) -> list[str]:
    panes = payload["images"]["panes"] if payload["images"] else []
    shown = [volume["url"] for pane in panes for volume in (*pane["volumes"], *pane["overlays"])]
    return [url.rsplit("/", 1)[1] for url in (*shown, *payload["prefetch"])]


@pytest.mark.parametrize(
    ("shows", "then"),
    [("[prompt, options]", "[scans]"), ("[scans, prompt, options]", "[overlays]")],
    ids=["scans", "overlays"],
)
def test_scans_and_overlays_are_out_of_reach_before_the_answer(
    sqlite_database: Database, tmp_path: Path, shows: str, then: str
) -> None:
    protocol = READ_THEN_TOLD.replace("[scans, prompt, options]", shows).replace("[reference, explanation]", then)
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=[with_overlays])
    rater = situation.raters[0]
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)
    keys_of = displaying.keys_of
    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        keys = keys_of(study, rater)
    names = [keys.overlay_token(number) for number in (1, 2)]
    if then == "[scans]":
        names += [keys.volume_token(number) for number in range(1, 10)]

    in_reach = []
    while True:
        payload = dict(on_the_desk(situation, rater, PART))
        if payload["kind"] == "done":
            break
        reached = set()
        for name in names:
            try:
                shown_volumes.volume_in_reach(sqlite_database, rater, name)
            except NotFound:
                continue
            reached.add(name)
        if payload["own"] is None:
            assert not reached and not set(addresses(payload)) & set(names)
        else:
            assert reached <= set(addresses(payload))
            in_reach += reached
        show(situation, rater, payload)
        submit(situation, rater, payload, any_answers(payload))
    assert in_reach


def test_what_could_not_be_shown_is_not_shown_with_more(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", AIDED, raters=1)
    rater = situation.raters[0]
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)
    first = on_the_desk(situation, rater, PART)

    submission.report_failure(sqlite_database, rater, first["assignment"], "too large")

    assert on_the_desk(situation, rater, PART)["own"] is None
    with sqlite_database.read_only() as session:
        assert [row.reason for row in session.exec(select(TechnicalFailure))] == ["too large"] * 2
    work_through(situation)
    statuses = [row["status"] for row in closed_tables(situation)["verdicts.csv"]]
    assert (statuses.count("technical_failure"), statuses.count("answered")) == (2, 4)
    assert verification.verify_study(sqlite_database, situation.study_key) == []


def test_a_later_phase_waits_until_more_was_seen(sqlite_database: Database, tmp_path: Path) -> None:
    later = "  - {key: score, rates: candidates, shows: [prompt, reference, candidate], form: {verdict: correctness}}\n"
    protocol = READ_THEN_TOLD.replace("[reference, explanation]", "[vignette]") + later
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1)
    rater = situation.raters[0]
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, PART)
    for _ in range(11):
        one_step(situation)

    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, rater)] == [False, True]
    one_step(situation)
    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, rater)] == [False, False]


def test_an_item_of_the_study_has_an_explanation_only_where_one_is_shown(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(
        sqlite_database,
        tmp_path / "study",
        READ_THEN_TOLD,
        raters=1,
        changes=[lambda folder: change_item(folder, "i1", explanation="Why")],
    )

    then = [payload for payload in work_through(situation) if payload["own"] is not None]

    assert [fact for payload in then for fact in payload["context"]["facts"]] == [["Explanation", "Why"]]
