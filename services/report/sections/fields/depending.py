"""Fields that depend on the answer to another: their accuracy with either of two denominators."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import accuracy_of_correctness
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from exchange.report.statistic_names import Compared
from protocol.fields import LISTS, ONE_OPTION, SETS
from protocol.language.expansion import Field
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields.classes import INVALID, classes_of, scores_of, with_one_class
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import POOLED, Topic

Scored = list[bool | None]


def depends(field: Field) -> bool:
    """Return whether the answer to another field decides if a field is asked, or which options it offers."""
    return field.when is not None or field.options_by is not None


def depending_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return accuracy, and macro-F1 for three options or more: where the answer above is right, and on all units."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    if not depends(ratings.field) or not known.units or not all(column.above for column in known.columns):
        return []
    rows = []
    for column, correct in zip(known.columns, known.correct, strict=True):
        where_right, of_all = _where_above_is_right(column, correct), _of_all(column, correct)
        rows += _accuracy(known, [(column.party, where_right, of_all)], stratum, intervals)
    if len(known.columns) > 1:
        pooled_right = [
            is_right
            for column, correct in zip(known.columns, known.correct, strict=True)
            for is_right in _where_above_is_right(column, correct)
        ]
        pooled = [
            is_right
            for column, correct in zip(known.columns, known.correct, strict=True)
            for is_right in _of_all(column, correct)
        ]
        rows += _accuracy(known, [(ALL_RATERS, pooled_right, pooled)], stratum, intervals)
    return rows + _classes(ratings, stratum, intervals)


def _where_above_is_right(column: Column, correct: Sequence[bool | None]) -> Scored:
    return [is_right if above else None for is_right, above in zip(correct, column.above, strict=True)]


def _of_all(column: Column, correct: Sequence[bool | None]) -> Scored:
    """Return whether answers are right; a field that was not asked although it has a reference counts as wrong."""
    return [False if state == "not_asked" else is_right for is_right, state in zip(correct, column.states, strict=True)]


def _accuracy(
    known: Ratings,
    parties: Sequence[tuple[Party, Scored, Scored]],
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    rows = []
    for party, where_right, of_all in parties:
        compared: tuple[tuple[Compared, Scored], ...] = (("above_right", where_right), ("all_with_reference", of_all))
        for name, correct in compared:
            given = [place for place, is_right in enumerate(correct) if is_right is not None]
            if given:
                right = [correct[place] for place in given]
                units = [place % len(known.units) for place in given]
                clusters, chances = [known.clusters[own] for own in units], [known.chances[own] for own in units]
                unit = "verdict" if party == ALL_RATERS else known.unit
                result = accuracy_of_correctness(right, unit=unit, **intervals.by(clusters))
                row = EstimateRow("accuracy", name, (party,), stratum, result.primary, result.wilson)
                rows += [row, *of_pool(row, right, chances, clusters, intervals)]
    return rows


def _classes(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    if ratings.field.type not in ONE_OPTION:
        return []  # Sets and lists of options are not classes.
    known = with_one_class(ratings)
    said = [classes_of(column, answers) for column, answers in zip(known.columns, known.answers, strict=True)]
    where_right = [
        [answer if above else None for answer, above in zip(own, column.above, strict=True)]
        for own, column in zip(said, known.columns, strict=True)
    ]
    of_all = [
        [INVALID if state == "not_asked" else answer for answer, state in zip(own, column.states, strict=True)]
        for own, column in zip(said, known.columns, strict=True)
    ]
    compared: tuple[tuple[Compared, list[list[str | None]]], ...] = (
        ("above_right", where_right), ("all_with_reference", of_all),
    )  # fmt: skip
    return [
        EstimateRow("macro_f1", name, (party,), stratum, scores.macro_f1)
        for name, own in compared
        for party, scores in scores_of(known, own, intervals)
    ]


DEPENDING = Topic(
    "depending",
    "given the answer above, and of all",
    "“Where the answer above is right”: of the units on which the deciding field was answered correctly, so that this "
    "field could be correct as well. “Of all with a reference”: of all units with a reference for this field; if the "
    "answer above left it unasked, it counts as missed.",
    depending_rows,
    of_models=True,
    further=(
        POOLED,
        (
            "A set or a list of options is right or wrong as in the accuracy; macro-F1 is of one option of several.",
            lambda ratings, _: ratings.field.type in SETS | LISTS,
        ),
    ),
)
