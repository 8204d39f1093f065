"""Reading tables in which some rows may have been made unreadable: the readable rows, and the keys of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, false
from sqlmodel import Session, select

from db.base import Base
from db.waiting import Unavailable

# If the whole file is damaged, more lines tell nothing more.
MOST_DAMAGE = 5


def columns_of(table: type[Base], *names: str) -> Any:
    """Return a query of some columns of a table, ordered by its key, that reads no other column."""
    return select(*(getattr(table, name) for name in names)).order_by(
        *table.metadata.tables[str(table.__tablename__)].primary_key
    )


def readable_rows(session: Session, query: Any, key: Any, **parameters: object) -> tuple[list[Any], list[int]]:
    """Return a query's readable rows, in the order of their keys, and the keys of the unreadable ones.

    Parameters
    ----------
    query
        A query of columns, ordered by key.
    key
        The integer column that identifies its rows.
    **parameters
        The values of the query's parameters.

    Raises
    ------
    Exception
        The database's own error, if no row can be read at all: for example if the table or a column is gone.
    """
    try:
        return _read(session, query, parameters), []
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001  invalid text or dates, JSON of a thousand levels: treated alike
        _read(session, query.where(false()), parameters)
        only_keys = query.with_only_columns(key, maintain_column_froms=True)
        keys = [int(row[0]) for row in _read(session, only_keys, parameters)]
        return _read_in_parts(session, query, key, sorted(keys), parameters)


def apart(session: Session) -> AbstractContextManager[object]:
    """Return a context for reads that may fail, which leaves the transaction usable.

    After a failed statement PostgreSQL answers nothing more in the transaction, unless the statement ran in a
    savepoint. SQLite ends only the failed statement; there, savepoints would take a quarter of the time of a
    verification.
    """
    return nullcontext() if session.get_bind().dialect.name == "sqlite" else session.begin_nested()


def damage(connection: Connection) -> list[str]:
    """Return one sentence for each inconsistency within a SQLite file, up to the first few.

    An index is a second copy of what its table holds, and queries read either. PostgreSQL has no such check that a
    program's role could run.
    """
    if connection.dialect.name != "sqlite":
        return []
    lines = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_DAMAGE})").scalars().all()
    return [f"The database file contradicts itself: {line}." for line in lines if line != "ok"]


def _read_in_parts(
    session: Session, query: Any, key: Any, keys: Sequence[int], parameters: Mapping[str, object]
) -> tuple[list[Any], list[int]]:
    """Halve a range that cannot be read as a whole, down to the single rows that cannot be read."""
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
