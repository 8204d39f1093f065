"""Queries of items' references. No other module of queries reads them, so no other query can join them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db.study import Item, Reference


def reference_for_forms_that_show_it(session: Session, item_id: int) -> Reference | None:
    """Read the newest version of a reference, if there is one. Only forms that show it may call this."""
    newest: Reference | None = session.exec(_NEWEST, params={"item_id": item_id}).first()
    return newest


_NEWEST: Any = (
    select(Reference).where(Reference.item_id == bindparam("item_id")).order_by(col(Reference.version).desc()).limit(1)
)


def reference_of_practice_item(session: Session, item_id: int) -> Reference:
    """Read the newest version of a practice item's reference; for any other item none is found."""
    newest: Reference = session.exec(_NEWEST_OF_PRACTICE, params={"item_id": item_id}).one()
    return newest


_NEWEST_OF_PRACTICE: Any = (
    select(Reference)
    .join(Item, col(Item.id) == Reference.item_id)
    .where(Reference.item_id == bindparam("item_id"), col(Item.practice))
    .order_by(col(Reference.version).desc())
    .limit(1)
)
