"""Scores of classified units with their intervals: by formula, or by a bootstrap of what is counted in each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.caution import Caution
from agreement.cautions import rare_category, rare_outcome
from agreement.class_limits import Classified, Mean
from agreement.coding import Codes, Floats
from agreement.effective_size import cluster_of_item
from agreement.estimate import Estimate, undefined
from agreement.interval_kinds import Interval
from agreement.methods import WILSON, bootstrap_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster

FEW_RESAMPLED_ERRORS = 10
"""With fewer units than this right, or wrong, percentiles of a bootstrapped score cover less than 93 %
(`docs/statistics.md`, coverage)."""

_NO_CLASS = "no class occurs"


@dataclass(frozen=True)
class ClassScores:
    """Units with a class of the reference and a predicted one, and how their scores get an interval.

    Attributes
    ----------
    truth, guess : ndarray of int, shape (units,)
        Codes 0 .. classes-1; -1 in `guess` is an abstention or an invalid output.
    classes : int
    groups, strata : ndarray of int, shape (units,), or None
        Cluster and stratum of each unit, without gaps.
    n_clusters : int or None
    kind : Interval
        "score" for a formula, else the kind of bootstrap.
    resamples, seed, unit, confidence
        As in `classification_scores`.
    """

    truth: Codes
    guess: Codes
    classes: int
    groups: Codes | None
    strata: Codes | None
    n_clusters: int | None
    kind: Interval
    resamples: int
    seed: Seed
    unit: str
    confidence: float

    @property
    def n(self) -> int:
        """Number of units."""
        return len(self.truth)

    @cached_property
    def units(self) -> Classified | None:
        """The units for intervals by formula; None for a bootstrap, and without units."""
        if self.kind != "score" or not self.n:
            return None
        return Classified(self.truth, self.guess, self.classes, self.groups, self.unit, self.confidence)

    @cached_property
    def _counted(self) -> tuple[Floats, Codes]:
        """True positives, predicted and reference units of each class in a unit, and how many units are like it."""
        truth, guess, k = self.truth, self.guess, self.classes
        counts = np.ones(self.n, dtype=np.int64)
        if self.groups is None and self.strata is None:  # group identical units once for all scores
            kinds, counts = np.unique(truth * (k + 1) + guess + 1, return_counts=True)
            truth, guess = kinds // (k + 1), kinds % (k + 1) - 1
        # scikit-learn's f1_score does not support abstentions and would recount in each resample
        rows = np.zeros((len(counts), 3 * k))
        each = np.arange(len(counts))
        rows[each, 2 * k + truth] = 1.0
        rows[each[guess >= 0], k + guess[guess >= 0]] = 1.0
        rows[each[guess == truth], truth[guess == truth]] = 1.0
        return rows, counts

    @cached_property
    def whole(self) -> Floats:
        """True positives, predicted and reference units of each class, shape (3 classes,)."""
        rows, counts = self._counted
        return np.asarray(counts @ rows)

    @property
    def support(self) -> Floats:
        """Number of units whose reference is each class, shape (classes,)."""
        return self.whole[2 * self.classes :]

    @cached_property
    def _over_all(self) -> Floats:
        """The three counts of each unit over all classes; fewer sums mean fewer distinct units to draw."""
        rows, k = self._counted[0], self.classes
        return np.stack([rows[:, :k].sum(axis=1), rows[:, k : 2 * k].sum(axis=1), rows[:, 2 * k :].sum(axis=1)], axis=1)

    @cached_property
    def few(self) -> Caution | None:
        """A caution if few units are right, or wrong, for a bootstrap."""
        right = int(self.whole[: self.classes].sum()) if self.n else 0
        return rare_outcome(min(right, self.n - right), FEW_RESAMPLED_ERRORS) if self.n and not self.units else None

    @property
    def rare(self) -> Caution | None:
        """A caution if a class has few units: it counts as much as others, and is missing from some resamples."""
        rarest = float(self.support[self.support > 0].min()) if self.n else 0.0
        return rare_category(rarest, 1.0 if self.units else cluster_of_item(self.groups), unit=self.unit)

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of units that are right."""
        if self.units is None:
            return self._bootstrapped("accuracy", lambda t: divide(t[..., 0], t[..., 2]), _NO_CLASS, self._over_all)
        return self.units.share_right(np.ones(self.n, dtype=bool), "accuracy")

    def mean(self, name: str, what: Mean) -> Estimate:
        """Return a mean of F1 or recall over classes, or F1 of their summed counts."""
        k, units = self.classes, self.units
        if units is None and what == "micro":
            return self._bootstrapped(
                name, lambda t: divide(2.0 * t[..., 0], t[..., 1] + t[..., 2]), _NO_CLASS, self._over_all
            )
        if units is None:
            return self._bootstrapped(name, lambda t: over_classes(t, k, what), _NO_CLASS, self._counted[0])
        if what != "micro":
            value = float(over_classes(self.whole, k, what))
        elif (units.guess >= 0).all():  # it is the accuracy then
            return replace(self.accuracy, name=name)
        else:
            value = float(divide(2.0 * self.whole[:k].sum(), self.whole[k:].sum()))
        return units.mean(what, value, name).warned(*self.accuracy.cautions)

    def per_class(
        self, levels: Sequence[Hashable], name: str, bottom: tuple[int, ...], reason: str, factor: float
    ) -> dict[Hashable, Estimate]:
        """Return the score ``factor TP / bottom`` of each class.

        Parameters
        ----------
        levels
            The classes, by their codes.
        bottom
            What is summed below: 1 for the predicted units, 2 for those of the reference.
        reason
            Why there is no score where the sum is 0.
        """
        return {
            level: self._of_class(code, f"{name} of {level}", bottom, reason, factor)
            for code, level in enumerate(levels)
        }

    def _of_class(self, code: int, name: str, bottom: tuple[int, ...], reason: str, factor: float) -> Estimate:
        rows, counts = self._counted
        own = rows[:, code :: self.classes]
        sums = counts @ own
        hits, lost = int(sums[0]), int(sums[list(bottom)].sum() - factor * sums[0])
        if self.units is not None and hits + lost:
            of_class = {(1,): self.units.guess == code, (2,): self.units.truth == code}
            if bottom in of_class:
                return self.units.share_right(of_class[bottom], name)
            return self.units.f1(code, name)
        score = self._bootstrapped(name, lambda t: divide(factor * t[..., 0], t[..., bottom].sum(axis=-1)), reason, own)
        return score.warned(rare_outcome(min(hits, lost), FEW_RESAMPLED_ERRORS) if hits + lost else None)

    def _bootstrapped(
        self, name: str, statistic: Callable[[Any], Any], undefined_because: str, own: Floats
    ) -> Estimate:
        """Return a statistic of sums of these columns of units, with the limits of its bootstrap."""
        counts = self._counted[1]
        value = float(statistic(counts @ own)) if self.n else math.nan
        if math.isnan(value):
            reason = undefined_because if self.n else f"no {self.unit}s"
            method = WILSON if self.kind == "score" else bootstrap_of(False)
            return undefined(
                name, self.n, self.unit, method, reason, confidence=self.confidence, n_clusters=self.n_clusters
            )
        spread = bootstrap_of_sums(
            statistic,
            sums_by_cluster(own, self.groups),
            counts=counts if self.groups is None else None,
            strata=self.strata,
            resamples=self.resamples,
            seed=self.seed,
            interval=self.kind,
            confidence=self.confidence,
            clustered=self.groups is not None,
        )
        return spread.estimate(name, value, self.n, self.unit, confidence=self.confidence, n_clusters=self.n_clusters)


def over_classes(totals: Floats, k: int, what: str) -> Floats:
    """Return the mean over the classes that occur in the reference, from what is counted in each."""
    hits, predicted, support = totals[..., :k], totals[..., k : 2 * k], totals[..., 2 * k :]
    occurs = support > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        if what == "recall":
            score = np.where(occurs, hits / support, 0.0)
        else:
            score = np.where(occurs, 2.0 * hits / (predicted + support), 0.0)
        if what == "weighted":
            return np.asarray((score * support).sum(axis=-1) / support.sum(axis=-1))
        return np.asarray(score.sum(axis=-1) / occurs.sum(axis=-1))


def divide(top: Floats, bottom: Floats) -> Floats:
    """Return a quotient; nan where nothing is counted below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(bottom) > 0, top / bottom, np.nan)
