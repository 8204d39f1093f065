"""Agreement of all raters, exact or within some steps; Fleiss' kappa by category; Light's kappa."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from agreement.arguments import read_once, shown, whole_number
from agreement.category_counts import check_size, counts_of
from agreement.caution import Caution
from agreement.cautions import rare_category
from agreement.chance_corrected import ROUNDING
from agreement.coding import Codes, Floats, Ratings, compact, encode, encode_clusters
from agreement.effective_size import cluster_of_item
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.incomplete_pairs import left_out_of_all
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.methods import FIXED, bootstrap_of, leaving_out
from agreement.own_weights import Matrix, agreement_weights
from agreement.pairwise import share_of_items
from agreement.ratings import RatingTable, refuse_unlike_columns, rows_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.several_raters import fleiss_kappa

RARE_RESAMPLED = 8
"""With a category expected in fewer items than this, 95 % intervals of Light's kappa can have a coverage below 90 %
(`docs/statistics.md`, coverage)."""

FEW_SHARED = 3
"""The same if a pair of raters has, on average, fewer items than this on which both use a category: their kappa then
turns on an item or two, however often either of them uses it alone."""


def percent_agreement_of_all(
    ratings: RatingTable,
    steps: int = 0,
    *,
    categories: Sequence[Hashable] | None = None,
    excluded: npt.ArrayLike | None = None,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Share of items on which all raters give the same rating, or ratings at most some steps apart.

    An item counts if the difference between its greatest and smallest rating is at most `steps` [1]_. The share falls
    as the number of raters grows, and is not corrected for chance. Items that not everybody rated are left out and
    counted, as in R's irr. Undefined for no items.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    steps : int
        Steps on the scale of the declared categories; without `categories`, ratings are whole numbers and a step is 1.
    categories : sequence, optional
        The declared categories in their order; required for steps unless ratings are whole numbers.
    excluded : array_like of bool, shape (items, raters), optional
        Where a rater gave a verdict that is not a rating, as in `krippendorff_alpha`.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    interval : {"score", "percentile", "bca"}, optional
        By default "score" (Wilson's) without and "percentile" with `clusters`.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        A proportion in [0, 1].

    Raises
    ------
    ValueError
        When `steps` is not a whole number of at least 0, a rating is undeclared, steps lack an order, or `excluded` is
        not as `krippendorff_alpha` expects.

    References
    ----------
    .. [1] Gamer, Lemon and Singh (2019). irr: various coefficients of interrater reliability and agreement. R package
       0.84.1, function agree and its argument tolerance.

    Examples
    --------
    All three agree on one of three items, and within one step on two.

    >>> table = [[1, 1, 1], [2, 3, 2], [1, 3, 2]]
    >>> [round(percent_agreement_of_all(table, steps).value, 3) for steps in (0, 1, 2)]
    [0.333, 0.667, 1.0]
    """
    steps = whole_number(steps, "steps", 0)
    codes, levels = _coded(ratings, categories)
    places = np.arange(len(levels), dtype=np.float64)
    if steps and categories is None and levels:
        if not all(isinstance(level, int | float) and float(level).is_integer() for level in levels):
            raise ValueError(f"steps is {steps} but categories {shown(levels)} have no order; expected categories=")
        places = np.array(levels, dtype=np.float64)
    complete = np.asarray((codes >= 0).all(axis=1))
    same = np.full(len(codes), np.nan)
    same[complete] = np.ptp(places[codes[complete]], axis=1) <= steps if complete.any() else 0.0
    name = "agreement of all raters" + (f" within {steps} step{'' if steps == 1 else 's'}" if steps else "")
    note = "without a rating of everybody"
    return share_of_items(
        same, clusters, name=name, unit=unit, note=note, resamples=resamples, seed=seed, interval=interval,
        confidence=confidence, left_out=left_out_of_all(ratings, complete, excluded, codes.shape[1], note),
    )  # fmt: skip


def fleiss_kappa_per_category(
    ratings: RatingTable,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> dict[Hashable, Estimate]:
    """Fleiss' kappa of each category against all others.

    With r raters of each of n items, ``x_i`` of whom use the category, whose share is p:
    ``1 - sum_i x_i (r - x_i) / (n r (r - 1) p (1 - p))`` [1]_. That is Fleiss' kappa of the ratings dichotomised into
    this category or any other, and it is computed as such, with the same intervals and treatment of missing ratings.
    R's irr prints a standard error that is valid only for a kappa of 0; this one is not so restricted.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    categories : sequence, optional
        The declared categories, each of which is reported; by default the observed ones.
    clusters, interval, resamples, seed, confidence, unit
        As in `fleiss_kappa`.

    Returns
    -------
    dict
        One estimate for each category; undefined if nobody used it, or if everybody always did.

    Raises
    ------
    ValueError
        As in `fleiss_kappa`.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003). Statistical Methods for Rates and Proportions, 18.3.

    Examples
    --------
    Two of three raters say "a" on each item: x (r - x) is 2 twice, so 1 - 4 / (2 * 3 * 2 * 2/3 * 1/3).

    >>> by_category = fleiss_kappa_per_category([["a", "a", "b"], ["a", "c", "a"]])
    >>> round(by_category["a"].value, 6), round(1 - 4 / (12 * 2 / 9), 6)
    (-0.5, -0.5)
    """
    codes, levels = _coded(ratings, categories)
    clusters = read_once(clusters)
    return {
        level: fleiss_kappa(
            np.where(codes < 0, np.nan, (codes == code).astype(np.float64)),
            categories=(0.0, 1.0),
            clusters=clusters,
            interval=interval,
            resamples=resamples,
            seed=seed,
            confidence=confidence,
            unit=unit,
        )
        for code, level in enumerate(levels)
    }


def light_kappa(
    ratings: RatingTable,
    weights: Matrix | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Light's kappa: the mean of Cohen's kappa over all pairs of raters.

    Each pair's kappa is computed on the items that both rated [1]_. Every pair has the same weight, however many items
    it shares; if pairs share few items, prefer Conger's kappa, which pools before it divides. The interval is a
    bootstrap of items or clusters; the raters are fixed. Undefined if a pair has no kappa; the reason names the pair.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    weights : {None, "linear", "quadratic", "radical", "ordinal"} or array_like, shape (q, q), optional
        Agreement weights, see `agreement_weights`.
    categories : sequence, optional
        The declared categories in their order; by default the observed ones. Required with `weights`.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Percentile by default.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        When the table is not (items, raters), a rating is undeclared, or weights lack declared categories.

    References
    ----------
    .. [1] Light (1971). Measures of response agreement for qualitative data: some generalizations and alternatives.
       Psychological Bulletin 76, 365-377.

    Examples
    --------
    Kappa is .5 for columns (0, 1) and (0, 2), and .2 for (1, 2).

    >>> table = [[1, 1, 1], [1, 1, 0], [0, 1, 0], [0, 0, 0]]
    >>> round(light_kappa(table, resamples=200).value, 4), round((0.5 + 0.5 + 0.2) / 3, 4)
    (0.4, 0.4)
    """
    confidence = check_confidence(confidence)
    interval = chosen_interval(interval, *BOOTSTRAPS, clustered=clusters is not None)
    codes, levels = _coded(ratings, categories)
    if weights is not None and categories is None:
        raise ValueError("weights is given without categories=; expected the declared categories in their order")
    q = max(2, len(levels))
    w = agreement_weights(weights, q)
    rated = (codes >= 0).sum(axis=1) >= 2
    groups, n_clusters = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, len(codes))[rated])
    rated_codes, n = codes[rated], int(rated.sum())
    pairs = list(combinations(range(codes.shape[1]), 2))
    check_size(n, (1 + 2 * q) * max(1, len(pairs)))
    lost = len(codes) - n
    note = f"; mean over {len(pairs)} pairs of raters, " + FIXED + ", items sampled"
    note += leaving_out(lost, "with fewer than two ratings")
    method = bootstrap_of(clusters is not None) + note
    name = "Light's kappa" if weights is None else "Light's kappa, weighted"
    rows = np.hstack([_pair(rated_codes[:, [j, k]], w) for j, k in pairs]) if pairs else np.zeros((n, 0))
    of_pairs = _kappas(rows.sum(axis=0), w, len(pairs))
    reason = f"no {unit} has two ratings" if n == 0 else None
    if reason is None and np.isnan(of_pairs).any():
        j, k = pairs[int(np.flatnonzero(np.isnan(of_pairs))[0])]
        reason = f"the raters in columns {j} and {k} have no kappa: nothing in common, or both constant"
    if reason is not None:
        return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    spread = bootstrap_of_sums(
        lambda totals: _kappas(totals, w, len(pairs)).mean(axis=-1),
        sums_by_cluster(rows, groups),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    value = float(of_pairs.mean())
    estimate = spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=note)
    # the pair with the rarest category has the least certain kappa
    parts = rows.sum(axis=0).reshape(len(pairs), 1 + 2 * q)
    expected = (parts[:, 1 : q + 1] + parts[:, q + 1 :]) / 2.0
    rarest = float(expected[expected > 0.0].min(initial=math.inf))
    shared = _least_shared(rated_codes, q)
    return estimate.warned(_rare(rarest, shared, groups, unit) if weights is None else None)


def _least_shared(codes: Codes, q: int) -> float:
    """Items on which both raters of a pair use a category, on average over pairs, for the category with the fewest."""
    uses = counts_of(codes, q)
    pairs = (uses * (uses - 1.0)).sum(axis=0) / (codes.shape[1] * (codes.shape[1] - 1.0))
    return float(pairs[uses.any(axis=0)].min(initial=math.inf))


def _rare(rarest: float, shared: float, groups: Codes | None, unit: str) -> Caution | None:
    """The warning for a rare category, which an interval of percentiles needs a little earlier."""
    usual = rare_category(rarest, cluster_of_item(groups), unit=unit)
    if usual is not None:
        return usual
    if rarest < RARE_RESAMPLED:
        text = f"a category is expected in fewer than {RARE_RESAMPLED} {unit}s: value and interval are uncertain"
        return Caution("rare_category", text, RARE_RESAMPLED)
    if shared < FEW_SHARED:
        text = f"two raters agree on a category in fewer than {FEW_SHARED} {unit}s, on average over pairs"
        return Caution("rare_category", f"{text}: the interval is likely to be too narrow", FEW_SHARED)
    return None


def _coded(ratings: RatingTable, categories: Sequence[Hashable] | None) -> tuple[Codes, tuple[Hashable, ...]]:
    rows = rows_of(ratings)
    flat, levels = encode([value for row in rows for value in row], categories, "ratings")
    if categories is None:
        refuse_unlike_columns(list(zip(*rows, strict=True)), levels)
    return flat.reshape(len(rows), len(rows[0]) if rows else 0), levels


def _pair(codes: Codes, w: Floats) -> Floats:
    """For each item, the weight of its two ratings and the category that each rater used; 0 unless both rated it."""
    both = (codes >= 0).all(axis=1)
    first, second = codes.T
    use = np.vstack([np.eye(len(w)), np.zeros(len(w))])  # the last row is for items not rated by both
    agreed = np.where(both, w[first, second], 0.0)
    return np.column_stack([agreed, use[np.where(both, first, -1)], use[np.where(both, second, -1)]])


def _kappas(totals: Floats, w: Floats, pairs: int) -> Floats:
    """Cohen's kappa of each pair, shape (..., pairs), from sums of the rows of `_pair`."""
    q = len(w)
    parts = totals.reshape(*totals.shape[:-1], pairs, 1 + 2 * q)
    first, second = parts[..., 1 : q + 1], parts[..., q + 1 :]
    n = first.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = parts[..., 0] / n
        expected = ((first @ w) * second).sum(axis=-1) / n**2
        return np.where(expected < 1.0 - ROUNDING, (observed - expected) / (1.0 - expected), np.nan)
