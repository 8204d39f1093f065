"""A CSV table of a study folder: lines that know where they stand, and refuse what does not fit."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from exchange.refusal import InputRefused

Row = TypeVar("Row")
# An answer may not be longer than this: longer text is a broken quotation mark, not an answer.
LONGEST_CELL = 20_000


@dataclass(frozen=True)
class Line:
    """One line of a CSV file, which knows where it stands."""

    file: str
    number: int
    cells: dict[str, str]

    def refuse(self, problem: str) -> InputRefused:
        """Return the refusal of this line."""
        return InputRefused(f"{self.file}, line {self.number}: {problem}")

    def text(self, column: str, *, required: bool = True, longest: int = LONGEST_CELL) -> str:
        """Return the cell without blanks round it."""
        value = self.cells[column].strip()
        if required and not value:
            raise self.refuse(f"{column} is empty; fill it in.")
        if "\x00" in value:
            raise self.refuse(f"{column} holds a NUL character; remove it.")
        if len(value) > longest:
            raise self.refuse(f"{column} has {len(value)} characters, at most {longest} are taken; shorten it.")
        return value

    def one_of(self, column: str, allowed: Iterable[str]) -> str:
        """Return the text, which must be one of `allowed`."""
        value = self.text(column)
        known = list(allowed)
        if value not in known:
            raise self.refuse(f"{column} is '{value}', expected {listed(known)}; mend the cell.")
        return value

    def flag(self, column: str, *, otherwise: bool | None = None) -> bool:
        """Return whether the cell says true; an empty cell is refused unless `otherwise` says what it means."""
        if otherwise is not None and not self.cells[column].strip():
            return otherwise
        return self.one_of(column, ("true", "false")) == "true"

    def names(self, column: str) -> tuple[str, ...]:
        """Return the different names of a cell that lists them as a|b; an empty cell lists none."""
        named = tuple(part.strip() for part in self.text(column, required=False).split("|") if part.strip())
        if len(named) != len(set(named)):
            raise self.refuse(f"{column} is '{self.cells[column]}', which names something twice; mend the cell.")
        return named

    def known(self, column: str, known: Iterable[str], file: str) -> str:
        """Return a key, which must be one of another table's."""
        value = self.text(column, longest=80)
        if value not in known:
            raise self.refuse(f"{column} '{value}' is not in {file}; add it there or mend the cell.")
        return value

    def number_or_none(self, column: str) -> float | None:
        """Return a finite number, or None for an empty cell."""
        value = self.text(column, required=False)
        if not value:
            return None
        try:
            number = float(value)
        except ValueError:
            raise self.refuse(f"{column} is '{value}', expected a number or nothing; mend the cell.") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise self.refuse(f"{column} is '{value}', expected a finite number; mend the cell.")
        return number

    def date_or_none(self, column: str) -> datetime.date | None:
        """Return a date, or None for an empty cell."""
        value = self.text(column, required=False)
        if not value:
            return None
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            raise self.refuse(f"{column} is '{value}', expected a date as YYYY-MM-DD; mend the cell.") from None


def read_table(
    folder: Path,
    name: str,
    columns: tuple[str, ...],
    make: Callable[[Line], Row],
    *,
    unique: str | None = None,
    optional: tuple[str, ...] = (),
) -> tuple[Row, ...]:
    """Read one table; every line becomes a row, and no two lines may share the `unique` column.

    Columns of `optional` may be missing: their cells are then empty.
    """
    first_seen: dict[str, int] = {}
    rows = []
    for line in _lines(folder / name, columns, optional):
        if unique is not None:
            key = line.text(unique, longest=80)
            if key in first_seen:
                raise line.refuse(
                    f"{unique} '{key}' stands already in line {first_seen[key]}; give every line its own."
                )
            first_seen[key] = line.number
        rows.append(make(line))
    if not rows:
        raise InputRefused(f"{name} holds no lines below its header; a study needs at least one.")
    return tuple(rows)


def _lines(path: Path, columns: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[Line]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputRefused(f"{path.name} is missing: expected a CSV file with {listed(columns)}; add it.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    except OSError as error:
        raise InputRefused(f"{path.name} cannot be read ({error.strerror}); expected a CSV file.") from None
    # Not splitlines(): it also parts a text at characters that end no line in CSV.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    last = 0
    try:
        header = [name.strip() for name in next(reader)]
        last = reader.line_num
        missing = [name for name in columns if name not in header]
        unknown = [name for name in header if name not in columns + optional]
        if missing or unknown or len(header) != len(set(header)):
            problem = f"lacks {listed(missing)}" if missing else f"has unknown or doubled {listed(unknown or header)}"
            raise InputRefused(f"{path.name}, line 1: the header {problem}; expected {', '.join(columns)}.")
        for cells in reader:
            last = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise InputRefused(
                    f"{path.name}, line {reader.line_num}: {len(cells)} cells, expected {len(header)}; "
                    "look for a missing comma or quotation mark."
                )
            found = dict(zip(header, cells, strict=True))
            yield Line(path.name, reader.line_num, {**dict.fromkeys(optional, ""), **found})
    except StopIteration:
        raise InputRefused(f"{path.name} is empty: expected the header {', '.join(columns)}; add it.") from None
    except csv.Error as error:
        # An open quotation mark is noticed at the end of the file; it stands in the line after the last whole one.
        raise InputRefused(f"{path.name}, line {last + 1}: not valid CSV ({error}); mend the line.") from None


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence: the first six, and how many more there are."""
    every = list(names)
    return ", ".join(every[:6]) + (f" and {len(every) - 6} more" if len(every) > 6 else "")
