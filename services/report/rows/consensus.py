"""One answer per item: what the raters agree on, or what a reviewer decided if they do not."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import agreement
from services.reading.correctness import NOT_ASSESSABLE, canonical, in_words, score
from services.report.rows.reads import Reads
from services.report.rows.study_rows import ReadItem, Review, StudyRows


@dataclass(frozen=True)
class Reviewed:
    """A review with its answers in the form in which raters are compared; None for an answer that does not exist."""

    review: Review
    position: int
    decision: str | None
    first_read: str | None

    def decision_in_words(self, item: ReadItem) -> str:
        """Return what was decided on the item; empty without a decision."""
        if self.decision is None:
            return ""
        return "Not assessable" if self.decision == NOT_ASSESSABLE else in_words(item, self.review.answer)

    def decision_is_right(self, item: ReadItem) -> bool | None:
        """Return whether the decision is right by the reference; None without a reference or without an answer."""
        if self.decision is None or self.decision == NOT_ASSESSABLE:
            return None
        return score(item, self.review.answer).correct


@dataclass(frozen=True)
class Consensus:
    """For each item in order: what the raters agree on, whether they differ, and the answer after adjudication.

    `before` and `after` hold a canonical answer or "not assessable"; None if there is no single answer.
    """

    differs: tuple[bool, ...]
    before: tuple[str | None, ...]
    after: tuple[str | None, ...]
    correct_before: tuple[bool | None, ...]
    correct_after: tuple[bool | None, ...]
    reviewed: tuple[Reviewed, ...]


def agreed(said: Sequence[Sequence[Hashable | None]]) -> agreement.Consensus:
    """Return the unanimous answer of each row, given by at least two raters."""
    # A study without raters has rows without columns.
    return agreement.consensus([row or [None] for row in said], "unanimous")


def consensus_of(study: StudyRows, reads: Reads) -> Consensus:
    """Find what the raters agree on, and replace it by the decision for items that went to adjudication.

    A control item keeps the answer that the raters agree on: it was queued to check the reviewer, not the raters.
    """
    said = [[column.said[i] for column in reads.columns] for i in range(len(reads.items))]
    unanimous = agreed(said)
    before = unanimous.values
    reviewed = _reviewed(study, reads)
    holding = {
        reviewed_item.position: reviewed_item
        for reviewed_item in reviewed
        if reviewed_item.decision is not None and reviewed_item.review.origin != "control"
    }
    after = [holding[i].decision if i in holding else answer for i, answer in enumerate(before)]
    # Score the words as they were given: normalisation removes the decimal point from a number.
    words = [_words(reads, i) if before[i] is not None else None for i in range(len(before))]
    decided = [holding[i].review.answer if i in holding else text for i, text in enumerate(words)]
    return Consensus(
        differs=unanimous.differs,
        before=before,
        after=tuple(after),
        correct_before=_correct(reads, words),
        correct_after=_correct(reads, decided),
        reviewed=reviewed,
    )


def _reviewed(study: StudyRows, reads: Reads) -> tuple[Reviewed, ...]:
    place = {item.id: position for position, item in enumerate(reads.items)}
    reviewed = []
    for review in study.reviews:
        if review.item_id not in place:
            continue
        position = place[review.item_id]
        item = reads.items[position]
        decision = None
        if review.decided:
            decision = NOT_ASSESSABLE if review.not_assessable else canonical(item.type, review.answer)
        first = None
        if review.first_read is not None:
            read = review.first_read
            first = NOT_ASSESSABLE if read.not_assessable else canonical(item.type, read.answer)
        reviewed.append(Reviewed(review, position, decision, first))
    return tuple(reviewed)


def _words(reads: Reads, position: int) -> Any:
    """Return what the first rater with an answer gave; the raters agree, so any of them will do."""
    entries = [column.entries[position] for column in reads.columns]
    return next((entry.answer for entry in entries if entry is not None and entry.answer is not None), None)


def _correct(reads: Reads, answers: list[Any]) -> tuple[bool | None, ...]:
    return tuple(
        None if answer is None else score(item, answer).correct
        for item, answer in zip(reads.items, answers, strict=True)
    )
