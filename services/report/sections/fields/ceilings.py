"""Comparators other than chance: always giving one option, the best rater, and raters against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace

from agreement import consensus, leave_one_out, pearson
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from exchange.report.statistic_names import Compared
from protocol.fields import SETS, own_options_of
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.steps import numbers_given
from services.report.sections.fields.against_reference import accuracy_rows
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Holds, Topic

# With only two raters, "the others" is one rater, whose agreement is reported elsewhere.
_FEWEST = 3
Answers = Sequence[Hashable | None]
OF_OTHERS = (
    "How often a rater gives the answer that more than half of the other raters gave, of the units where there is "
    "one of two or more others; “All raters” is the mean over raters. Nobody, and no model, can be expected to "
    "agree with raters better than they do with each other."
)


def ceiling_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the accuracy of always giving the most frequent right option, and the accuracy of the best rater."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    return [*_always_the_same(known, stratum, intervals), *_best_rater(known, stratum, intervals)]


def _always_the_same(known: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often the option that is right most often is right, if all units have the same options."""
    accepted = [set(key.key.accepted) for key in known.keys if key is not None]
    same = categories_of(known.field)
    kinds = {kind.name for kind in known.kinds}
    if not same and len(kinds) == 1:
        same = tuple(Category(key, text) for key, text in own_options_of(*kinds))
    if known.field.type in SETS:
        return []
    return always_the_same(accepted, same, list(known.clusters), known.unit, stratum, intervals)


def always_the_same(
    accepted: Sequence[Collection[str]],
    options: Sequence[Category],
    clusters: Sequence[str],
    unit: str,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    """Return how often the option that is right most often is right; empty if none of the options ever is.

    Parameters
    ----------
    accepted
        The ids of the right answers to each unit.
    options
        The options that every unit has.
    """
    times = Counter(option for of_unit in accepted for option in set(of_unit))
    right = [category for category in options if times[category.id]]
    if not right:
        return []
    often = max(right, key=lambda category: times[category.id])
    share, wilson = intervals.share([often.id in own for own in accepted], clusters, unit=unit)
    return [EstimateRow("accuracy", "majority_floor", (Party("part", often.text),), stratum, share, wilson)]


def _best_rater(known: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the best accuracy of a single rater, among those with at least half as many answers as anybody."""
    best = place_of_best(known.correct)
    if best is None:
        return []
    rows = accuracy_rows(known.with_columns([known.columns[best]]), stratum, intervals)
    return [replace(row, compared="best_rater") for row in rows if not row.bound]


def place_of_best(correct_of: Sequence[Sequence[bool | None]]) -> int | None:
    """Return the place of the rater with the best accuracy; None if fewer than two answered often enough."""
    answered = [[right for right in correct if right is not None] for correct in correct_of]
    most = max(map(len, answered), default=0)
    right_by = {place: sum(own) / len(own) for place, own in enumerate(answered) if own and 2 * len(own) >= most}
    return max(right_by, key=lambda place: right_by[place]) if len(right_by) > 1 else None


def against_others(answers_of: Callable[[Ratings], Sequence[Answers]]) -> Topic:
    """Return the topic that compares each rater with the most frequent answer of the others.

    Parameters
    ----------
    answers_of
        Returns, by column, the answer to each unit; None without one.
    """

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        parties = [column.party for column in ratings.columns]
        return rows_against_others(parties, answers_of(ratings), ratings.clusters, ratings.unit, stratum, intervals)

    return Topic("against_others", "each rater against the others", OF_OTHERS, compute, in_parts=False)


def rows_against_others(
    parties: Sequence[Party],
    answers: Sequence[Answers],
    clusters: Sequence[str],
    unit: str,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    """Return how often each rater gives the most frequent answer of the others, for either kind of study.

    Parameters
    ----------
    answers
        By rater, the answer to each unit; None without one.
    """
    among, tables = _of_three(parties, answers)
    if not among:
        return []
    of_units = [list(given) for given in zip(*tables, strict=True)]
    ceiling = leave_one_out(of_units, unit=unit, **intervals.by(clusters))
    return [
        EstimateRow("percent_agreement", "others", (party,), stratum, estimate)
        for party, estimate in (*zip(among, ceiling.raters, strict=True), (ALL_RATERS, ceiling.mean))
    ]


def correlation_with_others(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the correlation of each rater with the mean of the others."""
    parties, tables = _of_three([column.party for column in ratings.columns], numbers_given(ratings))
    of_units = [list(given) for given in zip(*tables, strict=True)]
    rows = []
    for place, party in enumerate(parties):
        others = consensus(of_units, "mean", leave_out=place).values
        estimate = pearson(tables[place], others, unit=ratings.unit, **intervals.by(ratings.clusters))
        rows.append(EstimateRow("pearson", "others", (party,), stratum, estimate))
    return rows


def _of_three(parties: Sequence[Party], answers: Sequence[Answers]) -> tuple[list[Party], list[Answers]]:
    """Return the raters, with their answers, who answered a unit that at least two others answered; empty if none."""
    often = [place for place, given in enumerate(zip(*answers, strict=True)) if _count(given) >= _FEWEST]
    pairs = [
        (party, own)
        for party, own in zip(parties, answers, strict=True)
        if any(own[place] is not None for place in often)
    ]
    return [party for party, _ in pairs], [own for _, own in pairs]


def _count(given: Sequence[Hashable | None]) -> int:
    return sum(answer is not None for answer in given)


_OF_CEILINGS: tuple[tuple[str, Compared], ...] = (
    (
        (
            "Always the same answer: the accuracy of always choosing the option that is right most often, without "
            "looking at anything."
        ),
        "majority_floor",
    ),
    (
        (
            "The best rater: the accuracy of the rater who is right most often, among those who answered at least half "
            "as many as anybody (of equal ones the first). The best of several is chosen by these very answers: "
            "another reading by the same rater would be expected to be right less often."
        ),
        "best_rater",
    ),
)
_OF_THESE_ITEMS = "Of the very items that were read."


def ceilings_in_words(rows: Sequence[EstimateRow]) -> str:
    """Return the explanation of the rows that there are, for either kind of study."""
    compared = {row.compared for row in rows}
    return " ".join([_OF_THESE_ITEMS, *(says for says, kind in _OF_CEILINGS if kind in compared)])


def _has(compared: Compared) -> Holds:
    return lambda _, rows: any(row.compared == compared for row in rows)


CEILINGS = Topic(
    "ceilings",
    "always the same answer, and the best rater",
    _OF_THESE_ITEMS,
    ceiling_rows,
    drawn="levels",
    further=tuple((says, _has(compared)) for says, compared in _OF_CEILINGS),
)
# For fields without options, or with several chosen at once.
BEST_RATER = replace(CEILINGS, title="the best rater")
AGAINST_OTHERS = against_others(lambda ratings: ratings.answers)
CORRELATION_WITH_OTHERS = Topic(
    "against_others",
    "each rater against the mean of the others",
    "Pearson’s correlation of a rater with the mean of the other raters, of units that two or more others rated. No "
    "judge can be expected to go with raters better than they do with each other.",
    correlation_with_others,
    in_parts=False,
)
