"""Chance-corrected agreement of two raters: Cohen's kappa, weighted or not."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from agreement.added_items import MOST_CATEGORIES, added_rows, adjusted_estimate
from agreement.arguments import shown
from agreement.caution import Caution
from agreement.cautions import FEW_WEIGHTED, rare_category
from agreement.cautions_of_shape import few_large, skewed_spread
from agreement.cluster_codes import ClusterSums
from agreement.coding import Codes, Floats, Pairs, Ratings, compact, encode_pairs
from agreement.effective_size import cluster_of_item
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.incomplete_pairs import left_out
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.magnitude import refuse_huge
from agreement.methods import FLEISS_COHEN_EVERITT, ITEMS_ADDED, bootstrap_of
from agreement.own_weights import cohen_kappa_with_weights, name_or_matrix, with_weights
from agreement.possible_range import within_range
from agreement.quantiles import upper_normal
from agreement.ratings import Weights, check_weights
from agreement.resampling import Seed, bootstrap_of_sums
from agreement.row_sums import row_sums
from agreement.spread import Spread
from agreement.tables import Table, square_counts
from agreement.transformed import TRANSFORMED, Linearised
from agreement.unseen import unseen_of_coefficient

_LARGEST = 10**8  # numbers in a table of units by categories
_ROUNDING = 1e-12  # variances below this, relative to 1, are rounding error around an exact zero


def cohen_kappa(
    a: Ratings,
    b: Ratings,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights | npt.ArrayLike | None = None,
    excluded: Ratings | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Cohen's kappa of two raters, unweighted or weighted.

    ``kappa = (po - pe) / (1 - pe)`` with ``po = sum w_ij p_ij`` and ``pe = sum w_ij p_i. p_.j`` [1]_ [2]_;
    ``w_ij = 1`` for ``i = j`` and 0 elsewhere, or ``1 - |i - j| / (k - 1)`` (linear), or ``1 - (|i - j| / (k - 1))^2``
    (quadratic).

    Items without both verdicts are left out. Undefined (nan, with the reason) for no items, for one item, and if both
    raters used the same single category throughout. Except with the adjusted intervals, there are no limits if one
    rater is constant or the standard error degenerates, as with perfect agreement.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing.
    categories : sequence, optional
        The declared categories, in their order. Unused ones count for the weights. Required with weights unless
        verdicts are whole numbers, which then span the scale from the least to the greatest.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        Agreement weights. A matrix requires `categories` and is passed to `cohen_kappa_with_weights`.
    excluded : sequence of bool, shape (items,), optional
        Items with a verdict of both raters of which at least one, such as "cannot be scored", is not compared and is
        None here. `method` counts them separately from items without both verdicts.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"scattered", "effective", "adjusted", "transformed", "normal", "percentile", "bca"}, optional
        By default "scattered": two items are added, on one of which the raters agree (half an item in each cell of a 2
        x 2 table), and clustered items count as their effective sample size. "effective" uses a more cautious effective
        sample size if disagreements are scattered over clusters, "adjusted" a less cautious one. These three apply
        without weights and up to twenty categories. With weights the default is "transformed"
        (`agreement.transformed`): t on the scale of Fisher's z, with clusters by their sums, or with two items added if
        all agree. Beyond twenty categories it is "normal" without and "percentile" with `clusters`. "normal" uses the
        standard error of Fleiss, Cohen and Everitt [3]_ and assumes independent items; it is clipped to [-1, 1], which
        `method` then says.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        Between -1 and 1; `se` is the one that the interval uses.

    Raises
    ------
    ValueError
        When lengths differ, a verdict is not among the declared categories, weights lack an order or are for numbers
        beyond 1e140, or a normal interval is requested for clustered items.

    References
    ----------
    .. [1] Cohen (1960). A coefficient of agreement for nominal scales. Educ Psychol Meas 20, 37-46.
    .. [2] Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.
    .. [3] Fleiss, Cohen and Everitt (1969). Large sample standard errors of kappa and weighted kappa. Psychological
       Bulletin 72, 323-327.

    Examples
    --------
    Fleiss, Cohen and Everitt (1969): 200 items, kappa .429.

    >>> counts = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
    >>> a, b = zip(*((i, j) for i in range(3) for j in range(3) for _ in range(counts[i][j])))
    >>> estimate = cohen_kappa(a, b)
    >>> round(estimate.value, 3), estimate.n
    (0.429, 200)
    """
    name_of_weights, matrix = name_or_matrix(weights, categories)
    if matrix is not None and categories is not None:
        return cohen_kappa_with_weights(
            a, b, matrix, categories, excluded=excluded,
            clusters=clusters, interval=interval, resamples=resamples, seed=seed, confidence=confidence, unit=unit,
        )  # fmt: skip
    pairs = encode_pairs(a, b, categories)
    applies = weights is None and len(pairs.categories) <= MOST_CATEGORIES
    adjustable: tuple[Interval, ...] = ("scattered", "effective", "adjusted") if applies else ()
    weighted: tuple[Interval, ...] = ("transformed",) if weights is not None else ()
    groups = shared_clusters(clusters, pairs.rated, interval)
    interval = chosen_interval(
        interval, *adjustable, *weighted, "normal", *BOOTSTRAPS,
        clustered=groups is not None, for_clusters=(*adjustable, *weighted, *BOOTSTRAPS),
    )  # fmt: skip
    places = _places(pairs, name_of_weights, declared=categories is not None)
    name = with_weights("Cohen's kappa", weights)
    note = left_out(pairs, excluded)
    table = Table.of_codes(pairs.a, pairs.b, places, name_of_weights)
    if interval == "normal":
        return _normal(name, table, confidence, unit, note).warned(_rare(table, unit))
    confidence = check_confidence(confidence)
    n_clusters = None
    if groups is not None:
        groups, n_clusters = compact(groups)
    texts = dict.fromkeys(adjustable, ITEMS_ADDED) | {"transformed": TRANSFORMED}
    text = texts.get(interval) or bootstrap_of(groups is not None)
    value, reason = _value(table, unit)
    if math.isnan(value):
        return undefined(name, pairs.n, unit, text + note, str(reason), confidence=confidence, n_clusters=n_clusters)
    rare = _rare(table, unit, cluster_of_item(groups), scattered=interval == "scattered")
    if interval in adjustable:
        return _adjusted(pairs, groups, table, interval, confidence, name, unit, note).warned(rare)
    if interval == "transformed":
        return _transformed(pairs, groups, table, value, reason, confidence, name, unit, note).warned(rare)
    spread = _bootstrapped(pairs, groups, table, resamples, seed, interval, confidence)
    if reason is not None:
        spread = Spread(math.nan, math.nan, None, spread.method, reason)
    estimate = spread.estimate(name, value, pairs.n, unit, confidence=confidence, n_clusters=n_clusters, note=note)
    return estimate.warned(rare, _unseen(pairs, groups, table, estimate) if applies and groups is not None else None)


def cohen_kappa_of_table(
    table: npt.ArrayLike, *, weights: Weights | None = None, confidence: float = 0.95, unit: str = "item"
) -> Estimate:
    """Cohen's kappa of a table of counts, as printed in a paper.

    Parameters
    ----------
    table : array_like of int, shape (k, k)
        Rows are the categories of one rater, columns those of the other, in the same order.
    weights : {None, "linear", "quadratic"}
        Disagreement weights.
    confidence : float
        Nominal coverage of the normal interval.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        As `cohen_kappa` with its normal interval.

    Raises
    ------
    ValueError
        When the table is not square, smaller than 2 x 2, or holds values other than whole numbers of at least 0.

    References
    ----------
    .. [1] Fleiss, Cohen and Everitt (1969). Large sample standard errors of kappa and weighted kappa. Psychological
       Bulletin 72, 323-327.

    Examples
    --------
    The table of Fleiss, Cohen and Everitt (1969): kappa .429.

    >>> round(cohen_kappa_of_table([[106, 10, 4], [22, 28, 10], [2, 12, 6]]).value, 3)
    0.429
    """
    check_weights(weights)
    whole = square_counts(table)
    name = "Cohen's kappa" if weights is None else f"Cohen's kappa, {weights} weights"
    rows, columns = np.nonzero(whole)
    result = Table(rows, columns, whole[rows, columns], np.arange(len(whole), dtype=np.float64), weights)
    return _normal(name, result, confidence, unit, "").warned(_rare(result, unit))


def _places(pairs: Pairs, weights: Weights | None, *, declared: bool) -> Floats:
    """Position of each category on the scale, in ascending order."""
    categories = pairs.categories
    if weights is not None and not declared:
        if not all(isinstance(value, int | float | np.number) and float(value).is_integer() for value in categories):
            raise ValueError(
                f"weights is {weights!r} but categories {shown(categories)} have no order; expected categories="
            )
        # whole numbers span the scale from the least to the greatest: a level that nobody used is a gap
        if len(categories) > 1:
            numbers = np.array(categories, dtype=np.float64)
            for codes, argument in ((pairs.a, "a"), (pairs.b, "b")):
                refuse_huge(numbers[codes], argument)
            return np.asarray(numbers - numbers[0])
    return np.arange(max(2, len(categories)), dtype=np.float64)


def _value(table: Table, unit: str) -> tuple[float, str | None]:
    """Kappa, and why it or its limits are undefined for any kind of interval."""
    n = table.n
    if n == 0:
        return math.nan, f"no {unit} has both verdicts"
    if n == 1:
        return math.nan, f"one {unit}: kappa needs two or more"
    expected = float(table.rows @ table.against(table.columns))  # n^2 (1 - pe), a whole number
    if expected == 0:
        return math.nan, "both raters constant on the same category: expected agreement is 1"
    value = 1.0 - n * float(table.count @ table.penalty) / expected
    used_a, used_b = int((table.rows > 0).sum()), int((table.columns > 0).sum())
    if used_a == 1 and used_b == 1:
        return value, "both raters constant: the standard error degenerates"
    if used_a == 1 or used_b == 1:
        # observed and expected disagreement are equal here, whatever the weights, so the value is exactly 0
        return value, "one rater constant: the standard error degenerates"
    if not table.penalty.any():
        return value, "perfect agreement: the standard error is 0"
    return value, None


def _normal(name: str, table: Table, confidence: float, unit: str, note: str) -> Estimate:
    confidence, n = check_confidence(confidence), table.n
    method = FLEISS_COHEN_EVERITT + note
    value, reason = _value(table, unit)
    if reason is not None:
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    variance = _variance(table)
    if variance < _ROUNDING:
        reason = "the standard error is 0 for this table"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    se = math.sqrt(variance / n)
    half = upper_normal((1.0 - confidence) / 2.0) * se
    low, high, clipped = within_range(value - half, value + half)
    return Estimate(name, value, low, high, n, unit, method + clipped, se=se, confidence=confidence)


def _rare(table: Table, unit: str, of_cluster: float = 1.0, *, scattered: bool = False) -> Caution | None:
    matters = table.weights is None or table.rows.sum() < FEW_WEIGHTED
    rare = rare_category(_rarest(table), of_cluster, scattered=scattered, unit=unit) if matters else None
    if rare or table.weights is None or _value(table, unit)[1] is not None:
        return rare
    few = few_large(table.penalty, table.count, unit) if of_cluster == 1.0 else None
    return skewed_spread((table.places[table.a] + table.places[table.b]) / 2.0, table.count, unit) or few


def _rarest(table: Table) -> float:
    """Expected number of items in the rarest category that occurs."""
    return float(((table.rows + table.columns) / 2.0)[table.rows + table.columns > 0.0].min(initial=math.inf))


def _of_sums(table: Table, totals: Floats) -> Floats:
    """Kappa from sums over items: the penalties, and how often each rater used each category."""
    k = len(table.places)
    use_a, use_b = totals[..., 1 : k + 1], totals[..., k + 1 :]
    expected = row_sums(use_a * table.against(use_b))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1.0 - row_sums(use_a) * totals[..., 0] / expected, np.nan)


def _rows(table: Table, of_both: Codes) -> Floats:
    """Contributions of items to the sums, from their codes, shape (items, 2)."""
    k, (a, b) = len(table.places), of_both.T
    return np.column_stack([table.penalty_of(a, b), np.eye(k)[a], np.eye(k)[b]])


def _unseen(pairs: Pairs, groups: Codes, table: Table, estimate: Estimate) -> Caution | None:
    """The warning for a bootstrapped kappa that clusters of another kind would change."""
    rows, cells = partial(_rows, table), np.column_stack([table.a, table.b])
    added = added_rows(rows, len(table.places), cells)
    sums, differ = table.count @ rows(cells), (pairs.a != pairs.b).astype(np.float64)
    limits = estimate.low, estimate.high
    return unseen_of_coefficient(partial(_of_sums, table), sums, added, differ, groups, *limits, scattered=0.0)


def _adjusted(
    pairs: Pairs,
    groups: Codes | None,
    table: Table,
    size: Interval,
    confidence: float,
    name: str,
    unit: str,
    note: str,
) -> Estimate:
    k, rows = len(table.places), partial(_rows, table)

    def traits() -> Floats:
        return np.column_stack([(np.eye(k)[table.a] + np.eye(k)[table.b]) / 2.0, table.a != table.b])

    # items in the same cell are identical
    cells = np.column_stack([table.a, table.b])
    return adjusted_estimate(
        partial(_of_sums, table), rows(cells), added_rows(rows, k, cells), groups,
        traits=traits, size=size,
        name=name, unit=unit, confidence=confidence, note=note, rarest=_rarest(table),
        kind=table.cells_of(pairs.a, pairs.b),
    )  # fmt: skip


def _transformed(
    pairs: Pairs,
    groups: Codes | None,
    table: Table,
    value: float,
    reason: str | None,
    confidence: float,
    name: str,
    unit: str,
    note: str,
) -> Estimate:
    k = len(table.places)
    if reason is not None and k <= MOST_CATEGORIES:  # only added items show how uncertain such a table is
        return _adjusted(pairs, groups, table, "scattered", confidence, name, unit, note)
    linearised = Linearised.of(_linearised(table), groups, table.count, table.cells_of(pairs.a, pairs.b))
    return linearised.estimate(
        value, reason, pairs.n, name=name, unit=unit, confidence=confidence, note=note, tests=False
    )


def _variance(table: Table) -> float:
    """N times the variance of kappa, Fleiss, Cohen and Everitt (1969)."""
    return float((table.count / table.n) @ _linearised(table) ** 2)


def _linearised(table: Table) -> Floats:
    """1 - kappa of the items of each cell, linearised, less its mean; shape (cells,)."""
    n, share = table.n, table.count / table.n
    mean_row, mean_column = table.against(table.columns) / n, table.against(table.rows) / n
    observed, expected = float(share @ table.penalty), float(table.rows @ mean_row) / n
    lost = observed / expected  # 1 - kappa
    # eq. 8, with 1 - w for w to avoid differences of nearly equal numbers when one category is rare. With w = identity
    # it is eq. 13
    return np.asarray((table.penalty - lost * (mean_row[table.a] + mean_column[table.b])) / expected + lost)


def _bootstrapped(
    pairs: Pairs,
    groups: Codes | None,
    table: Table,
    resamples: int,
    seed: Seed,
    interval: Interval,
    confidence: float,
) -> Spread:
    k = len(table.places)
    if groups is None:
        # items in the same cell are identical: resampling items is resampling cells
        a, b, penalties, counts = table.a, table.b, table.penalty, table.count
        units, groups = len(a), np.arange(len(a))
    else:
        a, b, penalties, counts = pairs.a, pairs.b, table.penalty_of(pairs.a, pairs.b), None
        units = int(groups.max()) + 1
    of_unit: Codes = np.asarray(groups)
    if units * k > _LARGEST:
        raise ValueError(f"a and b hold {k} categories; expected fewer, or interval='normal', for {units} units")
    # kappa needs from each unit its penalty and how often each rater used each category
    columns = np.empty((2 * k + 1, units))
    columns[0] = np.bincount(of_unit, weights=penalties, minlength=units)
    for first, codes in ((1, a), (k + 1, b)):
        use = np.bincount(codes * units + of_unit, minlength=k * units)
        columns[first : first + k] = use.reshape(k, units)
    return bootstrap_of_sums(
        partial(_of_sums, table),
        ClusterSums.of(columns.T, groups),
        counts=counts,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=counts is None,
    )
