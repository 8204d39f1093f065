"""Accuracy without looking at the images: chance and a text-only baseline, on exactly the units that were read."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import chance_floor, paired_difference, paired_shortcut_score, text_only_floor
from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from services.reading.correctness import right_guesses, score_written
from services.reading.field_keys import FieldKey
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic


def floor_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return both floors, and how far each rater is above the text-only baseline."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    if not known.units:
        return []
    rows = []
    options = _options(known)
    if None not in options:
        floor = chance_floor(options, right=_right(known), given_above=known.field.options_by is not None)
        rows.append(EstimateRow("accuracy", "chance_floor", (Party("chance"),), stratum, floor))
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
    """Return whether the text-only baseline is right on each unit; None if it gave no answer."""
    answered: list[bool | None] = []
    for key in ratings.keys:
        text = key.reference.text_only_answer if key is not None and key.reference is not None else ""
        answered.append(score_written(key.key, text).correct if key is not None and text else None)
    return answered


def _options(ratings: Ratings) -> list[int | None]:
    """Return the number of answers a guesser chooses from on each unit; None if there is nothing to guess from."""
    above = ratings.above or (None,) * len(ratings.keys)
    options: list[int | None] = []
    for key, decides in zip(ratings.keys, above, strict=True):
        offered = None if key is None else _offered(key, decides)
        guesses = None if key is None else key.key.kind.guesses
        options.append(None if offered is None or guesses is None else guesses(len(offered)))
    return options


def _right(ratings: Ratings) -> list[int]:
    """Return how many of these answers are right on each unit."""
    above = ratings.above or (None,) * len(ratings.keys)
    return [
        0 if key is None else right_guesses(key.key, _offered(key, decides) or ())
        for key, decides in zip(ratings.keys, above, strict=True)
    ]


def _offered(key: FieldKey, above: FieldKey | None) -> list[str] | None:
    """Return the options offered, by id: for a field whose options depend on another, those for the right answer.

    A guesser is given the right answer to the other field. A rater's own answer there is not a property of the item,
    but a floor is.
    """
    if key.field.options_by is None:
        return [option for option, _ in key.key.options]
    accepted = above.reference.accepted if above is not None and above.reference is not None else ()
    field = key.field.offered_with(accepted)
    return None if field is None else [option.id for option in field.options]


def _hangs_on_another(ratings: Ratings, rows: Sequence[EstimateRow]) -> bool:
    return ratings.field.options_by is not None and any(row.compared == "chance_floor" for row in rows)


def _has_baseline(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    return any(row.compared == "text_only_floor" for row in rows)


FLOORS = Topic(
    "floors",
    "what can be had without the images",
    "Of the very items that were read: chance by each item’s number of options, and of right ones, where all have "
    "options.",
    floor_rows,
    drawn="levels",
    further=(
        (
            "Chance counts the options left by the right answer above: it is a floor of the accuracy there.",
            _hangs_on_another,
        ),
        (
            (
                "The baseline saw the text alone and is scored by the same rules. Shortcut Score: errors of the rater "
                "/ errors of the baseline; above 1 the rater does worse."
            ),
            _has_baseline,
        ),
    ),
)
