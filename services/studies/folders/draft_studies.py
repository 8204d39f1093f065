"""Drafts: rename, remove or import over a study that is not frozen and has nobody but its admin in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import delete, func
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from db import (
    Candidate,
    CandidatePair,
    Case,
    Database,
    Freeze,
    Item,
    Membership,
    Overlay,
    PoolFile,
    ProtocolRecord,
    Reference,
    Study,
    Volume,
    audit,
    now,
    queries,
)
from db.base import stored_id
from db.standing import STILL_MEMBER
from services.errors import Conflict, InputRefused, require_length
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.studies.volumes import volume_store

STUDY_KEY = re.compile("[a-z0-9][a-z0-9-]{0,59}")
LONGEST_TITLE = 200


@dataclass(frozen=True)
class DraftStudy:
    """What an admin may do with a study before its freeze; `others` are the pseudonyms of the people invited."""

    key: str
    title: str
    others: tuple[str, ...]


def require_key(key: str) -> str:
    """Return a study key, or refuse it if it is not valid."""
    if not STUDY_KEY.fullmatch(key):
        raise InputRefused(
            f"The key '{key[:60]}' cannot be used: expected at most 60 lower-case letters, digits and hyphens; "
            "choose another."
        )
    return key


def draft_of(database: Database, actor: Actor, study_key: str) -> DraftStudy | None:
    """Return a study that the actor administers as a draft, or None once it is frozen."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        if state_of(session, stored_id(study.id)) != "draft":
            return None
        return DraftStudy(study.key, study.title, _others(session, study, actor))


def rename_draft(
    database: Database, actor: Actor, study_key: str, *, key: str | None = None, title: str | None = None
) -> str:
    """Give a draft another key, another title, or both, and return its key.

    Raises
    ------
    Conflict
        The study is frozen, another one has the key, or the key is to change although somebody was invited or the
        study was frozen before.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        _require_draft(session, study)
        before = {"key": study.key, "title": study.title}
        if title is not None:
            study.title = require_length("The title", title, LONGEST_TITLE) or study.title
        if key is not None and key != study.key:
            # Invited people may have kept an address of the study.
            _require_nobody_invited(session, study, actor)
            _require_never_frozen(session, study)
            _require_free(session, require_key(key))
            study.key = key
        session.add(study)
        try:
            session.flush()
        except IntegrityError:
            raise _taken(str(key)) from None
        audit.record(
            session,
            "study renamed",
            person_id=actor.person_id,
            study_id=study.id,
            before=before,
            key=study.key,
            title=study.title,
        )
        return study.key


def remove_draft(database: Database, actor: Actor, study_key: str) -> None:
    """Delete a draft with everything in it, and the prepared volumes that nothing else refers to.

    Its row is kept for the audit chain, under a different key, so that the original key is free again.

    Raises
    ------
    Conflict
        The study is frozen or was frozen before, or somebody was invited.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        _require_draft(session, study)
        _require_never_frozen(session, study)
        files = take_out(session, actor, study)
    volume_store.remove_unused(database, files)


def require_replaceable(session: Session, actor: Actor, study: Study) -> None:
    """Refuse to import over a study unless it is the actor's own draft with nobody else in it."""
    require_role(session, actor, study.key, "admin")
    _require_draft(session, study)
    _require_nobody_invited(session, study, actor)


def take_out(session: Session, actor: Actor, study: Study) -> list[str]:
    """Delete a draft's contents within the caller's transaction; return the SHA-256 of the files that it named."""
    require_role(session, actor, study.key, "admin", lock=True)
    require_replaceable(session, actor, study)
    study_id = stored_id(study.id)
    items = queries.count_items(session, study_id)
    files: set[str] = set()
    # What was once frozen stays on record, even after a thaw, because the freeze refers to it.
    if session.exec(select(Freeze.id).where(Freeze.study_id == study_id)).first() is None:
        files = {sha256 for table in (Volume, Overlay) for sha256 in _files(session, table, study_id)}
        _delete_contents(session, study_id)
    audit.record(
        session,
        "study removed",
        person_id=actor.person_id,
        study_id=study_id,
        key=study.key,
        title=study.title,
        items=items,
        files=len(files),
    )
    # Keys that people choose cannot contain this character.
    study.key, study.removed_at = f"{study.key}~{study_id}", now()
    session.add(study)
    session.flush()
    return sorted(files)


def _delete_contents(session: Session, study_id: int) -> None:
    of_study = select(Item.id).where(Item.study_id == study_id)
    session.exec(delete(Reference).where(col(Reference.item_id).in_(of_study)))
    # In this order, because rows of each table are referred to by those before it.
    for table in (CandidatePair, Candidate, Item, PoolFile, Overlay, Volume, Case, ProtocolRecord):
        session.exec(delete(table).where(col(table.study_id) == study_id))


def _files(session: Session, table: type[Volume] | type[Overlay], study_id: int) -> list[str]:
    return list(session.exec(select(table.sha256).where(table.study_id == study_id)))


def _require_draft(session: Session, study: Study) -> None:
    require_in_study(session, acts.CHANGE_DRAFT, study)


def _require_never_frozen(session: Session, study: Study) -> None:
    """Refuse to free the key of a thawed study: the same tables, imported again, would draw a different sample.

    A draft that was imported over a thawed study keeps its secret, and counts as the same study.
    """
    of_the_same = select(Freeze.id).join(Study, col(Study.id) == Freeze.study_id).where(Study.salt == study.salt)
    if session.exec(of_the_same).first() is not None:
        raise Conflict(
            f"The study '{study.key}' was frozen and thawed, and keeps its key and its draw; import the corrected "
            "folder over it."
        )


def _others(session: Session, study: Study, actor: Actor) -> tuple[str, ...]:
    return tuple(
        session.exec(
            select(Membership.pseudonym)
            .where(
                Membership.study_id == study.id,
                Membership.person_id != actor.person_id,
                *STILL_MEMBER,
            )
            .order_by(col(Membership.id))
        )
    )


def _require_nobody_invited(session: Session, study: Study, actor: Actor) -> None:
    others = _others(session, study, actor)
    if others:
        raise Conflict(
            f"People have already been invited to the draft '{study.key}' ({', '.join(others)}); remove them first."
        )


def _require_free(session: Session, key: str) -> None:
    if session.exec(select(func.count()).select_from(Study).where(Study.key == key)).one():
        raise _taken(key)


def _taken(key: str) -> Conflict:
    return Conflict(f"A study '{key}' already exists; choose another key.")
