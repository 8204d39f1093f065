"""Limits of a coefficient between its lowest value and 1 on the scale of its log odds: Fisher's z, with t."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agreement.caution import Caution
from agreement.cautions import uneven_clusters
from agreement.coding import Codes, Floats
from agreement.estimate import Estimate, undefined
from agreement.methods import t_with
from agreement.quantiles import t_tail, upper_t
from agreement.words import Words

TRANSFORMED = Words("Fisher's z of the coefficient")
_LARGEST = 700.0  # the exponential of more is not finite
_ROUNDING = 1e-12  # a standard error below this, relative to 1, is rounding error around an exact zero


@dataclass(frozen=True)
class Linearised:
    """The standard error of a linearised coefficient, of independent items or of clusters.

    Attributes
    ----------
    se : float
        ``se^2 = m / (m - 1) sum_c (sum_i u_i)^2 / n^2`` over the m clusters c with their items i, where u is the
        linearised coefficient less its mean; independent items are clusters of one.
    freedom : float
        Degrees of freedom: Kish's effective number of clusters, ``n^2 / sum_c n_c^2``, less 1, at least 1.
    clusters : int or None
        Number of clusters; None for independent items.
    """

    se: float
    freedom: float
    clusters: int | None

    @classmethod
    def of(
        cls, values: Floats, groups: Codes | None, times: Codes | None = None, kind: Codes | None = None
    ) -> Linearised:
        """The standard error from the linearised coefficient.

        Parameters
        ----------
        values : ndarray, shape (items,), or with `times` (kinds,)
            The linearised coefficient; adding the same number to all changes nothing.
        groups : ndarray of int, shape (items,), or None
            Cluster of each item, without gaps.
        times : ndarray of int, shape (kinds,), optional
            Number of items of each kind.
        kind : ndarray of int, shape (items,), optional
            Kind of each item; with `times`, only needed for clusters.

        Returns
        -------
        Linearised
            Without two items or clusters, the standard error is nan.

        Examples
        --------
        >>> round(Linearised.of(np.array([1.0, 0.0]), None, np.array([2, 2])).se, 4)
        0.2887
        >>> Linearised.of(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])).se
        0.5
        """
        away = values - np.average(values, weights=times)
        if groups is None:
            n = away.size if times is None else int(times.sum())
            squares = float((away**2 if times is None else times * away**2).sum())
            return cls(math.sqrt(squares / (n * (n - 1.0))) if n > 1 else math.nan, max(1.0, n - 1.0), None)
        sizes = np.bincount(groups).astype(np.float64)
        m, n = sizes.size, groups.size
        squares = float((np.bincount(groups, weights=away if kind is None else away[kind]) ** 2).sum())
        se = math.sqrt(m / (m - 1.0) * squares) / n if m > 1 else math.nan
        return cls(se, max(1.0, n**2 / float((sizes**2).sum()) - 1.0), m)

    @property
    def lacks(self) -> str | None:
        """Why there is no interval; None if there is one."""
        if math.isnan(self.se):
            return f"fewer than two {'items' if self.clusters is None else 'clusters'}: no standard error"
        return "the standard error is 0" if self.se < _ROUNDING else None

    @property
    def method(self) -> Words:
        """How the interval is made."""
        of = "independent items" if self.clusters is None else "linearised by cluster"
        freedom = f"{self.freedom:.1f}".removesuffix(".0")
        return TRANSFORMED + Words(", ", of, ", ", t_with(freedom))

    @property
    def caution(self) -> Caution | None:
        """The warning of clusters of very unequal sizes."""
        return None if self.clusters is None else uneven_clusters(self.clusters, self.freedom + 1.0)

    def estimate(
        self,
        value: float,
        reason: str | None,
        n: int,
        *,
        name: str,
        unit: str,
        confidence: float,
        note: str,
        lowest: float = -1.0,
        tests: bool = True,
    ) -> Estimate:
        """The estimate with these limits.

        Parameters
        ----------
        value, n, name, unit, confidence, note
            For the estimate.
        reason : str or None
            Why there are no limits, if that is known from the ratings.
        lowest : float
            The lowest possible value.
        tests : bool
            Whether it gives P for a coefficient of 0.

        Returns
        -------
        Estimate
        """
        method = self.method + note
        reason = reason or self.lacks or ("the value is the lowest possible" if value <= lowest else None)
        reason = reason or ("the value is the greatest possible" if value >= 1.0 else None)
        if reason is None:
            low, high, p = self.limits(value, lowest, confidence)
            reason = None if low < high else "the standard error is 0"
        if reason is not None:
            return undefined(
                name, n, unit, method, reason, value=value, confidence=confidence, n_clusters=self.clusters
            )
        return Estimate(
            name, value, low, high, n, unit, method,
            se=self.se, p=p if tests else None, confidence=confidence, n_clusters=self.clusters,
        ).warned(self.caution)  # fmt: skip

    def limits(self, value: float, lowest: float, confidence: float) -> tuple[float, float, float]:
        """Limits, and P for a coefficient of 0 by the same interval.

        ``g = log((x - l) / (1 - x))`` with l the lowest value, which for ``l = -1`` is twice Fisher's z; limits are
        ``g -+ t se (1 - l) / ((x - l) (1 - x))``, transformed back [1]_ [2]_. Without a lowest value, ``g = -log(1 -
        x)`` with ``se / (1 - x)``.

        Parameters
        ----------
        value, lowest : float
            The coefficient, above its lowest value, which may be -inf, and below 1.
        confidence : float
            Nominal coverage.

        Returns
        -------
        low, high, p : float

        References
        ----------
        .. [1] Fisher (1921). On the probable error of a coefficient of correlation deduced from a small sample. Metron
           1, 3-32.
        .. [2] Flack (1987). Confidence intervals for the interrater agreement measure kappa. Communications in
           Statistics, Theory and Methods 16, 953-968.

        Examples
        --------
        >>> low, high, _ = Linearised(0.1, 9.0, None).limits(0.8, -1.0, 0.95)
        >>> round(low, 4), round(high, 4)
        (0.4384, 0.9387)
        """
        scale, unscaled = _SCALES[math.isinf(lowest)]
        slope = 1.0 / (1.0 - value) + (0.0 if math.isinf(lowest) else 1.0 / (value - lowest))
        at, se = scale(value, lowest), self.se * slope
        half = upper_t((1.0 - confidence) / 2.0, self.freedom) * se
        low, high = unscaled(at - half, lowest), unscaled(at + half, lowest)
        p = 2.0 * t_tail(abs(at - scale(0.0, lowest)) / se, self.freedom) if lowest < 0.0 else math.nan
        return low, high, min(1.0, p)


def _log_odds(x: float, lowest: float) -> float:
    return math.log((x - lowest) / (1.0 - x))


def _of_log_odds(odds: float, lowest: float) -> float:
    share = 1.0 / (1.0 + math.exp(-odds)) if odds >= 0.0 else math.exp(odds) / (1.0 + math.exp(odds))
    return lowest + (1.0 - lowest) * share


def _log_distance(x: float, _: float) -> float:
    return -math.log(1.0 - x)


def _of_log_distance(log: float, _: float) -> float:
    return 1.0 - math.exp(min(-log, _LARGEST))


# By whether the coefficient has no lowest value.
_SCALES = {False: (_log_odds, _of_log_odds), True: (_log_distance, _of_log_distance)}
