"""Derive from an item's stored rows how it is answered and what counts as right."""

from __future__ import annotations

from db import Item, Reference
from db.queries import ShownItem
from protocol.forms import FormField
from services.reading.correctness import AnswerKey


def answer_key(item: Item, primary: FormField, reference: Reference | None) -> AnswerKey:
    """Return how an item is answered, from the primary field of its form, and what counts as right."""
    return AnswerKey(
        format=item.format,
        type=primary.type,
        options=options_of(item, primary),
        accepted=tuple(reference.accepted) if reference else (),
        low=reference.low if reference else None,
        high=reference.high if reference else None,
        unit=primary.unit,
    )


def options_of(item: Item | ShownItem, primary: FormField) -> tuple[tuple[str, str], ...]:
    """Return ids and texts of the options to choose from: the item's own, otherwise those of its form."""
    offered = tuple((option["id"], option["text"]) for option in item.options)
    return offered or tuple((option.id, option.text) for option in primary.offered)
