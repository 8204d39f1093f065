"""Custom agreement weights, as a checked matrix or one of the usual ones by name, and Cohen's kappa with them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agreement.added_items import MOST_CATEGORIES, added_rows, adjusted_estimate
from agreement.arguments import shown, whole_number, yes_or_no
from agreement.codebook import declared
from agreement.coding import Codes, Floats, Pairs, Ratings, compact, encode_pairs
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.given_numbers import as_floats
from agreement.incomplete_pairs import left_out
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.methods import FLEISS_COHEN_EVERITT, bootstrap_of
from agreement.possible_range import within_range
from agreement.quantiles import upper_normal
from agreement.ratings import check_weights
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.transformed import TRANSFORMED, Linearised

Kind = Literal["linear", "quadratic", "radical", "ordinal"]
Matrix = Kind | npt.ArrayLike

_ROUNDING = 1e-12
_MOST = 5_000  # categories of a matrix


def agreement_weights(weights: Matrix | None, categories: int, *, disagreement: bool = False) -> Floats:
    """Agreement weights as a matrix: one of the usual ones by name, or a custom matrix after checks.

    With categories k, l among 1 ... q [1]_: identity (None), linear ``1 - |k - l| / (q - 1)``, quadratic
    ``1 - (k - l)^2 / (q - 1)^2``, radical ``1 - sqrt(|k - l| / (q - 1))``, ordinal ``1 - M_kl / M_1q`` with
    ``M_kl = d (d + 1) / 2``, ``d = |k - l|``. A custom matrix is symmetric, with 1 on the diagonal and weights from 0
    to 1 elsewhere, not all of them 1. With `disagreement`, it holds penalties of at least 0, with 0 on the diagonal,
    which become ``1 - penalty / greatest penalty`` [2]_.

    Parameters
    ----------
    weights : {None, "linear", "quadratic", "radical", "ordinal"} or array_like, shape (q, q)
        Weights in the order of the categories.
    categories : int
        Number of categories, q, at least 2.
    disagreement : bool
        Whether the matrix holds penalties.

    Returns
    -------
    ndarray, shape (q, q)

    Raises
    ------
    ValueError
        When the name is unknown, or the matrix has the wrong shape, is not symmetric, or holds invalid numbers.

    References
    ----------
    .. [1] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 3.
    .. [2] Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> agreement_weights("ordinal", 3).round(3).tolist()
    [[1.0, 0.667, 0.0], [0.667, 1.0, 0.667], [0.0, 0.667, 1.0]]
    >>> agreement_weights([[0, 1, 4], [1, 0, 2], [4, 2, 0]], 3, disagreement=True).tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    q, disagreement = whole_number(categories, "categories", 2, _MOST), yes_or_no(disagreement, "disagreement")
    if weights is None or isinstance(weights, str):
        return _named(weights, q)
    try:
        matrix = as_floats(weights)
    except (TypeError, ValueError):
        raise ValueError(f"weights is {shown(weights)}; expected a name, or a matrix of numbers") from None
    if matrix.shape != (q, q):
        raise ValueError(f"weights has shape {matrix.shape}; expected ({q}, {q}), one row for each category")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("weights holds a negative or missing number; expected numbers of at least 0")
    if (np.abs(matrix - matrix.T) > _ROUNDING).any():
        raise ValueError("weights is not symmetric; expected the same weight for (k, l) and (l, k)")
    if disagreement:
        if np.diag(matrix).any() or not matrix.any():
            raise ValueError("weights holds penalties; expected 0 on the diagonal and one above 0 elsewhere")
        return np.asarray(1.0 - matrix / matrix.max())
    if (np.abs(np.diag(matrix) - 1.0) > _ROUNDING).any() or (matrix > 1.0 + _ROUNDING).any():
        raise ValueError("weights holds agreement; expected 1 on the diagonal and at most 1 elsewhere")
    if (matrix >= 1.0 - _ROUNDING).all():
        raise ValueError("weights is 1 everywhere; expected a pair of categories that do not fully agree")
    return matrix


def name_or_matrix(
    weights: Matrix | None, categories: Sequence[Hashable] | None
) -> tuple[Literal["linear", "quadratic"] | None, Floats | None]:
    """Weights of a coefficient as one of the usual names, or as a checked custom matrix.

    Parameters
    ----------
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        The requested weights.
    categories : sequence, length q, or None
        The declared categories, which label the rows of a matrix.

    Returns
    -------
    name : {None, "linear", "quadratic"}
        Also None with a matrix.
    matrix : ndarray, shape (q, q), or None

    Raises
    ------
    ValueError
        When the name is unknown, or a matrix is invalid or lacks categories.

    Examples
    --------
    >>> name_or_matrix("linear", None)
    ('linear', None)
    >>> name_or_matrix([[1, 0], [0, 1]], ["no", "yes"])[1].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if weights is None or isinstance(weights, str):
        check_weights(weights)
        return weights, None  # type: ignore[return-value]
    if categories is None:
        given = type(weights).__name__
        raise ValueError(f"weights is a {given}; expected None, 'linear' or 'quadratic', or a matrix with categories=")
    return None, agreement_weights(weights, len(declared(categories)))


def with_weights(name: str, weights: Matrix | None) -> str:
    """The name of a coefficient with the name of its weights.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    weights : {None, "linear", "quadratic"} or array_like
        As in `name_or_matrix`.

    Returns
    -------
    str

    Examples
    --------
    >>> with_weights("kappa", "linear"), with_weights("kappa", [[1, 0], [0, 1]])
    ('kappa, linear weights', 'kappa, own weights')
    """
    if weights is None:
        return name
    return f"{name}, {weights if isinstance(weights, str) else 'own'} weights"


def cohen_kappa_with_weights(
    a: Ratings,
    b: Ratings,
    weights: Matrix,
    categories: Sequence[Hashable],
    *,
    disagreement: bool = False,
    excluded: Ratings | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Cohen's kappa of two raters with custom weights.

    ``kappa = (po - pe) / (1 - pe)`` with ``po = sum w_kl p_kl``, ``pe = sum w_kl p_k. p_.l`` [1]_. The standard error
    is that of Fleiss, Cohen and Everitt [2]_, eq. 8: ``se^2 = (sum p_kl (w_kl (1 - pe) - (w_k. + w_.l) (1 - po))^2
    - (po pe - 2 pe + po)^2) / (n (1 - pe)^4)``. Undefined in the same cases as `cohen_kappa`.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing.
    weights : {"linear", "quadratic", "radical", "ordinal"} or array_like, shape (q, q)
        See `agreement_weights`.
    categories : sequence, length q
        The declared categories in the order of the matrix.
    disagreement : bool
        Whether the matrix holds penalties.
    excluded : sequence of bool, shape (items,), optional
        As in `cohen_kappa`.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"transformed", "normal", "percentile", "bca"}, optional
        By default "transformed", as in `cohen_kappa`, also where all agree; of a kappa below -1, which a
        matrix can give, on the scale of log(1 - kappa).
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        When lengths differ, a verdict is not among the categories, the weights are invalid, or a normal interval is
        requested for clustered items.

    References
    ----------
    .. [1] Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.
    .. [2] Fleiss, Cohen and Everitt (1969). Large sample standard errors of kappa and weighted kappa. Psychological
       Bulletin 72, 323-327.

    Examples
    --------
    Fleiss, Cohen and Everitt (1969), with their weights: kappa .507, variance .003248.

    >>> counts = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
    >>> a, b = zip(*((i, j) for i in range(3) for j in range(3) for _ in range(counts[i][j])))
    >>> weights = [[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]]
    >>> weighted = cohen_kappa_with_weights(a, b, weights, (0, 1, 2), interval="normal")
    >>> round(weighted.value, 3), round(weighted.se**2, 6)
    (0.507, 0.003248)
    """
    confidence = check_confidence(confidence)
    levels = declared(categories)
    w = agreement_weights(weights, len(levels), disagreement=disagreement)
    pairs = encode_pairs(a, b, levels)
    n, q = pairs.n, len(levels)
    groups, n_clusters = shared_clusters(clusters, pairs.rated, interval), None
    interval = chosen_interval(
        interval, "transformed", "normal", *BOOTSTRAPS,
        clustered=groups is not None, for_clusters=("transformed", *BOOTSTRAPS),
    )  # fmt: skip
    if groups is not None:
        groups, n_clusters = compact(groups)
    name = "Cohen's kappa, own weights" if not isinstance(weights, str) else f"Cohen's kappa, {weights} weights"
    note = left_out(pairs, excluded)
    methods = {"normal": FLEISS_COHEN_EVERITT, "transformed": TRANSFORMED}
    method = methods.get(interval, bootstrap_of(groups is not None)) + note
    counts = np.zeros((q, q))
    np.add.at(counts, (pairs.a, pairs.b), 1.0)
    value = float(_kappa(counts.ravel(), w)) if n else math.nan
    reason = _reason(counts, w, value, unit)
    if interval == "transformed" and reason is not None and not math.isnan(value) and n > 1 and q <= MOST_CATEGORIES:
        return _adjusted(pairs, groups, w, name=name, unit=unit, confidence=confidence, note=note)
    if reason is not None:
        if n < 2:
            value = math.nan
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters)
    least = -1.0 if isinstance(weights, str) else -math.inf  # with custom weights it can be lower
    if interval == "transformed":
        lowest = -1.0 if value > -1.0 else least
        return Linearised.of(_linearised(counts / n, w)[pairs.a, pairs.b], groups).estimate(
            value, None, n, name=name, unit=unit, confidence=confidence, note=note, lowest=lowest, tests=False
        )
    if interval == "normal":
        se = _standard_error(counts / n, w, n)
        if not se > 0.0:
            reason = "the standard error is 0 for this table"
            return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
        half = upper_normal((1.0 - confidence) / 2.0) * se
        low, high, clipped = within_range(value - half, value + half, least)
        return Estimate(name, value, low, high, n, unit, method + clipped, se=se, confidence=confidence)
    cells = np.eye(q * q)[pairs.a * q + pairs.b]
    spread = bootstrap_of_sums(
        lambda totals: _kappa(totals, w),
        sums_by_cluster(cells, groups),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    return spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=note)


def _adjusted(pairs: Pairs, groups: Codes | None, w: Floats, **named: Any) -> Estimate:
    """Kappa with two items added, for tables whose linearised standard error is 0 or degenerates."""
    q, kind = len(w), pairs.a * len(w) + pairs.b
    cells = np.eye(q * q)

    def traits() -> Floats:
        a, b = np.divmod(np.arange(q * q), q)
        return np.column_stack([(np.eye(q)[a] + np.eye(q)[b]) / 2.0, a != b])

    added = added_rows(lambda codes: cells[codes[:, 0] * q + codes[:, 1]], q, np.column_stack([pairs.a, pairs.b]))
    return adjusted_estimate(
        lambda totals: _kappa(totals, w), cells, added, groups, traits=traits, kind=kind,
        rarest=_rarest(pairs, q), lowest=-1.0, **named,
    )  # fmt: skip


def _rarest(pairs: Pairs, q: int) -> float:
    """Expected number of items in the rarest category that occurs."""
    expected = (np.bincount(pairs.a, minlength=q) + np.bincount(pairs.b, minlength=q)) / 2.0
    return float(expected[expected > 0.0].min())


def _named(kind: str | None, q: int) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q))).astype(np.float64)
    if kind is None:
        return np.eye(q)
    penalties = {"linear": apart, "quadratic": apart**2, "radical": np.sqrt(apart), "ordinal": apart * (apart + 1) / 2}
    if kind not in penalties:
        raise ValueError(f"weights is {kind!r}; expected None, 'linear', 'quadratic', 'radical', 'ordinal' or a matrix")
    return np.asarray(1.0 - penalties[kind] / penalties[kind].max())


def _kappa(totals: Floats, w: Floats) -> Floats:
    q = len(w)
    counts = totals.reshape(*totals.shape[:-1], q, q)
    n = counts.sum(axis=(-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (w * counts).sum(axis=(-1, -2)) / n
        expected = ((counts.sum(axis=-1) @ w) * counts.sum(axis=-2)).sum(axis=-1) / n**2
        return np.where(expected < 1.0 - _ROUNDING, (observed - expected) / (1.0 - expected), np.nan)


def _reason(counts: Floats, w: Floats, value: float, unit: str) -> str | None:
    n = counts.sum()
    if n < 2:
        return f"no {unit} has both verdicts" if n == 0 else f"one {unit}: kappa needs two or more"
    if math.isnan(value):
        return "expected agreement is 1"
    if (counts.sum(axis=0) > 0).sum() == 1 or (counts.sum(axis=1) > 0).sum() == 1:
        return "a rater is constant: the standard error degenerates"
    if not (counts * (1.0 - w)).any():
        return "perfect agreement: the standard error is 0"
    return None


def _linearised(p: Floats, w: Floats) -> Floats:
    """1 - kappa of the items of each cell, linearised, less its mean; shape (q, q)."""
    penalty, of_a, of_b = 1.0 - w, p.sum(axis=1), p.sum(axis=0)
    expected = float(of_a @ penalty @ of_b)
    lost = float((penalty * p).sum()) / expected
    return np.asarray((penalty - lost * ((penalty @ of_b)[:, None] + (of_a @ penalty)[None, :])) / expected + lost)


def _standard_error(p: Floats, w: Floats, n: int) -> float:
    """Fleiss, Cohen and Everitt (1969), eq. 8."""
    of_a, of_b = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((w * p).sum()), float(of_a @ w @ of_b)
    mean_a, mean_b = w @ of_b, of_a @ w
    inner = w * (1.0 - expected) - (mean_a[:, None] + mean_b[None, :]) * (1.0 - observed)
    square = float((p * inner**2).sum()) - (observed * expected - 2.0 * expected + observed) ** 2
    return math.sqrt(max(0.0, square) / n) / (1.0 - expected) ** 2
