"""The steps of an ordered scale as numbers."""

from __future__ import annotations

from collections.abc import Sequence

from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings

Numbers = list[float | None]


def numbers_of_steps(ids: Sequence[str]) -> dict[str, float]:
    """Return the number of each step, lowest first: its id if all ids are numbers, else its place, from 1."""
    try:
        return {key: float(key) for key in ids}
    except ValueError:
        return {key: float(place) for place, key in enumerate(ids, start=1)}


def is_averaged(column: Column) -> bool:
    """Return whether a column holds means or medians of several raters, which need not be steps of the scale."""
    return column.party.kind == "consensus" and any(isinstance(value, float) for value in column.values)


def numbers_of(ratings: Ratings) -> tuple[Numbers, ...]:
    """Return the numbers given, by column; a confidence in steps gives the numbers of its steps."""
    return tuple([None if value is None else float(value) for value in column.values] for column in ratings.columns)


def numbers_given(ratings: Ratings) -> tuple[Numbers, ...]:
    """Return the steps or numbers given, by column; a mean of several raters is already a number."""
    numbers = numbers_of_steps([option.id for option in ratings.field.options])
    if not numbers:
        return numbers_of(ratings)
    return tuple(
        [
            None if value is None else float(value) if isinstance(value, float) else numbers.get(str(value))
            for value in column.values
        ]
        for column in ratings.columns
    )
