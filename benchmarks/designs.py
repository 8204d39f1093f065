"""Which intervals the default's width is compared with: those that hold for a design (ADR 50)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

WIDTH = 1.15  # times the narrowest kind that holds


class Cell(Protocol):
    """Samples of one population in clusters of some sizes."""

    @property
    def held(self) -> dict[str, float]:
        """Of each kind of interval, the default's first, the share of samples that it holds."""


def least_held(samples: int) -> float:
    """Return the share of samples that an interval has to hold: 93 % less two standard errors."""
    return float(0.93 - 2 * np.sqrt(0.93 * 0.07 / samples))


def holding(design: Iterable[Cell], least: float, kinds: tuple[str, ...]) -> list[str]:
    """Return the kinds that hold in every cell of a design in which the first of them, the default, does.

    A design is what is known before: the clusters, and about how frequent right answers or findings are. Its cells
    differ in how alike the items of a cluster are, which one sample of few clusters does not show. A kind that fails in
    one of them is no choice in the others.
    """
    held = [cell.held for cell in design if cell.held[kinds[0]] >= least]
    return [kind for kind in kinds if all(of[kind] >= least for of in held)]


def median_and_more(ratios: Iterable[float]) -> str:
    """Return the median of ratios of widths, their maximum, and how many are above `WIDTH`; nothing of none."""
    known = [ratio for ratio in ratios if not np.isnan(ratio)]
    return f"{np.median(known):.2f}, {max(known):.2f}, {sum(ratio > WIDTH for ratio in known)}" if known else ""
