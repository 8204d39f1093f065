"""One answer per unit: what the people of a phase agree on by its rule, or the decision of a later phase."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, Literal

from agreement import consensus
from exchange.report.estimate_rows import Party
from protocol.language.results import is_number
from services.report.rows.columns import Column, State, Unit
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.rows.steps import numbers_given


def settled(ratings: Ratings, phases: Sequence[PhaseRatings]) -> Ratings:
    """Return the same units with one column: the settled answer to each.

    If a later phase settles this one, its answer holds, except on controls, by which those who settle are checked.
    Otherwise it is what the raters agree on: unanimously, or by majority if the phase says so; for steps and numbers
    the mean or median, if it says that.
    """
    own = _result(ratings)
    later = next((phase for phase in phases if phase.phase.settles == ratings.phase.key), None)
    # If items name their forms, a field of this name may occur in several, each with its own units.
    of_later = later.fields if later is not None else ()
    decided = [answers for answers in of_later if answers.field.key == ratings.field.key]
    of_unit = {
        place_of(unit): value
        for answers in decided
        for unit, value in zip(answers.units, _result(answers), strict=True)
        if value is not None and not unit.is_control
    }
    own = [of_unit.get(place_of(unit), value) for unit, value in zip(ratings.units, own, strict=True)]
    states: list[State | None] = ["answered" if value is not None else None for value in own]
    name = "" if decided or not _is_averaged(ratings) else f"{ratings.phase.result} of raters".capitalize()
    return ratings.with_columns([Column(Party("consensus", name), tuple(states), tuple(own))])


def place_of(unit: Unit) -> tuple[int, int]:
    """Return the key by which the same unit is found among others: its item, and its candidate, or 0 for none."""
    return unit.item.id, unit.candidate.id if unit.candidate else 0


def _is_averaged(ratings: Ratings) -> bool:
    return ratings.phase.result in ("mean", "median") and is_number(ratings.field)


def _result(ratings: Ratings) -> list[Any]:
    """Return, for each unit, the result of its raters by their phase's rule."""
    if not _is_averaged(ratings):
        return _agreed(ratings)
    middle = fmean if ratings.phase.result == "mean" else median
    of_units = zip(*numbers_given(ratings), strict=True) if ratings.columns else [()] * len(ratings.units)
    given = [[number for number in numbers if number is not None] for numbers in of_units]
    return [float(middle(numbers)) if numbers else None for numbers in given]


def _agreed(ratings: Ratings) -> list[Any]:
    """Return, for each unit, the answer that its raters agree on, as stored; None if they do not agree."""
    if not ratings.columns:
        return [None] * len(ratings.units)
    stored = {
        answer: value
        for answers, column in zip(ratings.answers, ratings.columns, strict=True)
        for answer, value in zip(answers, column.values, strict=True)
        if answer is not None
    }
    of_units = [list(given) for given in zip(*ratings.answers, strict=True)]
    rule: Literal["majority", "unanimous"] = "majority" if ratings.phase.result == "majority" else "unanimous"
    # If a unit was assigned to only one rater, that rater's answer holds.
    fewest = 1 if len(ratings.columns) == 1 or ratings.phase.by.per_unit == 1 else 2
    agreed = consensus(of_units, rule, fewest=fewest).values
    return [None if answer is None else stored[answer] for answer in agreed]
