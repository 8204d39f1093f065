"""Limits of the scores of a classification: Wilson's, of F1 and of means over classes on an effective sample size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from agreement.cautions import uneven_clusters
from agreement.coding import Codes, Floats
from agreement.effective_size import clusters_with, drawn_effect
from agreement.estimate import Estimate, undefined
from agreement.intervals import wilson_limits
from agreement.methods import of_effective_number, wilson_on_effective
from agreement.percent import share
from agreement.words import Words

Mean = Literal["f1", "weighted", "micro", "recall"]
"""Macro, weighted and micro F1, and the mean recall (balanced accuracy)."""

_OF_F1 = "; of TP / (TP + FP + FN), given as F1"


@dataclass(frozen=True)
class Classified:
    """Units with a class of the reference and a predicted one.

    Attributes
    ----------
    truth, guess : ndarray of int, shape (units,)
        Codes 0 .. classes-1; -1 in `guess` is an abstention or an invalid output.
    classes : int
    groups : ndarray of int, shape (units,), or None
        Cluster of each unit, without gaps; None for independent units.
    unit : str
    confidence : float
    """

    truth: Codes
    guess: Codes
    classes: int
    groups: Codes | None
    unit: str
    confidence: float

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Which units are right, shape (units,)."""
        return np.asarray(self.truth == self.guess)

    def share_right(self, among: npt.NDArray[np.bool_], name: str) -> Estimate:
        """Share of units that are right among some of them: an accuracy, a precision, a recall.

        Parameters
        ----------
        among : ndarray of bool, shape (units,)
            At least one.
        name : str

        Returns
        -------
        Estimate
            n is the number of units among which it is.
        """
        groups = None if self.groups is None else np.asarray(self.groups)[among]
        return share(self.right[among], groups, name=name, unit=self.unit, confidence=self.confidence)

    def f1(self, code: int, name: str) -> Estimate:
        """F1 of a class, ``2 J / (1 + J)`` of ``J = TP / (TP + FP + FN)``, and so are its limits.

        J is a share of the units that are of the class or predicted to be, and rises with F1.

        Parameters
        ----------
        code : int
            The class; at least one unit is of it or predicted to be.
        name : str

        Returns
        -------
        Estimate
            n is the number of these units.
        """
        share_of_union = self.share_right((self.truth == code) | (self.guess == code), name)
        value, low, high = (
            2.0 * x / (1.0 + x) for x in (share_of_union.value, share_of_union.low, share_of_union.high)
        )
        se = None if share_of_union.se is None else share_of_union.se * 2.0 / (1.0 + share_of_union.value) ** 2
        return replace(share_of_union, value=value, low=low, high=high, se=se, method=share_of_union.method + _OF_F1)

    def mean(self, what: Mean, value: float, name: str) -> Estimate:
        """A mean over classes with Wilson's limits on its effective number of units, and a t quantile.

        The effective number is ``h / d``. h is that of units whose errors are as frequent in all classes, which for
        the means that count every class alike is ``K^2 / sum_k 1 / n_k`` over the K classes of the reference, and
        otherwise the number of units. ``d = (e max(1, h V / (M (1 - M))) + s / 2) / (e + 1 / 2)`` with M the value, V
        its variance, e the number of units that are right or wrong, whichever is smaller, and s the mean size of the
        clusters: few errors say little about their variance.

        V is that of the linearised mean, in clusters the greater of two: from the sums of clusters, ``m / (m - 1)
        sum_c (sum_i u_i)^2``, and ``n / (n - 1) sum_i u_i^2 (1 + (sum_c n_c^2 / n - 1) r)``, with r the intraclass
        correlation of u by analysis of variance, which is better known where sizes are unequal (as in
        `agreement.effective_size.share_size`). Chosen by simulation (`docs/statistics.md`, coverage).

        Parameters
        ----------
        what : {"f1", "weighted", "micro", "recall"}
        value : float
        name : str

        Returns
        -------
        Estimate
            Limits are undefined for fewer than two units or clusters.

        References
        ----------
        .. [1] Takahashi et al. (2022). Confidence interval for micro-averaged F1 and macro-averaged F1 scores. Applied
           Intelligence 52, 4961-4972: the linearised means.
        .. [2] Franco, Little, Louis and Slud (2019). Comparative study of confidence intervals for proportions in
           complex sample surveys. J Survey Stat Methodol 7, 334-364: Wilson's interval on an effective number.

        Examples
        --------
        >>> truth, guess = np.repeat([0, 1], 20), np.repeat([0, 1, 0], [18, 20, 2])
        >>> estimate = Classified(truth, guess, 2, None, "item", 0.95).mean("recall", 0.9, "balanced accuracy")
        >>> round(estimate.low, 3), round(estimate.high, 3)
        (0.762, 0.962)
        """
        n, clusters = self.truth.size, None if self.groups is None else int(self.groups.max()) + 1
        independent = n if clusters is None else clusters
        text = wilson_on_effective(f"independent {self.unit}s")
        assumes = ", assumes independent items" if clusters is None else ""
        if independent < 2:
            reason = f"fewer than two {f'{self.unit}s' if clusters is None else 'clusters'}: nothing to compare"
            return undefined(
                name, n, self.unit, text + assumes, reason, value=value, confidence=self.confidence,
                n_clusters=clusters,
            )  # fmt: skip
        right = int(self.right.sum())
        events, alike = min(right, n - right), self._if_alike(what)
        variance = self._variance(self._influence(what)) if events else 0.0
        observed = alike * variance / (value * (1.0 - value)) if events else 1.0
        effective = alike / drawn_effect(observed, n / independent, events)
        low, high = wilson_limits(
            effective if right == n else value * effective, effective, self.confidence, independent - 1
        )
        worth = None if self.groups is None else clusters_with(np.ones(n), self.groups)
        method: Words = text + of_effective_number(effective, n, independent - 1) + assumes
        return Estimate(
            name, value, low, high, n, self.unit, method, se=math.sqrt(variance) or None, confidence=self.confidence,
            n_clusters=clusters,
        ).warned(uneven_clusters(clusters, worth))  # fmt: skip

    def _if_alike(self, what: Mean) -> float:
        """The effective number of units whose errors are as frequent in all classes."""
        support = np.bincount(self.truth).astype(np.float64)
        support = support[support > 0]
        return support.size**2 / float((1.0 / support).sum()) if what in ("f1", "recall") else float(self.truth.size)

    def _influence(self, what: Mean) -> Floats:
        """The linearised mean, shape (units,): its derivative by the counts of classes, with mean 0."""
        n, k = self.truth.size, self.classes
        support = np.bincount(self.truth, minlength=k).astype(np.float64)
        predicted = np.bincount(self.guess[self.guess >= 0], minlength=k).astype(np.float64)
        hits = np.bincount(self.truth[self.right], minlength=k).astype(np.float64)
        if what == "micro":
            hits, predicted, support = (np.full(k, counts.sum()) for counts in (hits, predicted, support))
        occurs = support > 0
        if what == "recall":
            bottom, top, of_prediction = support, 1.0, 0.0
        else:
            bottom, top, of_prediction = predicted + support, 2.0, 1.0
        score = np.divide(top * hits, bottom, out=np.zeros(k), where=occurs)
        weight = {"micro": np.ones(k), "weighted": support / n}.get(what, occurs / occurs.sum())
        slope = np.divide(weight, bottom, out=np.zeros(k), where=occurs)
        of_support = -slope * score
        if what == "weighted":
            of_support = of_support + (score - float(weight @ score)) / n
        influence = of_support[self.truth] + np.where(self.right, top * slope[self.truth], 0.0)
        return np.asarray(influence - np.where(self.guess >= 0, of_prediction * (slope * score)[self.guess], 0.0))

    def _variance(self, influence: Floats) -> float:
        n, squares = influence.size, float((influence**2).sum())
        if self.groups is None:
            return n / (n - 1.0) * squares
        sizes = np.bincount(self.groups).astype(np.float64)
        sums, m = np.bincount(self.groups, weights=influence), sizes.size
        alike = float((sizes**2).sum()) / n
        explained = float((sums**2 / sizes).sum())
        between, within = explained / (m - 1), max(0.0, squares - explained) / max(1, n - m)
        total = between + ((n - alike) / (m - 1) - 1.0) * within
        correlation = max(0.0, between - within) / total if total > 0.0 else 0.0
        by_analysis = n / (n - 1.0) * squares * (1.0 + (alike - 1.0) * correlation)
        return max(m / (m - 1.0) * float((sums**2).sum()), by_analysis)
