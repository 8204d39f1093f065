"""Invite people to a study, and let them join it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from db import (
    Assignment,
    Base,
    Database,
    Membership,
    Person,
    Study,
    audit,
    now,
)
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.study_phases import StudyPhases
from services.errors import Conflict, NotAllowed, require_length
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor, add_person, has_signed_in, issue_link, open_links
from services.people.logins import canonical_login
from services.people.permission import require_role
from services.seals import proofs
from services.studies import frozen_facts, groups
from services.studies.membership import rater_attributes, removing

NOTHING: Mapping[str, str] = MappingProxyType({})
_PSEUDONYM_WORD = {"rater": "Rater", "reviewer": "Reviewer", "admin": "Admin"}


def invite(
    database: Database,
    actor: Actor,
    study_key: str,
    login: str,
    name: str,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    group: str = "",
    attributes: Mapping[str, str] = NOTHING,
    purpose: str = "join",
) -> str:
    """Give a person a role in a study and return the token of their single-use link.

    Inviting the same person with the same role again issues a fresh link and changes nothing else. Somebody who has
    signed in before and is new to the study gets no link, and the token is empty: they sign in as usual.

    Parameters
    ----------
    attributes
        What the protocol declares of raters beyond specialty and years, as written.

    Raises
    ------
    Conflict
        The person has another role in this study: nobody both reads and administers or reviews.
    NotAllowed
        The person has signed in before, and somebody who is not an owner invites them again.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        return invite_within(
            session, actor, study, login, name, role, specialty=specialty, years=years, group=group,
            attributes=attributes, purpose=purpose,
        )  # fmt: skip


def invite_within(
    session: Session,
    actor: Actor,
    study: Study,
    login: str,
    name: str,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    group: str = "",
    attributes: Mapping[str, str] = NOTHING,
    purpose: str = "join",
) -> str:
    """Do what `invite` does within the caller's transaction; the actor is known to administer the study."""
    if role not in _PSEUDONYM_WORD:
        raise Conflict(f"'{role}' is not a role; choose rater, reviewer or admin.")
    login = require_length("The login", login, 120)
    name = require_length("The name", name, 120)
    specialty = require_length("The specialty", specialty, 120)
    if not canonical_login(login):
        raise Conflict("The login is empty; give a name or an e-mail address to sign in with.")
    if not name:
        raise Conflict("The name is empty; write the name that they and admins see.")
    person = add_person(session, login, name)
    _require_in_reach(session, actor, person)
    # Anybody holding a link can act as its person, so only an owner can make one for an account in use, on purpose.
    in_use = has_signed_in(session, stored_id(person.id)) and not person.is_demo
    before = _membership(session, study, person)
    was_member = before is not None and before.removed_at is None
    join(
        session, study, person, role, specialty=specialty, years=years, group=group, attributes=attributes,
        by=actor.person_id,
    )  # fmt: skip
    if in_use and not was_member:
        return ""
    if in_use and not actor.is_owner:
        raise NotAllowed(
            f"'{person.login}' has signed in before, and anyone who holds a link can act as them; ask an owner of this "
            "installation for a new one."
        )
    return issue_link(session, person, purpose, by=actor.person_id, study_id=study.id)


def _require_in_reach(session: Session, actor: Actor, person: Person) -> None:
    """Refuse a link that would open more than the actor administers, because its holder can act as that person."""
    if actor.is_owner:
        return
    elsewhere = session.exec(
        select(Membership.id).where(
            Membership.person_id == person.id, ~col(Membership.study_id).in_(_administered_by(actor.person_id))
        )
    ).first()
    if person.is_owner or elsewhere is not None:
        raise NotAllowed(f"'{person.login}' has an account beyond your studies; ask an owner to invite them.")


def _administered_by(person_id: int) -> SelectOfScalar[int]:
    return select(Membership.study_id).where(
        Membership.person_id == person_id, Membership.role == "admin", *STILL_MEMBER
    )


def _membership(session: Session, study: Study, person: Person) -> Membership | None:
    there: Membership | None = session.exec(
        _OF_PERSON, params={"study_id": stored_id(study.id), "person_id": stored_id(person.id)}
    ).first()
    return there


_OF_PERSON: Any = select(Membership).where(
    Membership.study_id == bindparam("study_id"), Membership.person_id == bindparam("person_id")
)


def _end_links_that_reach_too_far(session: Session, person_id: int, study_id: int) -> None:
    """End a person's open links whose issuer has nothing to do with the study that the person joins.

    A link opens everything that its person may do, including what was added after it was issued. The issuer of links
    older than this rule is not known.
    """
    for link in open_links(session, person_id):
        issuer = session.get(Person, link.issued_by_id) if link.issued_by_id else None
        reaches = issuer is not None and (
            issuer.is_owner or study_id in session.exec(_administered_by(stored_id(issuer.id))).all()
        )
        if not reaches:
            link.ended_at = now()
            session.add(link)


def join(
    session: Session,
    study: Study,
    person: Person,
    role: str,
    *,
    specialty: str = "",
    years: int | None = None,
    group: str = "",
    attributes: Mapping[str, str] = NOTHING,
    by: int | None = None,
) -> Membership:
    """Return the person's membership; create it, with a rater's assignments, if there is none yet."""
    study_id, person_id = stored_id(study.id), stored_id(person.id)
    phases = frozen_facts.phases_of(session, study_id)
    known = rater_attributes.as_stored(session, study_id, role, attributes)
    if role == "rater":
        specialty = rater_attributes.require_declared(session, study_id, specialty, years)
    earlier = _membership(session, study, person)
    if earlier is not None and earlier.removed_at is None:
        _require_same_role(earlier, person, role)
        group = groups.group_named(phases, role, group) if group else earlier.group_key
        _require_as_known(session, earlier, person, group, known, specialty, years)
        return earlier
    _require_work(session, study, phases, role)
    membership = earlier or Membership(person_id=person_id, study_id=study_id, role="", pseudonym="")
    # A person who returns in the same role returns to their group.
    group_key = groups.group_named(phases, role, group or (membership.group_key if membership.role == role else ""))
    # A person who has seen something of the study, apart from practice, gets nothing new: they might have to read it
    # blind.
    saw_items = earlier is not None and removing.saw_items(session, earlier)
    saw_what_counts = saw_items and removing.saw_items(session, membership, but=phases.trainings)
    slot = groups.slot_for(session, study_id, group_key, before=membership.slot, saw_items=saw_items)
    gone = removing.take_back(session, study, earlier, role, group_key) if earlier is not None else []
    has_answered = earlier is not None and removing.has_answered(session, earlier)
    if earlier is not None and has_answered:
        _require_as_sealed(session, earlier, known, specialty, years)
        slot = earlier.slot
    membership.group_key, membership.slot = group_key, slot
    if membership.role != role:
        membership.role, membership.pseudonym = role, _new_pseudonym(session, study_id, role)
    membership.attributes = {**membership.attributes, **known}
    membership.specialty = specialty or membership.specialty
    membership.years = membership.years if years is None else years
    session.add(membership)
    session.flush()
    _end_links_that_reach_too_far(session, person_id, study_id)
    if earlier is not None and not saw_what_counts:
        gone += removing.delete_unseen(session, study, membership)
    # Before the deal: SQLite may give its rows the ids of deleted ones, whose seals end here.
    audit.record(
        session,
        "member joined",
        person_id=by,
        study_id=study_id,
        role=role,
        member=person_id,
        **_seals(session, study_id, membership, gone, again=earlier is not None and not has_answered),
    )
    if not saw_what_counts:
        removing.assign_if_frozen(session, study, membership)
    return membership


def _require_same_role(earlier: Membership, person: Person, role: str) -> None:
    if earlier.role != role:
        article = "an" if earlier.role == "admin" else "a"
        raise Conflict(
            f"{person.name} is already {article} {earlier.role} in this study, and nobody has two roles in one."
        )


def _require_work(session: Session, study: Study, phases: StudyPhases, role: str) -> None:
    """Refuse a new member for whom the study has no work, or none any more."""
    if role == "rater":
        require_in_study(session, acts.JOIN_AS_RATER, study)
    if role == "reviewer" and not phases.has_reviewers:
        raise Conflict(
            "This study has no work for reviewers: its protocol lists its phases, and raters do all of them, in "
            "groups; invite them as a rater, into the group that reviews."
        )


def _require_as_known(
    session: Session,
    earlier: Membership,
    person: Person,
    group: str,
    known: Mapping[str, str],
    specialty: str,
    years: int | None,
) -> None:
    """Refuse an invitation that would change what is known of somebody who is in the study already."""
    if group != earlier.group_key:
        raise Conflict(
            f"{person.name} is in the group '{earlier.group_key}' of this study already, and nobody is in two; to "
            "change it before the freeze, remove them and invite them again."
        )
    if any(earlier.attributes.get(name) != value for name, value in known.items()):
        raise Conflict(
            f"{person.name} is in this study already, and an invitation changes nothing that is known of them; use "
            "'manage.py describe-rater'."
        )
    differs = specialty not in ("", earlier.specialty) or years not in (None, earlier.years)
    # The plan of a study in the first language divides nobody by them.
    if differs and frozen_facts.expansion_of(session, earlier.study_id) is not None:
        raise Conflict(
            f"{person.name} is in this study already, and an invitation changes neither their specialty nor their "
            "years of experience; remove them and invite them again."
        )


def _require_as_sealed(
    session: Session, earlier: Membership, known: Mapping[str, str], specialty: str, years: int | None
) -> None:
    """Refuse to change what is known of somebody who returns with practice answers, whose seals cover it."""
    differs = specialty not in ("", earlier.specialty) or years not in (None, earlier.years)
    if differs or any(earlier.attributes.get(name) != value for name, value in known.items()):
        raise Conflict(
            f"{earlier.pseudonym} has answered practice items, and what was known of them is sealed with these "
            "answers; invite them again with the specialty, years and values that they had."
        )
    if groups.is_slot_of_another(session, earlier):
        has_units = groups.was_filled_anew(session, earlier)
        what = "their place" if has_units else "their number in the group, which is sealed with these answers,"
        raise Conflict(
            f"{earlier.pseudonym} has answered practice items, and {what} has since been given to another rater; "
            "invite somebody else."
        )


def _seals(session: Session, study_id: int, membership: Membership, gone: list[int], *, again: bool) -> dict[str, Any]:
    """Return the seal on a member; if they return, also end their earlier seal and those on deleted assignments.

    Of somebody who has answered no seal ends: they return as they were.
    """
    rows: list[Base] = [membership]
    ended = {"membership": str(membership.id)} if again else {}
    if gone:
        ended["assignment"] = proofs.ranges(gone)
        rows += session.exec(select(Assignment).where(Assignment.study_id == study_id)).all()
    return {"rows": proofs.sealed(rows)} | ({"ended": ended} if ended else {})


def _new_pseudonym(session: Session, study_id: int, role: str) -> str:
    """Return the role's word with a number higher than any given before, even to members who have left."""
    word = _PSEUDONYM_WORD[role]
    taken = session.exec(_PSEUDONYMS, params={"study_id": study_id, "beginning": f"{word} "}).all()
    numbers = [
        int(number) for number in (pseudonym.removeprefix(f"{word} ") for pseudonym in taken) if number.isdigit()
    ]
    return f"{word} {max(numbers, default=0) + 1}"


_PSEUDONYMS: Any = select(Membership.pseudonym).where(
    Membership.study_id == bindparam("study_id"), col(Membership.pseudonym).startswith(bindparam("beginning"))
)
