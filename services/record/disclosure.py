"""What lets anybody check a study's draws once its data are locked: their keys, their inputs and their results.

The key of each draw is disclosed, but never the secret from which it is derived. `docs/how-to/check-the-draws.md`
describes how to repeat a draw; `services.record.redrawing` does it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db import Assignment, AuditEvent, Candidate, Case, Freeze, FreezeItem, Item, Membership, ReviewTask, Study, Verdict
from db.base import stored_id
from db.standing import STANDS
from services.record import disclosed_pool
from services.studies import draws, frozen_facts
from services.studies.freeze.thawing import THAWED


def draws_to_check(session: Session, study: Study) -> dict[str, Any]:
    """Return the draws of a study with the keys that repeat them. Only for a study whose data are locked."""
    study_id = stored_id(study.id)
    # Draws made for a freeze that was thawed no longer exist.
    of_thaws = select(func.max(AuditEvent.id)).where(AuditEvent.study_id == study_id, AuditEvent.action == THAWED)
    thawed = session.exec(of_thaws).one() or 0
    events = session.exec(
        select(AuditEvent)
        .where(AuditEvent.study_id == study_id, AuditEvent.action == "drawn", col(AuditEvent.id) > thawed)
        .order_by(col(AuditEvent.id))
    ).all()
    return {
        "rule": draws.RULE,
        "keys": _keys(session, study, study_id),
        "drawn": [
            {name: value for name, value in event.detail.items() if name not in {"rows", "rule"}} for event in events
        ],
        "items": _items(session, study_id),
        "candidates": _candidates(session, study_id),
        "sample": _sample(session, study_id),
        "assignments": _assignments(session, study_id),
        "opinions": _opinions(session, study_id),
        **disclosed_pool.of_listed_study(session, study_id),
    }


def _keys(session: Session, study: Study, study_id: int) -> list[dict[str, Any]]:
    seed = frozen_facts.phases_of(session, study_id).seed
    versions = range(draws.FIRST_VERSION, draws.version_of(session, study_id) + 1)
    return [
        {
            "freeze_version": version,
            "reopened": reopened,
            "key": draws.key_from(study.salt, version, reopened, seed).value.hex(),
        }
        for version in versions
        for reopened in range(draws.times_reopened(session, study_id) + 1)
    ]


def _items(session: Session, study_id: int) -> list[dict[str, Any]]:
    """Return what an order depends on, in the sequence from which it is drawn."""
    rows = session.exec(
        select(Item, Case.subject)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id)
        .order_by(col(Item.id))
    )
    return [
        {
            "item": item.key,
            "subject": subject,
            "format": item.format,
            "options": [option["id"] for option in item.options],
            "conversation": item.conversation,
            "turn": item.turn,
            "practice": item.practice,
        }
        for item, subject in rows
    ]


def _candidates(session: Session, study_id: int) -> list[dict[str, str]]:
    rows = session.exec(select(Candidate).where(Candidate.study_id == study_id).order_by(col(Candidate.id)))
    return [{"candidate": row.key, "model": row.model} for row in rows]


def _sample(session: Session, study_id: int) -> list[str]:
    rows = session.exec(
        select(Candidate.key)
        .join(FreezeItem, col(FreezeItem.candidate_id) == Candidate.id)
        .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
        .where(Candidate.study_id == study_id, *STANDS)
        .order_by(col(Candidate.id))
    )
    return list(rows)


def _assignments(session: Session, study_id: int) -> list[dict[str, Any]]:
    rows = session.exec(
        select(Assignment, Membership.pseudonym, Item.key, Candidate.key)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
        .where(Assignment.study_id == study_id)
        .order_by(col(Assignment.id))
    )
    return [
        {
            "member": member,
            "phase": assignment.phase,
            "pass": assignment.pass_number,
            "position": assignment.position,
            "item": item,
            "candidate": candidate,
            "options": assignment.option_order,
        }
        for assignment, member, item, candidate in rows
    ]


def _opinions(session: Session, study_id: int) -> list[dict[str, Any]]:
    receipts = dict(
        session.exec(
            select(Verdict.id, Verdict.receipt)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .where(Assignment.study_id == study_id)
        ).all()
    )
    rows = session.exec(
        select(Item.key, ReviewTask.opinion_order)
        .join(Assignment, col(Assignment.item_id) == Item.id)
        .join(ReviewTask, col(ReviewTask.review_assignment_id) == Assignment.id)
        .where(Assignment.study_id == study_id)
        .order_by(col(ReviewTask.id))
    )
    return [
        {
            "item": item,
            "from": [receipts[verdict_id] for verdict_id in sorted(order)],
            "order": [receipts[verdict_id] for verdict_id in order],
        }
        for item, order in rows
    ]
