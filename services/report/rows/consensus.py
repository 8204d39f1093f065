"""One answer per item: what the raters agree on, or what a reviewer decided where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.reading.correctness import NOT_ASSESSABLE, canonical, score
from services.report.rows.readings import Readings
from services.report.rows.study_rows import Review, StudyRows


@dataclass(frozen=True)
class Reviewed:
    """A review with its answers in the form in which raters are compared; None where there is none."""

    review: Review
    position: int
    decision: str | None
    first_read: str | None


@dataclass(frozen=True)
class Consensus:
    """For each item in order: what the raters agree on, whether they differ, and what holds after adjudication.

    `before` and `after` hold a canonical answer or "not assessable"; None where there is no single answer.
    """

    differs: tuple[bool, ...]
    before: tuple[str | None, ...]
    after: tuple[str | None, ...]
    correct_before: tuple[bool | None, ...]
    correct_after: tuple[bool | None, ...]
    reviewed: tuple[Reviewed, ...]


def consensus_of(study: StudyRows, readings: Readings) -> Consensus:
    """Find what the raters agree on, and replace it by the decision where an item went to adjudication.

    A control item keeps the answer that the raters agree on: it is in the queue to check the reviewer, not the raters.
    """
    said = [[column.said[i] for column in readings.columns] for i in range(len(readings.items))]
    given = [[one for one in of_item if one is not None] for of_item in said]
    differs = [len(set(of_item)) > 1 for of_item in given]
    before = [
        of_item[0] if len(of_item) >= 2 and not differing else None
        for of_item, differing in zip(given, differs, strict=True)
    ]
    reviewed = _reviewed(study, readings)
    holding = {one.position: one for one in reviewed if one.decision is not None and one.review.origin != "control"}
    after = [holding[i].decision if i in holding else agreed for i, agreed in enumerate(before)]
    # Scored from the words as they were given: normalisation takes the point out of a number.
    words = [_words(readings, i) if before[i] is not None else None for i in range(len(before))]
    decided = [holding[i].review.answer if i in holding else one for i, one in enumerate(words)]
    return Consensus(
        differs=tuple(differs),
        before=tuple(before),
        after=tuple(after),
        correct_before=_correct(readings, words),
        correct_after=_correct(readings, decided),
        reviewed=reviewed,
    )


def _reviewed(study: StudyRows, readings: Readings) -> tuple[Reviewed, ...]:
    place = {item.id: position for position, item in enumerate(readings.items)}
    found = []
    for review in study.reviews:
        if review.item_id not in place:
            continue
        position = place[review.item_id]
        item = readings.items[position]
        decision = None
        if review.decided:
            decision = NOT_ASSESSABLE if review.not_assessable else canonical(item.type, review.answer)
        first = None
        if review.first_read is not None:
            read = review.first_read
            first = NOT_ASSESSABLE if read.not_assessable else canonical(item.type, read.answer)
        found.append(Reviewed(review, position, decision, first))
    return tuple(found)


def _words(readings: Readings, position: int) -> Any:
    """Return what the first rater with an answer gave; the raters agree, so any of them will do."""
    entries = [column.entries[position] for column in readings.columns]
    return next((entry.answer for entry in entries if entry is not None and entry.answer is not None), None)


def _correct(readings: Readings, answers: list[Any]) -> tuple[bool | None, ...]:
    return tuple(
        None if answer is None else score(item, answer).correct
        for item, answer in zip(readings.items, answers, strict=True)
    )
