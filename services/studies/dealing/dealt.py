"""Assignments before they are stored: plain values, because a freeze may make tens of thousands at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session

from db import Assignment, insert_with_keys, new_public_id, now
from services.seals import proofs


@dataclass(slots=True)
class Dealt:
    """An assignment as it will be stored; see `db.Assignment`."""

    study_id: int
    membership_id: int
    item_id: int
    candidate_id: int | None
    phase: str
    kind: str
    step: int
    pass_number: int
    position: int
    option_order: list[str] = field(default_factory=list)
    opinion_order: list[int] = field(default_factory=list)
    public_id: str = field(default_factory=new_public_id)
    created_at: datetime = field(default_factory=now)


def store(session: Session, dealt: Sequence[Dealt]) -> proofs.Seals:
    """Store assignments in this order and return the seal on them."""
    columns = proofs.COLUMNS[Assignment][1:]
    rows: list[dict[str, Any]] = [{name: getattr(each, name) for name in columns} for each in dealt]
    keys = insert_with_keys(session, Assignment, rows)
    values = {key: (key, *(row[name] for name in columns)) for key, row in zip(keys, rows, strict=True)}
    return proofs.sealed_values({Assignment: values})
