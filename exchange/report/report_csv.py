"""The report as tidy CSV files (RFC 4180, UTF-8, LF) with a data dictionary.

Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and texts in a study come from many
authors. Therefore a *text* that begins with one of these, a tab, a carriage return or an apostrophe is prefixed with
one apostrophe. Removing one leading apostrophe from a text restores exactly what was stored. Numbers are written as
numbers and never changed, also those below 0 that are stored as text (`number_below_zero`).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from exchange.report.estimate_rows import EstimateRow
from exchange.report.report_structure import Cell, Column, DataFile, EstimateTable, Matrix, Report
from exchange.report.report_tables import matrix_cells, plain
from exchange.report.report_words import lines_of, plan_of

_BELOW_ZERO = re.compile(r"-(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠")

ESTIMATES = (
    Column("section", "", "Section of the report"),
    Column("table", "", "Table within the section"),
    Column("label", "", "What the line says in the report"),
    Column("name", "", "Name of the statistic, with what was compared"),
    Column("raters", "", "Whom it is about: a rater, a pair, a judge with a rater, a floor"),
    Column("stratum", "", "Which items or candidates: all, closed, format ..., category ..., model ..."),
    Column("value", "", "Point estimate; shares as proportions from 0 to 1; empty when undefined"),
    Column("low", "", "Lower limit of the interval; empty when undefined"),
    Column("high", "", "Upper limit of the interval; empty when undefined"),
    Column("confidence", "", "Nominal coverage of the interval"),
    Column("n", "", "Number of units that the value rests on; what was left out is not counted in it"),
    Column("n_clusters", "", "Number of clusters; empty when the interval assumes independent units"),
    Column("cluster", "", "What the clusters are; empty when the interval assumes independent units"),
    Column("unit", "", "What is counted in n"),
    Column("method", "", "How the interval was made"),
    Column("undefined_because", "", "Why value or interval are empty"),
    Column("se", "", "Standard error; empty when the method has none"),
    Column("p", "", "Two-sided P value; empty when the method has none"),
    Column("comparisons", "", "How many comparisons are read together with this one; empty where nothing is compared"),
    Column(
        "p_corrected",
        "",
        "P value corrected as the plan says for how many of these comparisons have one; empty where it does not",
    ),
    Column("low_together", "", "Lower limit of an interval that holds together with those of the other comparisons"),
    Column("high_together", "", "Upper limit of that interval"),
    Column(
        "scale",
        "",
        "How it is printed: percent, points (percentage points), number, signed, seconds, millimetres, pixels",
    ),
    Column("measured_in", "", "What value and limits are in, such as mm, where the field names a unit; else empty"),
    Column("plan", "", "primary, or also for what the analysis plan declares beside it; empty for everything else"),
    Column("field", "", "What was filled in, as PHASE.FIELD, in a study that lists its phases; else empty"),
    Column("versions", "", "Versions of the study with which its units came, as 1|2; empty if it has no versions"),
    Column("note", "", "Note beside it in the report"),
    Column("warning", "", "Why value or interval are uncertain: few clusters, few raters or a rare category"),
)
COUNTS = (
    Column("section", "", "Section of the report"),
    Column("table", "", "Table within the section"),
    Column("row", "", "Number of the row within the table, from 1"),
    Column("column", "", "Column of the table"),
    Column("value", "", "The value: a count or words"),
)
DICTIONARY = (
    Column("file", "", "Name of the file"),
    Column("column", "", "Name of the column; empty where the line describes the file as a whole"),
    Column("meaning", "", "What it holds"),
)


def csv_files(report: Report, *further: DataFile) -> dict[str, Iterator[str]]:
    """Return the lines of every CSV file by name, each generated on demand.

    Parameters
    ----------
    further
        Tables that accompany those of the report but are too long to be held in it.
    """
    tables: list[tuple[str, str, Sequence[Column], Iterable[tuple[Cell, ...]]]] = [
        ("estimates.csv", "Every estimate of the report; one line per estimate.", ESTIMATES, _estimates(report)),
        ("counts.csv", "Every other table of the report; one line per cell.", COUNTS, _counts(report)),
    ]
    tables += [(file.name, file.meaning, file.columns, file.rows) for file in (*report.files, *further)]
    files = {name: csv_lines([column.key for column in columns], rows) for name, _, columns, rows in tables}
    described = [
        ("data_dictionary.csv", "This file: every column of every file.", DICTIONARY),
        *((name, meaning, columns) for name, meaning, columns, _ in tables),
    ]
    files["data_dictionary.csv"] = csv_lines([column.key for column in DICTIONARY], _dictionary(described))
    return files


def _dictionary(tables: Iterable[tuple[str, str, Sequence[Column]]]) -> list[tuple[Cell, ...]]:
    lines: list[tuple[Cell, ...]] = [
        (
            "all files",
            None,
            (
                "UTF-8, one header line, empty cell = missing. A text that would begin with = + - @ tab, line break "
                "or apostrophe has one apostrophe put before it; take it off to get what was stored. True and false "
                "are 1 and 0. Times are UTC."
            ),
        )
    ]
    for name, meaning, columns in tables:
        lines.append((name, None, meaning))
        lines += [(name, column.key, column.meaning) for column in columns]
    return lines


def _estimates(report: Report) -> list[tuple[Cell, ...]]:
    return [
        (
            section.key, table.key, line.label, line.name, line.who, line.stratum, estimate.value, estimate.low,
            estimate.high, estimate.confidence, estimate.n, estimate.n_clusters,
            table.cluster if estimate.n_clusters is not None else None, estimate.unit, estimate.method,
            estimate.undefined_because, estimate.se, estimate.p, *_of_several(line.row), line.scale,
            table.unit_of(line.row) or None, plan_of(line.row) or None, table.field or None,
            "|".join(map(str, line.row.versions)) or None, line.note or None, estimate.warning,
        )
        for section, table in report.estimate_tables()
        for line in lines_of(table)
        for estimate in line.row.estimates
    ]  # fmt: skip


def _of_several(row: EstimateRow) -> tuple[Cell, ...]:
    of = row.comparison
    if of is None:
        return None, None, None, None
    limits = (None, None) if of.together is None else (of.together.low, of.together.high)
    return of.count, of.p, *limits


def _counts(report: Report) -> list[tuple[Cell, ...]]:
    lines: list[tuple[Cell, ...]] = []
    for section in report.sections:
        for table in section.tables:
            if isinstance(table, EstimateTable):
                continue
            if isinstance(table, Matrix):
                keys, rows = matrix_cells(table)
            else:
                keys, rows = [column.key for column in plain(table).columns], list(plain(table).rows)
            for number, row in enumerate(rows, start=1):
                lines += [(section.key, table.key, number, key, cell) for key, cell in zip(keys, row, strict=True)]
    return lines


class _Line:
    """What `csv.writer` writes to: `writerow` returns what `write` returns."""

    def write(self, line: str) -> str:
        return line


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Return the lines of a CSV file, each generated on demand."""
    writer = csv.writer(_Line(), lineterminator="\n")
    yield str(writer.writerow(header))
    for row in rows:
        yield str(writer.writerow([written(cell) for cell in row]))


class _Number(str):
    """A number as it was stored, with all its digits: -1.50 is neither -1.5 nor a formula."""

    __slots__ = ()


def number_below_zero(cell: str | None) -> Cell:
    """Return a stored text as the number below 0 that it spells; anything else as it is.

    Answers and attributes are stored as text. Without this, the numbers below 0 among them, and no others, would be
    written with an apostrophe, and a column of numbers would not be read as one.
    """
    return cell if cell is None or not _BELOW_ZERO.fullmatch(cell) else _Number(cell)


def written(cell: Cell) -> str | int | float:
    """Return a cell as it is written: numbers unchanged, texts protected from being taken for formulas."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else ""
    if isinstance(cell, int | _Number):
        return cell
    return f"'{cell}" if cell.startswith(_RISKY) else cell
