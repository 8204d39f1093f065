"""What is wrong with a file of separated values: messages that say where, and what to do about it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

SEPARATORS = (",", ";", "\t")
_NAMED = {",": "comma", ";": "semicolon", "\t": "tab"}
_DECIMAL_COMMA = re.compile(r"^(\s*[+-]?\d*),(\d+\s*)$")
_BLOCK = 1 << 20
_MOST_NAMES = 12
"""The most columns that are listed if one is missing."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SAID = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
_PACKED = {
    b"\x1f\x8b": ("(gzip)", "unpack it first"),
    b"PK\x03\x04": ("(ZIP) or a workbook of Excel", "unpack it, or save it in Excel as 'CSV UTF-8'"),
    b"BZh": ("(bzip2)", "unpack it first"),
    b"\xfd7zXZ": ("(xz)", "unpack it first"),
}
"""By a file's first bytes: how it is packed, and what to do about it."""


def separator_of(path: Path) -> str:
    """The separator of the headings: the one declared above them, else the most frequent of comma, semicolon and tab.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
    """
    with path.open(encoding="utf-8-sig") as lines:
        first = lines.readline()
    said = _SAID.fullmatch(first)
    return said[1] if said else max(SEPARATORS, key=first.count)


def lines_before_headings(path: Path) -> int:
    """How many lines to skip: 1 if the first line declares the separator for Excel, as in ``sep=;``.

    Parameters
    ----------
    path : Path

    Returns
    -------
    int
    """
    with path.open(encoding="utf-8-sig") as lines:
        return int(_SAID.fullmatch(lines.readline()) is not None)


def with_point(written: str) -> str:
    """Replace a decimal comma, as spreadsheets write it in semicolon-separated files; other text is unchanged.

    Parameters
    ----------
    written : str

    Returns
    -------
    str

    Examples
    --------
    >>> with_point("-0,25"), with_point(" 7,5"), with_point("1,000,000"), with_point("a,5")
    ('-0.25', ' 7.5', '1,000,000', 'a,5')
    """
    return _DECIMAL_COMMA.sub(r"\1.\2", written)


def headings_of(path: Path) -> tuple[str, ...]:
    """The headings without surrounding blanks.

    Parameters
    ----------
    path : Path

    Returns
    -------
    tuple of str
    """
    with path.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text, delimiter=separator_of(path))
        first = next(islice(rows, lines_before_headings(path), None), [])
    return tuple(name.strip() for name in first)


def what_is_no_text(path: Path) -> str | None:
    """Why a file is not read at all; None if it can be.

    It is empty, packed, in another encoding, contains zero bytes or an unclosed quotation mark, has an empty line in
    place of its headings, or declares an unknown separator.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str or None
        The rest of a sentence after the file's name.
    """
    marks, anything, before = 0, False, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            packed = None if before else next((how for start, how in _PACKED.items() if block.startswith(start)), None)
            if packed is not None:
                return f"is packed {packed[0]}; expected a CSV or Parquet file: {packed[1]}"
            if not before and block[:2] in _UTF_16:
                return "is UTF-16 text; save it as UTF-8, in Excel as 'CSV UTF-8'"
            if b"\0" in block:
                line = before + block[: block.index(b"\0")].count(b"\n") + 1
                return f"holds a byte 0 on line {line}, which is no text; expected a CSV file in UTF-8"
            marks += block.count(b'"')
            anything = anything or bool(block.strip())
            before += block.count(b"\n")
    if not anything:
        return "is empty; expected headings, and below them a row for each verdict"
    return _no_headings(path) or (_open_mark(path) if marks % 2 else None)


def what_is_torn(path: Path) -> str:
    """What is wrong with a file that could not be read: its encoding, or a row whose length differs from the headings.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
        The rest of a sentence after the file's name.
    """
    line = 0
    try:
        separator = separator_of(path)
        with path.open(encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=separator)
            headings = len(next(islice(rows, lines_before_headings(path), None), []))
            line = rows.line_num
            for cells in rows:
                if cells and len(cells) != headings:
                    return (
                        f"has {len(cells)} cells on line {line + 1} and {headings} heading{'s'[: headings != 1]}; "
                        f"expected as many, and cells with a {_NAMED[separator]} of their own in quotation marks"
                    )
                line = rows.line_num
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        return f"is no UTF-8 text (byte 0x{byte:02x}); save it as UTF-8, in Excel as 'CSV UTF-8'"
    except csv.Error as error:
        return f"cannot be read from line {line + 1} on: {error}"
    return "cannot be read as a table of separated values; expected a CSV file in UTF-8"


def no_column(name: str, names: Sequence[str]) -> str:
    """State that a file lacks a column, and list the columns it has.

    Parameters
    ----------
    name : str
    names : sequence of str

    Returns
    -------
    str

    Examples
    --------
    >>> no_column("item", ["Item", "rater"])
    "no column 'item'; it has Item, rater"
    """
    shown = ", ".join(names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    alone = "; expected headings separated by commas, semicolons or tabs" if len(names) == 1 else ""
    return f"no column {name!r}; it has {shown}{more}{alone}"


def _no_headings(path: Path) -> str | None:
    """What is wrong with the headings' place: an empty line, or an unknown separator declared above."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        first = lines.readline()
        said = _SAID.fullmatch(first)
        if said and said[1] not in SEPARATORS:
            return f"says {first.strip()!r} on line 1; expected a comma, a semicolon or a tab between the cells"
        headings = lines.readline() if said else first
    return None if headings.strip() else f"has nothing on line {1 + bool(said)}; expected the headings there"


def _open_mark(path: Path) -> str | None:
    """Where an unclosed quotation mark opens, which would swallow all rows below it into one cell."""
    line = 0
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as text:
        separator = max(SEPARATORS, key=text.readline().count)
        text.seek(0)
        rows = csv.reader(text, delimiter=separator, strict=True)
        try:
            for _ in rows:
                line = rows.line_num
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                return f"opens a quotation mark on line {line + 1} that is never closed; expected them in pairs"
    return None
