"""Named read queries. Those that serve a rater name every column they read: none of them touches `Reference`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import case, exists, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.base import stored_id
from db.people import Membership
from db.reading import Adjudication, Assignment, Flag, ReviewTask, TechnicalFailure, Verdict
from db.study import Candidate, Case, Item, Overlay, ProtocolRecord, Reference, Volume


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
    overlays: list[str]
    start: list[float] | None
    conversation: str | None
    turn: int | None
    vignette: str
    age: int | None
    history: list[list[str]]


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
    placed: bool


@dataclass(frozen=True)
class ShownOverlay:
    """What of an overlay may be shown. Its key says which items name it, and goes no further."""

    overlay_id: int
    key: str
    label: str
    colour: str
    style: str
    opacity: float


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
            col(Item.overlays),
            col(Item.start),
            col(Item.conversation),
            col(Item.turn),
            col(Case.vignette),
            col(Case.age),
            col(Case.history),
        )
        .join(Case, col(Case.id) == Item.case_id)
        .where(col(Item.id) == item_id)
    )
    row: Any = session.connection().execute(query).one()
    return ShownItem(item_id, *row)


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
            col(Volume.placed),
        )
        .where(col(Volume.case_id) == case_id)
        .order_by(col(Volume.role), col(Volume.id))
    )
    rows: Any = session.connection().execute(query)
    return [ShownVolume(*row) for row in rows]


def shown_overlays(session: Session, case_id: int) -> list[ShownOverlay]:
    """Read what of a case's overlays may be shown, in the order of import."""
    query = (
        select_columns(
            col(Overlay.id),
            col(Overlay.key),
            col(Overlay.label),
            col(Overlay.colour),
            col(Overlay.style),
            col(Overlay.opacity),
        )
        .where(col(Overlay.case_id) == case_id)
        .order_by(col(Overlay.id))
    )
    rows: Any = session.connection().execute(query)
    return [ShownOverlay(*row) for row in rows]


def candidate_answer(session: Session, candidate_id: int) -> str:
    """Read a candidate's answer, and not which model gave it."""
    return session.exec(select(Candidate.answer).where(Candidate.id == candidate_id)).one()


def reference_for_forms_that_show_it(session: Session, item_id: int) -> Reference:
    """Read the newest version of a reference. Only the scoring phase and the report may call this."""
    return session.exec(
        select(Reference).where(Reference.item_id == item_id).order_by(col(Reference.version).desc()).limit(1)
    ).one()


def reference_of_practice_item(session: Session, item_id: int) -> Reference:
    """Read the newest version of a practice item's reference; that of any other item is not found."""
    return session.exec(
        select(Reference)
        .join(Item, col(Item.id) == Reference.item_id)
        .where(Reference.item_id == item_id, col(Item.practice))
        .order_by(col(Reference.version).desc())
        .limit(1)
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


def members_with_open(session: Session, study_id: int, phase: str) -> set[int]:
    """Return the memberships of a study that have an assignment of a phase which is not closed."""
    return set(
        session.exec(
            select(Assignment.membership_id)
            .where(Assignment.study_id == study_id, Assignment.phase == phase, ~_is_closed())
            .distinct()
        )
    )


def last_assignment(session: Session, membership_id: int, phases: Sequence[str]) -> str | None:
    """Return the public id of a member's last assignment, closed or not."""
    return session.exec(
        select(Assignment.public_id)
        .where(Assignment.membership_id == membership_id, col(Assignment.phase).in_(phases))
        .order_by(col(Assignment.id).desc())
    ).first()


def count_assignments(
    session: Session, membership_id: int, phases: Sequence[str], *, pass_number: int | None = None
) -> tuple[int, int]:
    """Return how many of a member's assignments are closed, and how many there are, of one pass or of all."""
    chosen: list[Any] = [Assignment.membership_id == membership_id, col(Assignment.phase).in_(phases)]
    if pass_number is not None:
        chosen.append(Assignment.pass_number == pass_number)
    total = session.exec(select(func.count()).select_from(Assignment).where(*chosen)).one()
    closed = session.exec(select(func.count()).select_from(Assignment).where(*chosen, _is_closed())).one()
    return closed, total


def count_by_member(session: Session, study_id: int) -> dict[tuple[int, str], tuple[int, int, int]]:
    """Return, by member and phase, how many assignments are open, could not be shown, and are there at all.

    Only those of members who are still in the study.
    """
    failed = exists().where(col(TechnicalFailure.assignment_id) == Assignment.id)
    query = (
        select_columns(
            col(Assignment.membership_id),
            col(Assignment.phase),
            func.sum(case((_is_closed(), 0), else_=1)),
            func.sum(case((failed, 1), else_=0)),
            func.count(),
        )
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(col(Assignment.study_id) == study_id, col(Membership.removed_at).is_(None))
        .group_by(col(Assignment.membership_id), col(Assignment.phase))
    )
    rows: Any = session.connection().execute(query)
    return {(member, phase): (open_, failures, total) for member, phase, open_, failures, total in rows}


def root_verdict(session: Session, assignment_id: int) -> Verdict | None:
    """Return the first verdict of an assignment."""
    return session.exec(
        select(Verdict).where(Verdict.assignment_id == assignment_id, col(Verdict.supersedes_id).is_(None))
    ).first()


def verdict_chain(session: Session, assignment_id: int) -> list[Verdict]:
    """Return every verdict of an assignment: the first, and then each that superseded the one before it."""
    return list(session.exec(select(Verdict).where(Verdict.assignment_id == assignment_id).order_by(col(Verdict.id))))


def flag_of(session: Session, verdict_id: int) -> Flag | None:
    """Return the flag that came with a verdict."""
    return session.exec(select(Flag).where(Flag.verdict_id == verdict_id)).first()


def stands() -> Any:
    """Whether a verdict is the newest of its chain: no other supersedes it."""
    later = aliased(Verdict)
    return ~select(later.id).where(later.supersedes_id == Verdict.id).correlate(Verdict).exists()


def conversation_of(session: Session, item_id: int) -> str | None:
    """Return the name of the conversation that an item is a turn of."""
    return session.exec(select(Item.conversation).where(Item.id == item_id)).one()


def _turns_before(session: Session, item: ShownItem) -> list[tuple[int, str]]:
    """Return id and prompt of the turns before an item in its conversation, in their order."""
    if item.conversation is None or item.turn is None:
        return []
    study_id = select(Item.study_id).where(Item.id == item.item_id).scalar_subquery()
    rows = session.exec(
        select(Item.id, Item.prompt)
        .where(Item.study_id == study_id, Item.conversation == item.conversation, col(Item.turn) < item.turn)
        .order_by(col(Item.turn))
    )
    return [(stored_id(item_id), prompt) for item_id, prompt in rows]


def prompts_of_earlier_turns(session: Session, item: ShownItem) -> list[str]:
    """Return the prompts of the turns before an item in its conversation, in their order."""
    return [prompt for _, prompt in _turns_before(session, item)]


@dataclass(frozen=True)
class EarlierTurn:
    """An earlier turn of a conversation: its assignment, where the member has one, and the verdict that stands."""

    item_id: int
    prompt: str
    assignment: Assignment | None
    verdict: Verdict | None


def earlier_turns(session: Session, assignment: Assignment, item: ShownItem, phase: str) -> list[EarlierTurn]:
    """Return the turns before an item in its conversation, with what this very member answered in `phase`."""
    turns = _turns_before(session, item)
    answered = {
        found.item_id: (found, verdict)
        for found, verdict in session.exec(
            select(Assignment, Verdict)
            .join(Verdict, col(Verdict.assignment_id) == Assignment.id, isouter=True)
            .where(
                Assignment.membership_id == assignment.membership_id,
                Assignment.phase == phase,
                Assignment.pass_number == assignment.pass_number,
                col(Assignment.item_id).in_([item_id for item_id, _ in turns]),
                or_(col(Verdict.id).is_(None), stands()),
            )
        )
    }
    nothing: tuple[None, None] = (None, None)
    return [EarlierTurn(item_id, prompt, *answered.get(item_id, nothing)) for item_id, prompt in turns]


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
    """Return how many items a study has, those for practice aside."""
    real = (Item.study_id == study_id, ~col(Item.practice))
    return session.exec(select(func.count()).select_from(Item).where(*real)).one()


def standing_verdicts(session: Session, study_id: int, phase: str) -> list[tuple[Verdict, int]]:
    """Return every verdict of a phase that no other supersedes, with its item's id, in order of submission."""
    rows = session.exec(
        select(Verdict, Assignment.item_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id, Assignment.phase == phase, stands())
        .order_by(col(Verdict.id))
    ).all()
    return [(verdict, item_id) for verdict, item_id in rows]
