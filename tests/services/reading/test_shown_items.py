"""How answers and references are said: in the words of the form, with the unit of a number."""

from __future__ import annotations

from db import Reference
from db.queries import ShownItem
from protocol.forms import FormField
from services.reading import shown_items, words_in_payloads

DIAMETER = FormField(key="answer", type="number", label="Diameter", unit="mm")


def item() -> ShownItem:
    return ShownItem(
        **dict.fromkeys(ShownItem.__dataclass_fields__)
        | {"form": "open", "options": [], "sequences": ["T1"], "overlays": []}
    )


def test_a_number_is_said_with_its_unit() -> None:
    assert words_in_payloads.answer_text(DIAMETER, 12.0) == "12 mm"


def test_the_reference_of_a_number_is_said_with_its_unit() -> None:
    reference = Reference(item_id=1, version=1, accepted=["20"], low=8, high=16)

    assert shown_items.reference_texts(DIAMETER, item(), reference) == ["20 mm", "8 to 16 mm"]
