"""A flag against what people say of the same units: how often it is right, and how much it misses."""

from __future__ import annotations

from agreement import weighted_mean
from exchange.estimate_rows import Category, Compared, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal
from services.report.rows.ratings import Ratings
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic


def flags(option: str, attribute: str) -> Topic:
    """Return the topic that holds a flag against the raters.

    Parameters
    ----------
    option
        What a rater says of a unit that is rightly flagged, by its id.
    attribute
        The attribute, yes or no, that is the flag.
    """

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        category = next(each for each in categories_of(ratings.field) if each.id == option)
        flag = [unit.value_of(attribute) for unit in ratings.units]
        rows = []
        for column, answers in zip(ratings.columns, ratings.answers, strict=True):
            said = [None if answer is None else answer == option for answer in answers]
            right: list[tuple[int, bool]] = [
                (place, bool(is_so)) for place, is_so in enumerate(said) if is_so is not None and flag[place] == "yes"
            ]
            missed: list[tuple[int, bool]] = [
                (place, flag[place] == "no") for place, is_so in enumerate(said) if is_so and flag[place]
            ]
            rows += _rows("flag_precision", right, column.party, category, ratings, stratum, intervals)
            rows += _rows("flag_misses", missed, column.party, category, ratings, stratum, intervals)
        return rows

    return Topic(
        "flags",
        "the flag against the raters",
        "Precision: of the flagged units, the share that the rater calls so, too. Misses: of the units that the rater "
        "calls so, the share that was not flagged.",
        compute,
        in_parts=False,
    )


def _rows(
    compared: Compared,
    counted: list[tuple[int, bool]],
    party: Party,
    category: Category,
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    if not counted:
        return []
    clusters = [ratings.clusters[place] for place, _ in counted]
    chances = unequal([ratings.units[place].probability for place, _ in counted])
    if chances is None:
        share, wilson = intervals.share([is_so for _, is_so in counted], clusters, unit=ratings.unit)
        return [EstimateRow("share", compared, (party,), stratum, share, wilson, category=category)]
    values = [float(is_so) for _, is_so in counted]
    weighted = weighted_mean(values, chances, name="share", unit=ratings.unit, **intervals.by(clusters))
    return [EstimateRow("share", compared, (party,), stratum, weighted, weighted=True, category=category)]
