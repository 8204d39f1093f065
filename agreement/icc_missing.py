"""Intraclass correlation with missing ratings, by restricted maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import optimize

from agreement.arguments import one_of, yes_or_no
from agreement.cautions import few_items, few_raters
from agreement.cautions_of_shape import skewed_items
from agreement.coding import Floats
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.magnitude import in_range
from agreement.methods import OF_RATERS, leaving_out
from agreement.quantiles import chi_square_quantile
from agreement.ratings import RatingTable, numbers_of
from agreement.words import Words

_EDGE = 1.0 - 1e-7  # upper end of the search for shares of variance: at 1, no residual variance and no likelihood
_NEXT_TO_NOTHING = 1e-6  # if the residuals' share of the squares is smaller, the range left to search is too small


def icc_with_missing(
    ratings: RatingTable,
    model: Literal[1, 2, 3] = 2,
    average: bool = False,
    *,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Intraclass correlation from all ratings, including items that not everybody rated.

    The model is ``y_ij = mu + item_i + rater_j + e_ij`` with normal item effects and residuals; rater effects are
    absent in model 1, normal in model 2 and fixed in model 3. The variances maximise the restricted likelihood [1]_,
    assuming that ratings are missing at random. With variances ``I`` of items, ``R`` of raters and ``E`` of the
    residuals:

    - ICC(1) and ICC(3): ``I / (I + E)``; ICC(2): ``I / (I + R + E)``
    - for the mean of k ratings, with k the number of columns: ``k r / (1 + (k - 1) r)``

    For complete ratings, these equal the values of `icc`, except that no variance is below 0. The limits are the values
    at which twice the restricted profile log-likelihood has fallen by the quantile of chi-square on one degree of
    freedom. They are less accurate than the F intervals of `icc` for few items or, in model 2, few raters, whose number
    limits what can be learnt about them.

    Undefined for fewer than two items, if no item has two ratings, and if nothing varies; limits also if the raters
    agree perfectly or the residuals vanish.

    Parameters
    ----------
    ratings : array_like of numbers, shape (items, raters)
        Ratings; None or NaN is missing. Items and raters without any rating are left out.
    model : {1, 2, 3}
        Which model, as in `icc`.
    average : bool
        Whether the coefficient is for the mean of k ratings rather than a single one.
    confidence : float
        Nominal coverage; assumes normal ratings and independent items.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        Between 0 and 1.

    Raises
    ------
    ValueError
        When `model` is unknown or the table does not hold numbers.

    References
    ----------
    .. [1] Patterson and Thompson (1971). Recovery of inter-block information when block sizes are unequal. Biometrika
       58, 545-554.

    Examples
    --------
    Shrout and Fleiss (1979), table 2, nothing missing: .17, .29, .71.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(icc_with_missing(ratings, model).value, 2) for model in (1, 2, 3)]
    [0.17, 0.29, 0.71]
    """
    one_of(model, "model", (1, 2, 3))
    average = yes_or_no(average, "average")
    confidence = check_confidence(confidence)
    table = numbers_of(ratings)
    rated = ~np.isnan(table)
    table = table[rated.any(axis=1)][:, rated.any(axis=0)]
    (x,), _ = in_range(table)
    n, k = x.shape
    name = f"ICC({model},{'k' if average else 1})"
    lost = int((~rated.any(axis=1)).sum())
    method = Words(
        "REML", ", profile likelihood interval, ", OF_RATERS[model], ", items sampled and independent",
        ", missing at random", leaving_out(lost, "without a rating"),
    )  # fmt: skip
    spread = np.nanmax(x, axis=1) - np.nanmin(x, axis=1) if x.size else np.zeros(0)
    reason = None
    if n < 2:
        reason = f"fewer than two {unit}s with a rating"
    elif (~np.isnan(x)).sum(axis=1).max() < 2:
        reason = f"no {unit} has two ratings"
    elif np.nanmax(x) == np.nanmin(x):
        reason = "all ratings are equal"
    if reason is not None:
        return undefined(name, n, unit, method, reason, confidence=confidence)
    if not spread.any():
        reason = "perfect agreement: the residual variance is 0"
        return undefined(name, n, unit, method, reason, value=1.0, confidence=confidence)
    sums = _Sums.of(x)
    reason = "the residual variance is 0: no likelihood"
    without_likelihood = undefined(name, n, unit, method, reason, confidence=confidence)
    if model == 2 and sums.is_additive:
        return without_likelihood
    profile = _profile(sums, model)
    best, deviance = _least(profile)
    if best > _EDGE - 1e-6 or deviance < -1e6:
        return without_likelihood
    limit = deviance + chi_square_quantile(confidence, 1)
    low, high = _crossing(profile, limit, best, 0.0), _crossing(profile, limit, best, _EDGE)
    value, low, high = (_spearman_brown(r, k) if average else r for r in (best, low, high))
    if not low < high:
        reason = "the profile likelihood interval has no width"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    estimate = Estimate(name, value, low, high, n, unit, method, confidence=confidence)
    return estimate.warned(
        few_raters(k) if model != 3 else None, few_items(n, unit), skewed_items(np.nanmean(x, axis=1), unit)
    )


@dataclass(frozen=True)
class _Sums:
    """The sums of the ratings that the likelihood needs.

    Attributes
    ----------
    of_items : ndarray, shape (items, raters + 1)
        Indicators of the raters of each item, and the sum of its ratings.
    crossed : ndarray, shape (raters + 1, raters + 1)
        Cross products of the raters' indicators and of the ratings.
    """

    of_items: Floats
    crossed: Floats

    @classmethod
    def of(cls, x: Floats) -> _Sums:
        """Sums of ratings, shape (items, raters), centred so that squares keep their digits."""
        rated = ~np.isnan(x)
        centred = np.where(rated, x - np.nanmean(x), 0.0)
        k = x.shape[1]
        crossed = np.zeros((k + 1, k + 1))
        crossed[:k, :k] = np.diag(rated.sum(axis=0))
        crossed[:k, k] = crossed[k, :k] = centred.sum(axis=0)
        crossed[k, k] = (centred**2).sum()
        return cls(np.column_stack([rated.astype(np.float64), centred.sum(axis=1)]), crossed)

    @property
    def is_additive(self) -> bool:
        """Whether the ratings fit item + rater exactly, with degrees of freedom to spare.

        The likelihood of model 2 then has no maximum: it grows without bound as the residuals vanish.
        """
        given = self._given
        within = self.crossed - (self.of_items / given[:, None]).T @ self.of_items
        of_raters, covered, left = within[:-1, :-1], within[:-1, -1], float(within[-1, -1])
        rank = int(np.linalg.matrix_rank(of_raters, hermitian=True))
        left -= float(covered @ np.linalg.pinv(of_raters, hermitian=True) @ covered)
        return given.sum() > len(given) + rank and left <= _NEXT_TO_NOTHING * float(self.crossed[-1, -1])

    # A search for the maximum calls `deviance` some two thousand times: what stays the same is computed once.
    @cached_property
    def _given(self) -> Floats:
        """The number of ratings of each item."""
        given: Floats = self.of_items[:, :-1].sum(axis=1)
        return given

    @cached_property
    def _total(self) -> float:
        return float(self._given.sum())

    @cached_property
    def _unit(self) -> Floats:
        return np.eye(len(self.crossed) - 1)

    @cached_property
    def _design_of_raters(self) -> Floats:
        return np.vstack([self._unit, np.zeros(len(self._unit))])

    @cached_property
    def _design_of_mean(self) -> Floats:
        return np.append(np.ones(len(self._unit)), 0.0)[:, None]

    def deviance(self, items: float, raters: float, *, fixed: bool) -> float:
        """Minus twice the restricted log-likelihood, maximised over the total variance, up to a constant [1]_.

        `items` and `raters` are shares of the variance; the rest is residual. With V scaled to a total of 1: ``log|V| +
        log|X' V^-1 X| + (N - p) log(r' V^-1 r)``.
        """
        rest = 1.0 - items - raters
        given, total = self._given, self._total
        # without raters, V has one block for each item, inverted by Sherman and Morrison
        weight = items / (rest + items * given)
        q = (self.crossed - (self.of_items * weight[:, None]).T @ self.of_items) / rest
        log_v = total * math.log(rest) + float(np.log1p(items * given / rest).sum())
        k = len(q) - 1
        design = self._design_of_raters if fixed else self._design_of_mean
        if raters > 0.0 and not fixed:  # Woodbury for the raters
            inner = self._unit + raters * q[:k, :k]
            log_v += float(np.linalg.slogdet(inner)[1])
            q = q - raters * q[:, :k] @ np.linalg.solve(inner, q[:k, :])
        # the columns of `design` are those of X in terms of the raters' indicators; y is the last row of q
        p = design.shape[1]
        xx, xy, yy = design.T @ q @ design, design.T @ q[:, k], float(q[k, k])
        if p > 1:
            log_x, residual = float(np.linalg.slogdet(xx)[1]), yy - float(xy @ np.linalg.solve(xx, xy))
        else:  # one number, without what numpy does to hand it to LAPACK
            of_mean, with_mean = float(xx[0, 0]), float(xy[0])
            log_x, residual = math.log(abs(of_mean)), yy - with_mean * (with_mean / of_mean)
        if residual <= 1e-13 * float(self.crossed[k, k]):
            return -math.inf
        return float(log_v + log_x + (total - p) * math.log(residual))


def _profile(sums: _Sums, model: int) -> Callable[[float], float]:
    """The minimum deviance as a function of the ICC."""
    if model == 1:
        return lambda r: sums.deviance(r, 0.0, fixed=False)
    if model == 3:
        return lambda r: sums.deviance(r, 0.0, fixed=True)

    def over_raters(r: float) -> float:
        # the raters' share of the variance not due to items
        return _least(lambda share: sums.deviance(r, (1.0 - r) * share, fixed=False))[1]

    return over_raters


def _least(function: Callable[[float], float]) -> tuple[float, float]:
    """Where a function of a share, including the ends of the range, is least, and its value there."""
    grid = np.linspace(0.0, _EDGE, 21)
    values = [function(float(share)) for share in grid]
    at = int(np.argmin(values))
    bounds = (float(grid[max(0, at - 1)]), float(grid[min(20, at + 1)]))
    inner = optimize.minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    return (float(inner.x), float(inner.fun)) if inner.fun < values[at] else (float(grid[at]), values[at])


def _crossing(profile: Callable[[float], float], limit: float, best: float, end: float) -> float:
    """Where the deviance reaches the limit between the best value and one end of the range, or else that end."""
    if best == end or profile(end) <= limit:
        return end
    return float(optimize.brentq(lambda r: profile(r) - limit, best, end, xtol=1e-9))


def _spearman_brown(single: float, k: int) -> float:
    return k * single / (1.0 + (k - 1) * single)
