"""JSON from outside, with what Python's own reader takes without a word refused: doubled keys and endless numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from exchange.refusal import shown

_LONGEST_NUMBER = 40
_BLANK = " \t\r\n"


def json_value(text: str) -> Any:
    """Return what a text says.

    Raises
    ------
    ValueError
        It is not valid JSON; the message says what is wrong, without a place.
    """
    return _read(text, 0)[0]


def first_value(text: str) -> Any:
    """Return the value with which a text begins, or the first one of an array; None where it begins with neither."""
    start = _past(text, 0)
    if text[start : start + 1] == "[":
        start = _past(text, start + 1)
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def values_of_array(text: str) -> Iterator[Any]:
    """Read an array value by value, so that a large file is never all in memory.

    Raises
    ------
    ValueError
        From there on it is not valid JSON; the message says what is wrong, without a place.
    """
    place = _past(text, _past(text, 0) + 1)
    if text[place : place + 1] == "]":
        return
    while True:
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise ValueError(_said(error)) from None
        yield value
        place = _past(text, place)
        if text[place : place + 1] == "]":
            return
        if text[place : place + 1] != ",":
            raise ValueError("the array does not end; the file is cut off or damaged")
        place = _past(text, place + 1)


def _read(text: str, start: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(text, _past(text, start))
    except (ValueError, RecursionError) as error:
        raise ValueError(_said(error)) from None
    if text[end:].strip(_BLANK):
        raise ValueError("Extra data")
    return value, end


def _said(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))


def _past(text: str, place: int) -> int:
    """Return the next place that is not blank."""
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: the standard keeps the last of them without a word."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"the key '{shown(key)}' appears twice")
        members[key] = value
    return members


def _number(written: str) -> int | float:
    if len(written) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(written):,} digits")
    return float(written) if any(mark in written for mark in ".eE") else int(written)


_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_int=_number, parse_float=_number)
