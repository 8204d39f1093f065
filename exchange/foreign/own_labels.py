"""Our own columns plus `labeller`: labels of several people as a table, an array or JSON Lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import clue, clues_of, json_rows
from exchange.foreign.layout import LABELLER, Asked, ForeignLine, Layout, NotInLayout, RawRow, Source
from exchange.foreign.own_array import said_by
from exchange.judge_csv import read_columns
from exchange.refusal import Problems
from exchange.spreadsheet import table_text, text_lines
from exchange.tables import JUDGE_VERDICTS

COLUMNS = (*JUDGE_VERDICTS.required, LABELLER)
# The number of characters at the start of a table that include its header.
_LONGEST_HEADER = 20_000


def recognises(source: Source) -> bool:
    """Return whether the header, or the first object, has our columns and a labeller."""
    if source.is_archive:
        return False
    return set(COLUMNS) <= header(source)


def header(source: Source) -> set[str]:
    """Return the column names of a table, or the keys of the first object of a JSON file."""
    if source.is_json:
        return set(source.first)
    # A file is only a table of labels if all of it is text.
    text_lines(source.content, newline=None)
    table = table_text(source.beginning[:_LONGEST_HEADER].encode(errors="replace"), COLUMNS)
    first = table.text.partition("\n")[0]
    try:
        return {cell.strip() for cell in next(csv.reader([first], delimiter=table.separator), [])}
    except csv.Error:
        return set()


def rows(source: Source, asked: Asked, problems: Problems) -> Iterator[RawRow]:
    """Read the objects of a JSON file, or the lines of a table.

    Raises
    ------
    NotRead, InputRefused
        The bytes are neither.
    """
    if source.is_json:
        yield from json_rows(source, asked, problems)
        return
    known = (*JUDGE_VERDICTS.names, LABELLER)
    yield from read_columns(source.content, source.name, problems, known=known, required=COLUMNS)


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read a row by the names of our columns; other columns are ignored, as in our tables."""
    labeller = next(iter(clue(row.get(LABELLER))), "").strip()
    if not labeller:
        raise NotInLayout(f"{LABELLER} is empty; say who gave the label.")
    clues = clues_of(item=clue(row.get("item")), candidate=clue(row.get("candidate")))
    yield ForeignLine(number, clues, said_by(row, asked), labeller)


LAYOUT = Layout(
    key="labels",
    name="our own columns, with labeller",
    clues="item and candidate",
    recognises=recognises,
    rows=rows,
    lines=lines,
)
