"""Judges that fill in the same field as people: each against each rater, and against the raters' settled answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from agreement import bland_altman, pearson, spearman
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from exchange.report.report_structure import PairedPoints
from exchange.report.statistic_names import Statistic
from protocol.language.criteria import MOST_PAIRS_OF_PART
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column, Judged, State
from services.report.rows.ratings import Ratings
from services.report.rows.settled import settled
from services.report.rows.steps import Numbers, numbers_given
from services.report.sections.direction import TEST_OF_DIRECTION, direction_of
from services.report.sections.fields.paired_points import paired_points
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic, has_tests
from services.report.sections.fields.with_consensus import noting_consensus

# Differences, of which each row says that they are judge minus human: of right and wrong they are human minus judge.
_IN_ORDER: frozenset[Statistic] = frozenset({"mean_difference", "lower_limit", "upper_limit"})
Agreement = Callable[[Ratings, Stratum, IntervalSettings], list[EstimateRow]]


def judges_on_scale(agreement: Agreement) -> Topic:
    """Return the topic that compares judges with people by the same statistics as people with each other.

    Parameters
    ----------
    agreement
        Computes the agreement between raters for a field type.
    """

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        rows = []
        for judge in ratings.judges:
            for human in humans_of(ratings):
                both = replace(ratings, columns=(_column(judge), human), judges=())
                parties = (judge.party, human.party)
                rows += [
                    replace(
                        row,
                        parties=parties if row.parties == (ALL_RATERS,) else row.parties,
                        compared="judges_on_scale" if row.statistic in _IN_ORDER else row.compared,
                    )
                    for row in agreement(both, stratum, intervals)
                ]
        return rows

    return Topic(
        "judges",
        "agreement of judges with people",
        "By the statistics that compare raters with each other, on what both rated. The consensus is what all raters "
        "agree on, or what the phase settles on; where that is their mean or median, it is mostly between two steps, "
        "and only differences and the ICC are printed. Mean difference: judge minus human, so that below 0 the judge "
        "is lower.",
        noting_consensus(compute, humans_of),
    )


def correlation(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the correlation of each judge with each rater, and with the raters' settled answers."""
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for parties, judge, human in _numbers(ratings):
        rows += [
            EstimateRow("pearson", "answers", parties, stratum, pearson(judge, human, **by)),
            EstimateRow("spearman", "answers", parties, stratum, spearman(judge, human, **by)),
        ]
    return rows


def direction(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far each judge is above or below people, with limits of agreement."""
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for parties, judge, human in _numbers(ratings):
        differences = bland_altman(judge, human, **by)
        rows += [
            EstimateRow("mean_difference", "judges_on_scale", parties, stratum, differences.bias),
            EstimateRow("lower_limit", "judges_on_scale", parties, stratum, differences.lower),
            EstimateRow("upper_limit", "judges_on_scale", parties, stratum, differences.upper),
        ]
    return rows


def direction_of_option(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how much more often people choose the positive option than each judge."""
    option = next(each for each in categories_of(ratings.field) if each.id == ratings.field.positive)
    rows = []
    for judge in ratings.judges:
        for human in humans_of(ratings):
            of_human, of_judge = (
                [None if value is None else value == ratings.field.positive for value in column.values]
                for column in (human, _column(judge))
            )
            result = direction_of(of_human, of_judge, ratings.clusters, intervals)
            rows.append(
                EstimateRow(
                    "signed_difference", "judged_option", (human.party, judge.party), stratum, result.difference,
                    category=option,
                )
            )  # fmt: skip
    return rows


def points(ratings: Ratings) -> tuple[PairedPoints, ...]:
    """Return each judge's and human's numbers as points, if there are few enough pairs to draw."""
    of_pairs = [paired_points(*pair) for pair in _numbers(ratings)]
    return tuple(each for each in of_pairs if each is not None) if len(of_pairs) <= MOST_PAIRS_OF_PART else ()


def _numbers(ratings: Ratings) -> Iterator[tuple[tuple[Party, Party], Numbers, Numbers]]:
    """Yield each judge with each human, and the numbers that both gave."""
    for judge in ratings.judges:
        for human in humans_of(ratings):
            given = numbers_given(replace(ratings, columns=(_column(judge), human)))
            if any(None not in pair for pair in zip(*given, strict=True)):
                yield (judge.party, human.party), given[0], given[1]


def humans_of(ratings: Ratings) -> list[Column]:
    """Return the humans that a judge is compared with: each rater, and what they settled on if there are several."""
    columns = list(ratings.columns)
    return [*columns, settled(ratings, ()).columns[0]] if len(columns) > 1 else columns


CORRELATION = Topic(
    "judges_correlation",
    "judges and people up and down together",
    "A correlation says nothing of the level: a judge who is always a point lower has a perfect one. The consensus is "
    "what all raters agree on, or their mean or median where the phase says so.",
    noting_consensus(correlation, humans_of),
)
DIRECTION = Topic(
    "judges_direction",
    "how far judges are above or below people",
    "Mean difference: judge minus human, below 0 the judge gives less (of correct and incorrect it is human minus "
    "judge). Of single answers, 95 % of the differences are expected between the limits of agreement.",
    noting_consensus(direction, humans_of),
    points=points,
)
OF_OPTION = Topic(
    "judges_direction",
    "which way judges differ from people",
    "Share of the positive option by the human minus that by the judge, in percentage points, on what both answered: "
    "above 0 the judge chooses it less often.",
    noting_consensus(direction_of_option, humans_of),
    further=((TEST_OF_DIRECTION, has_tests),),
)


def _column(judge: Judged) -> Column:
    states: list[State | None] = [None if said is None else "answered" for said in judge.said]
    return Column(judge.party, tuple(states), judge.said)
