"""One person, one role in a study; progress without answers; links only within what an admin administers."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlmodel import func, select

from db import Assignment, Database, Invitation, Membership, Person
from services.errors import Conflict, NotAllowed, NotFound
from services.people import identity
from services.people.identity import Actor
from services.people.signing_in import sign_in
from services.progress import data_lock
from services.reading import member_progress, submission
from services.studies import catalogue
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.situations import (
    Situation,
    any_answers,
    imported_study,
    on_the_desk,
    read_all,
    show,
    signed_in,
    submit,
    write_study_folder,
)


def count(database: Database, table: type) -> int:
    with database.read_only() as session:
        return int(session.exec(select(func.count()).select_from(table)).one())


def second_study(situation: Situation, folder: Path) -> Actor:
    """Bring in another study with an admin of its own, who is no owner."""
    importing.import_study(situation.database, situation.admin, write_study_folder(folder), key="second")
    members.invite(situation.database, situation.admin, "second", "other-admin", "Other Admin", "admin")
    return signed_in(situation.database, "other-admin")


# ---- invitations -----------------------------------------------------------------------------------------------------


def test_an_invited_person_has_the_role_and_a_pseudonym(imported: Situation) -> None:
    members.invite(
        imported.database, imported.admin, "tiny", " New@Example.org ", "Nora", "rater", specialty="Neurology", years=4
    )

    with imported.database.read_only() as session:
        person, membership = session.exec(
            select(Person, Membership).join(Membership).where(Person.login == "new@example.org")
        ).one()
    assert (person.name, person.is_owner) == ("Nora", False)
    assert (membership.role, membership.pseudonym) == ("rater", "Rater 3")
    assert (membership.specialty, membership.years) == ("Neurology", 4)


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_nobody_has_two_roles_in_one_study(imported: Situation, role: str) -> None:
    with pytest.raises(Conflict, match="is already a rater in this study, and nobody has two roles in one"):
        members.invite(imported.database, imported.admin, "tiny", "rater-1", "Rater", role)


def test_the_admin_cannot_become_a_rater_of_the_same_study(imported: Situation) -> None:
    with pytest.raises(Conflict, match="nobody has two roles"):
        members.invite(imported.database, imported.admin, "tiny", "ADMIN", "Ada", "rater")


def test_one_person_may_have_another_role_in_another_study(imported: Situation, tmp_path: Path) -> None:
    second_study(imported, tmp_path / "second")

    members.invite(imported.database, imported.admin, "second", "rater-1", "Rater", "reviewer")

    roles = {line.key: line.role for line in catalogue.studies_of(imported.database, imported.raters[0])}
    assert roles == {"tiny": "rater", "second": "reviewer"}


def test_inviting_again_issues_a_fresh_link_and_changes_nothing_else(opened: Situation) -> None:
    tables = (Person, Membership, Assignment)
    before = [count(opened.database, table) for table in tables]
    links = count(opened.database, Invitation)

    token = members.invite(opened.database, opened.admin, "tiny", "Rater-1", "Another Name", "rater", years=9)

    assert [count(opened.database, table) for table in tables] == before
    assert count(opened.database, Invitation) == links + 1
    link = identity.look_at_link(opened.database, token)
    assert link is not None
    assert link.name == "Rater-1"


def test_a_refused_invitation_leaves_no_person_behind(imported: Situation) -> None:
    before = count(imported.database, Person)

    with pytest.raises(Conflict, match="not a role"):
        members.invite(imported.database, imported.admin, "tiny", "somebody", "Some Body", "owner")

    assert count(imported.database, Person) == before


@pytest.mark.parametrize(
    ("login", "name", "expected"),
    [
        (" ", "Nobody", "login is empty"),
        ("\x00", "Nobody", "login is empty"),
        ("x y", "Nobody", "^The login 'x y' has a blank in it; write it as one word, such as an e-mail address.$"),
        ("nora", " \t", "^The name is empty; write the name that they and admins see.$"),
        ("l" * 121, "Long", "The login has 121 characters, at most 120"),
        ("long", "n" * 121, "The name has 121 characters, at most 120"),
    ],
)
def test_a_login_or_name_that_the_database_could_not_hold_is_refused(
    imported: Situation, login: str, name: str, expected: str
) -> None:
    with pytest.raises(Conflict, match=expected):
        members.invite(imported.database, imported.admin, "tiny", login, name, "rater")


def test_whoever_has_had_a_login_with_a_blank_keeps_it_and_can_be_invited(imported: Situation) -> None:
    with imported.database.writing() as session:
        session.add(Person(login="anna maier", name="Anna"))
    token = members.invite(imported.database, imported.admin, "tiny", "Anna  Maier", "Anna", "rater")
    identity.use_link(imported.database, token, "correct horse battery")

    signed_in = sign_in(imported.database, "Anna Maier", "correct horse battery")

    assert identity.actor_of_token(imported.database, signed_in) is not None


def test_people_invited_at_once_get_pseudonyms_of_their_own(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")

    with ThreadPoolExecutor(6) as pool:
        list(
            pool.map(
                lambda number: members.invite(database, situation.admin, "tiny", f"new-{number}", "New", "rater"),
                range(6),
            )
        )

    with database.read_only() as session:
        pseudonyms = session.exec(select(Membership.pseudonym).where(Membership.role == "rater")).all()
    assert sorted(pseudonyms) == [f"Rater {number}" for number in range(1, 9)]


def test_only_the_admin_of_the_study_invites(imported: Situation, tmp_path: Path) -> None:
    other_admin = second_study(imported, tmp_path / "second")

    for somebody in (*imported.raters, imported.reviewer):
        with pytest.raises(NotAllowed):
            members.invite(imported.database, somebody, "tiny", "friend", "Friend", "rater")
    with pytest.raises(NotFound, match="study does not exist, or you have no access"):
        members.invite(imported.database, other_admin, "tiny", "friend", "Friend", "rater")


@pytest.mark.parametrize("login", ["admin", "rater-1"])
def test_an_admin_gets_no_link_for_an_account_that_reaches_beyond_their_studies(
    imported: Situation, tmp_path: Path, login: str
) -> None:
    """Whoever holds a link acts as its person: the owner's, or that of a rater elsewhere, is not theirs to hold."""
    other_admin = second_study(imported, tmp_path / "second")
    links = count(imported.database, Invitation)

    with pytest.raises(NotAllowed, match="beyond your studies"):
        members.invite(imported.database, other_admin, "second", login, "Somebody", "reviewer")

    assert count(imported.database, Invitation) == links


def test_an_admin_who_is_no_owner_invites_new_people_and_their_own(imported: Situation, tmp_path: Path) -> None:
    other_admin = second_study(imported, tmp_path / "second")
    members.invite(imported.database, other_admin, "second", "fresh", "Fresh Face", "rater")

    token = members.invite(imported.database, other_admin, "second", "fresh", "Fresh Face", "rater")

    assert identity.look_at_link(imported.database, token) is not None


def test_a_rater_who_joins_an_open_study_gets_every_item(opened: Situation) -> None:
    members.invite(opened.database, opened.admin, "tiny", "late", "Late", "rater")

    assert len(read_all(opened, signed_in(opened.database, "late"))) == 6


def test_a_rater_who_joins_before_the_freeze_gets_them_with_it(imported: Situation) -> None:
    assert count(imported.database, Assignment) == 0

    freezing.freeze_study(imported.database, imported.admin, "tiny")

    assert count(imported.database, Assignment) == 2 * (6 + 4)


def test_nobody_joins_a_closed_study_as_a_rater(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")

    with pytest.raises(Conflict, match="closed"):
        members.invite(opened.database, opened.admin, "tiny", "late", "Late", "rater")


# ---- progress --------------------------------------------------------------------------------------------------------


def test_progress_counts_what_is_closed_and_what_could_not_be_shown(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")
    freezing.freeze_study(database, situation.admin, "tiny")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload)
    submission.report_failure(database, rater, on_the_desk(situation, rater)["assignment"], "The scan did not load.")

    lines = member_progress.progress_of_members(database, situation.admin, "tiny")

    progress = {(line.pseudonym, line.queue.key): (line.done, line.total, line.technical_failures) for line in lines}
    assert progress == {
        ("Rater 1", "reading"): (2, 6, 1),
        ("Rater 1", "scoring"): (0, 4, 0),
        ("Rater 2", "reading"): (0, 6, 0),
        ("Rater 2", "scoring"): (0, 4, 0),
        ("Reviewer 1", "review"): (0, 0, 0),
    }


def test_progress_holds_no_answer(opened: Situation) -> None:
    rater = opened.raters[0]
    planted = "an unmistakable comment"
    payload = on_the_desk(opened, rater)
    submission.save_draft(opened.database, rater, payload["assignment"], 1, {"comment": planted})
    show(opened, rater, payload)
    submit(opened, rater, payload, {**any_answers(payload), "comment": planted})

    lines = member_progress.progress_of_members(opened.database, opened.admin, "tiny")

    content = json.dumps([dataclasses.asdict(line) for line in lines], default=str)
    assert planted not in content
    assert {field.name for field in dataclasses.fields(lines[0])} == {
        "pseudonym", "name", "role", "queue", "done", "total", "technical_failures", "last_saved",
        "practice", "group", "revised", "is_without_test",
    }  # fmt: skip


def test_the_time_of_the_last_save_is_that_of_a_draft_or_a_verdict(opened: Situation) -> None:
    rater = opened.raters[0]
    payload = on_the_desk(opened, rater)

    def last_saved() -> object:
        return member_progress.progress_of_members(opened.database, opened.admin, "tiny")[0].last_saved

    assert last_saved() is None
    _, drafted = submission.save_draft(opened.database, rater, payload["assignment"], 1, {"comment": "half"})
    assert last_saved() == drafted
    show(opened, rater, payload)
    assert last_saved() == drafted

    receipt = submit(opened, rater, payload)

    assert last_saved() == receipt.saved_at


def test_progress_is_for_the_admin_only(opened: Situation) -> None:
    for other in (*opened.raters, opened.reviewer):
        with pytest.raises(NotAllowed):
            member_progress.progress_of_members(opened.database, other, "tiny")


# ---- lists of studies ------------------------------------------------------------------------------------------------


def test_everybody_sees_their_own_studies_with_role_and_state(opened: Situation, tmp_path: Path) -> None:
    second_study(opened, tmp_path / "second")

    for_admin = catalogue.studies_of(opened.database, opened.admin)
    for_rater = catalogue.studies_of(opened.database, opened.raters[0])

    assert [(line.key, line.role, line.state, line.items) for line in for_admin] == [
        ("tiny", "admin", "open", 6),
        ("second", "admin", "draft", 6),
    ]
    assert [(line.key, line.role) for line in for_rater] == [("tiny", "rater")]


def test_a_study_that_one_does_not_administer_is_not_shown(opened: Situation) -> None:
    assert catalogue.study_line(opened.database, opened.admin, "tiny").state == "open"
    for actor, key in ((opened.raters[0], "tiny"), (opened.admin, "no such study")):
        with pytest.raises(NotFound):
            catalogue.study_line(opened.database, actor, key)
