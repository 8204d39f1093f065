"""A flag against raters' answers on the same units: how often it is right, and how much it misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agreement import weighted_mean
from agreement.estimate import undefined
from agreement.flags import flag_misses
from exchange.report.estimate_rows import Category, EstimateRow, LeftOut, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal
from services.report.rows.ratings import Ratings
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic

# The states of a rater who was asked but chose no option.
_ABSTAINED: frozenset[str | None] = frozenset({"undetermined", "not_assessable"})
_NOT_READ: Final = "undetermined or not assessable, counted as not read"


def flags(option: str, attribute: str) -> Topic:
    """Return the topic that compares a flag with the raters.

    Parameters
    ----------
    option
        The id of the answer that confirms a flag.
    attribute
        The yes/no attribute that is the flag.
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
            if any(is_so is not None and flag[place] for place, is_so in enumerate(said)):
                abstained = [flag[place] for place, state in enumerate(column.states) if state in _ABSTAINED]
                of_flagged, of_all = abstained.count("yes"), sum(map(bool, abstained))
                rows += [
                    replace(row, remark=LeftOut(of_flagged, _NOT_READ) if of_flagged else None)
                    for row in _precision(right, column.party, category, ratings, stratum, intervals)
                ]
                misses = _misses(said, flag, column.party, category, ratings, stratum, intervals)
                rows.append(replace(misses, remark=LeftOut(of_all, _NOT_READ) if of_all else None))
        return rows

    return Topic(
        "flags",
        "the flag against the raters",
        "Precision: of the flagged units, the share that the rater confirms. Misses: of the units that the rater would "
        "have flagged, the share that was not flagged. Its limits depend on how many of both were read: with few "
        "unflagged units the interval is wide. A unit that a rater leaves undetermined or calls not assessable counts "
        "as not read; the notes give their number, of flagged units and of all.",
        compute,
        in_parts=False,
    )


def _misses(
    said: Sequence[bool | None],
    flag: Sequence[str],
    party: Party,
    category: Category,
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> EstimateRow:
    drawn = [place for place, is_flagged in enumerate(flag) if is_flagged]
    chances = unequal([ratings.units[place].probability for place in drawn])
    estimate = flag_misses(
        [said[place] for place in drawn],
        [flag[place] == "yes" for place in drawn],
        probabilities=chances,
        clusters=[ratings.clusters[place] for place in drawn],
        confidence=intervals.confidence,
        name="share",
        unit=ratings.unit,
    )
    return EstimateRow(
        "share", "flag_misses", (party,), stratum, estimate, weighted=chances is not None, category=category
    )


def _precision(
    counted: list[tuple[int, bool]],
    party: Party,
    category: Category,
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    if not counted:
        reason = f"no {ratings.unit} that is flagged was read"
        unknown = undefined("share", 0, ratings.unit, "share", reason, confidence=intervals.confidence)
        return [EstimateRow("share", "flag_precision", (party,), stratum, unknown, category=category)]
    clusters = [ratings.clusters[place] for place, _ in counted]
    chances = unequal([ratings.units[place].probability for place, _ in counted])
    if chances is None:
        share, wilson = intervals.share([is_so for _, is_so in counted], clusters, unit=ratings.unit)
        return [EstimateRow("share", "flag_precision", (party,), stratum, share, wilson, category=category)]
    values = [float(is_so) for _, is_so in counted]
    weighted = weighted_mean(values, chances, name="share", unit=ratings.unit, **intervals.by(clusters))
    return [EstimateRow("share", "flag_precision", (party,), stratum, weighted, weighted=True, category=category)]
