"""A judge's verdicts as a table with a header and one line per candidate."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from exchange.csv_table import csv_problem
from exchange.file_format import FileFormat, JudgeLine
from exchange.refusal import InputRefused, Problems
from exchange.spreadsheet import table_lines
from exchange.tables import JUDGE_VERDICTS

COLUMNS = JUDGE_VERDICTS.required
OF_ANOTHER_PROGRAM = (
    "If it is another program's, say what its columns are (File of another program on the page, --map of the command)"
)

_CALLED_OTHERWISE = (
    "Rename the column that has it, or say which it is ({}, by File of another program on the page, --map of the "
    "command)"
)


def read(content: bytes, name: str, problems: Problems) -> Iterator[JudgeLine]:
    """Read the cells of each line by the columns of the header; unknown columns are kept.

    Raises
    ------
    NotRead, InputRefused
        The bytes are not a table, or its header lacks a column.
    """
    return read_columns(content, name, problems, known=JUDGE_VERDICTS.names, required=COLUMNS)


def read_columns(
    content: bytes, name: str, problems: Problems, *, known: Iterable[str], required: Sequence[str]
) -> Iterator[JudgeLine]:
    """Read a table with other columns in the same way.

    Parameters
    ----------
    known
        Columns from which the separator of the cells is inferred.
    """
    table = table_lines(content, known)
    reader = csv.DictReader(table.lines, delimiter=table.separator, strict=True)
    last = before = table.lines_before
    try:
        header = list(reader.fieldnames or [])
        missing = [column for column in required if column not in header]
        if missing:
            has = f"; it has {', '.join(header)[:300]}" if header else ""
            if header and required == COLUMNS == tuple(missing):
                has += f". {OF_ANOTHER_PROGRAM}"
            elif header and required == COLUMNS:
                named = ", ".join(f"{column}=COLUMN" for column in missing)
                has += f". {_CALLED_OTHERWISE.format(named)}"
            raise InputRefused(
                f"{name}, line 1: the header lacks {', '.join(missing)}; expected {', '.join(required)}{has}."
            )
        if len(header) != len(set(header)):
            raise InputRefused(f"{name}, line 1: the header names a column twice; keep one of each.")
        last = reader.line_num + before
        for row in reader:
            last = reader.line_num + before
            # One comma too many or too few would move another column's text into the verdict.
            if None in row or None in row.values():
                problems.add(
                    name,
                    f"line {last}",
                    f"not as many cells as the header has ({len(header)}); look for a missing comma or quotation mark.",
                )
                continue
            yield last, row
    except csv.Error as error:
        # An unclosed quotation mark is only noticed at the end of the file; it is in the line after the last whole one.
        raise InputRefused(f"{name}, line {last + 1}: {csv_problem(error)}") from None


FORMAT = FileFormat("CSV", ("csv",), read)
