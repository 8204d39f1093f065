"""Requested scans whose file is not what was prepared: recorded once, and reported to admins."""

from __future__ import annotations

import logging

from sqlmodel import Session, col, select

from db import AuditEvent, Database, Membership, Overlay, Study, Verification, Volume, audit
from services.people.identity import Actor
from services.studies.volumes.volume_integrity import DAMAGED, MISSING

_log = logging.getLogger(__name__)
ACTION = "scan not intact"
IN_THE_BROWSER = "arrived damaged"
_IN_WORDS = {
    MISSING: "its prepared file is missing on the server",
    DAMAGED: "the file on the server is not the one that was prepared",
    IN_THE_BROWSER: "the file that arrived in a browser is not the one that was prepared",
}


def note(database: Database, actor: Actor, sha256: str, state: str) -> None:
    """Record the damage in the audit trail of each of the actor's studies that uses the file.

    It is recorded once, until a study is verified again. The file is refused whether or not this can be written.
    """
    try:
        with database.writing() as session:
            for table in (Volume, Overlay):
                rows = session.exec(
                    select(table.study_id, table.key)
                    .join(Membership, col(Membership.study_id) == table.study_id)
                    .where(table.sha256 == sha256, Membership.person_id == actor.person_id)
                    .order_by(col(table.id))
                ).all()
                for study_id, key in rows:
                    _record_once(session, actor, study_id, {"file": sha256, "state": state}, table.__name__, key)
    except Exception:  # noqa: BLE001  the scan is refused even if the damage cannot be recorded
        _log.exception("a damaged scan could not be noted")


def _record_once(session: Session, actor: Actor, study_id: int, damage: dict[str, str], kind: str, key: str) -> None:
    # If two requests for one file arrive at once, the second waits here and then finds what the first recorded.
    session.exec(select(Study.id).where(Study.id == study_id).with_for_update()).one()
    detail = {**damage, kind.lower(): key}
    if all(event.detail != detail for event in events_of(session, study_id)):
        audit.record(session, ACTION, person_id=actor.person_id, study_id=study_id, **detail)


def events_of(session: Session, study_id: int) -> list[AuditEvent]:
    """Return the damage events of a study since the start of its last verification without a fault."""
    ended = session.exec(
        select(Verification)
        .where(Verification.study_id == study_id, col(Verification.ended_at).is_not(None))
        .order_by(col(Verification.started_at).desc())
    )
    since = next((verification.started_at for verification in ended if not verification.problems), None)
    recent = [] if since is None else [col(AuditEvent.at) > since]
    return list(
        session.exec(
            select(AuditEvent)
            .where(AuditEvent.study_id == study_id, AuditEvent.action == ACTION, *recent)
            .order_by(col(AuditEvent.id))
        )
    )


def sentence(event: AuditEvent) -> str:
    """Return a sentence saying which scan was damaged, how, and when."""
    kind = "volume" if "volume" in event.detail else "overlay"
    in_words = _IN_WORDS[event.detail["state"]]
    return f"{event.at:%Y-%m-%d %H:%M} UTC: {kind} '{event.detail[kind]}' was not shown: {in_words}."
