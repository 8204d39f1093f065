"""Ranked lists: accepted answers among the first k lines, and how far two rankings overlap."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from agreement.arguments import listed, number_in, read_once, shown, unmasked, whole_number
from agreement.codebook import is_missing, refuse_unlike
from agreement.coding import Floats, Ratings, as_values, same_length
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.pairwise import item_means, mean_of_items, same_of_items, share_of_items
from agreement.ratings import RatingTable, rows_of
from agreement.resampling import Seed
from agreement.result import Result


@dataclass(frozen=True)
class RankingAccuracy(Result):
    """Accuracy of ranked lists against the accepted answers.

    Attributes
    ----------
    within : dict
        By k, the share of items with an accepted answer among the first k lines; k = 1 is pass@1.
    reciprocal_rank : Estimate
        Mean of 1 / rank of the first accepted answer, 0 if there is none.
    """

    within: dict[int, Estimate]
    reciprocal_rank: Estimate


@dataclass(frozen=True)
class RankingAgreement(Result):
    """Agreement of raters who each give a ranking.

    Attributes
    ----------
    overlap : dict
        By k, the mean overlap of two raters' first k lines; k = 1 is agreement on the first line.
    rank_biased_overlap : Estimate
        Mean extrapolated rank-biased overlap of two raters.
    """

    overlap: dict[int, Estimate]
    rank_biased_overlap: Estimate


def rank_of_accepted(ranking: Any, accepted: Collection[Hashable]) -> int | None:
    """Rank of the first accepted line, counted from 1.

    Parameters
    ----------
    ranking : list or tuple
        Lines, the most likely first; the same line may occur twice.
    accepted : collection, or one text
        The accepted answers.

    Returns
    -------
    int or None
        None if no line is accepted.

    Raises
    ------
    ValueError
        When the ranking is not a list.

    References
    ----------
    .. [1] Voorhees (1999). The TREC-8 question answering track report. NIST SP 500-246, 77-82.

    Examples
    --------
    >>> rank_of_accepted(["glioma", "metastasis", "abscess"], {"abscess", "metastasis"}), rank_of_accepted([], ["a"])
    (2, None)
    """
    accepted = accepted.tolist() if isinstance(accepted, np.ndarray) else accepted
    several = hasattr(accepted, "__iter__") and not isinstance(accepted, str)
    right = set(_lines(list(accepted) if several else [accepted], "accepted"))
    return next((place for place, line in enumerate(_lines(ranking), start=1) if line in right), None)


def overlap_at_k(a: Any, b: Any, k: int) -> float:
    """Share of the first k lines that two rankings have in common, in any order.

    ``|A_k and B_k| / max(|A_k|, |B_k|)`` with ``A_k`` the first k lines of A. For lists of at least k lines this is the
    agreement at depth k [1]_; lines missing from a shorter list count as disagreement.

    Parameters
    ----------
    a, b : list or tuple
        Lines, the most likely first; only the first occurrence of a repeated line counts.
    k : int
        Depth, at least 1.

    Returns
    -------
    float
        Between 0 and 1; 0 if one of them is empty.

    Raises
    ------
    ValueError
        When `k` is below 1, a ranking is not a list, or both are empty, so that their overlap is undefined.

    References
    ----------
    .. [1] Webber, Moffat and Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions on
       Information Systems 28, 20.

    Examples
    --------
    >>> overlap_at_k("a b c".split(), "b a d".split(), 2), overlap_at_k(["a"], ["a", "b"], 3)
    (1.0, 0.5)
    """
    depth = whole_number(k, "k", 1)
    overlap = _overlap(_distinct(a, "a"), _distinct(b, "b"), depth)
    return _stated(overlap, "a and b are both empty; expected a line in one of them")


def rank_biased_overlap(a: Any, b: Any, p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings, extrapolated beyond the ranked lines.

    With ``X_d`` the overlap of the first d lines, and s and l the lengths of the shorter and longer list [1]_, eq. 32:

    ``(1 - p) / p (sum_(d=1)^l X_d / d p^d + sum_(d=s+1)^l X_s (d - s) / (s d) p^d)
    + ((X_l - X_s) / l + X_s / s) p^l``

    Parameters
    ----------
    a, b : list or tuple
        Lines, the most likely first; only the first occurrence of a repeated line counts. The lists may differ in
        length and content.
    p : float
        Persistence, between 0 and 1: the probability that a reader of the list goes on to the next line. At .9 the
        first ten lines have 86 % of the weight, the first line alone 10 %.

    Returns
    -------
    float
        Between 0 (nothing in common) and 1 (the same list, or the same first line for lists of one).

    Raises
    ------
    ValueError
        When `p` is not strictly between 0 and 1, a ranking is not a list, or one is empty: there is nothing to
        extrapolate from.

    References
    ----------
    .. [1] Webber, Moffat and Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions on
       Information Systems 28, 20.

    Examples
    --------
    By hand for p = .5: overlaps 0, 2, so .5 / .5 (0 + 2/2 .25) + 2/2 .25.

    >>> rank_biased_overlap(["a", "b"], ["b", "a"], 0.5)
    0.5
    """
    _check_p(p)
    first, second = _distinct(a, "a"), _distinct(b, "b")
    empty = "a" if not first else "b"
    return _stated(_biased(first, second, p), f"{empty} is empty; expected at least one line")


def _overlap(a: list[Any], b: list[Any], k: int) -> float:
    """As `overlap_at_k`, for distinct lines; nan for two empty lists."""
    first, second = a[:k], b[:k]
    longest = max(len(first), len(second))
    return len(set(first) & set(second)) / longest if longest else math.nan


def _biased(a: list[Any], b: list[Any], p: float) -> float:
    """As `rank_biased_overlap`, for distinct lines; nan if a list is empty."""
    short, long_ = sorted((a, b), key=len)
    s, length = len(short), len(long_)
    if s == 0:
        return math.nan
    of_short: set[Any] = set()
    of_long: set[Any] = set()
    overlaps = []
    for depth in range(length):
        of_long.add(long_[depth])
        if depth < s:
            of_short.add(short[depth])
        overlaps.append(len(of_short & of_long))
    x_s, x_l = overlaps[s - 1], overlaps[-1]
    seen = math.fsum(overlap / d * p**d for d, overlap in enumerate(overlaps, start=1))
    assumed = math.fsum(x_s * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    return (1.0 - p) / p * (seen + assumed) + ((x_l - x_s) / length + x_s / s) * p**length


def _stated(value: float, why: str) -> float:
    """Return the value; raise if it is nan."""
    if math.isnan(value):
        raise ValueError(f"{why}, for without any nothing can be compared: leave such a pair out")
    return value


def ranking_accuracy(
    rankings: Ratings,
    reference: Ratings,
    ks: Sequence[int] = (1, 3, 5),
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> RankingAccuracy:
    """Share of items with an accepted answer among the first k lines, and the mean reciprocal rank [1]_.

    An empty list is an answer, and a wrong one. Items without a list or a reference are left out and counted in
    `method`. The lists come from one rater; for k independent attempts see `pass_at_k`. Undefined without items.

    Parameters
    ----------
    rankings : sequence of lists, shape (items,)
        Lines, the most likely first, written like the accepted answers; None or NaN is missing.
    reference : sequence, shape (items,)
        The accepted answer, or a list, tuple or set of them; with None, NaN or an empty one, the item has no reference.
    ks : sequence of int
        Depths.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Bootstrap for all estimates. By default Wilson's interval of shares, percentiles (widened in clusters) of means.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    RankingAccuracy

    Raises
    ------
    ValueError
        When lengths differ, a ranking is not a list, or a depth is below 1.

    References
    ----------
    .. [1] Voorhees (1999). The TREC-8 question answering track report. NIST SP 500-246, 77-82.

    Examples
    --------
    >>> first = ranking_accuracy([["a", "b"], ["b", "a"], ["c"]], ["a", "a", "a"], (1, 2), resamples=100)
    >>> [round(first.within[k].value, 3) for k in (1, 2)], first.reciprocal_rank.value
    ([0.333, 0.667], 0.5)
    """
    depths = _depths(ks)
    lists, answers = as_values(rankings, "rankings"), as_values(reference, "reference")
    same_length(lists, answers, "rankings", "reference")
    reciprocal = np.full(len(lists), math.nan)
    listed_lines: list[Any] = []
    accepted_lines: list[Any] = []
    for item, (ranking, answer) in enumerate(zip(lists, answers, strict=True)):
        several = isinstance(answer, list | tuple | set | frozenset)
        accepted = [part for part in answer if not is_missing(part)] if several else [answer]
        if is_missing(ranking) or not accepted or is_missing(accepted[0]):
            continue
        place = rank_of_accepted(ranking, accepted)
        listed_lines += _lines(ranking)
        accepted_lines += accepted
        reciprocal[item] = 0.0 if place is None else 1.0 / place
    refuse_unlike(rankings=listed_lines, reference=accepted_lines)

    def within(k: int) -> Floats:
        return np.where(np.isnan(reciprocal), math.nan, (reciprocal >= 1.0 / k).astype(np.float64))

    settings: dict[str, Any] = {
        "clusters": read_once(clusters), "unit": unit, "note": "without a list or a reference",
        "resamples": resamples, "seed": seed, "interval": interval, "confidence": confidence,
    }  # fmt: skip
    return RankingAccuracy(
        within={k: share_of_items(within(k), name=f"accepted within the first {k}", **settings) for k in depths},
        reciprocal_rank=mean_of_items(reciprocal, name="mean reciprocal rank", **settings),
    )


def ranking_agreement(
    ratings: RatingTable,
    ks: Sequence[int] = (1, 3, 5),
    p: float = 0.9,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> RankingAgreement:
    """Agreement of raters who each give a ranking: overlap of the first k lines, and rank-biased overlap.

    Both are means over items of the mean over pairs of raters (`mean_over_pairs`), not corrected for chance: if all
    rank the same few options, the overlap at that depth is 1 whatever the order.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Lists of lines, the most likely first; None or NaN is missing.
    ks : sequence of int
        Depths, see `overlap_at_k`.
    p : float
        Persistence, see `rank_biased_overlap`.
    clusters, resamples, seed, interval, confidence, unit
        As in `ranking_accuracy`; by default Wilson's interval for the same first line of two raters, a share of items.

    Returns
    -------
    RankingAgreement

    Raises
    ------
    ValueError
        When the table is not (items, raters), an answer is not a list, or a depth or `p` is out of range.

    References
    ----------
    .. [1] Webber, Moffat and Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions on
       Information Systems 28, 20.

    Examples
    --------
    >>> both = ranking_agreement([[["a", "b"], ["b", "a"]], [["a"], ["a"]]], (1, 2), 0.5, resamples=100)
    >>> both.overlap[1].value, both.overlap[2].value, both.rank_biased_overlap.value
    (0.5, 1.0, 0.75)
    """
    depths = _depths(ks)
    _check_p(p)
    rows = [
        [None if is_missing(cell) else _distinct(cell, "ratings") for cell in row]
        for row in rows_of(_of_lists(ratings))
    ]
    refuse_unlike(
        **{
            f"column {rater} of ratings": (line for ranking in column for line in ranking or ())
            for rater, column in enumerate(zip(*rows, strict=True))
        }
    )
    settings: dict[str, Any] = {
        "clusters": read_once(clusters), "unit": unit, "note": "without two comparable lists",
        "resamples": resamples, "seed": seed, "interval": interval, "confidence": confidence,
    }  # fmt: skip

    def overlap(k: int) -> Estimate:
        named, measure = settings | {"name": f"overlap of the first {k}"}, partial(_overlap, k=k)
        if k == 1:  # the first lines of two lists are the same or not
            return same_of_items(rows, measure, **named)
        return mean_of_items(item_means(rows, measure), **named)

    return RankingAgreement(
        overlap={k: overlap(k) for k in depths},
        rank_biased_overlap=mean_of_items(
            item_means(rows, partial(_biased, p=p)), name=f"rank-biased overlap, p = {float(p):g}", **settings
        ),
    )


def _of_lists(ratings: Any) -> Any:
    """Turn an array back into nested lists: numpy makes a third dimension of lists of equal length."""
    ratings = unmasked(ratings)
    return ratings.tolist() if isinstance(ratings, np.ndarray) and ratings.ndim != 2 else ratings


def _lines(ranking: Any, argument: str = "ranking") -> list[Any]:
    plain = ranking.tolist() if isinstance(ranking, np.ndarray) else ranking
    if not isinstance(plain, list | tuple):
        raise ValueError(f"{argument} holds {shown(plain)}; expected a list, the most likely line first")
    try:
        set(plain)
    except TypeError:  # an unhashable entry such as a list, or a signalling NaN
        raise ValueError(f"{argument} holds {shown(plain)}; expected lines of text, or numbers") from None
    return list(plain)


def _depths(ks: Any) -> list[int]:
    return [whole_number(k, "ks", 1) for k in listed(ks, "ks", "depths, such as (1, 3)")]


def _check_p(p: Any) -> None:
    number_in(p, "p", "a number between 0 and 1, such as 0.9", lambda number: 0.0 < number < 1.0)


def _distinct(ranking: Any, argument: str) -> list[Any]:
    lines = _lines(ranking, argument)
    return list(dict.fromkeys(lines))  # only the first occurrence of a repeated line counts
