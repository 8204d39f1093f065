"""Judges against people who scored the same candidates: agreement, direction, and the judge as a diagnostic test."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import cohen_kappa, diagnostic_accuracy, percent_agreement, weighted_mean
from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.statistic_names import Statistic
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal
from services.report.rows.columns import Column
from services.report.rows.excluded import excluded_by_either
from services.report.rows.ratings import Ratings
from services.report.rows.settled import settled
from services.report.sections.direction import TEST_OF_DIRECTION, direction_of, direction_remark
from services.report.sections.fields.topics import Holds, Topic, has_consensus, has_tests
from services.report.sections.fields.with_consensus import noting_consensus

_SAYS = {"correct": True, "incorrect": False, "partly": False}
_NEITHER = ("not_assessable", "undetermined")


def correct_of(column: Column) -> list[bool | None]:
    """Return what a rater's scores say: correct, incorrect (including partly correct), or neither."""
    return [None if value is None else _SAYS.get(str(value)) for value in column.values]


def neither_of(column: Column) -> list[bool]:
    """Return which of a rater's verdicts are neither: excluded, not assessable or undetermined."""
    return [
        state in _NEITHER or (state == "answered" and is_right is None)
        for state, is_right in zip(column.states, correct_of(column), strict=True)
    ]


def humans_of(ratings: Ratings) -> list[Column]:
    """Return the humans that a judge is compared with: each rater, and the consensus if there are several."""
    columns = list(ratings.columns)
    if len(columns) < 2 or any(column.party.kind == "consensus" for column in columns):
        return columns
    return [*columns, *settled(ratings.correct_or_incorrect, ()).columns]


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far each run agrees with each rater and with the consensus."""
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for judge in ratings.judges:
        for human in humans_of(ratings):
            parties, scores = (judge.party, human.party), correct_of(human)
            excluded = excluded_by_either(judge.correct, scores, [False] * len(scores), neither_of(human))
            kappa = intervals.kappa(cohen_kappa, judge.correct, scores, excluded=excluded, **by)
            as_test = diagnostic_accuracy(judge.correct, scores, True, categories=(False, True), **by)
            percent = percent_agreement(judge.correct, scores, excluded=excluded, **by)
            rows += [
                EstimateRow("percent_agreement", "judgements", parties, stratum, percent),
                EstimateRow("cohen_kappa", "judgements", parties, stratum, kappa),
                EstimateRow("sensitivity", "judgements", parties, stratum, as_test.sensitivity),
                EstimateRow("specificity", "judgements", parties, stratum, as_test.specificity),
            ]
            same = [
                None if x is None or y is None else float(x == y) for x, y in zip(judge.correct, scores, strict=True)
            ]
            rows += _weighted("percent_agreement", same, ratings, parties, stratum, intervals)
    return rows


def direction(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return whether each run is stricter or more lenient than each rater and than the consensus."""
    rows = []
    for judge in ratings.judges:
        for human in humans_of(ratings):
            parties, scores = (judge.party, human.party), correct_of(human)
            result = direction_of(scores, judge.correct, ratings.clusters, intervals)
            rows.append(
                EstimateRow(
                    "signed_difference", "judgements", parties, stratum, result.difference,
                    remark=direction_remark(result),
                )
            )  # fmt: skip
            gaps = [
                None if x is None or y is None else float(x) - float(y)
                for x, y in zip(scores, judge.correct, strict=True)
            ]
            rows += _weighted("signed_difference", gaps, ratings, parties, stratum, intervals)
    return rows


def _weighted(
    statistic: Statistic,
    values: Sequence[float | None],
    ratings: Ratings,
    parties: tuple[Party, Party],
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    """Return the estimate weighted to the population, if the probabilities of being drawn differ."""
    chances = unequal([unit.probability for unit in ratings.units])
    if chances is None:
        return []
    # Unlike shares, differences have no exact interval.
    by = intervals.by(ratings.clusters)
    if statistic == "signed_difference":
        by["interval"] = intervals.kind or "widened"
    name = statistic.replace("_", " ")
    weighted = weighted_mean(values, chances, name=name, unit=ratings.unit, **by)
    return [EstimateRow(statistic, "judgements", parties, stratum, weighted, weighted=True)]


_ON_CONSENSUS = ("The consensus is what all raters agree on, or most if the phase says so.", has_consensus)
# The one rule wherever correct and incorrect are compared: between raters, with judges, and in their consensus.
PARTLY: tuple[str, Holds] = (
    "Partly correct counts as incorrect, also where one says partly correct and another incorrect.",
    lambda ratings, _: any(option.id == "partly" for option in ratings.field.options),
)
AGREEMENT = Topic(
    "judges",
    "agreement of judges with people",
    "Candidates that the judge and the human both called correct or incorrect. Sensitivity and specificity: of the "
    "judge, for “correct”, with the human as reference.",
    noting_consensus(agreement, humans_of),
    further=(_ON_CONSENSUS, PARTLY),
)
DIRECTION = Topic(
    "judges_direction",
    "direction of the judges’ errors",
    "Share correct by the human minus share correct by the judge, in percentage points: above 0 the judge is stricter.",
    noting_consensus(direction, humans_of),
    further=(_ON_CONSENSUS, PARTLY, (TEST_OF_DIRECTION, has_tests)),
)
