"""Two parties' numbers on the same units, as points of mean and difference for the limits-of-agreement figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from exchange.report.estimate_rows import Party
from exchange.report.report_structure import PairedPoints
from services.report.rows.steps import Numbers

# More points than this cannot be told apart, so they are counted in the cells of a grid instead.
_MOST_POINTS = 500
_CELLS = 50


def paired_points(parties: tuple[Party, Party], first: Numbers, second: Numbers) -> PairedPoints | None:
    """Return two columns of numbers as points; None if no unit has both numbers."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    counts = Counter(((a + b) / 2, a - b) for a, b in pairs)
    if len(counts) > _MOST_POINTS:
        counts = _in_cells(counts)
    return PairedPoints(parties, tuple((mean, gap, count) for (mean, gap), count in sorted(counts.items())))


def _in_cells(counts: Counter[tuple[float, float]]) -> Counter[tuple[float, float]]:
    """Return the counts by cell of a grid, each placed at the middle of its cell."""
    places = np.array(list(counts), dtype=np.float64)
    low, width = places.min(axis=0), np.ptp(places, axis=0) / _CELLS
    width[width == 0.0] = 1.0
    cells = np.minimum((places - low) // width, _CELLS - 1)
    middles: Sequence[tuple[float, float]] = [tuple(row) for row in (low + (cells + 0.5) * width).tolist()]
    gathered: Counter[tuple[float, float]] = Counter()
    for middle, count in zip(middles, counts.values(), strict=True):
        gathered[middle] += count
    return gathered
