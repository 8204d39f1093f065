"""What following phases drew, and when phases were closed, as it is stored."""

from __future__ import annotations

from sqlmodel import select

from db import Database, FreezeItem, PhaseClosing


def closings(database: Database) -> list[PhaseClosing]:
    with database.read_only() as session:
        return list(session.exec(select(PhaseClosing)))


def drawn(database: Database, phase: str = "resolve") -> dict[int, tuple[str, float | None]]:
    """Return stratum and probability of each unit that was drawn for a phase, by the number of its item."""
    with database.read_only() as session:
        rows = session.exec(select(FreezeItem).where(FreezeItem.phase == phase))
        return {row.item_id: (row.stratum, row.inclusion_probability) for row in rows}
