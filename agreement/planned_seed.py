"""The seed of a plan, together with what the plan fixes of its bootstraps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agreement.cautions import FEW_CLUSTERS

FEWEST_FOR_P = FEW_CLUSTERS
"""Percentiles of two clusters exclude 0 whenever both lie on one side: without any difference P is then below .05 in
half of all samples, in 27 % of three clusters, in 12 % of ten and in 7 % of twenty (`docs/statistics.md`)."""

FEWEST_EARLIER = 2
"""The same in plans that were frozen before."""


OfNumbers = Literal["widened", "plain"]
"""The default interval of numbers in clusters: today's, or what it was in plans that were frozen before."""


@dataclass(frozen=True)
class PlannedSeed:
    """What a plan fixes for every bootstrap that draws its own resamples; `ClusterDraw` for one that shares them.

    Attributes
    ----------
    seed : int
        Seed of the random numbers.
    p_from : int
        The fewest items or clusters from which percentiles give P.
    of_numbers : {"widened", "plain"}
        Whether percentiles are widened for few clusters where that is the default.
    """

    seed: int
    p_from: int = FEWEST_FOR_P
    of_numbers: OfNumbers = "widened"
