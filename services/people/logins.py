"""One form of a login, however it was typed or pasted: whoever counts, stores or looks for a login does it by this."""

from __future__ import annotations

import unicodedata

# Drawn as nothing or as a blank, although Unicode calls them letters, marks or symbols.
_INVISIBLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
# Controls, formats (zero-width characters, directions) and lone surrogates.
_UNSEEN = {"Cc", "Cf", "Cs"}


def canonical_login(typed: str) -> str:
    """Return a login without regard to case, to blanks round it or doubled, and to forms of one character.

    Only what somebody can see tells two logins apart: compatibility forms become plain ones (NFKC), every kind of blank
    becomes one space, and characters that are not drawn are left out.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", typed).casefold())
    seen = "".join(
        " " if character.isspace() else character
        for character in folded
        if character.isspace() or not (ord(character) in _INVISIBLE or unicodedata.category(character) in _UNSEEN)
    )
    return " ".join(seen.split())
