"""What a protocol declares of its raters beyond specialty and years: entered by admins, and never sent to anybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import exists
from sqlmodel import Session, col, select

from db import Assignment, Database, Membership, Person, Verdict, audit
from db.base import stored_id
from db.standing import STILL_MEMBER
from exchange.refusal import listed, nearest, shown
from exchange.study_folder.attribute_columns import DoesNotFit, value_of
from protocol.language.computed import OF_RATERS
from protocol.language.expansion import Attribute, Expansion
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.logins import canonical_login
from services.people.permission import require_role
from services.seals import proofs
from services.studies import frozen_facts

DESCRIBED = "rater described"


def declared_of(study: Expansion | None) -> list[Attribute]:
    """Return the attributes that a study declares of raters, without those that every study has."""
    return [
        each for each in (study.attributes if study else ()) if each.table == "raters" and each.key not in OF_RATERS
    ]


@dataclass(frozen=True)
class ToEnter:
    """An attribute of raters as admins enter it: its name, its label, and the ids and texts of what can be chosen."""

    name: str
    label: str
    options: Mapping[str, str]


def to_enter(database: Database, actor: Actor, study_key: str) -> list[ToEnter]:
    """Return, for admins, the attributes of raters that can be entered when somebody is invited."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        declared = declared_of(frozen_facts.expansion_of(session, stored_id(study.id)))
        return [ToEnter(each.key, each.heading, _options(each)) for each in declared]


def _options(attribute: Attribute) -> dict[str, str]:
    """Return what can be chosen; empty if the value is written."""
    if attribute.type == "yes_no":
        return {"yes": "Yes", "no": "No"}
    return {option.id: option.text for option in attribute.options}


def as_stored(session: Session, study_id: int, role: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return attributes of a member as they are stored, without empty ones.

    Raises
    ------
    Conflict
        With a sentence for each that is not declared or does not fit its type, or because the member is no rater.
    """
    written = {name: value.strip() for name, value in given.items() if value.strip()}
    if written and role != "rater":
        raise Conflict(f"Attributes are of raters, and no {role} has any: leave out {listed(written)}.")
    declared = {each.key: each for each in declared_of(frozen_facts.expansion_of(session, study_id))}
    stored, wrong = {}, []
    for name, value in written.items():
        if name not in declared:
            wrong.append(_not_declared(name, declared))
            continue
        try:
            stored[name] = value_of(declared[name], value)
        except DoesNotFit as problem:
            wrong.append(f"{problem}; correct the value.")
    if wrong:
        raise Conflict("\n".join(wrong))
    return {name: value for name, value in stored.items() if value}


def require_declared(session: Session, study_id: int, specialty: str, years: int | None) -> str:
    """Return a rater's specialty as it is stored, if it and the years of experience fit what the study declares.

    Raises
    ------
    Conflict
        With a sentence for each that does not fit.
    """
    study = frozen_facts.expansion_of(session, study_id)
    written = {"specialty": specialty, "years": "" if years is None else str(years)}
    wrong = []
    for each in study.attributes if study else ():
        if each.table == "raters" and each.key in written:
            try:
                written[each.key] = value_of(each, written[each.key])
            except DoesNotFit as problem:
                wrong.append(f"{problem}; correct the value.")
    if wrong:
        raise Conflict("\n".join(wrong))
    return written["specialty"]


def _not_declared(name: str, declared: Mapping[str, Attribute]) -> str:
    if name in OF_RATERS:
        return (
            f"'{name}' has an entry of its own in an invitation; write it there, and of somebody who is in the study "
            "already, remove them and invite them again."
        )
    if not declared:
        return f"'{shown(name)}' is no attribute that this study declares of raters: it declares none; leave it out."
    near = nearest(name, declared)
    return f"'{shown(name)}' is no attribute that this study declares of raters, expected {listed(declared)}{near}."


def describe(database: Database, actor: Actor, study_key: str, login: str, given: Mapping[str, str]) -> dict[str, str]:
    """Store attributes of a rater who is in the study already; an empty value removes one. Return what is stored then.

    It is possible until the first verdict of the study: what divides raters is known before what they answer.

    Raises
    ------
    Conflict
        There are verdicts, the study is closed, the login is no rater's of it, or a value does not fit.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        # Possible as long as raters can join: what is entered with an invitation can be entered afterwards, too.
        require_in_study(session, acts.JOIN_AS_RATER, study)
        study_id = stored_id(study.id)
        answered = exists().where(col(Assignment.study_id) == study_id, col(Verdict.assignment_id) == Assignment.id)
        if session.exec(select(answered)).one():
            raise Conflict(
                f"There are verdicts in '{study_key}', and what is known of its raters is fixed from the first on; "
                "divide them in the data files, by member."
            )
        member = session.exec(
            select(Membership)
            .join(Person)
            .where(Person.login == canonical_login(login), Membership.study_id == study_id, *STILL_MEMBER)
        ).first()
        if member is None or member.role != "rater":
            raise Conflict(f"'{canonical_login(login)}' is no rater of '{study_key}'; name one of its raters.")
        stored = as_stored(session, study_id, member.role, given)
        gone = [name for name, value in given.items() if not value.strip()]
        member.attributes = {name: value for name, value in member.attributes.items() if name not in gone} | stored
        session.add(member)
        session.flush()
        audit.record(
            session,
            DESCRIBED,
            person_id=actor.person_id,
            study_id=study_id,
            member=member.person_id,
            rows=proofs.sealed([member]),
            ended={proofs.table_name(Membership): str(member.id)},
        )
        return dict(member.attributes)


def without_values(session: Session, study_id: int) -> Iterator[str]:
    """Yield a sentence for each declared attribute of raters that no rater of a study has a value for."""
    study = frozen_facts.expansion_of(session, study_id)
    declared = [each for each in (study.attributes if study else ()) if each.table == "raters"]
    if not declared:
        return
    raters = session.exec(
        select(Membership).where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
    ).all()
    for each in declared:
        fixed = {"specialty": lambda row: row.specialty, "years": lambda row: row.years is not None}
        has = fixed.get(each.key, lambda row, key=each.key: row.attributes.get(key))
        if not any(map(has, raters)):
            of_whom = f"none of the {len(raters)} raters has" if len(raters) > 1 else "no rater has"
            later = "remove and invite them again" if each.key in fixed else "with 'manage.py describe-rater'"
            yield (
                f"The protocol declares '{each.key}' of raters, and {of_whom} a value: nothing can be divided by it. "
                f"Enter it when you invite them, or {later}."
            )
