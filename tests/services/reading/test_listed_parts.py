"""Parts of a study that lists its phases, in any order: consent before the first, no prompt that is not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.errors import Conflict, ReadsOpen
from services.people.identity import Actor
from services.reading import instructions, revising, submission, worklist
from tests.listed_study import opened_listed, work_through
from tests.room_study import change_item
from tests.situations import Situation, any_answers, on_the_desk, show, submit

HEAD = "blindread: 2\nname: listed\ntitle: Parts\ninstructions: Read.\nconsent: I agree.\nphases:\n"


def phase(key: str, *lines: str, shows: str = "scans, prompt, options") -> str:
    """Return a phase of a protocol in which the items are rated by their format."""
    rest = "".join(f"    {line}\n" for line in lines)
    head = f"  - key: {key}\n    title: Part {key}\n    rates: items\n    shows: [{shows}]\n"
    return f"{head}{rest}    form: {{answer: as_item}}\n"


TWO_AT_ONCE = HEAD + phase("a", "from: {where: {format: [yes_no]}}") + phase("b", "opens: {at_once: true}")


def finish(situation: Situation, rater: Actor, queue: str) -> dict[str, Any]:
    """Work through a queue and return what its end says."""
    instructions.acknowledge_instructions(situation.database, rater, situation.study_key, queue)
    while True:
        payload = dict(submission.current_payload(situation.database, rater, situation.study_key, queue))
        if payload["kind"] == "done":
            return payload
        show(situation, rater, payload)
        submit(situation, rater, payload, any_answers(payload))


@pytest.mark.parametrize("first", ["part-1", "part-2"])
def test_consent_is_asked_before_the_first_part_whichever_it_is_and_once(
    sqlite_database: Database, tmp_path: Path, first: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_AT_ONCE, raters=1)
    (rater,) = situation.raters
    other = {"part-1": "part-2", "part-2": "part-1"}[first]

    def consent(queue: str) -> str:
        return instructions.of_queue(sqlite_database, rater, situation.study_key, queue).consent

    assert (consent(first), consent(other)) == ("I agree.", "I agree.")
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, first)

    assert (consent(first), consent(other)) == ("I agree.", "")
    assert instructions.of_queue(sqlite_database, rater, situation.study_key, first).acknowledged


def test_end_of_a_part_leads_to_another_that_is_open(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_AT_ONCE, raters=1)
    (rater,) = situation.raters

    end = finish(situation, rater, "part-1")

    assert end["next"]["title"] == "Part b: 6 items"
    assert "close this page" not in end["message"]
    assert finish(situation, rater, "part-2")["next"] is None


def test_earlier_items_of_a_part_are_its_own(sqlite_database: Database, tmp_path: Path) -> None:
    text = HEAD + phase("a", "revise: until_closed") + phase("b", "revise: until_closed", "opens: {at_once: true}")
    situation = opened_listed(sqlite_database, tmp_path / "study", text, raters=1)
    (rater,) = situation.raters
    finish(situation, rater, "part-1")
    instructions.acknowledge_instructions(sqlite_database, rater, situation.study_key, "part-2")
    first = on_the_desk(situation, rater, "part-2")
    show(situation, rater, first)
    submit(situation, rater, first, any_answers(first))

    end, here = (on_the_desk(situation, rater, part) for part in ("part-1", "part-2"))
    own = [revising.list_revisable(sqlite_database, rater, shown["assignment"]) for shown in (end, here)]

    assert (end["revisable"], here["revisable"]) == (len(own[0]), len(own[1])) == (6, 1)
    assert [line["assignment"] for line in own[1]] == [first["assignment"]]
    assert [desk.revisable for desk in worklist.desks_of(sqlite_database, rater)] == [6, 0]
    again = revising.reopen(sqlite_database, rater, first["assignment"])
    assert revising.resume(sqlite_database, rater, again["assignment"]) == here


@pytest.mark.parametrize(("text", "in_parts"), [(TWO_AT_ONCE, True), (HEAD + phase("a"), False)])
def test_room_is_told_whether_the_study_has_other_parts(
    sqlite_database: Database, tmp_path: Path, text: str, in_parts: bool
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", text, raters=1)
    (rater,) = situation.raters

    shown = on_the_desk(situation, rater, "part-1")

    assert (shown["revisable"], shown["in_parts"]) == (None, in_parts)


def test_instructions_of_a_later_part_are_read_when_it_opens(sqlite_database: Database, tmp_path: Path) -> None:
    """They may say what an earlier part is not to know."""
    situation = opened_listed(sqlite_database, tmp_path / "study", HEAD + phase("a") + phase("b"), raters=1)
    (rater,) = situation.raters

    for act in (instructions.of_queue, instructions.acknowledge_instructions):
        with pytest.raises(ReadsOpen, match="opens once you are done with what comes before it"):
            act(sqlite_database, rater, situation.study_key, "part-2")
    finish(situation, rater, "part-1")

    assert instructions.of_queue(sqlite_database, rater, situation.study_key, "part-2").text == "Read."


def conversation(folder: Path) -> None:
    """Make the items i1 and i2 two turns, and give them one category."""
    change_item(folder, "i1", conversation="talk", turn="1", case="c1", category="talk")
    change_item(folder, "i2", conversation="talk", turn="2", case="c1", category="talk")


def test_earlier_turn_shows_its_prompt_only_where_the_phase_shows_prompts(
    sqlite_database: Database, tmp_path: Path
) -> None:
    text = HEAD + phase("a", "question: What is seen?", shows="scans")
    situation = opened_listed(sqlite_database, tmp_path / "study", text, raters=1, changes=[conversation])

    seen = work_through(situation)

    turns = [turn["prompt"] for payload in seen for turn in payload["turns"]]
    assert turns == ["What is seen?"]
    assert "Prompt of" not in repr(seen)


def test_turn_without_the_one_before_it_is_not_drawn(sqlite_database: Database, tmp_path: Path) -> None:
    def torn(folder: Path) -> None:
        conversation(folder)
        change_item(folder, "i1", category="other")

    text = HEAD + phase("a", "from: {where: {category: [talk]}}")
    with pytest.raises(Conflict, match="has a later turn without an earlier one of 1 conversation"):
        opened_listed(sqlite_database, tmp_path / "study", text, raters=1, changes=[torn])


def test_answer_to_a_turn_is_shown_to_nobody_who_has_still_to_read_another(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def answered_elsewhere(folder: Path) -> None:
        conversation(folder)
        change_item(folder, "i2", category="other")

    scoring = (
        "  - key: t\n    rates: candidates\n    opens: {at_once: true}\n    from: {where: {category: [other]}}\n"
        "    shows: [prompt, candidate]\n    form: {verdict: correctness}\n"
    )
    text = HEAD + phase("a", "from: {where: {category: [talk]}}") + scoring

    with pytest.raises(Conflict, match="Phase 't' shows the answer under judgement of 1 item"):
        opened_listed(sqlite_database, tmp_path / "study", text, raters=1, changes=[answered_elsewhere])


def test_options_that_stand_as_text_are_shuffled_for_each_rater(sqlite_database: Database, tmp_path: Path) -> None:
    text = HEAD + (
        "  - key: a\n    rates: items\n    from: {where: {format: [choice]}}\n    shows: [scans, prompt, options]\n"
        "    shuffle_options: yes\n    form: {note: text}\n"
    )
    situation = opened_listed(sqlite_database, tmp_path / "study", text, raters=8)

    orders = [
        value for payload in work_through(situation) for name, value in payload["context"]["facts"] if name == "Options"
    ]

    assert len({"".join(sorted(order)) for order in orders}) < len(set(orders))
