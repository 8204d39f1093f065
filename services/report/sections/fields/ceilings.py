"""What answers are held against besides chance: always one option, the best rater, and raters against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from agreement import consensus, leave_one_out, pearson
from exchange.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from protocol.fields.yes_no import YES_NO
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.rows.steps import numbers_given
from services.report.sections.fields.against_reference import accuracy_rows
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic

# With two raters the others are the other rater, whose agreement stands elsewhere.
_FEWEST = 3
Answers = Sequence[Hashable | None]


def ceiling_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return what always giving the most frequent right option reaches, and the accuracy of the best single rater."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    return [*_always_the_same(known, stratum, intervals), *_best_rater(known, stratum, intervals)]


def _always_the_same(known: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often the option is right that is right most often, where all units have the same options."""
    accepted = [set(key.key.accepted) for key in known.keys if key is not None]
    times = Counter(option for of_unit in accepted for option in of_unit)
    same = categories_of(known.field)
    if not same and {kind.name for kind in known.kinds} == {"yes_no"}:
        same = tuple(Category(key, text) for key, text in YES_NO)
    options = [category for category in same if times[category.id]]
    if not options or known.field.type == "several":
        return []
    often = max(options, key=lambda category: times[category.id])
    share, wilson = intervals.share([often.id in own for own in accepted], list(known.clusters), unit=known.unit)
    return [EstimateRow("accuracy", "majority_floor", (Party("part", often.text),), stratum, share, wilson)]


def _best_rater(known: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the accuracy of the rater who is right most often, of those who answered half as many units as anybody."""
    answered = [[right for right in correct if right is not None] for correct in known.correct]
    most = max(map(len, answered), default=0)
    right_by = {place: sum(own) / len(own) for place, own in enumerate(answered) if own and 2 * len(own) >= most}
    if len(right_by) < 2:
        return []
    best = known.columns[max(right_by, key=lambda place: right_by[place])]
    rows = accuracy_rows(known.with_columns([best]), stratum, intervals)
    return [replace(row, compared="best_rater") for row in rows if not row.bound]


def against_others(answers_of: Callable[[Ratings], Sequence[Answers]]) -> Topic:
    """Return the topic that holds each rater against what most of the others say.

    Parameters
    ----------
    answers_of
        By column, the answer to each unit; None without one.
    """

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        columns, tables = _of_three(ratings, answers_of(ratings))
        if not columns:
            return []
        of_units = [list(given) for given in zip(*tables, strict=True)]
        ceiling = leave_one_out(of_units, unit=ratings.unit, **intervals.by(ratings.clusters))
        return [
            EstimateRow("percent_agreement", "others", (party,), stratum, estimate)
            for party, estimate in (
                *zip((column.party for column in columns), ceiling.raters, strict=True),
                (ALL_RATERS, ceiling.mean),
            )
        ]

    return Topic(
        "against_others",
        "each rater against the others",
        "How often a rater gives the answer that more than half of the other raters gave, of the units where there is "
        "one of two or more others; “All raters” is the mean over raters. Nobody, and no model, can be expected to "
        "agree with raters better than they do with each other.",
        compute,
        in_parts=False,
    )


def correlation_with_others(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far each rater goes up and down with the mean of the others."""
    columns, tables = _of_three(ratings, numbers_given(ratings))
    of_units = [list(given) for given in zip(*tables, strict=True)]
    rows = []
    for place, column in enumerate(columns):
        others = consensus(of_units, "mean", leave_out=place).values
        estimate = pearson(tables[place], others, unit=ratings.unit, **intervals.by(ratings.clusters))
        rows.append(EstimateRow("pearson", "others", (column.party,), stratum, estimate))
    return rows


def _of_three(ratings: Ratings, answers: Sequence[Answers]) -> tuple[list[Column], list[Answers]]:
    """Return the raters who answered a unit that two others answered too, and their answers; nobody where none did."""
    often = [place for place, given in enumerate(zip(*answers, strict=True)) if _count(given) >= _FEWEST]
    pairs = [
        (column, own)
        for column, own in zip(ratings.columns, answers, strict=True)
        if any(own[place] is not None for place in often)
    ]
    return [column for column, _ in pairs], [own for _, own in pairs]


def _count(given: Sequence[Hashable | None]) -> int:
    return sum(answer is not None for answer in given)


CEILINGS = Topic(
    "ceilings",
    "always the same answer, and the best rater",
    "Of the very items that were read: how often the option is right that is right most often, which needs no look at "
    "anything; and the accuracy of the rater who is right most often, among those who answered at least half as many "
    "as anybody (of equal ones the first). The best of several is chosen by these very answers: another reading by the "
    "same rater would be expected to be right less often.",
    ceiling_rows,
    drawn="levels",
)
AGAINST_OTHERS = against_others(lambda ratings: ratings.answers)
CORRELATION_WITH_OTHERS = Topic(
    "against_others",
    "each rater against the mean of the others",
    "Pearson’s correlation of a rater with the mean of the other raters, of units that two or more others rated. No "
    "judge can be expected to go with raters better than they do with each other.",
    correlation_with_others,
    in_parts=False,
)
