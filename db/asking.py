"""Queries that return plain values, without the cost of building and tracking ORM objects."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CursorResult
from sqlmodel import Session


def ask(session: Session, statement: Any, **parameters: object) -> CursorResult[*tuple[Any, ...]]:
    """Return the rows of a statement that selects columns, within the session's transaction.

    This takes less than half the time of `session.exec`, and showing one item asks a dozen such questions. As with
    `session.exec`, pending objects are flushed first; unlike `session.exec`, a row with a single column is still a row.

    Parameters
    ----------
    statement
        Selects columns only. Naming a whole table would yield objects.
    parameters
        Values, keyed by the name of their `bindparam`.
    """
    session.flush()
    return session.connection().execute(statement, parameters)
