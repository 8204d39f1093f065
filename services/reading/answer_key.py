"""From the stored rows of an item to how it is answered and what counts as right."""

from __future__ import annotations

from db import Item, Reference
from protocol.forms import Form
from services.reading.correctness import AnswerKey


def answer_key(item: Item, form: Form, reference: Reference | None) -> AnswerKey:
    """Return how an item is answered, by the field that its form has for it, and what counts as right."""
    primary = form.primary
    offered = tuple((option["id"], option["text"]) for option in item.options)
    return AnswerKey(
        format=item.format,
        type=primary.type,
        options=offered or tuple((option.id, option.text) for option in primary.options),
        accepted=tuple(reference.accepted) if reference else (),
        low=reference.low if reference else None,
        high=reference.high if reference else None,
    )
