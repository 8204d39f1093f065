"""A table of verdicts as read from a file: columns as codes and distinct texts, and the line of each row."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from agreement.coding import Codes
from agreement.separated import (
    headings_of,
    lines_before_headings,
    no_column,
    separator_of,
    what_is_no_text,
    what_is_torn,
)

PARQUET = (".parquet", ".pq")


class JudgedFileError(ValueError):
    """The file does not contain what was requested; the message is meant for users."""


@dataclass(frozen=True)
class Column:
    """A column as codes of its distinct texts; -1 for an empty field."""

    codes: Codes
    texts: tuple[str, ...]

    def text(self, row: int) -> str:
        """The text in a row."""
        code = int(self.codes[row])
        return self.texts[code] if code >= 0 else ""


@dataclass(frozen=True)
class Sheet:
    """The columns of a file that are needed.

    Attributes
    ----------
    path : Path
    names : tuple of str
        All columns of the file.
    columns : dict of str to Column
        The columns that were read.
    n : int
        Number of rows.
    """

    path: Path
    names: tuple[str, ...]
    columns: dict[str, Column]
    n: int

    def column(self, name: str) -> Column:
        """A column that was read.

        Parameters
        ----------
        name : str

        Returns
        -------
        Column

        Raises
        ------
        JudgedFileError
            When the file has no column of that name.
        """
        if name not in self.columns:
            raise JudgedFileError(f"{self.path.name} has {no_column(name, self.names)}")
        return self.columns[name]

    @property
    def has_semicolons(self) -> bool:
        """Whether the columns are separated by semicolons, so that numbers may have a decimal comma."""
        return self.path.suffix.lower() not in PARQUET and separator_of(self.path) == ";"

    def where(self, row: int) -> str:
        """File and line of a row, for use in a sentence."""
        if self.path.suffix.lower() in PARQUET:
            return f"{self.path.name}, row {row + 1}"
        return f"{self.path.name}, line {line_of(self.path, row)}"


def read_sheet(path: Path, needed: Collection[str]) -> Sheet:
    """Read the needed columns of a CSV (commas, semicolons, tabs) or Parquet file.

    Parameters
    ----------
    path : Path
    needed : collection of str
        Names of columns; those that the file lacks are ignored.

    Returns
    -------
    Sheet

    Raises
    ------
    JudgedFileError
        When the file does not exist, cannot be read, repeats a needed heading, or has no rows.
    """
    if not path.is_file():
        raise JudgedFileError(f"{path} is not a file")
    table, names = _parquet(path, needed) if path.suffix.lower() in PARQUET else _csv(path, needed)
    if table.num_rows == 0:
        raise JudgedFileError(f"{path.name} has headings and no rows; expected one row for each verdict or candidate")
    columns = {name: _column(table.column(name)) for name in table.column_names}
    return Sheet(path, names, *_without_empty_end(columns, table.num_rows))


def line_of(path: Path, row: int) -> int:
    """The line of a file on which a row begins; the headings are on line 1.

    Parameters
    ----------
    path : Path
        A CSV file; a field may hold line breaks.
    row : int
        Counted from 0, excluding the headings.

    Returns
    -------
    int
    """
    with path.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text, delimiter=separator_of(path))
        next(islice(rows, lines_before_headings(path), None), None)
        before = -1
        for fields in rows:
            if fields:
                before += 1
            if before == row:
                return rows.line_num - sum(field.count("\n") for field in fields)
    return row + 2


def _without_empty_end(columns: dict[str, Column], n: int) -> tuple[dict[str, Column], int]:
    """Drop empty rows at the end, which a spreadsheet writes as nothing but separators."""
    if not columns or any(column.codes[-1] >= 0 for column in columns.values()):
        return columns, n
    filled = np.flatnonzero(np.any([column.codes >= 0 for column in columns.values()], axis=0))
    end = int(filled[-1]) + 1 if filled.size else n
    return {name: Column(column.codes[:end], column.texts) for name, column in columns.items()}, end


def _parquet(path: Path, needed: Collection[str]) -> tuple[pa.Table, tuple[str, ...]]:
    try:
        fields = pa.parquet.read_schema(path)
        names = tuple(fields.names)
        nested = next((field for field in fields if field.name in needed and pa.types.is_nested(field.type)), None)
        if nested is not None:
            raise JudgedFileError(f"{path.name} holds {nested.type} in {nested.name!r}; expected one value in each row")
        return pa.parquet.read_table(path, columns=[name for name in names if name in needed]), names
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise JudgedFileError(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from None


def _csv(path: Path, needed: Collection[str]) -> tuple[pa.Table, tuple[str, ...]]:
    wrong = what_is_no_text(path)
    if wrong is not None:
        raise JudgedFileError(f"{path.name} {wrong}")
    if _is_json(path):
        raise JudgedFileError(
            f"{path.name} is JSON; expected a CSV or Parquet table with one row for each candidate or verdict: write "
            "its rows into one, such as with pandas.read_json(path, lines=True).to_csv(...)"
        )
    try:
        return _separated(path, headings_of(path), needed)
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError, csv.Error):
        raise JudgedFileError(f"{path.name} {what_is_torn(path)}") from None


def _is_json(path: Path) -> bool:
    """Return whether a file begins like a JSON object or array; a heading may begin with a brace too."""
    with path.open(encoding="utf-8-sig", errors="replace") as text:
        beginning = "".join(text.read(1_000).split())
    return beginning.startswith(('{"', "[{", "[[", "{}", "[]"))


def _separated(path: Path, names: tuple[str, ...], needed: Collection[str]) -> tuple[pa.Table, tuple[str, ...]]:
    twice = [name for name in names if name in needed and names.count(name) > 1]
    if twice:
        raise JudgedFileError(f"{path.name} has two columns {twice[0]!r}; expected one of each name")
    # other columns, which may contain long texts, are skipped
    numbered = [name if name in needed else f"{place}\0" for place, name in enumerate(names)]
    wanted = [name for name in numbered if name in needed]
    text = pa.dictionary(pa.int32(), pa.string())
    table = pa.csv.read_csv(
        path,
        read_options=pa.csv.ReadOptions(
            column_names=numbered, skip_rows=lines_before_headings(path), skip_rows_after_names=1
        ),
        parse_options=pa.csv.ParseOptions(delimiter=separator_of(path), newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            include_columns=wanted or numbered[:1],
            column_types=dict.fromkeys(wanted or numbered[:1], text),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    return table.select(wanted) if wanted else table, names


def _column(values: pa.ChunkedArray) -> Column:
    if not pa.types.is_dictionary(values.type):
        values = values.cast(pa.string()).dictionary_encode()
    whole = values.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], values.type)
    texts: Sequence[str] = whole.dictionary.to_pylist()
    codes = _indices(whole.indices)
    stripped = [text.strip() for text in texts]
    if stripped == list(texts) and "" not in stripped:
        return Column(codes, tuple(texts))
    different = {text: code for code, text in enumerate(dict.fromkeys(text for text in stripped if text))}
    place = np.array([*(different.get(text, -1) for text in stripped), -1], dtype=np.intp)
    return Column(place[codes], tuple(different))


def _indices(indices: pa.Int32Array) -> Codes:
    """The numbers in an array of indices, -1 for null; read from its buffers, since Arrow would import pandas."""
    valid, numbers = indices.buffers()
    here = slice(indices.offset, indices.offset + len(indices))
    codes = np.frombuffer(numbers, dtype=np.int32)[here].astype(np.intp)
    if valid is not None and indices.null_count:
        given = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")[here]
        codes[given == 0] = -1
    return codes
