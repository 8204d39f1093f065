"""Fields that take a number: how close two raters' numbers are, and how well they correlate."""

from __future__ import annotations

from agreement import bland_altman, lin_ccc, pearson, spearman
from exchange.report.estimate_rows import EstimateRow, Stratum
from exchange.report.report_structure import PairedPoints
from protocol.language.criteria import MOST_PAIRS_OF_PART
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.steps import numbers_of
from services.report.sections.fields import judges_on_scales
from services.report.sections.fields.against_reference import ACCURACY
from services.report.sections.fields.ceilings import BEST_RATER, CORRELATION_WITH_OTHERS
from services.report.sections.fields.comparing import between_models
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.ordinal import icc_row, mean_rows
from services.report.sections.fields.paired_points import paired_points
from services.report.sections.fields.topics import MEAN_OF_UNITS, FieldReport, Topic


def means(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's mean, and the mean over units of their raters' means."""
    return mean_rows(ratings, numbers_of(ratings), stratum, intervals)


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how close raters' numbers are: concordance, correlations, difference with limits, and ICC for all."""
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    numbers = numbers_of(ratings)
    rows = []
    for a, b in ratings.pairs_on(stratum):
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        differences = bland_altman(numbers[a], numbers[b], **by)
        rows += [
            EstimateRow("lin_ccc", "answers", parties, stratum, lin_ccc(numbers[a], numbers[b], **by)),
            EstimateRow("pearson", "answers", parties, stratum, pearson(numbers[a], numbers[b], **by)),
            EstimateRow("spearman", "answers", parties, stratum, spearman(numbers[a], numbers[b], **by)),
            EstimateRow("mean_difference", "answers", parties, stratum, differences.bias),
            EstimateRow("lower_limit", "answers", parties, stratum, differences.lower),
            EstimateRow("upper_limit", "answers", parties, stratum, differences.upper),
        ]
    if ratings.pairs:
        of_units = [list(given) for given in zip(*numbers, strict=True)]
        rows.append(icc_row(ratings, of_units, stratum, intervals))
    return rows


def points(ratings: Ratings) -> tuple[PairedPoints, ...]:
    """Return the numbers of every pair of raters as points, if there are few enough pairs to draw."""
    numbers = numbers_of(ratings)
    of_pairs = [
        paired_points((ratings.columns[a].party, ratings.columns[b].party), numbers[a], numbers[b])
        for a, b in ratings.pairs
    ]
    return tuple(each for each in of_pairs if each is not None) if len(of_pairs) <= MOST_PAIRS_OF_PART else ()


MEANS = Topic(
    "means",
    "means",
    "Of the numbers that were given.",
    means,
    further=(MEAN_OF_UNITS,),
    names=frozenset({("mean_answer", "answers")}),
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "Lin’s concordance and ICC(2,1) fall where raters differ in level; correlations do not, and a high correlation is "
    "no agreement. Mean difference: first minus second rater; 95 % of differences are expected between the limits.",
    agreement,
    points=points,
)
JUDGES = judges_on_scales.judges_on_scale(agreement)
REPORT = FieldReport(
    (
        MEANS,
        between_models(numbers_of),
        AGREEMENT,
        CORRELATION_WITH_OTHERS,
        JUDGES,
        judges_on_scales.CORRELATION,
        judges_on_scales.DIRECTION,
        ACCURACY,
        BEST_RATER,
        ORDER_AND_TIME,
    ),
    {"mean": MEANS, "agreement": AGREEMENT, "accuracy": ACCURACY},
    against={
        ("agreement", "judges"): JUDGES,
        ("correlation", "judges"): judges_on_scales.CORRELATION,
        ("direction", "judges"): judges_on_scales.DIRECTION,
        ("accuracy", "models"): ACCURACY,
    },
    numbers=numbers_of,
)
