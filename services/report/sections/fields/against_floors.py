"""What can be had without looking: chance and a baseline that saw the text alone, on the very units that were read."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import chance_floor, paired_difference, paired_shortcut_score, text_only_floor
from exchange.estimate_rows import EstimateRow, Party, Stratum
from services.reading.correctness import score_written
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic


def floor_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return both floors, and how far each rater is above the baseline that saw the text alone."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    if not known.units:
        return []
    rows = []
    options = _options(known)
    if None not in options:
        rows.append(EstimateRow("accuracy", "chance_floor", (Party("chance"),), stratum, chance_floor(options)))
    baseline = _baseline(known)
    if all(answered is None for answered in baseline):
        return rows
    by = intervals.by(known.clusters)
    rows.append(
        EstimateRow("accuracy", "text_only_floor", (Party("text_only"),), stratum, text_only_floor(baseline, **by))
    )
    for column, correct in zip(known.columns, known.correct, strict=True):
        difference = paired_difference(list(correct), baseline, **by)
        shortcut = paired_shortcut_score(list(correct), baseline, **by)
        rows += [
            EstimateRow("accuracy_difference", "text_only_floor", (column.party,), stratum, difference),
            EstimateRow("shortcut_score", "text_only_floor", (column.party,), stratum, shortcut),
        ]
    return rows


def _baseline(ratings: Ratings) -> list[bool | None]:
    """Return whether the baseline that saw the text alone is right on each unit; None where it gave no answer."""
    answered: list[bool | None] = []
    for key in ratings.keys:
        text = key.reference.text_only_answer if key is not None and key.reference is not None else ""
        answered.append(score_written(key.key, text).correct if key is not None and text else None)
    return answered


def _options(ratings: Ratings) -> list[int | None]:
    """Return from how many answers a guesser chooses on each unit; None where there is nothing to guess from."""
    return [
        None if key is None or key.key.kind.guesses is None else key.key.kind.guesses(len(key.key.options))
        for key in ratings.keys
    ]


def _has_baseline(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    return any(row.compared == "text_only_floor" for row in rows)


FLOORS = Topic(
    "floors",
    "what can be had without the images",
    "Of the very items that were read: chance by each item’s number of options, where all have options.",
    floor_rows,
    drawn="levels",
    further=(
        (
            (
                "The baseline saw the text alone and is scored by the same rules. Shortcut Score: errors of the rater "
                "/ errors of the baseline; above 1 the rater does worse."
            ),
            _has_baseline,
        ),
    ),
)
