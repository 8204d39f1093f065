"""The order in which rows came, by the audit chain: a clock can be set back, while the chain only grows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from db import AuditEvent
from db.base import Base, stored_id
from services.seals import proofs

# The events that record what people submitted.
ANSWERED = ("verdict", "revision", "decision")
# In place of that of a row of which the chain tells nothing: nobody knows that it was there before anything.
LAST = 2**63


def places_in_chain(session: Session, study_id: int, table: type[Base], *actions: str) -> Mapping[int, int]:
    """Return by the key of a row the place in the chain of the event that recorded its coming.

    Parameters
    ----------
    table
        Whose rows are sealed by the events.
    actions
        Of these events. What an event of another action records has no place.
    """
    query = select(AuditEvent.id, AuditEvent.detail).where(
        AuditEvent.study_id == study_id, col(AuditEvent.action).in_(actions)
    )
    name = proofs.table_name(table)
    places: dict[int, int] = {}
    for place, detail in session.exec(query.order_by(col(AuditEvent.id))):
        seal = (detail.get("rows") or {}).get(name)
        for key in proofs.keys_in(seal[0]) if seal else ():
            places.setdefault(key, stored_id(place))
    return places
