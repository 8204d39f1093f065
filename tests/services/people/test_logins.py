"""However a login is typed, it is one login; what can be told apart on a screen stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.people.logins import canonical_login


@pytest.mark.parametrize(
    "typed",
    [
        "anna",
        "ANNA",
        "  anna",
        "anna\t",
        "\u00a0anna\u00a0",  # no-break spaces
        "\u3000anna",  # ideographic space
        "\u2003anna\u2028",
        "an\u200bna",  # zero-width space
        "\ufeffanna",
        "an\u00adna",  # soft hyphen
        "anna\x00",
        "\x1banna",
        "anna\u202e",  # right-to-left override
        "\u3164anna\u2800",  # Hangul filler, Braille blank
        "anna\ufe0f",
        "ａｎｎａ",  # full width
        "𝐚𝐧𝐧𝐚",  # mathematical bold
        "anna\ud800",
    ],
)
def test_every_way_of_typing_a_login_is_the_same_login(typed: str) -> None:
    assert canonical_login(typed) == "anna"


def test_blanks_inside_are_one_blank_and_letters_stay_apart() -> None:
    assert canonical_login("Anna \t Maier") == "anna maier"
    assert canonical_login("MU\u0308LLER") == canonical_login("müller") == "müller"
    assert canonical_login("anna") != canonical_login("аnna")  # a Cyrillic letter is another one
    assert canonical_login("\u200b \u3000") == ""


@given(st.text(max_size=30))
def test_a_canonical_login_is_its_own(typed: str) -> None:
    once = canonical_login(typed)

    assert canonical_login(once) == once
    assert "\x00" not in once
    once.encode()
