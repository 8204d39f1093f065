"""Steps of an ordered scale: weighted kappa, ICC, signed difference, means, and how the scale was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agreement import (
    bland_altman,
    icc,
    icc_with_missing,
    percent_agreement,
    percent_agreement_of_all,
)
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers, is_averaged, numbers_given
from services.report.sections.fields import judges_on_scales
from services.report.sections.fields.against_floors import FLOORS
from services.report.sections.fields.against_reference import ACCURACY
from services.report.sections.fields.ceilings import AGAINST_OTHERS, CEILINGS, CORRELATION_WITH_OTHERS
from services.report.sections.fields.comparing import between_models, mean_of_units
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.shares import RATE, categories_of, distribution
from services.report.sections.fields.topics import MEAN_OF_UNITS, POOLED, SAME_OF_ALL, FieldReport, Topic, has_alpha


def steps_of(ratings: Ratings) -> tuple[Numbers, ...]:
    """Return, by column, each answer's step as a number: its id if all ids are numbers, else its place, from 1."""
    return numbers_given(ratings)


def means(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's mean step, and the mean over units of their raters' means."""
    return mean_rows(ratings, steps_of(ratings), stratum, intervals)


def mean_rows(
    ratings: Ratings, numbers: Sequence[Numbers], stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the mean of each column of numbers and, if there are several, the mean over units of their means.

    If the probabilities of being drawn differ, each mean weighted to the population is given as well.
    """
    of_party: list[tuple[Party, Numbers]] = [
        (column.party, own) for column, own in zip(ratings.columns, numbers, strict=True)
    ]
    if len(of_party) > 1:
        of_party.append((ALL_RATERS, mean_of_units(numbers)))
    rows = []
    for party, own in of_party:
        places = [place for place, number in enumerate(own) if number is not None]
        if not places:
            continue
        given = [number for number in own if number is not None]
        clusters = [ratings.clusters[place] for place in places]
        estimate = intervals.mean(given, clusters, unit=ratings.unit)
        row = EstimateRow("mean_answer", "answers", (party,), stratum, estimate)
        rows.append(row)
        rows += of_pool(row, given, [ratings.chances[place] for place in places], clusters, intervals, kind="mean")
    return rows


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters chose the same or nearby steps."""
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    ids = [category.id for category in categories_of(ratings.field)]
    steps = steps_of(ratings)
    rows = []
    for a, b in ratings.pairs_on(stratum):
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        first, second = ratings.answers[a], ratings.answers[b]
        if is_averaged(ratings.columns[a]) or is_averaged(ratings.columns[b]):
            # A mean between two steps is not on the scale, and almost never equals an answer.
            difference = bland_altman(steps[a], steps[b], **by).bias
            rows.append(EstimateRow("mean_difference", "answers", parties, stratum, difference))
            continue
        linear = intervals.weighted_kappa(first, second, "linear", categories=ids, **by)
        quadratic = intervals.weighted_kappa(first, second, "quadratic", categories=ids, **by)
        rows += [
            EstimateRow("percent_agreement", "answers", parties, stratum, percent_agreement(first, second, **by)),
            EstimateRow("linear_kappa", "answers", parties, stratum, linear),
            EstimateRow("quadratic_kappa", "answers", parties, stratum, quadratic),
            EstimateRow("mean_difference", "answers", parties, stratum, bland_altman(steps[a], steps[b], **by).bias),
        ]
    if ratings.pairs:
        of_units = [list(given) for given in zip(*steps, strict=True)]
        rows.append(icc_row(ratings, of_units, stratum, intervals))
        if len(ratings.columns) > 2:
            same = percent_agreement_of_all(of_units, **by)
            rows.append(EstimateRow("percent_agreement", "answers", (ALL_RATERS,), stratum, same))
            ordered = [list(given) for given in zip(*ratings.answers, strict=True)]
            alpha = intervals.ordinal_alpha(ordered, categories=ids, **by)
            rows.append(EstimateRow("krippendorff_alpha", "answers", (ALL_RATERS,), stratum, alpha))
    return rows


def icc_row(
    ratings: Ratings, of_units: Sequence[Numbers], stratum: Stratum, intervals: IntervalSettings
) -> EstimateRow:
    """Return ICC(2,1) of all raters who gave a number; if units are dealt to some raters, from the numbers there are.

    Raters without any number are left out, since otherwise no unit would have a number from every rater. A judge is
    compared with a rater on the units that both rated, as in every other figure of the two.
    """
    gave = [any(number is not None for number in own) for own in zip(*of_units, strict=True)]
    of_units = [[number for number, has in zip(own, gave, strict=True) if has] for own in of_units]
    with_a_judge = any(column.party.kind == "judge" for column in ratings.columns)
    if not with_a_judge and any(None in column.states for column in ratings.columns):
        estimate = icc_with_missing(of_units, 2, confidence=intervals.confidence, unit=ratings.unit)
    else:
        estimate = icc(of_units, 2, **intervals.by(ratings.clusters), unit=ratings.unit)
    return EstimateRow("icc", "answers", (ALL_RATERS,), stratum, estimate)


MEANS = Topic(
    "means",
    "means",
    "Steps count as numbers: by their ids where these are numbers, else by their place, the lowest 1.",
    means,
    further=(MEAN_OF_UNITS,),
    names=frozenset({("mean_answer", "answers")}),
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "Kappa with weights over the whole declared scale, used or not: by the steps between two answers (linear), or by "
    "their square, which is lenient to near misses. ICC(2,1): the share of the spread of answers that is due to "
    "what was rated, and not to who rated it or to chance. Mean difference: first minus second rater, in steps.",
    agreement,
    further=(SAME_OF_ALL, ("Alpha is Krippendorff’s for ordered answers, of all raters.", has_alpha)),
)
SCALE = Topic(
    "distribution",
    "how often each step was chosen",
    "Share among the answers, lowest step first.",
    distribution,
    drawn="scale",
    further=(POOLED,),
)
WITH_OTHERS = replace(CORRELATION_WITH_OTHERS, key="correlation_with_others")
JUDGES = judges_on_scales.judges_on_scale(agreement)
REPORT = FieldReport(
    (
        MEANS,
        between_models(steps_of),
        AGREEMENT,
        AGAINST_OTHERS,
        WITH_OTHERS,
        JUDGES,
        judges_on_scales.CORRELATION,
        judges_on_scales.DIRECTION,
        SCALE,
        ACCURACY,
        FLOORS,
        CEILINGS,
        ORDER_AND_TIME,
    ),
    {"mean": MEANS, "agreement": AGREEMENT, "distribution": SCALE, "rate": RATE, "accuracy": ACCURACY},
    against={
        ("accuracy", "text_only"): FLOORS,
        ("accuracy", "models"): ACCURACY,
        ("agreement", "judges"): JUDGES,
        ("correlation", "judges"): judges_on_scales.CORRELATION,
        ("direction", "judges"): judges_on_scales.DIRECTION,
    },
    numbers=steps_of,
)
