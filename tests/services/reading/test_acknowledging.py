"""Instructions and consent are acknowledged by somebody as one of their group, for one phase, in the words it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Acknowledgement, Database, Membership
from db.base import stored_id
from services.errors import ReadsOpen
from services.people.identity import Actor
from services.reading import instructions, revising, submission, worklist
from services.record import verification
from services.studies.membership import members, removing
from tests.listed_study import opened_listed
from tests.room_study import room_study
from tests.services.reading.test_listed_settling import late_reader, work
from tests.situations import Situation, at_once, on_the_desk, signed_in

HEAD = """
blindread: 2
name: listed
title: Of two groups
groups: {a: Group A, b: Group B}
consent: I agree.
phases:
"""
# Slots of the freeze alone are dealt something, so that who joins later may change the group.
OF_EACH = (
    HEAD
    + """
  - key: read_a
    title: Reads
    instructions: Read as one of A.
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {groups: a, per_unit: 1}
  - key: read_b
    title: Reads
    instructions: Read as one of B.
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: b
"""
)
# The second part of A is open at once, that of B waits for everyone.
WAITING = (
    HEAD
    + """
  - key: read_a
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {groups: a, per_unit: 1}
  - key: again_a
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {groups: a, per_unit: 1}
    opens: {at_once: yes}
  - key: read_b
    rates: items
    from: {where: {format: [yes_no]}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: b
    opens: {at_once: yes}
  - key: score_b
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: b
    opens: {after: [read_a, read_b], done_by: everyone}
"""
)
# Both groups score, and only the reads of B may be revised.
SHARED = (
    HEAD
    + """
  - key: read_a
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {groups: a, per_unit: 1}
  - key: read_b
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    revise: until_closed
    by: b
  - key: score
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: [a, b], per_unit: 1}
    opens: {after: [read_a, read_b]}
"""
)
# Everybody is dealt the second part, which waits for all to be done with the first.
TOGETHER = """
blindread: 2
name: listed
title: Together
phases:
  - key: read
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: score
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {after: read, done_by: everyone}
"""
AT_ONCE = """
blindread: 2
name: listed
title: In any order
consent: I agree.
instructions: Read.
phases:
  - key: read
    instructions: Read once.
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: again
    instructions: Read again.
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    opens: {at_once: yes}
"""


def acknowledge(situation: Situation, who: Actor, part: str) -> None:
    instructions.acknowledge_instructions(situation.database, who, situation.study_key, part)


def into_group(situation: Situation, group: str) -> None:
    """Take the late reader out of the study, and in again as one of another group."""
    removing.remove_member(situation.database, situation.admin, situation.study_key, "late")
    members.invite(situation.database, situation.admin, situation.study_key, "late", "Late", "rater", group=group)


def stored(database: Database) -> list[tuple[str, str]]:
    with database.read_only() as session:
        rows = session.exec(select(Acknowledgement).order_by(Acknowledgement.id)).all()  # type: ignore[arg-type]
        return [(row.group_key, row.phase) for row in rows]


def test_instructions_of_another_group_are_read_and_consented_to_anew(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", OF_EACH, groups=("a", "b"))
    late = late_reader(situation, "a")
    acknowledge(situation, late, "part-1")

    into_group(situation, "b")
    before = instructions.of_queue(database, late, "listed", "part-1")
    acknowledge(situation, late, "part-1")
    after = instructions.of_queue(database, late, "listed", "part-1")

    assert (before.text, before.consent, before.acknowledged) == ("Read as one of B.", "I agree.", False)
    assert after.acknowledged
    assert stored(database) == [("a", "read_a"), ("b", "read_b")]
    assert verification.verify_study(database, "listed") == []


def test_what_was_acknowledged_in_another_group_opens_nothing_that_waits_for_everyone(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(database, tmp_path / "study", WAITING, groups=("a", "b"))
    late = late_reader(situation, "a")
    acknowledge(situation, late, "part-2")

    into_group(situation, "b")
    work(situation, late, "part-1")

    for act in (instructions.of_queue, instructions.acknowledge_instructions, submission.current_payload):
        with pytest.raises(ReadsOpen):
            act(database, late, "listed", "part-2")
    assert [bool(desk.waits_for) for desk in worklist.desks_of(database, late)] == [False, True]


def test_phase_that_was_acknowledged_in_another_group_settles_nothing_in_this(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SHARED, groups=("a", "b"))
    late = late_reader(situation, "a")
    acknowledge(situation, late, "part-2")

    into_group(situation, "b")
    work(situation, late, "part-1")

    read = on_the_desk(situation, late, "part-1")
    assert read["revisable"] == len(revising.list_revisable(sqlite_database, late, read["assignment"])) == 6


def test_instructions_alone_do_not_hold_a_part_open_that_waits_for_everyone(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", TOGETHER, raters=1)
    (reader,) = situation.raters
    work(situation, reader, "part-1")
    acknowledge(situation, reader, "part-2")
    assert on_the_desk(situation, reader, "part-2")["reference"]

    late = late_reader(situation)

    with pytest.raises(ReadsOpen):
        on_the_desk(situation, reader, "part-2")
    work(situation, late, "part-1")
    assert on_the_desk(situation, reader, "part-2")["reference"]


def test_text_that_is_another_by_now_is_acknowledged_once_more(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", AT_ONCE, raters=1)
    (reader,) = situation.raters
    with database.writing() as session:
        own = session.exec(select(Membership).where(Membership.role == "rater")).one()
        before_that = {"phase": "read", "group_key": own.group_key, "text_sha256": "of what it said before"}
        session.add(Acknowledgement(membership_id=stored_id(own.id), **before_that))

    before = instructions.of_queue(database, reader, "listed", "part-1")
    for _ in range(2):
        acknowledge(situation, reader, "part-1")

    assert (before.acknowledged, before.consent) == (False, "I agree.")
    assert instructions.of_queue(database, reader, "listed", "part-1").acknowledged
    assert instructions.of_queue(database, reader, "listed", "part-2").consent == ""
    assert stored(database) == [("raters", "read")] * 2


@pytest.mark.parametrize("parts", [("part-1", "part-2"), ("part-1", "part-1")], ids=["two parts", "one part twice"])
def test_two_start_pages_that_are_left_at_once_are_both_acknowledged(
    database: Database, tmp_path: Path, parts: tuple[str, str]
) -> None:
    situation = opened_listed(database, tmp_path / "study", AT_ONCE, raters=5)

    for reader in situation.raters:
        at_once(*(lambda part=part, reader=reader: acknowledge(situation, reader, part) for part in parts))
        said = [instructions.of_queue(database, reader, "listed", part) for part in dict.fromkeys(parts)]

        assert [instructions.acknowledged for instructions in said] == [True] * len(said)
        assert sum(bool(instructions.consent) for instructions in said) == 1
    assert len(stored(database)) == len(situation.raters) * len(set(parts))
    assert verification.verify_study(database, "listed") == []


def test_who_has_begun_to_review_consents_before_the_first_items_all_the_same(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", protocol={"consent": "I agree."}, key="tiny")
    members.invite(database, situation.admin, "tiny", "late", "Late", "reviewer")
    late = signed_in(database, "late")
    instructions.acknowledge_instructions(database, late, "tiny", "review")
    removing.remove_member(database, situation.admin, "tiny", "late")

    members.invite(database, situation.admin, "tiny", "late", "Late", "rater")

    assert instructions.of_queue(database, late, "tiny", "reading").consent == "I agree."
