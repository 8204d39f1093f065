"""Phases in which not everybody rates all: dealt to slots at the freeze, filled by who is there, or comes later."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Candidate, Database, Item, Membership
from services.errors import Conflict
from services.progress import outstanding
from services.reading import instructions, submission, worklist
from services.record import verification
from services.studies.freeze import before_freeze, freezing
from services.studies.membership import members, removing
from tests.listed_study import closed_tables, imported_listed, opened_listed, work_through, write_listed
from tests.room_study import with_conversation
from tests.situations import Situation, on_the_desk, show, signed_in

ANY_TWO = """
blindread: 2
name: listed
title: Any two of three
groups: {scorers: Scorers}
phases:
  - key: score
    title: Scores
    question: Right?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: scorers, per_unit: 2, design: balanced}
"""
SOMEBODY_ELSE = """
blindread: 2
name: listed
title: Somebody else looks again
phases:
  - key: first
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {per_unit: 1}
  - key: second
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {per_unit: 1, not_in: first}
  - key: style
    rates: candidates
    shows: [prompt, candidate]
    form: {style: {type: ordinal, options: {'1': Badly, '2': Well}}}
    by: {not_in: [first, second]}
"""


def units_of(situation: Situation) -> dict[str, dict[str, set[str]]]:
    """Return what is assigned to each member of a study, by phase: keys of items, or of candidates."""
    dealt: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Membership.pseudonym, Assignment.phase, Item.key, Candidate.key)
            .join(Assignment, col(Assignment.membership_id) == Membership.id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
        ).all()
    for who, phase, item, candidate in rows:
        dealt[who][phase].add(candidate or item)
    return dealt


def invite(situation: Situation, login: str) -> str:
    """Invite somebody and return their pseudonym."""
    members.invite(situation.database, situation.admin, situation.study_key, login, login, "rater")
    with situation.database.read_only() as session:
        return session.exec(select(Membership.pseudonym).order_by(col(Membership.id).desc())).first() or ""


def remove(situation: Situation, login: str) -> None:
    removing.remove_member(situation.database, situation.admin, situation.study_key, login)


def test_every_answer_is_scored_by_two_of_three_who_have_equally_many(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", ANY_TWO, raters=3)

    seen = work_through(situation)
    tables = closed_tables(situation)

    assert len(seen) == 6 * 2
    verdicts = tables["verdicts.csv"]
    assert Counter(row["member"] for row in verdicts) == {f"Rater {number}": 4 for number in (1, 2, 3)}
    assert set(Counter(row["candidate"] for row in verdicts).values()) == {2}
    names = {f"{row['group']}/{row['slot']}": row["member"] for row in tables["members.csv"]}
    dealt = {(row["candidate"], names[slot]) for row in tables["sample.csv"] for slot in row["slots"].split("|")}
    assert dealt == {(row["candidate"], row["member"]) for row in verdicts}
    frozen = freezing.freeze_of(database, situation.admin, situation.study_key)
    assert frozen is not None
    units = frozen.manifest["phases"]["score"]["units"]
    assert {(key, names[slot]) for key, said in units.items() for slot in said["slots"]} == dealt
    assert verification.verify_study(database, situation.study_key) == []


def test_nobody_gets_what_they_had_before_and_answers_to_it_count_as_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SOMEBODY_ELSE, raters=3)

    dealt = units_of(situation)
    with sqlite_database.read_only() as session:
        item_of = dict(
            session.exec(select(Candidate.key, Item.key).join(Item, col(Item.id) == Candidate.item_id)).all()
        )

    assert sum(len(phases["first"]) for phases in dealt.values()) == 6
    assert sum(len(phases["second"]) for phases in dealt.values()) == 6
    for phases in dealt.values():
        assert len(phases["first"]) == len(phases["second"]) == 2
        assert not phases["first"] & phases["second"]
        assert not {item_of[answer] for answer in phases["style"]} & (phases["first"] | phases["second"])
    assert sum(len(phases["style"]) for phases in dealt.values()) == len(item_of)


def test_the_turns_of_a_conversation_go_to_the_same_person(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = SOMEBODY_ELSE[: SOMEBODY_ELSE.index("  - key: style")]
    folder = write_listed(tmp_path / "study", protocol, [with_conversation])
    situation = imported_listed(sqlite_database, folder, raters=3)
    with sqlite_database.read_only() as session:
        turns = set(session.exec(select(Item.key).where(col(Item.conversation).is_not(None))))
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    dealt = units_of(situation)

    assert len(turns) == 3
    for phase in ("first", "second"):
        assert [phases[phase] & turns for phases in dealt.values() if phases[phase] & turns] == [turns]
    assert not any(turns <= phases["first"] and turns <= phases["second"] for phases in dealt.values())


def test_slots_are_drawn_for_people_who_are_planned_and_filled_when_they_come(
    sqlite_database: Database, tmp_path: Path
) -> None:
    planned = ANY_TWO.replace("{scorers: Scorers}", "{scorers: {title: Scorers, people: 3}}")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", planned), raters=2)
    standing = before_freeze.standing_of(sqlite_database, situation.admin, "listed")
    freezing.freeze_study(sqlite_database, situation.admin, "listed")

    assert standing.people == ("Of 3 people who are planned as Scorers, 2 are there.",)
    before = units_of(situation)
    waiting = [piece.sentence for piece in outstanding.open_work_of(sqlite_database, situation.admin, "listed")]
    third, fourth = invite(situation, "third"), invite(situation, "fourth")
    after = units_of(situation)

    assert {who: len(phases["score"]) for who, phases in before.items()} == {"Rater 1": 4, "Rater 2": 4}
    assert "Slot 3 of Scorers: 4 of 4 answers without a verdict in “Scores”: nobody fills the slot" in waiting
    assert {who: after[who] for who in before} == before
    assert len(after[third]["score"]) == 4
    # Three slots are filled: there is nothing for a fourth.
    assert fourth not in after
    assert verification.verify_study(sqlite_database, "listed") == []


def test_who_comes_after_somebody_left_gets_their_units_and_those_stay_theirs(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(database, tmp_path / "study", ANY_TWO, raters=3)
    left = units_of(situation)["Rater 2"]["score"]
    remove(situation, "rater-2")

    new = invite(situation, "new")

    assert units_of(situation)[new]["score"] == left
    with pytest.raises(Conflict, match="have since been given to another rater; invite somebody else"):
        invite(situation, "rater-2")
    assert verification.verify_study(database, "listed") == []


def test_who_waits_for_a_slot_gets_the_first_that_is_free_when_invited_again(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", ANY_TWO, raters=3)
    waiting = invite(situation, "waiting")
    assert waiting not in units_of(situation)
    left = units_of(situation)["Rater 1"]["score"]
    remove(situation, "rater-1")
    remove(situation, "waiting")

    invite(situation, "waiting")

    assert units_of(situation)[waiting]["score"] == left
    assert verification.verify_study(sqlite_database, "listed") == []


def test_who_left_comes_back_to_their_own_units(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", ANY_TWO, raters=3)
    before = units_of(situation)
    remove(situation, "rater-3")

    invite(situation, "rater-3")

    assert units_of(situation) == before


READS_OF_TWO = """
blindread: 2
name: listed
title: Reads of two, scores of all
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {per_unit: 2}
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {after: read}
"""


@pytest.mark.parametrize("left_with", ["a look", "a failure"])
def test_who_has_seen_references_is_dealt_no_reads_of_somebody_who_left(
    database: Database, tmp_path: Path, left_with: str
) -> None:
    situation = opened_listed(database, tmp_path / "study", READS_OF_TWO)
    invite(situation, "late")
    late = signed_in(database, "late")
    instructions.acknowledge_instructions(database, late, situation.study_key, "part-2")
    payload = on_the_desk(situation, late, "part-2")
    assert payload["reference"]
    if left_with == "a look":
        show(situation, late, payload)
    else:
        submission.report_failure(database, late, payload["assignment"], "The scan could not be shown.")
    remove(situation, "rater-2")
    remove(situation, "late")

    invite(situation, "late")

    assert [desk.total for desk in worklist.desks_of(database, late)] == [0, 6]
    assert verification.verify_study(database, situation.study_key) == []


def test_a_freeze_with_too_few_people_is_refused_with_the_phase(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", ANY_TWO), raters=1)

    (said,) = before_freeze.standing_of(sqlite_database, situation.admin, "listed").people
    assert said == (
        "The freeze deals the units of “Scores” to the 1 who is in the group Scorers now: somebody who joins later "
        "gets none of them until somebody leaves."
    )
    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert str(refusal.value) == (
        "Phase 'score' needs 2 people per unit, and of 'Scorers' there are at most 1 for 6 units ('k1', 'k2', 'k3', "
        "'k4', 'k5' and 'k6'); invite more, or say under groups how many people there will be."
    )
    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is None


def test_a_reference_is_told_to_nobody_to_whom_its_item_is_still_to_come(
    sqlite_database: Database, tmp_path: Path
) -> None:
    """Dealt by unit, two phases are apart by unit; what tells of a subject is checked over what each slot has."""
    protocol = """
blindread: 2
name: listed
title: Told too early
phases:
  - key: score
    rates: items
    shows: [prompt, reference]
    form: {right: yes_no}
    by: {per_unit: 1}
  - key: read
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: {not_in: score}
    opens: {at_once: yes}
"""
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol), raters=2)

    with pytest.raises(Conflict, match=r"Phase 'score' shows the reference of \d subjects? that the same people"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
