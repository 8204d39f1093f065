"""From the stored rows of an item to how it is answered and what counts as right."""

from __future__ import annotations

from db import Item, Reference
from db.queries import ShownItem
from protocol.forms import Form
from services.reading.correctness import AnswerKey


def answer_key(item: Item, form: Form, reference: Reference | None) -> AnswerKey:
    """Return how an item is answered, by the field that its form has for it, and what counts as right."""
    return AnswerKey(
        format=item.format,
        type=form.primary.type,
        options=options_of(item, form),
        accepted=tuple(reference.accepted) if reference else (),
        low=reference.low if reference else None,
        high=reference.high if reference else None,
    )


def options_of(item: Item | ShownItem, form: Form) -> tuple[tuple[str, str], ...]:
    """Return id and text of what can be chosen: those of the item, or those that its form has for all."""
    offered = tuple((option["id"], option["text"]) for option in item.options)
    return offered or tuple((option.id, option.text) for option in form.primary.offered)
