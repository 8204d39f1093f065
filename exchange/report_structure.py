"""The agreement report as plain structures: what the page draws and the writers of HTML, CSV and JSON write.

The estimates inside come from `agreement`; here they are known by their shape only, so that this folder stays
readable on its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Scale = Literal["percent", "points", "number", "seconds"]
Cell = str | int | float | bool | None


class Estimated(Protocol):
    """A point estimate with its interval, n, unit and method, or the reason why it is undefined."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def unit(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def undefined_because(self) -> str | None: ...
    @property
    def se(self) -> float | None: ...
    @property
    def p(self) -> float | None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def n_clusters(self) -> int | None: ...


@dataclass(frozen=True)
class EstimateRow:
    """One estimate in its place.

    Attributes
    ----------
    label
        What it is of, in words.
    parties
        Whose it is: one rater, run or floor, or the two that are compared, in their order.
    stratum
        Key of the items that it rests on; `part` is their title.
    scale
        How it is shown.
    beside
        A second interval of the same value (Wilson's) that assumes independent items.
    stage
        `before` or `after` adjudication, where both are reported.
    link
        The word between two parties.
    """

    label: str
    parties: tuple[str, ...]
    stratum: str
    scale: Scale
    estimate: Estimated
    beside: Estimated | None = None
    note: str = ""
    part: str = ""
    stage: str = ""
    link: str = "and"

    @property
    def raters(self) -> str:
        """The parties in words."""
        return f" {self.link} ".join(self.parties)

    @property
    def estimates(self) -> tuple[Estimated, ...]:
        """The estimate and, where there is one, the one beside it."""
        return (self.estimate,) if self.beside is None else (self.estimate, self.beside)


@dataclass(frozen=True)
class EstimateTable:
    """Estimates that are read together.

    `cluster` names what the intervals are clustered by; `of` whose table it is, where there is one for each of several.
    """

    key: str
    title: str
    explanation: str
    rows: tuple[EstimateRow, ...]
    cluster: str = "subject"
    of: str = ""


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
class Matrix:
    """Counts of pairs: rows against columns."""

    key: str
    title: str
    explanation: str
    row_title: str
    column_title: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


Table = EstimateTable | PlainTable | Matrix


@dataclass(frozen=True)
class Section:
    """One part of the report; `short_title` is one word for it, where there is little room."""

    key: str
    short_title: str
    title: str
    explanation: tuple[str, ...]
    tables: tuple[Table, ...]

    def table(self, key: str) -> Table | None:
        """Return the table with this key, or None when the study gave no reason for it."""
        return next((table for table in self.tables if table.key == key), None)


@dataclass(frozen=True)
class DataFile:
    """A tidy table of what the report rests on; written as a CSV file of its own."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Report:
    """The whole report of one study at one moment."""

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

    def section(self, key: str) -> Section | None:
        """Return the section with this key, or None when the report has none."""
        return next((section for section in self.sections if section.key == key), None)

    def estimate_rows(self) -> Iterator[tuple[Section, EstimateTable, EstimateRow]]:
        """Go through every estimate of the report, with where it stands."""
        for section in self.sections:
            for table in section.tables:
                if isinstance(table, EstimateTable):
                    for row in table.rows:
                        yield section, table, row


def shown_number(value: float, scale: Scale) -> str:
    """Return a number as it is printed everywhere: percent and points with one decimal, others with two."""
    if scale == "percent":
        return f"{100 * value:.1f}"
    if scale == "points":
        return f"{100 * value:+.1f}"
    return f"{value:.1f}" if scale == "seconds" else f"{value:.2f}"


def shown_value(value: float, scale: Scale) -> str:
    """Return a value with its unit of measure."""
    unit = {"percent": " %", "points": " points", "seconds": " s", "number": ""}[scale]
    return shown_number(value, scale) + unit


def shown_interval(estimate: Estimated, scale: Scale) -> str:
    """Return the interval in brackets, or nothing where there is none."""
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return ""
    return f"[{shown_number(estimate.low, scale)}, {shown_number(estimate.high, scale)}]"


def shown_estimate(estimate: Estimated, scale: Scale) -> str:
    """Return an estimate as it is printed: `46.7 % [38.1, 55.3]`, with the reason where something is undefined."""
    if math.isnan(estimate.value):
        return f"undefined: {estimate.undefined_because}"
    interval = shown_interval(estimate, scale)
    value = shown_value(estimate.value, scale)
    return f"{value} {interval}" if interval else f"{value}, no interval: {estimate.undefined_because}"


def shown_p(p: float | None) -> str:
    """Return a P value as it is printed, empty where there is none."""
    if p is None or math.isnan(p):
        return ""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def shown_cell(cell: Cell) -> str:
    """Return a cell of a plain table as it is printed."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
