"""Phases that open when everyone is done with others: those who are there, and those for whom work is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import ReadsOpen
from services.people.identity import Actor
from services.reading import instructions, submission, worklist
from services.studies.membership import members, removing
from tests.listed_study import TWO_GROUPS, opened_listed
from tests.situations import Situation, read_all, signed_in

PLANNED = TWO_GROUPS.replace("{residents: Residents,", "{residents: {title: Residents, people: 2},")
AFTER_THE_READS = "    by: scorers\n    opens: {after: read}\n"


def waiting_for_all(protocol: str) -> str:
    return protocol.replace("    by: scorers\n", AFTER_THE_READS, 1)


def read_everything(situation: Situation, rater: Actor) -> None:
    instructions.acknowledge_instructions(situation.database, rater, situation.study_key, "part-1")
    read_all(situation, rater, "part-1")


def is_open(situation: Situation, rater: Actor) -> bool:
    """Return whether a scorer may begin, for which the worklist has to say the same as the room."""
    desk = worklist.desks_of(situation.database, rater)[0]
    try:
        submission.current_payload(situation.database, rater, situation.study_key, "part-1")
    except ReadsOpen:
        assert desk.waits_for
        return False
    assert not desk.waits_for
    return True


def test_a_phase_opens_when_the_last_of_the_others_is_done(database: Database, tmp_path: Path) -> None:
    groups = ["residents", "residents", "scorers"]
    situation = opened_listed(database, tmp_path / "study", waiting_for_all(TWO_GROUPS), groups=groups)
    first, second, scorer = situation.raters

    opened = [is_open(situation, scorer)]
    for resident in (first, second):
        read_everything(situation, resident)
        opened.append(is_open(situation, scorer))

    assert opened == [False, False, True]


def test_whom_it_waits_for_is_not_said(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(
        sqlite_database, tmp_path / "study", waiting_for_all(TWO_GROUPS), groups=["residents", "scorers"]
    )
    scorer = situation.raters[1]

    with pytest.raises(ReadsOpen) as refusal:
        submission.current_payload(sqlite_database, scorer, situation.study_key, "part-1")

    assert str(refusal.value) == "“Scores” opens once everything that comes before it is done."
    said = repr(worklist.desks_of(sqlite_database, scorer))
    assert "resident" not in said.lower() and "Reads" not in said


def test_it_waits_for_people_who_are_planned_and_not_for_those_who_left(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(
        sqlite_database, tmp_path / "study", waiting_for_all(PLANNED), groups=["residents", "scorers"]
    )
    first, scorer = situation.raters
    read_everything(situation, first)

    opened = [is_open(situation, scorer)]
    members.invite(sqlite_database, situation.admin, "listed", "late", "Late", "rater", group="residents")
    opened.append(is_open(situation, scorer))
    read_everything(situation, signed_in(sqlite_database, "late"))
    opened.append(is_open(situation, scorer))
    # Somebody more than was planned, who leaves without a verdict.
    members.invite(sqlite_database, situation.admin, "listed", "more", "More", "rater", group="residents")
    opened.append(is_open(situation, scorer))
    removing.remove_member(sqlite_database, situation.admin, "listed", "more")
    opened.append(is_open(situation, scorer))

    assert opened == [False, False, True, False, True]


def test_it_waits_while_nobody_is_there_who_could_be_done(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", waiting_for_all(TWO_GROUPS), groups=["scorers"])

    assert not is_open(situation, situation.raters[0])


def test_everyone_of_the_own_group_is_waited_for(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = TWO_GROUPS.replace(
        "    from: {where: {model: model-a}}\n", "    opens: {after: score, done_by: everyone}\n"
    )
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, groups=["scorers", "scorers"])
    first, second = situation.raters
    read_everything(situation, first)
    done = submission.current_payload(sqlite_database, first, "listed", "part-1")

    # Not offered behind the last item either, while the other has something left.
    assert done["kind"] == "done" and done["next"] is None
    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, first)] == [False, True]
    read_everything(situation, second)
    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, first)] == [False, False]
    done = submission.current_payload(sqlite_database, first, "listed", "part-1")
    assert done["next"] is not None and done["next"]["title"] == "More scores: 6 answers"


def test_what_was_dealt_to_a_slot_that_nobody_fills_is_waited_for(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = waiting_for_all(TWO_GROUPS).replace("by: residents", "by: {groups: residents, per_unit: 1}")
    groups = ["residents", "residents", "scorers"]
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, groups=groups)
    first, _, scorer = situation.raters
    read_everything(situation, first)
    removing.remove_member(sqlite_database, situation.admin, "listed", "rater-2")

    opened = [is_open(situation, scorer)]
    members.invite(sqlite_database, situation.admin, "listed", "new", "New", "rater", group="residents")
    read_everything(situation, signed_in(sqlite_database, "new"))
    opened.append(is_open(situation, scorer))

    assert opened == [False, True]
