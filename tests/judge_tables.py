"""A judge's file as its rows, read as an import reads it."""

from __future__ import annotations

from exchange.judge_verdicts import JudgeRow, JudgeTable
from exchange.refusal import Problems
from protocol.scales import CORRECTNESS, JudgeScale


def rows_of_judge(content: bytes, name: str, scale: JudgeScale = CORRECTNESS) -> tuple[JudgeRow, ...]:
    """Return the rows of a file, or refuse it with everything that is wrong with it."""
    problems = Problems()
    rows = tuple(JudgeTable(content, name, scale, problems))
    problems.refuse()
    return rows
