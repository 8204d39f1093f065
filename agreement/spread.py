"""Limits from resampled values of a statistic: percentile and BCa."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from agreement.caution import several
from agreement.cautions import FEW_RESAMPLED, few_resampled, uneven_clusters
from agreement.coding import Floats
from agreement.estimate import Estimate
from agreement.quantiles import normal_quantile, normal_tail, t_tail, upper_normal, upper_t
from agreement.words import Part, Words

UNDEFINED_SHARE = 0.05
"""With more than this share of resamples without a value, no interval is given."""

_MISSED = "; the value lies outside the limits because the bootstrap distribution is biased"
_ROUNDING = 1e-12  # a limit this close to the value, relative to 1, is set to the value
_LEAST_TAIL = 5e-13
_FARTHEST = "; the limits are the smallest and the largest resample, as this level lies beyond them"
"""Smallest tail for percentiles: no resample lies beyond it, and 1 minus a smaller one would soon round to 1."""


@dataclass(frozen=True)
class Spread:
    """The result of a bootstrap.

    Attributes
    ----------
    low, high : float
        Limits; nan if undefined.
    se : float or None
        Standard deviation of the resampled values.
    method : str
        How the resamples were made, for `Estimate.method`.
    undefined_because : str or None
        Why the limits are undefined.
    p : float or None
        Two-sided P value for 0: the level at which an interval of this kind begins to exclude 0, at least
        ``2 / (resamples + 1)``. For statistics that are 0 under the null hypothesis; None without limits.
    worth : float or None
        Kish's effective number of the resampled clusters, given their numbers of items; None if unknown.
    """

    low: float
    high: float
    se: float | None
    method: str
    undefined_because: str | None
    p: float | None = None
    worth: float | None = None

    def estimate(
        self, name: str, value: float, n: int, unit: str, *, confidence: float, n_clusters: int | None, note: str = ""
    ) -> Estimate:
        """The estimate with these limits.

        Parameters
        ----------
        name, value, n, unit, confidence, n_clusters
            As in `Estimate`.
        note : str
            Appended to the method, which also notes if the value lies outside the limits; these are not changed.

        Returns
        -------
        Estimate
        """
        known = self.undefined_because is None
        low, high, slack = self.low, self.high, _ROUNDING * max(1.0, abs(value))
        if known and high - low > 2.0 * slack:  # a limit that differs from the value only by rounding becomes the value
            low, high = (value if abs(limit - value) <= slack else limit for limit in (low, high))
        missed = known and not low <= value <= high  # with few clusters, resamples can lie to one side of the value
        return Estimate(
            name,
            value,
            low,
            high,
            n,
            unit,
            self.method + (_MISSED if missed else "") + note,
            self.undefined_because,
            self.se,
            confidence=confidence,
            n_clusters=n_clusters,
            cautions=several(
                few_resampled(n_clusters), uneven_clusters(n_clusters, self.worth, FEW_RESAMPLED) if known else None
            ),
        )


def percentile_limits(values: Floats, confidence: float, text: str) -> Spread:
    """Percentile limits from resampled values.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
        The statistic in each resample; nan if undefined.
    confidence : float
        Nominal coverage.
    text : str
        How the resamples were made.

    Returns
    -------
    Spread

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, 13.3, with linear interpolation.
    """
    values, text, reason = _usable(values, text)
    if reason is not None:
        return Spread(math.nan, math.nan, None, text, reason)
    tail = (1.0 - confidence) / 2.0
    ordered = np.sort(values)
    low, high = quantiles_of_sorted(ordered, [tail, 1.0 - tail])
    return _spread(low, high, values, text, p=_level_of_zero(ordered, lambda share: share))


def quantiles_of_sorted(ordered: Floats, levels: Sequence[float]) -> list[float]:
    """Quantiles with linear interpolation: identical to those of `numpy.quantile`, in a fifth of the time.

    For a few hundred resamples, `numpy.quantile` spends nearly all its time on checking its arguments; and numpy sorts
    ten thousand numbers sooner than it parts them at six ranks.

    Parameters
    ----------
    ordered : ndarray, shape (at least 1,)
        Finite numbers in increasing order.
    levels : sequence of float
        From 0 to 1.

    Returns
    -------
    list of float

    References
    ----------
    .. [1] Hyndman and Fan (1996). Sample quantiles in statistical packages. American Statistician 50, 361-365,
       definition 7.

    Examples
    --------
    >>> quantiles_of_sorted(np.array([1.0, 2.0, 3.0]), [0.25, 1.0])
    [1.5, 3.0]
    """
    last = ordered.size - 1
    between = []
    for place in (last * level for level in levels):
        below = int(place)
        low, high, share = float(ordered[below]), float(ordered[min(below + 1, last)]), place - below
        # From the nearer neighbour, as in numpy, so that equal neighbours and a share of 1 give exact values.
        between.append(high - (high - low) * (1.0 - share) if share >= 0.5 else low + (high - low) * share)
    return between


def bca_limits(
    values: Floats, value: float, left_out: Floats, times: npt.NDArray[np.int64], confidence: float, text: str
) -> Spread:
    """Bias-corrected and accelerated limits from resampled values.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
        The statistic in each resample; nan if undefined.
    value : float
        The statistic in the sample.
    left_out : ndarray, shape (distinct units,)
        The statistic with one unit left out, for each distinct unit.
    times : ndarray of int, shape (distinct units,)
        Number of units that are alike.
    confidence : float
        Nominal coverage.
    text : str
        How the resamples were made.

    Returns
    -------
    Spread

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, 14.3.
    """
    values, text, reason = _usable(values, text)
    if reason is None and math.isnan(value):
        reason = "the statistic has no value"
    if reason is None and not np.isfinite(left_out).all():
        reason = "the statistic has no value when one unit is left out, so BCa has no acceleration"
    if reason is not None:
        return Spread(math.nan, math.nan, None, text, reason)
    # Efron and Tibshirani (1993), 14.14, counting ties one half, as the statistic is often discrete
    below = float(np.mean(values < value) + np.mean(values == value) / 2.0)
    # 14.15
    deviation = np.average(left_out, weights=times) - left_out
    with np.errstate(over="ignore"):
        scale = float(np.sum(times * deviation**2))
    if not math.isfinite(scale):
        reason = "the squares of its values are beyond floating point numbers, so BCa has no acceleration"
        return Spread(math.nan, math.nan, _deviation(values), text, reason)
    if scale == 0.0 or below in (0.0, 1.0):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    acceleration = float(np.sum(times * deviation**3)) / (6.0 * scale**1.5)
    bias = normal_quantile(below)
    # 14.10
    tail = (1.0 - confidence) / 2.0
    z = special.ndtri([tail, 1.0 - tail])
    levels = special.ndtr(bias + (bias + z) / (1.0 - acceleration * (bias + z)))
    low, high = np.quantile(values, levels)

    def tail_of(share: float) -> float:
        shift = normal_quantile(share) - bias
        return normal_tail(bias - shift / (1.0 + acceleration * shift))

    return _spread(float(low), float(high), values, text, p=_level_of_zero(np.sort(values), tail_of))


def _usable(values: Floats, text: str) -> tuple[Floats, str, str | None]:
    usable = np.isfinite(values)
    if usable.all():
        return values, text, None
    lost = int((~usable).sum())
    said = f"; {lost} of {values.size} resamples had no value and were left out"
    text = Words(text, Part(said, together="; resamples without a value left out"))
    if lost > UNDEFINED_SHARE * values.size:
        return values, text, f"{lost} of {values.size} resamples had no value, more than {100 * UNDEFINED_SHARE:g} %"
    return values[usable], text, None


def _level_of_zero(ordered: Floats, tail_of: Callable[[float], float]) -> float:
    """The significance level of the widest interval that excludes 0, given the tail for each share of the values."""
    least = 1.0 / (ordered.size + 1)
    below, above = (int(ordered.searchsorted(0.0, side)) for side in ("left", "right"))
    if above == 0 or below == ordered.size:
        return 2.0 * least
    # quantiles are interpolated between neighbours: find the shares between which they are 0
    steps = max(1, ordered.size - 1)
    # without zeros among the values, 0 lies between the largest negative and the smallest positive one
    greatest = float(ordered[below - 1]) if below else 0.0
    least_positive = float(ordered[above]) if above < ordered.size else 0.0
    upwards, downwards = (0.0, 0.0) if above > below else (least_positive, greatest)
    first = below - (upwards / (upwards - greatest) if below else 0.0)
    last = above - 1 - (downwards / (least_positive - downwards) if above < ordered.size else 0.0)
    lower = tail_of(last / steps) if above < ordered.size else 1.0
    upper = 1.0 - tail_of(first / steps) if below else 1.0
    return min(1.0, max(2.0 * least, 2.0 * min(lower, upper)))


def _spread(low: float, high: float, values: Floats, text: str, p: float | None = None) -> Spread:
    # values that differ only by rounding have no width either
    if high - low <= 1e-12 * max(1.0, abs(low)):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    return Spread(low, high, _deviation(values), text, None, p)


def _deviation(values: Floats) -> float | None:
    if values.size < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.std(values, ddof=1))
        if not math.isfinite(deviation):  # for numbers whose squares are not finite
            greatest = float(np.abs(values).max())
            deviation = float(np.std(values / greatest, ddof=1)) * greatest
    return deviation if math.isfinite(deviation) else None


def widened_limits(values: Floats, confidence: float, text: str, units: float) -> Spread:
    """Percentile limits from resampled values at the tails of t, with the P value that matches.

    Parameters
    ----------
    values, confidence, text
        As in `percentile_limits`.
    units : float
        As in `widened`; below 2 taken as 2.

    Returns
    -------
    Spread
        The method says where the limits are the smallest and the largest resample: those of a higher level are the
        same, so that intervals that hold together may be no wider than one alone.
    """
    units = max(2.0, units)
    level = widened(confidence, units)
    spread = percentile_limits(values, level, text)
    if not math.isnan(spread.low) and (1.0 - level) / 2.0 * values.size < 1.0:
        spread = replace(spread, method=spread.method + _FARTHEST)
    return spread if spread.p is None else replace(spread, p=widened_p(spread.p, units))


def widened(confidence: float, units: float) -> float:
    """The coverage to request from percentiles so that with few units the interval has its nominal coverage.

    A bootstrap of m units has a standard error that is too small by ``sqrt((m - 1) / m)``, and uses no t distribution.
    Tails are therefore ``Phi(-sqrt(m / (m - 1)) t)`` with the t quantile on m - 1 degrees of freedom [1]_.

    Parameters
    ----------
    confidence : float
        Nominal coverage.
    units : float
        Number of resampled items or clusters, at least 2; of unequal clusters their effective number.

    Returns
    -------
    float
        Below 1; with very few units by so little that the limits are the smallest and the largest resample.

    References
    ----------
    .. [1] Hesterberg (2015). What teachers should know about the bootstrap. American Statistician 69, 371-386, 3.2.

    Examples
    --------
    >>> round(widened(0.95, 10), 3), round(widened(0.95, 1000), 3)
    (0.983, 0.95)
    """
    t = upper_t((1.0 - confidence) / 2.0, units - 1)
    tail = normal_tail(t * math.sqrt(units / (units - 1)))
    return 1.0 - 2.0 * max(tail, _LEAST_TAIL)


def widened_p(p: float, units: float) -> float:
    """The P value that matches `widened`, for an interval that begins to exclude 0 at the level `p`.

    Parameters
    ----------
    p : float
        From unadjusted percentiles.
    units : int
        As in `widened`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(widened_p(1.0 - widened(0.95, 10), 10), 6)
    0.05
    """
    z = upper_normal(p / 2.0)
    return min(1.0, 2.0 * t_tail(z / math.sqrt(units / (units - 1)), units - 1))
