"""What a prompt's file says: its text, or one sentence where that is no text."""

from __future__ import annotations

import pytest

from exchange.refusal import InputRefused
from services.judging.run_identity import text_of


def test_a_byte_order_mark_is_no_part_of_a_prompt() -> None:
    assert text_of("Prüfe streng.\n".encode("utf-8-sig"), "prompt.txt") == "Prüfe streng.\n"


@pytest.mark.parametrize(
    ("encoding", "byte"), [("latin-1", 3), ("utf-16", 1), ("utf-16-le", 5)], ids=["one byte", "marked", "unmarked"]
)
def test_what_is_no_utf_8_is_refused_with_its_place(encoding: str, byte: int) -> None:
    with pytest.raises(InputRefused, match=rf"prompt\.txt is not UTF-8 text \(byte {byte}\); save it as UTF-8\."):
        text_of("Prüfe streng.".encode(encoding), "prompt.txt")
