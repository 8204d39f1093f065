"""CSV files, JSON arrays or JSON Lines with any columns: an admin says which column holds what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exchange.foreign import own_labels
from exchange.foreign.json_rows import clue, clues_of, json_rows
from exchange.foreign.layout import Asked, ForeignLine, Layout, RawRow, Source
from exchange.judge_csv import read_columns
from exchange.refusal import Problems

# Our own columns that identify a candidate. In files with a column per labeller they need not be mapped.
KEYS = ("item", "candidate")


def recognises(_source: Source) -> bool:
    """Return False: nothing in a file shows that its columns are to be mapped; only the admin says so."""
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
    yield from read_columns(source.content, source.name, problems, known=(*wanted, *KEYS), required=wanted)


def names_candidates(source: Source, asked: Asked) -> bool:
    """Return whether a file with a column for each labeller identifies candidates by one of our own columns."""
    return bool(asked.labellers) and not source.is_archive and not own_labels.header(source).isdisjoint(KEYS)


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Return an empty line (with its keys, if labellers have columns): the reader fills in what is mapped."""
    keys = {name: clue(row.get(name)) for name in KEYS} if asked.labellers else {}
    yield ForeignLine(number, clues_of(**keys), {})


LAYOUT = Layout(
    key="mapped",
    name="mapped columns",
    clues="the columns that are mapped",
    recognises=recognises,
    rows=rows,
    lines=lines,
)
