"""The order in which rows were added, according to the audit chain: a clock can be set back, the chain only grows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from db import AuditEvent
from db.base import Base, stored_id
from services.seals import proofs

# The events that record what people submitted.
ANSWERED = ("verdict", "revision", "decision")
# The event that records a version of a study.
VERSION_MADE = "study version made"
# The place given to a row that the chain does not mention: nothing proves that it came before anything else.
LAST = 2**63


def places_in_chain(session: Session, study_id: int, table: type[Base], *actions: str) -> Mapping[int, int]:
    """Return, by row key, the place in the chain of the event that recorded the row.

    Parameters
    ----------
    table
        The table whose rows the events seal.
    actions
        The actions of the events to consider. Rows recorded by other events get no place.
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
