"""A rater who failed the practice makes room for another, who gets the units dealt to that place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from db import Assignment, Database, Membership
from services.errors import Conflict
from services.people.identity import Actor
from services.reading import instructions, worklist
from services.record import verification
from services.studies.membership import members, removing
from tests.services.reading.practised import READ, TRAINED, practise, trained
from tests.situations import any_answers, on_the_desk, show, signed_in, submit
from tests.versioned_study import corrected_prompt, new_version, one_more_case, opened_for_versions, read

# Half of the units are dealt to each of two raters.
DEALT = TRAINED.replace("    revise: session", "    by: {per_unit: 1}")


def number_assigned(database: Database, rater: Actor) -> int:
    """Return how many units a rater has been assigned in the phase that is read."""
    with database.read_only() as session:
        own = select(func.count()).select_from(Assignment).join(Membership)
        return session.exec(own.where(Membership.person_id == rater.person_id, Assignment.phase == "read")).one()


def test_who_failed_the_practice_is_removed_and_their_units_go_to_who_comes_next(
    database: Database, tmp_path: Path
) -> None:
    situation = trained(database, tmp_path / "study", DEALT)
    failed = situation.raters[0]
    for _ in range(2):
        practise(situation, failed, wrong=4)
    dealt = worklist.desks_of(database, failed)[1].total

    assert "rater-1" in [member.login for member in removing.removable_members(database, situation.admin, "listed")]
    removing.remove_member(database, situation.admin, "listed", "rater-1")
    members.invite(database, situation.admin, "listed", "next", "Next", "rater")

    follower = signed_in(database, "next")
    assert [desk.total for desk in worklist.desks_of(database, follower)] == [4, dealt]
    assert verification.verify_study(database, "listed") == []


def test_an_answer_that_counts_keeps_its_rater(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study", DEALT)
    rater = situation.raters[0]
    practise(situation, rater)
    instructions.acknowledge_instructions(sqlite_database, rater, "listed", READ)
    payload = on_the_desk(situation, rater, READ)
    show(situation, rater, payload)
    submit(situation, rater, payload, any_answers(payload))

    with pytest.raises(Conflict, match="Rater 1 has given verdicts, which are kept"):
        removing.remove_member(sqlite_database, situation.admin, "listed", "rater-1")


def test_who_practised_and_was_removed_comes_back_as_they_were(database: Database, tmp_path: Path) -> None:
    situation = trained(database, tmp_path / "study", DEALT)
    practise(situation, situation.raters[0], wrong=4)
    before = [desk.total for desk in worklist.desks_of(database, situation.raters[0])]
    removing.remove_member(database, situation.admin, "listed", "rater-1")

    members.invite(database, situation.admin, "listed", "rater-1", "Rater 1", "rater")

    assert [desk.total for desk in worklist.desks_of(database, situation.raters[0])] == before
    assert verification.verify_study(database, "listed") == []


def test_who_practised_does_not_come_back_as_somebody_else(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")
    practise(situation, situation.raters[0], wrong=4)
    removing.remove_member(sqlite_database, situation.admin, "listed", "rater-1")

    def come_back(**known: Any) -> None:
        members.invite(sqlite_database, situation.admin, "listed", "rater-1", "Rater 1", "rater", **known)

    with pytest.raises(Conflict, match="what was known of them is sealed with these answers"):
        come_back(specialty="Radiology")
    with pytest.raises(Conflict, match="what was known of them is sealed with these answers"):
        come_back(years=7)
    members.invite(sqlite_database, situation.admin, "listed", "next", "Next", "rater")
    # Everybody gets everything: there is no place with units of its own.
    sealed = "their number in the group, which is sealed with these answers, has since been given to another rater"
    with pytest.raises(Conflict, match=sealed):
        come_back()


def test_who_practised_does_not_come_back_to_units_that_another_has(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study", DEALT)
    practise(situation, situation.raters[0], wrong=4)
    removing.remove_member(sqlite_database, situation.admin, "listed", "rater-1")
    members.invite(sqlite_database, situation.admin, "listed", "next", "Next", "rater")

    with pytest.raises(Conflict, match="have since been given to another rater; invite somebody else"):
        members.invite(sqlite_database, situation.admin, "listed", "rater-1", "Rater 1", "rater")


def test_who_was_away_gets_what_a_version_added_meanwhile(database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(database, tmp_path / "study")
    removing.remove_member(database, situation.admin, "listed", "rater-2")
    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)

    members.invite(database, situation.admin, "listed", "rater-2", "Rater 2", "rater")

    # Of six items one is corrected, and one is added.
    assert [desk.total for rater in situation.raters for desk in worklist.desks_of(database, rater)] == [7, 7]
    assert read(situation, 1)[-2:] == ["Is there a lesion?", "Prompt of i7?"]
    assert verification.verify_study(database, "listed") == []


def test_who_was_away_and_only_practised_gets_it_too(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")
    practise(situation, situation.raters[0])
    removing.remove_member(sqlite_database, situation.admin, "listed", "rater-1")
    new_version(situation, tmp_path / "study", corrected_prompt)

    members.invite(sqlite_database, situation.admin, "listed", "rater-1", "Rater 1", "rater")

    # Who stayed was assigned the item before its correction, too.
    assert [number_assigned(sqlite_database, rater) for rater in situation.raters] == [6, 7]
    assert verification.verify_study(sqlite_database, "listed") == []
