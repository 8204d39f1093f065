"""What all tables share: registry, constraint names, clock and random identifiers."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from sqlalchemy import MetaData
from sqlalchemy.orm import registry
from sqlmodel import SQLModel

# Alembic can only drop or alter a constraint if its name is predictable.
NAMING_CONVENTION = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


# SQLModel's global registry refuses a second definition of a table, which breaks on every hot reload.
class Base(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMING_CONVENTION))):
    """Base of all tables."""


def now() -> datetime:
    """Return the current time, timezone-aware in UTC."""
    return datetime.now(UTC)


def new_public_id() -> str:
    """Return a random 128-bit identifier that may be sent to a browser: it reveals nothing about the row."""
    return secrets.token_urlsafe(16)


def one_of(column: str, *values: str) -> str:
    """Return the SQL of a check constraint: `column` is one of `values`."""
    listed = ", ".join(f"'{value}'" for value in values)
    return f"{column} IN ({listed})"


def stored_id(value: int | None) -> int:
    """Return the key of a stored row. SQLModel types it as optional because a new row does not have one yet."""
    if value is None:
        raise ValueError("the row has not been stored yet")
    return value
