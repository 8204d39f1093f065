"""Confidence in another answer: means and, if a reference tells which answers are right, calibration."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import ReliabilityBin, brier_score, expected_calibration_error, reliability_curve
from agreement.roc import Sides, area_of_sides
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.linked import probabilities_of
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers, numbers_of
from services.report.sections.fields.covered import covered_by
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.ordinal import mean_rows
from services.report.sections.fields.topics import MEAN_OF_UNITS, POOLED, FieldReport, Topic, has_models

# The words of the study for the two sides of an area.
_SIDES = Sides(
    "confidences in right and in wrong answers",
    "right or wrong answers",
    "no {unit}s with a right answer",
    "no {unit}s with a wrong answer",
)


def means(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the mean confidence of each rater."""
    return mean_rows(ratings, numbers_of(ratings), stratum, intervals)


def calibration(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how well confidence separates right from wrong answers and, if it is a probability, its calibration."""
    rows = []
    for party, numbers, correct in _of_parties(ratings):
        pairs = [number is not None and is_right is not None for number, is_right in zip(numbers, correct, strict=True)]
        if not any(pairs):
            continue
        pooled = party == ALL_RATERS
        times = len(numbers) // max(1, len(ratings.clusters))
        by = intervals.by(ratings.clusters * times) | {"unit": "verdict" if pooled else ratings.unit}
        tells = area_of_sides(
            numbers, correct, by["clusters"], intervals.confidence, by["unit"], _SIDES, intervals.of_areas,
            intervals.p_in_clusters,
        )  # fmt: skip
        rows.append(EstimateRow("auc", "confidence", (party,), stratum, tells))
        probabilities = probabilities_of(ratings.field, numbers)
        if probabilities is None:
            continue
        level = {"level" if name == "confidence" else name: value for name, value in by.items()}
        error = expected_calibration_error(probabilities, correct, **level)
        brier = EstimateRow(
            "brier_score", "confidence", (party,), stratum, brier_score(probabilities, correct, **level)
        )
        squares = [
            None if sure is None or is_right is None else (sure - is_right) ** 2
            for sure, is_right in zip(probabilities, correct, strict=True)
        ]
        rows += [
            brier,
            *of_pool(brier, squares, ratings.chances * times, ratings.clusters * times, intervals, kind="mean"),
            EstimateRow("calibration_error", "confidence", (party,), stratum, error),
        ]
    return rows


def reliability(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return, by tenths of a confidence that is a probability, how often answers are right, and its mean there."""
    rows = []
    for party, numbers, correct in _of_parties(ratings):
        stated = probabilities_of(ratings.field, numbers)
        if stated is None:
            continue
        clusters = ratings.clusters * (len(numbers) // max(1, len(ratings.clusters)))
        known = [
            (sure, is_right, cluster)
            for sure, is_right, cluster in zip(stated, correct, clusters, strict=True)
            if sure is not None and is_right is not None
        ]
        unit = "verdict" if party == ALL_RATERS else ratings.unit
        for part in _bins(known, intervals, unit) if known else ():
            among = [
                (sure, own) for sure, _, own in known if part.above < sure <= part.up_to or sure == part.above == 0
            ]
            # The lowest bin includes 0.
            lowest = f"above {100 * part.above:.0f}" if part.above else "0"
            words = f"{lowest} up to {100 * part.up_to:.0f} %"
            category = Category(f"{part.up_to:.1f}", words)
            mean = intervals.mean([sure for sure, _ in among], [own for _, own in among], unit=unit)
            rows += [
                EstimateRow("accuracy", "stated", (party,), stratum, part.accuracy, category=category),
                EstimateRow("mean_answer", "stated", (party,), stratum, mean, category=category),
            ]
    return rows


def _bins(known: Sequence[tuple[float, bool, str]], intervals: IntervalSettings, unit: str) -> list[ReliabilityBin]:
    """Return the tenths that contain any answer."""
    by = intervals.by([cluster for _, _, cluster in known])
    by.pop("interval", None)
    by["level"] = by.pop("confidence")
    curve = reliability_curve([sure for sure, _, _ in known], [is_right for _, is_right, _ in known], unit=unit, **by)
    return [part for part in curve if part.n]


def _of_parties(ratings: Ratings) -> list[tuple[Party, Numbers, list[bool | None]]]:
    """Return each party's confidence and whether its answers are right, followed by those of all raters together."""
    of_each = [
        (column.party, numbers, list(column.about or (None,) * len(numbers)))
        for column, numbers in zip(ratings.columns, numbers_of(ratings), strict=True)
    ]
    if len(of_each) < 2:
        return of_each
    together = [number for _, numbers, _ in of_each for number in numbers]
    return [*of_each, (ALL_RATERS, together, [is_right for _, _, right in of_each for is_right in right])]


MEANS = Topic(
    "means",
    "means",
    "Every rater uses such a scale differently: a difference between two raters is not a difference in what they saw.",
    means,
    of_models=True,
    further=(MEAN_OF_UNITS,),
    names=frozenset({("mean_answer", "answers")}),
)
CALIBRATION = Topic(
    "calibration",
    "does it tell right from wrong",
    "Of answers that were right or wrong; an abstention is neither, whatever confidence stands beside it.",
    calibration,
    of_models=True,
    further=(
        (
            (
                "AUC: the chance that an answer that was right was given with more confidence than a wrong one; 0.5 is "
                "chance."
            ),
            lambda _, rows: any(row.statistic == "auc" for row in rows),
        ),
        (
            (
                "Brier score and calibration error (ECE) are of a confidence that is a probability, and 0 is best. The "
                "Brier score is the mean square of how far it was from 1 where the answer was right, and from 0 where "
                "it was wrong; the calibration error is how far, on average, it lies from the share right among "
                "answers of about the same confidence (ten bins of equal width, right-closed)."
            ),
            lambda _, rows: any(row.statistic == "brier_score" for row in rows),
        ),
        ("What a model wrote that is no answer is left out.", has_models),
        POOLED,
    ),
)
RELIABILITY = Topic(
    "reliability",
    "how often right at each confidence",
    "By tenths of the stated probability, right-closed: how often the answers given with it are right, beside its mean "
    "there. Where the first is lower, the answers are overconfident.",
    reliability,
    in_parts=False,
    drawn="reliability",
    of_models=True,
)
REPORT = FieldReport(
    (MEANS, CALIBRATION, RELIABILITY, covered_by(_of_parties)),
    {"mean": MEANS, "calibration": CALIBRATION, "auc": CALIBRATION},
    against={("calibration", "models"): CALIBRATION, ("auc", "models"): CALIBRATION},
)
