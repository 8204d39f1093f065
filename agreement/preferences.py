"""Strengths of contestants estimated from pairwise preferences: the Bradley-Terry model, with ties Davidson's."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize

from agreement.estimate import Estimate, check_confidence, undefined
from agreement.paired_outcomes import (
    TIE,
    Comparisons,
    Numbers,
    Places,
    Preferred,
    are_linked,
    coded,
    has_no_maximum,
    predictors_of,
    why_undefined,
    with_finite_strength,
)
from agreement.quantiles import normal_quantile, upper_t
from agreement.result import Result
from agreement.words import Words

_STEPS = 100
_CLOSE = 1e-9
_NAME = "strength"


@dataclass(frozen=True)
class Strengths(Result):
    """What `bradley_terry` returns.

    Attributes
    ----------
    of : dict
        Strength by contestant: the log odds of being preferred to a contestant of mean strength. The mean is over all
        contestants with a finite strength.
    ties : Estimate
        Davidson's nu: for two contestants of equal strength, the odds of a tie against a preference for one given
        contestant. Undefined without ties.
    """

    of: dict[Hashable, Estimate]
    ties: Estimate


@dataclass(frozen=True)
class _Kind:
    """What the estimates of one call have in common."""

    confidence: float
    unit: str
    method: str
    clustered: bool

    def counted(self, clusters: int | None) -> int | None:
        """Number of clusters of an estimate; None if comparisons are independent."""
        return clusters if self.clustered else None

    def without_spread(self, clusters: int) -> str:
        varying = "cluster" if self.clustered else self.unit
        return f"a single {varying}" if clusters < 2 else f"no variation between {varying}s"

    def quantile(self, clusters: int) -> float:
        return -upper_t(0.5 + self.confidence / 2, clusters - 1)

    def undefined(
        self, name: str, n: int, reason: str, *, value: float = math.nan, clusters: int | None = None
    ) -> Estimate:
        return undefined(
            name,
            n,
            self.unit,
            self.method,
            reason,
            value=value,
            confidence=self.confidence,
            n_clusters=self.counted(clusters),
        )


def bradley_terry(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    preferred: Sequence[Preferred],
    *,
    clusters: Sequence[Any] | None = None,
    confidence: float = 0.95,
    unit: str = "comparison",
) -> Strengths:
    """Strength of each contestant from pairwise comparisons, with ties by Davidson's model.

    ``P(i) = p_i / (p_i + p_j + nu sqrt(p_i p_j))`` and ``P(tie) = nu sqrt(p_i p_j) / (...)``; without ties ``nu = 0``,
    which is the Bradley-Terry model. Strengths are ``log p_i`` minus their mean, by maximum likelihood. Limits use the
    sandwich variance over clusters (or comparisons) and Student's t with clusters - 1 degrees of freedom.

    Strengths are undefined if no chain of comparisons links two contestants, if contestants fall into groups of which
    one was always preferred to the other, or if the likelihood has no maximum because the fit keeps improving with more
    distance and more ties, as with two contestants of whom one was only ever preferred or tied. A contestant that was
    always (or never) preferred has no finite strength. It gets a one-sided limit at the same confidence from the
    profile likelihood, relative to those with a finite strength (whose strengths, and ties, are refitted at each
    distance), with comparisons assumed independent.

    Parameters
    ----------
    first, second : sequence, shape (comparisons,)
        The two contestants of each comparison; never the same.
    preferred : sequence of {"first", "second", "tie"}, shape (comparisons,)
        Which of the two was preferred.
    clusters : sequence, shape (comparisons,), optional
        Units that vary together, such as the item; comparisons are independent if omitted, or if each has its own.
    confidence : float
        Nominal coverage.
    unit : str
        What n counts.

    Returns
    -------
    Strengths

    Raises
    ------
    ValueError
        When lengths differ, a contestant is compared with itself, or an outcome is none of the three.

    References
    ----------
    Bradley RA, Terry ME. Rank analysis of incomplete block designs. Biometrika 1952;39:324-345.
    Davidson RR. On extending the Bradley-Terry model to accommodate ties. J Am Stat Assoc 1970;65:317-328.
    Ford LR. Solution of a ranking problem from binary comparisons. Am Math Mon 1957;64(8 part 2):28-33.
    Albert A, Anderson JA. On the existence of maximum likelihood estimates in logistic regression models. Biometrika
    1984;71:1-10.
    Agresti A. Categorical data analysis. 2nd ed. Hoboken: Wiley; 2002. Section 10.6.

    Examples
    --------
    Preferred in two thirds of 30 comparisons: the odds are 2, and each strength is half their log in absolute value.

    >>> strengths = bradley_terry(["A"] * 30, ["B"] * 30, ["first"] * 20 + ["second"] * 10)
    >>> round(2 * strengths.of["A"].value, 4), round(math.log(2), 4)
    (0.6931, 0.6931)
    """
    confidence = check_confidence(confidence)
    names, data = coded(first, second, preferred, clusters)
    clustered = np.unique(data.clusters).size < data.first.size
    how = "sandwich variance over clusters, t" if clustered else f"sandwich variance, t, independent {unit}s"
    method = Words("Davidson" if np.any(data.outcome == TIE) else "Bradley-Terry", f", {how}")
    counts = np.bincount(np.concatenate((data.first, data.second)), minlength=len(names))

    kind = _Kind(confidence, unit, method, clustered)

    def nothing(reason: str) -> Strengths:
        of = {name: kind.undefined(_NAME, int(n), reason) for name, n in zip(names, counts, strict=True)}
        return Strengths(of, kind.undefined("nu", data.first.size, reason))

    if (reason := why_undefined(data, len(names))) is not None:
        return nothing(reason)
    finite, always = with_finite_strength(data, len(names))
    core = data.among(finite)
    if np.any(core.outcome == TIE) and np.all(core.outcome == TIE) and finite.sum() > 1:
        return nothing("every comparison between them was a tie")
    if not are_linked(core, finite):
        return nothing("they fall into groups of which one was always preferred to the other")
    if np.any(core.outcome == TIE) and has_no_maximum(core, np.flatnonzero(finite)):
        return nothing("all preferences go one way and only ties oppose it, so the likelihood has no maximum")
    fitted = _fit(core, np.flatnonzero(finite))
    of = {}
    for place, name in enumerate(names):
        n = int(counts[place])
        if finite[place]:
            of[name] = fitted.estimate(place, n, kind)
        else:
            of[name] = _one_sided(data, finite, place, always=bool(always[place]), fitted=fitted, n=n, kind=kind)
    return Strengths(of, fitted.ties(core.first.size, kind))


@dataclass(frozen=True)
class _Fitted:
    members: Places
    values: Numbers
    variances: Numbers
    log_nu: float
    variance_of_nu: float
    clusters: int

    def estimate(self, place: int, n: int, kind: _Kind) -> Estimate:
        own = int(np.flatnonzero(self.members == place)[0])
        value, se = float(self.values[own]), math.sqrt(self.variances[own])
        if self.members.size == 1:
            return kind.undefined(_NAME, n, "the others are measured against it", value=0.0, clusters=self.clusters)
        if self.clusters < 2 or se < _CLOSE:
            return kind.undefined(_NAME, n, kind.without_spread(self.clusters), value=value, clusters=self.clusters)
        half = se * kind.quantile(self.clusters)
        return Estimate(
            _NAME, value, value - half, value + half, n, kind.unit, kind.method, se=se,
            confidence=kind.confidence, n_clusters=kind.counted(self.clusters),
        )  # fmt: skip

    def ties(self, n: int, kind: _Kind) -> Estimate:
        if math.isnan(self.log_nu):
            return kind.undefined("nu", n, "nothing tied")
        value, se = math.exp(self.log_nu), math.sqrt(self.variance_of_nu)
        if self.clusters < 2 or se < _CLOSE:
            return kind.undefined("nu", n, kind.without_spread(self.clusters), value=value, clusters=self.clusters)
        factor = math.exp(se * kind.quantile(self.clusters))
        return Estimate(
            "nu", value, value / factor, value * factor, n, kind.unit, kind.method, se=value * se,
            confidence=kind.confidence, n_clusters=kind.counted(self.clusters),
        )  # fmt: skip


def _likelihood(
    predictors: Numbers, outcome: Places, free: Numbers, offset: Numbers | float = 0.0
) -> tuple[float, Numbers, Numbers]:
    """Log-likelihood, the gradient of each comparison, and minus the second derivative.

    Parameters
    ----------
    offset
        A fixed term added to the log odds of each outcome.
    """
    odds = predictors @ free + offset
    odds -= odds.max(axis=1, keepdims=True)
    shares = np.exp(odds)
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(outcome.size)
    mean = np.einsum("no,nop->np", shares, predictors)
    gradients = predictors[rows, outcome] - mean
    apart = predictors - mean[:, None, :]
    curvature = np.einsum("no,nop,noq->pq", shares, apart, apart)
    return float(np.log(shares[rows, outcome]).sum()), gradients, curvature


def _fit(core: Comparisons, members: Places) -> _Fitted:
    clusters = np.unique(core.clusters)
    if members.size == 1:
        return _Fitted(members, np.zeros(1), np.zeros(1), math.nan, math.nan, clusters.size)
    ties = bool(np.any(core.outcome == TIE))
    predictors = predictors_of(core, members, ties=ties)
    free = _maximum(predictors, core.outcome)
    _, gradients, curvature = _likelihood(predictors, core.outcome, free)
    own = np.searchsorted(clusters, core.clusters)
    scores = np.zeros((clusters.size, free.size))
    np.add.at(scores, own, gradients)
    inverse = np.linalg.inv(curvature)
    correction = clusters.size / max(clusters.size - 1, 1)
    covariance = correction * inverse @ scores.T @ scores @ inverse
    k = members.size
    basis = np.vstack((np.eye(k - 1), -np.ones((1, k - 1))))
    values, spread = basis @ free[: k - 1], basis @ covariance[: k - 1, : k - 1] @ basis.T
    log_nu, of_nu = (float(free[-1]), float(covariance[-1, -1])) if ties else (math.nan, math.nan)
    # Rounding may turn a zero variance slightly negative.
    variances = np.maximum(np.diag(spread), 0.0)
    return _Fitted(members, values, variances, log_nu, of_nu if math.isnan(of_nu) else max(of_nu, 0.0), clusters.size)


def _maximum(predictors: Numbers, outcome: Places, offset: Numbers | float = 0.0) -> Numbers:
    """Maximise by Newton's method, halving a step that overshoots; the likelihood has a single maximum."""
    free = np.zeros(predictors.shape[2])
    best, gradients, curvature = _likelihood(predictors, outcome, free, offset)
    for _ in range(_STEPS):
        step = np.linalg.solve(curvature, gradients.sum(axis=0))
        size = 1.0
        estimated = _likelihood(predictors, outcome, free + step, offset)
        while estimated[0] < best - _CLOSE and size > _CLOSE:
            size /= 2
            estimated = _likelihood(predictors, outcome, free + size * step, offset)
        free = free + size * step
        best, gradients, curvature = estimated
        if np.abs(size * step).max() < _CLOSE:
            break
    return free


def _one_sided(
    data: Comparisons,
    finite: npt.NDArray[np.bool_],
    place: int,
    *,
    always: bool,
    fitted: _Fitted,
    n: int,
    kind: _Kind,
) -> Estimate:
    """The limit of an infinite strength: the nearest one at which the observed outcomes are not too unlikely.

    At each distance, the strengths of the others, and ties, are refitted.
    """
    wanted = finite.copy()
    wanted[place] = True
    own = data.among(wanted)
    of_place = (own.first == place) | (own.second == place)
    opponents = np.where(own.first == place, own.second, own.first)[of_place]
    what = "was always preferred: there is no upper limit" if always else "was never preferred: there is no lower limit"
    if opponents.size == 0:
        reason = f"it {what}, and it was compared with none whose strength is finite"
        return kind.undefined(_NAME, n, reason)
    if kind.confidence <= 0.5:
        return kind.undefined(_NAME, n, f"it {what}, and a one-sided limit needs a confidence above .5")
    core, ties = data.among(finite), not math.isnan(fitted.log_nu)
    among, against = _predictors_against(core, fitted.members, opponents, ties=ties)
    predictors = np.concatenate((among, against))
    outcome = np.concatenate((core.outcome, np.full(opponents.size, 0 if always else 1)))
    at_place = np.zeros(predictors.shape[:2])
    at_place[core.outcome.size :, 0] = 1.0
    at_place[core.outcome.size :, 2:] = 0.5
    most = _log_likelihood(among, core.outcome, np.zeros(among.shape[:2]))
    # The lowest log-likelihood ratio that a one-sided test at this level does not yet reject.
    least = -(normal_quantile(kind.confidence) ** 2) / 2

    def log_chance(strength: float) -> float:
        return _log_likelihood(predictors, outcome, strength * at_place) - most

    lowest, highest = (float(fitted.values.min()) - 40.0, float(fitted.values.max()) + 40.0)
    limit = optimize.brentq(lambda where: log_chance(where) - least, lowest, highest)
    words = f"{'at least' if always else 'at most'} {limit:.2f}"
    return Estimate(
        name=_NAME,
        value=math.nan,
        low=limit if always else math.nan,
        high=math.nan if always else limit,
        n=n,
        unit=kind.unit,
        method=kind.method + "; one-sided limit by profile likelihood, comparisons taken as independent",
        undefined_because=f"it {what}; {words} with {100 * kind.confidence:g} % confidence, one-sided",
        confidence=kind.confidence,
    )


def _predictors_against(
    core: Comparisons, members: Places, opponents: Places, *, ties: bool
) -> tuple[Numbers, Numbers]:
    """Predictors of the comparisons among members, and of an additional contestant, as the first, with each opponent.

    The additional contestant's strength is not a parameter: the others are measured relative to it.
    """
    k = members.size
    if k == 1:
        return np.zeros((0, 2, 0)), np.zeros((opponents.size, 2, 0))
    among = predictors_of(core, members, ties=ties)
    basis = np.vstack((np.eye(k - 1), -np.ones((1, k - 1))))
    strengths = basis[np.searchsorted(members, opponents)]
    against = np.zeros((opponents.size, *among.shape[1:]))
    against[:, 1, : k - 1] = strengths
    if ties:
        against[:, 2, : k - 1] = strengths / 2
        against[:, 2, -1] = 1.0
    return among, against


def _log_likelihood(predictors: Numbers, outcome: Places, offset: Numbers) -> float:
    """Return the maximum log-likelihood over all parameters."""
    free = _maximum(predictors, outcome, offset) if predictors.shape[2] else np.zeros(0)
    return _likelihood(predictors, outcome, free, offset)[0] if outcome.size else 0.0
