"""Links between fields of a phase: the answer that a confidence is about, and the field that another depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from protocol.language.expansion import Field
from protocol.language.results import is_probability
from services.report.rows.columns import Column

if TYPE_CHECKING:
    from services.report.rows.ratings import Ratings

Right = tuple[bool | None, ...]


def linked(ratings: Ratings, fields: Sequence[Ratings]) -> Ratings:
    """Return the ratings in a field, linked to the ratings in the other fields of its phase."""
    about = _other(ratings, fields, ratings.field.about)
    if about is not None and about.has_reference:
        ratings = _with(ratings, about, lambda column, right, other: replace(column, about=_answered(right, other)))
    hangs_on = ratings.field.when or ratings.field.options_by
    above = _other(ratings, fields, hangs_on.field if hangs_on is not None else None)
    if above is not None and above.has_reference:
        ratings = _with(ratings, above, lambda column, right, _: replace(column, above=right))
        ratings = replace(ratings, above=above.keys)
    confidence = next((other for other in fields if other.field.about == ratings.field.key), None)
    if confidence is not None and confidence.units == ratings.units and is_probability(confidence.field):
        ratings = _with(ratings, confidence, lambda column, _, other: replace(column, sure=_sure(confidence, other)))
    return ratings


def probabilities_of(field: Field, numbers: Sequence[float | None]) -> list[float | None] | None:
    """Return a confidence as probabilities: those declared for its steps, or a range from 0 to 1; None for others."""
    if not is_probability(field):
        return None
    if field.means is None:
        return list(numbers)
    means = field.means
    return [None if number is None else means[int(number) - 1] for number in numbers]


def _other(ratings: Ratings, fields: Sequence[Ratings], key: str | None) -> Ratings | None:
    other = next((other for other in fields if other.field.key == key), None)
    return other if other is not None and other.units == ratings.units else None


def _with(ratings: Ratings, other: Ratings, link: Callable[[Column, Right, Column], Column]) -> Ratings:
    """Return the ratings with each column linked to the same party's column in another field."""
    of_raters = {column.party: (right, column) for column, right in zip(other.columns, other.correct, strict=True)}
    of_models = {model.columns[0].party: (model.correct[0], model.columns[0]) for model in other.of_models}

    def all_of(columns: Sequence[Column], others: dict[Any, tuple[Right, Column]]) -> tuple[Column, ...]:
        return tuple(link(column, *others[column.party]) if column.party in others else column for column in columns)

    return replace(ratings, columns=all_of(ratings.columns, of_raters), models=all_of(ratings.models, of_models))


def _answered(right: Right, column: Column) -> Right:
    """Return whether answers are right; None without an answer, as there is nothing to be confident of."""
    return tuple(
        is_right if state == "answered" else None for is_right, state in zip(right, column.states, strict=True)
    )


def _sure(confidence: Ratings, column: Column) -> tuple[float | None, ...]:
    numbers = [None if value is None else float(value) for value in column.values]
    return tuple(probabilities_of(confidence.field, numbers) or ())
