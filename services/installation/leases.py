"""Leases: what only one process at a time may do, agreed upon in the database. Given back, or left to expire."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.exc import IntegrityError

from db import Database, Lease, now


def take(database: Database, name: str, holder: str, duration: timedelta) -> bool:
    """Take or prolong a lease, and return whether the holder now has it."""
    try:
        with database.writing() as session:
            lease = session.get(Lease, name, with_for_update=True)
            if lease is not None and lease.holder != holder and lease.expires_at > now():
                return False
            lease = lease or Lease(name=name, holder=holder, expires_at=now())
            lease.holder, lease.expires_at = holder, now() + duration
            session.add(lease)
    except IntegrityError:
        # Another process inserted the row at the same moment.
        return False
    return True


def give_back(database: Database, name: str, holder: str) -> None:
    """End a lease if the holder still has it."""
    with database.writing() as session:
        lease = session.get(Lease, name, with_for_update=True)
        if lease is not None and lease.holder == holder:
            session.delete(lease)
