"""Our own columns as a JSON array, as written by programs that dump all their rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import clue, clues_of, json_rows
from exchange.foreign.layout import LABELLER, RESULTS, Asked, ForeignLine, Layout, NotInLayout, Source
from exchange.judge_json_lines import lacks
from exchange.refusal import listed
from exchange.tables import JUDGE_VERDICTS


def recognises(source: Source) -> bool:
    """Return whether a file is an array whose first object has the required columns of a verdict and no labeller."""
    return source.is_array and not lacks(source.first, JUDGE_VERDICTS.required) and LABELLER not in source.first


def said_by(row: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """Return what a row says about its candidate, by the names of our columns.

    Raises
    ------
    NotInLayout
        It has no verdict column, and no reason for a missing verdict: a verdict under another name would be lost. A
        verdict that was not given is empty.
    """
    if lacks(row, ("verdict",)) and "verdict" not in asked.columns and not asked.labellers:
        raise NotInLayout(f"has no verdict, but {listed(row)}; correct the name, or leave it empty if none was given.")
    # As in our tables, a column `model` is passed on: its content shows which model it names.
    names = RESULTS if "model" in asked.columns else (*RESULTS, "model")
    return {name: row[name] for name in names if name in row}


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read a row by the names of our columns; other columns are ignored, as in our tables."""
    clues = clues_of(item=clue(row.get("item")), candidate=clue(row.get("candidate")))
    yield ForeignLine(number, clues, said_by(row, asked))


LAYOUT = Layout(
    key="array",
    name="our own columns, as an array",
    clues="item and candidate",
    recognises=recognises,
    rows=json_rows,
    lines=lines,
    confidence_of="verdict",
)
