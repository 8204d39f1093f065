"""Comparisons of two answers in the data files: which two, on which sides, and which was preferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exchange.report.report_structure import Cell, Column, DataFile
from protocol.fields.preference import IN_ORDER, SIDES, as_in_table
from protocol.phases import THEN
from services.report.files.columns import ITEM
from services.report.rows.listed_rows import CandidateLine, ListedRows
from services.report.rows.study_rows import Entry

ON_SIDES = (
    Column("side_a", "Side A", "Of a pair, key of the answer that stood at A for this member"),
    Column("side_b", "Side B", "Of a pair, key of the answer that stood at B for this member"),
)
PREFERRED = Column("preferred", "Preferred", "Of a preference for A or B, key of the answer that stood there")


def pairs_file(lines: Sequence[CandidateLine]) -> DataFile:
    """Return the file of all pairs, whether drawn or named by the tables."""
    return DataFile(
        "pairs.csv",
        "Two answers to one item that are compared; one line per pair. Its key stands as candidate in other files.",
        (
            Column("pair", "Pair", "Key of the pair"),
            ITEM,
            Column("first", "First", "Key of one answer; which stood at A is said in verdicts.csv"),
            Column("second", "Second", "Key of the other one"),
            Column("first_model", "First model", "Model that gave the first"),
            Column("second_model", "Second model", "Model that gave the second"),
        ),
        tuple(
            (line.key, line.item, first.key, second.key, first.model or None, second.model or None)
            for line in lines
            for first, second in [line.pair]
        ),
    )


def sides_of(entry: Entry, candidate: CandidateLine | None) -> tuple[Cell, ...]:
    """Return the cells of `ON_SIDES`; empty if no pair was rated."""
    if candidate is None or not candidate.pair:
        return (None,) * len(ON_SIDES)
    by_order = dict(zip(IN_ORDER, candidate.pair, strict=True))
    return tuple(by_order[which].key for which in entry.sides)


def preferred(rows: ListedRows, entry: Entry, candidate: CandidateLine | None, field: str, value: Any) -> tuple[Cell]:
    """Return the cells of `PREFERRED`; empty for a tie, for neither, or for another field."""
    asked = (entry.phase.removesuffix(THEN), field) in rows.preferences
    if candidate is None or not candidate.pair or not asked or not isinstance(value, str):
        return (None,)
    answers = {side: line.key for side, line in zip(SIDES, candidate.pair, strict=True)}
    return (answers.get(as_in_table(value, entry.sides)),)
