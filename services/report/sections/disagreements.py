"""What the raters disagreed on: item by item, in words."""

from __future__ import annotations

from exchange.report.report_structure import Cell, Column, PlainTable, Section
from services.reading.correctness import reference_in_words
from services.report.rows.consensus import Consensus
from services.report.rows.reads import Reads

_MARK = {True: " ✓", False: " ✗", None: ""}


def disagreements_section(reads: Reads, consensus: Consensus) -> Section:
    """Build the section: one line per item on which two verdicts differ."""
    table = disagreement_table(reads, consensus, scored=True)
    return Section(
        key="disagreements",
        short_title="Disagreements",
        title="Disagreements",
        explanation=(
            (
                f"{len(table.rows)} of {len(reads.items)} items have differing verdicts. Here, “not assessable” "
                "versus an answer counts as a difference, although it is excluded from the agreement figures "
                "above; so do open answers in different words, even if both are right (✓)."
            ),
        ),
        tables=(table,) if table.rows else (),
    )


def disagreement_table(reads: Reads, consensus: Consensus, *, scored: bool) -> PlainTable:
    """Return the table, which is also a data file; `scored` adds ✓ or ✗ after answers and decision."""
    decisions = {reviewed.position: reviewed for reviewed in consensus.reviewed if reviewed.decision is not None}
    rows = []
    for i, item in enumerate(reads.items):
        if not consensus.differs[i]:
            continue
        decision = ""
        if i in decisions:
            decision = decisions[i].decision_in_words(item)
            decision += _MARK[decisions[i].decision_is_right(item)] if scored else ""
        cells: list[Cell] = [item.key, item.category, item.prompt]
        cells += [column.words[i] + (_MARK[column.correct[i]] if scored else "") for column in reads.columns]
        cells += [reference_in_words(item), decision]
        rows.append(tuple(cells))
    return PlainTable(
        key="disagreements",
        title="Items with differing verdicts",
        explanation="",
        columns=(
            Column("item", "Item", "Key of the item"),
            Column("category", "Category", "Category of the item"),
            Column("prompt", "Prompt", "What was asked"),
            *(
                Column(
                    f"answer_{column.rater.pseudonym.lower().replace(' ', '_')}",
                    column.rater.pseudonym,
                    f"Verdict of {column.rater.pseudonym}, in words",
                )
                for column in reads.columns
            ),
            Column("reference", "Reference", "The answer counted as right"),
            Column("decision", "Reviewer’s decision", "What the reviewer decided; empty without a decision"),
        ),
        rows=tuple(rows),
    )
