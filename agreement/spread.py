"""From resampled values of a statistic to limits: percentile and BCa."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from agreement.coding import Floats
from agreement.estimate import Estimate

UNDEFINED_SHARE = 0.05
"""Above this share of resamples without a value the interval is not given."""


@dataclass(frozen=True)
class Spread:
    """What a bootstrap says about a statistic.

    Attributes
    ----------
    low, high : float
        Limits; nan where undefined.
    se : float or None
        Standard deviation of the resampled values.
    method : str
        How they were made, for `Estimate.method`.
    undefined_because : str or None
        Why there are no limits.
    """

    low: float
    high: float
    se: float | None
    method: str
    undefined_because: str | None

    def estimate(
        self, name: str, value: float, n: int, unit: str, *, confidence: float, n_clusters: int | None, note: str = ""
    ) -> Estimate:
        """The estimate that has these limits.

        Parameters
        ----------
        name, value, n, unit, confidence, n_clusters
            As in `Estimate`.
        note : str
            Added to the method.

        Returns
        -------
        Estimate
        """
        return Estimate(
            name,
            value,
            self.low,
            self.high,
            n,
            unit,
            self.method + note,
            self.undefined_because,
            self.se,
            confidence=confidence,
            n_clusters=n_clusters,
        )


def percentile_limits(values: Floats, confidence: float, text: str) -> Spread:
    """Percentile limits from resampled values.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
        The statistic in each resample; nan where it has no value.
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
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return _spread(float(low), float(high), values, text)


def bca_limits(
    values: Floats, value: float, left_out: Floats, times: npt.NDArray[np.int64], confidence: float, text: str
) -> Spread:
    """Bias-corrected and accelerated limits from resampled values.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
        The statistic in each resample; nan where it has no value.
    value : float
        The statistic of the sample.
    left_out : ndarray, shape (distinct units,)
        The statistic with one unit left out.
    times : ndarray of int, shape (distinct units,)
        How many units are alike.
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
    if reason is None and np.isnan(left_out).any():
        reason = "the statistic has no value when one unit is left out, so BCa has no acceleration"
    if reason is not None:
        return Spread(math.nan, math.nan, None, text, reason)
    # Efron and Tibshirani (1993), 14.14, ties counted one half as the statistic is often discrete
    below = float(np.mean(values < value) + np.mean(values == value) / 2.0)
    # 14.15
    deviation = np.average(left_out, weights=times) - left_out
    scale = float(np.sum(times * deviation**2))
    if scale == 0.0 or below in (0.0, 1.0):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    acceleration = float(np.sum(times * deviation**3)) / (6.0 * scale**1.5)
    bias = float(stats.norm.ppf(below))
    # 14.10
    tail = (1.0 - confidence) / 2.0
    z = stats.norm.ppf([tail, 1.0 - tail])
    levels = stats.norm.cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)))
    low, high = np.quantile(values, levels)
    return _spread(float(low), float(high), values, text)


def _usable(values: Floats, text: str) -> tuple[Floats, str, str | None]:
    lost = int((~np.isfinite(values)).sum())
    if not lost:
        return values, text, None
    text += f"; {lost} of {values.size} resamples had no value and were left out"
    if lost > UNDEFINED_SHARE * values.size:
        return values, text, f"{lost} of {values.size} resamples had no value, more than {UNDEFINED_SHARE:.0%}"
    return values[np.isfinite(values)], text, None


def _spread(low: float, high: float, values: Floats, text: str) -> Spread:
    # rounding of equal values differs in the last digits: that is no width either
    if high - low <= 1e-12 * max(1.0, abs(low)):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    return Spread(low, high, _deviation(values), text, None)


def _deviation(values: Floats) -> float | None:
    return float(np.std(values, ddof=1)) if values.size > 1 else None
