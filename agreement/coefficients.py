"""The chance-corrected coefficients of several raters: each item's contribution, and the function of the sums.

They differ only in the agreement expected by chance; the public functions give their sources.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from agreement.added_items import total_of
from agreement.category_counts import check_size
from agreement.chance_corrected import (
    Coefficient,
    linearised_coefficient,
    lowest_value,
    rarest_of,
)
from agreement.coding import Codes, Floats
from agreement.row_sums import row_sums


def no_value(totals: Floats) -> Floats:
    """A coefficient that is always undefined.

    Parameters
    ----------
    totals : ndarray, shape (..., k)
        Sums.

    Returns
    -------
    ndarray, shape (...)
        nan throughout.
    """
    return np.full(totals.shape[:-1], np.nan)


def fleiss_coefficient(codes: Codes, counts: Floats, w: Floats, times: Codes | None = None) -> Coefficient:
    """Fleiss' kappa: chance from the mean shares of the categories.

    Parameters
    ----------
    codes : ndarray of int, shape (items, raters)
        Category of each rating, -1 if missing; each item has at least one.
    counts : ndarray, shape (items, q)
        How often each item was put into each category.
    w : ndarray, shape (q, q)
        Agreement weights.
    times : ndarray of int, shape (items,), optional
        Number of items that each row stands for; 1 each by default.

    Returns
    -------
    Coefficient

    Examples
    --------
    pa 3/4, pe (3/8)^2 + (5/8)^2 = 34/64.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2]], dtype=float)
    >>> coefficient = fleiss_coefficient(codes, counts, np.eye(2))
    >>> round(float(coefficient.of_sums(coefficient.rows.sum(axis=0))), 4)
    0.4667
    """
    # statsmodels' aggregate_raters and fleiss_kappa need complete ratings and give no standard error
    shares = counts / row_sums(counts)[:, None]

    def chance(pi: Floats) -> Floats:
        return np.asarray(row_sums((pi @ w) * pi))

    pi = _mean(shares, times)

    def change() -> Floats:
        # Gwet (2014), ch. 5: both roles of pi change with the item, hence w on both sides
        return np.asarray(2.0 * (shares @ (w @ pi) - chance(pi)))

    return replace(linearised_coefficient(counts, w, shares, chance, change, times), rarest=rarest_of(codes, times))


def gwet_coefficient(codes: Codes, counts: Floats, w: Floats, times: Codes | None = None) -> Coefficient:
    """Gwet's AC1 or AC2: chance from how evenly the categories are used.

    Parameters
    ----------
    codes, counts, w, times
        As in `fleiss_coefficient`.

    Returns
    -------
    Coefficient

    Examples
    --------
    pa 3/4, pe 2 * 3/8 * 5/8 = 30/64.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2]], dtype=float)
    >>> coefficient = gwet_coefficient(codes, counts, np.eye(2))
    >>> round(float(coefficient.of_sums(coefficient.rows.sum(axis=0))), 4)
    0.5294
    """
    q = len(w)
    scale = w.sum() / (q * (q - 1))
    shares = counts / row_sums(counts)[:, None]

    def chance(pi: Floats) -> Floats:
        return np.asarray(scale * row_sums(pi * (1.0 - pi)))

    pi = _mean(shares, times)

    def change() -> Floats:
        # Gwet (2008), eq. 21 ff.: half the derivative, doubled
        return np.asarray(2.0 * (scale * shares @ (1.0 - pi) - chance(pi)))

    coefficient = linearised_coefficient(counts, w, shares, chance, change, times)
    return replace(coefficient, lowest=lowest_value(w))


def brennan_prediger_coefficient(codes: Codes, counts: Floats, w: Floats, times: Codes | None = None) -> Coefficient:
    """Brennan and Prediger's coefficient: uniform chance.

    Parameters
    ----------
    codes, counts, w, times
        As in `fleiss_coefficient`.

    Returns
    -------
    Coefficient

    Examples
    --------
    pa 3/4, pe 1/2.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2]], dtype=float)
    >>> coefficient = brennan_prediger_coefficient(codes, counts, np.eye(2))
    >>> round(float(coefficient.of_sums(coefficient.rows.sum(axis=0))), 4)
    0.5
    """
    uniform = float(w.sum()) / len(w) ** 2
    shares = counts / row_sums(counts)[:, None]

    def chance(pi: Floats) -> Floats:
        return np.full(pi.shape[:-1], uniform)

    coefficient = linearised_coefficient(counts, w, shares, chance, lambda: np.zeros(len(counts)), times)
    return replace(coefficient, lowest=lowest_value(w))


def conger_coefficient(codes: Codes, counts: Floats, w: Floats, times: Codes | None = None) -> Coefficient:
    """Conger's kappa: chance from each rater's shares; for two raters, Cohen's kappa.

    Parameters
    ----------
    codes, counts, w, times
        As in `fleiss_coefficient`.

    Returns
    -------
    Coefficient

    Examples
    --------
    pa 3/4, pe 1/2 * 1/4 + 1/2 * 3/4 = 1/2.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2]], dtype=float)
    >>> coefficient = conger_coefficient(codes, counts, np.eye(2))
    >>> round(float(coefficient.of_sums(coefficient.rows.sum(axis=0))), 4)
    0.5
    """
    (n, r), q = codes.shape, len(w)
    check_size(n * r, q)
    used = codes[:, :, None] == np.arange(q)  # items x raters x categories: bool, as floats would take too much memory
    of_rater = total_of(used.reshape(n, r * q), times).reshape(r, q).astype(np.float64)
    given, items = of_rater.sum(axis=1), n if times is None else int(times.sum())
    if (given == 0).any():
        empty = int(np.flatnonzero(given == 0)[0])
        reason = f"a rater (column {empty}) has rated nothing"
        return Coefficient(counts, no_value, lambda: np.zeros(n), reason)

    def chance(totals: Floats) -> Floats:
        use = totals.reshape(*totals.shape[:-1], r, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = use / row_sums(use)[..., None]
        together, flat = np.ones(r) @ p, p.reshape(-1, q)
        alone = row_sums(((flat @ w) * flat).reshape(*use.shape[:-2], r * q))
        pairs = row_sums((together @ w) * together) - alone
        return np.asarray(pairs / (r * (r - 1)))

    def change() -> Floats:
        p = of_rater / given[:, None]
        against = (p.sum(axis=0) - p) @ w  # the marginals of all other raters, which a rater's is compared with
        # derivative of pe along each rater's marginal shares; each rating contributes 1 / given
        of_category = (against - row_sums(p * against)[:, None]) * (items / given)[:, None]
        of_category = np.column_stack([of_category, np.zeros(r)])  # last, that of a missing rating, which is -1
        total = reduce(np.add, (of_one[column] for of_one, column in zip(of_category, codes.T, strict=True)))
        return np.asarray(2.0 * total / (r * (r - 1)))

    coefficient = linearised_coefficient(counts, w, used.reshape(n, r * q), chance, change, times)
    return replace(coefficient, rarest=rarest_of(codes, times))


def _mean(rows: Floats, times: Codes | None) -> Floats:
    """Mean over items, shape (k,)."""
    return total_of(rows, times) / (len(rows) if times is None else times.sum())
