"""The answer of a report: its primary estimate in a line or a few, to be read before anything else."""

from __future__ import annotations

from dataclasses import dataclass

from exchange.estimate_rows import ALL_RATERS, CONSENSUS, Direction, EstimateRow
from exchange.report_structure import EstimateTable, Report
from exchange.report_words import PRIMARY_ESTIMATE, intervals_in_words, lines_of, shown_estimate, who

# More lines than this are a table, which stands below.
MOST_LINES = 5


@dataclass(frozen=True)
class Answer:
    """What the primary estimate is of, its lines in words, and how many more of them its table has."""

    title: str
    lines: tuple[str, ...]
    method: str
    more: int


def answer_of(report: Report) -> Answer | None:
    """Return the primary estimate of a report; None where its plan names none, or nothing was computed of it.

    Of many lines those of all raters together, else of what raters agree on, stand for the others.
    """
    for _, table in report.estimate_tables():
        planned = [row for row in table.rows if row.planned and not row.bound and not row.weighted]
        if planned:
            return _answer(table, planned, dict(report.analysis_plan).get(PRIMARY_ESTIMATE, ""))
    return None


def _answer(table: EstimateTable, planned: list[EstimateRow], named: str) -> Answer:
    chosen = planned
    for together in (ALL_RATERS, CONSENSUS):
        of_these = [row for row in planned if together in row.parties]
        if len(planned) > MOST_LINES and of_these:
            chosen = of_these
            break
    labels = {id(line.row): line.label for line in lines_of(table)}
    shown = chosen[:MOST_LINES]
    # What all lines are called stands once, above them.
    in_common = labels[id(shown[0])] if len({labels[id(row)] for row in shown}) == 1 else ""
    title = f"{PRIMARY_ESTIMATE}: {named}" if named else table.title
    return Answer(
        f"{title} – {in_common}" if in_common else title,
        tuple(_line(row, "" if in_common else labels[id(row)]) for row in shown),
        intervals_in_words(chosen, table.cluster),
        len(planned) - len(shown),
    )


def _line(row: EstimateRow, label: str) -> str:
    n, unit = row.estimate.n, row.estimate.unit
    whose = f"{who(row)}, {label}" if label else who(row)
    decided = row.remark.by_interval if isinstance(row.remark, Direction) else ""
    said = f": {decided}" if decided else ""
    return f"{whose}: {shown_estimate(row.estimate, row.scale)}, n = {n} {unit if n == 1 else f'{unit}s'}{said}"
