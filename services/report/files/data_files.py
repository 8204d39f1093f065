"""The data behind the estimates, as tidy tables: one line per verdict, score and decision."""

from __future__ import annotations

from collections.abc import Sequence

from exchange.report.report_csv import number_below_zero
from exchange.report.report_structure import Cell, Column, DataFile
from services.reading.correctness import as_text, reference_in_words
from services.report.files.columns import (
    ACCEPTED,
    CANDIDATE,
    EXPERIENCE,
    ITEM,
    MODEL,
    QUESTION,
    RANK,
    RECEIPT,
    REMARKS,
    SHARE,
    STATUS,
    TIMES,
    moment,
    options_cell,
    remarks,
    times,
)
from services.report.files.viewing_files import traces_file, volumes_file
from services.report.rows.consensus import Consensus
from services.report.rows.reads import Reads, said_in_words
from services.report.rows.scores import Scores
from services.report.rows.study_rows import NOT_LET_IN, Entry, StudyRows
from services.report.rows.viewings import Viewing
from services.report.sections.disagreements import disagreement_table

_RATER = Column("rater", "Rater", "Pseudonym of the rater")


def data_files(
    study: StudyRows, reads: Reads, viewings: Sequence[Viewing], consensus: Consensus, scores: Scores
) -> tuple[DataFile, ...]:
    """Return the tables that are exported with the estimates, without judges' verdicts, which are too many to hold."""
    disagreed = disagreement_table(reads, consensus, scored=False)
    files = [
        _items(reads),
        _members(study),
        _verdicts(reads),
        _fields(study),
        DataFile(
            "disagreements.csv",
            "Items on which verdicts differ, in words; one line per item.",
            disagreed.columns,
            disagreed.rows,
        ),
        _adjudications(study, reads, consensus),
        volumes_file(viewings),
        traces_file(viewings),
    ]
    if study.candidates:
        files += [_candidates(study, scores), _scores(study, scores)]
    return tuple(files)


def _items(reads: Reads) -> DataFile:
    return DataFile(
        "items.csv",
        "The frozen items with what counts as right; one line per item.",
        (
            ITEM,
            Column("subject", "Subject", "Pseudonym of the subject: the cluster of the intervals"),
            *QUESTION,
            *ACCEPTED,
            Column("reference_version", "Version", "Version of the reference that counts"),
            Column("reference", "Reference", "The reference in words"),
            Column("text_only_answer", "Text-only answer", "What the text-only baseline answered; empty for nothing"),
            Column("text_only_correct", "Text-only correct", "Whether that is right; empty for no answer"),
        ),
        tuple(
            (
                item.key, item.subject, item.category, item.format, item.grounding, item.prompt,
                options_cell(item.options), "|".join(item.accepted),
                item.low, item.high, item.reference_version or None, reference_in_words(item),
                item.text_only_answer or None, floor,
            )
            for item, floor in zip(reads.items, reads.floor, strict=True)
        ),
    )  # fmt: skip


def _members(study: StudyRows) -> DataFile:
    return DataFile(
        "members.csv",
        "Raters and reviewers by pseudonym.",
        (
            Column("member", "Member", "Pseudonym"),
            Column("role", "Role", f"rater, reviewer, or {NOT_LET_IN}: counted nowhere"),
            *EXPERIENCE,
        ),
        tuple(
            (member.pseudonym, role, member.specialty or None, member.years)
            for role, members in study.members
            for member in members
        ),
    )


def _verdicts(reads: Reads) -> DataFile:
    rows: list[tuple[Cell, ...]] = []
    for column in reads.columns:
        for i, item in enumerate(reads.items):
            entry = column.entries[i]
            if entry is None:
                continue
            rows.append(
                (
                    column.rater.pseudonym, item.key, item.subject, entry.position, entry.status,
                    None if entry.answer is None else number_below_zero(as_text(entry.answer)),
                    None if column.answers[i] is None else column.words[i],
                    column.answers[i], column.correct[i], column.shares[i], column.ranks[i], column.token_f1[i],
                    entry.reason or None,
                    *remarks(entry), *times(entry), entry.renderer or None, entry.viewport or None,
                    entry.receipt or None,
                )
            )  # fmt: skip
    return DataFile(
        "verdicts.csv",
        "Every read that was assigned, with the standing verdict; one line per rater and item, first pass.",
        (
            _RATER,
            ITEM,
            Column("subject", "Subject", "Pseudonym of the subject"),
            Column("position", "Position", "Place in the rater's own order"),
            STATUS,
            Column("answer", "Answer", "The answer as stored: option id, text or number"),
            Column("answer_in_words", "Answer in words", "The answer as the rater saw it"),
            Column("compared_as", "Compared as", "What is compared between raters: option id or normalised text"),
            Column("correct", "Correct", "Whether the answer is right; empty without answer or reference"),
            SHARE,
            RANK,
            Column("token_f1", "Token F1", "Overlap of words with the reference, open text only"),
            Column("not_assessable", "Not assessable", "The reason; empty when assessed"),
            *REMARKS,
            *TIMES,
            Column("renderer", "Renderer", "What drew the images"),
            Column("viewport", "Viewport", "Size of the window in pixels"),
            RECEIPT,
        ),
        tuple(rows),
    )


def _fields(study: StudyRows) -> DataFile:
    keys = study.item_keys
    names = study.pseudonyms
    candidates = {candidate.id: candidate.key for candidate in study.candidates}
    rows: list[tuple[Cell, ...]] = []
    for entry in study.entries:
        if entry.verdict_id is not None and entry.item_id in keys and entry.member_id in names:
            for field, value in entry.fields:
                rows.append(
                    (
                        names[entry.member_id], entry.phase, keys[entry.item_id],
                        candidates.get(entry.candidate_id or 0), field, number_below_zero(as_text(value)),
                    )
                )  # fmt: skip
    return DataFile(
        "fields.csv",
        "Every field of every standing verdict, of raters and reviewers; one line per field.",
        (
            Column("member", "Member", "Pseudonym"),
            Column("phase", "Phase", "reading, scoring or review (a reviewer's own blind read)"),
            ITEM,
            Column("candidate", "Candidate", "Key of the candidate, in the scoring phase"),
            Column("field", "Field", "Key of the field"),
            Column(
                "value",
                "Value",
                "What was filled in: option id, number or text; a point is x | y | z in mm, and on an image without "
                "scale in pixels from its middle, with the title of its pane",
            ),
        ),
        tuple(rows),
    )


def _adjudications(study: StudyRows, reads: Reads, consensus: Consensus) -> DataFile:
    names = study.pseudonyms
    by_verdict = {entry.verdict_id: entry for entry in study.entries if entry.verdict_id is not None}
    rows: list[tuple[Cell, ...]] = []
    for reviewed in consensus.reviewed:
        item, review = reads.items[reviewed.position], reviewed.review
        opinions = [by_verdict[verdict] for verdict in review.opinions if verdict in by_verdict]
        agreed = consensus.before[reviewed.position]
        rows.append(
            (
                item.key, item.subject, review.origin, consensus.differs[reviewed.position],
                names.get(review.reviewer_id), _words(reads, reviewed.position, review.first_read),
                " | ".join(names.get(opinion.member_id, "") for opinion in opinions),
                " | ".join(said_in_words(item, opinion) for opinion in opinions),
                reviewed.decision_in_words(item) or None,
                None if agreed is None or reviewed.decision is None else reviewed.decision == agreed,
                consensus.correct_after[reviewed.position] if reviewed.review.origin != "control" else None,
                review.reason or None, moment(review.submitted_at),
            )
        )  # fmt: skip
    return DataFile(
        "adjudications.csv",
        "Every item before a reviewer; one line per item.",
        (
            ITEM,
            Column("subject", "Subject", "Pseudonym of the subject"),
            Column("origin", "Origin", "Why the item was in the queue: flag, disagreement or control"),
            Column("verdicts_differ", "Verdicts differ", "Whether the raters' verdicts differ"),
            Column("reviewer", "Reviewer", "Pseudonym of the reviewer"),
            Column("first_read", "Own blind read", "The reviewer's own answer before seeing opinions, in words"),
            Column("opinions_of", "Opinions of", "Raters whose opinions were shown, in the order shown as A, B ..."),
            Column("opinions", "Opinions", "Those opinions in words, in the same order"),
            Column("decision", "Decision", "The decision in words; empty without one"),
            Column("keeps_agreed", "Keeps the agreed answer", "Whether the decision is what the raters agree on"),
            Column("decision_correct", "Decision correct", "Whether the decision is right; empty for controls"),
            Column("reason", "Reason", "The reviewer's reason"),
            Column("submitted_at", "Submitted", "When the decision was stored, UTC"),
        ),
        tuple(rows),
    )


def _candidates(study: StudyRows, scores: Scores) -> DataFile:
    consensus = {candidate.id: score for candidate, score in zip(scores.sample, scores.consensus, strict=True)}
    return DataFile(
        "candidates.csv",
        "Every candidate of the pool; one line per candidate.",
        (
            CANDIDATE,
            ITEM,
            MODEL,
            Column("answer", "Answer", "The candidate's answer"),
            Column("inclusion_probability", "Inclusion probability", "Chance of being in the sample; empty when not"),
            Column("consensus", "Consensus", "correct or incorrect where all raters agree"),
        ),
        tuple(
            (
                candidate.key, study.item_keys.get(candidate.item_id), candidate.model, candidate.answer,
                candidate.probability, _score(consensus.get(candidate.id)),
            )
            for candidate in study.candidates
        ),
    )  # fmt: skip


def _scores(study: StudyRows, scores: Scores) -> DataFile:
    return DataFile(
        "scores.csv",
        "Every score that was to be given on a candidate; one line per rater and candidate.",
        (
            _RATER,
            CANDIDATE,
            ITEM,
            MODEL,
            Column("score", "Score", "correct, incorrect or the id of another score; empty without a score"),
        ),
        tuple(
            (rater.pseudonym, candidate.key, scores.items[i], candidate.model, _score(own[i]) or given[i])
            for rater, own, given in zip(scores.raters, scores.scores, scores.given, strict=True)
            for i, candidate in enumerate(scores.sample)
        ),
    )


def _score(correct: bool | None) -> str | None:
    return None if correct is None else "correct" if correct else "incorrect"


def _words(reads: Reads, position: int, entry: Entry | None) -> str | None:
    return None if entry is None else said_in_words(reads.items[position], entry)
