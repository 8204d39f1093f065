"""Chance-corrected agreement of several raters: Fleiss, Gwet, Brennan-Prediger, Conger.

All four are ``(pa - pe) / (1 - pe)`` with the same observed agreement ``pa`` and differ in ``pe`` alone. Their standard
errors are Gwet's, from the linearised coefficient of each item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from agreement.added_items import MOST_CATEGORIES, added_rows
from agreement.chance_corrected import (
    Coefficient,
    check_size,
    counts_of,
    estimate_of,
    linearised_coefficient,
    lowest_value,
    no_value,
    rarest_of,
)
from agreement.coding import Codes, Floats, Ratings, encode_clusters
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.ratings import RatingTable, Weights, encode_ratings, weight_matrix
from agreement.resampling import Seed


def fleiss_kappa(
    ratings: RatingTable,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Fleiss' kappa of several raters, who may differ from item to item.

    ``pe = sum w_kl pi_k pi_l`` with ``pi_k`` the mean share of category k over items [1]_; ``pa`` is the mean over
    items with two or more ratings of ``sum_k r_k (sum_l w_kl r_l - 1) / (r (r - 1))``. Missing ratings are taken as
    in [2]_. Undefined for no item with two ratings, for one item, and when all ratings are the same.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    categories : sequence, optional
        The declared categories in their order; by default the observed ones.
    weights : {None, "linear", "quadratic"}
        Agreement weights over the order of the categories.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"adjusted", "t", "percentile", "bca"}, optional
        By default "adjusted": two items are added, of which raters agree on one, and clustered items count as many as
        they are worth. It takes no weights and up to twenty categories; beyond, "t" without and "percentile" with
        `clusters`. "t": Gwet's standard error, t with n - 1 degrees of freedom, clipped at 1, independent items.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        `p` tests the coefficient against 0 with the same standard error.

    Raises
    ------
    ValueError
        When the table is not (items, raters), a rating is undeclared, or a "t" interval is asked for clustered items.

    References
    ----------
    .. [1] Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378-382.
    .. [2] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapters 2, 3 and 5.

    Examples
    --------
    The twelve units and four raters of Gwet (2014): .76117, standard error .15302.

    >>> ratings = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]]
    >>> ratings += [[1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]]
    >>> estimate = fleiss_kappa(ratings, interval="t")
    >>> round(estimate.value, 5), round(estimate.se, 5)
    (0.76117, 0.15302)
    """

    def build(codes: Codes, counts: Floats, w: Floats) -> Coefficient:
        shares = counts / counts.sum(axis=1, keepdims=True)

        def chance(pi: Floats) -> Floats:
            return np.asarray(((pi @ w) * pi).sum(axis=-1))

        pi = shares.mean(axis=0)
        # Gwet (2014), ch. 5: both roles of pi change with the item, hence w on either side
        change = 2.0 * (shares @ (w @ pi) - chance(pi))
        coefficient = linearised_coefficient(counts, w, shares, chance, change)
        return coefficient if weights else replace(coefficient, rarest=rarest_of(codes))

    name = "Fleiss' kappa" if weights is None else f"Fleiss' kappa, {weights} weights"
    return _estimate(name, ratings, categories, weights, clusters, interval, resamples, seed, confidence, unit, build)


def gwet_ac(
    ratings: RatingTable,
    weights: Weights | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Gwet's AC1, or AC2 with weights.

    ``pe = T_w / (q (q - 1)) sum pi_k (1 - pi_k)`` with ``T_w`` the sum of all weights and q categories [1]_. It
    depends on q: declare the categories. Undefined for no item with two ratings. 1 when all ratings are the same,
    then without limits, as for one item.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    weights : {None, "linear", "quadratic"}
        None is AC1, the others are AC2.
    categories, clusters, interval, resamples, seed, confidence, unit
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        As in `fleiss_kappa`.

    References
    ----------
    .. [1] Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. Br J Math
       Stat Psychol 61, 29-48.

    Examples
    --------
    The twelve units and four raters of Gwet (2014): .77544, standard error .14295.

    >>> ratings = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]]
    >>> ratings += [[1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]]
    >>> estimate = gwet_ac(ratings, interval="t")
    >>> round(estimate.value, 5), round(estimate.se, 5)
    (0.77544, 0.14295)
    """

    def build(codes: Codes, counts: Floats, w: Floats) -> Coefficient:
        q = len(w)
        scale = w.sum() / (q * (q - 1))
        shares = counts / counts.sum(axis=1, keepdims=True)

        def chance(pi: Floats) -> Floats:
            return np.asarray(scale * (pi * (1.0 - pi)).sum(axis=-1))

        pi = shares.mean(axis=0)
        # Gwet (2008), eq. 21 ff.: half the derivative, doubled
        change = 2.0 * (scale * shares @ (1.0 - pi) - chance(pi))
        coefficient = linearised_coefficient(counts, w, shares, chance, change)
        return replace(coefficient, lowest=lowest_value(w))

    name = "Gwet's AC1" if weights is None else f"Gwet's AC2, {weights} weights"
    return _estimate(
        name,
        ratings,
        categories,
        weights,
        clusters,
        interval,
        resamples,
        seed,
        confidence,
        unit,
        build,
        needs_two_items=False,
    )


def brennan_prediger(
    ratings: RatingTable,
    weights: Weights | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Brennan and Prediger's coefficient: chance is uniform, ``pe = sum w_kl / q^2`` [1]_.

    It depends on the number of categories q: declare them. Undefined for no item with two ratings. 1 when all
    ratings are the same, then without limits, as for one item.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    weights : {None, "linear", "quadratic"}
        Agreement weights.
    categories, clusters, interval, resamples, seed, confidence, unit
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        As in `fleiss_kappa`.

    References
    ----------
    .. [1] Brennan and Prediger (1981). Coefficient kappa: some uses, misuses, and alternatives. Educ Psychol Meas 41,
       687-699.

    Examples
    --------
    The twelve units and four raters of Gwet (2014): .77273.

    >>> ratings = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]]
    >>> ratings += [[1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]]
    >>> round(brennan_prediger(ratings).value, 5)
    0.77273
    """

    def build(codes: Codes, counts: Floats, w: Floats) -> Coefficient:
        uniform = float(w.sum()) / len(w) ** 2
        shares = counts / counts.sum(axis=1, keepdims=True)

        def chance(pi: Floats) -> Floats:
            return np.full(pi.shape[:-1], uniform)

        coefficient = linearised_coefficient(counts, w, shares, chance, np.zeros(len(counts)))
        return replace(coefficient, lowest=lowest_value(w))

    name = "Brennan-Prediger" if weights is None else f"Brennan-Prediger, {weights} weights"
    return _estimate(
        name,
        ratings,
        categories,
        weights,
        clusters,
        interval,
        resamples,
        seed,
        confidence,
        unit,
        build,
        needs_two_items=False,
    )


def conger_kappa(
    ratings: RatingTable,
    weights: Weights | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Conger's kappa: Cohen's kappa for the same raters throughout.

    ``pe`` is the mean over pairs of raters of ``sum w_kl p_gk p_hl``, each rater with their own marginal shares
    [1]_. For two raters it is Cohen's kappa. Undefined as Fleiss' kappa, and when a rater has rated nothing.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing. A column is one rater.
    weights : {None, "linear", "quadratic"}
        Agreement weights.
    categories, clusters, interval, resamples, seed, confidence, unit
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        As in `fleiss_kappa`.

    References
    ----------
    .. [1] Conger (1980). Integration and generalization of kappas for multiple raters. Psychological Bulletin 88,
       322-328.
    .. [2] Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapters 2 and 5.

    Examples
    --------
    The twelve units and four raters of Gwet (2014): .76207, standard error .15011.

    >>> ratings = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]]
    >>> ratings += [[1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]]
    >>> estimate = conger_kappa(ratings, interval="t")
    >>> round(estimate.value, 5), round(estimate.se, 5)
    (0.76207, 0.15011)
    """

    def build(codes: Codes, counts: Floats, w: Floats) -> Coefficient:
        (n, r), q = codes.shape, len(w)
        check_size(n * r, q)
        used = (codes[:, :, None] == np.arange(q)).astype(np.float64)  # items x raters x categories
        given = used.sum(axis=(0, 2))
        if (given == 0).any():
            empty = int(np.flatnonzero(given == 0)[0])
            return Coefficient(counts, no_value, np.zeros(n), f"the rater in column {empty} has rated nothing")

        def chance(totals: Floats) -> Floats:
            of_rater = totals.reshape(*totals.shape[:-1], r, q)
            with np.errstate(divide="ignore", invalid="ignore"):
                p = of_rater / of_rater.sum(axis=-1, keepdims=True)
            together = p.sum(axis=-2)
            pairs = ((together @ w) * together).sum(axis=-1) - ((p @ w) * p).sum(axis=(-1, -2))
            return np.asarray(pairs / (r * (r - 1)))

        p = used.sum(axis=0) / given[:, None]
        against = (p.sum(axis=0) - p) @ w  # what a rater's marginal is held against: all others
        # derivative of pe along the marginal shares of each rater, a share of 1 / given for each rating
        away = (used - (codes >= 0)[:, :, None] * p) * (n / given)[:, None]
        change = 2.0 * np.einsum("irk,rk->i", away, against) / (r * (r - 1))
        coefficient = linearised_coefficient(counts, w, used.reshape(n, r * q), chance, change)
        return coefficient if weights else replace(coefficient, rarest=rarest_of(codes))

    name = "Conger's kappa" if weights is None else f"Conger's kappa, {weights} weights"
    return _estimate(name, ratings, categories, weights, clusters, interval, resamples, seed, confidence, unit, build)


def _estimate(
    name: str,
    ratings: RatingTable,
    categories: Sequence[Hashable] | None,
    weights: Weights | None,
    clusters: Ratings | None,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
    build: Callable[[Codes, Floats, Floats], Coefficient],
    *,
    needs_two_items: bool = True,
) -> Estimate:
    coded = encode_ratings(ratings, categories, weights)
    groups = encode_clusters(clusters, coded.rated.size)[coded.rated] if clusters is not None else None
    q = max(2, len(coded.categories))
    counts, w = counts_of(coded.codes, q), weight_matrix(q, weights)
    pairable = (counts.sum(axis=1) >= 2).any()
    coefficient = build(coded.codes, counts, w) if pairable else None
    if coefficient is not None and coefficient.reason is None and weights is None and q <= MOST_CATEGORIES:

        def rows_of(codes: Codes) -> Floats:
            return build(codes, counts_of(codes, q), w).rows

        coefficient = replace(coefficient, added=added_rows(rows_of, q, coded.codes))
    note = f"; {coded.n_empty} without a rating left out" if coded.n_empty else ""
    lone = int((counts.sum(axis=1) == 1).sum())
    note += f"; {lone} with one rating count for the use of the categories only" if lone else ""
    return estimate_of(
        coefficient,
        name,
        len(counts),
        groups,
        interval,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        unit=unit,
        note=note,
        needs_two_items=needs_two_items,
    )
