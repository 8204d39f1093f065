"""Fields that take the format of the item: yes or no, one of the item's options, or words."""

from __future__ import annotations

from dataclasses import replace

from agreement import pabak
from exchange.report.estimate_rows import EstimateRow, Pooled, Stratum
from protocol.fields.yes_no import YES_NO
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_floors import FLOORS
from services.report.sections.fields.against_reference import ACCURACY, ON_CORRECTNESS, SHARED, correct_numbers
from services.report.sections.fields.ceilings import AGAINST_OTHERS, CEILINGS
from services.report.sections.fields.nominal_agreement import agreement_rows
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.text import F1_OF_REFERENCE
from services.report.sections.fields.topics import SAME_OF_ALL, FieldReport, Topic


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters gave the same answer; chance-corrected rows are marked if they pool several formats."""
    formats = {kind.name for kind in ratings.kinds}
    rows = agreement_rows(ratings, ratings.answers, stratum, intervals)
    if len(formats) > 1:
        # Shares can be pooled over formats; agreement by chance differs between them.
        return [row if row.statistic == "percent_agreement" else replace(row, remark=Pooled()) for row in rows]
    if formats != {"yes_no"}:
        return rows
    by = intervals.by(ratings.clusters)
    values = tuple(key for key, _ in YES_NO)
    for a, b in ratings.pairs_on(stratum):
        estimate = pabak(ratings.answers[a], ratings.answers[b], categories=values, **by)
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        rows.append(EstimateRow("pabak", "answers", parties, stratum, estimate))
    return rows


AGREEMENT = Topic(
    "agreement",
    "agreement between raters on answers",
    "The two answers themselves: by option, not by its place in the list, and words after normalisation. The third "
    "option of one item is not the third of another, so a kappa over several formats is descriptive only.",
    agreement,
    further=(SAME_OF_ALL,),
)
REPORT = FieldReport(
    (ACCURACY, FLOORS, CEILINGS, F1_OF_REFERENCE, AGREEMENT, AGAINST_OTHERS, ON_CORRECTNESS, SHARED, ORDER_AND_TIME),
    {"accuracy": ACCURACY, "agreement": AGREEMENT},
    against={("accuracy", "text_only"): FLOORS, ("accuracy", "models"): ACCURACY},
    numbers=correct_numbers,
    is_share=True,
)
