"""What comes before a part and is not drawn yet is still to come: the part waits for it as for open work."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import ReadsOpen
from services.people.identity import Actor
from services.reading import instructions, submission, worklist
from tests.following_study import flagging, opened_following, read_through, units_in
from tests.situations import Situation, on_the_desk

HEAD = """
blindread: 2
name: listed
title: A second look
instructions: Read every item.
groups: {readers: Readers, scorers: Scorers}
phases:
  - key: first
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    flags: {prompt: The prompt is unclear}
    by: readers
  - key: again
    rates: items
    from: {phase: first, let_in: [flagged]}
    shows: [scans, prompt]
    form: {note: text}
    by: readers
"""
SCORE = """  - key: score
    question: "Does it say the same as the reference?"
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    counts: no
"""
# Of its only unit one of two people is dealt nothing.
BETWEEN = """  - key: sort
    rates: candidates
    from: {sample: {size: 1}}
    shows: [prompt, candidate]
    form: {verdict: text}
    counts: no
    by: {groups: readers, per_unit: 1}
"""


def waits(situation: Situation, rater: Actor, queue: str) -> bool:
    """Return whether a part is shut, for which worklist, instructions and room have to say the same."""
    desk = next(desk for desk in worklist.desks_of(situation.database, rater) if desk.queue.key == queue)
    try:
        submission.current_payload(situation.database, rater, situation.study_key, queue)
    except ReadsOpen:
        assert desk.waits_for
        with pytest.raises(ReadsOpen):
            instructions.acknowledge_instructions(situation.database, rater, situation.study_key, queue)
        return True
    assert not desk.waits_for
    return False


def test_no_reference_is_shown_before_the_blind_part_that_is_drawn_later(database: Database, tmp_path: Path) -> None:
    protocol = f"{HEAD}{SCORE}    by: readers\n"
    situation = opened_following(database, tmp_path / "study", protocol, ("readers", "readers"))
    first, second = situation.raters

    read_through(situation, first, {"i1": flagging})
    before_it_is_drawn = waits(situation, first, "part-3")
    read_through(situation, second)
    before_it_is_done = waits(situation, first, "part-3")
    read_through(situation, first, queue="part-2")

    assert (before_it_is_drawn, before_it_is_done) == (True, True)
    assert on_the_desk(situation, first, "part-3")["reference"]


def test_what_lies_between_and_is_not_dealt_lets_nobody_past(sqlite_database: Database, tmp_path: Path) -> None:
    score = f"{SCORE}    by: readers\n    opens: {{after: sort}}\n"
    protocol = f"{HEAD}{BETWEEN}{score}"
    situation = opened_following(sqlite_database, tmp_path / "study", protocol, ("readers", "readers"))

    passed_over = next(rater for rater in situation.raters if not units_in(situation, "sort", rater))
    read_through(situation, passed_over, {"i1": flagging})

    assert waits(situation, passed_over, "part-4")


def test_whoever_waits_for_everyone_waits_for_what_others_are_still_to_be_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    score = f"{SCORE}    by: scorers\n    opens: {{after: again, done_by: everyone}}\n"
    situation = opened_following(sqlite_database, tmp_path / "study", f"{HEAD}{score}", ("readers", "scorers"))
    reader, scorer = situation.raters

    opened = [not waits(situation, scorer, "part-1")]
    read_through(situation, reader, {"i1": flagging})
    opened.append(not waits(situation, scorer, "part-1"))
    read_through(situation, reader, queue="part-2")
    opened.append(not waits(situation, scorer, "part-1"))

    assert opened == [False, False, True]
