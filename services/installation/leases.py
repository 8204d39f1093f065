"""Leases: what only one process at a time may do, agreed upon in the database. Given back, or left to expire."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, delete, insert, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from db import Database, Lease, now

_OF_NAME = (col(Lease.name) == bindparam("of_name"),)
_HELD: Any = select(Lease.holder, Lease.expires_at).where(*_OF_NAME).with_for_update()
_NEW, _NEXT = insert(Lease).inline(), update(Lease).where(*_OF_NAME)
_GIVEN_BACK = delete(Lease).where(*_OF_NAME, col(Lease.holder) == bindparam("of_holder"))


def take(database: Database, name: str, holder: str, duration: timedelta) -> bool:
    """Take or prolong a lease, and return whether the holder now has it."""
    try:
        with database.writing() as session:
            connection = session.connection()
            held = connection.execute(_HELD, {"of_name": name}).first()
            if held is not None and held.holder != holder and held.expires_at > now():
                return False
            lease = {"holder": holder, "expires_at": now() + duration}
            if held is None:
                connection.execute(_NEW, {"name": name, **lease})
            else:
                connection.execute(_NEXT, {"of_name": name, **lease})
    except IntegrityError:
        # Another process inserted the row at the same moment.
        return False
    return True


def give_back(database: Database, name: str, holder: str) -> None:
    """End a lease if the holder still has it."""
    with database.writing() as session:
        session.connection().execute(_GIVEN_BACK, {"of_name": name, "of_holder": holder})
