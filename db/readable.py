"""Rows of which somebody may have made some unreadable: those that can be read, and the keys of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, false
from sqlmodel import Session, select

from db.base import Base
from db.waiting import Unavailable

# Of a file that is damaged all over, more lines say nothing more.
MOST_DAMAGE = 5


def columns_of(table: type[Base], *names: str) -> Any:
    """Return the query of some columns of a table, in the order of its key, which reads nothing of the others."""
    return select(*(getattr(table, name) for name in names)).order_by(
        *table.metadata.tables[str(table.__tablename__)].primary_key
    )


def readable_rows(session: Session, query: Any, key: Any, **parameters: object) -> tuple[list[Any], list[int]]:
    """Return the rows of a query that can be read, in the order of their keys, and the keys of those that cannot.

    Parameters
    ----------
    query
        A query of columns, in the order of their keys.
    key
        The column of whole numbers that tells its rows apart.
    **parameters
        The values of the query's parameters.

    Raises
    ------
    Exception
        No row at all can be read, as where the table or a column is gone; whatever the database said to that.
    """
    try:
        return _read(session, query, parameters), []
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001  text that is no text, a date that is none, JSON of a thousand levels: all the same
        _read(session, query.where(false()), parameters)
        only_keys = query.with_only_columns(key, maintain_column_froms=True)
        keys = [int(row[0]) for row in _read(session, only_keys, parameters)]
        return _read_in_parts(session, query, key, sorted(keys), parameters)


def apart(session: Session) -> AbstractContextManager[object]:
    """Return the context of some reading that may fail and leaves the transaction usable.

    PostgreSQL answers nothing more in a transaction in which a statement failed, unless that went to a savepoint.
    SQLite ends a statement that fails and nothing else: there a quarter of a verification would go into savepoints.
    """
    return nullcontext() if session.get_bind().dialect.name == "sqlite" else session.begin_nested()


def damage(connection: Connection) -> list[str]:
    """Return one sentence for each part of a SQLite file that does not agree with the rest of it, the first few.

    An index is a second copy of what its table holds, and queries read either. PostgreSQL has no such check that
    the role of a program could run.
    """
    if connection.dialect.name != "sqlite":
        return []
    lines = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_DAMAGE})").scalars().all()
    return [f"The database file contradicts itself: {line}." for line in lines if line != "ok"]


def _read_in_parts(
    session: Session, query: Any, key: Any, keys: Sequence[int], parameters: Mapping[str, object]
) -> tuple[list[Any], list[int]]:
    """Halve what cannot be read as a whole, down to the single rows that cannot be read by themselves."""
    if not keys:
        return [], []
    try:
        return _read(session, query.where(key >= keys[0], key <= keys[-1]), parameters), []
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001  as above
        if len(keys) == 1:
            return [], list(keys)
    middle = len(keys) // 2
    rows, unreadable = _read_in_parts(session, query, key, keys[:middle], parameters)
    more_rows, more_unreadable = _read_in_parts(session, query, key, keys[middle:], parameters)
    return rows + more_rows, unreadable + more_unreadable


def _read(session: Session, query: Any, parameters: Mapping[str, object]) -> list[Any]:
    with apart(session):
        return list(session.connection().execute(query, parameters).all())
