"""Look at an item exactly as a rater will see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import col, select

from db import Database, Item
from services import displaying
from services.errors import NotFound
from services.identity import Actor
from services.permission import require_role


@dataclass(frozen=True)
class ItemLine:
    """One item, as admins choose it."""

    key: str
    category: str
    format: str
    prompt: str


def items_of(database: Database, actor: Actor, study_key: str) -> list[ItemLine]:
    """Return a study's items, for its admins."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        rows = session.exec(select(Item).where(Item.study_id == study.id).order_by(col(Item.id)))
        return [ItemLine(item.key, item.category, item.format, item.prompt) for item in rows]


def preview_item(database: Database, actor: Actor, study_key: str, item_key: str) -> dict[str, Any]:
    """Return the payload that a rater will get for an item, from the same builder."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        item = session.exec(select(Item).where(Item.study_id == study.id, Item.key == item_key)).first()
        if item is None:
            raise NotFound(f"The study has no item '{item_key}'.")
        return displaying.preview_payload(session, actor, study, item)
