"""Intraclass correlation of several raters."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np

from agreement.arguments import one_of, read_once, yes_or_no
from agreement.cautions import FEW_ITEMS, few_items, few_raters
from agreement.cautions_of_shape import FEW_SHOWING, SKEWED, SKEWED_OF_FEW, skewed_items
from agreement.clustered_scores import resampled, units_of
from agreement.coding import Codes, Floats, Ratings
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.functions_of_sums import OfSums, icc_of_sums, icc_rows
from agreement.icc_limits import (
    Freedom,
    MeanSquares,
    limits_of_agreement,
    limits_of_consistency,
    mean_squares,
    modified_large_sample_limits,
    seen_freedom,
)
from agreement.interval_kinds import OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.magnitude import in_range
from agreement.methods import FIXED, OF_RATERS, leaving_out
from agreement.possible_range import within_range
from agreement.quantiles import f_tail
from agreement.ratings import RatingTable, numbers_of
from agreement.resampling import Seed, sums_by_cluster
from agreement.words import Part, Words

_NO_CORRELATION = "; a value below -1 is no correlation: items differ by less than the error alone would make them"
_BOTH_BELOW = "both limits are below -1, outside the range of a correlation"


def icc(
    ratings: RatingTable,
    model: Literal[1, 2, 3] = 2,
    average: bool = False,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Intraclass correlation ICC(1), ICC(2) or ICC(3), of one rating or of the mean of k.

    With the mean squares of items ``R``, raters ``C``, within items ``W`` and residual ``E`` [1]_ [2]_:

    - ICC(1,1) ``(R - W) / (R + (k - 1) W)``: each item has different raters
    - ICC(2,1) ``(R - E) / (R + (k - 1) E + k (C - E) / n)``: absolute agreement, raters are a sample
    - ICC(3,1) ``(R - E) / (R + (k - 1) E)``: consistency, raters are fixed

    For the mean of k ratings, r and its limits become ``k r / (1 + (k - 1) r)`` (Spearman-Brown); with "f", that is
    McGraw and Wong's interval for ICC(2,k). Items with a missing rating are left out. Undefined for fewer than two
    items, if all ratings are equal, and for the mean of k if ``r <= -1 / (k - 1)``. In perfect agreement there is a
    value but no limits.

    Parameters
    ----------
    ratings : array_like of numbers, shape (items, raters)
        Ratings; None or NaN is missing.
    model : {1, 2, 3}
        Which model.
    average : bool
        Whether the coefficient is for the mean of all k raters rather than a single one.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject; the interval is then a cluster bootstrap with fixed raters, and
        `p` inverts it.
    interval : {"jackknife", "mls", "f", "widened", "percentile", "bca"}, optional
        "f" is McGraw and Wong's [2]_; "mls", for model 2 only, is the modified large-sample interval [3]_, which keeps
        its coverage with few raters. "jackknife", the default, is "mls" for model 2 and "f" for the others, with
        degrees of freedom estimated by leaving out each item (`agreement.icc_limits.seen_freedom`), for ratings that
        are not normal. The others are bootstraps of items with fixed raters.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage; "mls" and "f" assume normal ratings; all but the cluster bootstraps assume independent items.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        At most 1, and below 0 if items differ less than raters do; for a mean of k it can even be below -1, which
        `method` then explains. Limits are clipped at -1. `p` is from the F test of 0. With a `warning` where the
        items' means are skewed, as of volumes or counts: a logarithm may help.

    Raises
    ------
    ValueError
        When `model` is unknown, the table does not hold numbers, or the kind of interval does not apply to the model.

    References
    ----------
    .. [1] Shrout and Fleiss (1979). Intraclass correlations. Psychological Bulletin 86, 420-428.
    .. [2] McGraw and Wong (1996). Forming inferences about some intraclass correlation coefficients. Psychological
       Methods 1, 30-46, tables 4 and 7.
    .. [3] Cappelleri and Ting (2003). A modified large-sample approach to approximate interval estimation for a
       particular intraclass correlation coefficient. Statistics in Medicine 22, 1861-1877.

    Examples
    --------
    Shrout and Fleiss (1979), table 2: .17, .29, .71 for one rating, .44, .62, .91 for the mean of four.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(icc(ratings, model).value, 2) for model in (1, 2, 3)]
    [0.17, 0.29, 0.71]
    >>> [round(icc(ratings, model, average=True).value, 2) for model in (1, 2, 3)]
    [0.44, 0.62, 0.91]
    """
    one_of(model, "model", (1, 2, 3))
    average = yes_or_no(average, "average")
    confidence = check_confidence(confidence)
    complete = _Complete(ratings, read_once(clusters))
    return _icc(complete, model, average, interval, resamples, seed, confidence, unit)


def every_icc(
    ratings: RatingTable,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> list[Estimate]:
    """All six coefficients as by `icc`, whose mean squares and sums by cluster are computed once.

    Parameters
    ----------
    ratings, clusters, resamples, seed, confidence, unit
        As in `icc`.

    Returns
    -------
    list of Estimate
        ICC(1,1), ICC(1,k), ICC(2,1), ICC(2,k), ICC(3,1) and ICC(3,k).

    Raises
    ------
    ValueError
        As `icc`.

    Examples
    --------
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(each.value, 2) for each in every_icc(ratings)]
    [0.17, 0.44, 0.29, 0.62, 0.71, 0.91]
    """
    confidence = check_confidence(confidence)
    complete = _Complete(ratings, read_once(clusters))
    models: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
    return [
        _icc(complete, model, average, None, resamples, seed, confidence, unit)
        for model, average in product(models, (False, True))
    ]


class _Complete:
    """The items that all raters rated, and what the coefficients of all models need of them."""

    def __init__(self, ratings: RatingTable, clusters: Ratings | None) -> None:
        table = numbers_of(ratings)
        self.complete = np.asarray(~np.isnan(table).any(axis=1))
        (self.x,), _ = in_range(table[self.complete])
        self.clusters = clusters

    @cached_property
    def squares(self) -> MeanSquares:
        """Mean squares of the items."""
        return mean_squares(self.x)

    @cached_property
    def means(self) -> Floats:
        """Mean of each item."""
        return np.asarray(self.x.mean(axis=1))

    @cached_property
    def units(self) -> tuple[Codes, int | None]:
        """Cluster of each item, and how many there are."""
        return units_of(self.clusters, self.complete)

    @cached_property
    def sums(self) -> Floats:
        """The contribution of each cluster, or of each item, to the sums of every coefficient."""
        units, n_clusters = self.units
        return sums_by_cluster(icc_rows(self.x), units if n_clusters is not None else None)


def _icc(
    of: _Complete,
    model: Literal[1, 2, 3],
    average: bool,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> Estimate:
    kinds: tuple[Interval, ...] = ("jackknife", *(("mls", "f") if model == 2 else ("f",)), *OF_CLUSTERED_NUMBERS)
    groups = shared_clusters(of.clusters, of.complete, interval)
    interval = chosen_interval(interval, *kinds, clustered=groups is not None)
    if interval in OF_CLUSTERED_NUMBERS:
        return _resampled(of, model, average, interval, resamples, seed, confidence, unit)
    return _of_independent(of, model, average, interval, confidence, unit)


def _of_independent(
    of: _Complete, model: Literal[1, 2, 3], average: bool, interval: Interval, confidence: float, unit: str
) -> Estimate:
    x, complete = of.x, of.complete
    n, k = x.shape
    name = f"ICC({model},{'k' if average else 1})"
    note = leaving_out(int((~complete).sum()), "with a missing rating")
    method = _method(model, average, interval, note)
    if n < 2:
        return undefined(name, n, unit, method, f"fewer than two {unit}s with all ratings", confidence=confidence)
    squares = of.squares
    items, raters, within, residual, _, _ = squares
    noise = within if model == 1 else residual
    if np.ptp(x) == 0.0:
        return undefined(name, n, unit, method, "all ratings are equal", confidence=confidence)
    whole = items + (k - 1) * noise + (k * (raters - residual) / n if model == 2 else 0.0)
    if whole <= 1e-12 * (items + raters + within):
        reason = "no variance is left for items: the coefficient divides by 0"
        return undefined(name, n, unit, method, reason, confidence=confidence)
    single = (items - noise) / whole
    value = _spearman_brown(single, k) if average else single
    if math.isinf(value):
        reason = f"ICC({model},1) is {single:.3g}: too low for the mean of {k} to have one"
        return undefined(name, n, unit, method, reason, confidence=confidence)
    if value < -1.0:
        method += _NO_CORRELATION
    if items <= 1e-12 * noise:
        reason = "all items have the same mean: no interval"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    if noise <= 1e-12 * items:
        reason = "perfect agreement: the error mean square is 0"
        if model == 2 and raters > 1e-12 * items:
            reason = "perfect consistency: the residual mean square is 0"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    p = f_tail(items / noise, n - 1, n * (k - 1) if model == 1 else (n - 1) * (k - 1))
    freedom = seen_freedom(x, rows_only=model == 1) if interval == "jackknife" else None
    low, high = _limits(squares, model, interval, (1.0 - confidence) / 2.0, freedom)
    if average:
        low, high = _spearman_brown(low, k), _spearman_brown(high, k)
    if math.isinf(low) and not _of_large_samples(model, interval):
        reason = f"the lower limit of ICC({model},1) is too low for the mean of {k} to have one"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    if low < -1.0 < high:
        low = -1.0
        method += "; lower limit clipped at -1"
    elif high <= -1.0:
        return undefined(name, n, unit, method, _BOTH_BELOW, value=value, p=p, confidence=confidence)
    if not low < high:
        return undefined(name, n, unit, method, "the interval has no width here", value=value, confidence=confidence)
    estimate = Estimate(name, value, low, high, n, unit, method, p=p, confidence=confidence)
    above = SKEWED_OF_FEW if FEW_ITEMS <= n < FEW_SHOWING else SKEWED
    return estimate.warned(
        few_raters(k) if model != 3 else None, few_items(n, unit), skewed_items(of.means, unit, above)
    )


def _of_large_samples(model: int, interval: Interval) -> bool:
    return model == 2 and interval != "f"


def _method(model: int, average: bool, interval: Interval, note: str) -> Words:
    large = _of_large_samples(model, interval)
    method = Words("modified large sample interval" if large else "McGraw-Wong F interval")
    if interval == "jackknife":
        method += Words(", ", Part("degrees of freedom by the jackknife", terms=("degrees of freedom",)))
    how = " of ICC(2,1) by Spearman-Brown" if model == 2 and average else ""
    return method + Words(how, ", ", OF_RATERS[model], ", items sampled and independent", note)


def _limits(
    squares: MeanSquares, model: int, interval: Interval, tail: float, freedom: Freedom | None
) -> tuple[float, float]:
    """The limits for a single rating; with infinite ones the mean of several has none."""
    if _of_large_samples(model, interval):
        return modified_large_sample_limits(squares, tail, freedom=freedom)
    if model == 2:
        return limits_of_agreement(squares, tail)
    return limits_of_consistency(squares, tail, rows_only=model == 1, freedom=freedom)


def _resampled(
    of: _Complete,
    model: Literal[1, 2, 3],
    average: bool,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> Estimate:
    units, n_clusters = of.units
    note = "; " + FIXED + ", items sampled" + leaving_out(int((~of.complete).sum()), "with a missing rating")
    # the kind that takes least to compute: its limits are replaced
    plain = _of_independent(of, model, average, "mls" if model == 2 else "f", confidence, unit)
    estimate = resampled(
        plain, OfSums(of.sums, icc_of_sums(of.x.shape[1], model, average), of_units=True), units, n_clusters,
        interval=interval, resamples=resamples, seed=seed, confidence=confidence, note=note,
    )  # fmt: skip
    if estimate.value < -1.0:
        estimate = replace(estimate, method=estimate.method + _NO_CORRELATION)
    if estimate.high <= -1.0:
        return replace(estimate, low=math.nan, high=math.nan, undefined_because=_BOTH_BELOW)
    low, _, clipped = within_range(estimate.low, estimate.high)
    return replace(estimate, low=low, method=estimate.method + clipped) if clipped else estimate


def _spearman_brown(single: float, k: int) -> float:
    below = 1.0 + (k - 1) * single
    return k * single / below if below > 0.0 else -math.inf
