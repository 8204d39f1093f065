"""Accuracy without looking at the images: chance and a text-only baseline, on the same items."""

from __future__ import annotations

from agreement import chance_floor, paired_difference, paired_shortcut_score, text_only_floor
from exchange.report.estimate_rows import EstimateRow, Party
from exchange.report.report_structure import EstimateTable, Section
from services.reading.correctness import right_guesses
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Part, Reads
from services.report.sections.ceilings import against_others_table, ceilings_table, order_and_time_table
from services.report.sections.without_reference import without_reference_sentences


def floors_section(reads: Reads, intervals: IntervalSettings) -> Section:
    """Build the section: both floors, and how far each rater is above them."""
    title, unknown = "Floors: what can be achieved without the images", without_reference_sentences(reads)
    if not reads.referenced.positions:
        return Section("floors", "Floors", title, unknown, ())
    return Section(
        key="floors",
        short_title="Floors",
        title=title,
        explanation=(
            *unknown,
            "The floors are what is right on these items without looking at the images: by chance, and from the text.",
        ),
        method=(
            (
                "Both floors are computed for the frozen items themselves: chance from each item’s number of "
                "options, the text-only floor from the answers of a baseline that saw only the text, scored by "
                "the same rules as the raters."
            ),
            (
                "Shortcut Score = errors of the rater / errors of the floor, on items answered by both. Above 1, "
                "the rater does worse than the floor; 0 is a rater without errors."
            ),
        ),
        tables=tuple(
            table
            for table in (
                _floors(reads, intervals),
                _scores(reads, intervals),
                ceilings_table(reads, intervals),
                against_others_table(reads, intervals),
                order_and_time_table(reads, intervals),
            )
            if table.rows
        ),
    )


def _floors(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in _parts(reads):
        # Open text cannot be guessed: a floor of only the closed items would be compared with the accuracy on all.
        if all(reads.items[i].is_closed_ended for i in part.positions):
            rows.append(
                EstimateRow(
                    "accuracy",
                    "chance_floor",
                    (Party("chance"),),
                    part.stratum,
                    chance_floor(_options(reads, part), right=_right(reads, part)),
                )
            )
        if any(reads.floor[i] is not None for i in part.positions):
            estimate = text_only_floor(part.of(reads.floor), **intervals.by(reads.subjects_of(part)))
            rows.append(EstimateRow("accuracy", "text_only_floor", (Party("text_only"),), part.stratum, estimate))
    return EstimateTable(
        key="floors",
        title="Chance and text-only floor",
        explanation=(
            "Chance is a property of the items and has no interval; it is reported if every item has options to "
            "guess from. The text-only floor varies with the sample of subjects, so it has an interval."
        ),
        rows=tuple(rows),
    )


def _scores(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows: list[EstimateRow] = []
    for part in reads.with_reference([reads.closed_ended, reads.everything, *reads.formats]):
        if any(reads.floor[i] is not None for i in part.positions):
            rows += _against_baseline(part, reads, intervals)
        if part.stratum == reads.closed_ended.stratum:
            rows += _against_chance(part, reads, intervals)
    return EstimateTable(
        key="shortcut",
        title="Raters against the floors",
        explanation=(
            "Rater and floor are compared on the same items and resampled together, with subjects as clusters."
        ),
        rows=tuple(rows),
        lines="both",
    )


def _against_baseline(part: Part, reads: Reads, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(reads.subjects_of(part))
    floor = part.of(reads.floor)
    scores = [
        EstimateRow(
            "shortcut_score",
            "text_only_floor",
            (column.party,),
            part.stratum,
            paired_shortcut_score(part.of(column.correct), floor, **clusters),
        )
        for column in reads.columns
    ]
    return scores + [
        EstimateRow(
            "accuracy_difference",
            "text_only_floor",
            (column.party,),
            part.stratum,
            paired_difference(part.of(column.correct), floor, **clusters),
        )
        for column in reads.columns
    ]


def _against_chance(part: Part, reads: Reads, intervals: IntervalSettings) -> list[EstimateRow]:
    clusters = intervals.by(reads.subjects_of(part))
    guessed = [
        None if count is None else right / count
        for count, right in zip(_options(reads, part), _right(reads, part), strict=True)
    ]
    return [
        EstimateRow(
            "shortcut_score",
            "chance_floor",
            (column.party,),
            part.stratum,
            paired_shortcut_score(part.of(column.correct), guessed, **clusters),
        )
        for column in reads.columns
    ]


def _parts(reads: Reads) -> list[Part]:
    return reads.with_reference([reads.everything, reads.closed_ended, *reads.formats, *reads.groundings])


def _options(reads: Reads, part: Part) -> list[int | None]:
    """Return the number of answers to guess from in each item, 2 for yes/no; None for open items."""
    n_options: list[int | None] = []
    for i in part.positions:
        item = reads.items[i]
        guesses = item.kind.guesses if item.is_closed_ended else None
        n_options.append(None if guesses is None else guesses(len(item.options)))
    return n_options


def _right(reads: Reads, part: Part) -> list[int]:
    """Return how many of these answers are right in each item."""
    items = [reads.items[i] for i in part.positions]
    return [right_guesses(item, [option for option, _ in item.options]) for item in items]
