"""The audit trail: a hash chain, written in the same transaction as what it records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from sqlalchemy import JSON, Column, insert, text
from sqlmodel import Field, Session, col, select

from db.base import Base, now
from db.readable import columns_of, readable_rows

GENESIS = "0" * 64
# Any constant will do; it only has to be the same for all writers of the chain.
_CHAIN_LOCK = 4_271_983


class AuditEvent(Base, table=True):
    """One link of the chain; append-only. `hash` covers the row and the hash before it."""

    __tablename__ = "audit_event"

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    person_id: int | None = Field(default=None, foreign_key="person.id")
    study_id: int | None = Field(default=None, foreign_key="study.id", index=True)
    action: str = Field(max_length=60)
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    previous_hash: str = Field(unique=True, max_length=64)
    hash: str = Field(unique=True, max_length=64)


_LAST_HASH = select(AuditEvent.hash).order_by(col(AuditEvent.id).desc()).limit(1)
# Inlined, because nobody needs the new row's key: without it the insert would return one.
_APPEND = insert(AuditEvent).inline()


def _link_hash(event: Any) -> str:
    body = json.dumps(
        [event.previous_hash, event.at.isoformat(), event.person_id, event.study_id, event.action, event.detail],
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(body.encode()).hexdigest()


def hold(session: Session) -> None:
    """Make every other writer to the chain wait until this transaction ends, or wait for theirs.

    On SQLite the writing transaction already does this: BEGIN IMMEDIATE admits one writer at a time.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CHAIN_LOCK})


def record(
    session: Session, action: str, *, person_id: int | None = None, study_id: int | None = None, **detail: Any
) -> None:
    """Append a link to the chain within the caller's transaction."""
    # Two writers that read the same last link would both build on it.
    hold(session)
    # Rows that the link refers to may not have been written yet.
    session.flush()
    connection = session.connection()
    last: str | None = connection.execute(_LAST_HASH).scalar()
    event: dict[str, Any] = {
        "at": now(),
        "person_id": person_id,
        "study_id": study_id,
        "action": action,
        "detail": detail,
        "previous_hash": last or GENESIS,
    }
    connection.execute(_APPEND, event | {"hash": _link_hash(SimpleNamespace(**event))})


def broken_links(session: Session) -> Iterator[int]:
    """Yield the id of every event that is unreadable, or whose hash or link to the previous event does not match."""
    query = columns_of(AuditEvent, "id", "at", "person_id", "study_id", "action", "detail", "previous_hash", "hash")
    rows, unreadable = readable_rows(session, query, AuditEvent.id)
    events = {row.id: row for row in rows}
    previous: str | None = GENESIS
    for event_id in sorted([*events, *unreadable]):
        event = events.get(event_id)
        # An event that follows an unreadable one has nothing to be compared with.
        if event is None or previous not in {None, event.previous_hash} or not _fits_its_hash(event):
            yield event_id
        previous = event.hash if event is not None else None


def _fits_its_hash(event: Any) -> bool:
    try:
        return bool(event.hash == _link_hash(event))
    except (AttributeError, TypeError, ValueError, RecursionError):
        # For example bytes instead of text: values that no event written by this program contains.
        return False


def head(session: Session) -> str:
    """Return the chain's last hash. Stored outside the database, it reveals a chain whose end was cut off."""
    return session.exec(_LAST_HASH).first() or GENESIS


def leads_to(session: Session, earlier_head: str) -> bool:
    """Return whether a head that was stored elsewhere is still in the chain. If it is not, the end was cut off."""
    if earlier_head == GENESIS:
        return True
    return session.exec(select(AuditEvent.id).where(AuditEvent.hash == earlier_head)).first() is not None
