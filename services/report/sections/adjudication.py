"""What review changed: decisions on disagreements, the reviewers' own blinded reads, and control items."""

from __future__ import annotations

from typing import Literal

from agreement import accuracy_of_correctness, cohen_kappa, percent_agreement
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, REVIEWER, EstimateRow, Party, Pooled, Stratum
from exchange.report.report_structure import Column, EstimateTable, PlainTable, Section, Table
from exchange.report.statistic_names import Compared
from services.reading.correctness import NOT_ASSESSABLE
from services.report.interval_settings import IntervalSettings
from services.report.rows.consensus import Consensus, Reviewed
from services.report.rows.reads import Part, Reads
from services.report.rows.study_rows import StudyRows
from services.report.sections.agreement import answers_by_format
from services.report.sections.without_reference import without_reference_sentences

ORIGINS = {"flag": "Flagged by a rater", "disagreement": "Verdicts differ", "control": "Control"}


def adjudication_section(
    study: StudyRows, reads: Reads, consensus: Consensus, intervals: IntervalSettings
) -> Section | None:
    """Build the section; None if the study has neither rules for adjudication nor a reviewed item."""
    if study.protocol.adjudication is None and not consensus.reviewed:
        return None
    if not consensus.reviewed:
        why = "No item has been sent to a reviewer, so there is nothing to compare before and after adjudication."
        return Section("adjudication", "Adjudication", "Adjudication", (why,), ())
    tables: list[Table] = [_counts(reads, consensus)]
    tables += [
        _before_and_after(reads, consensus, intervals),
        _upheld(reads, consensus, intervals),
        _first_reads(reads, consensus, intervals),
        _controls(consensus, intervals, reads),
    ]
    return Section(
        key="adjudication",
        short_title="Adjudication",
        title="Adjudication: before and after",
        explanation=(
            *without_reference_sentences(reads),
            (
                "The reviewer first reads each item blind, then sees the raters’ verdicts as A and B without names, "
                "and decides with a reason."
            ),
        ),
        method=(
            ("Some items on which the raters agree are included as controls; the reviewer is not told which."),
            (
                "Before adjudication, an item has a consensus answer if the raters agree. After adjudication, the "
                "reviewer’s decision counts for items that were sent because verdicts differ or a rater flagged "
                "them; control items keep the agreed answer. No rater’s own verdict is changed, so agreement "
                "between raters is as reported above."
            ),
        ),
        tables=tuple(table for table in tables if not isinstance(table, EstimateTable) or table.rows),
    )


def _counts(reads: Reads, consensus: Consensus) -> PlainTable:
    rows = []
    for origin, title in ORIGINS.items():
        here = [reviewed for reviewed in consensus.reviewed if reviewed.review.origin == origin]
        rows.append(
            (
                title,
                len(here),
                sum(reviewed.first_read is not None for reviewed in here),
                sum(reviewed.decision is not None for reviewed in here),
                sum(reviewed.decision == NOT_ASSESSABLE for reviewed in here),
                sum(_has_unseen(reads, reviewed) for reviewed in here),
            )
        )
    queued = {reviewed.position for reviewed in consensus.reviewed}
    left = sum(differs and i not in queued for i, differs in enumerate(consensus.differs))
    rows.append(("Verdicts differ, not in the queue", left, 0, 0, 0, 0))
    return PlainTable(
        key="review_counts",
        title="The queue",
        explanation=(
            "Counts of items. A flagged item whose verdicts also differ is counted as flagged. Verdicts cannot be "
            "revised once the queue is open; verdicts of raters who joined later are included in all figures but "
            "were not shown to the reviewer."
        ),
        columns=(
            Column("origin", "Why in the queue", "Why the item was sent to a reviewer"),
            Column("items", "Items", "Number of items"),
            Column("read", "Read blind", "Items the reviewer has read"),
            Column("decided", "Decided", "Items with a decision"),
            Column("not_assessable", "Decided as not assessable", "Items decided as not assessable"),
            Column("unseen", "Verdicts not shown", "Items with a standing verdict that the reviewer was not shown"),
        ),
        rows=tuple(rows),
    )


def _has_unseen(reads: Reads, reviewed: Reviewed) -> bool:
    """Return whether a standing verdict is not among the opinions shown: it was submitted after the item was queued."""
    entries = [column.entries[reviewed.position] for column in reads.columns]
    standing = {entry.verdict_id for entry in entries if entry is not None and entry.verdict_id is not None}
    return not standing <= set(reviewed.review.opinions)


def _before_and_after(reads: Reads, consensus: Consensus, intervals: IntervalSettings) -> EstimateTable:
    # Items finished by fewer than two raters cannot have agreement.
    open_to_it = [
        i
        for i in range(len(reads.items))
        if consensus.before[i] is not None or consensus.differs[i] or consensus.after[i] is not None
    ]
    subjects = [reads.items[i].subject for i in open_to_it]
    rows = []
    stages: tuple[Literal["before", "after"], ...] = ("before", "after")
    for stage, answers in zip(stages, (consensus.before, consensus.after), strict=True):
        single, wilson = intervals.share([answers[i] is not None for i in open_to_it], subjects)
        rows.append(EstimateRow("share", "one_answer", (ALL_RATERS,), ALL_ITEMS, single, wilson, stage=stage))
    both = (consensus.correct_before, consensus.correct_after)
    for stage, correct in zip(stages, both, strict=True) if reads.referenced.positions else ():
        result = accuracy_of_correctness(list(correct), **intervals.by(reads.subjects))
        rows.append(
            EstimateRow("accuracy", "consensus", (ALL_RATERS,), ALL_ITEMS, result.primary, result.wilson, stage=stage)
        )
    for column in reads.columns:
        same = percent_agreement(column.said, consensus.after, **intervals.by(reads.subjects))
        rows.append(EstimateRow("percent_agreement", "adjudicated_answer", (column.party,), ALL_ITEMS, same))
    return EstimateTable(
        key="before_and_after",
        title="Before and after adjudication",
        explanation=(
            "The two accuracies are based on different items: before, only those on which the raters agree, which "
            "are easier; after, the adjudicated ones as well. The difference is therefore not the effect of the "
            "reviewer alone."
        ),
        rows=tuple(rows),
        lines="statistic",
    )


def _upheld(reads: Reads, consensus: Consensus, intervals: IntervalSettings) -> EstimateTable:
    decided = [
        reviewed
        for reviewed in consensus.reviewed
        if reviewed.decision is not None and consensus.differs[reviewed.position]
    ]
    if not decided:
        return EstimateTable("upheld", "Whose verdict the decisions upheld", "", ())
    subjects, stratum = [reads.items[reviewed.position].subject for reviewed in decided], Stratum("verdicts_differ")
    rows = []
    for column in reads.columns:
        upheld = [reviewed.decision == column.said[reviewed.position] for reviewed in decided]
        share, wilson = intervals.share(upheld, subjects)
        rows.append(EstimateRow("share", "upheld", (column.party,), stratum, share, wilson))
    nobody = [
        all(reviewed.decision != column.said[reviewed.position] for column in reads.columns) for reviewed in decided
    ]
    share, wilson = intervals.share(nobody, subjects)
    rows.append(EstimateRow("share", "upheld_by_none", (Party("no_rater"),), stratum, share, wilson))
    scored = [(column.party, column.correct) for column in reads.columns]
    scored.append((Party("decision"), consensus.correct_after))
    has_reference = any(reads.items[reviewed.position].has_reference for reviewed in decided)
    for party, correct in scored if has_reference else ():
        result = accuracy_of_correctness([correct[reviewed.position] for reviewed in decided], **intervals.by(subjects))
        rows.append(EstimateRow("accuracy", "reference", (party,), stratum, result.primary, result.wilson))
    return EstimateTable(
        key="upheld",
        title="Items whose verdicts differ: whose verdict the decision upheld, and who was right",
        explanation="Unit: item with differing verdicts and a decision.",
        rows=tuple(rows),
        lines="statistic",
    )


def _first_reads(reads: Reads, consensus: Consensus, intervals: IntervalSettings) -> EstimateTable:
    rows: list[EstimateRow] = []
    read = [reviewed for reviewed in consensus.reviewed if reviewed.first_read is not None]
    subjects = [reads.items[reviewed.position].subject for reviewed in read]
    part = Part(Stratum("reviewed"), tuple(reviewed.position for reviewed in read))
    own = [
        None
        if reviewed.first_read == NOT_ASSESSABLE
        else f"{reads.items[reviewed.position].format}: {reviewed.first_read}"
        for reviewed in read
    ]
    for column in reads.columns if read else ():
        theirs = answers_by_format(reads, column, part)
        clusters = intervals.by(subjects)
        rows += [
            EstimateRow(
                "percent_agreement", "answers", (REVIEWER, column.party), part.stratum,
                percent_agreement(own, theirs, **clusters),
            ),
            EstimateRow(
                "cohen_kappa", "answers", (REVIEWER, column.party), part.stratum,
                intervals.kappa(cohen_kappa, own, theirs, **clusters), remark=Pooled(),
            ),
        ]  # fmt: skip
    decided = [reviewed for reviewed in read if reviewed.decision is not None]
    if decided:
        share, wilson = intervals.share(
            [reviewed.first_read == reviewed.decision for reviewed in decided],
            [reads.items[reviewed.position].subject for reviewed in decided],
        )
        rows.append(EstimateRow("share", "own_blind_read", (REVIEWER,), part.stratum, share, wilson))
    return EstimateTable(
        key="first_reads",
        title="The reviewer’s own blind reads",
        explanation=(
            "The queue is enriched with items on which raters differ, so agreement is lower here than it would be "
            "over all items."
        ),
        rows=tuple(rows),
        lines="statistic",
    )


def _controls(consensus: Consensus, intervals: IntervalSettings, reads: Reads) -> EstimateTable:
    controls = [reviewed for reviewed in consensus.reviewed if reviewed.review.origin == "control"]
    rows = []
    compared: tuple[tuple[Compared, list[str | None]], ...] = (
        ("control_read", [reviewed.first_read for reviewed in controls]),
        ("control_decision", [reviewed.decision for reviewed in controls]),
    )
    for what, said in compared:
        here = [
            (reviewed.position, answer) for reviewed, answer in zip(controls, said, strict=True) if answer is not None
        ]
        if here:
            share, wilson = intervals.share(
                [answer == consensus.before[position] for position, answer in here],
                [reads.items[position].subject for position, _ in here],
            )
            rows.append(EstimateRow("share", what, (REVIEWER,), Stratum("controls"), share, wilson))
    return EstimateTable(
        key="controls",
        title="Control items",
        explanation=(
            "Items on which the raters agree. A reviewer who overturns many of them is too strict, or the raters "
            "share an error; the data file adjudications.csv lists them."
        ),
        rows=tuple(rows),
        lines="statistic",
    )
