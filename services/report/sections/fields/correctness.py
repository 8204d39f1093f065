"""Correct or incorrect: the share correct with its bounds, and agreement; excluded units leave the denominator."""

from __future__ import annotations

from dataclasses import replace

from agreement import accuracy_of_correctness
from exchange.report.estimate_rows import EstimateRow, LeftOut, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.excluded import says_neither
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers
from services.report.sections.fields import against_judges, scorers
from services.report.sections.fields.against_judges import PARTLY, correct_of, neither_of
from services.report.sections.fields.areas_of_columns import areas_of_columns
from services.report.sections.fields.ceilings import against_others
from services.report.sections.fields.comparing import between_models
from services.report.sections.fields.nominal import AGREEMENT as AS_GIVEN
from services.report.sections.fields.nominal import DISTRIBUTION as OF_ANSWERS
from services.report.sections.fields.nominal_agreement import agreement_rows
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.shares import RATE
from services.report.sections.fields.topics import SAME_OF_ALL, FieldReport, Topic, has_bounds, has_judges


def share_correct(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's share scored correct, with bounds, and weighted if probabilities of being drawn differ."""
    rows: list[EstimateRow] = []
    for column in ratings.columns:
        own = [place for place, state in enumerate(column.states) if state is not None]
        if not own:
            continue
        scored, neither = correct_of(column), neither_of(column)
        correct, left_out = [scored[place] for place in own], [neither[place] for place in own]
        by = intervals.by([ratings.clusters[place] for place in own]) | {"unit": ratings.unit}
        result = accuracy_of_correctness(correct, excluded=left_out, **by)
        party = (column.party,)
        row = EstimateRow("share", "scored_correct", party, stratum, result.primary, result.wilson)
        rows.append(row)
        if result.n_excluded:
            remark = LeftOut(result.n_excluded, "excluded or not assessable")
            rows += [
                EstimateRow("share", "scored_correct", party, stratum, result.worst_case, bound="worst", remark=remark),
                EstimateRow("share", "scored_correct", party, stratum, result.best_case, bound="best", remark=remark),
            ]
        rows += of_pool(
            row,
            correct,
            [ratings.chances[place] for place in own],
            [ratings.clusters[place] for place in own],
            intervals,
        )
    return rows


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters agree on correct and incorrect; units that either excluded do not count in n."""
    scores = [correct_of(column) for column in ratings.columns]
    neither = [neither_of(column) for column in ratings.columns]
    return agreement_rows(ratings, scores, stratum, intervals, "scores", (True, False), neither)


def as_given(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters chose the same option, if there are options other than correct and incorrect."""
    return AS_GIVEN.compute(ratings, stratum, intervals) if len(ratings.field.options) > 2 else []


def _says_neither(ratings: Ratings, _: object) -> bool:
    """Return whether any rater scored an assigned unit neither correct nor incorrect."""
    return any(any(neither_of(column)) for column in ratings.columns)


SHARE = Topic(
    "share_correct",
    "share scored correct",
    "Correct / (correct + incorrect).",
    share_correct,
    further=(
        (
            (
                "What was excluded, called not assessable or left undetermined is in neither; beside it "
                "the two bounds, with all of these incorrect and all of them correct."
            ),
            has_bounds,
        ),
        (
            "An answer that is correct in part counts as incorrect.",
            lambda ratings, _: any(option.id == "partly" for option in ratings.field.options),
        ),
    ),
    names=frozenset({("share", "scored_correct")}),
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters on correct or incorrect",
    "Whether two raters both said correct or both incorrect.",
    agreement,
    further=(
        SAME_OF_ALL,
        PARTLY,
        ("n excludes units that either excluded, called not assessable or left undetermined.", _says_neither),
        (
            (
                "This is the ceiling for a judge: it cannot be expected to agree with a rater better than "
                "raters agree with each other."
            ),
            has_judges,
        ),
    ),
)
ON_OPTIONS = Topic(
    "agreement_on_options",
    "agreement between raters on all options",
    "The options as they were chosen, with those that are neither correct nor incorrect.",
    as_given,
    in_parts=False,
)


DISTRIBUTION = replace(
    OF_ANSWERS,
    further=(
        *OF_ANSWERS.further,
        (
            "It is among all of them: of correct and incorrect alone is the share scored correct.",
            lambda ratings, _: bool(says_neither(ratings.field)),
        ),
    ),
)
AGAINST_OTHERS = against_others(lambda ratings: [correct_of(column) for column in ratings.columns])


def correct_numbers(ratings: Ratings) -> tuple[Numbers, ...]:
    """Return, by column, 1 for correct and 0 for incorrect; None for neither."""
    return tuple(
        [None if is_right is None else float(is_right) for is_right in correct_of(column)] for column in ratings.columns
    )


REPORT = FieldReport(
    (
        SHARE, between_models(correct_numbers, is_share=True), AGREEMENT, AGAINST_OTHERS, ON_OPTIONS,
        against_judges.AGREEMENT, against_judges.DIRECTION, DISTRIBUTION,
    ),
    {
        "accuracy": SHARE, "agreement": AGREEMENT, "distribution": DISTRIBUTION, "rate": RATE,
    },
    against={
        ("agreement", "judges"): against_judges.AGREEMENT,
        ("direction", "judges"): against_judges.DIRECTION,
        ("correlation", "token_f1"): scorers.CORRELATION,
        ("correlation", "exact_match"): scorers.CORRELATION,
    },
    numbers=correct_numbers,
    is_share=True,
    of_columns=areas_of_columns,
)  # fmt: skip
