"""A CSV file, an array or JSON Lines of any columns: an admin says which column holds what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import json_rows
from exchange.foreign.layout import Asked, ForeignLine, Layout, RawRow, Source
from exchange.judge_csv import read_columns
from exchange.refusal import Problems


def recognises(_source: Source) -> bool:
    """Return False: nothing in a file says that its columns are to be mapped; only the admin who maps them does."""
    return False


def rows(source: Source, asked: Asked, problems: Problems) -> Iterator[RawRow]:
    """Read the objects of a JSON file, or the lines of a table that has the mapped columns.

    Raises
    ------
    NotRead, InputRefused
        The bytes are neither, or the header lacks a mapped column.
    """
    if source.is_json:
        yield from json_rows(source, asked, problems)
        return
    wanted = [column for column in (*asked.columns.values(), *asked.labellers) if column]
    yield from read_columns(source.content, source.name, problems, known=wanted, required=wanted)


def lines(number: int, _row: dict[str, Any], _asked: Asked) -> Iterator[ForeignLine]:
    """Return a line that says nothing yet: the reader of all layouts fills in what is mapped."""
    yield ForeignLine(number, {}, {})


LAYOUT = Layout(
    key="mapped",
    name="mapped columns",
    clues="the columns that are mapped",
    recognises=recognises,
    rows=rows,
    lines=lines,
)
