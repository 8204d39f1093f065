"""What is missing from the report: reads, scores and decisions, by person."""

from __future__ import annotations

from collections import Counter, defaultdict

from agreement.consensus import are_different
from exchange.report.report_structure import Column, PlainTable
from protocol.phases import OPINIONS, READING, REVIEW, SCORING
from services.progress.outstanding import NO_REVIEWER, OpenWork, in_order
from services.reading.correctness import said
from services.report.rows.study_rows import StudyRows

_NOTICES = {
    READING.key: ("assigned read has no verdict", "assigned reads have no verdict"),
    SCORING.key: ("assigned score has no verdict", "assigned scores have no verdict"),
    "queue": (
        "item with differing verdicts or a flag was not sent to a reviewer",
        "items with differing verdicts or a flag were not sent to a reviewer",
    ),
    REVIEW.key: (
        "item in the reviewers’ queue was not read by the reviewer",
        "items in the reviewers’ queue were not read by the reviewer",
    ),
    OPINIONS.key: (
        "item in the reviewers’ queue was read by the reviewer and is not decided",
        "items in the reviewers’ queue were read by the reviewer and are not decided",
    ),
}


def missing_of(study: StudyRows) -> list[OpenWork]:
    """Return what is missing from everybody who was let in to the items, and from each judge."""
    return in_order([*_of_people(study), *_not_sent(study), *_of_judges(study)])


def missing_notices(missing: list[OpenWork]) -> list[str]:
    """Return a sentence for each part on how much is missing."""
    counts: Counter[str] = Counter()
    for piece in missing:
        counts[piece.part] += piece.open
    sentences = [
        f"{counts[part]} {words[counts[part] > 1]}; see “Completeness”."
        for part, words in _NOTICES.items()
        if counts[part]
    ]
    return sentences + [f"{piece.sentence}." for piece in missing if piece.part == "judge"]


def missing_table(missing: list[OpenWork]) -> PlainTable:
    """Return the table of what is missing."""
    return PlainTable(
        key="missing",
        title="What is missing",
        explanation="Work that was assigned or required and had not been done when this report was created.",
        columns=(
            Column("who", "Who", "Pseudonym, or the run of a judge"),
            Column("missing", "Missing", "Number that is missing"),
            Column("of", "Of", "Number expected"),
            Column("what", "What", "What is missing"),
        ),
        rows=tuple((piece.who, piece.open, piece.total, piece.words) for piece in missing),
        grouped=True,
    )


def _of_people(study: StudyRows) -> list[OpenWork]:
    people = study.pseudonyms
    undecided = {(review.reviewer_id, review.item_id) for review in study.reviews if not review.decided}
    unreadable = {
        (entry.member_id, entry.item_id)
        for entry in study.entries
        if entry.phase == REVIEW.key and entry.status == "technical_failure"
    }
    missing: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for entry in study.entries:
        place = (entry.member_id, entry.item_id)
        if entry.phase == OPINIONS.key:
            # A decision is not a verdict, and a reviewer need not decide an item that could not be shown.
            missing[entry.phase, entry.member_id].append(place in undecided and place not in unreadable)
        else:
            missing[entry.phase, entry.member_id].append(entry.status == "missing")
    return [
        OpenWork(people[member], phase, sum(open_), len(open_))
        for (phase, member), open_ in missing.items()
        if member in people
    ]


def _not_sent(study: StudyRows) -> list[OpenWork]:
    if study.protocol.adjudication is None:
        return []
    types = {item.id: item.type for item in study.items}
    of_item: dict[int, list[str | None]] = defaultdict(list)
    flagged = set()
    for entry in study.entries_of(READING.key):
        if entry.verdict_id is None or entry.item_id not in types:
            continue
        not_assessable = entry.not_assessable is not None
        of_item[entry.item_id].append(said(types[entry.item_id], entry.answer, not_assessable=not_assessable))
        if entry.flags:
            flagged.add(entry.item_id)
    to_review = {item_id for item_id, answers in of_item.items() if are_different(answers)} | flagged
    sent = {review.item_id for review in study.reviews}
    return [OpenWork(NO_REVIEWER, "queue", len(to_review - sent), len(of_item))]


def _of_judges(study: StudyRows) -> list[OpenWork]:
    pool = len(study.candidates)
    return [OpenWork(f"Judge run “{run.name}”", "judge", pool - len(run.verdicts), pool) for run in study.runs]
