"""How items were looked at: what was opened and seen, times and displays. Descriptive, and never shown to raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow
from exchange.report.report_structure import Cell, Column, EstimateTable, PlainTable, Section
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Reads
from services.report.rows.viewings import Viewing
from services.report.sections.viewing_tables import (
    accuracy_by_prior_table,
    prior_sentence,
    prior_table,
    sequences_table,
    slices_table,
    traces_table,
    use_table,
)


def viewing_section(reads: Reads, viewings: Sequence[Viewing], intervals: IntervalSettings) -> Section:
    """Build the section: what was opened and seen, active time per item, time to load, renderers and window sizes."""
    tables = (
        traces_table(viewings),
        prior_table(viewings, intervals),
        accuracy_by_prior_table(viewings, intervals),
        sequences_table(viewings, intervals),
        slices_table(viewings),
        use_table(viewings, intervals),
        _active_time(reads, intervals),
        _quartiles(reads),
        _displays(reads),
    )
    return Section(
        key="viewing",
        short_title="Viewing",
        title="Viewing",
        explanation=(
            *((sentence,) if (sentence := prior_sentence(viewings)) else ()),
            (
                "What was on the rater’s screen before each verdict, as recorded by the browser. A slice on the "
                "screen was not necessarily read, and nothing here is a measure of quality."
            ),
        ),
        method=(
            (
                "Active time is the time from the display of the images to submission, excluding idle time. It is "
                "descriptive: slower is neither better nor worse."
            ),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def _active_time(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for column in reads.columns:
        timed = [
            (entry.active_ms / 1000, item.subject)
            for entry, item in zip(column.entries, reads.items, strict=True)
            if entry is not None and entry.active_ms
        ]
        if timed:
            estimate = intervals.mean([seconds for seconds, _ in timed], [subject for _, subject in timed])
            rows.append(EstimateRow("mean", "active_time", (column.party,), ALL_ITEMS, estimate))
    return EstimateTable(
        key="active_time",
        title="Active time",
        explanation="Items with a verdict and a measured time; revisions are included.",
        rows=tuple(rows),
        lines="statistic",
    )


def _quartiles(reads: Reads) -> PlainTable:
    rows: list[tuple[Cell, ...]] = []
    for column in reads.columns:
        read = [entry for entry in column.entries if entry is not None and entry.verdict_id is not None]
        for title, values in (
            ("Active", [entry.active_ms for entry in read]),
            ("Idle", [entry.idle_ms for entry in read]),
            ("Loading", [entry.load_ms for entry in read]),
        ):
            known = [value / 1000 for value in values if value]
            if known:
                low, median, high = (round(float(q), 1) for q in np.quantile(known, [0.25, 0.5, 0.75]))
                rows.append((column.rater.pseudonym, title, len(known), low, median, high, round(max(known), 1)))
    return PlainTable(
        key="times",
        title="Times in seconds",
        explanation="Quartiles over items with a measured time; descriptive, without intervals.",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("time", "Time", "Which time"),
            Column("n", "Items", "Items with a measured time"),
            Column("q1", "First quartile", "Seconds"),
            Column("median", "Median", "Seconds"),
            Column("q3", "Third quartile", "Seconds"),
            Column("longest", "Longest", "Seconds"),
        ),
        rows=tuple(rows),
        grouped=True,
    )


def _displays(reads: Reads) -> PlainTable:
    counts = Counter(
        (column.rater.pseudonym, entry.renderer or "not reported", entry.viewport or "not reported")
        for column in reads.columns
        for entry in column.entries
        if entry is not None and entry.verdict_id is not None
    )
    return PlainTable(
        key="displays",
        title="Displays",
        explanation="Number of verdicts by renderer and window size.",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("renderer", "Renderer", "What drew the images"),
            Column("viewport", "Window", "Size of the window in pixels"),
            Column("items", "Items", "Number of verdicts"),
        ),
        rows=tuple((*place, items) for place, items in sorted(counts.items())),
        grouped=True,
    )
