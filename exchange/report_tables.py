"""Tables as they are printed: the same text on the page and in the HTML file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from exchange.report_structure import (
    Estimated,
    EstimateRow,
    EstimateTable,
    Matrix,
    PlainTable,
    Table,
    shown_cell,
    shown_estimate,
    shown_p,
)

FEW_CLUSTERS = 10
_NO_VALUE = re.compile(r"; \d+ of \d+ resamples had no value and were left out")
_LEFT_OUT = re.compile(r"(?<=; )\d+ (?=[^;]*left out)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class PrintedRow:
    """A row of text; `opens_group` where another part of the items begins."""

    cells: tuple[str, ...]
    opens_group: bool


@dataclass(frozen=True)
class PrintedTable:
    """A table of text, with the notes that its letters point to. `is_number` says which columns are set as figures."""

    title: str
    explanation: str
    headings: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[PrintedRow, ...]
    notes: tuple[str, ...]


def printed(table: Table) -> PrintedTable:
    """Return a table as it is printed."""
    if isinstance(table, EstimateTable):
        return _estimates(table)
    return _matrix(table) if isinstance(table, Matrix) else _plain(table)


def _estimates(table: EstimateTable) -> PrintedTable:
    letters = _letters_of_methods(table)
    percent = f"{100 * table.rows[0].estimate.confidence:g} %" if table.rows else "95 %"
    beside = any(row.beside is not None for row in table.rows)
    tested = any(row.estimate.p is not None for row in table.rows)
    noted = any(row.note for row in table.rows)
    several = len({row.raters for row in table.rows}) > 1 or any(row.raters for row in table.rows)
    headings = ["What", *(["Who"] if several else []), f"Estimate [{percent} interval]"]
    is_number = [False] * (len(headings) - 1) + [True]
    for wanted, heading, number in (
        (beside, "Wilson, assumes independent items", True),
        (True, "n", True),
        (True, f"{table.cluster.capitalize()}s", True),
        (tested, "P", True),
        (noted, "Note", False),
    ):
        if wanted:
            headings.append(heading)
            is_number.append(number)
    rows = []
    earlier = None
    for row in table.rows:
        cells = [row.label, *([row.raters] if several else []), _with_letter(row.estimate, row, letters)]
        cells += [shown_estimate(row.beside, row.scale) if row.beside is not None else ""] if beside else []
        cells += [f"{row.estimate.n} {_plural(row.estimate.unit, row.estimate.n)}", _clusters(row.estimate)]
        cells += [shown_p(row.estimate.p)] if tested else []
        cells += [row.note] if noted else []
        rows.append(PrintedRow(tuple(cells), row.label != earlier))
        earlier = row.label
    return PrintedTable(
        table.title,
        table.explanation,
        tuple(headings),
        tuple(is_number),
        tuple(rows),
        tuple(f"{letter}: {method}" for method, letter in letters.items()) + _warning(table),
    )


def _letters_of_methods(table: EstimateTable) -> dict[str, str]:
    methods = list(dict.fromkeys(_method(row.estimate) for row in table.rows))
    return {method: _LETTERS[i] if i < len(_LETTERS) else str(i + 1) for i, method in enumerate(methods)}


def _method(estimate: Estimated) -> str:
    """Return the method without its counts of what was left out: those differ from line to line, and n says them."""
    return _LEFT_OUT.sub("", _NO_VALUE.sub("; resamples without a value left out", estimate.method))


def _with_letter(estimate: Estimated, row: EstimateRow, letters: dict[str, str]) -> str:
    return f"{shown_estimate(estimate, row.scale)} ({letters[_method(estimate)]})"


def _clusters(estimate: Estimated) -> str:
    if estimate.n_clusters is None:
        return "–"
    return f"{estimate.n_clusters}{' †' if estimate.n_clusters < FEW_CLUSTERS else ''}"


def _warning(table: EstimateTable) -> tuple[str, ...]:
    few = any(row.estimate.n_clusters is not None and row.estimate.n_clusters < FEW_CLUSTERS for row in table.rows)
    if not few:
        return ()
    return (f"† fewer than {FEW_CLUSTERS} {table.cluster}s: the interval is likely to be too narrow",)


def _plural(unit: str, n: int) -> str:
    return unit if n == 1 else f"{unit}s"


def _plain(table: PlainTable) -> PrintedTable:
    is_number = tuple(
        all(isinstance(row[i], int | float) and not isinstance(row[i], bool) for row in table.rows)
        for i in range(len(table.columns))
    )
    return PrintedTable(
        table.title,
        table.explanation,
        tuple(column.title for column in table.columns),
        is_number,
        tuple(
            PrintedRow(
                tuple(shown_cell(cell) for cell in row),
                opens_group=not (table.grouped and i and table.rows[i - 1][0] == row[0]),
            )
            for i, row in enumerate(table.rows)
        ),
        (),
    )


def _matrix(table: Matrix) -> PrintedTable:
    return PrintedTable(
        table.title,
        table.explanation,
        (f"{table.row_title} ↓  {table.column_title} →", *table.column_labels),
        (False, *(True for _ in table.column_labels)),
        tuple(
            PrintedRow((label, *(str(count) for count in counts)), True)
            for label, counts in zip(table.row_labels, table.counts, strict=True)
        ),
        (),
    )
