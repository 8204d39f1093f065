"""Limits of intraclass correlations from the mean squares of items, raters and residuals."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from agreement.coding import Floats
from agreement.quantiles import upper_f


class MeanSquares(NamedTuple):
    """Mean squares of n items by k raters.

    Attributes
    ----------
    items, raters, within, residual : float
        Between items, between raters, within items, and residual.
    n, k : int
        Number of items and of raters.
    """

    items: float
    raters: float
    within: float
    residual: float
    n: int
    k: int


def mean_squares(x: Floats) -> MeanSquares:
    """Mean squares of a complete table.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        At least two items and two raters, none missing.

    Returns
    -------
    MeanSquares

    Examples
    --------
    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    MeanSquares(items=9.0, raters=4.0, within=2.5, residual=1.0, n=2, k=2)
    """
    n, k = x.shape
    centred = x - x.mean()
    of_items = k * float((centred.mean(axis=1) ** 2).sum())
    of_raters = n * float((centred.mean(axis=0) ** 2).sum())
    del centred  # as large as the file
    from_items = x - x.mean(axis=1, keepdims=True)
    residual = from_items - x.mean(axis=0, keepdims=True) + x.mean()
    return MeanSquares(
        of_items / (n - 1),
        of_raters / (k - 1),
        float((from_items**2).sum()) / (n * (k - 1)),
        float((residual**2).sum()) / ((n - 1) * (k - 1)),
        n,
        k,
    )


class Freedom(NamedTuple):
    """Degrees of freedom of the mean square of items, and of the residual one (for ICC(1), within items)."""

    items: float
    left: float


def nominal_freedom(n: int, k: int, *, rows_only: bool) -> Freedom:
    """Degrees of freedom of n items by k raters for normal ratings.

    Parameters
    ----------
    n, k : int
        Number of items and of raters.
    rows_only : bool
        Whether each item has different raters, as in ICC(1).

    Returns
    -------
    Freedom

    Examples
    --------
    >>> nominal_freedom(30, 4, rows_only=False)
    Freedom(items=29.0, left=87.0)
    """
    return Freedom(n - 1.0, float(n * (k - 1) if rows_only else (n - 1) * (k - 1)))


def seen_freedom(x: Floats, *, rows_only: bool) -> Freedom:
    """Degrees of freedom of mean squares, estimated by leaving out each item.

    ``2 / v``, with v the jackknife variance of the logarithm of a mean square [1]_, at most those of normal ratings and
    at least 1. For normal ratings with f degrees of freedom, the variance of the logarithm is 2 / f; if a few ratings
    are far from all others, it is greater.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        At least two items and two raters, none missing.
    rows_only : bool
        As in `nominal_freedom`.

    Returns
    -------
    Freedom
        Those of normal ratings for fewer than four items; 1 if leaving out one item leaves a sum of squares of 0.

    References
    ----------
    .. [1] Arvesen and Schmitz (1970). Robust procedures for variance component problems using the jackknife.
       Biometrics 26, 677-686.

    Examples
    --------
    Equally spaced items, and items with one far from the others.

    >>> even, apart = np.arange(8.0), np.array([1.0, 2, 3, 4, 5, 6, 7, 30])
    >>> noise = np.array([0.1, -0.2, 0.2, -0.1, 0.1, -0.1, 0.2, -0.2])
    >>> [round(seen_freedom(np.stack([x, x + noise], 1), rows_only=False).items, 1) for x in (even, apart)]
    [7.0, 1.0]
    """
    n, k = x.shape
    nominal = nominal_freedom(n, k, rows_only=rows_only)
    if n < 4:
        return nominal
    means = x.mean(axis=1)
    apart = (means - means.mean()) ** 2 * n / (n - 1.0)
    left = x if rows_only else x - x.mean(axis=0)
    own = ((left - left.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) * (1.0 if rows_only else n / (n - 1.0))
    of_items = float(((means - means.mean()) ** 2).sum())
    of_left = float(((left - left.mean(axis=1, keepdims=True)) ** 2).sum())
    return Freedom(_seen(of_items, apart, nominal.items), _seen(of_left, own, nominal.left))


def _seen(whole: float, without: Floats, nominal: float) -> float:
    """Degrees of freedom of a sum of squares, from the amount that it loses without each item."""
    rest = whole - without
    if rest.min() <= 1e-12 * whole:
        return 1.0
    logs = np.log(rest)
    variance = (logs.size - 1.0) / logs.size * float(((logs - logs.mean()) ** 2).sum())
    return max(1.0, min(nominal, 2.0 / variance)) if variance > 0.0 else nominal


def limits_of_consistency(
    squares: MeanSquares, tail: float, *, rows_only: bool, freedom: Freedom | None = None
) -> tuple[float, float]:
    """F limits of ICC(1,1) and ICC(3,1): McGraw and Wong (1996), table 7, ICC(1) and ICC(C,1).

    Parameters
    ----------
    squares : MeanSquares
        Of the table.
    tail : float
        Half of one minus the confidence.
    rows_only : bool
        Whether each item has different raters, as in ICC(1).
    freedom : Freedom, optional
        Degrees of freedom; by default, those for normal ratings.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> squares = MeanSquares(8.0, 1.0, 2.0, 2.0, 30, 4)
    >>> [round(limit, 3) for limit in limits_of_consistency(squares, 0.025, rows_only=False)]
    [0.244, 0.625]
    """
    k, f = squares.k, squares.items / (squares.within if rows_only else squares.residual)
    first, second = freedom or nominal_freedom(squares.n, k, rows_only=rows_only)
    lower = f / upper_f(tail, first, second)
    upper = f * upper_f(tail, second, first)
    return (lower - 1) / (lower + k - 1), (upper - 1) / (upper + k - 1)


def limits_of_agreement(squares: MeanSquares, tail: float) -> tuple[float, float]:
    """F limits of ICC(2,1) with Satterthwaite's degrees of freedom: McGraw and Wong (1996), table 7, ICC(A,1).

    Parameters
    ----------
    squares, tail
        As in `limits_of_consistency`.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> squares = MeanSquares(8.0, 10.0, 2.3, 2.0, 30, 4)
    >>> [round(limit, 3) for limit in limits_of_agreement(squares, 0.025)]
    [0.217, 0.597]
    """
    items, raters, _, residual, n, k = squares
    single = correlation(squares)
    a = k * single / (n * (1.0 - single))
    b = 1.0 + k * single * (n - 1) / (n * (1.0 - single))
    v = (a * raters + b * residual) ** 2 / ((a * raters) ** 2 / (k - 1) + (b * residual) ** 2 / ((n - 1) * (k - 1)))
    down, up = upper_f(tail, n - 1, v), upper_f(tail, v, n - 1)
    rest = k * raters + (k * n - k - n) * residual
    low = n * (items - down * residual) / (down * rest + n * items)
    high = n * (up * items - residual) / (rest + n * up * items)
    return low, high


def correlation(squares: MeanSquares) -> float:
    """ICC(2,1) from mean squares.

    Parameters
    ----------
    squares : MeanSquares
        Of the table.

    Returns
    -------
    float

    Examples
    --------
    >>> correlation(MeanSquares(8.0, 2.0, 2.0, 2.0, 30, 4)) == 6 / 14
    True
    """
    items, raters, _, residual, n, k = squares
    return (items - residual) / (items + (k - 1) * residual + k * (raters - residual) / n)


def modified_large_sample_limits(
    squares: MeanSquares, tail: float, *, freedom: Freedom | None = None
) -> tuple[float, float]:
    """Limits of ICC(2,1) by the modified large-sample approach.

    ICC(2,1) is the r that solves ``n (1 - r) R - k r C - (n + r (n k - n - k)) E = 0`` for the expected mean squares of
    items R, raters C and residual E. The limits are the values of r at which a confidence bound of this combination of
    mean squares is 0: its large-sample bound, with the variance modified so that it is exact if all but one or two of
    the mean squares vanish [1]_ [2]_ [3]_.

    Parameters
    ----------
    squares, tail, freedom
        As in `limits_of_consistency`.

    Returns
    -------
    low, high : float
        From ``-1 / (k - 1)`` to 1.

    References
    ----------
    .. [1] Arteaga, Jeyaratnam and Graybill (1982). Confidence intervals for proportions of total variance in the
       two-way cross component of variance model. Communications in Statistics A 11, 1643-1658.
    .. [2] Ting, Burdick, Graybill, Jeyaratnam and Lu (1990). Confidence intervals on linear combinations of variance
       components that are unrestricted in sign. J Statist Comput Simul 35, 135-143.
    .. [3] Cappelleri and Ting (2003). A modified large-sample approach to approximate interval estimation for a
       particular intraclass correlation coefficient. Statistics in Medicine 22, 1861-1877.

    Examples
    --------
    Wider than the F limits if raters differ.

    >>> squares = MeanSquares(8.0, 10.0, 2.3, 2.0, 30, 4)
    >>> [round(limit, 3) for limit in modified_large_sample_limits(squares, 0.025)]
    [0.161, 0.596]
    """
    _, _, _, _, n, k = squares
    observed = (squares.items, squares.raters, squares.residual)
    of_items, of_left = freedom or nominal_freedom(n, k, rows_only=False)
    bound = _lower_bound((of_items, k - 1.0, of_left), tail)

    def parts(r: float, sign: float = 1.0) -> list[float]:
        shares = (n * (1.0 - r), -k * r, -(n + r * (n * k - n - k)))
        return [sign * square * share for square, share in zip(observed, shares, strict=True)]

    value, least = correlation(squares), -1.0 / (k - 1)
    low = least
    if value > least and bound.of(parts(least)) > 0.0:
        low = float(optimize.brentq(lambda r: bound.of(parts(r)), least, value))
    # the upper bound of a combination is minus the lower bound of its negative
    high = 1.0
    if bound.of(parts(1.0, -1.0)) > 0.0:
        high = float(optimize.brentq(lambda r: bound.of(parts(r, -1.0)), value, 1.0))
    return low, high


class _LowerBound(NamedTuple):
    """Modified large-sample lower bound of a linear combination of expected mean squares, of either sign.

    Attributes
    ----------
    down, up : list of float
        G and H of each mean square.
    against, beside : list of list of float
        Variance terms for pairs of mean squares of opposite sign, and of the same sign.
    """

    down: list[float]
    up: list[float]
    against: list[list[float]]
    beside: list[list[float]]

    def of(self, parts: list[float]) -> float:
        """Lower bound of the expectation of the sum of the parts, which are multiples of observed mean squares."""
        added = [i for i, part in enumerate(parts) if part > 0.0]
        taken = [i for i, part in enumerate(parts) if part < 0.0]
        variance = sum((self.down[i] * parts[i]) ** 2 for i in added) + sum((self.up[i] * parts[i]) ** 2 for i in taken)
        variance -= sum(parts[i] * self.against[i][j] * parts[j] for i in added for j in taken)
        if len(added) > 1:
            pairs = sum(parts[i] * parts[j] * self.beside[i][j] for i, j in combinations(added, 2))
            variance += pairs / (len(added) - 1)
        return sum(parts) - math.sqrt(max(0.0, variance))


@lru_cache(maxsize=64)
def _lower_bound(of: tuple[float, ...], tail: float) -> _LowerBound:
    """Bound for mean squares with these degrees of freedom: the same for all tables of one size."""
    freedom = np.array(of)
    first, second = freedom[:, None], freedom[None, :]
    g = 1.0 - freedom / special.chdtri(freedom, tail)
    h = freedom / (2.0 * special.gammaincinv(freedom / 2.0, tail)) - 1.0
    f = special.fdtri(first, second, 1.0 - tail)
    # exact for the difference of two mean squares
    against = ((f - 1.0) ** 2 - g[:, None] ** 2 * f**2 - h[None, :] ** 2) / f
    both = first + second
    together = (1.0 - both / special.chdtri(both, tail)) ** 2 * both**2 / (first * second)
    # exact for the sum of two whose expectations are equal
    beside = together - g[:, None] ** 2 * first / second - g[None, :] ** 2 * second / first
    return _LowerBound(g.tolist(), h.tolist(), against.tolist(), beside.tolist())
