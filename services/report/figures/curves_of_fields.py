"""Figures of fields with a number on both axes: by depth of a list, distance, stated confidence, and share taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from exchange.report.estimate_rows import EstimateRow
from exchange.report.report_structure import EstimateTable, Section
from exchange.report.report_words import intervals_in_words, names_of_answers, statistic_in_words, stratum_in_words
from exchange.report.shown_numbers import shown_estimate
from services.report.figures.curves import MOST_SERIES, Point, curves
from services.report.figures.figure import Figure, lacking_in_words, rows_in_words


def ranks(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw the share of lists with an accepted answer among the first lines, by number of lines."""
    series: dict[str, list[Point]] = {}
    whole = table.rows[0].stratum
    rows = [row for row in table.rows if row.statistic == "pass_at_k" and row.stratum == whole and not row.weighted]
    for row, name in zip(rows, names_of_answers(rows), strict=True):
        share = row.estimate
        point = Point(float(row.depth or 0), share, f"{statistic_in_words(row)} {shown_estimate(share, row.scale)}")
        series.setdefault(name, []).append(point)
    depths = sorted({point.x for points in series.values() for point in points})
    if len(depths) < 2 or len(series) > MOST_SERIES:
        return []
    title = f"{table.title}: {stratum_in_words(rows[0].stratum)}"
    caption = f"{title}. Points: share of lists; lines: {intervals_in_words(rows, table.cluster)}; n behind each name."
    draw = partial(curves, series, "First lines looked at", "Accepted among them (%)", depths)
    return [_of_curves(section, f"{table.key}-ranks", title, caption, draw, rows)]


def distances(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw the share of places within a distance of the reference, by distance."""
    series: dict[str, list[Point]] = {}
    rows = [row for row in table.rows if not row.weighted]
    for row, name in zip(rows, names_of_answers(rows), strict=True):
        reach = float(row.category.id) if row.category is not None else 0.0
        what = f"{statistic_in_words(row)}: {shown_estimate(row.estimate, row.scale)}"
        series.setdefault(name, []).append(Point(reach, row.estimate, what))
    if len(series) > MOST_SERIES:
        return []
    ticks = sorted({point.x for points in series.values() for point in points})
    caption = (
        f"{table.title}. Points: share of places; lines: {intervals_in_words(rows, table.cluster)}; n behind each name."
    )
    draw = partial(curves, series, f"Distance from the reference ({table.measured_in})", "Places within it (%)", ticks)
    return [_of_curves(section, table.key, table.title, caption, draw, rows)]


def reliability(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw how often answers are right by mean stated confidence, in tenths."""
    means = {_bin(row): row.estimate.value for row in table.rows if row.statistic == "mean_answer"}
    rows = [row for row in table.rows if row.statistic == "accuracy"]
    series: dict[str, list[Point]] = {}
    for row, name in zip(rows, names_of_answers(rows), strict=True):
        share = row.estimate
        what = f"{statistic_in_words(row)} {shown_estimate(share, row.scale)}"
        series.setdefault(name, []).append(Point(100 * means[_bin(row)], share, what))
    if not rows or len(series) > MOST_SERIES:
        return []
    caption = (
        f"{table.title}. Points: share right over mean confidence, by tenths; lines: "
        f"{intervals_in_words(rows, table.cluster)}; n above each line, or behind a name. Dotted: as often right as "
        "stated."
    )
    draw = partial(curves, series, "Mean stated confidence (%)", "Right (%)", diagonal=True)
    return [_of_curves(section, table.key, table.title, caption, draw, rows)]


def _bin(row: EstimateRow) -> tuple[object, ...]:
    """Return what a row of the mean confidence and the row of the share right have in common."""
    return row.parties, row.category, row.answers


def coverage(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw how often answers are right by the share of answers taken, the surest first."""
    series: dict[str, list[Point]] = {}
    for row, name in zip(table.rows, names_of_answers(table.rows), strict=True):
        share = row.estimate
        taken = float(row.category.id) if row.category is not None else 100.0
        what = f"{statistic_in_words(row)} {shown_estimate(share, row.scale)}"
        series.setdefault(name, []).append(Point(taken, share, what))
    if not series or len(series) > MOST_SERIES:
        return []
    caption = (
        f"{table.title}. Points: share right among the surest answers; lines: "
        f"{intervals_in_words(table.rows, table.cluster)}; n above each line, or behind a name."
    )
    draw = partial(curves, series, "Answers taken, the surest first (%)", "Right (%)")
    return [_of_curves(section, table.key, table.title, caption, draw, table.rows)]


def _of_curves(
    section: Section, key: str, title: str, caption: str, draw: Callable[[], Any], rows: Sequence[EstimateRow]
) -> Figure:
    """Return a figure of curves, whose caption says what is not drawn, and what its sign is about."""
    said = " ".join(filter(None, (caption, lacking_in_words(rows))))
    return Figure(f"{section.key}-{key}", section.key, title, said, draw, rows_in_words(rows))
