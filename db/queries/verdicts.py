"""Queries of what was answered: verdicts and their revisions, flags, and the earlier turns of a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.base import stored_id
from db.reading import Assignment, Flag, Verdict
from db.study import Candidate, Item
from protocol.phases import Phase


def root_verdict(session: Session, assignment_id: int) -> Verdict | None:
    """Return the first verdict of an assignment."""
    root: Verdict | None = session.exec(_ROOT_VERDICT, params={"assignment_id": assignment_id}).first()
    return root


_ROOT_VERDICT: Any = select(Verdict).where(
    Verdict.assignment_id == bindparam("assignment_id"), col(Verdict.supersedes_id).is_(None)
)


def verdict_chain(session: Session, assignment_id: int) -> list[Verdict]:
    """Return every verdict of an assignment: the first, then each that superseded the one before."""
    return list(session.exec(_VERDICT_CHAIN, params={"assignment_id": assignment_id}))


_VERDICT_CHAIN: Any = (
    select(Verdict).where(Verdict.assignment_id == bindparam("assignment_id")).order_by(col(Verdict.id))
)


def flag_of(session: Session, verdict_id: int) -> Flag | None:
    """Return the flag that came with a verdict."""
    return session.exec(select(Flag).where(Flag.verdict_id == verdict_id)).first()


@lru_cache(maxsize=1)
def stands() -> Any:
    """Return the condition that a verdict is the newest of its chain, superseded by no other."""
    later = aliased(Verdict)
    return ~select(later.id).where(later.supersedes_id == Verdict.id).correlate(Verdict).exists()


def is_answered(session: Session, study_id: int, phase: str) -> bool:
    """Return whether anybody has submitted anything in a phase."""
    query = select(Verdict.id).join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    return (
        session.exec(query.where(Assignment.study_id == study_id, Assignment.phase == phase).limit(1)).first()
        is not None
    )


def verdict_keys(session: Session, study_id: int, phase: str) -> frozenset[int]:
    """Return the keys of all verdicts submitted in a phase."""
    query = select(Verdict.id).join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    keys = session.exec(query.where(Assignment.study_id == study_id, Assignment.phase == phase))
    return frozenset(map(stored_id, keys))


def standing_verdicts(session: Session, study_id: int, phase: Phase) -> list[tuple[Verdict, int]]:
    """Return every standing verdict of a phase with its item's id, in order of submission."""
    rows = session.exec(
        select(Verdict, Assignment.item_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id, Assignment.phase == phase.key, stands())
        .order_by(col(Verdict.id))
    ).all()
    return [(verdict, item_id) for verdict, item_id in rows]


@dataclass(frozen=True)
class StandingAnswer:
    """A member's standing answer on a unit in a phase; candidate is None if an item was rated."""

    verdict_id: int
    receipt: str
    membership_id: int
    item_id: int
    candidate_id: int | None
    # Keys of item and candidate.
    item: str
    candidate: str | None
    # The form that the item names, and whether the item has options.
    form: str
    has_options: bool
    fields: Mapping[str, Any]
    not_assessable: str | None
    flagged: bool
    # If two answers were compared: which was on side A and which on side B.
    sides: tuple[str, ...] = ()


def answers_in(session: Session, study_id: int, phase: str) -> list[StandingAnswer]:
    """Return every standing answer in a phase, one per member and unit, in order of submission.

    If the work on a unit has several steps, the last step that was answered counts.
    """
    in_phase = (Assignment.study_id == study_id, Assignment.phase == phase)
    rows = session.exec(
        select(Verdict, Assignment, Item, Candidate.key)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
        .where(*in_phase, stands())
        .order_by(col(Assignment.step), col(Verdict.id))
    ).all()
    # Queried after the verdicts: a flag is stored with its verdict, so one that arrives in between cannot be missed.
    flagged = set(
        session.exec(
            select(Flag.verdict_id)
            .join(Verdict, col(Verdict.id) == Flag.verdict_id)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .where(*in_phase)
        )
    )
    last: dict[tuple[int, int, int | None], StandingAnswer] = {}
    for verdict, assignment, item, candidate in rows:
        last[assignment.membership_id, assignment.item_id, assignment.candidate_id] = StandingAnswer(
            stored_id(verdict.id),
            verdict.receipt,
            assignment.membership_id,
            assignment.item_id,
            assignment.candidate_id,
            item.key,
            candidate,
            item.form,
            bool(item.options),
            verdict.fields,
            verdict.not_assessable,
            verdict.id in flagged,
            tuple(assignment.option_order) if assignment.kind == "pairs" else (),
        )
    return sorted(last.values(), key=lambda answer: answer.verdict_id)


@dataclass(frozen=True)
class EarlierTurn:
    """An earlier turn of a conversation, the member's assignment for it (if any), and the standing verdict."""

    item_id: int
    prompt: str
    assignment: Assignment | None
    verdict: Verdict | None


def earlier_turns(
    session: Session, assignment: Assignment, turns: Sequence[tuple[int, str]], phase: Phase
) -> list[EarlierTurn]:
    """Return earlier turns of a conversation (item and prompt), with this member's own answers in `phase`."""
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
