"""How intervals are computed: as the analysis plan asks, and in the same way in every section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from agreement import (
    ClassificationScores,
    Estimate,
    bootstrap,
    classification_scores,
    cohen_kappa,
    krippendorff_alpha,
    wilson_interval,
)
from agreement.coding import encode_clusters
from agreement.interval_kinds import Interval
from agreement.p_in_clusters import PInClusters
from agreement.percent import share
from agreement.plain_limits import IntervalScale, by_plan
from agreement.planned_seed import FEWEST_EARLIER, FEWEST_FOR_P, OfNumbers, PlannedSeed
from agreement.ratings import Weights
from agreement.shared_draw import ClusterDraw
from protocol.analysis import AnalysisPlan


@dataclass(frozen=True)
class IntervalSettings:
    """The plan's confidence level, resamples, seed and kind of interval, and the draw that all statistics share.

    `kind` None means each statistic's default, whose coverage is known to hold (`docs/statistics.md`). When changing
    such a default, add a key for it to plans, so that frozen plans keep theirs: `of_kappa` is the kind used for kappa
    and nominal alpha when their default is the interval with two items added, `scale` says whether weighted kappas,
    ordinal alpha and scores of a classification allow for the ends of their scale, `of_same` is the kind used for how
    often two raters have the same set or first line. `draw` None means that each statistic draws for itself. From fewer
    than `p_from` clusters, a bootstrap gives no P, and `of_numbers` says whether percentiles of numbers are widened for
    few clusters; `p_in_clusters` is the distribution of P of areas. `today` holds the kinds that a new plan gets by
    default, or None if the plan already has these. It shares the plan's draw, because another draw would not make a
    better interval.
    """

    confidence: float
    resamples: int
    seed: int
    kind: Interval | None = None
    draw: ClusterDraw | None = None
    of_kappa: Interval = "scattered"
    scale: IntervalScale = "transformed"
    of_same: Literal["score", "percentile"] = "score"
    today: IntervalSettings | None = None
    p_from: int = FEWEST_FOR_P
    of_numbers: OfNumbers = "widened"
    p_in_clusters: PInClusters = "t"

    @staticmethod
    def of(
        plan: AnalysisPlan,
        clusters: Sequence[Any],
        strata: Sequence[Any] | None = None,
        *,
        p_from: int = FEWEST_EARLIER,
        of_numbers: OfNumbers = "plain",
        p_in_clusters: PInClusters = "normal",
    ) -> IntervalSettings:
        """Return the settings that the plan asks for.

        Parameters
        ----------
        clusters
            The clusters of everything that a statistic may be about; duplicates are allowed.
        strata
            The stratum of each cluster, within which the draw resamples.
        p_from
            The fewest clusters from which a bootstrap gives P; protocols of the first language have no key for it.
        of_numbers
            The interval of numbers in clusters; protocols of the first language have no key for it either.
        p_in_clusters
            The distribution of P of areas in clusters; likewise.
        """
        draw = None
        if plan.draw == 2 and clusters:
            draw = ClusterDraw(
                list(clusters),
                resamples=plan.resamples,
                seed=plan.seed,
                p_from=p_from,
                of_numbers=of_numbers,
                strata=strata,
            )
        frozen = IntervalSettings(
            plan.confidence,
            plan.resamples,
            plan.seed,
            _kind(plan),
            draw,
            plan.kappa_interval,
            p_from=p_from,
            of_numbers=of_numbers,
            p_in_clusters=p_in_clusters,
        )
        default = AnalysisPlan()
        today = replace(frozen, kind=_kind(default), of_kappa=default.kappa_interval)
        return frozen if frozen == today else replace(frozen, today=today)

    @property
    def of_areas(self) -> Interval:
        """The kind of interval that the plan names for areas under the ROC curve and what is like them."""
        return "normal" if self.of_numbers == "plain" else "score"

    def by(self, clusters: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of a clustered statistic, given the cluster of each of its units."""
        if self.draw is None:
            seed = PlannedSeed(self.seed, self.p_from, self.of_numbers)
            arguments: dict[str, Any] = {"clusters": list(clusters), "resamples": self.resamples, "seed": seed}
        else:
            arguments = self.draw.by(list(clusters))
        return self.with_kind(arguments | {"confidence": self.confidence})

    def same_by(self, clusters: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of `by` for how often raters have the same set or first line."""
        return self.by(clusters) | ({"interval": "percentile"} if self.of_same == "percentile" else {})

    def with_kind(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments from `by` of the plan or of `today`, with these settings' kind of interval."""
        others = {name: value for name, value in arguments.items() if name != "interval"}
        return others if self.kind is None else others | {"interval": self.kind}

    def kappa(self, coefficient: Callable[..., Estimate], *ratings: Any, **arguments: Any) -> Estimate:
        """Return kappa or alpha of these ratings, with the interval that the plan names for it.

        Parameters
        ----------
        coefficient
            `cohen_kappa` or `krippendorff_alpha`.
        arguments
            Those of `by`, and any others that the coefficient takes.
        """
        estimate = coefficient(*ratings, **arguments)
        # There is no such interval for free text, or if only one category occurs.
        if self.of_kappa != "scattered" and estimate.interval == "scattered":
            return coefficient(*ratings, **arguments, interval=self.of_kappa)
        return estimate

    def weighted_kappa(self, first: Any, second: Any, weights: Weights, **arguments: Any) -> Estimate:
        """Return a weighted kappa with the interval that the plan names for it; arguments as for `kappa`."""
        kappa = by_plan(partial(cohen_kappa, weights=weights), self.scale, "normal")
        return kappa(first, second, **arguments)

    def ordinal_alpha(self, ratings: Any, **arguments: Any) -> Estimate:
        """Return ordinal alpha with the interval that the plan names for it; arguments as for `kappa`."""
        return by_plan(partial(krippendorff_alpha, level="ordinal"), self.scale, "t")(ratings, **arguments)

    def class_scores(self, reference: Any, predicted: Any, **arguments: Any) -> ClassificationScores:
        """Return scores of a classification with the intervals that the plan names; arguments as for `kappa`."""
        if self.scale == "plain":
            arguments = {**arguments, "interval": "percentile"}
        return classification_scores(reference, predicted, **arguments)

    def mean(self, values: Sequence[float], clusters: Sequence[Any], *, unit: str = "item") -> Estimate:
        """Return a mean with its clustered interval."""
        by = {"interval": "widened", **self.by(clusters)}
        return bootstrap(np.mean, np.asarray(values, dtype=np.float64), name="mean", unit=unit, **by)

    def share(
        self, counted: Sequence[bool], clusters: Sequence[Any], *, unit: str = "item"
    ) -> tuple[Estimate, Estimate]:
        """Return a share with its clustered interval, and the same share with Wilson's interval."""
        wilson = wilson_interval(sum(counted), len(counted), confidence=self.confidence, name="share", unit=unit)
        if self.kind == "percentile":
            return self.mean([float(is_counted) for is_counted in counted], clusters, unit=unit), wilson
        by = self.by(clusters)
        by["clusters"] = encode_clusters(by["clusters"], len(counted))
        return share(np.array(counted, dtype=bool), name="share", unit=unit, **by), wilson


def _kind(plan: AnalysisPlan) -> Interval | None:
    return "percentile" if plan.interval == "percentile_bootstrap" else None
