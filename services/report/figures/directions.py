"""What figures say of judges: whose judgements a line is about, and which of them is stricter or more lenient."""

from __future__ import annotations

from collections.abc import Sequence

from exchange.estimate_rows import CONSENSUS, Direction, EstimateRow
from exchange.report_words import party_in_words
from protocol.language.wording import listed

# Of human minus judge, which side says what.
AXIS = "← judge more lenient · human minus judge (points) · judge stricter →"
# As `agreement` decides it by an interval, in the order in which it is said.
_DECIDED = ("stricter", "more lenient", "undecided")


def are_of_judges(rows: Sequence[EstimateRow]) -> bool:
    """Return whether each row holds one judge against one human, so that lines are by judge."""
    return bool(rows) and all(len(row.parties) == 2 and row.parties[0].kind == "judge" for row in rows)


def against(row: EstimateRow) -> str:
    """Return whom a judge is held against."""
    return f"against {party_in_words(row.parties[1])}"


def in_words(rows: Sequence[EstimateRow]) -> str:
    """Return which judges are stricter and which more lenient by their intervals; empty where no row says it.

    Against what raters agree on, where that is there: against one of them there may be another answer.
    """
    together = [row for row in rows if row.parties[1] == CONSENSUS]
    decided: dict[str, list[str]] = {}
    for row in together or rows:
        if isinstance(row.remark, Direction) and row.remark.by_interval:
            name = party_in_words(row.parties[0])
            decided.setdefault(row.remark.by_interval, []).append(name if together else f"{name} {against(row)}")
    said = [f"{word}: {listed(decided[word])}" for word in _DECIDED if word in decided]
    if not said:
        return ""
    whom = " against the consensus" if together else ""
    return f"By the interval{whom}, {'; '.join(said)}."
