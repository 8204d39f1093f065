"""Chance-corrected agreement of several raters: Fleiss, Gwet, Brennan-Prediger, Conger.

All four are ``(pa - pe) / (1 - pe)`` with the same observed agreement ``pa``; they differ only in ``pe``. The standard
errors are Gwet's, from each item's linearised coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from agreement.added_items import MOST_CATEGORIES, added_rows, total_of
from agreement.category_counts import counts_of
from agreement.cautions_of_shape import few_large
from agreement.chance_corrected import Coefficient, estimate_of, traits_of
from agreement.cluster_codes import of_used
from agreement.coding import Codes, Floats, Ratings, encode_clusters
from agreement.coefficients import (
    brennan_prediger_coefficient,
    conger_coefficient,
    fleiss_coefficient,
    gwet_coefficient,
)
from agreement.estimate import Estimate
from agreement.interval_kinds import BOOTSTRAPS, Interval
from agreement.methods import leaving_out
from agreement.own_weights import name_or_matrix, with_weights
from agreement.ratings import RatingTable, Weights, encode_ratings, kinds_of, weight_matrix
from agreement.resampling import Seed
from agreement.row_sums import row_sums


def fleiss_kappa(
    ratings: RatingTable,
    *,
    categories: Sequence[Hashable] | None = None,
    weights: Weights | npt.ArrayLike | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Fleiss' kappa for several raters, who may differ from item to item.

    ``pe = sum w_kl pi_k pi_l`` with ``pi_k`` the mean share of category k over items [1]_; ``pa`` is the mean over
    items with two or more ratings of ``sum_k r_k (sum_l w_kl r_l - 1) / (r (r - 1))``. Missing ratings are handled as
    in [2]_. Undefined if no item has two ratings, for a single item, and if all ratings are equal.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    categories : sequence, optional
        The declared categories in order; by default the observed ones.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        Agreement weights over the order of the categories; a matrix, as accepted or returned by `agreement_weights`,
        requires `categories`.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"scattered", "effective", "adjusted", "transformed", "t", "percentile", "bca"}, optional
        By default "scattered": two items are added, with agreement on one of them, and clustered items are counted at
        their effective number; "effective" does the same with a more conservative effective number if disagreements
        are scattered over clusters, "adjusted" with a less conservative one. These three take no weights and at most
        twenty categories. With weights the default is "transformed" (`agreement.transformed`): t on the scale of
        Fisher's z, with clusters by their sums, or with two items added if all agree. Beyond twenty categories it is
        "t" without `clusters` and "percentile" with them. "t": Gwet's standard error, t with n - 1 degrees of freedom,
        clipped at 1, for independent items.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        `p` tests a coefficient of 0 with the same standard error.

    Raises
    ------
    ValueError
        When the table is not (items, raters), a rating is undeclared, or a "t" interval is requested with clusters.

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
    name = with_weights("Fleiss' kappa", weights)
    return _estimate(
        name, ratings, categories, weights, clusters, interval, resamples, seed, confidence, unit, fleiss_coefficient
    )


def gwet_ac(
    ratings: RatingTable,
    weights: Weights | npt.ArrayLike | None = None,
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
    depends on q, so declare the categories. Undefined if no item has two ratings. It is 1 if all ratings are equal;
    then, and for a single item, it has no limits.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        None is AC1, the others are AC2; a matrix as in `fleiss_kappa`.
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
    name = with_weights("Gwet's AC1" if weights is None else "Gwet's AC2", weights)
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
        gwet_coefficient,
        needs_two_items=False,
    )


def brennan_prediger(
    ratings: RatingTable,
    weights: Weights | npt.ArrayLike | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Brennan and Prediger's coefficient, with uniform chance agreement: ``pe = sum w_kl / q^2`` [1]_.

    It depends on the number of categories q, so declare them. Undefined if no item has two ratings. It is 1 if all
    ratings are equal; then, and for a single item, it has no limits.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        Agreement weights; a matrix as in `fleiss_kappa`.
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
    name = with_weights("Brennan-Prediger", weights)
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
        brennan_prediger_coefficient,
        needs_two_items=False,
    )


def conger_kappa(
    ratings: RatingTable,
    weights: Weights | npt.ArrayLike | None = None,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Conger's kappa: the generalisation of Cohen's kappa to several raters who are the same throughout.

    ``pe`` is the mean over pairs of raters of ``sum w_kl p_gk p_hl``, with each rater's own marginal proportions [1]_.
    For two raters it is Cohen's kappa. Undefined as for Fleiss' kappa, and if a rater has no ratings.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing. A column is one rater.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        Agreement weights; a matrix as in `fleiss_kappa`.
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
    name = with_weights("Conger's kappa", weights)
    return _estimate(
        name, ratings, categories, weights, clusters, interval, resamples, seed, confidence, unit, conger_coefficient
    )


def _estimate(
    name: str,
    ratings: RatingTable,
    categories: Sequence[Hashable] | None,
    weights: Weights | npt.ArrayLike | None,
    clusters: Ratings | None,
    interval: Interval | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
    build: Callable[[Codes, Floats, Floats, Codes | None], Coefficient],
    *,
    needs_two_items: bool = True,
) -> Estimate:
    named, matrix = name_or_matrix(weights, categories)
    coded = encode_ratings(ratings, categories, named)
    groups = of_used(encode_clusters(clusters, coded.rated.size), coded.rated) if clusters is not None else None
    q = max(2, len(coded.categories))
    # a bootstrap finds identical rows on its own
    codes, kind = (
        (coded.codes, None) if isinstance(interval, str) and interval in BOOTSTRAPS else kinds_of(coded.codes, q)
    )
    times = None if kind is None else np.bincount(kind, minlength=len(codes))
    counts = counts_of(codes, q)
    w = weight_matrix(q, named) if matrix is None else matrix
    ratings_of = row_sums(counts)
    coefficient = build(codes, counts, w, times) if (ratings_of >= 2).any() else None
    if coefficient is not None:
        coefficient = replace(coefficient, kind=kind)
    if coefficient is not None and weights is not None:
        coefficient = replace(coefficient, rarest=math.inf)  # the caution applies to unweighted coefficients only
    # weighted, the added items decide only where all agree and the linearised standard error is 0
    adjustable = weights is None or bool((counts.max(axis=1, initial=0.0) == ratings_of).all())
    if coefficient is not None and coefficient.reason is None and q <= MOST_CATEGORIES and adjustable:

        def rows_of(added: Codes) -> Floats:
            return build(added, counts_of(added, q), w, None).rows

        coefficient = replace(coefficient, added=added_rows(rows_of, q, coded.codes), traits=partial(traits_of, counts))
    note = leaving_out(coded.n_empty, "without a rating")
    lone = int(total_of(ratings_of == 1, times))
    note += f"; {lone} with one rating count for the use of the categories only" if lone else ""
    estimate = estimate_of(
        coefficient,
        name,
        len(coded.codes),
        groups,
        interval,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        unit=unit,
        note=note,
        needs_two_items=needs_two_items,
        of_distances=weights is not None,
    )
    if weights is None or estimate.n_clusters is not None or math.isnan(estimate.low):
        return estimate
    return estimate.warned(few_large(_disagreement(counts, w), times, unit))


def _disagreement(counts: Floats, w: Floats) -> Floats:
    """Mean weight that pairs of raters lack on each item; 0 with a single rating."""
    raters = row_sums(counts)
    pairs = np.maximum(raters * (raters - 1.0), 1.0)
    return np.asarray(1.0 - row_sums(counts * (counts @ w - 1.0)) / pairs) * (raters >= 2.0)
