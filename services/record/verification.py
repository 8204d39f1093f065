"""Verify that a frozen study is what it was: manifest, volumes, every row, guards and audit chain."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    AuditEvent,
    Database,
    Flag,
    Freeze,
    Item,
    Reference,
    ReviewTask,
    Study,
    Verdict,
    audit,
)
from db.base import stored_id
from db.guards import broken_guards
from services.errors import NotFound
from services.people.identity import Actor
from services.people.permission import require_role, study_of
from services.reading.answers import Answers
from services.record.row_checks import remarks, row_problems
from services.seals.audit_head import head_in
from services.studies import volume_integrity
from services.studies.manifest import build_manifest, sha256_of

_log = logging.getLogger(__name__)
FROZEN = "study frozen"
REMOVALS = ("demo removed", "study removed")
# What rows that were changed by hand may lead to; that the database does not answer is nothing against the study.
_BROKEN_ROWS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NoResultFound)
ALL_HOLDS = "All of it holds: protocol, items, volumes, candidates, references, every row and the audit chain."


def verify_study(database: Database, study_key: str, audit_head: str | None = None, *, files: bool = True) -> list[str]:
    """Recompute a study's manifest, the seals on all its rows, and the audit chain.

    Parameters
    ----------
    audit_head
        A head of the audit chain that was kept elsewhere, as in a backup: only it shows whether the end was cut off.
    files
        Whether the prepared files are read too; without, what the database holds is verified alone.

    Returns
    -------
    list of str
        One sentence per thing that does not hold; empty when all of it does.
    """
    with database.reading() as session:
        study = study_to_verify(session, study_key)
        study_id = stored_id(study.id)
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id)).first()
        if freeze is None and not _was_frozen(session, study_id):
            raise NotFound(f"Study '{study_key}' is not frozen, so there is nothing to verify.")
        parts: list[Callable[[], Iterable[str]]] = [
            lambda: _removal_problems(session, study),
            lambda: _freeze_problems(session, study, freeze),
            lambda: volume_integrity.problems_of_files(database, session, study_id) if files else [],
            lambda: _reference_problems(session, study_id),
            lambda: _verdict_problems(session, study_id),
            lambda: row_problems(session, study),
            lambda: broken_guards(session.connection()),
            lambda: [f"Audit event {event_id} does not fit its place." for event_id in audit.broken_links(session)],
            lambda: _head_problems(session, audit_head),
        ]
        return [problem for part in parts for problem in _told(part)]


def study_to_verify(session: Session, study_key: str) -> Study:
    """Return a study by its key, also one that was taken away past the program."""
    found = session.exec(select(Study).where(Study.key == study_key)).first()
    return found if found is not None and not was_removed(session, found) else study_of(session, study_key)


def was_removed(session: Session, study: Study) -> bool:
    """Return whether the program removed a study, as the audit chain says."""
    return _has_event(session, stored_id(study.id), *REMOVALS)


def _was_frozen(session: Session, study_id: int) -> bool:
    return _has_event(session, study_id, FROZEN)


def _has_event(session: Session, study_id: int, *actions: str) -> bool:
    query = select(AuditEvent.id).where(AuditEvent.study_id == study_id, col(AuditEvent.action).in_(actions))
    return session.exec(query.limit(1)).first() is not None


def _told(part: Callable[[], Iterable[str]]) -> list[str]:
    """Return the problems that a part of the verification finds; rows that it cannot read are one of them."""
    try:
        return list(part())
    except _BROKEN_ROWS as error:
        _log.exception("a part of a study could not be verified")
        return [f"Rows of the study are gone or cannot be read ({type(error).__name__}), so not all could be verified."]


def _removal_problems(session: Session, study: Study) -> list[str]:
    if study.removed_at is None or was_removed(session, study):
        return []
    return ["The study was marked as removed past the program, as no audit event recorded it."]


def _freeze_problems(session: Session, study: Study, freeze: Freeze | None) -> list[str]:
    if freeze is None:
        return ["The freeze is gone, though the audit chain says that the study was frozen."]
    stored = json.loads(freeze.manifest_json)
    problems = []
    if sha256_of(stored) != freeze.sha256:
        problems.append("The stored manifest does not have the SHA-256 that was frozen with it.")
    return problems + _differences(stored, build_manifest(session, study, stored["scoring_sample"]))


def _reference_problems(session: Session, study_id: int) -> list[str]:
    return [
        f"The reference of item '{key}' was given a new version after the freeze."
        for key in session.exec(
            select(Item.key)
            .join(Reference, col(Reference.item_id) == Item.id)
            .where(Item.study_id == study_id, Reference.version > 1)
            .order_by(col(Item.key))
            .distinct()
        )
    ]


def _head_problems(session: Session, audit_head: str | None) -> list[str]:
    if audit_head is None or audit.leads_to(session, head_in(audit_head)):
        return []
    return ["The audit chain does not hold the head that was kept: its end was cut off or replaced."]


def remarks_on(database: Database, study_key: str) -> list[str]:
    """Return what has to be known about a study's proofs and times, and is no sign that anything was changed."""
    with database.reading() as session:
        return remarks(session, study_of(session, study_key))


def verify_for_admin(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Verify a study in the name of one of its admins; see `verify_study`."""
    with database.reading() as session:
        require_role(session, actor, study_key, "admin")
    return verify_study(database, study_key)


def _differences(stored: dict[str, Any], found: dict[str, Any]) -> list[str]:
    problems = []
    # A later release of the software may verify an earlier freeze.
    for part in sorted((stored.keys() | found.keys()) - {"software_version"}):
        before, after = stored.get(part), found.get(part)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            problems.append(f"Changed since the freeze: {part} {', '.join(keys[:5])}.")
        else:
            problems.append(f"Changed since the freeze: {part}.")
    return problems


def _verdict_problems(session: Session, study_id: int) -> list[str]:
    """Compare every verdict and decision with the hash that the audit chain holds under its receipt."""
    audited: dict[str, str] = {}
    for event in session.exec(
        select(AuditEvent)
        .where(AuditEvent.study_id == study_id, col(AuditEvent.action).in_(("verdict", "revision", "decision")))
        .order_by(col(AuditEvent.id))
    ):
        # The first one counts: a further event with the same receipt was added to hide a change.
        audited.setdefault(str(event.detail["receipt"]), str(event.detail["content_sha256"]))
    found = {**_verdict_hashes(session, study_id), **_decision_hashes(session, study_id)}
    return [
        f"The verdict with receipt {receipt} is not what was submitted, or is gone."
        for receipt in sorted(audited.keys() | found.keys())
        if audited.get(receipt) != found.get(receipt)
    ]


def _verdict_hashes(session: Session, study_id: int) -> dict[str, str]:
    flags = {flag.verdict_id: (flag.kind, flag.note) for flag in session.exec(select(Flag))}
    verdicts = session.exec(
        select(Verdict)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id)
    )
    return {
        verdict.receipt: Answers(
            verdict.fields, verdict.not_assessable, verdict.comment, flags.get(stored_id(verdict.id))
        ).content_sha256()
        for verdict in verdicts
    }


def _decision_hashes(session: Session, study_id: int) -> dict[str, str]:
    decisions = session.exec(
        select(Adjudication)
        .join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id)
        .join(Assignment, col(Assignment.id) == ReviewTask.opinions_assignment_id)
        .where(Assignment.study_id == study_id)
    )
    return {
        one.receipt: Answers(
            {} if one.not_assessable else {**one.decision, "reason": one.reason}, one.not_assessable, "", None
        ).content_sha256()
        for one in decisions
    }
