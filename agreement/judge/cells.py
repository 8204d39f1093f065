"""Figures as printed in a panel's table, in the same unit and to as many decimal places as in its sentences."""

from __future__ import annotations

import math

from agreement.judge.conditions import CORRECTED_BETWEEN, RAW_BETWEEN
from agreement.judge.panels import criteria, direction, repeatability, replacement, uniformity
from agreement.judge.rows import Row
from agreement.judge.scale import Scale
from agreement.judge.wording import value_and_limits

_DIFFERENCES = frozenset(
    {
        direction.DIFFERENCE,
        uniformity.LEVEL,
        uniformity.OF_LEVELS,
        uniformity.LARGEST,
        uniformity.NOTICEABLE,
        criteria.DIRECTION,
        replacement.READERS,
        RAW_BETWEEN,
        CORRECTED_BETWEEN,
    }
)
"""In percentage points if scores are shares."""

_SHARES = frozenset({*repeatability.CHANGES, criteria.MISSING})
"""In percent."""

_COUNTS = frozenset({direction.LABELS, direction.LABELS_TO_PASS})
"""Whole numbers with limits."""


def shown_figures(row: Row, scale: Scale) -> tuple[str, str]:
    """Value and limits of a row.

    Parameters
    ----------
    row : Row
    scale : Scale
        Of the verdicts.

    Returns
    -------
    value, limits : str
        The limits in brackets; empty if there are none.

    Examples
    --------
    >>> from agreement.estimate import Estimate
    >>> of = Estimate("kappa", 0.8034, 0.7461, 0.8549, 136, "candidate", "normal")
    >>> shown_figures(Row("kappa", ("a", "b"), of), Scale("nominal", ("x", "y")))
    ('.80', '[.75, .85]')
    """
    estimate = row.estimate
    if math.isnan(estimate.value):
        return "undefined", ""
    if row.is_count or row.statistic in _COUNTS:
        return value_and_limits(estimate, 1.0, 0)
    factor, unit = (1.0, "") if row.is_declared else unit_of(row.statistic, scale)
    return value_and_limits(estimate, factor, 1 if unit else 2, f" {unit}" if unit else "")


def unit_of(statistic: str, scale: Scale) -> tuple[float, str]:
    """The unit in which values of a statistic are reported, in text, tables and plots.

    Parameters
    ----------
    statistic : str
    scale : Scale
        Of the verdicts.

    Returns
    -------
    factor : float
        Multiplier of a value.
    unit : str
        Empty if the statistic has no unit.

    Examples
    --------
    >>> unit_of(direction.DIFFERENCE, Scale("nominal", ("x", "y"))), unit_of("kappa", Scale("nominal", ("x", "y")))
    ((1.0, ''), (1.0, ''))
    """
    if statistic in _SHARES:
        return 100.0, "%"
    if statistic in _DIFFERENCES and scale.shares:
        return 100.0, "points"
    return 1.0, ""
