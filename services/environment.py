"""The database that this process serves, for the layers above that may not know `db`."""

from __future__ import annotations

from db import Database, database_from_environment

__all__ = ["Database", "database"]


def database() -> Database:
    """Return the database that the environment names, opened once per process."""
    return database_from_environment()
