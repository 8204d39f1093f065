"""Incremental reading of JSON from outside, so that a large file is never all in memory; as strict as `json_text`.

Values are decoded by Python's `json`; this module only finds where one ends and the next begins. The library ijson was
tried and cannot replace it: it refuses the bare NaN of judges' logs, and accepts duplicate keys (ADR 34).
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any, NamedTuple

from exchange.json_text import decoded_value, doubled_key, past_blanks, said_of
from exchange.spreadsheet import text_lines

AT_ONCE = 1 << 18
# No word, punctuation or escape of JSON is longer: an error this close to the end of the held text may just be a cut.
_LONGEST_WORD = 16
_NO_COMMA = "Expecting ',' delimiter"


class Outline(NamedTuple):
    """The object with which a file begins, with its arrays emptied, and whether anything follows it."""

    members: dict[str, Any]
    is_followed: bool


def values_of_array(content: bytes) -> Iterator[Any]:
    """Read an array value by value.

    Raises
    ------
    NotRead
        The bytes are not Unicode text.
    ValueError
        The rest is not valid JSON; the message says what is wrong, without a place.
    """
    text = HeldText(content)
    text.next_letter()
    text.pass_letter()
    yield from _values(text, "the array does not end; the file is cut off or damaged")
    # If files were concatenated, all but the first would be lost silently.
    if text.next_letter():
        raise ValueError("something follows the array")


def values_of_member(content: bytes, name: str) -> Iterator[Any]:
    """Read an array member of the object with which a file begins, value by value; yield nothing if there is none.

    Raises
    ------
    NotRead, ValueError
        See `values_of_array`.
    """
    for key, value in _members(HeldText(content)):
        if key == name and isinstance(value, Iterator):
            yield from value
            return


def outline_of(content: bytes) -> Outline:
    """Return the object with which a file begins, without the contents of its arrays.

    Raises
    ------
    NotRead, ValueError
        See `values_of_array`; also if a key occurs twice.
    """
    text = HeldText(content)
    members: dict[str, Any] = {}
    doubled: str | None = None
    for key, value in _members(text):
        if doubled is None and key in members:
            doubled = key
        members[key] = [] if isinstance(value, Iterator) else value
    # Reported at the end of the object, as for an object that is read at once.
    if doubled is not None:
        raise doubled_key(doubled)
    return Outline(members, bool(text.next_letter()))


class HeldText:
    """The text of a file, of which only the part being read is held in memory."""

    def __init__(self, content: bytes) -> None:
        self._file = text_lines(content, newline="")
        self._held, self._place, self._is_at_end = "", 0, False

    @property
    def held(self) -> int:
        """The number of characters held."""
        return len(self._held)

    def next_letter(self) -> str:
        """Return the next character that is not blank, without consuming it; empty at the end."""
        while True:
            self._place = past_blanks(self._held, self._place)
            if self._place < len(self._held) or not self._hold_more():
                return self._held[self._place : self._place + 1]

    def pass_letter(self) -> None:
        """Consume the next character."""
        self._place += 1

    def value(self) -> Any:
        """Read the next value.

        Raises
        ------
        ValueError
            It is not valid JSON.
        """
        self.next_letter()
        before = ""
        while True:
            try:
                value, end = decoded_value(self._held, self._place)
            except (ValueError, RecursionError) as error:
                said = said_of(error)
                if self._may_be_cut_off(error, said, before) and self._hold_more():
                    before = said
                    continue
                raise ValueError(said) from None
            # A number continues as long as digits follow.
            if end + _LONGEST_WORD < len(self._held) or not self._hold_more():
                self._place = end
                return value

    def _may_be_cut_off(self, error: Exception, said: str, before: str) -> bool:
        if isinstance(error, JSONDecodeError):
            return said.startswith("Unterminated string") or error.pos + _LONGEST_WORD >= len(self._held)
        # The refusal of an overlong number names its length, which is only final once it stops growing.
        return not isinstance(error, RecursionError) and said != before

    def _hold_more(self) -> bool:
        """Double the unread text that is held, by at least one part; return whether there was any more."""
        if self._is_at_end:
            return False
        part = self._file.read(max(AT_ONCE, len(self._held) - self._place))
        self._is_at_end = not part
        if part:
            self._held, self._place = self._held[self._place :] + part, 0
        return bool(part)


def _values(text: HeldText, without_comma: str) -> Iterator[Any]:
    """Read the values of an array after its opening bracket."""
    if text.next_letter() == "]":
        text.pass_letter()
        return
    while True:
        yield text.value()
        letter = text.next_letter()
        if letter not in ("]", ","):
            raise ValueError(without_comma)
        text.pass_letter()
        if letter == "]":
            return


def _members(text: HeldText) -> Iterator[tuple[str, Any]]:
    """Read an object; arrays come as iterators, and what is not consumed from them is skipped."""
    text.next_letter()
    text.pass_letter()
    if text.next_letter() == "}":
        text.pass_letter()
        return
    while True:
        if text.next_letter() != '"':
            raise ValueError("Expecting property name enclosed in double quotes")
        key = text.value()
        if text.next_letter() != ":":
            raise ValueError("Expecting ':' delimiter")
        text.pass_letter()
        if text.next_letter() == "[":
            text.pass_letter()
            entries = _values(text, _NO_COMMA)
            yield key, entries
            for _ in entries:
                pass
        else:
            yield key, text.value()
        letter = text.next_letter()
        if letter not in ("}", ","):
            raise ValueError(_NO_COMMA)
        text.pass_letter()
        if letter == "}":
            return
