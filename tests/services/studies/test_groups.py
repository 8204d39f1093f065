"""Groups of people: each rater is in one, has its phases alone, and fills one slot of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Membership
from services.errors import Conflict, NotFound
from services.progress import outstanding, overview
from services.reading import instructions, member_progress, settling, submission, worklist
from services.record import verification
from services.studies import groups
from services.studies.freeze import before_freeze, freezing
from services.studies.membership import invitations, members, removing
from tests.listed_study import (
    READ_THEN_SCORE,
    TWO_GROUPS,
    closed_tables,
    imported_listed,
    opened_listed,
    work_through,
    write_listed,
)
from tests.situations import Situation, signed_in


def invite(situation: Situation, login: str, group: str = "") -> None:
    members.invite(situation.database, situation.admin, situation.study_key, login, login, "rater", group=group)


def phases_of(situation: Situation, login: str) -> Counter[str]:
    """Count what is assigned to somebody, by phase."""
    person = signed_in(situation.database, login).person_id
    with situation.database.read_only() as session:
        return Counter(
            session.exec(
                select(Assignment.phase)
                .join(Membership, col(Membership.id) == Assignment.membership_id)
                .where(Membership.person_id == person)
            )
        )


def test_each_group_works_through_its_own_phases_and_no_other(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(
        database, tmp_path / "study", TWO_GROUPS, groups=["residents", "Scorers", "scorers", "residents"]
    )

    seen = work_through(situation)
    tables = closed_tables(situation)

    # Two read six items; two others score six answers, and three of them once more.
    assert len(seen) == 2 * 6 + 2 * (6 + 3)
    assert Counter((row["member"], row["phase"]) for row in tables["verdicts.csv"]) == {
        ("Rater 1", "read"): 6, ("Rater 4", "read"): 6,
        ("Rater 2", "score"): 6, ("Rater 2", "score_again"): 3,
        ("Rater 3", "score"): 6, ("Rater 3", "score_again"): 3,
    }  # fmt: skip
    assert [(row["member"], row["group"], row["slot"]) for row in tables["members.csv"]] == [
        ("Rater 1", "residents", "1"), ("Rater 2", "scorers", "1"),
        ("Rater 3", "scorers", "2"), ("Rater 4", "residents", "2"),
    ]  # fmt: skip
    assert verification.verify_study(database, situation.study_key) == []


def test_a_group_counts_its_own_parts_and_consents_before_the_first_of_them(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_GROUPS, groups=["residents", "scorers"])
    resident, scorer = situation.raters

    parts = [[desk.queue.key for desk in worklist.desks_of(sqlite_database, who)] for who in (resident, scorer)]

    assert parts == [["part-1"], ["part-1", "part-2"]]
    for who in (resident, scorer):
        said = instructions.of_queue(sqlite_database, who, situation.study_key, "part-1")
        assert said.consent == "I agree."
    # There is a second part, of which residents know no more than of a seventh.
    refusals = []
    for part in ("part-2", "part-7"):
        with pytest.raises(NotFound) as refusal:
            submission.current_payload(sqlite_database, resident, situation.study_key, part)
        refusals.append(str(refusal.value))
    assert refusals[0] == refusals[1]


def test_a_rater_names_a_group_where_there_are_several_and_one_of_them(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), groups=["residents"])

    with pytest.raises(
        Conflict,
        match=r"^A rater of this study is in one group; name one of Residents \(residents\), Scorers \(scorers\)\.$",
    ):
        invite(situation, "anna")
    with pytest.raises(
        Conflict,
        match=r"^'readers' is not a group of this study; name one of Residents \(residents\), Scorers \(scorers\)\.$",
    ):
        invite(situation, "anna", "readers")
    with pytest.raises(Conflict, match="is in the group 'residents' of this study already, and nobody is in two"):
        invite(situation, "rater-1", "scorers")
    with pytest.raises(Conflict, match="only raters are in one"):
        members.invite(sqlite_database, situation.admin, "listed", "eve", "Eve", "admin", group="scorers")


def test_pasted_lines_name_groups_by_key_or_title_and_all_that_is_wrong_is_said(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), groups=["residents"])
    lines = "anna, Anna, rater, , , SCORERS\nben, Ben, rater, Neuroradiology, 6, GROUP\ncleo, Cleo"

    def invited(pasted: str) -> None:
        entries = invitations.read_entries(pasted)
        invitations.invite_people(sqlite_database, situation.admin, "listed", entries, "http://127.0.0.1")

    with pytest.raises(Conflict) as refusal:
        invited(lines.replace("GROUP", "readers"))
    assert str(refusal.value).splitlines() == [
        "Line 2: 'readers' is not a group of this study; name one of Residents (residents), Scorers (scorers).",
        "Line 3: A rater of this study is in one group; name one of Residents (residents), Scorers (scorers).",
    ]
    invited("\n".join(lines.replace("GROUP", "Residents").splitlines()[:2]))
    progress = member_progress.progress_of_members(sqlite_database, situation.admin, "listed")
    assert {line.name: line.group for line in progress} == {
        "Rater 1": "Residents", "Anna": "Scorers", "Ben": "Residents",
    }  # fmt: skip


def test_a_study_of_one_group_asks_for_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE, raters=1)

    assert groups.groups_to_choose(sqlite_database, situation.admin, situation.study_key) == ()
    assert [line.group for line in member_progress.progress_of_members(sqlite_database, situation.admin, "listed")] == [
        "", "", "",
    ]  # fmt: skip
    assert {row["group"] for row in closed_tables(situation)["members.csv"]} == {"raters"}


def test_a_group_is_changed_by_leaving_and_coming_back_before_the_freeze(database: Database, tmp_path: Path) -> None:
    situation = imported_listed(
        database, write_listed(tmp_path / "study", TWO_GROUPS), groups=["residents", "residents"]
    )
    removing.remove_member(database, situation.admin, "listed", "rater-2")
    invite(situation, "rater-2", "scorers")

    freezing.freeze_study(database, situation.admin, "listed")

    assert phases_of(situation, "rater-2") == {"score": 6, "score_again": 3}
    assert verification.verify_study(database, "listed") == []


def test_no_group_is_changed_after_something_was_assigned(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_GROUPS, groups=["residents", "scorers"])
    removing.remove_member(sqlite_database, situation.admin, "listed", "rater-1")

    with pytest.raises(Conflict, match=r"^Rater 1 was given items in the group 'residents'; invite them into that"):
        invite(situation, "rater-1", "scorers")
    # Into their own they come back, also where nobody names it.
    invite(situation, "rater-1")

    assert phases_of(situation, "rater-1") == {"read": 6}
    assert verification.verify_study(sqlite_database, "listed") == []


def test_the_freeze_says_once_of_a_group_that_nobody_of_those_who_are_planned_is_there(
    sqlite_database: Database, tmp_path: Path
) -> None:
    planned = TWO_GROUPS.replace("scorers: Scorers}", "scorers: {title: Scorers, people: 1}}").replace(
        "residents: Residents", "residents: {title: Residents, people: 2}"
    )
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", planned), groups=["residents"])

    assert before_freeze.standing_of(sqlite_database, situation.admin, "listed").people == (
        "Nobody is in the group Scorers yet, which rates “Scores” and “More scores”: 1 is planned.",
        "Of 2 people who are planned as Residents, 1 is there.",
    )


def test_the_freeze_and_the_list_of_studies_say_which_group_has_nobody(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), groups=["residents"])

    standing = before_freeze.standing_of(sqlite_database, situation.admin, "listed")
    freezing.freeze_study(sqlite_database, situation.admin, "listed")
    waits = overview.overview_of(sqlite_database, situation.admin, "listed").waits
    invite(situation, "late", "scorers")

    assert standing.people == ("Nobody is in the group Scorers yet, which rates “Scores” and “More scores”.",)
    assert "nobody in Scorers" in waits and "1 not started" in waits
    assert phases_of(situation, "late") == {"score": 6, "score_again": 3}
    assert overview.overview_of(sqlite_database, situation.admin, "listed").waits == (
        "2 people have open work", "2 not started",
    )  # fmt: skip


def test_admins_see_each_member_with_their_group_and_its_parts_alone(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_GROUPS, groups=["residents", "scorers"])

    lines = member_progress.progress_of_members(sqlite_database, situation.admin, "listed")
    work = outstanding.open_work_of(sqlite_database, situation.admin, "listed")

    assert [(line.pseudonym, line.group, line.queue.title, line.total) for line in lines] == [
        ("Rater 1", "Residents", "Reads", 6), ("Rater 2", "Scorers", "Scores", 6),
        ("Rater 2", "Scorers", "More scores", 3),
    ]  # fmt: skip
    assert [piece.sentence for piece in work] == [
        "Rater 1: 6 of 6 items without a verdict in “Reads”",
        "Rater 2: 6 of 6 answers without a verdict in “Scores”",
        "Rater 2: 3 of 3 answers without a verdict in “More scores”",
    ]


WAITS_FOR_EVERYONE = """
blindread: 2
name: listed
title: Reads, then a discussion
groups: {residents: {title: Residents, people: 1}, experts: {title: Experts, people: 1}}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: {seen: yes_no}, by: residents}
  - key: look
    title: Looks
    rates: items
    shows: [prompt]
    form: {seen: yes_no}
    by: experts
    opens: {after: read, done_by: everyone}
"""


def test_who_is_more_than_planned_is_named_with_what_waits_for_them(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(
        sqlite_database, tmp_path / "study", WAITS_FOR_EVERYONE, raters=4,
        groups=("residents", "residents", "experts", "experts"),
    )  # fmt: skip

    before = groups.beyond_plan(sqlite_database, situation.admin, "listed")
    settling.close_phase(sqlite_database, situation.admin, "listed", "read", "One resident has left.")
    after = groups.beyond_plan(sqlite_database, situation.admin, "listed")

    of_residents = "2 people are in the group Residents, and the protocol plans 1."
    of_experts = "2 people are in the group Experts, and the protocol plans 1."
    waits = "“Looks” opens only when everybody in it is done, including people beyond the plan."
    assert before == [f"{of_residents} {waits}", of_experts]
    assert after == [of_residents, of_experts]
