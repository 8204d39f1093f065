"""The agreement report as plain structures: what the page draws and the writers of HTML, CSV and JSON write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from exchange.estimate_rows import EstimateRow, Party, Stratum
from exchange.statistic_names import MEASURED, Compared, Statistic

Cell = str | int | float | bool | None
# The section of the plan, and its table of what became of the criteria.
PLAN, CRITERIA = "plan", "criteria"
# How the rows of a table are drawn, where they are.
Drawn = Literal["no", "forest", "scale", "ranks", "distances", "reliability", "coverage", "levels", "thirds"]


@dataclass(frozen=True)
class PairedPoints:
    """What two gave to the same units, as their mean and their difference, first minus second.

    Attributes
    ----------
    points
        Mean, difference, and how many units have both.
    """

    parties: tuple[Party, Party]
    points: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True)
class TitleParts:
    """What the title of a table is put together from, so that those of its figures can be too.

    Attributes
    ----------
    label
        What it begins with: the label of a field where a phase has several, or what the plan calls a line; else empty.
    words
        What it says behind that.
    is_primary
        It is of the primary line of the plan.
    names
        Which of the statistics of the table the words name already.
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
        What a line is called by: its part of the items, its statistic, or both.
    cluster
        What the intervals are clustered by.
    of
        Whose table it is, where there is one for each of several.
    field
        The field that was filled in, as PHASE.FIELD, in a study that lists its phases.
    form
        Where several forms have a field of that name, the form of this one; empty for the first, which plans are about.
    measured_in
        In what the numbers of the field are, such as mm; empty where it names no unit.
    drawn
        How its rows are drawn, where that follows from the type of the field, such as values with intervals, or shares
        on both sides of the middle of an ordered scale.
    points
        Of differences with their limits, the units that they are computed of, for their figure.
    elsewhere
        Of each row, the title of the table of the plan that has it: it is printed there alone, and is in files
        in both places. Empty for a row that is only here; no entries at all where no row is elsewhere.
    parts
        Of which parts the title is; None where it is one.
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
        """Return in what the value of a row is, such as mm; empty where it is in no unit of the field."""
        return self.measured_in if row.statistic in MEASURED else ""

    @property
    def printed_here(self) -> tuple[EstimateRow, ...]:
        """The rows that are printed in this table, and not in one of the plan."""
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
    """Counts and words that are no estimates. `grouped`: rows with the same first cell belong together."""

    key: str
    title: str
    explanation: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    grouped: bool = False


@dataclass(frozen=True)
class QuartileRow:
    """How a share of slices spreads over verdicts, in whole percent, for one scan and plane."""

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
    """Counts of pairs of answers on one part of the items: those of one party in rows, of the other in columns."""

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
class Section:
    """One part of the report.

    Attributes
    ----------
    short_title
        One word for it, where there is little room.
    explanation
        The text before its figures and tables: what they are of, and what is not among them.
    method
        The text behind them: how they were computed.
    """

    key: str
    short_title: str
    title: str
    explanation: tuple[str, ...]
    tables: tuple[Table, ...]
    method: tuple[str, ...] = ()

    @property
    def tables_first(self) -> tuple[Table, ...]:
        """The tables before its figures: what became of the criteria, for which a plan is opened first."""
        return tuple(table for table in self.tables if (self.key, table.key) == (PLAN, CRITERIA))

    @property
    def tables_behind(self) -> tuple[Table, ...]:
        """The tables behind its figures."""
        return tuple(table for table in self.tables if (self.key, table.key) != (PLAN, CRITERIA))

    def table(self, key: str) -> Table | None:
        """Return the table with this key, or None when the study gave no reason for it."""
        return next((table for table in self.tables if table.key == key), None)


@dataclass(frozen=True)
class DataFile:
    """A tidy table of what the report rests on; written as a CSV file of its own.

    `rows` can be gone through more than once; those of a long table are not held in memory.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Iterable[tuple[Cell, ...]]


@dataclass(frozen=True)
class Report:
    """The whole report of one study at one moment.

    `judge_runs` are the ids of the runs whose verdicts belong to it; None where there is nothing to judge. Labels made
    elsewhere, by the ids of their imports in `label_imports`, belong to its files alone: no figure rests on them.
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
        """Return the section with this key, or None when the report has none."""
        return next((section for section in self.sections if section.key == key), None)

    def estimate_tables(self) -> Iterator[tuple[Section, EstimateTable]]:
        """Go through every table of estimates, with its section."""
        for section in self.sections:
            for table in section.tables:
                if isinstance(table, EstimateTable):
                    yield section, table
