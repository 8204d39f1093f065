"""Adding many rows in a bounded number of statements."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import func, insert
from sqlmodel import Session, select

from db.asking import ask
from db.base import Base

# The number of rows whose values are held in memory at a time.
AT_ONCE = 5_000


def add_many(session: Session, rows: Sequence[Base]) -> None:
    """Add new rows of one table whose key is called `id`, and flush them, in the caller's writing transaction.

    SQLite assigns keys one at a time, so each row would be a statement of its own. As this is the only writing
    transaction, the keys that SQLite would assign can be computed here; PostgreSQL returns a thousand at once.
    """
    if rows and session.get_bind().dialect.name == "sqlite":
        for number, row in enumerate(rows, start=_highest(session, type(rows[0])) + 1):
            row.id = number
    session.add_all(rows)
    session.flush()


def insert_with_keys(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Add new rows like `insert_many`, in the caller's writing transaction, and return their keys in the same order."""
    if session.get_bind().dialect.name == "sqlite":
        # As in `add_many`, the keys that SQLite would assign are known.
        first = _highest(session, table) + 1
        keys = list(range(first, first + len(rows)))
        insert_many(session, table, ({"id": key, **row} for key, row in zip(keys, rows, strict=True)))
        return keys
    if not rows:
        return []
    # Keys are reserved beforehand: with RETURNING, the rows would go into one statement that the driver has to parse.
    sequence = func.pg_get_serial_sequence(table.__tablename__, "id")
    taken = select(func.nextval(sequence)).select_from(func.generate_series(1, len(rows)))
    keys = sorted(session.connection().execute(taken).scalars())
    insert_many(session, table, ({"id": key, **row} for key, row in zip(keys, rows, strict=True)))
    return keys


def insert_many(session: Session, table: type[Base], rows: Iterable[Mapping[str, Any]]) -> None:
    """Add new rows that are not needed as objects. Their keys ascend in the order of `rows`.

    Parameters
    ----------
    rows
        The values of each row by column, all with the same columns. Only the database's own defaults are filled in.
    """
    waiting = iter(rows)
    while part := list(itertools.islice(waiting, AT_ONCE)):
        session.connection().execute(_insert(table), part)


# One statement of each kind for a table, which need not be built and compared with those compiled for each call.
@cache
def _insert(table: type[Base]) -> Any:
    return insert(table.__table__)  # type: ignore[attr-defined]


@cache
def _select_highest(table: type[Base]) -> Any:
    return select(func.max(table.__table__.c.id))  # type: ignore[attr-defined]


def _highest(session: Session, table: type[Base]) -> int:
    """Return the highest key of a table; 0 if it has no rows."""
    return ask(session, _select_highest(table)).one()[0] or 0
