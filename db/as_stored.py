"""JSON columns read as raw text. In large tables most of it never needs to be parsed into objects."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, String, cast


def as_stored(column: Any) -> ColumnElement[str]:
    """Return a JSON column as its text, under its own name."""
    return cast(column, String).label(column.key)
