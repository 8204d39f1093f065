"""The agreement report as plain structures, which the page draws and the HTML, CSV and JSON writers write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.statistic_names import MEASURED, Compared, Statistic

Cell = str | int | float | bool | None
# The section of the plan, and its table of the outcome of each criterion.
PLAN, CRITERIA = "plan", "criteria"
# How the rows of a table are drawn, if they are.
Drawn = Literal["no", "forest", "scale", "ranks", "distances", "reliability", "coverage", "levels", "thirds"]


@dataclass(frozen=True)
class PairedPoints:
    """The values that two parties gave to the same units, as mean and difference (first minus second).

    Attributes
    ----------
    points
        Mean, difference, and the number of units that have both.
    """

    parties: tuple[Party, Party]
    points: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True)
class TitleParts:
    """The parts of a table's title, from which titles of its figures are built too.

    Attributes
    ----------
    label
        Its beginning: a field's label if the phase has several fields, or the plan's name for a line; otherwise empty.
    words
        The text after that.
    is_primary
        Whether it belongs to the primary line of the plan.
    names
        The statistics of the table that the words already name.
    """

    label: str
    words: str
    is_primary: bool = False
    names: frozenset[tuple[Statistic, Compared]] = frozenset()

    def __str__(self) -> str:
        return f"{self.label}: {self.words}" if self.label else self.words[:1].upper() + self.words[1:]


@dataclass(frozen=True)
class EstimateTable:
    """Estimates that are read together.

    Attributes
    ----------
    lines
        What its lines are labelled by: the part of the items, the statistic, or both.
    cluster
        What the intervals are clustered by.
    of
        Whose table it is, if there is one for each of several.
    field
        The field that was filled in, as PHASE.FIELD, in a study that lists its phases.
    form
        The form of the field, if several forms have a field of that name; empty for the first, which plans are about.
    measured_in
        The unit of the field's numbers, such as mm; empty if it names none.
    drawn
        How its rows are drawn, if the type of the field decides that, such as values with intervals, or shares on both
        sides of the middle of an ordered scale.
    points
        For differences with their limits, the units that they are computed from, for the figure.
    elsewhere
        For each row, the title of the plan's table that also has it: the row is printed only there, but is in both
        places in files. Empty for a row that is only here; without entries if no row is elsewhere.
    parts
        The parts of the title; None if it has only one.
    """

    key: str
    title: str
    explanation: str
    rows: tuple[EstimateRow, ...]
    lines: Literal["stratum", "statistic", "both"] = "stratum"
    cluster: str = "subject"
    of: Party | None = None
    field: str = ""
    form: str = ""
    measured_in: str = ""
    drawn: Drawn = "no"
    points: tuple[PairedPoints, ...] = ()
    elsewhere: tuple[str, ...] = ()
    parts: TitleParts | None = None

    def unit_of(self, row: EstimateRow) -> str:
        """Return the unit of a row's value, such as mm; empty if it is not in the unit of the field."""
        return self.measured_in if row.statistic in MEASURED else ""

    @property
    def printed_here(self) -> tuple[EstimateRow, ...]:
        """The rows that are printed in this table and not in one of the plan."""
        if not self.elsewhere:
            return self.rows
        return tuple(row for row, title in zip(self.rows, self.elsewhere, strict=True) if not title)


@dataclass(frozen=True)
class Column:
    """One column of a plain table or of a data file; `meaning` goes into the data dictionary."""

    key: str
    title: str
    meaning: str


@dataclass(frozen=True)
class PlainTable:
    """Counts and words that are not estimates. `grouped`: rows with the same first cell belong together."""

    key: str
    title: str
    explanation: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    grouped: bool = False


@dataclass(frozen=True)
class QuartileRow:
    """The distribution over verdicts of a share of slices, in whole percent, for one scan and plane."""

    volume: str
    plane: str
    party: Party
    n: int
    low: int
    median: int
    high: int


@dataclass(frozen=True)
class QuartileTable:
    """Quartiles of what was seen of each scan; rows of one scan and plane belong together."""

    key: str
    title: str
    explanation: str
    rows: tuple[QuartileRow, ...]


@dataclass(frozen=True)
class Matrix:
    """Counts of pairs of answers on one part of the items: one party's answers in rows, the other's in columns."""

    key: str
    title: str
    explanation: str
    stratum: Stratum
    parties: tuple[Party, Party]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


Table = EstimateTable | PlainTable | QuartileTable | Matrix


@dataclass(frozen=True)
class Fold:
    """Tables of a section that are opened together on demand, such as all of one field.

    Attributes
    ----------
    field
        With what the keys of its tables, and of their figures, begin.
    """

    title: str
    keys: frozenset[str]
    field: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the report.

    Attributes
    ----------
    short_title
        One word for it, for use where space is short.
    explanation
        The text before its figures and tables: what they show, and what they leave out.
    method
        The text after them: how they were computed.
    folds
        Which of its tables are folded, in a section with very many of them.
    """

    key: str
    short_title: str
    title: str
    explanation: tuple[str, ...]
    tables: tuple[Table, ...]
    method: tuple[str, ...] = ()
    folds: tuple[Fold, ...] = ()

    @property
    def tables_first(self) -> tuple[Table, ...]:
        """The tables before its figures: the outcome of the criteria, which readers of a plan look for first."""
        return tuple(table for table in self.tables if (self.key, table.key) == (PLAN, CRITERIA))

    @property
    def tables_behind(self) -> tuple[Table, ...]:
        """The tables after its figures."""
        return tuple(table for table in self.tables if (self.key, table.key) != (PLAN, CRITERIA))

    @property
    def folded_behind(self) -> tuple[tuple[Fold | None, tuple[Table, ...]], ...]:
        """The tables after its figures in runs that are folded together; with None, those that are not folded."""
        fold_of = {key: fold for fold in self.folds for key in fold.keys}
        runs = groupby(self.tables_behind, key=lambda table: fold_of.get(table.key))
        return tuple((fold, tuple(tables)) for fold, tables in runs)

    def fold_of_figure(self, key: str) -> Fold | None:
        """Return the fold whose tables a figure draws, by the figure's key; None if they are not folded."""
        own = key.removeprefix(f"{self.key}-")
        of_fields = [fold for fold in self.folds if fold.field and own.startswith(f"{fold.field}_")]
        # One field can be called as another begins.
        return max(of_fields, key=lambda fold: len(fold.field), default=None)

    def table(self, key: str) -> Table | None:
        """Return the table with this key, or None if the study has none."""
        return next((table for table in self.tables if table.key == key), None)


@dataclass(frozen=True)
class DataFile:
    """A tidy table of data behind the report, written as a CSV file of its own.

    `rows` can be iterated more than once; the rows of a long table are not held in memory.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Iterable[tuple[Cell, ...]]


@dataclass(frozen=True)
class Report:
    """The whole report of one study at one moment.

    `judge_runs` are the ids of the runs whose verdicts belong to it; None if there is nothing to judge. Labels made
    elsewhere (the ids of their imports are in `label_imports`) are only in its files: no figure rests on them.
    """

    study_key: str
    title: str
    state: Literal["final", "interim"]
    freeze_sha256: str
    protocol_sha256: str
    software_version: str
    analysis_plan: tuple[tuple[str, str], ...]
    generated_at: datetime
    notices: tuple[str, ...]
    sections: tuple[Section, ...]
    files: tuple[DataFile, ...]
    judge_runs: tuple[int, ...] | None = None
    label_imports: tuple[int, ...] = ()

    def section(self, key: str) -> Section | None:
        """Return the section with this key, or None if the report has none."""
        return next((section for section in self.sections if section.key == key), None)

    def estimate_tables(self) -> Iterator[tuple[Section, EstimateTable]]:
        """Iterate over all tables of estimates, each with its section."""
        for section in self.sections:
            for table in section.tables:
                if isinstance(table, EstimateTable):
                    yield section, table
