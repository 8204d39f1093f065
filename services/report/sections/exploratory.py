"""The row printed below an estimate of an older plan: the same estimate with today's default interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from agreement import Estimate
from exchange.report.estimate_rows import EstimateRow
from services.report.interval_settings import IntervalSettings


def exploratory_rows(
    row: EstimateRow, intervals: IntervalSettings, estimate_by: Callable[[IntervalSettings], Estimate]
) -> list[EstimateRow]:
    """Return the row with today's default interval; empty if the plan already has it or there is no value.

    Parameters
    ----------
    row
        The estimate by the frozen plan, which stays unchanged.
    intervals
        The settings of the plan.
    estimate_by
        Computes the same estimate with other settings.
    """
    if intervals.today is None or math.isnan(row.estimate.value):
        return []
    estimate = estimate_by(intervals.today)
    # For free text, or a single category, both settings give kappa the same interval.
    if estimate.method == row.estimate.method:
        return []
    return [replace(row, estimate=estimate, beside=None, planned=False, exploratory=True)]
