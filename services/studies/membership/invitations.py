"""Invite one or several people with a letter each, and report what became of the links."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session, col, select

from db import Database, Invitation, Membership, Person, Study, now
from db.base import stored_id
from exchange.refusal import shown
from protocol.study_phases import StudyPhases
from services.errors import Conflict, Refused
from services.people.identity import LINK_LIFETIME, Actor
from services.people.logins import canonical_login
from services.people.permission import require_role
from services.studies import frozen_facts
from services.studies.membership import letters
from services.studies.membership.members import invite_within

MOST_AT_ONCE = 200
_COLUMNS = ("login", "name", "role", "specialty", "years", "group")
_ROLES = ("rater", "reviewer", "admin")


@dataclass(frozen=True)
class Entry:
    """One person to invite, as typed or pasted."""

    login: str
    name: str
    role: str = "rater"
    specialty: str = ""
    years: int | None = None
    # Key or title of a rater's group, in a study that has several.
    group: str = ""
    # What the protocol declares of raters beyond specialty and years, as written: pairs of name and value.
    attributes: tuple[tuple[str, str], ...] = ()
    # Their line in the pasted text; None if they were typed.
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Invited:
    """Somebody who is now in the study, with the letter to send them."""

    name: str
    login: str
    letter: str


@dataclass(frozen=True)
class LinkLine:
    """What became of one link."""

    name: str
    login: str
    role: str
    made_at: datetime
    expires_at: datetime
    # open, used, expired or ended
    state: str


def invite_people(
    database: Database, actor: Actor, study_key: str, entries: list[Entry], address: str
) -> list[Invited]:
    """Invite all of these people, or nobody if there is a problem with any of them.

    Parameters
    ----------
    address
        The server's address without a trailing slash; the links start with it.

    Raises
    ------
    Conflict
        With everything that is wrong, one sentence per line.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        invited, wrong = [], []
        for place, entry in enumerate(entries, start=1):
            try:
                invited.append(_invite(session, actor, study, entry, address))
            except Refused as refusal:
                wrong.append(f"Line {entry.line or place}: {refusal}" if len(entries) > 1 else str(refusal))
        if wrong:
            raise Conflict("\n".join(wrong))
        return invited


def takes_reviewers(database: Database, actor: Actor, study_key: str) -> bool:
    """Return, for admins, whether a study has any work for reviewers."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return frozen_facts.phases_of(session, stored_id(study.id)).has_reviewers


def read_entries(pasted: str) -> list[Entry]:
    """Read people from pasted lines: login, name, role, specialty, years, group; with commas, semicolons or tabs.

    The role defaults to rater, and everything after it is optional. A first line may name the columns; columns that it
    names after these are attributes that the protocol declares of raters.

    Raises
    ------
    Conflict
        With everything that is wrong, one sentence per line.
    """
    lines = [(number, line) for number, line in enumerate(pasted.splitlines(), start=1) if line.strip()]
    rows = [(number, _fields(line)) for number, line in lines]
    further: list[str] = []
    if rows and [field.casefold() for field in rows[0][1]][:2] == list(_COLUMNS[:2]):
        further = _further_columns(rows[0])
        rows = rows[1:]
    if not rows:
        raise Conflict("There is nobody to invite; paste one line per person: login, name, role.")
    if len(rows) > MOST_AT_ONCE:
        raise Conflict(
            f"These are {len(rows)} people, at most {MOST_AT_ONCE} are invited at once; paste them in parts."
        )
    entries, wrong = [], []
    seen: dict[str, int] = {}
    for number, fields in rows:
        problem = _problem_of(fields, seen, further)
        seen.setdefault(canonical_login(fields[0]), number)
        if problem:
            wrong.append(f"Line {number}: {problem}")
            continue
        filled = [*fields, *[""] * (len(_COLUMNS) + len(further))]
        attributes = tuple(zip(further, filled[len(_COLUMNS) :], strict=False))
        years = int(filled[4]) if filled[4] else None
        entries.append(
            Entry(
                filled[0], filled[1], filled[2].casefold() or "rater", filled[3], years, filled[5], attributes, number
            )
        )
    if wrong:
        raise Conflict("\n".join(wrong))
    return entries


def _fields(line: str) -> list[str]:
    separator = next((character for character in "\t;" if character in line), ",")
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    except csv.Error:
        # An unterminated cell, which holds no login.
        return [""]


def links_of(database: Database, actor: Actor, study_key: str) -> list[LinkLine]:
    """Return the links that were made for a study's people, newest first."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        rows = session.exec(
            select(Invitation, Person, Membership.role)
            .join(Person, col(Person.id) == Invitation.person_id)
            .join(Membership, col(Membership.person_id) == Person.id)
            .where(
                Membership.study_id == study.id,
                # Links from releases that did not record the study are shown in every study of their person.
                (col(Invitation.study_id) == study.id) | col(Invitation.study_id).is_(None),
            )
            .order_by(col(Invitation.id).desc())
        ).all()
        return [
            LinkLine(person.name, person.login, role, link.created_at, link.expires_at, state_of_link(link))
            for link, person, role in rows
        ]


def state_of_link(link: Invitation) -> str:
    """Return in one word what became of a link."""
    if link.consumed_at is not None:
        return "used"
    if link.ended_at is not None:
        return "ended"
    return "expired" if now() > link.expires_at else "open"


def _invite(session: Session, actor: Actor, study: Study, entry: Entry, address: str) -> Invited:
    token = invite_within(
        session,
        actor,
        study,
        entry.login,
        entry.name,
        entry.role,
        specialty=entry.specialty,
        years=entry.years,
        group=entry.group,
        attributes=dict(entry.attributes),
    )
    login = canonical_login(entry.login)
    work = letters.work_of(entry.role, _phases(session, study, entry.role, login))
    said = letters.letter(study.title, entry.name, work, login, address, token, now() + LINK_LIFETIME)
    return Invited(entry.name, login, said)


def _phases(session: Session, study: Study, role: str, login: str) -> StudyPhases:
    """Return the phases that somebody's letter is about: for a rater, those of their group."""
    if role != "rater":
        return frozen_facts.phases_of(session, stored_id(study.id))
    is_member = (Membership.study_id == study.id, Person.login == login)
    return frozen_facts.phases_of_member(session, session.exec(select(Membership).join(Person).where(*is_member)).one())


def _further_columns(line: tuple[int, list[str]]) -> list[str]:
    """Return the attributes that a line with the names of columns has after those of everybody."""
    number, names = line
    further = names[len(_COLUMNS) :]
    if further and [name.casefold() for name in names[: len(_COLUMNS)]] != list(_COLUMNS):
        raise Conflict(
            f"Line {number}: attributes of raters follow the columns {', '.join(_COLUMNS)}; name all of them."
        )
    twice = [name for place, name in enumerate(further) if name in further[:place]]
    if twice:
        raise Conflict(f"Line {number}: '{shown(twice[0])}' is named twice; leave one of the two.")
    return further


def _problem_of(fields: list[str], seen: dict[str, int], further: list[str]) -> str:
    if len(fields) < 2 or not canonical_login(fields[0]) or not fields[1]:
        return "expected login and name, separated by a comma; write for example anna@example.org, Anna Maier, rater."
    columns = (*_COLUMNS, *further)
    if len(fields) > len(columns):
        more = "" if further else "; attributes of raters need a first line that names all columns"
        return f"holds {len(fields)} entries, at most {len(columns)} are allowed: {', '.join(columns)}{more}."
    if len(fields) > 2 and fields[2] and fields[2].casefold() not in _ROLES:
        return f"'{fields[2][:40]}' is not a role; write rater, reviewer or admin."
    if len(fields) > 4 and fields[4] and not (fields[4].isascii() and fields[4].isdigit() and len(fields[4]) < 3):
        return f"'{fields[4][:40]}' is not a number of years; write a whole number from 0 to 99, or leave it out."
    earlier = seen.get(canonical_login(fields[0]))
    return f"the login '{fields[0][:120]}' is already in line {earlier}." if earlier else ""
