"""Attributes that a protocol declares of raters: entered with the invitation or later, typed, and sent to nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import AuditEvent, Database, Membership, audit
from services.errors import Conflict
from services.reading import instructions
from services.record import verification
from services.seals import proofs
from services.studies.freeze import before_freeze, freezing
from services.studies.membership import invitations, members, rater_attributes, removing
from services.studies.membership.invitations import Entry, read_entries
from tests.listed_study import closed_tables, imported_listed, write_listed
from tests.situations import Situation, any_answers, on_the_desk, show, signed_in, submit

PROTOCOL = """
blindread: 2
name: listed
title: Reads
attributes:
  raters:
    specialty: text
    trained: yes_no
    school: {type: choice, options: {a: First school, b: Second school}}
    cases_read: {type: number, range: [0, 9000]}
    since: date
    motto: text
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt, options], form: {answer: as_item}}
"""


@pytest.fixture
def draft(sqlite_database: Database, tmp_path: Path) -> Situation:
    return imported_listed(sqlite_database, write_listed(tmp_path / "study", PROTOCOL), raters=0)


def stored_of(situation: Situation) -> dict[str, dict[str, str]]:
    with situation.database.read_only() as session:
        rows = session.exec(select(Membership).where(Membership.role == "rater").order_by(Membership.pseudonym)).all()  # type: ignore[arg-type]
        return {row.pseudonym: row.attributes for row in rows}


def test_values_are_stored_as_the_declared_types_have_them(draft: Situation) -> None:
    written = {"trained": "TRUE", "school": "second school", "cases_read": "1200", "since": "2019-02-01", "motto": " "}

    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater", attributes=written)

    assert stored_of(draft) == {
        "Rater 1": {"trained": "yes", "school": "b", "cases_read": "1200", "since": "2019-02-01"}
    }


def test_an_attribute_is_entered_under_its_label_and_without_one_under_its_name(
    sqlite_database: Database, tmp_path: Path
) -> None:
    labelled = PROTOCOL.replace("trained: yes_no", "trained: {type: yes_no, label: MRI training}")
    draft = imported_listed(sqlite_database, write_listed(tmp_path / "study", labelled), raters=0)

    asked = rater_attributes.to_enter(draft.database, draft.admin, "listed")

    assert [(each.name, each.label) for each in asked][:2] == [("trained", "MRI training"), ("school", "School")]


@pytest.mark.parametrize(
    ("role", "name", "value", "says"),
    [
        ("rater", "trained", "perhaps", "trained is 'perhaps', expected yes or no; correct the value."),
        ("rater", "school", "c", "school is 'c', expected a, b; correct the value."),
        ("rater", "cases_read", "9001", "cases_read is 9001, expected 0 to 9000; correct the value."),
        ("rater", "trainde", "yes", "'trainde' is no attribute that this study declares of raters, expected trained,"),
        ("rater", "specialty", "ENT", "'specialty' has an entry of its own in an invitation; write it there, and of"),
        ("admin", "trained", "yes", "Attributes are of raters, and no admin has any: leave out trained."),
    ],
)
def test_what_is_not_declared_or_does_not_fit_is_refused(
    draft: Situation, role: str, name: str, value: str, says: str
) -> None:
    with pytest.raises(Conflict) as refused:
        members.invite(draft.database, draft.admin, "listed", "anna", "Anna", role, attributes={name: value})

    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"years": 61}, "years is 61, expected 0 to 60; correct the value."),
        ({"specialty": "ENT"}, "specialty is 'ENT', expected neuro, msk; correct the value."),
    ],
)
def test_specialty_and_years_fit_what_a_study_declares_of_them(
    sqlite_database: Database, tmp_path: Path, given: dict[str, Any], says: str
) -> None:
    declared = "specialty: {type: choice, options: {neuro: Neuro, msk: MSK}}\n    years: {type: number, range: [0, 60]}"
    folder = write_listed(tmp_path / "study", PROTOCOL.replace("specialty: text", declared))
    study = imported_listed(sqlite_database, folder, raters=0)

    with pytest.raises(Conflict) as refused:
        members.invite(sqlite_database, study.admin, "listed", "anna", "Anna", "rater", **given)

    assert str(refused.value) == says


def test_no_years_of_experience_are_a_number_too(draft: Situation) -> None:
    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater", years=0)

    with draft.database.read_only() as session:
        assert session.exec(select(Membership.years).where(Membership.role == "rater")).all() == [0]


@pytest.mark.parametrize("given", [{"specialty": "MSK"}, {"years": 5}, {"specialty": "ENT", "years": 0}])
def test_an_invitation_of_somebody_who_is_there_says_that_specialty_and_years_would_not_be_stored(
    draft: Situation, given: dict[str, Any]
) -> None:
    def invite(**known: Any) -> str:
        return members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater", **known)

    invite(specialty="ENT", years=4)

    with pytest.raises(Conflict, match="neither their specialty nor their years of experience; remove them and invite"):
        invite(**given)
    assert invite(specialty="ENT", years=4)

    removing.remove_member(draft.database, draft.admin, "listed", "anna")
    invite(**given)
    with draft.database.read_only() as session:
        row = session.exec(select(Membership).where(Membership.role == "rater")).one()
        assert {key: getattr(row, key) for key in given} == given


def test_pasted_lines_have_them_in_columns_that_the_first_line_names() -> None:
    pasted = "login,name,role,specialty,years,group,trained,school\nanna,Anna,rater,ENT,4,,yes,a\nben,Ben\n"

    assert [entry.attributes for entry in read_entries(pasted)] == [
        (("trained", "yes"), ("school", "a")),
        (("trained", ""), ("school", "")),
    ]


def test_a_line_with_more_than_the_named_columns_is_refused() -> None:
    with pytest.raises(Conflict, match="attributes of raters need a first line that names all columns"):
        read_entries("anna,Anna,rater,ENT,4,,yes\n")
    with pytest.raises(Conflict, match="attributes of raters follow the columns login, name, role, specialty, years"):
        read_entries("login,name,role,trained,specialty,years,group\nanna,Anna,rater,yes\n")


def test_a_column_that_is_named_twice_is_refused() -> None:
    with pytest.raises(Conflict, match="Line 1: 'trained' is named twice; leave one of the two"):
        read_entries("login,name,role,specialty,years,group,trained,trained\nanna,Anna,rater,,,,yes,no\n")


def test_a_rater_is_described_later_which_is_audited_and_keeps_the_seals(draft: Situation) -> None:
    people = [Entry("anna", "Anna", attributes=(("trained", "no"), ("motto", "Onwards")))]
    invitations.invite_people(draft.database, draft.admin, "listed", people, "https://x.example.org")
    freezing.freeze_study(draft.database, draft.admin, "listed")

    stored = rater_attributes.describe(draft.database, draft.admin, "listed", "anna", {"trained": "TRUE", "motto": ""})

    assert stored == {"trained": "yes"}
    assert stored_of(draft) == {"Rater 1": {"trained": "yes"}}
    with draft.database.read_only() as session:
        assert [row.action for row in session.exec(select(AuditEvent)) if row.action == rater_attributes.DESCRIBED]
    assert verification.verify_study(draft.database, "listed") == []


def test_what_nobody_has_a_value_of_is_said_before_the_freeze(draft: Situation) -> None:
    members.invite(
        draft.database, draft.admin, "listed", "anna", "Anna", "rater", specialty="ENT", attributes={"trained": "no"}
    )

    said = [
        each for each in before_freeze.standing_of(draft.database, draft.admin, "listed").remarks if "declares" in each
    ]

    assert [each.split("'")[1] for each in said] == ["school", "cases_read", "since", "motto"]
    assert said[0] == (
        "The protocol declares 'school' of raters, and no rater has a value: nothing can be divided by it. Enter it "
        "when you invite them, or with 'manage.py describe-rater'."
    )


def test_of_specialty_and_years_it_says_how_they_are_entered_later(draft: Situation) -> None:
    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater")

    said = before_freeze.standing_of(draft.database, draft.admin, "listed").remarks

    (of_specialty,) = [each for each in said if "'specialty'" in each]
    assert of_specialty.endswith("Enter it when you invite them, or remove and invite them again.")


def test_nothing_of_it_is_sent_to_a_rater(draft: Situation) -> None:
    motto = "Onwards and upwards"
    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater", attributes={"motto": motto})
    freezing.freeze_study(draft.database, draft.admin, "listed")
    anna = signed_in(draft.database, "anna")
    instructions.acknowledge_instructions(draft.database, anna, "listed", "part-1")

    assert motto not in json.dumps(on_the_desk(draft, anna, "part-1"), default=str)


def test_one_that_is_called_as_a_column_of_the_members_file_hides_none_there(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = PROTOCOL.replace("    motto: text", "    role: text\n    member: text")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol), raters=0)
    given = {"role": "chief", "member": "of the society"}
    members.invite(situation.database, situation.admin, "listed", "anna", "Anna", "rater", attributes=given)
    freezing.freeze_study(situation.database, situation.admin, "listed")

    (row,) = closed_tables(situation, reason="Nobody read anything.")["members.csv"]

    assert (row["member"], row["role"]) == ("Rater 1", "rater")
    assert (row["attribute_member"], row["attribute_role"]) == ("of the society", "chief")


def test_nobody_is_described_after_the_first_verdict(draft: Situation) -> None:
    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater")
    freezing.freeze_study(draft.database, draft.admin, "listed")
    anna = signed_in(draft.database, "anna")
    instructions.acknowledge_instructions(draft.database, anna, "listed", "part-1")
    payload = on_the_desk(draft, anna, "part-1")
    show(draft, anna, payload)
    submit(draft, anna, payload, any_answers(payload))

    with pytest.raises(Conflict, match="There are verdicts in 'listed', and what is known of its raters is fixed"):
        rater_attributes.describe(draft.database, draft.admin, "listed", "anna", {"trained": "yes"})


def test_a_description_after_a_verdict_is_found_by_verification(draft: Situation) -> None:
    members.invite(draft.database, draft.admin, "listed", "anna", "Anna", "rater", attributes={"trained": "no"})
    freezing.freeze_study(draft.database, draft.admin, "listed")
    anna = signed_in(draft.database, "anna")
    instructions.acknowledge_instructions(draft.database, anna, "listed", "part-1")
    payload = on_the_desk(draft, anna, "part-1")
    show(draft, anna, payload)
    submit(draft, anna, payload, any_answers(payload))
    before = verification.verify_study(draft.database, "listed")

    # As a changed program would write it: the row and a seal on it, in one transaction.
    with draft.database.writing() as session:
        member = session.exec(select(Membership).where(Membership.role == "rater")).one()
        member.attributes = {"trained": "yes"}
        session.add(member)
        session.flush()
        audit.record(
            session,
            rater_attributes.DESCRIBED,
            person_id=draft.admin.person_id,
            study_id=member.study_id,
            member=member.person_id,
            rows=proofs.sealed([member]),
            ended={proofs.table_name(Membership): str(member.id)},
        )

    assert before == []
    said = verification.verify_study(draft.database, "listed")
    assert any("describes a rater after a verdict, which it cannot" in problem for problem in said), said
    assert any("membership" in problem for problem in said)
