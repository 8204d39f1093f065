"""Sealing the rows that are older than seals: done once, when a database of release 0.1.0 is upgraded."""

from __future__ import annotations

from typing import Any, Protocol

from sqlmodel import Session, col, select

from db import AuditEvent, Database, Freeze, Study, audit
from db.base import stored_id
from services.seals import proofs

SEALED = "earlier rows sealed"


class SealingEvent(Protocol):
    """The parts of an audit event that give its seals."""

    @property
    def action(self) -> str: ...

    @property
    def detail(self) -> dict[str, Any]: ...


def seal_earlier_rows(database: Database) -> bool:
    """Seal every row that the chain does not prove yet, in one audit event; return whether that was needed.

    This happens only once: a row that is slipped in later must not be sealed as if it had always been there.
    """
    with database.read_only() as session:
        if not _is_needed(session):
            return False
    with database.writing() as session:
        if not _is_needed(session):
            return False
        studies = {
            str(study.id): _seals_of(session, study)
            for study in session.exec(select(Study).order_by(col(Study.id))).all()
        }
        audit.record(session, SEALED, rule=proofs.RULE, studies=studies)
        return True


def seals_on(event: SealingEvent, study_id: int) -> proofs.Seals:
    """Return an event's seals on a study's rows."""
    seals: proofs.Seals = event.detail.get("rows") or {}
    if event.action == SEALED:
        seals = event.detail["studies"].get(str(study_id), {})
    return seals


def _is_needed(session: Session) -> bool:
    if session.exec(select(AuditEvent.id).where(AuditEvent.action == SEALED)).first() is not None:
        return False
    imports = session.exec(select(AuditEvent.detail).where(AuditEvent.action == "study imported"))
    return any("rows" not in detail for detail in imports)


def _seals_of(session: Session, study: Study) -> proofs.Seals:
    study_id = stored_id(study.id)
    frozen = session.exec(select(Freeze.id).where(Freeze.study_id == study_id)).first() is not None
    rows = {
        table: proofs.rows_of(session, table, study_id)
        for table in proofs.COLUMNS
        if frozen or table not in proofs.FROZEN
    }
    return proofs.sealed_values(rows, study.salt)
