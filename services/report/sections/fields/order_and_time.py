"""Whether raters tire or hurry: accuracy by thirds of each rater's own queue, and of each rater's active times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agreement.contrast import difference_of_parts
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic, pools_raters

_OF_QUEUE = ("first third of the queue", "middle third of the queue", "last third of the queue")
_OF_TIMES = ("fastest third", "middle third by time", "slowest third")
# With fewer answers, a third would be a single answer.
_FEWEST = 6
_OF_THIRDS = (
    "Thirds of each rater’s own queue, of the answers that the reference makes right or wrong. Descriptive: hard items "
    "may have come late."
)
_POOLED = "“All raters” pools verdicts, each in its rater’s third."
_TIMES = (
    "Thirds of each rater’s own active times likewise: nobody was randomised to be slow, and hard items take long. "
    "Times are those of all versions of a verdict, of the step that was answered last."
)
# The third an answer belongs to, whether it is right, and its cluster.
Placed = tuple[int, bool, str]


def order_and_time(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the accuracy of each rater and of all in each third, and the difference between last and first third."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    columns = [
        Measured(column.party, correct, column.position, column.active_ms)
        for column, correct in zip(known.columns, known.correct, strict=True)
    ]
    return rows_of_thirds(columns, known.clusters, known.unit, stratum, intervals)


@dataclass(frozen=True)
class Measured:
    """A rater's units: whether the answer is right, its place in the rater's own queue, and the active time in ms."""

    party: Party
    correct: Sequence[bool | None]
    position: Sequence[int | None]
    active_ms: Sequence[int | None]


def rows_of_thirds(
    columns: Sequence[Measured], clusters: Sequence[str], unit: str, stratum: Stratum, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the accuracy by thirds of queue and times, for either kind of study; all units have a reference."""
    by_queue = [(column.party, column.correct, column.position) for column in columns]
    by_time = [(column.party, column.correct, column.active_ms) for column in columns]
    return [
        *_by(by_queue, "queue", _OF_QUEUE, clusters, unit, stratum, intervals),
        *_by(by_time, "active_time", _OF_TIMES, clusters, unit, stratum, intervals),
    ]


def _by(
    measured: Sequence[tuple[Party, Sequence[bool | None], Sequence[int | None]]],
    compared: Literal["queue", "active_time"],
    words: Sequence[str],
    clusters: Sequence[str],
    unit_of_one: str,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    of_parties = [(party, placed) for party, correct, own in measured if (placed := _in_thirds(own, correct, clusters))]
    if len(of_parties) > 1:
        of_parties.append((ALL_RATERS, [each for _, placed in of_parties for each in placed]))
    rows = []
    for party, placed in of_parties:
        unit = "verdict" if party == ALL_RATERS else unit_of_one
        for third, in_words in enumerate(words):
            here = [(is_right, cluster) for each, is_right, cluster in placed if each == third]
            share, wilson = intervals.share(
                [is_right for is_right, _ in here], [cluster for _, cluster in here], unit=unit
            )
            category = Category(str(third + 1), in_words)
            # Verdicts of several raters on one unit are never independent.
            beside = wilson if party != ALL_RATERS else None
            rows.append(EstimateRow("accuracy", compared, (party,), stratum, share, beside, category=category))
        ends = [each for each in placed if each[0] != 1]
        difference = difference_of_parts(
            [float(is_right) for _, is_right, _ in ends],
            [third == 2 for third, _, _ in ends],
            name="difference of accuracies",
            unit=unit,
            **intervals.by([cluster for _, _, cluster in ends]),
        )
        rows.append(EstimateRow("accuracy_difference", compared, (party,), stratum, difference))
    return rows


def _in_thirds(measured: Sequence[int | None], correct: Sequence[bool | None], clusters: Sequence[str]) -> list[Placed]:
    """Return a rater's answers with their third, the smallest values first; empty if there are too few answers."""
    answered = [
        (number, is_right, cluster)
        for number, is_right, cluster in zip(measured, correct, clusters, strict=True)
        if number is not None and is_right is not None
    ]
    if len(answered) < _FEWEST:
        return []
    # Ties keep the order of the units.
    ranked = sorted(answered, key=lambda each: each[0])
    return [(3 * rank // len(ranked), is_right, cluster) for rank, (_, is_right, cluster) in enumerate(ranked)]


def thirds_in_words(rows: Sequence[EstimateRow]) -> str:
    """Return the explanation of the rows on thirds, for either kind of study."""
    said = (
        (_OF_THIRDS, True),
        (_POOLED, any(ALL_RATERS in row.parties for row in rows)),
        (_TIMES, _has_times(rows)),
    )
    return " ".join(sentence for sentence, holds in said if holds)


def _has_times(rows: Sequence[EstimateRow]) -> bool:
    return any(row.compared == "active_time" for row in rows)


ORDER_AND_TIME = Topic(
    "order_and_time",
    "accuracy by place in the queue and by active time",
    _OF_THIRDS,
    order_and_time,
    in_parts=False,
    drawn="thirds",
    further=((_POOLED, pools_raters), (_TIMES, lambda _, rows: _has_times(rows))),
)
