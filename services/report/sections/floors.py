"""What can be had without looking at the pictures: chance and a text-only baseline, on these very items."""

from __future__ import annotations

from agreement import chance_floor, paired_difference, paired_shortcut_score, text_only_floor
from exchange.estimate_rows import EstimateRow, Party
from exchange.report_structure import EstimateTable, Section
from services.report.interval_settings import IntervalSettings
from services.report.rows.readings import Part, Readings
from services.report.sections.without_reference import without_reference_sentences


def floors_section(readings: Readings, intervals: IntervalSettings) -> Section:
    """Build the section: both floors, and how far each rater stands above them."""
    title, unknown = "Floors: what can be had without the pictures", without_reference_sentences(readings)
    if not readings.referenced.positions:
        return Section("floors", "Floors", title, unknown, ())
    return Section(
        key="floors",
        short_title="Floors",
        title=title,
        explanation=(
            *unknown,
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
                EstimateRow(
                    "accuracy", "chance_floor", (Party("chance"),), part.stratum, chance_floor(_options(readings, part))
                )
            )
        if any(readings.floor[i] is not None for i in part.positions):
            estimate = text_only_floor(part.of(readings.floor), **intervals.by(readings.subjects_of(part)))
            rows.append(EstimateRow("accuracy", "text_only_floor", (Party("text_only"),), part.stratum, estimate))
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
    for part in readings.with_reference([readings.closed, readings.everything, *readings.formats]):
        if any(readings.floor[i] is not None for i in part.positions):
            rows += _against_baseline(part, readings, intervals)
        if part.stratum == readings.closed.stratum:
            rows += _against_chance(part, readings, intervals)
    return EstimateTable(
        key="shortcut",
        title="Raters against the floors",
        explanation="Rater and floor are compared on the same items and resampled together, subject by subject.",
        rows=tuple(rows),
        lines="both",
    )


def _against_baseline(part: Part, readings: Readings, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(readings.subjects_of(part))
    floor = part.of(readings.floor)
    scores = [
        EstimateRow(
            "shortcut_score",
            "text_only_floor",
            (column.party,),
            part.stratum,
            paired_shortcut_score(part.of(column.correct), floor, **clusters),
        )
        for column in readings.columns
    ]
    return scores + [
        EstimateRow(
            "accuracy_difference",
            "text_only_floor",
            (column.party,),
            part.stratum,
            paired_difference(part.of(column.correct), floor, **clusters),
        )
        for column in readings.columns
    ]


def _against_chance(part: Part, readings: Readings, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(readings.subjects_of(part))
    guessed = [None if count is None else 1.0 / count for count in _options(readings, part)]
    return [
        EstimateRow(
            "shortcut_score",
            "chance_floor",
            (column.party,),
            part.stratum,
            paired_shortcut_score(part.of(column.correct), guessed, **clusters),
        )
        for column in readings.columns
    ]


def _parts(readings: Readings) -> list[Part]:
    return readings.with_reference([readings.everything, readings.closed, *readings.formats, *readings.groundings])


def _options(readings: Readings, part: Part) -> list[int | None]:
    """Return how many answers a guesser chooses from in each item, 2 for yes/no; None for open items."""
    n_options: list[int | None] = []
    for i in part.positions:
        item = readings.items[i]
        guesses = item.kind.guesses if item.is_closed else None
        n_options.append(None if guesses is None else guesses(len(item.options) or 2))
    return n_options
