"""Columns of numbers of the answers, such as a hedging score: whether they tell correct from incorrect ones."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.roc import Sides, area_of_sides
from exchange.report.estimate_rows import Category, EstimateRow, Party, Stratum
from protocol.language.wording import spoken
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_judges import correct_of, humans_of
from services.report.sections.fields.topics import Topic, has_judges

# The words of the study for the two sides of an area.
_SIDES = Sides(
    "numbers of correct and incorrect answers",
    "correct or incorrect answers",
    "no {unit}s scored correct",
    "no {unit}s scored incorrect",
)


def areas_of_columns(attributes: Sequence[str]) -> Topic:
    """Return the topic that compares columns of numbers with scores of correct and incorrect.

    Parameters
    ----------
    attributes
        The keys of attributes of candidates of the type number.
    """

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        scored: list[tuple[Party, Sequence[bool | None]]] = [
            *((human.party, correct_of(human)) for human in humans_of(ratings)),
            *((judge.party, judge.correct) for judge in ratings.judges),
        ]
        by = intervals.by(ratings.clusters)
        rows = []
        for name in attributes:
            written = [unit.value_of(name) for unit in ratings.units]
            numbers = [float(value) if value else None for value in written]
            for party, correct in scored:
                if any(None not in pair for pair in zip(numbers, correct, strict=True)):
                    area = area_of_sides(
                        numbers, correct, by["clusters"], intervals.confidence, ratings.unit, _SIDES,
                        intervals.of_areas, intervals.p_in_clusters,
                    )  # fmt: skip
                    category = Category(name, spoken(name))
                    rows.append(EstimateRow("auc", "number_column", (party,), stratum, area, category=category))
        return rows

    return Topic(
        "areas_of_columns",
        "columns of numbers, correct against incorrect",
        "The chance that, of a correct and an incorrect answer, the correct one has the greater number. At .5 the "
        "number does not tell them apart; below .5 the incorrect ones have the greater numbers, and 1 less the value "
        "is the area for being incorrect. What was scored neither correct nor incorrect, and answers without a number, "
        "are left out.",
        compute,
        further=(("A judge's rows are about its own verdicts on the same answers.", has_judges),),
    )
