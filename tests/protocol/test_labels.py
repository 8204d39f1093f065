"""A label is parted by a colon from what follows, unless it ends with a sign of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocol.labels import as_label

WORDS = Path(__file__).resolve().parents[2] / "components" / "viewer" / "frontend" / "src" / "words.js"
LABELS = [
    ("Side", "Side:"), ("Is there a lesion?", "Is there a lesion?"), ("Side:", "Side:"), ("Say where.", "Say where."),
    ("Wo liegt es？", "Wo liegt es？"), ("Size (mm)", "Size (mm):"), ("Sure? ", "Sure? "), ("", ":"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "said"), LABELS)
def test_no_colon_is_added_to_a_closing_sign(label: str, said: str) -> None:
    assert as_label(label) == said


def test_the_reading_room_has_the_same_rule() -> None:
    written = re.search(r"asLabel = \(label\) => \(/(.+)/u\.test", WORDS.read_text(encoding="utf-8"))
    assert written is not None
    ends_by_itself = re.compile(written[1])

    assert {label for label, said in LABELS if said == label} == {
        label for label, _ in LABELS if ends_by_itself.search(label)
    }
