"""The words of figures about judges: whom a judge is compared with, and whether it is stricter or more lenient."""

from __future__ import annotations

from collections.abc import Sequence

from exchange.report.estimate_rows import ALL_CANDIDATES, CONSENSUS, Direction, EstimateRow
from exchange.report.report_words import party_in_words, stratum_in_words
from protocol.language.wording import listed

# Which side of "human minus judge" means what.
AXIS = "← judge more lenient · human minus judge (points) · judge stricter →"
# The same where the share is of an option, which need not be the better one.
AXIS_OF_OPTION = "← judge chooses it more often · human minus judge (points) · judge chooses it less often →"
# The outcomes that `agreement` decides by an interval, in the order in which they are named.
_DECIDED = ("stricter", "more lenient", "undecided")


def are_of_judges(rows: Sequence[EstimateRow]) -> bool:
    """Return whether each row compares one judge with one human, so that lines are labelled by judge."""
    return bool(rows) and all(len(row.parties) == 2 and row.parties[0].kind == "judge" for row in rows)


def against(row: EstimateRow) -> str:
    """Return with whom a judge is compared."""
    return f"against {party_in_words(row.parties[1])}"


def in_words(rows: Sequence[EstimateRow]) -> str:
    """Return which judges are stricter and which more lenient by their intervals; empty if no row decides it.

    Rows against the consensus take precedence if there are any, since single raters may give different answers. With
    several parts, only the rows on all candidates count, or else those of each part, with the name of the part.
    """
    parts = {row.stratum for row in rows}
    of_all = len(parts) > 1 and ALL_CANDIDATES in parts
    said_of = [row for row in rows if row.stratum == ALL_CANDIDATES] if of_all else rows
    together = [row for row in said_of if row.parties[1] == CONSENSUS]
    decided: dict[str, list[str]] = {}
    for row in together or said_of:
        if isinstance(row.remark, Direction) and row.remark.by_interval:
            name = party_in_words(row.parties[0])
            if not together:
                name += f" {against(row)}"
            if len(parts) > 1 and not of_all:
                name += f" ({stratum_in_words(row.stratum)})"
            decided.setdefault(row.remark.by_interval, []).append(name)
    said = [f"{word}: {listed(decided[word])}" for word in _DECIDED if word in decided]
    if not said:
        return ""
    whom = " against the consensus" if together else ""
    where = ", of all candidates" if of_all else ""
    return f"By the interval{whom}{where}, {'; '.join(said)}."
