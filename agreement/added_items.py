"""Intervals of a chance-corrected coefficient with two items added, which keep their coverage with rare categories."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.caution import several
from agreement.cautions import gathered_disagreements
from agreement.coding import Codes, Floats
from agreement.effective_size import cautious_size, clusters_with, effective_size, scattered_size
from agreement.estimate import Estimate, undefined
from agreement.interval_kinds import Interval
from agreement.methods import EFFECTIVE_ITEMS, ITEMS_ADDED, of_effective_number, t_with
from agreement.quantiles import t_tail, upper_t
from agreement.row_sums import row_counts
from agreement.unseen import unseen_of_coefficient

MOST_CATEGORIES = 20
"""With more categories, each gets so small a share of the two items that they make no difference."""

_BY_CLUSTERS = "by the clusters with disagreements and rare categories"
_BY_SCATTER = f"{_BY_CLUSTERS}, and how scattered these are"

_STEP = 1e-4  # of an item, of the numerical derivative
_AT_ONCE = 131_072  # numbers whose derivative is taken at once: as many as stay in the cache


def added_rows(rows_of: Callable[[Codes], Floats], categories: int, codes: Codes) -> Floats:
    """Contribution of the added items to the sums: raters agree on half of them and split between two on the others.

    Every category, and every pair of categories, is equally frequent. For items on which raters split, the mean is
    taken over who says what, so the order of raters and of categories does not matter.

    Parameters
    ----------
    rows_of : callable
        Maps codes, shape (items, raters), to each item's contribution, shape (items, k).
    categories : int
        At least 2.
    codes : ndarray of int, shape (items, raters)
        The ratings, -1 if missing. An added item has as many ratings as the average item with two or more.

    Returns
    -------
    ndarray, shape (categories squared, k)
        One row for each category, then one for each ordered pair of categories.

    Examples
    --------
    >>> added_rows(lambda codes: codes.astype(float), 2, np.array([[0, 1], [1, 1]])).tolist()
    [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.5, 0.5]]
    """
    ratings, raters = row_counts(codes >= 0), codes.shape[1]
    usual = round(float(ratings[ratings >= 2].mean()))
    more, less = (numbers.ravel() for numbers in np.indices((categories, categories)))
    pairs = np.concatenate([np.flatnonzero(more == less), np.flatnonzero(more != less)])
    rater = np.arange(raters)
    pattern = np.where(rater < math.ceil(usual / 2), more[pairs, None], less[pairs, None])
    pattern[:, rater >= usual] = -1
    turned = np.concatenate([np.roll(pattern, by, axis=1) for by in range(raters)])
    return np.asarray(rows_of(turned).reshape(raters, len(pairs), -1).mean(axis=0))


def adjusted_estimate(
    of_sums: Callable[[Floats], Floats],
    rows: Floats,
    added: Floats,
    groups: Codes | None,
    *,
    traits: Callable[[], Floats] | None = None,
    size: Interval = "scattered",
    name: str,
    unit: str,
    confidence: float,
    note: str = "",
    lowest: float = -1.0,
    rarest: float = math.inf,
    kind: Codes | None = None,
) -> Estimate:
    """A coefficient with an interval computed after adding two items, on one of which the raters agree.

    The limits are those of the coefficient k of ``w rows + added``, with its linearised standard error and a t
    quantile, in the way that Agresti and Coull's interval for a proportion adds two successes and two failures [1]_.
    For two raters and two categories, half an item is added to each cell of the table. ``w`` is 1, or with clusters the
    effective sample size over n, so that the added items weigh the same against independent and clustered items. The
    value is that of the observed items alone, and always lies within the limits.

    The effective sample size is `effective_size` with the rarest category as event or, if `traits` is given and `size`
    asks for it, `cautious_size` or `scattered_size`, which keep their coverage with fewer clusters and rarer
    categories.

    Parameters
    ----------
    of_sums : callable
        Maps sums, shape (..., k), to the coefficient, shape (...).
    rows : ndarray, shape (items, k), or with `kind` (kinds, k)
        Each item's contribution to the sums.
    added : ndarray, shape (categories squared, k)
        As returned by `added_rows`.
    groups : ndarray of int, shape (items,), or None
        Cluster of each item, without gaps.
    traits : callable, optional
        Returns each item's share of each category and, in the last column, whether raters differ on it: shape (items or
        kinds, categories + 1). Called only with `groups`. Without it, the less cautious effective sample size is used
        and there is no warning of disagreements in few clusters.
    size : {"scattered", "effective", "adjusted"}
        Which effective sample size; without `traits`, always "adjusted".
    name, unit, confidence, note
        For the estimate.
    lowest : float
        The coefficient's lower bound.
    rarest : float
        Expected number of items in the rarest category; infinite if the coefficient hardly depends on it, so that only
        the disagreements show how items cluster.
    kind : ndarray of int, shape (items,), optional
        Which row each item adds, when many items are identical; by default, each has its own.

    Returns
    -------
    Estimate
        `se` and `p` (against 0) are computed with the items added; `interval` is the `size` that was used. Limits are
        undefined for fewer than two items or clusters.

    References
    ----------
    .. [1] Agresti and Coull (1998). Approximate is better than "exact" for interval estimation of binomial proportions.
       American Statistician 52, 119-126.

    Examples
    --------
    Two raters agree on 27 "no" and three "yes"; columns are item, disagreement and each rater's "yes".

    >>> def kappa(sums):
    ...     n, differ, a, b = np.moveaxis(sums, -1, 0)
    ...     return 1 - n * differ / (a * (n - b) + b * (n - a))
    >>> rows = np.array([[1.0, 0, 0, 0]] * 27 + [[1.0, 0, 1, 1]] * 3)
    >>> added = np.array([[1.0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    >>> estimate = adjusted_estimate(kappa, rows, added, None, name="kappa", unit="item", confidence=0.95)
    >>> estimate.value, round(estimate.low, 2), estimate.high
    (1.0, 0.57, 1.0)
    """
    times = None if kind is None else np.bincount(kind, minlength=len(rows))
    n, sums = len(rows) if kind is None else kind.size, total_of(rows, times)
    categories = math.isqrt(len(added))
    share = np.repeat([1.0 / categories, 1.0 / (len(added) - categories)], [categories, len(added) - categories])
    value, n_clusters = float(of_sums(sums)), None if groups is None else int(groups.max(initial=-1)) + 1
    of_units = f"{unit}s" if n_clusters is None else "clusters"
    effective, freedom, warning = float(n), (n if n_clusters is None else n_clusters) - 1, None
    differ: Floats | None = None
    if groups is None or traits is None:
        size = "adjusted"
    method = ITEMS_ADDED + ", one of agreement"
    if freedom < 1:
        reason = f"fewer than two {of_units}: no standard error"
        return undefined(
            name, n, unit, method + note, reason, value=value, confidence=confidence, n_clusters=n_clusters
        )
    if groups is not None:
        # with the items added, there is variation even in perfect agreement
        influence = _influence(of_sums, sums + share @ added, rows)
        influence = influence if kind is None else influence[kind]
        influence -= influence.mean()
        columns = None if traits is None else traits().T
        if columns is None or size == "adjusted":
            effective, way = effective_size(influence, groups, events=min(rarest, float(n))), ""
        else:
            deciding = columns if math.isfinite(rarest) else columns[-1:]
            of_items = (column if kind is None else column[kind] for column in deciding)
            if size == "effective":
                effective, way = cautious_size(influence, groups, of_items), _BY_CLUSTERS
            else:
                effective, way = scattered_size(influence, groups, of_items), _BY_SCATTER
        if columns is not None:
            differ = columns[-1] if kind is None else columns[-1][kind]
            warning = gathered_disagreements(
                clusters_with(differ, groups), freedom + 1, clusters_with(np.ones(n), groups)
            )
        method += EFFECTIVE_ITEMS + of_effective_number(effective, n, freedom, way)
    else:
        method += ", independent items, " + t_with(freedom)
    weight = effective / n
    totals = weight * sums + share @ added
    of_rows, of_added = _influence(of_sums, totals, rows), _influence(of_sums, totals, added)
    se = math.sqrt(weight * float(total_of(of_rows**2, times)) + float(share @ of_added**2))
    centre, half = float(of_sums(totals)), upper_t((1.0 - confidence) / 2.0, freedom) * se
    low, high = max(lowest, min(value, centre - half)), min(1.0, max(value, centre + half))
    unseen = None
    if groups is not None and differ is not None:
        unseen = unseen_of_coefficient(of_sums, sums, added, differ, groups, low, high)
    return Estimate(
        name, value, low, high, n, unit, method + note, se=se,
        p=2.0 * t_tail(abs(centre) / se, freedom), confidence=confidence, n_clusters=n_clusters,
        cautions=several(warning, unseen), interval=size,
    )  # fmt: skip


def total_of(rows: npt.NDArray[Any], times: Codes | None) -> Floats:
    """The sums over all items.

    Parameters
    ----------
    rows : ndarray, shape (kinds,) or (kinds, k)
        Contribution of each item, or of each kind of item.
    times : ndarray of int, shape (kinds,), or None
        Number of items of each kind; None if each row is an item.

    Returns
    -------
    ndarray, shape () or (k,)

    Examples
    --------
    >>> total_of(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([3, 2])).tolist()
    [5.0, 2.0]
    """
    if times is None and rows.dtype == np.bool_:
        return np.asarray(rows.sum(axis=0))
    return np.asarray((np.ones(len(rows)) if times is None else times) @ rows)


def _influence(of_sums: Callable[[Floats], Floats], totals: Floats, rows: Floats) -> Floats:
    """Numerical derivative of the coefficient along each row."""
    result = np.empty(len(rows))
    many = max(1, _AT_ONCE // rows.shape[1])
    for start in range(0, len(rows), many):
        step = _STEP * rows[start : start + many]
        result[start : start + many] = (of_sums(totals + step) - of_sums(totals - step)) / (2.0 * _STEP)
    return result
