"""One of several options without an order: agreement, kappa of each option, distribution."""

from __future__ import annotations

from dataclasses import replace

from agreement import kappa_per_category
from agreement.all_raters import fleiss_kappa_per_category
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_floors import FLOORS
from services.report.sections.fields.against_reference import ACCURACY, ON_CORRECTNESS, SHARED, correct_numbers
from services.report.sections.fields.ceilings import AGAINST_OTHERS, CEILINGS
from services.report.sections.fields.classes import OF_CLASSES, ONE_AGAINST_REST
from services.report.sections.fields.judges_on_scales import OF_OPTION, judges_on_scale
from services.report.sections.fields.matched_lines import MATCHED, at_depth
from services.report.sections.fields.nominal_agreement import agreement_rows
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.seen_through import BLINDING
from services.report.sections.fields.shares import RATE, categories_of, distribution
from services.report.sections.fields.topics import (
    POOLED_VERDICTS,
    SAME_OF_ALL,
    FieldReport,
    Topic,
    has_alpha,
    has_unanswered,
    pools_raters,
)


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters chose the same option."""
    ids = [category.id for category in categories_of(ratings.field)]
    return agreement_rows(ratings, ratings.answers, stratum, intervals, categories=ids or None)


def per_category(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the kappa of each option against the rest: for every pair and, with three raters or more, for all."""
    categories = categories_of(ratings.field)
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit, "categories": [each.id for each in categories]}
    rows = []
    if not ratings.pairs or len(categories) < 3:
        # With two options, each has the same kappa as the field.
        return []
    for a, b in ratings.pairs_on(stratum):
        kappas = kappa_per_category(ratings.answers[a], ratings.answers[b], **by)
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        rows += [
            EstimateRow("category_kappa", "answers", parties, stratum, kappas[each.id], category=each)
            for each in categories
        ]
    if len(ratings.columns) > 2:
        kappas = fleiss_kappa_per_category([list(given) for given in zip(*ratings.answers, strict=True)], **by)
        rows += [
            EstimateRow("category_kappa", "answers", (ALL_RATERS,), stratum, kappas[each.id], category=each)
            for each in categories
        ]
    return rows


AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "Whether raters chose the same option. Kappa corrects for chance by how often each rater uses each option, so that "
    "it drops where nearly all are alike.",
    agreement,
    further=(
        (
            "AC1 corrects by how evenly options are used, and does not drop.",
            lambda _, rows: any(row.statistic == "gwet_ac1" for row in rows),
        ),
        SAME_OF_ALL,
        ("Alpha is Krippendorff’s for options without an order, of all raters.", has_alpha),
    ),
)
PER_CATEGORY = Topic(
    "per_category",
    "kappa of each option",
    "Each option against all others. Options of one unit exclude each other, so these are no independent results.",
    per_category,
    in_parts=False,
    further=(("Of two raters it is Cohen’s kappa, of all raters Fleiss’.", pools_raters),),
)
DISTRIBUTION = Topic(
    "distribution",
    "how often each option was chosen",
    "Share among the answers.",
    distribution,
    further=(
        ("Abstentions, and what was called not assessable, are none of these.", has_unanswered),
        POOLED_VERDICTS,
    ),
)
JUDGES = judges_on_scale(agreement)
REPORT = FieldReport(
    (
        ACCURACY, FLOORS, CEILINGS, OF_CLASSES, ONE_AGAINST_REST, AGREEMENT, AGAINST_OTHERS, JUDGES, PER_CATEGORY,
        ON_CORRECTNESS, SHARED, ORDER_AND_TIME, DISTRIBUTION,
    ),
    {
        "accuracy": ACCURACY, "agreement": AGREEMENT, "distribution": DISTRIBUTION, "rate": RATE,
        "macro_f1": OF_CLASSES, "auc": ONE_AGAINST_REST,
    },
    against={
        ("accuracy", "text_only"): FLOORS, ("accuracy", "models"): ACCURACY, ("macro_f1", "models"): OF_CLASSES,
        ("auc", "models"): ONE_AGAINST_REST, ("agreement", "judges"): JUDGES,
    },
    numbers=correct_numbers,
    is_share=True,
)  # fmt: skip
# How often one option is chosen has a direction.
OF_OPTIONS = replace(REPORT, against={**REPORT.against, ("direction", "judges"): OF_OPTION})
OF_CHOICE = replace(
    OF_OPTIONS,
    topics=(MATCHED, *REPORT.topics),
    planned={**REPORT.planned, "pass_at": MATCHED},
    at_depth=at_depth,
)
OF_GUESSES = replace(REPORT, topics=(BLINDING, *REPORT.topics), planned={**REPORT.planned, "blinding_index": BLINDING})
