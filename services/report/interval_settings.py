"""How intervals are computed: as the study's analysis plan says, the same in every section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement import Estimate, bootstrap, wilson_interval
from agreement.shared_draw import ClusterDraw
from protocol.analysis import AnalysisPlan


@dataclass(frozen=True)
class IntervalSettings:
    """Confidence, resamples and seed of the analysis plan, and the draw that all statistics share, if they do."""

    confidence: float
    resamples: int
    seed: int
    draw: ClusterDraw | None = None

    @staticmethod
    def of(plan: AnalysisPlan, clusters: Sequence[Any]) -> IntervalSettings:
        """Return what the plan asks for.

        Parameters
        ----------
        clusters
            The clusters of everything that a statistic may be about, each once or more.
        """
        draw = None
        if plan.draw == 2 and clusters:
            draw = ClusterDraw(list(clusters), resamples=plan.resamples, seed=plan.seed)
        return IntervalSettings(plan.confidence, plan.resamples, plan.seed, draw)

    def by(self, clusters: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of a clustered statistic, given the cluster of each of its units."""
        if self.draw is not None:
            return {**self.draw.by(list(clusters)), "confidence": self.confidence}
        return {
            "clusters": list(clusters),
            "resamples": self.resamples,
            "seed": self.seed,
            "confidence": self.confidence,
        }

    def mean(self, values: Sequence[float], clusters: Sequence[Any], *, unit: str = "item") -> Estimate:
        """Return a mean (or a share, of zeros and ones) with its clustered interval."""
        return bootstrap(np.mean, np.asarray(values, dtype=np.float64), name="mean", unit=unit, **self.by(clusters))

    def share(
        self, counted: Sequence[bool], clusters: Sequence[Any], *, unit: str = "item"
    ) -> tuple[Estimate, Estimate]:
        """Return a share with its clustered interval, and Wilson's beside it."""
        wilson = wilson_interval(sum(counted), len(counted), confidence=self.confidence, name="share", unit=unit)
        return self.mean([float(is_counted) for is_counted in counted], clusters, unit=unit), wilson
