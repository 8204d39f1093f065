"""What happened to a frozen study's units and phases: replaced by a version, closed, opened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sqlalchemy import bindparam, exists, or_
from sqlmodel import Session, col, select

from db.asking import ask
from db.frozen import PhaseClosing, PhaseOpening, StudyVersion, WithdrawnUnit
from db.reading import Assignment
from db.study import Candidate, Item


def is_withdrawn(assignment: Any) -> Any:
    """Return the condition that a version of the study replaced the unit of an assignment or of a freeze's row."""
    whole_or_it = or_(col(WithdrawnUnit.candidate_id).is_(None), WithdrawnUnit.candidate_id == assignment.candidate_id)
    return exists().where(WithdrawnUnit.item_id == assignment.item_id, whole_or_it)


def was_replaced(session: Session, assignment: Assignment) -> bool:
    """Return whether a version of the study replaced the unit of an assignment with a corrected one."""
    unit = {"item_id": assignment.item_id, "candidate_id": assignment.candidate_id}
    return bool(ask(session, _REPLACED, **unit).scalar_one())


_REPLACED: Any = select(
    is_withdrawn(SimpleNamespace(item_id=bindparam("item_id"), candidate_id=bindparam("candidate_id")))
)


def replaced_keys(session: Session, study_id: int) -> list[tuple[str, str | None, str]]:
    """Return what versions replaced: the keys of the item and candidate (None: the whole item), and the new key."""
    return [(item, candidate, key) for item, candidate, key in ask(session, _REPLACED_KEYS, study_id=study_id)]


_REPLACED_KEYS: Any = (
    select(Item.key, Candidate.key, WithdrawnUnit.replaced_by)
    .join(WithdrawnUnit, col(WithdrawnUnit.item_id) == Item.id)
    .join(Candidate, col(Candidate.id) == WithdrawnUnit.candidate_id, isouter=True)
    .where(Item.study_id == bindparam("study_id"))
)


def replaced_units(session: Session, study_id: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the ids of the items, and of the candidates, that versions of a study replaced."""
    units = ask(session, _REPLACED_UNITS, study_id=study_id).all()
    items = frozenset(item for item, candidate in units if candidate is None)
    return items, frozenset(candidate for _, candidate in units if candidate is not None)


_REPLACED_UNITS: Any = (
    select(WithdrawnUnit.item_id, WithdrawnUnit.candidate_id)
    .join(StudyVersion, col(StudyVersion.id) == WithdrawnUnit.version_id)
    .where(StudyVersion.study_id == bindparam("study_id"))
)


def has_versions(session: Session, study_id: int) -> bool:
    """Return whether a study has had a version since its freeze."""
    return bool(ask(session, _HAS_VERSIONS, study_id=study_id).scalar_one())


def phases_closed(session: Session, study_id: int) -> frozenset[str]:
    """Return the keys of a study's closed phases: everybody was done and units were drawn, or an admin closed them."""
    return frozenset(ask(session, _CLOSED, study_id=study_id).scalars())


def phases_opened(session: Session, study_id: int) -> frozenset[str]:
    """Return the keys of the phases that wait for an admin and that an admin has opened."""
    return frozenset(ask(session, _OPENED, study_id=study_id).scalars())


_HAS_VERSIONS: Any = select(exists().where(col(StudyVersion.study_id) == bindparam("study_id")))
_OPENED: Any = select(PhaseOpening.phase).where(PhaseOpening.study_id == bindparam("study_id"))
_CLOSED: Any = select(PhaseClosing.phase).where(PhaseClosing.study_id == bindparam("study_id"))
