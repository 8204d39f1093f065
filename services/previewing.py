"""Look at an item exactly as a rater will see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from db import Database, Item, Study, queries
from db.base import stored_id
from services import blinding, displaying
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
    practice: bool = False
    turn: str = ""


def items_of(database: Database, actor: Actor, study_key: str) -> list[ItemLine]:
    """Return a study's items, for its admins."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        rows = session.exec(select(Item).where(Item.study_id == study.id).order_by(col(Item.id)))
        return [
            ItemLine(
                item.key,
                item.category,
                item.format,
                item.prompt,
                item.practice,
                f"turn {item.turn} of {item.conversation}" if item.conversation else "",
            )
            for item in rows
        ]


def preview_feedback(database: Database, actor: Actor, study_key: str, item_key: str) -> list[list[str]]:
    """Return what raters will be told after their answer to a practice item; nothing for any other item."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        protocol = displaying.protocol_of(session, stored_id(study.id))
        item = _item(session, study, item_key)
        rule = protocol.reading.practice
        if not item.practice or rule is None or not rule.feedback:
            return []
        shown = queries.shown_item(session, stored_id(item.id))
        reference = queries.reference_of_practice_item(session, stored_id(item.id))
        accepted = displaying.reference_texts(shown, reference)
        return blinding.feedback_lines(accepted, reference.explanation)


def preview_item(database: Database, actor: Actor, study_key: str, item_key: str) -> dict[str, Any]:
    """Return the payload that a rater will get for an item, from the same builder."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return displaying.preview_payload(session, actor, study, _item(session, study, item_key))


def _item(session: Session, study: Study, item_key: str) -> Item:
    item = session.exec(select(Item).where(Item.study_id == study.id, Item.key == item_key)).first()
    if item is None:
        raise NotFound(f"The study has no item '{item_key}'.")
    return item
