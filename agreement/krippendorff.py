"""Krippendorff's alpha: nominal, ordinal, interval and ratio ratings of any number of raters, some missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agreement.added_items import MOST_CATEGORIES, added_rows
from agreement.arguments import one_of, shown
from agreement.category_counts import counts_of
from agreement.cautions import RARE
from agreement.cautions_of_shape import few_large, skewed_items
from agreement.chance_corrected import (
    ROUNDING,
    Coefficient,
    estimate_of,
    rarest_of,
    traits_of,
)
from agreement.coding import Codes, Floats, Ratings, encode_clusters
from agreement.estimate import Estimate
from agreement.incomplete_pairs import left_out_of_all
from agreement.interval_kinds import BOOTSTRAPS, Interval
from agreement.magnitude import in_range
from agreement.ratings import RatingTable, encode_ratings, numbers_of
from agreement.resampling import Seed
from agreement.row_sums import row_counts, row_sums

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    ratings: RatingTable,
    level: Level = "nominal",
    *,
    categories: Sequence[Hashable] | None = None,
    excluded: npt.ArrayLike | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Krippendorff's alpha, ``1 - D_o / D_e``.

    ``D_o = (1/n) sum_u sum_{i != j} d(x_ui, x_uj) / (m_u - 1)`` over items u with ``m_u >= 2`` ratings, ``n = sum
    m_u``, and ``D_e = sum_c sum_k n_c n_k d(c, k) / (n (n - 1))`` [1]_. The metric d is 0 or 1 (nominal), ``(c -
    k)^2`` (interval), ``((c - k) / (c + k))^2`` (ratio), or ``(n_c / 2 + n_between + n_k / 2)^2`` (ordinal), which is
    Krippendorff's own and differs from that of rank-weighted coefficients.

    Undefined for fewer than two items with two ratings, and if all ratings are the same. In perfect agreement there is
    a value but no limits.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing. Must be numbers for "interval" and "ratio".
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement.
    categories : sequence, optional
        The declared categories in their order; required for "ordinal" unless ratings are numbers.
    excluded : array_like of bool, shape (items, raters), optional
        Where a rater gave a verdict that is not a rating, such as "cannot be scored". Items that lack ratings for this
        reason are counted separately from those that lack verdicts.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    interval : {"scattered", "effective", "adjusted", "transformed", "t", "percentile", "bca"}, optional
        By default "scattered" at the nominal level, as in `fleiss_kappa`. At the other levels, "scattered", "effective"
        and "adjusted" do not apply, and the default is "transformed" (`agreement.transformed`): t on the scale of
        Fisher's z, with clusters by their sums, or at the ordinal level with two items added if all agree. "t" uses
        Gwet's standard error [2]_ and t with n - 1 degrees of freedom, clipped at 1. At the ordinal level it takes the
        metric as fixed, "transformed" linearises it as well, and the bootstrap recomputes it in each resample.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        `n` counts the items with two ratings or more.

    Raises
    ------
    ValueError
        When `level` is unknown, a rating is undeclared, numbers or an order are lacking, ratio ratings are negative, or
        `excluded` is not one True or False for each rating, or is True where there is a rating.

    References
    ----------
    .. [1] Krippendorff (2011). Computing Krippendorff's alpha-reliability. Annenberg School for Communication.
    .. [2] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapters 2 and 5.

    Examples
    --------
    Krippendorff (2011), four observers and twelve units: .743, .815, .849 and .797.

    >>> ratings = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]]
    >>> ratings += [[1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]]
    >>> [round(krippendorff_alpha(ratings, level).value, 3) for level in ("nominal", "ordinal", "interval", "ratio")]
    [0.743, 0.815, 0.849, 0.797]
    """
    one_of(level, "level", ("nominal", "ordinal", "interval", "ratio"))
    resampled = isinstance(interval, str) and interval in BOOTSTRAPS
    coefficient, pairable = alpha_coefficient(ratings, level, categories, anew=resampled, varies=interval != "t")
    groups = encode_clusters(clusters, pairable.size)[pairable] if clusters is not None else None
    estimate = estimate_of(
        coefficient,
        f"Krippendorff's alpha, {level}",
        int(pairable.sum()),
        groups,
        interval,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        unit=unit,
        note=left_out_of_all(ratings, pairable, excluded, 2, "with fewer than two ratings"),
        of_distances=level != "nominal",
    )
    if coefficient is None or math.isnan(estimate.low):
        return estimate
    if level == "ordinal" and estimate.n_clusters is None and (apart := coefficient.disagreement) is not None:
        return estimate.warned(few_large(apart**2, None, unit) if np.count_nonzero(apart) >= RARE else None)
    if level != "interval":
        return estimate
    of_item, total = coefficient.rows[:, 1], coefficient.rows[:, 2]
    return estimate.warned(skewed_items(total / of_item, unit))


def alpha_coefficient(
    ratings: RatingTable,
    level: Level,
    categories: Sequence[Hashable] | None = None,
    *,
    anew: bool,
    varies: bool = False,
) -> tuple[Coefficient | None, npt.NDArray[np.bool_]]:
    """Alpha as the contribution of each item and a function of the sums.

    Parameters
    ----------
    ratings, level, categories
        As in `krippendorff_alpha`.
    anew : bool
        Whether the ordinal metric is recomputed from the sums of each resample or taken as fixed.
    varies : bool
        Whether the linearised coefficient allows for the variation of the ordinal metric.

    Returns
    -------
    coefficient : Coefficient or None
        For the items with two ratings or more; None if there are none.
    pairable : ndarray of bool, shape (items,)
        Which items these are.

    Raises
    ------
    ValueError
        When a rating is undeclared, or numbers or an order are lacking.

    Examples
    --------
    >>> coefficient, pairable = alpha_coefficient([[1, 1], [2, 2], [1, 2], [1, None]], "nominal", anew=True)
    >>> round(float(coefficient.of_sums(coefficient.rows.sum(axis=0))), 3), pairable.tolist()
    (0.444, [True, True, True, False])
    """
    coefficient = None
    if level == "interval":
        if categories is not None:
            encode_ratings(ratings, categories)  # refuses undeclared ratings
        numbers = numbers_of(ratings)
        pairable = (~np.isnan(numbers)).sum(axis=1) >= 2
        if pairable.any():
            rated = numbers[pairable]
            coefficient = replace(_of_numbers(rated), disagreement=_ranges(rated))
    else:
        coded = encode_ratings(ratings, categories)
        levels = coded.categories
        if level == "ordinal" and categories is None and not _all_numbers(levels):
            raise ValueError(f"level is 'ordinal' but categories {shown(levels)} have no order; expected categories=")
        metric = _ratio_metric(levels) if level == "ratio" else None
        enough = row_counts(coded.codes >= 0) >= 2
        pairable = np.zeros(coded.rated.size, dtype=bool)
        pairable[coded.rated] = enough
        if enough.any():
            codes, q = coded.codes[enough], len(levels)
            if level == "nominal":
                counts = counts_of(codes, q)
                added = _added(codes, q) if 1 < q <= MOST_CATEGORIES else None
                coefficient = replace(
                    _of_categories(counts, None),
                    rarest=rarest_of(codes),
                    traits=partial(traits_of, counts),
                    added=added,
                )
            elif level == "ratio":
                coefficient = _of_categories(counts_of(codes, q), metric)
            elif varies and not anew and _alike(codes) and 1 < q <= MOST_CATEGORIES:
                counts = counts_of(codes, q)
                added = added_rows(lambda added: _of_ranks(counts_of(added, q)).rows, q, codes)
                coefficient = replace(_of_ranks(counts), traits=partial(traits_of, counts), added=added)
            else:
                coefficient = _of_ranks(counts_of(codes, q)) if anew else _of_numbers(_middles(codes, q))
                if varies:
                    coefficient = replace(coefficient, linearise=partial(_linearised_with_ranks, codes, q))
            if level != "nominal":
                coefficient = replace(coefficient, disagreement=_ranges(np.where(codes >= 0, codes, np.nan)))
    return coefficient, pairable


def _alike(codes: Codes) -> bool:
    """Whether the raters agree on every item."""
    return bool(((codes < 0) | (codes == codes.max(axis=1)[:, None])).all())


def _ranges(ratings: Floats) -> Floats:
    """Largest less smallest rating of each item, exactly 0 where raters agree."""
    return np.asarray(reduce(np.fmax, ratings.T) - reduce(np.fmin, ratings.T))


def _added(codes: Codes, q: int) -> Floats:
    """Contribution of the items added by the adjusted interval to the sums of the nominal coefficient."""
    return added_rows(lambda added: _of_categories(counts_of(added, q), None).rows, q, codes)


def _middles(codes: Codes, q: int) -> Floats:
    """Ratings as numbers whose squared differences are the ordinal metric: the middles of their categories."""
    middle = _middle(np.bincount(codes[codes >= 0], minlength=q).astype(np.float64))
    return np.where(codes >= 0, middle[codes], np.nan)


def _linearised_with_ranks(codes: Codes, q: int) -> Floats:
    """Ordinal alpha linearised item by item, with its metric, a function of how often each category is used."""
    known = codes >= 0
    m = row_counts(known).astype(np.float64)
    use = np.bincount(codes[known], minlength=q).astype(np.float64)
    middle, total = _middle(use), float(use.sum())
    pool = float(use @ middle), float(use @ middle**2)
    against_pool = total * middle**2 - 2.0 * middle * pool[0] + pool[1]
    x = np.where(known, middle[codes], 0.0)
    of_items = 2.0 * (m * (x**2).sum(axis=1) - x.sum(axis=1) ** 2) / (m - 1.0)
    observed, expected = float(of_items.sum()), float(use @ against_pool)
    if observed <= 0.0 or expected <= 0.0:
        return np.zeros(len(codes))
    # the derivatives by the middles; a further rating moves its own by half a place and all those above by one
    of_others = ((x.sum(axis=1)[:, None] - x) / (m[:, None] - 1.0))[known]
    by_observed = 4.0 * (use * middle - np.bincount(codes[known], weights=of_others, minlength=q))
    by_expected = 4.0 * use * (total * middle - pool[0])

    def moved(by: Floats) -> Floats:
        return np.asarray(np.cumsum(by[::-1])[::-1] - by / 2.0)

    shift = moved(by_observed) / observed - (2.0 * against_pool + moved(by_expected)) / expected
    change = m / (total - 1.0) + of_items / observed + np.where(known, shift[codes], 0.0).sum(axis=1)
    return np.asarray(-len(codes) * (total - 1.0) * observed / expected * change)


def _of_categories(counts: Floats, metric: Floats | None) -> Coefficient:
    """Alpha with a metric that is the same in each resample; None is the nominal one."""

    def against(use: Floats) -> Floats:
        return row_sums(use)[..., None] - use if metric is None else np.asarray(use @ metric)

    m = row_sums(counts)
    observed = row_sums(against(counts) * counts) / (m - 1.0)
    pool = counts.sum(axis=0)

    def of_sums(totals: Floats) -> Floats:
        n_c = totals[..., 1:]
        return _alpha(totals[..., 0], row_sums(n_c), row_sums(against(n_c) * n_c))

    against_pool = counts @ against(pool) / pool.sum()
    return _coefficient(np.column_stack([observed, counts]), of_sums, m, observed, against_pool, 1.0)


def _of_ranks(counts: Floats) -> Coefficient:
    q = counts.shape[1]
    above, below = np.triu_indices(q, 1)
    m = row_sums(counts)
    # coincidences of each item above the diagonal, so that the metric can be applied later
    pairs = 2.0 * counts[:, above] * counts[:, below] / (m - 1.0)[:, None]

    def of_sums(totals: Floats) -> Floats:
        n_c = totals[..., :q]
        distance = _ordinal_metric(n_c)[..., above, below]
        observed = row_sums(totals[..., q:] * distance)
        expected = 2.0 * row_sums(n_c[..., above] * n_c[..., below] * distance)
        return _alpha(observed, row_sums(n_c), expected)

    pool = counts.sum(axis=0)
    metric = _ordinal_metric(pool)
    observed = pairs @ metric[above, below]
    against_pool = counts @ metric @ pool / pool.sum()
    return _coefficient(np.column_stack([counts, pairs]), of_sums, m, observed, against_pool, metric.max())


def _of_numbers(numbers: Floats) -> Coefficient:
    known = ~np.isnan(numbers)
    m = known.sum(axis=1).astype(np.float64)
    # sums of squares suffice for the interval metric; they are taken about the mean, so that large values lose no
    # digits, and in units of the range, which alpha does not depend on
    (scaled,), _ = in_range(numbers)
    spread = float(np.nanmax(scaled) - np.nanmin(scaled))
    x = np.where(known, scaled - np.nanmean(scaled), 0.0) / (spread or 1.0)
    first, second = x.sum(axis=1), (x**2).sum(axis=1)
    observed = 2.0 * (m * second - first**2) / (m - 1.0)
    n = m.sum()

    def of_sums(totals: Floats) -> Floats:
        expected = 2.0 * (totals[..., 1] * totals[..., 3] - totals[..., 2] ** 2)
        return _alpha(totals[..., 0], totals[..., 1], expected)

    against_pool = second - 2.0 * first * first.sum() / n + m * second.sum() / n
    rows = np.column_stack([observed, m, first, second])
    return _coefficient(rows, of_sums, m, observed, against_pool, 1.0 if spread > 0.0 else 0.0)


def _alpha(observed: Floats, n: Floats, expected: Floats) -> Floats:
    """1 - D_o / D_e from sums of disagreements over items and over all pairs of the pool."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > ROUNDING, 1.0 - (n - 1.0) * observed / expected, np.nan)


def _coefficient(
    rows: Floats,
    of_sums: Callable[[Floats], Floats],
    m: Floats,
    observed: Floats,
    against_pool: Floats,
    greatest: float,
) -> Coefficient:
    # the pairable ratings do not vary, whatever the others are
    if greatest <= 0.0 or not against_pool.any():
        reason = "all ratings are the same: expected disagreement is 0"
        return Coefficient(rows, of_sums, lambda: np.zeros(len(rows)), reason)

    def linearise() -> Floats:
        # Gwet (2014), ch. 5, with weights 1 - d / max d
        mean = m.mean()
        share = (m - observed / greatest) / mean
        chance = (m - against_pool / greatest) / mean
        agreed, expected = share.mean(), chance.mean()
        corrected = agreed + (1.0 - agreed) / m.sum()
        value = (agreed - expected) / (1.0 - expected)
        uneven = (m - mean) / mean
        linearised = (share - corrected * uneven - expected) / (1.0 - expected)
        linearised -= 2.0 * (1.0 - value) * (chance - expected * uneven - expected) / (1.0 - expected)
        return np.asarray(linearised)

    return Coefficient(rows, of_sums, linearise)


def _middle(pool: Floats) -> Floats:
    """Number of ratings below each category and half of those in it."""
    return np.asarray(np.cumsum(pool, axis=-1) - pool / 2.0)


def _ordinal_metric(pool: Floats) -> Floats:
    """Squared number of ratings from the middle of one category to the middle of the other, shape (..., q, q)."""
    middle = _middle(pool)
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _ratio_metric(levels: Sequence[Any]) -> Floats:
    if not _all_numbers(levels) or any(value < 0 or value == math.inf for value in levels):
        raise ValueError(
            f"level is 'ratio' but ratings hold {shown(levels)}; expected numbers of at least 0, all finite"
        )
    (values,), _ = in_range(np.asarray(levels, dtype=np.float64))
    together = np.add.outer(values, values)
    apart = np.subtract.outer(values, values)
    metric = np.divide(apart, together, out=np.zeros_like(apart), where=together > 0) ** 2
    # alpha does not depend on the unit of the metric, so small differences must not be taken for rounding error
    return np.asarray(metric / (metric.max(initial=0.0) or 1.0))


def _all_numbers(levels: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float | np.number) for value in levels)
