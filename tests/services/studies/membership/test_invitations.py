"""People are invited with a letter, several of them at once or none, and every link has a state."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import func, select

from db import Database, Invitation, Person, now
from services.errors import Conflict, NotAllowed
from services.people import identity
from services.studies.folders import importing
from services.studies.membership import invitations
from services.studies.membership.invitations import Entry, read_entries
from tests.listed_study import READ_THEN_JUDGE, TWO_GROUPS, imported_listed, write_listed
from tests.situations import Situation, at_once, owner_of, write_study_folder

POOL = """
blindread: 2
name: listed
title: A pool
groups: {residents: Residents, scorers: Scorers}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: residents
  - key: secret
    title: Scores
    rates: [candidates, answers of read]
    shows: [prompt, candidate]
    form: {verdict: correctness}
    by: scorers
"""
ADDRESS = "https://reads.example.org"


def people_in(situation: Situation) -> int:
    with situation.database.read_only() as session:
        return session.exec(select(func.count()).select_from(Person)).one()


def test_the_letter_says_what_it_is_where_until_when_and_that_it_works_once(imported: Situation) -> None:
    (invitation,) = invitations.invite_people(
        imported.database, imported.admin, "tiny", [Entry("Nora@Example.org ", "Nora")], ADDRESS
    )

    token = invitation.letter.split(f"{ADDRESS}/link/")[1].split()[0]
    assert identity.look_at_link(imported.database, token) == identity.Link("join", "Nora", "nora@example.org")
    until = now() + identity.LINK_LIFETIME
    for said in (
        "Dear Nora", '"A tiny study"', "read scans", f"It works once, until {until.day} {until:%B %Y}",
        f"After you have set a password, sign in at {ADDRESS}/sign-in with the login nora@example.org",
        "do not pass this letter on",
    ):  # fmt: skip
        assert said in invitation.letter


def test_a_letter_to_somebody_who_is_shown_no_scans_promises_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), raters=0)
    people = [Entry("rita", "Rita", group="residents"), Entry("sven", "Sven", group="Scorers")]

    of_resident, of_scorer = invitations.invite_people(sqlite_database, situation.admin, "listed", people, ADDRESS)

    assert "you will read scans and answer questions about them." in of_resident.letter
    assert "you will score answers to questions, with the reference answer on the screen." in of_scorer.letter


def letter_to(database: Database, situation: Situation, entry: Entry) -> str:
    (invited,) = invitations.invite_people(database, situation.admin, situation.study_key, [entry], ADDRESS)
    return invited.letter


def test_a_letter_lists_what_each_phase_holds_once(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", READ_THEN_JUDGE), raters=0)

    letter = letter_to(sqlite_database, situation, Entry("rita", "Rita"))

    assert letter.split("you will")[1].split("Open this")[0].strip().splitlines() == [
        "- read scans and answer questions about them",
        "- score answers to questions, with the scans and the reference answer on the screen",
    ]


@pytest.mark.parametrize(
    ("phase", "work"),
    [
        ("rates: pairs\n    shows: [prompt, candidate]\n    form: {better: preference}",
         "compare pairs of answers to questions."),
        ("rates: references\n    shows: [prompt, scans, reference]\n    form: {right: yes_no}",
         "score reference answers to questions, with the scans on the screen."),
        ("rates: items\n    shows: [prompt, vignette]\n    form: {clear: yes_no}",
         "read descriptions of cases and answer questions about them."),
        ("rates: items\n    shows: [prompt, options]\n    form: {clear: yes_no}",
         "read texts and answer questions about them."),
    ],
)  # fmt: skip
def test_each_kind_of_phase_has_its_words(sqlite_database: Database, tmp_path: Path, phase: str, work: str) -> None:
    text = f"blindread: 2\nname: listed\ntitle: One phase\nphases:\n  - key: secret\n    title: Part\n    {phase}\n"
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", text), raters=0)

    assert f"you will {work}" in letter_to(sqlite_database, situation, Entry("rita", "Rita"))


def test_a_title_of_two_lines_writes_no_line_of_its_own_into_a_letter(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = POOL.replace("title: A pool", 'title: "A pool\\nhttps://elsewhere.example/link/abc"')
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol), groups=["residents"])

    letter = letter_to(sqlite_database, situation, Entry("sven", "Sven", group="scorers"))

    assert not [line for line in letter.splitlines() if line.startswith("https://elsewhere")]


def test_a_letter_into_a_group_without_a_phase_says_that_there_is_nothing_to_rate_yet(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = POOL.replace("scorers: Scorers}", "scorers: Scorers, later: Later}")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol), groups=["residents"])

    letter = letter_to(sqlite_database, situation, Entry("lea", "Lea", group="later"))

    assert 'you are invited to the study "A pool". It holds nothing for you to rate yet.\n\nOpen this' in letter
    assert "you will" not in letter


def test_a_letter_to_raters_says_nothing_that_phases_hide(sqlite_database: Database, tmp_path: Path) -> None:
    text = f"{POOL}    then: {{shows: [reference]}}\n"
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", text), raters=0)

    letter = letter_to(sqlite_database, situation, Entry("sven", "Sven", group="scorers"))

    # Neither who wrote an answer, nor what comes after the own one, nor that there are others who read.
    assert "you will score answers to questions." in letter
    for hidden in ("model", "people", "reference", "esidents", "corers", "scans", "secret"):
        assert hidden not in letter


def test_the_letter_to_an_admin_says_what_raters_do(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), raters=0)

    letter = letter_to(sqlite_database, situation, Entry("ada", "Ada", "admin"))

    assert "administer the study: invite people, freeze it" in letter
    assert "read scans and answer questions about them; score answers to questions, with the reference" in letter
    assert "rate nothing in it." in letter


def test_nobody_is_invited_to_review_where_no_phase_is_for_reviewers(sqlite_database: Database, tmp_path: Path) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", TWO_GROUPS), raters=0)

    with pytest.raises(Conflict, match="no work for reviewers: its protocol lists its phases"):
        letter_to(sqlite_database, situation, Entry("rob", "Rob", "reviewer"))
    assert not invitations.takes_reviewers(sqlite_database, situation.admin, "listed")


def test_a_reviewers_letter_does_not_say_why_items_come_to_them(imported: Situation) -> None:
    (invitation,) = invitations.invite_people(
        imported.database, imported.admin, "tiny", [Entry("rob", "Rob", "reviewer")], ADDRESS
    )

    assert "flagged or answered differently, or be controls; why an item comes to you is not shown" in invitation.letter
    assert "disagree" not in invitation.letter


def test_whoever_has_an_account_gets_a_letter_without_a_link(imported: Situation) -> None:
    with imported.database.writing() as session:
        person = identity.add_person(session, "known", "Known")
        token = identity.issue_link(session, person, "sign_in")
    identity.use_link(imported.database, token, None)

    (invitation,) = invitations.invite_people(
        imported.database, imported.admin, "tiny", [Entry("known", "Known")], ADDRESS
    )

    assert "/link/" not in invitation.letter
    assert "You already have an account" in invitation.letter


def test_all_that_is_wrong_is_said_at_once_and_nobody_is_invited(imported: Situation) -> None:
    before = people_in(imported)

    with pytest.raises(Conflict) as refusal:
        invitations.invite_people(
            imported.database,
            imported.admin,
            "tiny",
            [Entry("new", "New"), Entry("rater-1", "Rater", "reviewer"), Entry("admin", "Ada"), Entry("x" * 130, "X")],
            ADDRESS,
        )

    assert [line.split(":")[0] for line in str(refusal.value).splitlines()] == ["Line 2", "Line 3", "Line 4"]
    assert people_in(imported) == before


def test_no_letter_is_written_to_nobody_and_no_login_has_blanks(imported: Situation) -> None:
    before = people_in(imported)

    with pytest.raises(Conflict) as refusal:
        entries = [Entry("nora", " "), Entry("ben o", "Ben")]
        invitations.invite_people(imported.database, imported.admin, "tiny", entries, ADDRESS)

    assert str(refusal.value).splitlines() == [
        "Line 1: The name is empty; write the name that they and admins see.",
        "Line 2: The login 'ben o' has a blank in it; write it as one word, such as an e-mail address.",
    ]
    assert people_in(imported) == before


def test_only_admins_invite_and_see_links(imported: Situation) -> None:
    with pytest.raises(NotAllowed):
        invitations.invite_people(imported.database, imported.raters[0], "tiny", [Entry("a", "A")], ADDRESS)
    with pytest.raises(NotAllowed):
        invitations.links_of(imported.database, imported.raters[0], "tiny")


def test_every_link_has_a_state(imported: Situation) -> None:
    def invite(login: str) -> str:
        entries = [Entry(login, login.title())]
        (invitation,) = invitations.invite_people(imported.database, imported.admin, "tiny", entries, ADDRESS)
        return invitation.letter.split("/link/")[1].split()[0]

    identity.use_link(imported.database, invite("used"), "correct horse battery")
    invite("twice")
    invite("twice")
    late = invite("late")
    with imported.database.writing() as session:
        link = session.exec(select(Invitation).where(Invitation.token_sha256 == identity.token_hash(late))).one()
        link.expires_at = now() - timedelta(seconds=1)
        session.add(link)

    lines = invitations.links_of(imported.database, imported.admin, "tiny")

    states = [(line.login, line.state) for line in lines if line.login in {"used", "twice", "late"}]
    assert states == [("late", "expired"), ("twice", "open"), ("twice", "ended"), ("used", "used")]


# ---- pasted lines ----------------------------------------------------------------------------------------------------


def test_the_same_people_can_be_invited_into_two_studies_at_once(database: Database, tmp_path: Path) -> None:
    admin = owner_of(database)
    for key in ("one", "two"):
        importing.import_study(database, admin, write_study_folder(tmp_path / key), key=key)
    people = [Entry(f"reader-{number}", f"Reader {number}") for number in range(12)]

    outcome = at_once(
        lambda: invitations.invite_people(database, admin, "one", people, ADDRESS),
        lambda: invitations.invite_people(database, admin, "two", people[::-1], ADDRESS),
    )

    assert [len(invited) for invited in outcome] == [12, 12]
    with database.read_only() as session:
        logins = session.exec(select(Person.login)).all()
    assert len(logins) == len(set(logins)) == 1 + 12


@pytest.mark.parametrize("separator", [", ", ",", ";", "\t"])
def test_lines_are_read_as_a_spreadsheet_or_a_person_writes_them(separator: str) -> None:
    rows = [("login", "name", "role"), ("anna@example.org", "Anna Maier", "Rater"), ("ben", "Ben", "reviewer")]

    read = read_entries("\n\n".join(separator.join(row) for row in rows) + "\n")

    assert read == [Entry("anna@example.org", "Anna Maier", "rater"), Entry("ben", "Ben", "reviewer")]


def test_every_line_may_have_its_own_separator() -> None:
    """Half a list from a spreadsheet, half typed."""
    read = read_entries("anna\tAnna Maier, MD\trater\nben; Ben; reviewer\ncleo, Cleo")

    assert [(entry.login, entry.name, entry.role) for entry in read] == [
        ("anna", "Anna Maier, MD", "rater"), ("ben", "Ben", "reviewer"), ("cleo", "Cleo", "rater"),
    ]  # fmt: skip


def test_quoted_names_specialty_and_years_are_read() -> None:
    assert read_entries('anna, "Maier, Anna", , Neuroradiology, 6') == [
        Entry("anna", "Maier, Anna", "rater", "Neuroradiology", 6)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("anna", "expected login and name"),
        (", Anna", "expected login and name"),
        ("\u200b, Anna", "expected login and name"),
        ("anna, Anna, king", "'king' is not a role"),
        ("anna, Anna, rater, x, many", "'many' is not a number of years"),
        ("anna, Anna, rater, x, 6, y, z", "holds 7 entries"),
        ("OTHER , Anna", "is already in line 1"),
    ],
)
def test_what_is_wrong_with_a_line_is_named(line: str, expected: str) -> None:
    with pytest.raises(Conflict, match=expected) as refusal:
        read_entries(f"other, Other\n{line}")

    assert str(refusal.value).startswith("Line 2: ")


def test_a_refusal_of_the_study_names_the_line_that_was_pasted(imported: Situation) -> None:
    entries = read_entries("login,name,role\n\nanna, Anna, rater\n\nrater-1, Wrong, reviewer\n")

    with pytest.raises(Conflict, match=r"^Line 5: "):
        invitations.invite_people(imported.database, imported.admin, "tiny", entries, ADDRESS)


@pytest.mark.parametrize("pasted", ["", " \n\t", "login, name"])
def test_nothing_pasted_is_nobody(pasted: str) -> None:
    with pytest.raises(Conflict, match="nobody to invite"):
        read_entries(pasted)


def test_too_many_lines_are_refused() -> None:
    with pytest.raises(Conflict, match="These are 201 people"):
        read_entries("\n".join(f"login {number}, Name" for number in range(201)))
