"""Named read queries. Those that serve a rater name every column they read: none of them touches `Reference`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, case, exists, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.base import stored_id
from db.people import Membership
from db.reading import Adjudication, Assignment, Display, Flag, ReviewTask, TechnicalFailure, Verdict
from db.study import Candidate, Case, Item, Overlay, ProtocolRecord, Reference, Volume
from protocol.phases import Phase


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
    unpacked_sha256: str | None


@dataclass(frozen=True)
class ShownOverlay:
    """What of an overlay may be shown. Its key says which items name it, and goes no further."""

    overlay_id: int
    key: str
    label: str
    colour: str
    style: str
    opacity: float
    unpacked_sha256: str | None


def protocol_json(session: Session, study_id: int) -> str:
    """Return the canonical JSON of a study's protocol."""
    return session.get_one(ProtocolRecord, study_id).canonical_json


def shown_item(session: Session, item_id: int) -> ShownItem:
    """Read what of an item and its case may be shown."""
    row: Any = session.connection().execute(_SHOWN_ITEM, {"item_id": item_id}).one()
    return ShownItem(item_id, *row)


_SHOWN_ITEM = (
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
    .where(col(Item.id) == bindparam("item_id"))
)


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
            col(Volume.unpacked_sha256),
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
            col(Overlay.unpacked_sha256),
        )
        .where(col(Overlay.case_id) == case_id)
        .order_by(col(Overlay.id))
    )
    rows: Any = session.connection().execute(query)
    return [ShownOverlay(*row) for row in rows]


def volume_files(session: Session, case_id: int) -> dict[tuple[str, int], str]:
    """Return the SHA-256 of the file of each of a case's volumes and overlays, by kind and id: never shown."""
    of_volumes = session.exec(select(Volume.id, Volume.sha256).where(Volume.case_id == case_id))
    of_overlays = session.exec(select(Overlay.id, Overlay.sha256).where(Overlay.case_id == case_id))
    return {("volume", stored_id(volume_id)): sha256 for volume_id, sha256 in of_volumes} | {
        ("overlay", stored_id(overlay_id)): sha256 for overlay_id, sha256 in of_overlays
    }


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


def is_done(assignment: Any, phases: Sequence[Phase] | None = None) -> Any:
    """Whether an assignment needs nothing more: it has a verdict, a decision, or could not be shown.

    Parameters
    ----------
    assignment
        The table, or an alias of it.
    phases
        What the assignment's phase may be, where that is known: not all of them are closed by a decision.
    """
    done = [
        exists().where(col(Verdict.assignment_id) == assignment.id),
        exists().where(col(TechnicalFailure.assignment_id) == assignment.id),
    ]
    if phases is None or any(phase.done_by == "decision" for phase in phases):
        of_task = ReviewTask.opinions_assignment_id == assignment.id
        decided = select(Adjudication.id).join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id).where(of_task)
        unreadable = (
            select(TechnicalFailure.id)
            .join(ReviewTask, col(ReviewTask.review_assignment_id) == TechnicalFailure.assignment_id)
            .where(of_task)
        )
        done += [decided.exists(), unreadable.exists()]
    return or_(*done)


def open_assignments(
    session: Session, membership_id: int, phases: Sequence[Phase], *, limit: int | None = None
) -> list[Assignment]:
    """Return a member's assignments that are not closed, by position, and on one unit by the step of their phase."""
    return list(session.exec(_open(tuple(phases), limit), params={"membership_id": membership_id}))


def _of(phases: Sequence[Phase]) -> Any:
    # Not `in_`, whose text is made anew for each execution.
    return or_(*(col(Assignment.phase) == phase.key for phase in phases))


@lru_cache(maxsize=32)
def _open(phases: tuple[Phase, ...], limit: int | None) -> Any:
    return (
        select(Assignment)
        .where(
            Assignment.membership_id == bindparam("membership_id"),
            _of(phases),
            ~is_done(Assignment, phases),
        )
        .order_by(col(Assignment.position), col(Assignment.step))
        .limit(limit)
    )


def members_with_open(session: Session, study_id: int, phase: Phase) -> set[int]:
    """Return the memberships of a study that have an assignment of a phase which is not closed."""
    return set(
        session.exec(
            select(Assignment.membership_id)
            .where(Assignment.study_id == study_id, Assignment.phase == phase.key, ~is_done(Assignment, (phase,)))
            .distinct()
        )
    )


def last_assignment(session: Session, membership_id: int, phases: Sequence[Phase]) -> str | None:
    """Return the public id of a member's last assignment, closed or not."""
    return session.exec(
        select(Assignment.public_id)
        .where(Assignment.membership_id == membership_id, _of(phases))
        .order_by(col(Assignment.id).desc())
    ).first()


def count_assignments(
    session: Session, membership_id: int, phases: Sequence[Phase], *, pass_number: int | None = None
) -> tuple[int, int]:
    """Return how many of a member's assignments are closed, and how many there are, of one pass or of all."""
    query = _counts(tuple(phases), pass_number is not None)
    total, done = session.exec(query, params={"membership_id": membership_id, "pass_number": pass_number}).one()
    return done or 0, total


@lru_cache(maxsize=32)
def _counts(phases: tuple[Phase, ...], of_one_pass: bool) -> Any:
    chosen: list[Any] = [Assignment.membership_id == bindparam("membership_id"), _of(phases)]
    if of_one_pass:
        chosen.append(Assignment.pass_number == bindparam("pass_number"))
    done = func.sum(case((is_done(Assignment, phases), 1), else_=0))
    return select(func.count(), done).select_from(Assignment).where(*chosen)


def displays_of(session: Session, assignment_id: int) -> list[Display]:
    """Return when an assignment was shown, in whichever login session, oldest first."""
    return list(session.exec(_DISPLAYS, params={"assignment_id": assignment_id}))


_DISPLAYS: Any = select(Display).where(Display.assignment_id == bindparam("assignment_id")).order_by(col(Display.id))


def count_by_member(session: Session, study_id: int) -> dict[tuple[int, str], tuple[int, int, int]]:
    """Return, by member and phase, how many assignments are open, could not be shown, and are there at all.

    Only those of members who are still in the study.
    """
    failed = exists().where(col(TechnicalFailure.assignment_id) == Assignment.id)
    query = (
        select_columns(
            col(Assignment.membership_id),
            col(Assignment.phase),
            func.sum(case((is_done(Assignment), 0), else_=1)),
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
    root: Verdict | None = session.exec(_ROOT_VERDICT, params={"assignment_id": assignment_id}).first()
    return root


_ROOT_VERDICT: Any = select(Verdict).where(
    Verdict.assignment_id == bindparam("assignment_id"), col(Verdict.supersedes_id).is_(None)
)


def verdict_chain(session: Session, assignment_id: int) -> list[Verdict]:
    """Return every verdict of an assignment: the first, and then each that superseded the one before it."""
    return list(session.exec(_VERDICT_CHAIN, params={"assignment_id": assignment_id}))


_VERDICT_CHAIN: Any = (
    select(Verdict).where(Verdict.assignment_id == bindparam("assignment_id")).order_by(col(Verdict.id))
)


def flag_of(session: Session, verdict_id: int) -> Flag | None:
    """Return the flag that came with a verdict."""
    return session.exec(select(Flag).where(Flag.verdict_id == verdict_id)).first()


@lru_cache(maxsize=1)
def stands() -> Any:
    """Whether a verdict is the newest of its chain: no other supersedes it."""
    later = aliased(Verdict)
    return ~select(later.id).where(later.supersedes_id == Verdict.id).correlate(Verdict).exists()


def turns_before(session: Session, item: ShownItem) -> list[tuple[int, str]]:
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


@dataclass(frozen=True)
class EarlierTurn:
    """An earlier turn of a conversation: its assignment, where the member has one, and the verdict that stands."""

    item_id: int
    prompt: str
    assignment: Assignment | None
    verdict: Verdict | None


def earlier_turns(
    session: Session, assignment: Assignment, turns: Sequence[tuple[int, str]], phase: Phase
) -> list[EarlierTurn]:
    """Return earlier turns of a conversation (item and prompt), with what this very member answered in `phase`."""
    if not turns:
        return []
    answered = {
        earlier.item_id: (earlier, verdict)
        for earlier, verdict in session.exec(
            _ANSWERED_TURNS,
            params={
                "membership_id": assignment.membership_id,
                "phase": phase.key,
                "pass_number": assignment.pass_number,
                "items": [item_id for item_id, _ in turns],
            },
        )
    }
    nothing: tuple[None, None] = (None, None)
    return [EarlierTurn(item_id, prompt, *answered.get(item_id, nothing)) for item_id, prompt in turns]


_ANSWERED_TURNS: Any = (
    select(Assignment, Verdict)
    .join(Verdict, col(Verdict.assignment_id) == Assignment.id, isouter=True)
    .where(
        Assignment.membership_id == bindparam("membership_id"),
        Assignment.phase == bindparam("phase"),
        Assignment.pass_number == bindparam("pass_number"),
        col(Assignment.item_id).in_(bindparam("items", expanding=True)),
        or_(col(Verdict.id).is_(None), stands()),
    )
)


def review_task_of(session: Session, assignment: Assignment) -> ReviewTask:
    """Return the task that a review or opinions assignment belongs to."""
    task: ReviewTask = session.exec(_REVIEW_TASK, params={"assignment_id": stored_id(assignment.id)}).one()
    return task


_REVIEW_TASK: Any = select(ReviewTask).where(
    or_(
        col(ReviewTask.review_assignment_id) == bindparam("assignment_id"),
        col(ReviewTask.opinions_assignment_id) == bindparam("assignment_id"),
    )
)


def count_items(session: Session, study_id: int) -> int:
    """Return how many items a study has, those for practice aside."""
    real = (Item.study_id == study_id, ~col(Item.practice))
    return session.exec(select(func.count()).select_from(Item).where(*real)).one()


def standing_verdicts(session: Session, study_id: int, phase: Phase) -> list[tuple[Verdict, int]]:
    """Return every verdict of a phase that no other supersedes, with its item's id, in order of submission."""
    rows = session.exec(
        select(Verdict, Assignment.item_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id, Assignment.phase == phase.key, stands())
        .order_by(col(Verdict.id))
    ).all()
    return [(verdict, item_id) for verdict, item_id in rows]
