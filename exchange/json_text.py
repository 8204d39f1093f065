"""JSON from outside, refusing what Python's own reader accepts silently: duplicate keys and endless numbers."""

from __future__ import annotations

import json
from typing import Any

from exchange.refusal import shown

_LONGEST_NUMBER = 40
_BLANK = " \t\r\n"


def json_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ValueError
        It is not valid JSON; the message says what is wrong, without a place.
    """
    try:
        value, end = decoded_value(text, past_blanks(text, 0))
    except (ValueError, RecursionError) as error:
        raise ValueError(said_of(error)) from None
    if text[end:].strip(_BLANK):
        raise ValueError("Extra data")
    return value


def first_value(text: str) -> Any:
    """Return the value with which a text begins, or the first value of its array; None if it begins with neither."""
    start = past_blanks(text, 0)
    if text[start : start + 1] == "[":
        start = past_blanks(text, start + 1)
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def decoded_value(text: str, place: int) -> tuple[Any, int]:
    """Return the value at a place, and where it ends.

    Raises
    ------
    ValueError, RecursionError
        As raised by the decoder; `said_of` words them.
    """
    return _DECODER.raw_decode(text, place)


def said_of(error: Exception) -> str:
    """Return in words why a text could not be decoded, without a place."""
    return "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))


def past_blanks(text: str, place: int) -> int:
    """Return the index of the next character that is not blank."""
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a duplicate key: the standard library silently keeps the last one."""
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise doubled_key(key)
            seen.add(key)
    return members


def doubled_key(key: str) -> ValueError:
    """Return the refusal of a duplicate key in an object."""
    return ValueError(f"the key '{shown(key)}' appears twice")


def _number(written: str) -> int | float:
    if len(written) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(written):,} digits")
    return float(written) if any(mark in written for mark in ".eE") else int(written)


_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_int=_number, parse_float=_number)
