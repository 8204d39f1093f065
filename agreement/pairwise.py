"""Agreement of several raters by any measure of two answers: its mean over each item's pairs of raters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from agreement.arguments import shown
from agreement.cautions_of_shape import nearly_constant
from agreement.codebook import is_missing
from agreement.coding import Codes, Floats, Ratings, encode_clusters
from agreement.estimate import Estimate
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import widened_in_clusters
from agreement.methods import leaving_out
from agreement.percent import mean, share
from agreement.ratings import RatingTable, rows_of
from agreement.resampling import Seed
from agreement.words import Words


def mean_over_pairs(
    ratings: RatingTable,
    measure: Callable[[Any, Any], float],
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    name: str = "mean over pairs of raters",
    unit: str = "item",
) -> Estimate:
    """Mean over items of the mean over pairs of raters of a measure of two answers.

    ``m = 1/n sum_i 2 / (r_i (r_i - 1)) sum_(j < k) measure(a_ij, a_ik)`` over the n items with a comparable pair, as in
    the observed agreement of Fleiss' kappa [1]_. Every item has the same weight, however many raters it has. Not
    corrected for chance. The raters are treated as fixed; the bootstrap resamples items or clusters.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Answers of any type that `measure` accepts, for example lists; None or NaN is missing.
    measure : callable
        Takes two answers and returns a number, or nan if they cannot be compared. It is assumed to be symmetric.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    resamples, seed, interval
        For the bootstrap, see `bootstrap`; percentile by default, with clusters at the tails of t ("widened").
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        In the unit of the measure. Undefined if no item has a comparable pair; no limits for one item or zero variance.

    Raises
    ------
    ValueError
        When the table is not of shape (items, raters), a cluster is missing, or an option is unknown.

    References
    ----------
    .. [1] Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378-382.

    Examples
    --------
    Item by item, the pairs differ by 1, 2, 1 and by 4: (4/3 + 4) / 2.

    >>> gaps = mean_over_pairs([[1, 2, 3], [5, None, 9]], lambda x, y: abs(x - y), resamples=100)
    >>> round(gaps.value, 4)
    2.6667
    """
    if not callable(measure):
        raise ValueError(f"measure is {shown(measure)}; expected a function of two answers")
    values = item_means(rows_of(ratings), measure)
    return mean_of_items(
        values, clusters, name=name, unit=unit, note="without a comparable pair of raters",
        resamples=resamples, seed=seed, interval=interval, confidence=confidence,
    )  # fmt: skip


def item_means(rows: Sequence[Sequence[Any]], measure: Callable[[Any, Any], float]) -> Floats:
    """The mean of a measure over the pairs of raters of each item.

    Parameters
    ----------
    rows : sequence of sequences, shape (items, raters)
        Answers; None or NaN is missing.
    measure : callable
        As in `mean_over_pairs`.

    Returns
    -------
    ndarray, shape (items,)
        nan if no pair can be compared.

    Examples
    --------
    >>> item_means([["a", "a", "b"], ["a", None, None]], lambda x, y: float(x == y)).round(3).tolist()
    [0.333, nan]
    """
    means = np.full(len(rows), math.nan)
    for item, row in enumerate(rows):
        given = [value for value in row if not is_missing(value)]
        values = [measure(first, second) for first, second in combinations(given, 2)]
        comparable = [value for value in values if not math.isnan(value)]
        if comparable:
            means[item] = math.fsum(comparable) / len(comparable)
    return means


def mean_of_items(
    values: Floats,
    clusters: Ratings | None,
    *,
    name: str,
    unit: str,
    note: str,
    resamples: int,
    seed: Seed,
    interval: Interval | None,
    confidence: float,
) -> Estimate:
    """Mean over the items that have a value, with a bootstrap interval.

    Parameters
    ----------
    values : ndarray, shape (items,)
        One number for each item; nan if it has none.
    clusters : sequence, shape (items,), or None
        Cluster of each item.
    name, unit : str
        Carried into the estimate.
    note : str
        What the omitted items lack, in words.
    resamples, seed, interval, confidence
        As in `mean_over_pairs`.

    Returns
    -------
    Estimate
    """
    known = ~np.isnan(values)
    groups = _groups(clusters, known)
    kind = widened_in_clusters(interval, chosen_interval(interval, *BOOTSTRAPS, clustered=groups is not None), groups)
    estimate = mean(
        values[known], groups, name=name, unit=unit, note=_left_out(known, note),
        resamples=resamples, seed=seed, interval=kind, confidence=confidence,
    )  # fmt: skip
    return estimate.warned(nearly_constant(values[known], groups) if known.any() else None)


def same_of_items(
    rows: Sequence[Sequence[Any]],
    measure: Callable[[Any, Any], float],
    clusters: Ratings | None,
    *,
    interval: Interval | None,
    **settings: Any,
) -> Estimate:
    """Mean over items of the mean over pairs of raters of a measure that is 0 or 1, such as the same answer or not.

    Parameters
    ----------
    rows : sequence, shape (items, raters)
        Answers; None is missing.
    measure : callable
        Takes two answers and returns 1, 0, or nan if they cannot be compared.
    clusters : sequence, shape (items,), or None
        Cluster of each item.
    interval : Interval or None
        By default Wilson's if no item has answers of more than two raters, so that the mean is a share of items;
        otherwise as in `mean_over_pairs`.
    settings
        As in `mean_of_items`.

    Returns
    -------
    Estimate
    """
    is_share = interval not in BOOTSTRAPS and all(sum(not is_missing(cell) for cell in row) <= 2 for row in rows)
    of = share_of_items if is_share else mean_of_items
    return of(item_means(rows, measure), clusters, interval=interval, **settings)


def share_of_items(
    values: Floats,
    clusters: Ratings | None,
    *,
    name: str,
    unit: str,
    note: str,
    resamples: int,
    seed: Seed,
    interval: Interval | None,
    confidence: float,
    left_out: str | None = None,
) -> Estimate:
    """Share of 1s among the items with a value, by default with Wilson's interval; a cluster bootstrap is optional.

    Parameters
    ----------
    values : ndarray, shape (items,)
        1 or 0 for each item; nan if it has neither.
    clusters, name, unit, note, resamples, seed, interval, confidence
        As in `mean_of_items`.
    left_out : str, optional
        What the method states about items without a value; by default their number and `note`.

    Returns
    -------
    Estimate
    """
    known = ~np.isnan(values)
    groups = _groups(clusters, known)
    estimate = share(
        values[known] == 1.0, groups, name=name, unit=unit,
        note=_left_out(known, note) if left_out is None else left_out,
        resamples=resamples, seed=seed, interval=interval, confidence=confidence,
    )  # fmt: skip
    if interval not in BOOTSTRAPS or not known.any():
        return estimate  # Wilson's interval holds with few, or without any, of one kind
    return estimate.warned(nearly_constant(values[known], groups))


def _groups(clusters: Ratings | None, known: np.ndarray[Any, np.dtype[np.bool_]]) -> Codes | None:
    return encode_clusters(clusters, known.size)[known] if clusters is not None else None


def _left_out(known: np.ndarray[Any, np.dtype[np.bool_]], note: str) -> Words:
    return leaving_out(int((~known).sum()), note)
