"""The answer of a report: its primary estimate in one or a few lines, to be read before anything else."""

from __future__ import annotations

import re
from dataclasses import dataclass

from exchange.report.estimate_rows import ALL_RATERS, CONSENSUS, Direction, EstimateRow
from exchange.report.report_structure import EstimateTable, Report
from exchange.report.report_words import (
    PRIMARY_ESTIMATE,
    answers_in_words,
    intervals_in_words,
    lines_of,
    statistic_in_words,
    stratum_in_words,
    who,
)
from exchange.report.shown_numbers import shown_count, shown_estimate

# Any further lines are left to the table below.
MOST_LINES = 5


@dataclass(frozen=True)
class Answer:
    """What the primary estimate is about, its lines in words, and how many further lines its table has."""

    title: str
    lines: tuple[str, ...]
    method: str
    more: int


def answer_of(report: Report) -> Answer | None:
    """Return the primary estimate of a report; None if its plan names none or nothing was computed for it.

    If there are many lines, the first available of these are shown: all raters together, with the differences between
    groups; groups of raters; what raters agree on.
    """
    for _, table in report.estimate_tables():
        planned = [row for row in table.rows if row.planned and not row.bound and not row.weighted]
        if planned:
            return _answer(table, planned, dict(report.analysis_plan).get(PRIMARY_ESTIMATE, ""))
    return None


def _answer(table: EstimateTable, planned: list[EstimateRow], named: str) -> Answer:
    title = f"{PRIMARY_ESTIMATE}: {named}" if named else table.title
    chosen = _together(planned) if len(planned) > MOST_LINES else planned
    labels = {
        id(line.row): ", ".join(filter(None, (_without_what_is_said(line.label, line.row, title), of_answers)))
        for line, of_answers in zip(lines_of(table), answers_in_words(table.rows), strict=True)
    }
    shown = chosen[:MOST_LINES]
    # A label that all lines share is shown once, above them.
    in_common = labels[id(shown[0])] if len({labels[id(row)] for row in shown}) == 1 else ""
    return Answer(
        f"{title} – {in_common}" if in_common else title,
        tuple(_line(row, "" if in_common else labels[id(row)]) for row in shown),
        _in_unit(table, shown) + intervals_in_words(chosen, table.cluster),
        len(planned) - len(shown),
    )


def _in_unit(table: EstimateTable, shown: list[EstimateRow]) -> str:
    """Return the unit of the lines, for the sentence below them; empty if the field names no unit."""
    unit = table.unit_of(shown[0])
    return f"In {unit}; " if unit else ""


def _together(planned: list[EstimateRow]) -> list[EstimateRow]:
    """Return the rows about several raters at once; all rows if there are none."""
    of_all = [row for row in planned if ALL_RATERS in row.parties]
    of_groups = [row for row in planned if all(party.kind == "part" for party in row.parties)]
    # Differences alone would leave out the values that they are between.
    between = [row for row in of_groups if len(row.parties) > 1]
    if len(between) == len(of_groups):
        of_groups = []
    if of_all:
        # The comparison is the point of the line, so its differences are included.
        return [*of_all, *between]
    return of_groups or [row for row in planned if CONSENSUS in row.parties] or planned


def _without_what_is_said(label: str, row: EstimateRow, title: str) -> str:
    """Return the label of a line without a part and a statistic that the title already names."""
    said = title.casefold()
    part, statistic = stratum_in_words(row.stratum), statistic_in_words(row)
    if row.stratum.kind == "selected" and label.startswith(part):
        within = _within_what_is_said(part, said)
        label, part = within + label[len(part) :], within
    if label.casefold() == f"{part}: {statistic}".casefold():
        statistic = label[len(part) + 2 :]
        return ": ".join(words for words in (part, statistic) if not _stands_in(words.casefold(), said))
    return "" if _stands_in(label.casefold(), said) else label


def _within_what_is_said(part: str, said: str) -> str:
    """Return the name of a part of a selection, without the selection if that is already named."""
    commas = [place for place, letter in enumerate(part) if letter == ","]
    named = [place for place in commas if _stands_in(part[:place].casefold(), said)]
    return part[named[-1] + 2 :] if named else part


def _stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _line(row: EstimateRow, label: str) -> str:
    whose = f"{who(row)}, {label}" if label else who(row)
    decided = row.remark.by_interval if isinstance(row.remark, Direction) else ""
    said = f": {decided}" if decided else ""
    n = shown_count(row.estimate.n, row.estimate.unit)
    return f"{whose}: {shown_estimate(row.estimate, row.scale)}, n = {n}{said}"
