"""A figure of the report, with its position and its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from exchange.report.estimate_rows import Estimated, EstimateRow
from exchange.report.report_structure import Matrix
from exchange.report.report_words import names_of_answers, statistic_in_words, stratum_in_words
from exchange.report.shown_numbers import shown_estimate, shown_value
from services.report.figures.labels import WARNED

# A figure with more lines than this cannot be read at a glance.
MOST_LINES = 45


@dataclass(frozen=True)
class Figure:
    """A Plotly figure with its position and words, drawn only on demand, as a page shows few of many figures.

    `shows` says what can be read from it: how many values, from what to what, and their n.
    """

    key: str
    section: str
    title: str
    caption: str
    draw: Callable[[], Any]
    shows: str = ""

    @property
    def alt(self) -> str:
        """What people read or hear who do not see the figure."""
        return f"{self.title}: {self.shows}." if self.shows else self.caption

    @cached_property
    def figure(self) -> Any:
        """The Plotly figure."""
        return self.draw()

    @property
    def height(self) -> int:
        """Its height in pixels."""
        return int(self.figure.layout.height)


def rows_in_words(rows: Sequence[EstimateRow]) -> str:
    """Return how many values are drawn, the least and the greatest with whose they are, or the only one, with n."""
    known = [row for row in rows if not math.isnan(row.estimate.value)]
    if not known:
        return "no value"
    ns = range_in_words([row.estimate.n for row in known])
    least, most = (choose(known, key=lambda row: row.estimate.value) for choose in (min, max))
    if len(known) == 1:
        return f"one value, {shown_estimate(least.estimate, least.scale)}, n = {ns}"
    shown = [shown_value(row.estimate.value, row.scale) for row in known]
    if len(set(shown)) == 1:
        return f"{len(known)} values, all {shown[0]}, n = {ns}"
    ends = (f"{shown_value(row.estimate.value, row.scale)} ({_whose(row, known)})" for row in (least, most))
    return f"{len(known)} values, from {' to '.join(ends)}, n = {ns}"


def _whose(row: EstimateRow, among: Sequence[EstimateRow]) -> str:
    """Return the words in which a row differs from the others, or who it is about if there are none."""
    words = [
        (stratum_in_words(each.stratum), statistic_in_words(each), name)
        for each, name in zip(among, names_of_answers(among), strict=True)
    ]
    own = words[among.index(row)]
    differing = [said for said, others in zip(own, zip(*words, strict=True), strict=True) if len({*others}) > 1]
    return ", ".join(filter(None, differing)) or own[-1]


def counts_in_words(table: Matrix) -> str:
    """Return the size of a table of counts, its greatest count with where it stands, and n."""
    cells = [
        (count, f"{row} and {column}")
        for row, counts in zip(table.row_labels, table.counts, strict=True)
        for column, count in zip(table.column_labels, counts, strict=True)
    ]
    if not cells:
        return "no counts"
    most, where = max(cells, key=lambda cell: cell[0])
    size = f"counts in {len(table.row_labels)} rows and {len(table.column_labels)} columns"
    return f"{size}, most for {where} ({most}), n = {sum(count for count, _ in cells)}"


def range_in_words(numbers: Sequence[int]) -> str:
    """Return the least and the greatest of some numbers, or the only one."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def warned_in_words(rows: Sequence[EstimateRow], place: str = "beside n") -> str:
    """Return what the sign at a place says; empty if no value that is drawn has a warning."""
    return sign_in_words([row.estimate for row in rows], place)


def sign_in_words(estimates: Sequence[Estimated], place: str = "beside n") -> str:
    """Return the same of estimates, of whatever rows."""
    warned = any(estimate.warning and not math.isnan(estimate.value) for estimate in estimates)
    return f"{WARNED} {place}: with a warning, which the table gives." if warned else ""


def lacking_in_words(rows: Sequence[EstimateRow], place: str = "beside n") -> str:
    """Return what a drawing of values with intervals lacks: values that are undefined, intervals, and certainty."""
    undefined = sum(math.isnan(row.estimate.value) for row in rows)
    # Chance is known, and needs none.
    alone = any(
        math.isnan(row.estimate.low) and math.isnan(row.estimate.high)
        for row in rows
        if not math.isnan(row.estimate.value) and row.compared != "chance_floor"
    )
    said = (
        f"Not drawn: {undefined} undefined value{'' if undefined == 1 else 's'}." if undefined else "",
        "A dot without a line has no interval." if alone else "",
        "The table says why." if undefined or alone else "",
        warned_in_words(rows, place),
    )
    return " ".join(filter(None, said))
