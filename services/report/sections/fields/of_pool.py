"""Rows given again for all that was drawn from, where units had unequal chances of being drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from agreement.weighted import weighted_mean
from exchange.report.estimate_rows import EstimateRow
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal


def of_pool(
    row: EstimateRow,
    values: Sequence[float | bool | None],
    chances: Sequence[float | None],
    clusters: Sequence[Any],
    intervals: IntervalSettings,
    *,
    kind: Literal["share", "mean", "difference"] = "share",
) -> list[EstimateRow]:
    """Return a share, a mean or a difference of units weighted to the pool; nothing if chances are unknown or equal.

    Parameters
    ----------
    row
        The row of the sample as it was drawn.
    values, chances, clusters
        Of each unit or verdict: what the row is the mean of, None where nothing was given; the chance that the unit
        was drawn; and its cluster.
    kind
        Of a share only 1 and 0 are averaged, so that its limits need no resamples unless the plan asks for them.
    """
    known = unequal(chances)
    if known is None:
        return []
    by = intervals.by(clusters) | ({} if kind == "share" else {"interval": intervals.kind or "widened"})
    numbers = [None if value is None else float(value) for value in values]
    weighted = weighted_mean(numbers, known, name=kind, unit=row.estimate.unit, **by)
    return [replace(row, estimate=weighted, beside=None, weighted=True)]
