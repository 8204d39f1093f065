"""What was read and what was not, keeping apart missing verdicts, not assessable items and technical failures."""

from __future__ import annotations

from collections import Counter

from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow
from exchange.report.report_structure import Column, EstimateTable, PlainTable, Section
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Reads
from services.report.rows.study_rows import StudyRows
from services.report.sections.missing import missing_of, missing_table


def completeness_section(study: StudyRows, reads: Reads, intervals: IntervalSettings) -> Section:
    """Build the section: counts per rater, reasons, technical failures and flags."""
    tables = (
        _counts(reads),
        missing_table(missing_of(study)),
        _shares(reads, intervals),
        _reasons(reads),
        _failures(reads),
        _flags(study, reads),
    )
    return Section(
        key="completeness",
        short_title="Completeness",
        title="Completeness",
        explanation=(
            "What was to be read by each rater, and what became of it.",
            *not_let_in_sentences(study),
            *link_sentences(study),
            *clock_sentences(study),
        ),
        method=(
            (
                "Missing: no verdict was submitted. Not assessable: a verdict, with a reason. Technical failure: "
                "the images could not be displayed; neither missing nor not assessable. None of the three counts "
                "as wrong."
            ),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def not_let_in_sentences(study: StudyRows) -> tuple[str, ...]:
    """Return a sentence on raters who never passed the practice, and their number; nothing if there are none."""
    shut_out = study.not_let_in
    if not shut_out:
        return ()
    names = ", ".join(member.pseudonym for member in shut_out)
    sentence = (
        f"{len(shut_out)} of {len(study.raters) + len(shut_out)} raters did not pass the practice ({names}). The "
        "items were never opened to them, so none of their reads is missing, and they are not included in any "
        "figure."
    )
    return (sentence,)


def link_sentences(study: StudyRows) -> tuple[str, ...]:
    """Return a sentence on links that could have opened another person's account in use; nothing if there are none."""
    made = study.links_for_known
    if not made:
        return ()
    names = ", ".join(sorted(set(made)))
    return (
        (
            f"Deviation: since the freeze, {len(made)} sign-in links were created for people who had signed in "
            f"before ({names}). Anybody holding such a link could act as that person; each of them is notified at "
            "the next sign-in."
        ),
    )


def clock_sentences(study: StudyRows) -> tuple[str, ...]:
    """Return a sentence on verdicts whose times cannot all be right; nothing if there are none."""
    count = study.contradictory_times
    if not count:
        return ()
    verdicts = "1 verdict bears" if count == 1 else f"{count} verdicts bear"
    sentence = (
        f"{verdicts} times that contradict each other, because the server’s clock was changed; `manage.py verify` "
        "lists them. Answers and their order, and active and idle times, are not affected."
    )
    return (sentence,)


def _counts(reads: Reads) -> PlainTable:
    rows = []
    for column in reads.columns:
        entries = [entry for entry in column.entries if entry is not None]
        status = Counter(entry.status for entry in entries)
        answered = [
            (answer, item.has_reference)
            for answer, item in zip(column.answers, reads.items, strict=True)
            if answer is not None
        ]
        rows.append(
            (
                column.rater.pseudonym,
                len(entries),
                len(answered),
                status["not_assessable"],
                status["technical_failure"],
                # A verdict without the field `answer` contains no answer either.
                status["missing"] + status["answered"] - len(answered),
                sum(not known for _, known in answered),
                sum(len(entry.flags) for entry in entries),
                sum(entry.revisions > 0 for entry in entries),
            )
        )
    return PlainTable(
        key="completeness",
        title="Reads by rater",
        explanation="Counts of items; answered + not assessable + technical failures + missing = assigned.",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("assigned", "Assigned", "Items assigned to the rater"),
            Column("answered", "Answered", "Items with an answer"),
            Column("not_assessable", "Not assessable", "Items called not assessable"),
            Column("technical_failures", "Technical failures", "Items whose images could not be shown"),
            Column("missing", "Missing", "Items without a verdict"),
            Column("without_reference", "Answered, no reference", "Answered items without a reference"),
            Column("flags", "Flags", "Flags raised"),
            Column("revised", "Revised", "Items whose verdict was revised; the newest verdict counts"),
        ),
        rows=tuple(rows),
    )


def _shares(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for column in reads.columns:
        said = [(i, apart) for i, apart in enumerate(column.not_assessable) if column.said[i] is not None]
        if not any(apart for _, apart in said):
            continue
        share, wilson = intervals.share(
            [apart for _, apart in said],
            [reads.items[i].subject for i, _ in said],
        )
        rows.append(EstimateRow("share", "not_assessable", (column.party,), ALL_ITEMS, share, wilson))
    return EstimateTable(
        key="not_assessable_share",
        title="Share of verdicts “not assessable”",
        explanation="Of the items with a verdict.",
        rows=tuple(rows),
        lines="statistic",
    )


def _reasons(reads: Reads) -> PlainTable:
    counts = Counter(
        (column.rater.pseudonym, entry.reason)
        for column in reads.columns
        for entry in column.entries
        if entry is not None and entry.not_assessable is not None
    )
    return PlainTable(
        key="not_assessable_reasons",
        title="Reasons for “not assessable”",
        explanation="",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("reason", "Reason", "The reason chosen"),
            Column("items", "Items", "Number of items"),
        ),
        rows=tuple((rater, reason, items) for (rater, reason), items in sorted(counts.items())),
    )


def _failures(reads: Reads) -> PlainTable:
    return PlainTable(
        key="technical_failures",
        title="Technical failures",
        explanation="",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("item", "Item", "Key of the item"),
            Column("reason", "Message of the browser", "Reason of the failure"),
        ),
        rows=tuple(
            (column.rater.pseudonym, item.key, entry.failure)
            for column in reads.columns
            for item, entry in zip(reads.items, column.entries, strict=True)
            if entry is not None and entry.status == "technical_failure"
        ),
    )


def _flags(study: StudyRows, reads: Reads) -> PlainTable:
    texts = {option.id: option.text for option in study.protocol.reading.flags}
    return PlainTable(
        key="flags",
        title="Flags",
        explanation="Raters’ remarks that something is wrong with an item.",
        columns=(
            Column("item", "Item", "Key of the item"),
            Column("rater", "Rater", "Pseudonym"),
            Column("flag", "Flag", "What the flag is for"),
            Column("note", "Note", "The rater’s note"),
        ),
        rows=tuple(
            (item.key, column.rater.pseudonym, texts.get(kind, kind), note)
            for i, item in enumerate(reads.items)
            for column in reads.columns
            for entry in (column.entries[i],)
            if entry is not None
            for kind, note in entry.flags
        ),
    )
