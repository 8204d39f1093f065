"""What spreadsheet programs write in tables: encodings, separators, flags, numbers and dates.

Unambiguous input is understood; ambiguous input is refused with both readings. The machine's locale is never used.
"""

from __future__ import annotations

import codecs
import csv
import datetime
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TextIO

from protocol.study import DateOrder

# Excel writes true and false in its own language.
TRUE = ("true", "yes", "1", "wahr", "ja", "vrai", "oui", "verdadero", "vero")
FALSE = ("false", "no", "0", "falsch", "nein", "faux", "non", "falso")
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_UNDERSTOOD = (",", ";")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})([ T]00:00(:00(\.0+)?)?)?", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
# The first bytes of workbooks, whatever their ending: a ZIP archive (.xlsx), or the older compound file (.xls).
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEP_LINE = re.compile(r"sep=(.)\r?\n")
_DECODED_AT_ONCE = 1 << 20
# The number of bytes that are examined to recognise UTF-16.
_LOOKED_AT = 200


class NotRead(ValueError):
    """A text cannot be read; the message completes a sentence that begins with the file's name."""


@dataclass(frozen=True)
class TableText:
    """The text of a table, its separator, and the line of the file where it begins."""

    text: str
    separator: str
    lines_before: int
    converted: tuple[str, ...]


def decoded(content: bytes) -> tuple[str, str]:
    """Return the text of a file, and its encoding if that is not UTF-8.

    Raises
    ------
    NotRead
        The bytes are not Unicode text; the message names the place and what to save it as.
    """
    if content.startswith(_WORKBOOKS):
        raise NotRead("is an Excel workbook; save it as CSV UTF-8.")
    if _is_unmarked_utf_16(content):
        raise NotRead("is UTF-16 text without a byte order mark; save it as UTF-8, in Excel as 'CSV UTF-8'.")
    if content.startswith(_UTF_16):
        try:
            return content.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError as error:
            raise NotRead(f"is damaged UTF-16 text (byte {error.start}); save it as UTF-8.") from None
    try:
        return _marked_once(content).decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        # With one byte per character, the characters depend on the machine that wrote the file, so do not guess.
        raise NotRead(
            f"is not UTF-8 text (byte {error.start}), probably Excel's plain 'CSV' (Windows-1252); save it as UTF-8, "
            "in Excel as 'CSV UTF-8'."
        ) from None


def table_text(content: bytes, columns: Iterable[str]) -> TableText:
    """Decode a table and determine its separator from the columns that its header should have."""
    text, encoding = decoded(content)
    converted = [f"{encoding} text"] if encoding else []
    named = _SEP_LINE.match(text)
    if named:
        text = text[named.end() :]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    separator = _understood(_separator(text, set(columns)))
    if separator != ",":
        converted.append(f"cells separated by {SEPARATORS[separator]}")
    return TableText(text, separator, 1 if named else 0, tuple(converted))


@dataclass(frozen=True)
class TableLines:
    """The lines of a table as they are decoded, their separator, and the line where the table begins."""

    lines: Iterator[str]
    separator: str
    lines_before: int


def table_lines(content: bytes, columns: Iterable[str]) -> TableLines:
    """Read a table as `table_text` does, but in parts: its text may take four times the memory of its bytes.

    Raises
    ------
    NotRead
        The bytes are not Unicode text, or the separator of its cells is not understood.
    """
    lines = text_lines(content, newline=None)
    first = next(lines, "")
    named = _SEP_LINE.match(first)
    if named:
        first = next(lines, "")
    separator = _understood(_separator(first, set(columns)))
    return TableLines(chain([first], lines) if first else iter(()), separator, 1 if named else 0)


def text_lines(content: bytes, *, newline: str | None) -> TextIO:
    """Return the lines of a file with their line ends, decoded in parts.

    Parameters
    ----------
    newline
        The line end, as for `open`.

    Raises
    ------
    NotRead
        The bytes are not Unicode text.
    """
    content = _marked_once(content)
    encoding = "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"
    if content.startswith(_WORKBOOKS) or _is_unmarked_utf_16(content) or not _is_text(content, encoding):
        # This raises an error that says what is wrong, and at which byte.
        decoded(content)
    return io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline=newline)


def _marked_once(content: bytes) -> bytes:
    """Return a file with at most one UTF-8 byte order mark: a program that adds one to each file may add a second."""
    while content.startswith(codecs.BOM_UTF8 * 2):
        content = content.removeprefix(codecs.BOM_UTF8)
    return content


def _is_unmarked_utf_16(content: bytes) -> bool:
    """Return whether a file begins with two-byte characters of which one byte is 0, which UTF-8 would read as NULs.

    A few of its first characters may be from other alphabets and have no such byte.
    """
    beginning = content[:_LOOKED_AT]
    zeros = beginning[::2].count(0), beginning[1::2].count(0)
    return not content.startswith(_UTF_16) and max(zeros) > len(beginning) // 4 and min(zeros) == 0


def _is_text(content: bytes, encoding: str) -> bool:
    """Return whether bytes are text, without keeping the text in memory."""
    decoder, view = codecs.getincrementaldecoder(encoding)(), memoryview(content)
    try:
        for start in range(0, len(view), _DECODED_AT_ONCE):
            decoder.decode(view[start : start + _DECODED_AT_ONCE], start + _DECODED_AT_ONCE >= len(view))
    except UnicodeDecodeError:
        return False
    return True


def _understood(separator: str) -> str:
    if separator not in _UNDERSTOOD:
        raise NotRead(f"is separated by {SEPARATORS[separator]}, expected commas or semicolons; save it as CSV.")
    return separator


def _separator(text: str, columns: set[str]) -> str:
    """Return the separator that splits the header into the most known columns; a comma unless another does better."""
    header = text.partition("\n")[0][:20_000]
    recognised = {}
    for separator in SEPARATORS:
        try:
            cells = next(csv.reader(io.StringIO(header), delimiter=separator), [])
        except csv.Error:
            cells = []
        recognised[separator] = len(columns & {cell.strip() for cell in cells})
    return max(SEPARATORS, key=lambda separator: recognised[separator])


def flag_of(value: str) -> bool | None:
    """Return the meaning of a spreadsheet's yes or no; None if it is neither."""
    word = value.casefold()
    return True if word in TRUE else False if word in FALSE else None


def number_of(value: str, *, decimal_comma: bool) -> float:
    """Return a finite number.

    Raises
    ------
    NotRead
        Saying what was expected.
    """
    if _DECIMAL_COMMA.fullmatch(value):
        if not decimal_comma:
            raise NotRead("expected a number with a decimal point: a comma is accepted only in tables with semicolons")
        value = value.replace(",", ".")
    if value.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise NotRead("expected a finite number")
    if not _NUMBER.fullmatch(value):
        raise NotRead("expected a number or nothing")
    number = float(value)
    if number in (float("inf"), float("-inf")):
        raise NotRead("expected a finite number")
    return number


def date_of(value: str, order: DateOrder | None) -> datetime.date:
    """Return the day that a cell names.

    A date that ends in the year is read in the given `order`. Without one, a dotted date is read day first, as is usual
    wherever dots are used, and any other date only if it is unambiguous.

    Raises
    ------
    NotRead
        Saying what was expected, with both readings if there are two.
    """
    if match := (_ISO.fullmatch(value) or _COMPACT.fullmatch(value)):
        return _day(int(match[1]), int(match[2]), int(match[3]))
    if match := _YEAR_FIRST.fullmatch(value):
        return _day(int(match[1]), int(match[3]), int(match[4]))
    match = _YEAR_LAST.fullmatch(value)
    if match is None:
        raise NotRead("expected a date as YYYY-MM-DD")
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if order is None and match[2] == ".":
        order = "day_first"
    if order is not None:
        day, month = (first, second) if order == "day_first" else (second, first)
        try:
            return _day(year, month, day)
        except NotRead:
            words = order.replace("_", " ")
            raise NotRead(f"expected a date that exists when it is read {words}, or one as YYYY-MM-DD") from None
    possible = []
    for month, day in ((second, first), (first, second)):
        try:
            possible.append(datetime.date(year, month, day))
        except ValueError:
            continue
    if not possible:
        raise NotRead("expected a date as YYYY-MM-DD")
    if len(set(possible)) > 1:
        day_first, month_first = possible
        raise NotRead(
            f"which is {day_first} day first and {month_first} month first; write YYYY-MM-DD, or say in protocol.yaml "
            "dates: day_first or dates: month_first"
        )
    return possible[0]


def _day(year: int, month: int, day: int) -> datetime.date:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        raise NotRead("expected a date that exists, as YYYY-MM-DD") from None
