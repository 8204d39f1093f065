"""How often candidates are right of which a judge stated a probability, tenth by tenth."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.calibration import reliability_curve
from agreement.coding import Codes, Floats
from agreement.estimate import undefined
from agreement.judge.coefficients import UNIT
from agreement.judge.plan import Plan
from agreement.judge.rows import Row

STATED, RIGHT = "mean stated probability", "share right where it was stated"
"""Both are of the candidates in one tenth of the probabilities, which the stratum names."""
AS_GIVEN, RECALIBRATED = "as given", "recalibrated"


def rows_of_tenths(
    probability: Floats, outcome: Floats, clusters: Codes, judge: str, when: str, part: str, words: str, plan: Plan
) -> Iterator[Row]:
    """The points of a reliability curve: for each tenth with candidates, the mean stated and the share right.

    Parameters
    ----------
    probability, outcome : ndarray of float, shape (n,)
        From 0 to 1; 1 for right and 0 for wrong.
    clusters : ndarray of int, shape (n,)
    judge : str
    when : {"as given", "recalibrated"}
    part : str
        What the candidates are, such as ``"test part"``.
    words : str
        The basis of the outcomes.
    plan : Plan

    Yields
    ------
    Row
        The stratum is the part with the tenth, such as ``"test part, stated 80 to 90 %"``.

    Examples
    --------
    >>> import numpy as np
    >>> stated, right = np.array([0.15, 0.95, 0.85, 0.82]), np.array([0.0, 1.0, 1.0, 0.0])
    >>> rows = rows_of_tenths(stated, right, np.arange(4), "j", "as given", "test part", "", Plan())
    >>> [(row.stratum, row.estimate.n, row.estimate.value) for row in rows if row.statistic.startswith(RIGHT)]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('test part, stated 10 to 20 %', 1, 0.0), ('test part, stated 80 to 90 %', 2, 0.5),
     ('test part, stated 90 to 100 %', 1, 1.0)]
    """
    curve = reliability_curve(probability, outcome, clusters=clusters, level=plan.confidence, unit=UNIT)
    for tenth in curve:
        if tenth.mean_confidence is None:
            continue
        stratum = f"{part}, stated {100 * tenth.above:.0f} to {100 * tenth.up_to:.0f} %"
        mean = undefined(
            STATED, tenth.n, UNIT, "mean", "what was stated has no interval", value=tenth.mean_confidence,
            confidence=plan.confidence,
        )  # fmt: skip
        yield Row(f"{STATED}, {when}", (judge,), mean, stratum, words)
        yield Row(f"{RIGHT}, {when}", (judge,), tenth.accuracy, stratum, words)
