"""The remark on human minus judge, or human minus automatic scorer: who is stricter, and by how much."""

from __future__ import annotations

from agreement import JudgeDirection
from exchange.estimate_rows import Direction
from exchange.shown_numbers import has_interval

TEST_OF_DIRECTION = (
    "P of a signed difference: exact McNemar test on the candidates that the two score differently. It assumes "
    "independent candidates, and the interval does not, so the two may contradict each other; where candidates share "
    "items, go by the interval."
)


def direction_remark(result: JudgeDirection) -> Direction | None:
    """Return how often the judge was stricter or more lenient, and what the interval shows; None without pairs."""
    if not result.n:
        return None
    by_interval = result.direction_by_interval if has_interval(result.difference) else ""
    return Direction(result.strict, result.lenient, by_interval)
