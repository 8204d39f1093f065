"""A figure of the report, with its position and its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from exchange.report.estimate_rows import Estimated, EstimateRow
from services.report.figures.labels import WARNED

# A figure with more lines than this cannot be read at a glance.
MOST_LINES = 45


@dataclass(frozen=True)
class Figure:
    """A Plotly figure with its position and words, drawn only on demand, as a page shows few of many figures."""

    key: str
    section: str
    title: str
    caption: str
    draw: Callable[[], Any]

    @cached_property
    def figure(self) -> Any:
        """The Plotly figure."""
        return self.draw()

    @property
    def height(self) -> int:
        """Its height in pixels."""
        return int(self.figure.layout.height)


def warned_in_words(rows: Sequence[EstimateRow]) -> str:
    """Return what the sign beside an n says; empty if no value that is drawn has a warning."""
    return sign_in_words([row.estimate for row in rows])


def sign_in_words(estimates: Sequence[Estimated]) -> str:
    """Return the same of estimates, of whatever rows."""
    warned = any(estimate.warning and not math.isnan(estimate.value) for estimate in estimates)
    return f"{WARNED} beside n: with a warning, which the table gives." if warned else ""


def lacking_in_words(rows: Sequence[EstimateRow]) -> str:
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
        warned_in_words(rows),
    )
    return " ".join(filter(None, said))
