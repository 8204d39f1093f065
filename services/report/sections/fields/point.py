"""Places, in mm or pixels: their distance from the reference, and from other raters' places."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import place_agreement
from exchange.report.estimate_rows import Category, EstimateRow, LeftOut, Reason, Stratum
from services.reading.correctness import Score
from services.reading.field_keys import NOTHING
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_reference import ACCURACY, IN_NO_MEAN, IN_NO_SHARE, SILENT, silent
from services.report.sections.fields.ceilings import BEST_RATER
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.topics import MEAN_OF_PAIRS, FieldReport, Topic, measured_in

# In mm, or in pixels: from about a voxel to somewhere else in the brain.
_REACHES = (2, 5, 10, 15, 20, 30)


def distance(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's mean distance from the nearest reference point."""
    rows = []
    for column, scores in zip(ratings.columns, ratings.scores, strict=True):
        away, clusters, chances = _given(ratings, scores)
        if away:
            row = EstimateRow(
                "mean_distance", "reference", (column.party,), stratum, intervals.mean(away, clusters),
                in_pixels=ratings.in_pixels, remark=_without_a_place(ratings, column, scores, IN_NO_MEAN),
            )  # fmt: skip
            rows += [row, *of_pool(row, away, chances, clusters, intervals, kind="mean")]
    return rows


def within(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's share of places within each of several distances of the reference."""
    rows = []
    unit = measured_in(ratings)
    for farthest in _REACHES:
        for column, scores in zip(ratings.columns, ratings.scores, strict=True):
            away, clusters, chances = _given(ratings, scores)
            if away:
                near = [each <= farthest for each in away]
                share, wilson = intervals.share(near, clusters, unit=ratings.unit)
                reach = Category(str(farthest), f"{farthest} {unit}")
                row = EstimateRow(
                    "share", "distance", (column.party,), stratum, share, wilson, category=reach,
                    remark=_without_a_place(ratings, column, scores, IN_NO_SHARE),
                )  # fmt: skip
                rows += [row, *of_pool(row, near, chances, clusters, intervals)]
    return rows


def _without_a_place(ratings: Ratings, column: Column, scores: Sequence[Score], why: Reason) -> LeftOut | None:
    """Return how many units with a reference point have no place; a place has no distance from a region."""
    near_points = [
        score if key is not None and key.key.region is None else NOTHING
        for score, key in zip(scores, ratings.keys, strict=True)
    ]
    return silent(column, near_points, why, sum(score.distance_mm is not None for score in scores))


def _given(ratings: Ratings, scores: Sequence[Score]) -> tuple[list[float], list[str], list[float | None]]:
    """Return the distance of each place that was given, with its unit's cluster and chance of being drawn."""
    given = [
        (score.distance_mm, cluster, chance)
        for score, cluster, chance in zip(scores, ratings.clusters, ratings.chances, strict=True)
        if score.distance_mm is not None
    ]
    return [away for away, _, _ in given], [cluster for _, cluster, _ in given], [chance for _, _, chance in given]


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the mean distance between two raters' places, and between those of all if there are more than two."""
    rows = []
    for parties, places in ratings.parties_on(stratum):
        columns = [ratings.columns[place].values for place in places]
        of_units = [list(given) for given in zip(*columns, strict=True)]
        result = place_agreement(of_units, **intervals.by(ratings.clusters), unit=ratings.unit)
        rows.append(
            EstimateRow("mean_distance", "answers", parties, stratum, result.distance, in_pixels=ratings.in_pixels)
        )
    return rows


DISTANCE = Topic(
    "distance",
    "distance from the reference",
    "From the nearest accepted point. A few far misses move a mean; whether a place is within the radius of the "
    "reference stands under accuracy.",
    distance,
    of_models=True,
    further=(SILENT,),
)
WITHIN = Topic(
    "within",
    "share within a distance of the reference",
    "Of the places that were given, the share that is within each distance of the nearest accepted point; a rater "
    "whose line lies higher is nearer. Whether a place is right is said by the radius of its reference.",
    within,
    in_parts=False,
    drawn="distances",
    of_models=True,
    further=(SILENT,),
)
AGREEMENT = Topic(
    "agreement",
    "agreement of places",
    "Distance between the places of two raters; places of different panes are not compared.",
    agreement,
    further=(MEAN_OF_PAIRS,),
)
REPORT = FieldReport(
    (ACCURACY, BEST_RATER, DISTANCE, WITHIN, AGREEMENT, ORDER_AND_TIME),
    {"accuracy": ACCURACY, "distance": DISTANCE, "agreement": AGREEMENT},
    against={("accuracy", "models"): ACCURACY, ("distance", "models"): DISTANCE},
)
