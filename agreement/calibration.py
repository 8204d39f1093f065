"""Confidence against correctness: Brier score, calibration error, reliability and risk-coverage curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.accuracy import correctness
from agreement.arguments import check_resamples, whole_number
from agreement.cautions import rare_outcome
from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.methods import bootstrap_of, leaving_out
from agreement.percent import bounded_mean, mean, share
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.result import Result

_MOST_BINS = 10_000


@dataclass(frozen=True)
class ReliabilityBin(Result):
    """One bin of a reliability curve.

    Attributes
    ----------
    above, up_to : float
        The bin holds confidences in ``(above, up_to]``; the first bin also holds 0.
    n : int
        Number of units in the bin.
    mean_confidence : float or None
        Their mean confidence; None if there are none.
    accuracy : Estimate
        Their accuracy.
    """

    above: float
    up_to: float
    n: int
    mean_confidence: float | None
    accuracy: Estimate


@dataclass(frozen=True)
class RiskCoverage(Result):
    """Risk among the answers given when the least confident are withheld.

    Attributes
    ----------
    coverage : ndarray, shape (points,)
        Share of all units that are answered, in ascending order.
    risk : ndarray, shape (points,)
        Share of wrong answers among those given.
    threshold : ndarray, shape (points,)
        The lowest confidence that is still answered.
    area : float or None
        Area under the curve as a step function of units: the mean risk over all coverages; None for no units.
    """

    coverage: Floats
    risk: Floats
    threshold: Floats
    area: float | None


def brier_score(
    confidence: Ratings,
    correct: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    level: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Brier score of a confidence, ``mean((confidence - correct)^2)`` [1]_; 0 is best.

    Abstentions and invalid outputs have no confidence: pass None, and they are left out and counted. Undefined for no
    units.

    Parameters
    ----------
    confidence : sequence of numbers, shape (items,)
        Stated probability of being right, 0 to 1; None or NaN is missing.
    correct : sequence, shape (items,)
        Whether it was right: True, False, or None.
    clusters, resamples, seed, unit
        As in `percent_agreement`.
    interval : {"score", "percentile", "bca"}, optional
        By default "score": Wilson's interval with the effective sample size ``n = m (1 - m) / se^2``, m the mean and se
        its standard error over items or clusters, and a t quantile. The others resample items or clusters.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        Between 0 and 1; with a warning if fewer than 5 items are right or fewer than 5 are wrong.

    Raises
    ------
    ValueError
        When lengths differ or a confidence lies outside 0 to 1.

    References
    ----------
    .. [1] Brier (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, 1-3.

    Examples
    --------
    (0.1^2 + 0.4^2 + 0.2^2) / 3 = .07.

    >>> round(brier_score([0.9, 0.4, 0.8], [1, 0, 1], resamples=200).value, 6)
    0.07
    """
    level = check_confidence(level, "level")
    check_resamples(resamples)
    kinds: tuple[Interval, ...] = ("score", *BOOTSTRAPS)
    interval = chosen_interval(interval, *kinds, clustered=clusters is not None, for_clusters=kinds)
    stated, right, groups, note = _known(confidence, correct, clusters)
    squares = (stated - right) ** 2  # scikit-learn's brier_score_loss only returns their mean
    options: dict[str, Any] = {"name": "Brier score", "unit": unit, "note": note, "confidence": level}
    if interval == "score":
        estimate = bounded_mean(squares, groups, **options)
    else:
        estimate = mean(squares, groups, resamples=resamples, seed=seed, interval=interval, **options)
    return estimate.warned(rare_outcome(int(min(right.sum(), right.size - right.sum()))))


def expected_calibration_error(
    confidence: Ratings,
    correct: Ratings,
    bins: int = 10,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    level: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Expected calibration error over bins of equal width.

    ``sum_b n_b / n |accuracy_b - mean confidence_b|`` [1]_. Bins are closed on the right, the first also on the
    left: with ten bins a confidence of 0.1 lies in the first. The value depends on the bins and is biased upwards in
    small samples. Resampling adds to the bias, so that the interval need not contain the value. Undefined for no units.

    Parameters
    ----------
    confidence, correct, clusters, resamples, seed, interval, level, unit
        As in `brier_score`.
    bins : int
        Number of bins.

    Returns
    -------
    Estimate
        Between 0 and 1.

    Raises
    ------
    ValueError
        When lengths differ, a confidence lies outside 0 to 1, or `bins` is below 1.

    References
    ----------
    .. [1] Guo, Pleiss, Sun and Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    Two bins: |1/2 - .2| * 2/4 + |1 - .85| * 2/4 = .225.

    >>> round(expected_calibration_error([0.1, 0.3, 0.8, 0.9], [0, 1, 1, 1], 2, resamples=200).value, 6)
    0.225
    """
    level = check_confidence(level, "level")
    check_resamples(resamples)
    interval = chosen_interval(interval, *BOOTSTRAPS)
    bins = _bins(bins)
    stated, right, groups, note = _known(confidence, correct, clusters)
    name, n = f"expected calibration error, {bins} bins", stated.size
    groups, n_clusters = compact(groups) if groups is not None else (None, None)
    note = f"; {bins} equal bins closed on the right" + note
    if n == 0:
        return undefined(
            name, 0, unit, bootstrap_of(False) + note, f"no {unit}s", confidence=level, n_clusters=n_clusters
        )
    inside = _bin_of(stated, bins)
    rows = np.zeros((n, bins + 1))
    rows[np.arange(n), inside] = right - stated
    rows[:, bins] = 1.0

    def of_sums(totals: Floats) -> Floats:
        # n_b |accuracy_b - confidence_b| is the absolute value of the sum of correct - confidence in the bin
        return np.asarray(np.abs(totals[..., :bins]).sum(axis=-1) / totals[..., bins])

    spread = bootstrap_of_sums(
        of_sums,
        sums_by_cluster(rows, groups),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=level,
        clustered=groups is not None,
    )
    value = float(of_sums(rows.sum(axis=0)))
    return spread.estimate(name, value, n, unit, confidence=level, n_clusters=n_clusters, note=note)


def reliability_curve(
    confidence: Ratings,
    correct: Ratings,
    bins: int = 10,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    level: float = 0.95,
    unit: str = "item",
) -> list[ReliabilityBin]:
    """Accuracy against mean confidence, bin by bin.

    Parameters
    ----------
    confidence, correct, clusters, resamples, seed, level, unit
        As in `brier_score`.
    bins : int
        Number of bins of equal width, with edges as in `expected_calibration_error`.

    Returns
    -------
    list of ReliabilityBin
        All bins in order, empty ones included (their accuracy is undefined).

    Raises
    ------
    ValueError
        As in `expected_calibration_error`.

    References
    ----------
    .. [1] Murphy and Winkler (1977). Reliability of subjective probability forecasts. JRSS C 26, 41-47.

    Examples
    --------
    >>> [(b.up_to, b.n, b.accuracy.value) for b in reliability_curve([0.1, 0.5, 0.9], [0, 1, 1], 2)]
    [(0.5, 2, 0.5), (1.0, 1, 1.0)]
    """
    level = check_confidence(level, "level")
    bins = _bins(bins)
    stated, right, groups, _ = _known(confidence, correct, clusters)
    inside = _bin_of(stated, bins)
    curve = []
    for number in range(bins):
        among = inside == number
        result = share(
            right[among] > 0,
            groups[among] if groups is not None else None,
            name="accuracy",
            unit=unit,
            resamples=resamples,
            seed=seed,
            confidence=level,
        )
        average = float(stated[among].mean()) if among.any() else None
        curve.append(ReliabilityBin(number / bins, (number + 1) / bins, int(among.sum()), average, result))
    return curve


def risk_coverage(confidence: Ratings, correct: Ratings, *, abstained: Ratings | None = None) -> RiskCoverage:
    """Risk-coverage curve: what is gained by withholding the least confident answers.

    The units are answered from the most confident down; equal confidences enter together [1]_. A rater who abstains
    without stating a confidence has a single point, the coverage and risk of the answers given: pass 1 as every
    confidence.

    Parameters
    ----------
    confidence : sequence of numbers, shape (items,)
        Any score that is higher for greater confidence. None or NaN with a known correctness is an abstention: it is
        never answered and counts only in the coverage.
    correct : sequence, shape (items,)
        Whether it was right: True, False, or None (left out throughout, unless `abstained`).
    abstained : sequence of bool, shape (items,), optional
        Which units were left unanswered, whatever their correctness, which an abstention often lacks.

    Returns
    -------
    RiskCoverage
        Empty for no answered units.

    Raises
    ------
    ValueError
        When lengths differ, or a confidence is not a finite number.

    References
    ----------
    .. [1] Geifman and El-Yaniv (2017). Selective classification for deep neural networks. NeurIPS.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.8, 0.3, 0.3], [1, 0, 1, 0])
    >>> curve.coverage.tolist(), curve.risk.tolist()
    ([0.25, 0.5, 1.0], [0.0, 0.5, 0.5])

    Three of four are answered, one of them wrong.

    >>> curve = risk_coverage([1, 1, 1, None], [1, 1, 0, None], abstained=[0, 0, 0, 1])
    >>> curve.coverage.tolist(), curve.risk.round(3).tolist()
    ([0.75], [0.333])
    """
    scores = numbers_or_nan(confidence, "confidence")
    known, right = correctness(correct, "correct")
    same_length(scores, known, "confidence", "correct")
    withheld = np.zeros(known.size, dtype=bool)
    if abstained is not None:
        stated, withheld = correctness(abstained, "abstained")
        same_length(scores, stated, "confidence", "abstained")
        if not stated.all():
            position = int(np.flatnonzero(~stated)[0])
            raise ValueError(f"abstained has no value at position {position}; expected True or False for every unit")
    answered = known & ~np.isnan(scores) & ~withheld
    everything = int((known | withheld).sum())
    order = np.argsort(-scores[answered], kind="stable")
    ranked, wrong = scores[answered][order], (~right[answered][order]).astype(np.float64)
    if ranked.size == 0:
        return RiskCoverage(np.empty(0), np.empty(0), np.empty(0), None)
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    count = last + 1.0
    risk = np.cumsum(wrong)[last] / count
    steps = np.diff(np.concatenate([[0.0], count]))
    return RiskCoverage(count / everything, risk, ranked[last], float((risk * steps).sum() / ranked.size))


def _known(confidence: Ratings, correct: Ratings, clusters: Ratings | None) -> tuple[Floats, Floats, Codes | None, str]:
    stated = numbers_or_nan(confidence, "confidence")
    known, right = correctness(correct, "correct")
    same_length(stated, known, "confidence", "correct")
    if ((stated < 0) | (stated > 1)).any():
        first = int(np.flatnonzero((stated < 0) | (stated > 1))[0])
        raise ValueError(f"confidence holds {stated[first]!r} at position {first}; expected a number from 0 to 1")
    used = known & ~np.isnan(stated)
    groups = encode_clusters(clusters, used.size)[used] if clusters is not None else None
    note = leaving_out(int((~used).sum()), "without confidence or correctness")
    return stated[used], right[used].astype(np.float64), groups, note


def _bin_of(stated: Floats, bins: int) -> npt.NDArray[np.intp]:
    """Bin number of each confidence, closed on the right; compared with the edges, not computed from the value."""
    edges = np.arange(1, bins + 1) / bins
    return np.minimum(np.searchsorted(edges, stated, side="left"), bins - 1)


def _bins(bins: int) -> int:
    if isinstance(bins, bool | np.bool_):
        raise ValueError(f"bins is {bins!r}; expected a whole number of at least 1")
    return whole_number(bins, "bins", 1, _MOST_BINS)
