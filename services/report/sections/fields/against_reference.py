"""Answers against the reference, for all types that can have one: accuracy, and agreement on correctness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agreement import Accuracy, accuracy_of_correctness, shared_errors
from exchange.report.estimate_rows import (
    ALL_RATERS,
    EstimateRow,
    IfIndependent,
    LeftOut,
    Party,
    Reason,
    Stratum,
)
from exchange.report.statistic_names import Statistic
from services.reading.correctness import Score
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import NOT_RIGHT, Column
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers
from services.report.sections.fields.nominal_agreement import agreement_rows
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import (
    POOLED,
    SAME_OF_ALL,
    Topic,
    has_abstentions,
    has_bounds,
    has_empty_sets,
    has_models,
)

IN_NO_MEAN: Reason = "without a valid answer, in no mean here and not right in the accuracy"
IN_NO_SHARE: Reason = "without a valid answer, in no share here and not right in the accuracy"


def accuracy_rows(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's accuracy, with bounds if something was left out, and the accuracy of all raters together.

    If the probabilities of being drawn differ, each accuracy weighted to the population is given as well.
    """
    ratings = ratings.only(lambda place: ratings.keys[place] is not None)
    rows: list[EstimateRow] = []
    for column, correct in zip(ratings.columns, ratings.correct, strict=True):
        own = [place for place, state in enumerate(column.states) if state is not None]
        rows += _of_party(
            column.party,
            [correct[place] for place in own],
            [column.states[place] == "not_assessable" for place in own],
            [ratings.clusters[place] for place in own],
            [ratings.chances[place] for place in own],
            stratum,
            intervals,
        )
    if len(ratings.columns) > 1 and rows:
        given = [
            (is_right, cluster, chance)
            for correct in ratings.correct
            for is_right, cluster, chance in zip(correct, ratings.clusters, ratings.chances, strict=True)
            if is_right is not None
        ]
        right, clusters = [is_right for is_right, _, _ in given], [cluster for _, cluster, _ in given]
        result = accuracy_of_correctness(right, unit="verdict", **intervals.by(clusters))
        row = EstimateRow("accuracy", "reference", (ALL_RATERS,), stratum, result.primary, result.wilson)
        rows += [row, *_bounds_of_all(ratings, right, clusters, stratum, intervals)]
        rows += of_pool(row, right, [chance for _, _, chance in given], clusters, intervals)
    return rows


def silent(column: Column, scores: Sequence[Score], why: Reason, given: int) -> LeftOut | None:
    """Return how many units accuracy counts as not right and a measure of the answers cannot; None if there are none.

    Parameters
    ----------
    given
        The number of answers that were measured.
    """
    n = sum(
        state in NOT_RIGHT and score.correct is not None for state, score in zip(column.states, scores, strict=True)
    )
    return LeftOut(n, why, given + n) if n else None


def means_of_scores(
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
    statistic: Statistic,
    measure: Callable[[Score], float | None],
) -> list[EstimateRow]:
    """Return each rater's mean of a measure of answers against the reference; no row of a rater without one.

    Parameters
    ----------
    measure
        Returns None of an answer that cannot be measured, which is in no mean; the row says how many there are.
    """
    rows = []
    for column, scores in zip(ratings.columns, ratings.scores, strict=True):
        measured = [measure(score) for score in scores]
        places = [place for place, value in enumerate(measured) if value is not None]
        given = [value for value in measured if value is not None]
        if given:
            clusters, chances = [ratings.clusters[own] for own in places], [ratings.chances[own] for own in places]
            left_out = silent(column, scores, IN_NO_MEAN, len(given))
            mean = intervals.mean(given, clusters)
            row = EstimateRow(statistic, "reference", (column.party,), stratum, mean, remark=left_out)
            rows += [row, *of_pool(row, given, chances, clusters, intervals, kind="mean")]
    return rows


def _of_party(
    party: Party,
    correct: Sequence[bool | None],
    left_out: Sequence[bool],
    clusters: Sequence[str],
    chances: Sequence[float | None],
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    if not correct:
        return []
    result = accuracy_of_correctness(correct, excluded=left_out, **intervals.by(clusters))
    row = EstimateRow("accuracy", "reference", (party,), stratum, result.primary, result.wilson)
    return [row, *_bounds(party, result, stratum), *of_pool(row, correct, chances, clusters, intervals)]


def _bounds(party: Party, result: Accuracy, stratum: Stratum) -> list[EstimateRow]:
    if not result.n_excluded:
        return []
    remark = LeftOut(result.n_excluded, "not assessable")
    return [
        EstimateRow("accuracy", "reference", (party,), stratum, result.worst_case, bound="worst", remark=remark),
        EstimateRow("accuracy", "reference", (party,), stratum, result.best_case, bound="best", remark=remark),
    ]


def _bounds_of_all(
    ratings: Ratings, right: Sequence[bool], clusters: Sequence[str], stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the bounds of all raters' verdicts together: each that called a unit not assessable wrong, or right."""
    left_out = [
        cluster
        for column in ratings.columns
        for state, cluster in zip(column.states, ratings.clusters, strict=True)
        if state == "not_assessable"
    ]
    if not left_out:
        return []
    result = accuracy_of_correctness(
        [*right, *(None for _ in left_out)],
        excluded=[False] * len(right) + [True] * len(left_out),
        unit="verdict",
        **intervals.by([*clusters, *left_out]),
    )
    return _bounds(ALL_RATERS, result, stratum)


def on_correctness(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the agreement of each pair of raters on whether they were right."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    if len(known.columns) < 2:
        return []
    return agreement_rows(known, known.correct, stratum, intervals, "correctness", (True, False))


def together(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often two raters were right together, wrong together, and wrong with the same answer."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    rows = []
    for a, b in known.pairs_on(stratum):
        parties = (known.columns[a].party, known.columns[b].party)
        answered = [
            place for place in range(len(known.units)) if None not in (known.answers[a][place], known.answers[b][place])
        ]
        clusters = [known.clusters[place] for place in answered]
        first, second = ([own[place] for place in answered] for own in (known.correct[a], known.correct[b]))
        said, also_said = ([own[place] for place in answered] for own in (known.answers[a], known.answers[b]))
        both = [pair == (True, True) for pair in zip(first, second, strict=True)]
        shared = shared_errors(said, also_said, first, second, **intervals.by(clusters), unit=known.unit)
        share = shared.expected_both_wrong
        expected = IfIndependent(share) if share is not None else None
        rows += [
            EstimateRow("share", "both_right", parties, stratum, *intervals.share(both, clusters, unit=known.unit)),
            EstimateRow("share", "both_wrong", parties, stratum, shared.both_wrong, remark=expected),
            EstimateRow("share", "same_wrong_answer", parties, stratum, shared.same_wrong_answer),
        ]
    return rows


def correct_numbers(ratings: Ratings) -> tuple[Numbers, ...]:
    """Return, by column, 1 for each right answer and 0 for any other; None without a reference or an answer."""
    return tuple([None if is_right is None else float(is_right) for is_right in own] for own in ratings.correct)


# Who says nothing has nothing to be measured, so that silence costs accuracy and no overlap or distance.
SILENT = (
    (
        "What has no valid answer (an abstention, or of a model also what is no answer, or nothing) is not measured "
        "here, though it is not right in the accuracy: the notes say how many there are. Where two differ in that, do "
        "not compare them by these rows alone."
    ),
    lambda _, rows: any(isinstance(row.remark, LeftOut) for row in rows),
)
ACCURACY = Topic(
    "accuracy",
    "accuracy against the reference",
    "Correct / (correct + incorrect), of items with a reference.",
    accuracy_rows,
    of_models=True,
    further=(
        ("An abstention is not right.", has_abstentions),
        ("A set of which nothing was chosen is not right.", has_empty_sets),
        (
            "What was called not assessable leaves both, and the bounds count all of it wrong and all of it right.",
            has_bounds,
        ),
        POOLED,
        ("What a model wrote that is no answer is not right; nor is an item to which it wrote nothing.", has_models),
    ),
)
SHARED = Topic(
    "shared_errors",
    "right and wrong together",
    "Of the items that both answered: both right, both wrong, and wrong with the same answer. In the last case the "
    "item is hard or the reference is wrong, and the data cannot tell which: they deserve a second look.",
    together,
    in_parts=False,
)
ON_CORRECTNESS = Topic(
    "on_correctness",
    "agreement on correctness",
    "Whether two raters were both right or both wrong. It is not agreement on answers, and its kappa is not to be "
    "compared with that on answers.",
    on_correctness,
    further=(SAME_OF_ALL,),
)
