"""Somebody who gave no verdict can be taken out of a study, and be invited again; verdicts keep their raters."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import func, select

from db import Assignment, AuditEvent, Database, Invitation, Membership, ReviewTask
from services import report
from services.adjudication import review_queue
from services.errors import Conflict, NotFound
from services.people import identity
from services.progress import data_lock
from services.reading import instructions, member_progress, submission, worklist
from services.record import verification
from services.studies.freeze import freezing
from services.studies.membership import members, removing
from tests.situations import (
    Situation,
    any_answers,
    imported_study,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
)


def removable(situation: Situation) -> list[str]:
    return [
        removable_member.login
        for removable_member in removing.removable_members(situation.database, situation.admin, "tiny")
    ]


def take_out(situation: Situation, login: str) -> str:
    return removing.remove_member(situation.database, situation.admin, "tiny", login)


def invite(situation: Situation, login: str, role: str) -> None:
    members.invite(situation.database, situation.admin, "tiny", login, login.title(), role)


def member(situation: Situation, login_pseudonym: str) -> Membership:
    with situation.database.read_only() as session:
        return session.exec(select(Membership).where(Membership.pseudonym == login_pseudonym)).one()


def test_who_is_taken_out_loses_access_and_is_no_open_work(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    assert removable(situation) == ["rater-1", "rater-2", "reviewer"]

    assert take_out(situation, " Rater-1 ") == "Rater 1"

    assert worklist.desks_of(database, rater) == []
    with pytest.raises(NotFound):
        on_the_desk(situation, rater)
    with pytest.raises(NotFound):
        show(situation, rater, payload)
    with pytest.raises(NotFound):
        submit(situation, rater, payload, any_answers(payload))
    lines = member_progress.progress_of_members(database, situation.admin, "tiny")
    assert "Rater 1" not in [line.pseudonym for line in lines]
    with database.read_only() as session:
        event = session.exec(select(AuditEvent).where(AuditEvent.action == "member removed")).one()
    assert event.detail == {"member": rater.person_id, "role": "rater", "pseudonym": "Rater 1"}
    assert removable(situation) == ["rater-2", "reviewer"]


def test_who_gave_a_verdict_stays(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    payload = on_the_desk(situation, situation.raters[0])
    show(situation, situation.raters[0], payload)
    submit(situation, situation.raters[0], payload)

    with pytest.raises(Conflict, match="Rater 1 has given verdicts, which are kept"):
        take_out(situation, "rater-1")

    assert removable(situation) == ["rater-2", "reviewer"]


def test_nobody_takes_themselves_out_and_strangers_are_not_found(opened: Situation) -> None:
    with pytest.raises(Conflict, match="yourself"):
        take_out(opened, "admin")
    with pytest.raises(NotFound, match="'nobody'"):
        take_out(opened, "nobody")


def test_after_the_data_lock_everybody_stays(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    with pytest.raises(Conflict, match="re-open"):
        take_out(opened, "rater-1")
    assert removable(opened) == []


def test_open_links_end_with_the_membership(imported: Situation) -> None:
    identity.make_link(imported.database, "rater-1", "sign_in")
    take_out(imported, "rater-1")
    with imported.database.read_only() as session:
        person_id = imported.raters[0].person_id
        open_links = session.exec(
            select(func.count())
            .select_from(Invitation)
            .where(
                Invitation.person_id == person_id,
                Invitation.consumed_at.is_(None),  # type: ignore[union-attr]
                Invitation.ended_at.is_(None),  # type: ignore[union-attr]
            )
        ).one()
    assert open_links == 0


def test_somebody_invited_again_goes_on_with_the_same_items(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    before = on_the_desk(situation, situation.raters[0])["assignment"]
    take_out(situation, "rater-1")

    invite(situation, "rater-1", "rater")

    assert on_the_desk(situation, situation.raters[0])["assignment"] == before
    assert len(read_all(situation, situation.raters[0])) == 6


def test_who_was_invited_in_the_wrong_role_can_be_invited_in_the_right_one(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    take_out(situation, "reviewer")
    invite(situation, "reviewer", "rater")

    assert member(situation, "Rater 3").person_id == situation.reviewer.person_id
    assert on_the_desk(situation, signed_in(database, "reviewer"))["kind"] == "item"


def test_who_saw_items_does_not_come_back_in_another_role(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    show(situation, situation.raters[0], on_the_desk(situation, situation.raters[0]))
    take_out(situation, "rater-1")
    with pytest.raises(Conflict, match="already had items as rater"):
        invite(situation, "rater-1", "reviewer")


def test_who_had_an_item_in_the_browser_does_not_come_back_in_another_role(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "reading")
    assert on_the_desk(situation, situation.raters[0])["prompt"]
    take_out(situation, "rater-1")
    with pytest.raises(Conflict, match="already had items as rater"):
        invite(situation, "rater-1", "reviewer")


def test_a_pseudonym_is_never_given_twice(imported: Situation) -> None:
    take_out(imported, "rater-1")
    invite(imported, "rater-1", "reviewer")
    invite(imported, "rater-3", "rater")
    with imported.database.read_only() as session:
        names = list(session.exec(select(Membership.pseudonym).order_by(Membership.id)))
    assert names == ["Admin 1", "Reviewer 2", "Rater 2", "Reviewer 1", "Rater 3"]


def test_what_is_removed_and_taken_back_verifies(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    take_out(situation, "rater-1")
    take_out(situation, "reviewer")
    invite(situation, "rater-1", "rater")
    invite(situation, "reviewer", "rater")

    assert verification.verify_study(database, "tiny") == []


def test_who_was_taken_out_of_a_draft_gets_items_when_they_come_back_after_the_freeze(
    database: Database, tmp_path: Path
) -> None:
    situation = imported_study(database, tmp_path / "study")
    take_out(situation, "rater-1")
    freezing.freeze_study(database, situation.admin, "tiny")
    with database.read_only() as session:
        assert session.exec(select(func.count(func.distinct(Assignment.membership_id)))).one() == 1

    invite(situation, "rater-1", "rater")

    assert len(read_all(situation, situation.raters[0])) == 6


def test_the_items_of_a_reviewer_who_was_taken_out_are_dealt_again(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": "yes"})
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no"})
    first = review_queue.open_review_queue(database, situation.admin, "tiny")
    take_out(situation, "reviewer")
    invite(situation, "other", "reviewer")

    again = review_queue.open_review_queue(database, situation.admin, "tiny")

    assert (again.disagreed, again.controls) == (first.disagreed, first.controls) == (1, 1)
    other = signed_in(database, "other")
    while (payload := submission.current_payload(database, other, "tiny", "review"))["kind"] == "item":
        show(situation, other, payload)
        submit(situation, other, payload)
    with pytest.raises(Conflict, match="given to another reviewer"):
        invite(situation, "reviewer", "reviewer")
    data_lock.close_study(database, situation.admin, "tiny")
    with database.read_only() as session:
        assert session.exec(select(func.count()).select_from(ReviewTask)).one() == 4
    built = report.build_report(database, situation.admin, "tiny")
    listed = built.section("study").table("members").rows  # type: ignore[union-attr]
    assert ("Reviewer 1", "removed before any verdict", None, None) in listed


def test_the_report_counts_nothing_of_who_was_taken_out(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    invite(situation, "rater-3", "rater")
    for rater in situation.raters:
        read_all(situation, rater)
        read_all(situation, rater, "scoring")
    take_out(situation, "rater-3")
    data_lock.close_study(database, situation.admin, "tiny")

    built = report.build_report(database, situation.admin, "tiny")

    counts = built.section("completeness").table("completeness")  # type: ignore[union-attr]
    assert [row[0] for row in counts.rows] == ["Rater 1", "Rater 2"]  # type: ignore[union-attr]
    assert not any("no verdict" in notice for notice in built.notices)
