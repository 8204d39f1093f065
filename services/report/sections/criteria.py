"""Whether the analysis plan's criteria are met: by a confidence limit, with at least the data the plan requires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.report_structure import Cell, Column, PlainTable
from exchange.report.report_words import parties_in_words, statistic_in_words, stratum_in_words, who
from exchange.report.shown_numbers import shown_estimate
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.criteria import bounds_in_words, statistic_of
from protocol.language.wording import spoken
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic
from services.report.sections.rested import NOTHING, are_several, lacking, only_abstained, raters_of, units_of
from services.report.sections.selecting import PartOfLine

# Comparisons of two models whose answers people have rated.
_OF_MODELS = ("models", "models_over_readers")
Answer = Literal["met", "not met", "not decided"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a criterion for one of the estimates that it is about.

    Attributes
    ----------
    row
        The estimate; None if there is nothing to compute it from.
    part, whose
        The units and the parties that it is about.
    units, raters
        How many units the estimate is based on, and how many of the raters whose it is gave an answer other than an
        abstention to at least one of its units.
    because
        Why it is not met or not decided; empty if it is met.
    """

    criterion: AuthoredCriterion
    row: EstimateRow | None
    part: Stratum
    whose: tuple[Party, ...]
    units: int
    raters: int
    answer: Answer
    because: str = ""


def outcomes_of(
    criterion: AuthoredCriterion,
    whole: Ratings,
    parts: Sequence[PartOfLine],
    given: Mapping[Stratum, Ratings],
    rows: Sequence[EstimateRow],
) -> list[Outcome]:
    """Return the outcome of a criterion for each estimate that has to reach its bounds.

    Parameters
    ----------
    whole
        The answers in the criterion's field, as given.
    parts, given
        The answers that the criterion is about, part by part, and the answers as given in each part.
    rows
        The report's rows for the criterion.
    """
    answered: dict[tuple[str, Stratum], Ratings] = {(part.answers, part.stratum): part.ratings for part in parts}
    # For a consensus, count the raters whose answers it was made from.
    gave: dict[tuple[str, Stratum], Ratings] = {
        (answers, stratum): given.get(stratum, own) if answers == "settled" else own
        for (answers, stratum), own in answered.items()
    }
    chosen = _chosen(criterion, statistic_of(criterion, whole.field.type), rows)
    outcomes = []
    for row in chosen:
        # A comparison of parts is one estimate for all of them, so it has no part of its own.
        own = (row.answers, row.stratum)
        units, ratings = units_of(criterion, row, answered.get(own, whole)), gave.get(own, whole)
        answer = _answer(criterion, row, units, ratings)
        raters = raters_of(ratings, row.parties)
        outcomes.append(Outcome(criterion, row, row.stratum, row.parties, units, raters, *answer))
    for part in parts:
        of_part = [row for row in chosen if (row.answers, row.stratum) == (part.answers, part.stratum)]
        ratings = gave[part.answers, part.stratum]
        outcomes += [
            Outcome(criterion, None, part.stratum, whose, 0, raters_of(ratings, whose), "not decided", because)
            for whose, because in lacking(criterion, part, of_part)
        ]
    return outcomes or [Outcome(criterion, None, whole.whole, (), 0, 0, "not decided", NOTHING)]


def rows_of_topic(
    line: AuthoredEstimate, topic: Topic, part: Ratings, stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return a line's rows on a part, with a row for each rater if it is a criterion that each has to reach."""
    rows = topic.compute(part, stratum, intervals)
    is_of_each = isinstance(line, AuthoredCriterion) and line.each_rater
    if not is_of_each or not rows or not all(are_several(row) for row in rows):
        return rows
    # Tables of parts contain only all raters together.
    alone = (part.with_columns((column,)) for column in part.columns)
    return [*rows, *(row for own in alone for row in topic.compute(own, stratum, intervals))]


def _chosen(criterion: AuthoredCriterion, statistic: str, rows: Sequence[EstimateRow]) -> list[EstimateRow]:
    """Return the rows that have to reach the bounds: in each part those of all raters together, or else every row."""
    own = [
        row
        for row in rows
        if row.statistic == statistic
        and not row.bound
        and not row.weighted
        # Leave out models that are not what is compared, and further denominators of a field.
        and (row.compared in _OF_MODELS or all(party.kind != "model" for party in row.parties))
        and row.compared not in ("above_right", "all_with_reference")
    ]
    if criterion.each_rater:
        # A settled answer is one per unit, and belongs to no single rater.
        return [row for row in own if row.answers == "settled" or not are_several(row)]
    chosen = []
    # In each part, both the answers as given and the settled answers have to reach the bounds.
    for key in dict.fromkeys((row.answers, row.stratum) for row in own):
        of_part = [row for row in own if (row.answers, row.stratum) == key]
        together = [row for row in of_part if are_several(row)]
        chosen += together or of_part
    return chosen


def _answer(criterion: AuthoredCriterion, row: EstimateRow, units: int, ratings: Ratings) -> tuple[Answer, str]:
    estimate, least, raters = row.estimate, criterion.least, raters_of(ratings)
    if estimate.undefined_because is not None:
        return "not decided", estimate.undefined_because
    if units < least.units or raters < least.raters:
        of_units = f"it rests on {units} of {least.units} units" if units < least.units else ""
        if raters >= least.raters:
            return "not decided", of_units
        abstained = only_abstained(ratings)
        of_raters = f"{raters} of {least.raters} raters"
        of_raters += f" (of {abstained} more there are abstentions alone)" if abstained else ""
        if any(party.kind == "rater" for party in row.parties):
            # The line itself is of one rater or pair, while so many are asked for among all.
            return "not decided", ", and ".join(filter(None, (of_units, f"{of_raters} have answered")))
        return "not decided", f"{of_units} and {of_raters}" if of_units else f"it rests on {of_raters}"
    if estimate.low != estimate.low or estimate.high != estimate.high:
        return "not decided", "the estimate has no interval"
    missed = []
    if criterion.above is not None and not estimate.low > criterion.above:
        missed.append(f"the lower limit is not above {criterion.above:g}")
    if criterion.below is not None and not estimate.high < criterion.below:
        missed.append(f"the upper limit is not below {criterion.below:g}")
    return ("not met", " and ".join(missed)) if missed else ("met", "")


def criteria_table(outcomes: Sequence[Outcome]) -> PlainTable:
    """Return the outcomes of the criteria, a line for each estimate that has to reach one."""
    return PlainTable(
        key="criteria",
        title="Criteria",
        explanation=(
            "Declared before the first verdict. A criterion is met if the confidence limit that it names is beyond its "
            "bound in every line; not meeting it does not prove the opposite. It is not decided if an estimate is "
            "undefined or has too few units or raters."
        ),
        columns=(
            Column("criterion", "Criterion", "What the plan calls it"),
            Column("bound", "Asked", "Where its confidence limits have to lie; shares from 0 to 1"),
            Column("statistic", "Statistic", "What is estimated"),
            Column("whose", "Whose", "Whose estimate it is"),
            Column("part", "On", "Which units it rests on"),
            Column("units", "Units", "How many units the estimate rests on"),
            Column(
                "raters", "Raters", "How many of the raters whose estimate it is gave an answer, not only abstentions"
            ),
            Column("estimate", "Estimate", "The estimate with its interval"),
            Column("outcome", "Outcome", "Met, not met or not decided"),
            Column("because", "Because", "Why it is not met or not decided, and what the estimate warns of"),
        ),
        rows=tuple(_cells(outcome) for outcome in outcomes),
        grouped=True,
    )


def _cells(outcome: Outcome) -> tuple[Cell, ...]:
    row, criterion = outcome.row, outcome.criterion
    named = (spoken(criterion.key), bounds_in_words(criterion))
    part = stratum_in_words(outcome.part)
    if row is None:
        whose = parties_in_words(outcome.whose)
        counts = (outcome.units, outcome.raters)
        return (*named, None, whose or None, part, *counts, None, outcome.answer, outcome.because)
    said = [outcome.because, row.estimate.warning or ""]
    return (
        *named,
        statistic_in_words(row),
        who(row),
        part,
        outcome.units,
        outcome.raters,
        shown_estimate(row.estimate, row.scale),
        outcome.answer,
        "; ".join(filter(None, said)),
    )


def in_words(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a sentence for each criterion: met for all its estimates, not met for some, or not decided."""
    for key in dict.fromkeys(outcome.criterion.key for outcome in outcomes):
        answers = [outcome.answer for outcome in outcomes if outcome.criterion.key == key]
        answer = next((each for each in ("not met", "not decided") if each in answers), "met")
        yield f"Criterion “{spoken(key)}”: {answer}."
