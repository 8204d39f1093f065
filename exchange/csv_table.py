"""CSV tables of a study folder: lines that know their place in the file and report every problem."""

from __future__ import annotations

import csv
import datetime
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import Any, Generic, Literal, TypeVar

from exchange.refusal import Conversions, Problems, listed, shown
from exchange.spreadsheet import NotRead, TableText, date_of, flag_of, number_of, table_text
from exchange.table_files import as_on_disk, instead_of, names_in
from exchange.tables import LONGEST_CELL, Table
from protocol.study import DateOrder

Row = TypeVar("Row")
LARGEST_TABLE = 64_000_000
_LONGEST_NAME = 200
# Characters that a key must not contain, because it becomes a line in lists and a cell in every exported file.
_CONTROL = frozenset(map(chr, (*range(32), *range(127, 160))))


@dataclass
class Reader:
    """What is collected while the tables of a folder are read, and how its dates are to be read."""

    problems: Problems
    conversions: Conversions
    # "unknown": the protocol could not be read, so ambiguous dates are accepted for now.
    dates: DateOrder | Literal["unknown"] | None = None
    # By file, keys that other tables refer to and that may belong to lines refused because of their own key, each with
    # the place of the first reference.
    excused: dict[str, dict[str, str]] = field(default_factory=dict)

    def note_excused(self) -> None:
        """Report the keys that may or may not be missing, once all tables are read."""
        for file, places in self.excused.items():
            if places:
                said = f"{listed(places.values())} {'is' if len(places) == 1 else 'are'}"
                self.problems.unseen.append(f"whether {said} meant in {file}, where a line has no key of its own")


@dataclass
class Line:
    """One line of a CSV file, with its number; cells that do not fit are noted and have no value."""

    reader: Reader
    table: Table
    number: int
    cells: dict[str, str]
    # Columns missing from the header: reported once there, and not again for each line.
    absent: frozenset[str] = frozenset()
    decimal_comma: bool = False
    bad: set[str] = field(default_factory=set)

    def problem(self, says: str, column: str = "") -> None:
        """Note a problem in this line."""
        self.bad.add(column)
        self.reader.problems.add(self.table.file, f"line {self.number}", says)

    def sound(self, *columns: str) -> bool:
        """Return whether there are no problems in these cells or, without arguments, in the whole line."""
        return not (self.bad & set(columns) if columns else self.bad)

    def text(self, name: str) -> str:
        """Return the cell without surrounding blanks."""
        column = self.table.column(name)
        value = self.cells[name].strip()
        if name in self.absent:
            self.bad.add(name)
            return ""
        if not value and column.default is None:
            self.problem(f"{name} is empty; fill it in.", name)
        if "\x00" in value:
            self.problem(f"{name} holds a NUL character; remove it.", name)
            return value.replace("\x00", "")
        if column.kind == "key" and not _CONTROL.isdisjoint(value):
            self.problem(
                f"{name} '{shown(value)}' holds a line break, a tab or another sign that cannot be seen; write it in "
                "one line.",
                name,
            )
        if len(value) > column.longest:
            self.problem(f"{name} has {len(value)} characters, at most {column.longest} are taken; shorten it.", name)
            return value[: column.longest]
        return value

    def word(self, name: str, allowed: Collection[str] = ()) -> str:
        """Return the text, which must be one of `allowed` or of the column's own words, or empty if that is allowed."""
        value = self.text(name)
        if not value and self.table.column(name).default is not None:
            return ""
        known = list(allowed or self.table.column(name).allowed)
        if value not in known and self.sound(name):
            near = self.reader.problems.nearest(value, known)
            self.problem(f"{name} is '{shown(value)}', expected {listed(known)}{near}; correct the cell.", name)
        return value

    def flag(self, name: str) -> bool:
        """Return whether the cell says true; an empty cell says false if it may be empty."""
        value = self.text(name)
        if not value:
            return False
        said = flag_of(value)
        if said is None:
            self.problem(f"{name} is '{shown(value)}', expected true or false; correct the cell.", name)
        elif value not in ("true", "false"):
            self.reader.conversions.add(self.table.file, name, value, str(said).lower(), self.number)
        return bool(said)

    def names(self, name: str) -> tuple[str, ...]:
        """Return the distinct names in a cell that lists them as a|b."""
        value = self.text(name)
        named = tuple(part.strip() for part in value.split("|") if part.strip())
        if len(named) != len(set(named)):
            self.problem(f"{name} is '{shown(value)}', which contains a duplicate; correct the cell.", name)
        elif value and not named:
            self.problem(f"{name} is '{shown(value)}', expected names such as a|b; correct the cell.", name)
        return named

    def known(self, name: str, among: Read[Any] | None, file: str) -> str:
        """Return a key, which must exist in another table; if `among` is None, it is not looked up.

        A key that may belong to a refused line is not reported as missing, because that follows from the refusal.
        """
        value = self.text(name)
        if among is None or among.keys is None or value in among.keys or not self.sound(name):
            return value
        excused = self.reader.excused.setdefault(file, {})
        if value not in among.refused and len(excused) < among.without_key:
            excused.setdefault(value, f"{name} '{shown(value)}' ({self.table.file}, line {self.number})")
        if value in among.refused or value in excused:
            self.bad.add(name)
            return value
        near = self.reader.problems.nearest(value, among.keys)
        self.problem(f"{name} '{shown(value)}' is not in {file}{near}; add it there or correct the cell.", name)
        return value

    def number_or_none(self, name: str) -> float | None:
        """Return a finite number, or None for an empty cell."""
        value = self.text(name)
        if not value:
            return None
        try:
            number = number_of(value, decimal_comma=self.decimal_comma)
        except NotRead as problem:
            self.problem(f"{name} is '{shown(value)}', {problem}; correct the cell.", name)
            return None
        if "," in value:
            self.reader.conversions.add(self.table.file, name, value, f"{number:g}", self.number)
        return number

    def date_or_none(self, name: str) -> datetime.date | None:
        """Return a date, or None for an empty cell."""
        value = self.text(name)
        if not value:
            return None
        dates = self.reader.dates
        try:
            day = date_of(value, "day_first" if dates == "unknown" else dates)
        except NotRead as problem:
            if dates != "unknown":
                self.problem(f"{name} is '{shown(value)}', {problem}; correct the cell.", name)
            return None
        if value != day.isoformat():
            self.reader.conversions.add(self.table.file, name, value, day.isoformat(), self.number)
        return day

    def file(self, name: str, folder: Path, *, may_be_missing: bool = False) -> Path:
        """Return the path of a file that is inside the study folder, or will be."""
        named = self.text(name)
        if any(len(part.encode()) > _LONGEST_NAME for part in named.split("/")):
            self.problem(
                f"{name} '{shown(named)}' holds a name of more than {_LONGEST_NAME} letters; give it a shorter one.",
                name,
            )
            return folder
        if not self.sound(name):
            return folder
        try:
            path = as_on_disk(folder, named).resolve()
        except (OSError, RuntimeError):
            self.problem(f"{name} '{shown(named)}' is a link that leads back to itself; add the scan itself.", name)
            return folder
        if Path(named).is_absolute() or not path.is_relative_to(folder.resolve()):
            self.problem(
                f"{name} '{shown(named)}' lies outside the study folder; put the scan inside and name it from there.",
                name,
            )
            return folder
        if path.exists() and not path.is_file():
            self.problem(f"{name} '{shown(named)}' is not a file; name the scan's own file.", name)
        elif not path.exists() and not may_be_missing:
            near = self.reader.problems.nearest(path.name, names_in(path.parent))
            self.problem(f"{name} '{shown(named)}' is missing{near}; add the scan or correct the name.", name)
        return path


@dataclass(frozen=True)
class Read(Generic[Row]):
    """What was read from a table.

    Attributes
    ----------
    rows
        Every line, including those with problems.
    keys
        The values of the unique column; None if the table could not be read.
    doubtful
        The keys of lines with problems: other problems with these keys may disappear with the correction.
    refused
        All cells of lines that could not be read, including their keys.
    without_key
        The number of lines without a key of their own: it is empty, or an earlier line has it.
    """

    rows: tuple[Row, ...]
    keys: frozenset[str] | None
    doubtful: frozenset[str]
    refused: frozenset[str] = frozenset()
    without_key: int = 0
    _by: dict[str, dict[str, list[Row]]] = field(default_factory=dict, compare=False, repr=False)

    def by(self, column: str) -> Mapping[str, Sequence[Row]]:
        """Return the rows grouped by a column: each line of another table may need those of its case."""
        if column not in self._by:
            rows: dict[str, list[Row]] = {}
            for row in self.rows:
                rows.setdefault(getattr(row, column), []).append(row)
            self._by[column] = rows
        return self._by[column]


def read_table(reader: Reader, folder: Path, table: Table, make: Callable[[Line], Row]) -> Read[Row]:
    """Read one table; every line becomes a row, and no two lines may share the unique column."""
    if table.optional and not (folder / table.file).exists() and not instead_of(folder / table.file):
        return Read((), frozenset(), frozenset())
    before = reader.problems.count
    first_seen: dict[str, int] = {}
    doubtful = set()
    refused: set[str] = set()
    without_key = 0
    rows = []
    whole = True
    try:
        for line in _lines(reader, folder / table.file, table, refused):
            key = line.cells[table.unique].strip() if table.unique else ""
            whole = table.unique not in line.absent
            if table.unique and key in first_seen:
                line.problem(
                    f"{table.unique} '{shown(key)}' is already in line {first_seen[key]}; give every line its own.",
                    table.unique,
                )
            elif table.unique and key:
                first_seen[key] = line.number
            without_key += bool(table.unique) and first_seen.get(key) != line.number
            rows.append(make(line))
            if not line.sound():
                doubtful.add(key)
    except _TableRefused as refusal:
        reader.problems.add(table.file, refusal.place, refusal.says)
        whole = False
    if whole and not rows and reader.problems.count == before:
        reader.problems.add(table.file, "", "holds no lines below its header; a study needs at least one.")
        whole = False
    keys = frozenset(first_seen) if whole else None
    return Read(tuple(rows), keys, frozenset(doubtful), frozenset(refused), without_key)


class _TableRefused(Exception):
    """The rest of a table cannot be read."""

    def __init__(self, place: str, says: str) -> None:
        super().__init__(says)
        self.place = place
        self.says = says


def _lines(reader: Reader, path: Path, table: Table, refused: set[str]) -> Iterator[Line]:
    """Yield the lines of a table; the cells of unreadable lines are collected in `refused`."""
    read = _text_of(path, table)
    for converted in read.converted:
        reader.conversions.add(table.file, "", converted, "understood")
    # Not splitlines(): it also splits at characters that do not end a line in CSV.
    rows = csv.reader(io.StringIO(read.text, newline=""), delimiter=read.separator, strict=True)
    last = read.lines_before
    try:
        header = [name.strip() for name in next(rows)]
        width = len(header)
        while header and not header[-1]:
            header.pop()
        absent = _check_header(reader, header, table)
        empty = dict.fromkeys(table.names, "")
        last = rows.line_num + read.lines_before
        for cells in rows:
            last = rows.line_num + read.lines_before
            if not any(cell.strip() for cell in cells):
                continue
            # Spreadsheet programs leave empty columns after the last one, in the header too. If the header is shorter,
            # an empty cell after it comes from an unquoted comma, which has shifted the row.
            while len(header) < len(cells) <= width and not cells[-1].strip():
                cells.pop()
            if len(cells) != len(header):
                separator = "comma" if read.separator == "," else "semicolon"
                look = (
                    f"look for a missing {separator}"
                    if len(cells) < len(header)
                    else f"a cell that holds a {separator} needs quotation marks round it, and several entries of one "
                    "cell have | between them"
                )
                reader.problems.add(table.file, f"line {last}", f"{len(cells)} cells, expected {len(header)}; {look}.")
                refused.update(cell.strip() for cell in cells)
                continue
            by_column = dict(zip(header, cells, strict=True))
            every = {**empty, **by_column}
            yield Line(reader, table, last, every, absent, decimal_comma=read.separator == ";")
    except StopIteration:
        raise _TableRefused("", f"is empty: expected the header {', '.join(table.required)}; add it.") from None
    except csv.Error as error:
        # An unclosed quotation mark is only noticed at the end of the file; it is in the line after the last whole one.
        raise _TableRefused(f"line {last + 1}", csv_problem(error)) from None


def csv_problem(error: csv.Error) -> str:
    """Return the message of Python's CSV reader about a line, in our own words."""
    if "field limit" in str(error):
        return f"a cell has more than {LONGEST_CELL} characters; look for a missing quotation mark."
    # This is how Python's reader reports a file that ends before a closing quotation mark.
    if "unexpected end of data" in str(error):
        return (
            "the file ends inside quotation marks that begin in this row: it is incomplete (export it again), or they "
            "are not closed (correct the row)."
        )
    return f"not valid CSV ({error}); correct the line."


def _text_of(path: Path, table: Table) -> TableText:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise _TableRefused("", "cannot be read (it is not a file); expected a CSV file.")
        if status.st_size > LARGEST_TABLE:
            says = f"has more than {LARGEST_TABLE // 10**6} MB; split the study, or look for what fills it."
            raise _TableRefused("", says)
        return table_text(path.read_bytes(), table.names)
    except FileNotFoundError:
        says = instead_of(path) or f": expected a CSV file with {', '.join(table.required)}; add it."
        raise _TableRefused("", f"is missing{says}") from None
    except OSError as error:
        raise _TableRefused("", f"cannot be read ({error.strerror}); expected a CSV file.") from None
    except NotRead as error:
        raise _TableRefused("", str(error)) from None


def _check_header(reader: Reader, header: list[str], table: Table) -> frozenset[str]:
    """Return the missing columns, and note them together with the unknown ones."""
    missing = [name for name in table.required if name not in header]
    known = {*table.names, *table.may_have}
    unknown = [] if table.takes_others else [name for name in header if name not in known]
    doubled = sorted(name for name, times in Counter(header).items() if times > 1)
    nearest = reader.problems.nearest
    if missing:
        # A column that a faulty protocol may have meant is no name of this table either; without any, it is no header.
        others = [name for name in header if name not in table.names and len(missing) < len(table.required)]
        lacks = ", ".join(f"{name}{nearest(name, others)}" for name in missing)
        says = f"the header lacks {lacks}; expected {', '.join(table.required)}."
        if 2 * len(missing) > len(table.required):
            raise _TableRefused("line 1", says)
        reader.problems.add(table.file, "line 1", says)
    if unknown or doubled:
        free = [name for name in table.names if name not in header]
        wrong = list(dict.fromkeys((*unknown, *doubled)))
        # A file of another kind may have thousands of columns, of which few are named.
        named = listed([*(f"{shown(name)}{nearest(name, free)}" for name in wrong[:9]), *wrong[9:]])
        reader.problems.add(
            table.file,
            "line 1",
            f"the header has unknown or doubled {named}; expected {', '.join(table.names)}.",
        )
    return frozenset(missing)
