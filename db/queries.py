"""Named read queries. Those that serve a rater name every column they read: none of them touches `Reference`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import exists, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.base import stored_id
from db.reading import Adjudication, Assignment, ReviewTask, TechnicalFailure, Verdict
from db.study import Candidate, Case, Item, ProtocolRecord, Reference, Volume


@dataclass(frozen=True)
class ShownItem:
    """What of an item may be shown to somebody who reads it blind."""

    item_id: int
    case_id: int
    form: str
    prompt: str
    options: list[dict[str, str]]
    sequences: list[str]
    uses_prior: bool
    vignette: str
    age: int | None


@dataclass(frozen=True)
class ShownVolume:
    """What of a volume may be shown: neither its key nor its file name."""

    volume_id: int
    role: str
    sequence: str
    label: str
    acquired: date | None
    window: list[float]
    intensity_range: list[float]


def protocol_json(session: Session, study_id: int) -> str:
    """Return the canonical JSON of a study's protocol."""
    return session.get_one(ProtocolRecord, study_id).canonical_json


def shown_item(session: Session, item_id: int) -> ShownItem:
    """Read what of an item and its case may be shown."""
    query = (
        select_columns(
            col(Item.case_id),
            col(Item.form),
            col(Item.prompt),
            col(Item.options),
            col(Item.sequences),
            col(Item.uses_prior),
            col(Case.vignette),
            col(Case.age),
        )
        .join(Case, col(Case.id) == Item.case_id)
        .where(col(Item.id) == item_id)
    )
    return ShownItem(item_id, *session.connection().execute(query).one())


def shown_volumes(session: Session, case_id: int) -> list[ShownVolume]:
    """Read what of a case's volumes may be shown, current before prior, in the order of import."""
    query = (
        select_columns(
            col(Volume.id),
            col(Volume.role),
            col(Volume.sequence),
            col(Volume.label),
            col(Volume.acquired),
            col(Volume.window),
            col(Volume.intensity_range),
        )
        .where(col(Volume.case_id) == case_id)
        .order_by(col(Volume.role), col(Volume.id))
    )
    return [
        ShownVolume(stored_id(volume_id), role, sequence, label, acquired, window, intensity_range)
        for volume_id, role, sequence, label, acquired, window, intensity_range in session.connection().execute(query)
    ]


def candidate_answer(session: Session, candidate_id: int) -> str:
    """Read a candidate's answer, and not which model gave it."""
    return session.exec(select(Candidate.answer).where(Candidate.id == candidate_id)).one()


def reference_for_forms_that_show_it(session: Session, item_id: int) -> Reference:
    """Read the newest version of a reference. Only the scoring phase and the report may call this."""
    return session.exec(
        select(Reference).where(Reference.item_id == item_id).order_by(col(Reference.version).desc()).limit(1)
    ).one()


def _is_closed() -> Any:
    """Whether an assignment needs nothing more: it has a verdict, a decision, or could not be shown."""
    decided = (
        select(Adjudication.id)
        .join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id)
        .where(ReviewTask.opinions_assignment_id == Assignment.id)
    )
    unreadable = (
        select(TechnicalFailure.id)
        .join(ReviewTask, col(ReviewTask.review_assignment_id) == TechnicalFailure.assignment_id)
        .where(ReviewTask.opinions_assignment_id == Assignment.id)
    )
    return or_(
        exists().where(col(Verdict.assignment_id) == Assignment.id),
        exists().where(col(TechnicalFailure.assignment_id) == Assignment.id),
        decided.exists(),
        unreadable.exists(),
    )


def open_assignments(
    session: Session, membership_id: int, phases: Sequence[str], *, limit: int | None = None
) -> list[Assignment]:
    """Return a member's assignments that are not closed, in their order.

    A review comes before the opinions on the same item, as its phase sorts after theirs.
    """
    return list(
        session.exec(
            select(Assignment)
            .where(Assignment.membership_id == membership_id, col(Assignment.phase).in_(phases), ~_is_closed())
            .order_by(col(Assignment.position), col(Assignment.phase).desc())
            .limit(limit)
        )
    )


def count_assignments(session: Session, membership_id: int, phases: Sequence[str]) -> tuple[int, int]:
    """Return how many of a member's assignments are closed, and how many there are."""
    chosen = (Assignment.membership_id == membership_id, col(Assignment.phase).in_(phases))
    total = session.exec(select(func.count()).select_from(Assignment).where(*chosen)).one()
    closed = session.exec(select(func.count()).select_from(Assignment).where(*chosen, _is_closed())).one()
    return closed, total


def root_verdict(session: Session, assignment_id: int) -> Verdict | None:
    """Return the first verdict of an assignment."""
    return session.exec(
        select(Verdict).where(Verdict.assignment_id == assignment_id, col(Verdict.supersedes_id).is_(None))
    ).first()


def review_task_of(session: Session, assignment: Assignment) -> ReviewTask:
    """Return the task that a review or opinions assignment belongs to."""
    return session.exec(
        select(ReviewTask).where(
            or_(
                col(ReviewTask.review_assignment_id) == stored_id(assignment.id),
                col(ReviewTask.opinions_assignment_id) == stored_id(assignment.id),
            )
        )
    ).one()


def count_items(session: Session, study_id: int) -> int:
    """Return how many items a study has."""
    return session.exec(select(func.count()).select_from(Item).where(Item.study_id == study_id)).one()


def standing_verdicts(session: Session, study_id: int, phase: str) -> list[tuple[Verdict, int]]:
    """Return every verdict of a phase that no other supersedes, with its item's id, in order of submission."""
    later = aliased(Verdict)
    rows = session.exec(
        select(Verdict, Assignment.item_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(
            Assignment.study_id == study_id,
            Assignment.phase == phase,
            ~select(later.id).where(later.supersedes_id == Verdict.id).exists(),
        )
        .order_by(col(Verdict.id))
    ).all()
    return [(verdict, item_id) for verdict, item_id in rows]
