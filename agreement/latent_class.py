"""Dawid and Skene's maximum likelihood consensus of raters with individual error rates, alongside the majority."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arguments import number_in, whole_number
from agreement.coding import Floats, encode
from agreement.consensus import Consensus, consensus
from agreement.ratings import RatingTable, rows_of
from agreement.resampling import Seed, random_generator, shown_seed
from agreement.result import Result

FEWEST_RATERS = 5
"""Below this many raters, a rater's confusions cannot be distinguished from hard items."""

FEWEST_ITEMS = 50
"""Below this many items, each confusion is based on only a handful of items."""

_SAME_LIKELIHOOD = 1e-6  # two starts reached the same maximum if their log-likelihoods are this close
_TIE = 1e-9  # two categories are equally likely if their probabilities are this close


@dataclass(frozen=True, eq=False)
class LatentClasses(Result):
    """Dawid and Skene's fit for items and raters, and the majority alongside.

    Attributes
    ----------
    values : tuple, length items
        The most likely category of each item; None if two are equally likely, nobody rated it, or there is no fit.
    probabilities : ndarray, shape (items, categories)
        Probability of each category, provided that the model holds; nan for items that nobody rated (see `reasons`).
    prevalence : ndarray, shape (categories,)
        Share of the items in each category.
    confusion : ndarray, shape (raters, categories, categories)
        Probability that a rater gives the second category to an item of the first; nan if not estimable (see
        `confusion_reasons`).
    categories : tuple
        The categories in their order.
    log_likelihood : float
        Log-likelihood of the best start.
    n_starts, n_best : int
        Number of starts, and how many of them reached the best likelihood. If few did, do not trust the fit.
    converged : bool
        Whether the best start converged.
    majority : Consensus
        The majority of the same ratings, by `consensus`.
    n_changed : int
        Number of items on which both methods have a value and the two differ.
    method : str
        Starts, seed and limits.
    undefined_because : str or None
        Why there is no fit; everything but `majority` is then empty or nan.
    """

    values: tuple[Any, ...]
    probabilities: Floats
    prevalence: Floats
    confusion: Floats
    categories: tuple[Any, ...]
    log_likelihood: float
    n_starts: int
    n_best: int
    converged: bool
    majority: Consensus
    n_changed: int
    method: str
    undefined_because: str | None = None

    @property
    def reasons(self) -> tuple[str | None, ...]:
        """For each item, why it has no value; None if it has one."""
        if self.undefined_because is not None:
            return (self.undefined_because,) * len(self.values)
        return tuple(
            None if value is not None else "nobody rated it" if unrated else "two categories are equally likely"
            for value, unrated in zip(self.values, np.isnan(self.probabilities[:, 0]), strict=True)
        )

    @property
    def confusion_reasons(self) -> tuple[tuple[str | None, ...], ...]:
        """For each rater and category, why `confusion` has no row; None if it has one."""
        if self.undefined_because is not None:
            return ((self.undefined_because,) * len(self.categories),) * len(self.confusion)
        none = "the rater rated no item likely to be in this category"
        return tuple(tuple(none if no else None for no in rater) for rater in np.isnan(self.confusion[:, :, 0]))


def dawid_skene(
    ratings: RatingTable,
    *,
    seed: Seed,
    starts: int = 10,
    categories: Sequence[Hashable] | None = None,
    iterations: int = 2_000,
    tolerance: float = 1e-9,
) -> LatentClasses:
    """Consensus by Dawid and Skene's model, in which each rater has an individual confusion matrix.

    An item has one true category, ``p_k`` is the share of category k, and rater j says l of an item of category k with
    probability ``pi_kl^(j)``, independently of the other raters given the category. The EM algorithm alternates between
    these, with ``T_ik`` the probability that item i is of category k, and ``n_il^(j)`` 1 if rater j said l of it [1]_:

    - ``pi_kl^(j) = sum_i T_ik n_il^(j) / sum_l sum_i T_ik n_il^(j)`` (2.3), ``p_k = sum_i T_ik / n`` (2.4)
    - ``T_ik ~ p_k prod_j prod_l (pi_kl^(j))^(n_il^(j))`` (2.5)

    The first start is the share of the votes (3.1), as in the paper; the others mix it in equal parts with random
    shares. The likelihood has several maxima: the best of the starts is used, and `n_best` says how many reached it.

    This consensus is never the default and is always given alongside the majority: its assumption of independence fails
    if raters make the same errors on hard items, and its probabilities are then overconfident. It has no intervals.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    seed : int, sequence of int or SeedSequence
        Seed of the starts; required.
    starts : int
        Number of starts, at least 2.
    categories : sequence, optional
        The declared categories in their order; by default the observed ones.
    iterations : int
        Maximum number of iterations of a start.
    tolerance : float
        A start has converged if its log-likelihood rises by less than this.

    Returns
    -------
    LatentClasses
        There is no fit for fewer than five raters, fewer than fifty items with a rating, or fewer than two categories.

    Raises
    ------
    ValueError
        When the table is not (items, raters), a rating is undeclared, or an option is out of range.

    References
    ----------
    .. [1] Dawid and Skene (1979). Maximum likelihood estimation of observer error-rates using the EM algorithm.
       Applied Statistics 28, 20-28.

    Examples
    --------
    Four raters are right on nine of ten items of either kind; a fifth always says the opposite of the truth.

    >>> truth = [0] * 50 + [1] * 50
    >>> table = [[1 - t if i % 10 == j else t for j in range(4)] + [1 - t] for i, t in enumerate(truth)]
    >>> classes = dawid_skene(table, seed=1)
    >>> classes.values == tuple(truth), classes.confusion[4].round(2).tolist()
    (True, [[0.0, 1.0], [1.0, 0.0]])
    """
    starts, iterations = whole_number(starts, "starts", 2), whole_number(iterations, "iterations", 1)
    number_in(tolerance, "tolerance", "a number above 0", lambda number: number > 0.0)
    generator = random_generator(seed)
    rows = rows_of(ratings)
    majority = consensus(rows, categories=categories)
    flat, levels = encode([value for row in rows for value in row], categories, "ratings")
    raters, q = len(rows[0]) if rows else 0, len(levels)
    codes = flat.reshape(len(rows), raters)
    rated = (codes >= 0).any(axis=1)
    method = f"Dawid-Skene, EM from {starts} starts, seed {shown_seed(seed)}; raters independent given the category"
    reason = None
    if raters < FEWEST_RATERS:
        reason = f"{raters} raters: Dawid and Skene's model needs {FEWEST_RATERS} or more here"
    elif rated.sum() < FEWEST_ITEMS:
        reason = f"{int(rated.sum())} items with a rating: Dawid and Skene's model needs {FEWEST_ITEMS} or more here"
    elif q < 2:
        reason = "all ratings are the same: there is nothing to tell apart"
    if reason is not None:
        return _without_fit(len(rows), raters, levels, majority, method, reason)
    # items with the same ratings are equivalent: the likelihood needs each pattern only once
    patterns, which, times = np.unique(codes[rated], axis=0, return_inverse=True, return_counts=True)
    counts = (patterns[:, :, None] == np.arange(q)).astype(np.float64)
    fits = fits_from_starts(counts, times.astype(np.float64), starts, generator, iterations, tolerance)
    best = max(fits, key=lambda fit: fit.log_likelihood)
    near = _SAME_LIKELIHOOD * max(1.0, abs(best.log_likelihood))
    probabilities = np.full((len(rows), q), np.nan)
    probabilities[rated] = best.probabilities[which.ravel()]
    values = tuple(_likeliest(row, levels) for row in probabilities)
    both = [(x, y) for x, y in zip(values, majority.values, strict=True) if x is not None and y is not None]
    return LatentClasses(
        values=values,
        probabilities=probabilities,
        prevalence=best.prevalence,
        confusion=best.confusion,
        categories=levels,
        log_likelihood=best.log_likelihood,
        n_starts=starts,
        n_best=sum(best.log_likelihood - fit.log_likelihood < near for fit in fits),
        converged=best.converged,
        majority=majority,
        n_changed=sum(x != y for x, y in both),
        method=method,
    )


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of one start of the EM algorithm.

    Attributes
    ----------
    probabilities : ndarray, shape (patterns, categories)
        ``T_ik``.
    prevalence : ndarray, shape (categories,)
        ``p_k``.
    confusion : ndarray, shape (raters, categories, categories)
        ``pi_kl^(j)``; nan if rater j rated no item of category k.
    log_likelihood : float
        Log-likelihood of the data under these parameters.
    converged : bool
        Whether the log-likelihood rose by less than the tolerance in the last iteration.
    """

    probabilities: Floats
    prevalence: Floats
    confusion: Floats
    log_likelihood: float
    converged: bool


def fits_from_starts(
    counts: Floats, times: Floats, starts: int, generator: np.random.Generator, iterations: int, tolerance: float
) -> list[Fit]:
    """Fits started from the share of the votes, and from mixtures of it with random shares.

    Parameters
    ----------
    counts : ndarray, shape (patterns, raters, categories)
        How often a rater gave a category to an item; every item has a rating, and one rater may have rated it
        repeatedly.
    times : ndarray, shape (patterns,)
        Number of items with each pattern.
    starts : int
        Number of starts.
    generator : numpy.random.Generator
        Used for all starts but the first.
    iterations, tolerance
        As in `dawid_skene`.

    Returns
    -------
    list of Fit
    """
    votes = counts.sum(axis=1)
    shares = votes / votes.sum(axis=1, keepdims=True)
    fits = [_maximised(counts, times, shares, iterations, tolerance)]
    for _ in range(starts - 1):
        drawn = generator.dirichlet(np.ones(shares.shape[1]), size=len(shares))
        fits.append(_maximised(counts, times, (shares + drawn) / 2.0, iterations, tolerance))
    return fits


def _maximised(counts: Floats, times: Floats, probabilities: Floats, iterations: int, tolerance: float) -> Fit:
    patterns, raters, q = counts.shape
    flat = counts.reshape(patterns, raters * q)
    before, converged = -math.inf, False
    for _ in range(iterations):
        weighted = probabilities * times[:, None]
        prevalence = weighted.sum(axis=0) / times.sum()  # (2.4)
        said = (weighted.T @ flat).reshape(q, raters, q)
        rated = said.sum(axis=2, keepdims=True)
        confusion = np.divide(said, rated, out=np.zeros_like(said), where=rated > 0)  # (2.3)
        probabilities, likelihood = _expected(flat, times, prevalence, confusion.reshape(q, raters * q))
        if likelihood - before < tolerance:
            converged = True
            break
        before = likelihood
    of_raters = np.where(rated > 0, confusion, np.nan).transpose(1, 0, 2)
    return Fit(probabilities, prevalence, of_raters, likelihood, converged)


def _expected(flat: Floats, times: Floats, prevalence: Floats, confusion: Floats) -> tuple[Floats, float]:
    """Equation (2.5), and the log-likelihood (2.7)."""
    with np.errstate(divide="ignore"):
        logs, shares = np.log(confusion), np.log(prevalence)
    # a probability of 0 matters only if that rating was given
    none = np.isneginf(logs)
    joint = flat @ np.where(none, 0.0, logs).T + shares
    joint[flat @ none.T.astype(np.float64) > 0] = -np.inf
    greatest = joint.max(axis=1, keepdims=True)
    scaled = np.exp(joint - greatest)
    sums = scaled.sum(axis=1, keepdims=True)
    return scaled / sums, float(times @ (np.log(sums) + greatest)[:, 0])


def _likeliest(row: Floats, levels: tuple[Any, ...]) -> Any:
    if np.isnan(row).any():
        return None
    first = np.flatnonzero(row > row.max() - _TIE)
    return levels[int(first[0])] if first.size == 1 else None


def _without_fit(
    items: int, raters: int, levels: tuple[Any, ...], majority: Consensus, method: str, reason: str
) -> LatentClasses:
    q = len(levels)
    return LatentClasses(
        values=(None,) * items,
        probabilities=np.full((items, q), np.nan),
        prevalence=np.full(q, np.nan),
        confusion=np.full((raters, q, q), np.nan),
        categories=levels,
        log_likelihood=math.nan,
        n_starts=0,
        n_best=0,
        converged=False,
        majority=majority,
        n_changed=0,
        method=method,
        undefined_because=reason,
    )
