"""What can be had without looking at the pictures: chance and a text-only baseline, on these very items."""

from __future__ import annotations

from agreement import chance_floor, paired_difference, paired_shortcut_score, text_only_floor
from exchange.report_structure import EstimateRow, EstimateTable, Section
from services.report.interval_settings import IntervalSettings, renamed
from services.report.rows.readings import Readings, Stratum


def floors_section(readings: Readings, intervals: IntervalSettings) -> Section:
    """Build the section: both floors, and how far each rater stands above them."""
    return Section(
        key="floors",
        short_title="Floors",
        title="Floors: what can be had without the pictures",
        explanation=(
            (
                "Both floors are computed for the frozen items themselves, not taken from elsewhere: chance from each "
                "item’s number of options, the text-only floor from what a baseline that saw the text alone answered, "
                "scored by the same rules as the raters."
            ),
            (
                "Shortcut Score = errors of the rater / errors of the floor, on the items that both answered. Above "
                "1 the rater does worse than the floor; 0 would be a rater without errors."
            ),
        ),
        tables=tuple(table for table in (_floors(readings, intervals), _scores(readings, intervals)) if table.rows),
    )


def _floors(readings: Readings, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in _parts(readings):
        # Guessing is no match for open text: a floor for closed items alone would stand beside the accuracy on all.
        if all(readings.items[i].is_closed for i in part.positions):
            rows.append(
                EstimateRow(part.title, ("Chance",), part.key, "percent", chance_floor(_options(readings, part)))
            )
        if any(readings.floor[i] is not None for i in part.positions):
            found = text_only_floor(part.of(readings.floor), **intervals.by(readings.subjects_of(part)))
            rows.append(EstimateRow(part.title, ("Text-only baseline",), part.key, "percent", found))
    return EstimateTable(
        key="floors",
        title="Chance and text-only floor",
        explanation=(
            "Chance is a property of the items and has no interval; it is given where every item has options to "
            "guess from. The text-only floor varies with the choice of subjects, so it has one."
        ),
        rows=tuple(rows),
    )


def _scores(readings: Readings, intervals: IntervalSettings) -> EstimateTable:
    rows: list[EstimateRow] = []
    for part in (readings.closed, readings.everything, *readings.formats):
        if any(readings.floor[i] is not None for i in part.positions):
            rows += _against_baseline(part, readings, intervals)
        if part.positions and part.key == "closed":
            rows += _against_chance(part, readings, intervals)
    return EstimateTable(
        key="shortcut",
        title="Raters against the floors",
        explanation="Rater and floor are compared on the same items and resampled together, subject by subject.",
        rows=tuple(rows),
    )


def _against_baseline(part: Stratum, readings: Readings, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(readings.subjects_of(part))
    floor = part.of(readings.floor)
    scores = [
        EstimateRow(
            f"{part.title}: Shortcut Score, text-only floor",
            (column.rater.pseudonym,),
            part.key,
            "number",
            renamed(
                paired_shortcut_score(part.of(column.correct), floor, **clusters), "Shortcut Score, text-only floor"
            ),
        )
        for column in readings.columns
    ]
    name = "accuracy minus text-only floor"
    return scores + [
        EstimateRow(
            f"{part.title}: {name}",
            (column.rater.pseudonym,),
            part.key,
            "points",
            paired_difference(part.of(column.correct), floor, name=name, **clusters),
        )
        for column in readings.columns
    ]


def _against_chance(part: Stratum, readings: Readings, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(readings.subjects_of(part))
    guessed = [None if count is None else 1.0 / count for count in _options(readings, part)]
    name = "Shortcut Score, chance floor"
    return [
        EstimateRow(
            f"{part.title}: {name}",
            (column.rater.pseudonym,),
            part.key,
            "number",
            renamed(paired_shortcut_score(part.of(column.correct), guessed, **clusters), name),
        )
        for column in readings.columns
    ]


def _parts(readings: Readings) -> list[Stratum]:
    parts = [readings.everything, readings.closed, *readings.formats, *readings.groundings]
    return [part for part in parts if part.positions]


def _options(readings: Readings, part: Stratum) -> list[int | None]:
    """Return the number of options of each item, 2 for yes/no, None for open text."""
    found: list[int | None] = []
    for i in part.positions:
        item = readings.items[i]
        found.append((len(item.options) or 2) if item.is_closed else None)
    return found
