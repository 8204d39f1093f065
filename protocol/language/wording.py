"""How sentences list, count and name things."""

from __future__ import annotations

from collections.abc import Sequence

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words joined by commas, with `last` before the last one."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def number(count: int) -> str:
    """Return a number as a word up to six, then in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def how_many(count: int, noun: str) -> str:
    """Return a number in words with its noun: "one attempt", "two attempts"."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage, with a blank before the sign."""
    return f"{100 * share:g} %"


def size_in_words(size: str) -> str:
    """Return an expanded size (a number, `all` or `5%`) as written in sentences."""
    return size.replace("%", " %")


def capital(sentence: str) -> str:
    """Return a sentence with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def mid(title: str) -> str:
    """Return a title for use within a sentence: "Senior physicians" in lower case, "MRI staff" unchanged."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def spoken(key: str) -> str:
    """Return a key as words."""
    return key.replace("_", " ")


def place_in_words(path: Sequence[str | int]) -> str:
    """Return the place of a key in a protocol, for a sentence about what is wrong there.

    Parameters
    ----------
    path
        The keys; a number is an index into a list, from 0. The sentence counts lines from 1.
    """
    words = path_in_words(path)
    return words if any(isinstance(part, int) for part in path) else f"key {words}"


def path_in_words(path: Sequence[str | int]) -> str:
    """Return the path to a key of a protocol: "analysis.primary.of", or "line 2 of analysis.also, key of"."""
    said, keys = "", list[str]()
    for part in path:
        if isinstance(part, str):
            # Quotes make an empty key visible.
            keys.append(part or "''")
            continue
        # The list may itself be within a line of a list.
        said = f"line {part + 1} of {'.'.join(keys) or 'the list'}{f' in {said}' if said else ''}"
        keys = []
    below = ".".join(keys)
    if not said:
        return below
    return f"{said}, key {below}" if below else said
