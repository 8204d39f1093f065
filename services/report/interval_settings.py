"""How intervals are computed: as the study's analysis plan says, the same in every section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement import Estimate, accuracy_of_correctness, bootstrap, wilson_interval
from agreement.interval_kinds import Interval
from agreement.shared_draw import ClusterDraw
from protocol.analysis import AnalysisPlan


@dataclass(frozen=True)
class IntervalSettings:
    """Confidence, resamples, seed and kind of interval of the analysis plan, and the draw that all statistics share.

    `kind` None is the kind that each statistic has by default, the one whose coverage holds (`docs/statistics.md`).
    When changing such a default, add a key for it to plans, so that frozen plans keep theirs: `of_kappa` is the kind of
    kappa and nominal alpha where theirs is one with two items added. `draw` None: each statistic draws by itself.
    `today` has the kinds that a plan has by default now, None where the plan has these itself; its draw is the plan's,
    since another draw is no better interval.
    """

    confidence: float
    resamples: int
    seed: int
    kind: Interval | None = None
    draw: ClusterDraw | None = None
    of_kappa: Interval = "scattered"
    today: IntervalSettings | None = None

    @staticmethod
    def of(plan: AnalysisPlan, clusters: Sequence[Any], strata: Sequence[Any] | None = None) -> IntervalSettings:
        """Return what the plan asks for.

        Parameters
        ----------
        clusters
            The clusters of everything that a statistic may be about, each once or more.
        strata
            The stratum of each, within which the draw resamples.
        """
        draw = None
        if plan.draw == 2 and clusters:
            draw = ClusterDraw(list(clusters), resamples=plan.resamples, seed=plan.seed, strata=strata)
        frozen = IntervalSettings(plan.confidence, plan.resamples, plan.seed, _kind(plan), draw, plan.kappa_interval)
        default = AnalysisPlan()
        today = replace(frozen, kind=_kind(default), of_kappa=default.kappa_interval)
        return frozen if frozen == today else replace(frozen, today=today)

    def by(self, clusters: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of a clustered statistic, given the cluster of each of its units."""
        arguments: dict[str, Any] = {"clusters": list(clusters), "resamples": self.resamples, "seed": self.seed}
        if self.draw is not None:
            arguments = self.draw.by(list(clusters))
        return self.with_kind(arguments | {"confidence": self.confidence})

    def with_kind(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments that `by` of the plan or of `today` gave, with the kind of interval of these settings."""
        others = {name: value for name, value in arguments.items() if name != "interval"}
        return others if self.kind is None else others | {"interval": self.kind}

    def kappa(self, coefficient: Callable[..., Estimate], *ratings: Any, **arguments: Any) -> Estimate:
        """Return kappa or alpha of these ratings, with the interval that the plan names for it.

        Parameters
        ----------
        coefficient
            `cohen_kappa` or `krippendorff_alpha`.
        arguments
            Those of `by`, and others that it takes.
        """
        estimate = coefficient(*ratings, **arguments)
        # of free text, or of one category, there is no such interval
        if self.of_kappa != "scattered" and estimate.interval == "scattered":
            return coefficient(*ratings, **arguments, interval=self.of_kappa)
        return estimate

    def mean(self, values: Sequence[float], clusters: Sequence[Any], *, unit: str = "item") -> Estimate:
        """Return a mean with its clustered interval."""
        return bootstrap(np.mean, np.asarray(values, dtype=np.float64), name="mean", unit=unit, **self.by(clusters))

    def share(
        self, counted: Sequence[bool], clusters: Sequence[Any], *, unit: str = "item"
    ) -> tuple[Estimate, Estimate]:
        """Return a share with its clustered interval, and Wilson's beside it."""
        wilson = wilson_interval(sum(counted), len(counted), confidence=self.confidence, name="share", unit=unit)
        if self.kind == "percentile":
            return self.mean([float(is_counted) for is_counted in counted], clusters, unit=unit), wilson
        in_clusters = accuracy_of_correctness(list(counted), unit=unit, **self.by(clusters)).primary
        return replace(in_clusters, name="share"), wilson


def _kind(plan: AnalysisPlan) -> Interval | None:
    return "percentile" if plan.interval == "percentile_bootstrap" else None
