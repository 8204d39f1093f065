"""Somebody's role in a study, read from the database inside the transaction that relies on it, and only once there.

What a transaction has read is noted in its session and discarded with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, select

from db import Assignment, Database, Draft, Membership, Study, standing
from db.asking import ask
from db.base import stored_id
from db.standing import REMAINS, STILL_MEMBER
from services.errors import NoSuchStudy, NotAllowed, NotFound
from services.people.identity import Actor


@dataclass(frozen=True)
class Turn:
    """Whether an assignment is the first in its queue that is not closed, and its draft."""

    has_come: bool
    draft: Draft | None


def study_of(session: Session, key: str) -> Study:
    """Return the study with this key. Removed studies are not found."""
    study = session.exec(select(Study).where(Study.key == key, *REMAINS)).first()
    if study is None:
        raise NotFound(f"There is no study '{key}'.")
    return study


def membership_of(session: Session, actor: Actor, study: Study) -> Membership | None:
    """Return the actor's membership in the study, or None; a removed member counts as having no role."""
    named = {"study_id": study.id, "person_id": actor.person_id}
    membership: Membership | None = session.exec(_MEMBERSHIP, params=named).first()
    return membership


_MEMBERSHIP: Any = select(Membership).where(
    Membership.study_id == bindparam("study_id"), Membership.person_id == bindparam("person_id"), *STILL_MEMBER
)


def administers(database: Database, actor: Actor) -> bool:
    """Return whether the actor may import studies or is admin of one: only they upload and download files."""
    if actor.is_owner:
        return True
    with database.read_only() as session:
        admin = (
            select(Membership.id)
            .join(Study)
            .where(Membership.person_id == actor.person_id, Membership.role == "admin", *REMAINS, *STILL_MEMBER)
        )
        return session.exec(admin).first() is not None


def require_owner(actor: Actor) -> None:
    """Refuse people who may not import studies."""
    if not actor.is_owner:
        raise NotAllowed("Only an owner can import a study; ask one to do it or to make you an owner.")


def require_role(
    session: Session, actor: Actor, study_key: str, *roles: str, lock: bool = False
) -> tuple[Study, Membership]:
    """Return the study and the membership if the actor has one of `roles` in it.

    Somebody without any role cannot tell whether the study exists. With `lock`, other transactions that want to change
    the study as a whole wait until this one has ended, and then see what it did.
    """
    # PostgreSQL refuses even to compare with a NUL character, and the key may come from an address that anybody can
    # edit.
    study_key = study_key.replace("\x00", "")
    study, membership = _locked(session, actor, study_key) if lock else _member(session, actor, study_key)
    if study is None or membership is None:
        raise NoSuchStudy("This study does not exist, or you have no access to it.")
    if membership.role not in roles:
        raise NotAllowed(f"This needs the role {' or '.join(roles)} in the study.")
    return study, membership


def hold_study(session: Session, study_id: int) -> None:
    """Make changes to the study as a whole wait until this transaction has ended, or wait for theirs."""
    session.exec(select(Study.id).where(Study.id == study_id).with_for_update(read=True)).one()


def hold_membership(session: Session, actor: Actor, study_key: str) -> None:
    """Make the member's other acts, and their removal, wait until this transaction has ended, or wait for them.

    Call this before the transaction reads anything else, so that it sees what it waited for.
    """
    # SQLite admits only one writer at a time anyway.
    if session.get_bind().dialect.name == "postgresql":
        named = {"person_id": actor.person_id, "study_key": study_key.replace("\x00", "")}
        session.exec(standing.LOCK_OF_MEMBER, params=named).first()


def studies_of(session: Session, actor: Actor) -> list[tuple[Study, Membership]]:
    """Return all studies in which the actor is a member, oldest first."""
    rows = session.exec(standing.OF_EVERY_STUDY, params={"person_id": actor.person_id}).all()
    for study, _, freeze, last in rows:
        _note(session, study, freeze, last)
    return [(study, membership) for study, membership, _, _ in rows]


def state_of(session: Session, study_id: int, *, afresh: bool = False) -> str:
    """Return `draft` (not frozen), `open` or `closed` (data lock), derived from freeze and events.

    Parameters
    ----------
    afresh
        Query the database again: somebody may have closed the study while this transaction waited for a lock.
    """
    noted: str | None = session.info.get(("state", study_id))
    if noted is not None and not afresh:
        return noted
    freeze, last = ask(session, standing.OF_STUDY, study_id=study_id).one()
    return _state(freeze, last)


def freeze_of(session: Session, study_id: int) -> str | None:
    """Return the hash of a study's newest freeze or version, or None if it is not frozen."""
    noted: str | None = session.info.get(("freeze", study_id))
    if noted is None:
        noted, _ = ask(session, standing.OF_STUDY, study_id=study_id).one()
        _note_freeze(session, study_id, noted)
    return noted


def forget_freeze(session: Session, study_id: int) -> None:
    """Make this transaction read the study's newest freeze again, after it has added a version."""
    session.info.pop(("freeze", study_id), None)


def own_assignment(
    session: Session, actor: Actor, public_id: str, *, lock: bool = False
) -> tuple[Assignment, Study, Membership]:
    """Return one of the actor's own assignments. Other people's assignments are not found.

    With `lock`, other transactions that want to write to the same assignment wait until this one has ended.
    """
    named = {"person_id": actor.person_id, "public_id": public_id}
    if lock and session.get_bind().dialect.name == "postgresql":
        # A statement of its own, so that everything else is read after the wait. SQLite admits only one writer anyway.
        session.exec(standing.LOCK_OF_ASSIGNMENT, params=named).first()
    row = session.exec(standing.OF_ASSIGNMENT, params=named).first()
    if row is None:
        raise NotFound("This item does not exist, or you have no access to it.")
    assignment, study, membership, draft, freeze, last, in_turn = row
    _note(session, study, freeze, last)
    session.info["turn", assignment.id] = Turn(in_turn, draft)
    return assignment, study, membership


def acknowledged_before(
    session: Session, actor: Actor, public_id: str
) -> tuple[str, Membership, list[tuple[str, str]]] | None:
    """Return the phase and the membership of one of the actor's own assignments, and what they have acknowledged.

    Each acknowledgement is the key under which a text was acknowledged, and the text's hash; oldest first. None if the
    actor has no such assignment.
    """
    named = {"person_id": actor.person_id, "public_id": public_id}
    rows = session.exec(standing.ACKNOWLEDGED_BEFORE, params=named).all()
    if not rows:
        return None
    phase, membership, freeze, _, _ = rows[0]
    _note_freeze(session, membership.study_id, freeze)
    return phase, membership, [(key, text_sha256) for *_, key, text_sha256 in rows if key is not None]


def turn_of(session: Session, assignment: Assignment) -> Turn:
    """Return the turn that `own_assignment` read for an assignment in this transaction."""
    turn: Turn = session.info["turn", assignment.id]
    return turn


def _member(session: Session, actor: Actor, study_key: str) -> tuple[Study | None, Membership | None]:
    named = {"person_id": actor.person_id, "study_key": study_key}
    row = session.exec(standing.OF_MEMBER, params=named).first()
    if row is None:
        return None, None
    study, membership, freeze, last = row
    _note(session, study, freeze, last)
    return study, membership


def _locked(session: Session, actor: Actor, study_key: str) -> tuple[Study | None, Membership | None]:
    # Not a full row lock: it would wait for everybody who adds a row that refers to the study, and deadlock with those
    # of them that hold the audit chain's lock.
    study: Study | None = session.exec(_STUDY_TO_LOCK, params={"study_key": study_key}).first()
    return study, membership_of(session, actor, study) if study else None


_STUDY_TO_LOCK: Any = select(Study).where(Study.key == bindparam("study_key"), *REMAINS).with_for_update(key_share=True)


def _note(session: Session, study: Study, freeze: str | None, last: str | None) -> None:
    study_id = stored_id(study.id)
    _note_freeze(session, study_id, freeze)
    session.info["state", study_id] = _state(freeze, last)


def _note_freeze(session: Session, study_id: int, freeze: str | None) -> None:
    # A missing freeze is not noted, because this very transaction may be about to freeze.
    if freeze is not None:
        session.info["freeze", study_id] = freeze


def _state(freeze: str | None, last: str | None) -> str:
    if freeze is None:
        return "draft"
    return "closed" if last == "close" else "open"
