"""What is printed beside an estimate of an older plan: the same with the interval that a plan has by default now."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from agreement import Estimate
from exchange.estimate_rows import EstimateRow
from services.report.interval_settings import IntervalSettings


def exploratory_rows(
    row: EstimateRow, intervals: IntervalSettings, estimate_by: Callable[[IntervalSettings], Estimate]
) -> list[EstimateRow]:
    """Return the row with today's default interval, or none where the plan has it or there is no value.

    Parameters
    ----------
    row
        The estimate by the frozen plan, which stays as it is.
    intervals
        Those of the plan.
    estimate_by
        Computes the same estimate by other settings.
    """
    if intervals.today is None or math.isnan(row.estimate.value):
        return []
    estimate = estimate_by(intervals.today)
    # of free text and of a single category, kappa has the same interval by both
    if estimate.method == row.estimate.method:
        return []
    return [replace(row, estimate=estimate, beside=None, planned=False, exploratory=True)]
