"""How sentences list, count and name things."""

from __future__ import annotations

from collections.abc import Sequence

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words with commas, and `last` before the last of them."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def number(count: int) -> str:
    """Return a number as a word up to six, then in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def capital(sentence: str) -> str:
    """Return a sentence with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def mid(title: str) -> str:
    """Return a title as it is written within a sentence: "Senior physicians" in small letters, "MRI staff" as it is."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def spoken(key: str) -> str:
    """Return a key as words."""
    return key.replace("_", " ")
