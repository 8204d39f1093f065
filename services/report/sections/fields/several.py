"""Any number of options: agreement on the exact set, overlap of two sets, each option on its own, and those right."""

from __future__ import annotations

from dataclasses import replace

from agreement import SetAgreement, set_agreement
from exchange.report.estimate_rows import EstimateRow, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_reference import ACCURACY, SILENT, means_of_scores
from services.report.sections.fields.ceilings import AGAINST_OTHERS, BEST_RATER
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.shares import RATE, categories_of, distribution
from services.report.sections.fields.topics import MEAN_OF_PAIRS, FieldReport, Topic, pools_raters


def options_right(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's mean share of options that are chosen, or left alone, as in the reference."""
    return means_of_scores(ratings, stratum, intervals, "options_right", lambda score: score.share)


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often two raters chose the same set, and how far their sets overlap."""
    return [
        row
        for parties, places in ratings.parties_on(stratum)
        for result in [_result(ratings, places, intervals)]
        for row in (
            EstimateRow("percent_agreement", "sets", parties, stratum, result.exact),
            EstimateRow("jaccard", "sets", parties, stratum, result.jaccard),
        )
    ]


def of_options(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the agreement on each option, as chosen or not."""
    categories = categories_of(ratings.field)
    return [
        row
        for parties, places in ratings.parties_on(stratum)
        for category, option in zip(categories, _result(ratings, places, intervals).options, strict=True)
        for row in (
            EstimateRow("percent_agreement", "option", parties, stratum, option.percent, category=category),
            EstimateRow("cohen_kappa", "option", parties, stratum, option.kappa, category=category),
        )
    ]


def _result(ratings: Ratings, places: tuple[int, ...], intervals: IntervalSettings) -> SetAgreement:
    """Return the agreement of these columns; for a pair, on the units that both answered."""
    columns = [ratings.columns[place].values for place in places]
    of_units = [
        (given, cluster)
        for given, cluster in zip(zip(*columns, strict=True), ratings.clusters, strict=True)
        if len(places) > 2 or None not in given
    ]
    sets = [[None if value is None else frozenset(value) for value in given] for given, _ in of_units]
    options = [category.id for category in categories_of(ratings.field)]
    clusters = [cluster for _, cluster in of_units]
    result = set_agreement(sets, options, **intervals.by(clusters), unit=ratings.unit)
    if intervals.of_same == "score":
        return result
    same = set_agreement(sets, options, **intervals.same_by(clusters), unit=ratings.unit)
    percents = (each.percent for each in same.options)
    of_options = (replace(each, percent=percent) for each, percent in zip(result.options, percents, strict=True))
    return replace(result, exact=same.exact, options=tuple(of_options))


OPTIONS_RIGHT = Topic(
    "options_right",
    "options right against the reference",
    "Mean share of all options that are chosen, or left alone, as in the reference. Where most options are never "
    "chosen it is high whatever the answer: what a clinician would act on is the exact set, under accuracy.",
    options_right,
    of_models=True,
    further=(SILENT,),
    names=frozenset({("options_right", "reference")}),
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "The exact set, and options in common over those that either chose (Jaccard); two who chose none agree. Neither "
    "corrects for chance.",
    agreement,
    further=(MEAN_OF_PAIRS,),
)
OF_OPTIONS = Topic(
    "options",
    "agreement on each option",
    "Each option chosen or not; options of one unit are no independent results.",
    of_options,
    in_parts=False,
    further=(MEAN_OF_PAIRS, ("Of two raters kappa is Cohen’s, of all raters Conger’s.", pools_raters)),
)
DISTRIBUTION = Topic(
    "distribution",
    "how often each option was chosen",
    "Share of the units on which the field was asked; several options of one unit count each, so that shares do not "
    "add up to 100 %. A rater who left all options alone, where that is allowed, has chosen none of them.",
    distribution,
)
REPORT = FieldReport(
    (ACCURACY, OPTIONS_RIGHT, BEST_RATER, AGREEMENT, AGAINST_OTHERS, OF_OPTIONS, ORDER_AND_TIME, DISTRIBUTION),
    {"accuracy": ACCURACY, "agreement": AGREEMENT, "distribution": DISTRIBUTION, "rate": RATE},
    against={("accuracy", "models"): ACCURACY},
)
