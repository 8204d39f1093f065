"""Add many rows in a bounded number of statements."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func
from sqlmodel import Session, select

from db.base import Base


def add_many(session: Session, rows: Sequence[Base]) -> None:
    """Add new rows of one table with a key called `id`, and flush them, in the caller's writing transaction.

    SQLite hands out one key at a time, and each row would be a statement of its own. This transaction is the only one
    that writes, so that the keys SQLite would hand out are known; PostgreSQL returns a thousand at once.
    """
    if rows and session.get_bind().dialect.name == "sqlite":
        table = type(rows[0]).__table__  # type: ignore[attr-defined]
        highest = session.exec(select(func.max(table.c.id))).one() or 0
        for number, row in enumerate(rows, start=highest + 1):
            row.id = number
    session.add_all(rows)
    session.flush()
