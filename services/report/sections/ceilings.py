"""Ceilings, and accuracy over queue and time, in the first language, computed as in studies that list their phases."""

from __future__ import annotations

from exchange.report.estimate_rows import ALL_ITEMS, Category, EstimateRow
from exchange.report.report_structure import EstimateTable
from protocol.fields.yes_no import YES_NO
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Part, Reads
from services.report.sections.accuracy import accuracy_of
from services.report.sections.agreement import answers_by_format
from services.report.sections.fields.ceilings import (
    CEILINGS,
    OF_OTHERS,
    always_the_same,
    ceilings_in_words,
    place_of_best,
    rows_against_others,
)
from services.report.sections.fields.order_and_time import ORDER_AND_TIME, Measured, rows_of_thirds, thirds_in_words


def ceilings_table(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    """Return the accuracy of always giving the same answer, and of the best rater, on all items and by format."""
    parts = reads.with_reference([reads.everything, reads.closed_ended, *reads.formats])
    rows = tuple(row for part in parts for row in _ceilings(part, reads, intervals))
    return EstimateTable(
        key="ceilings",
        title=_as_title(CEILINGS.title),
        explanation=ceilings_in_words(rows),
        rows=rows,
        lines="both",
    )


def _ceilings(part: Part, reads: Reads, intervals: IntervalSettings) -> list[EstimateRow]:
    items = part.of(reads.items)
    # The options of a choice differ from item to item.
    same = [Category(key, text) for key, text in YES_NO] if {item.format for item in items} == {"yes_no"} else []
    accepted = [item.accepted for item in items]
    rows = always_the_same(accepted, same, reads.subjects_of(part), "item", part.stratum, intervals)
    best = place_of_best([part.of(column.correct) for column in reads.columns])
    if best is not None:
        column = reads.columns[best]
        result = accuracy_of(column, part, reads, intervals)
        rows.append(EstimateRow("accuracy", "best_rater", (column.party,), part.stratum, result.primary, result.wilson))
    return rows


def against_others_table(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    """Return how often each rater gives the most frequent answer of the others."""
    everything = reads.everything
    rows = rows_against_others(
        [column.party for column in reads.columns],
        [answers_by_format(reads, column, everything) for column in reads.columns],
        reads.subjects,
        "item",
        ALL_ITEMS,
        intervals,
    )
    return EstimateTable("against_others", "Each rater against the others", OF_OTHERS, tuple(rows), lines="both")


def order_and_time_table(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    """Return accuracy by thirds of each rater's own queue, and by thirds of each rater's own active times."""
    known = reads.referenced
    columns = [
        Measured(
            column.party,
            known.of(column.correct),
            [None if entry is None else entry.position for entry in known.of(column.entries)],
            [None if entry is None else entry.active_ms or None for entry in known.of(column.entries)],
        )
        for column in reads.columns
    ]
    rows = tuple(rows_of_thirds(columns, reads.subjects_of(known), "item", ALL_ITEMS, intervals))
    return EstimateTable(
        key="order_and_time",
        title=_as_title(ORDER_AND_TIME.title),
        explanation=thirds_in_words(rows),
        rows=rows,
        lines="both",
    )


def _as_title(words: str) -> str:
    return words[:1].upper() + words[1:]
