"""What is withheld or rounded because it would disclose what a single human said about a sealed candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from agreement.estimate import Estimate
from agreement.judge.rows import Panel

FEWEST_SEALED = 5
"""Minimum number of labelled candidates behind a figure on sealed verdicts."""
DIGITS = 3
"""Significant digits of a figure on sealed verdicts. Probabilities can be chosen so that all digits of a Brier score
spell out every verdict: one of 1/2, 1/4, 1/8 ... for each candidate."""


def too_few(labelled: Mapping[str, int], fewest: int) -> set[str]:
    """Levels whose figures are withheld because they have fewer labelled candidates than `fewest`.

    If these levels together still have fewer, their verdicts could be derived by subtracting the others from the total:
    the next smallest level is then withheld too.

    Parameters
    ----------
    labelled : mapping of str to int
        Labelled candidates in each level; an empty level has nothing to disclose.
    fewest : int

    Returns
    -------
    set of str

    Examples
    --------
    >>> sorted(too_few({"a": 30, "b": 2, "c": 9, "d": 0}, 5)), too_few({"a": 30, "c": 9}, 5)
    (['b', 'c'], set())
    """
    given = sorted((count, level) for level, count in labelled.items() if count)
    withheld = [(count, level) for count, level in given if count < fewest]
    others = given[len(withheld) :]
    if withheld and others and sum(count for count, _ in withheld) < fewest:
        withheld.append(others[0])
    return {level for _, level in withheld}


def in_words(fewest: int, unit: str = "candidate") -> str:
    """The reason why a figure is withheld."""
    return f"withheld: beside all others, a figure on fewer than {fewest} sealed {unit}s tells single verdicts"


def rounded(panel: Panel, fewest: int) -> Panel:
    """A panel with so few digits in each figure that they do not spell out verdicts.

    Limits are rounded into the interval: a limit that clears a criterion's bound still does.

    Parameters
    ----------
    panel : Panel
    fewest : int
        As in `too_few`; at 1 nothing is sealed, and the panel stays as it is.

    Returns
    -------
    Panel
    """
    if fewest <= 1:
        return panel
    return replace(panel, rows=tuple(replace(row, estimate=_rounded(row.estimate)) for row in panel.rows))


def _rounded(estimate: Estimate) -> Estimate:
    value, low, high = _near(estimate.value), _near(estimate.low, math.ceil), _near(estimate.high, math.floor)
    if low >= high:  # too narrow for so few digits
        low, high = _near(estimate.low, math.floor), _near(estimate.high, math.ceil)
    se = None if estimate.se is None else _near(estimate.se)
    p = None if estimate.p is None else _near(estimate.p)
    return replace(estimate, value=value, low=low, high=high, se=se, p=p)


def _near(number: float, towards: Callable[[float], float] = round) -> float:
    """A number with few digits, rounded to the nearest one or in a direction."""
    if not math.isfinite(number) or number == 0.0:
        return number
    places = DIGITS - 1 - math.floor(math.log10(abs(number)))
    # What has few digits already stays, although its binary form may be just above or below.
    near = round(number, places)
    if math.isclose(near, number, rel_tol=1e-12):
        return near
    return round(towards(number * 10.0**places) / 10.0**places, places)
