"""From the stored rows of an item to how it is answered and what counts as right."""

from __future__ import annotations

from db import Item, Reference
from db.queries import ShownItem
from protocol.forms import FormField
from services.reading.correctness import AnswerKey


def answer_key(item: Item, primary: FormField, reference: Reference | None) -> AnswerKey:
    """Return how an item is answered, by the primary field of its form, and what counts as right."""
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
    """Return id and text of what can be chosen: those of the item, or those that its form has for all."""
    offered = tuple((option["id"], option["text"]) for option in item.options)
    return offered or tuple((option.id, option.text) for option in primary.offered)
