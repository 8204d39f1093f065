"""The consensus of several raters on each item, and how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agreement.arguments import one_of, shown, unmasked, whole_number
from agreement.codebook import is_missing
from agreement.coding import Codes, Floats, encode
from agreement.ratings import RatingTable, numbers_of, refuse_unlike_columns, rows_of
from agreement.resampling import Seed, random_generator, shown_seed
from agreement.result import Result

Rule = Literal["unanimous", "majority", "plurality", "median", "mean"]
Ties = Literal["lowest", "highest", "random"]
Provenance = Literal["one rating", "unanimous", "majority", "plurality", "tie", "too few"]

RULES = ("unanimous", "majority", "plurality", "median", "mean")
PROVENANCES: tuple[Provenance, ...] = ("one rating", "unanimous", "majority", "plurality", "tie", "too few")
TIES = ("lowest", "highest", "random")


@dataclass(frozen=True)
class Consensus(Result):
    """The answer of several raters to each item.

    Attributes
    ----------
    values : tuple, length items
        The raters' consensus by the rule; None if there is none.
    provenance : tuple of str, length items
        How the ratings were distributed, whatever the rule: "unanimous"; "majority" (one answer has more than half of
        them); "plurality" (one has more than any other, but not more than half); "tie" (several have the most); "one
        rating" (nobody could differ from it); "too few" (fewer than `fewest` were given).
    support : tuple of float, length items
        Share of the given ratings that equal the value; None if there is no value.
    n_ratings : tuple of int, length items
        Number of ratings given, not counting the rater left out.
    differs : tuple of bool, length items
        Whether any two ratings differ, however many were given.
    method : str
        The rule, the treatment of ties and the rater left out, in words.
    """

    values: tuple[Any, ...]
    provenance: tuple[Provenance, ...]
    support: tuple[float | None, ...]
    n_ratings: tuple[int, ...]
    differs: tuple[bool, ...]
    method: str

    @property
    def n(self) -> int:
        """Number of items that have an answer."""
        return sum(value is not None for value in self.values)

    @property
    def counts(self) -> dict[str, int]:
        """Number of items of each provenance."""
        times = Counter(self.provenance)
        return {kind: times[kind] for kind in PROVENANCES}


def consensus(
    ratings: RatingTable,
    rule: Rule = "majority",
    *,
    ties: Ties | None = None,
    leave_out: int | None = None,
    fewest: int = 2,
    categories: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
) -> Consensus:
    """The answer of several raters to each item, and how it came about.

    With ``n`` ratings of an item, ``v_k`` of them the answer k [1]_:

    - unanimous: the answer with ``v_k = n``
    - majority: the answer with ``v_k > n / 2``
    - plurality: the answer with the greatest ``v_k``
    - median: the middle answer in the order of the categories; if there are two, a tie
    - mean: the mean of numeric ratings; ties cannot occur

    An item with fewer than `fewest` ratings has no answer, and neither has a tie unless `ties` says how to break it.
    The rule "unanimous" never breaks a tie, and "majority" only breaks a tie between two answers that were each given
    by half of the raters.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings: texts, numbers or other hashable values (a set of options as a frozenset); None or NaN is missing. An
        answer such as "not assessable" counts like any other. A single rating is not a consensus unless `fewest` is 1.
    rule : {"unanimous", "majority", "plurality", "median", "mean"}
        The condition for an answer.
    ties : {None, "lowest", "highest", "random"}
        Which of the tied answers to take: none, the first or the last in the order of the categories, or one drawn with
        `seed`.
    leave_out : int, optional
        Column of the rater to leave out, counted from 0, so that this rater can be compared with the others.
    fewest : int
        Smallest number of ratings needed for an answer.
    categories : sequence, optional
        The declared categories in their order; by default the observed ones, sorted.
    seed : int, sequence of int or SeedSequence, optional
        Seed of the random numbers; required for random ties.

    Returns
    -------
    Consensus

    Raises
    ------
    ValueError
        When an option is unknown, `leave_out` is not a column, `fewest` is below 1, a rating is undeclared, the median
        of text is requested without declared categories, the mean of text is requested, or random ties have no seed.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003). Statistical Methods for Rates and Proportions, 18.

    Examples
    --------
    >>> answers = consensus([["a", "a", "a"], ["a", "b", "b"], ["a", "b", "c"], ["a", "b", None], ["a", None, None]])
    >>> answers.values
    ('a', 'b', None, None, None)
    >>> answers.provenance
    ('unanimous', 'majority', 'tie', 'tie', 'too few')

    Under "unanimous", one dissenting rater leaves no answer; without the rater in column 0, the others are unanimous:

    >>> consensus([["a", "b", "b"]], "unanimous").values, consensus([["a", "b", "b"]], leave_out=0).provenance
    ((None,), ('unanimous',))
    """
    _check(rule, ties, seed)
    fewest = whole_number(fewest, "fewest", 1)
    table = unmasked(list(ratings) if isinstance(ratings, Iterator) else ratings)
    codes, levels = _coded(table, categories)
    if leave_out is not None:
        leave_out = whole_number(leave_out, "leave_out")
        if not 0 <= leave_out < codes.shape[1]:
            raise ValueError(f"leave_out is {leave_out!r}; expected a column from 0 to {codes.shape[1] - 1}")
        codes = np.delete(codes, leave_out, axis=1)
    if rule == "median" and categories is None and not all(isinstance(level, int | float) for level in levels):
        raise ValueError(f"rule is 'median' but categories {shown(levels)} have no order; expected categories=")
    votes = _Votes.of(codes)
    values: Sequence[Any]
    if rule == "mean":
        numbers = numbers_of(table, fewest=1)
        values, support = _means(numbers if leave_out is None else np.delete(numbers, leave_out, axis=1), fewest)
    else:
        generator = random_generator(seed) if ties == "random" and seed is not None else None
        chosen = _picked(votes.allowed(rule, fewest), votes, ties, generator)
        values = [None if place < 0 else levels[votes.code[place]] for place in chosen.tolist()]
        support = np.append(votes.times, 0)[chosen] / np.maximum(votes.given, 1)
    return Consensus(
        values=tuple(values),
        provenance=tuple(PROVENANCES[kind] for kind in votes.provenance(fewest).tolist()),
        support=tuple(None if value is None else share for value, share in zip(values, support.tolist(), strict=True)),
        n_ratings=tuple(votes.given.tolist()),
        differs=tuple((votes.distinct > 1).tolist()),
        method=_words(rule, ties, fewest, leave_out, seed),
    )


def are_different(ratings: Iterable[Any]) -> bool:
    """Whether the ratings of one item differ; missing ones are ignored.

    Parameters
    ----------
    ratings : iterable
        The ratings of one item; None or NaN is missing.

    Returns
    -------
    bool

    Examples
    --------
    >>> are_different(["a", None, "a"]), are_different(["a", "b"]), are_different(["a"])
    (False, True, False)
    """
    return len({value for value in ratings if not is_missing(value)}) > 1


def _check(rule: str, ties: str | None, seed: Seed | None) -> None:
    one_of(rule, "rule", RULES)
    if ties is not None and not (isinstance(ties, str) and ties in TIES):
        raise ValueError(f"ties is {shown(ties)}; expected None, 'lowest', 'highest' or 'random'")
    if ties == "random" and seed is None:
        raise ValueError("ties is 'random' and seed is None; expected a seed, so that the draw can be reproduced")


def _coded(table: RatingTable, categories: Sequence[Hashable] | None) -> tuple[Codes, tuple[Any, ...]]:
    """Codes of all ratings, shape (items, raters), and the categories they stand for."""
    if isinstance(table, np.ndarray) and table.dtype.kind in "iuf" and table.ndim == 2 and table.shape[1]:
        flat, levels = encode(table.ravel(), categories, "ratings")
        return flat.reshape(table.shape), levels
    rows = rows_of(table, fewest=1)
    flat, levels = encode([value for row in rows for value in row], categories, "ratings")
    if categories is None:
        refuse_unlike_columns(list(zip(*rows, strict=True)), levels)
    return flat.reshape(len(rows), len(rows[0]) if rows else 0), levels


@dataclass(frozen=True)
class _Votes:
    """Counts of the answers to each item.

    Attributes
    ----------
    ordered : ndarray of int, shape (items, raters)
        The codes of each item in ascending order, missing ones (-1) first.
    item, code, times : ndarray of int, shape (answers,)
        Every distinct answer to an item, item by item and in the order of the categories, and its count.
    given, most, first, distinct : ndarray of int, shape (items,)
        Number of ratings; count of the most frequent answer; number of answers with that count; number of distinct
        answers.
    """

    ordered: Codes
    item: Codes
    code: Codes
    times: Codes
    given: Codes
    most: Codes
    first: Codes
    distinct: Codes

    @classmethod
    def of(cls, codes: Codes) -> _Votes:
        items = len(codes)
        ordered = np.sort(codes, axis=1)
        item, code = np.nonzero(ordered >= 0)[0], ordered[ordered >= 0]
        starts = np.ones(code.size, dtype=bool)
        starts[1:] = (item[1:] != item[:-1]) | (code[1:] != code[:-1])
        times = np.diff(np.append(np.flatnonzero(starts), code.size))
        item, code = item[starts], code[starts]
        most = np.zeros(items, dtype=np.intp)
        np.maximum.at(most, item, times)
        return cls(
            ordered,
            item,
            code,
            times,
            given=(codes >= 0).sum(axis=1),
            most=most,
            first=np.bincount(item[times == most[item]], minlength=items),
            distinct=np.bincount(item, minlength=items),
        )

    def provenance(self, fewest: int) -> Codes:
        """Each item's position in `PROVENANCES`."""
        kinds = [
            self.given < fewest,
            self.given == 1,
            self.most == self.given,
            self.first > 1,
            2 * self.most > self.given,
        ]
        names: tuple[Provenance, ...] = ("too few", "one rating", "unanimous", "tie", "majority")
        return np.select(kinds, [PROVENANCES.index(kind) for kind in names], PROVENANCES.index("plurality"))

    def allowed(self, rule: Rule, fewest: int) -> npt.NDArray[np.bool_]:
        """Which answers satisfy the rule; if an item has several, they are tied."""
        given = self.given[self.item]
        if rule == "median":
            # an item's ratings are at the end of its row
            before, last = self.ordered.shape[1] - self.given, self.ordered.shape[1] - 1
            middle = np.stack([before + (self.given - 1) // 2, before + self.given // 2], axis=1)
            codes = np.take_along_axis(self.ordered, np.clip(middle, 0, last), axis=1) if last >= 0 else middle
            is_left = (codes[self.item] == self.code[:, None]).any(axis=1)
        elif rule == "unanimous":
            is_left = self.times == given
        else:
            is_left = self.times == self.most[self.item]
            if rule == "majority":
                halves = (2 * self.times == given) & (self.first[self.item] == 2)
                is_left &= (2 * self.times > given) | halves
        return np.asarray(is_left & (given >= fewest))


def _picked(
    allowed: npt.NDArray[np.bool_], votes: _Votes, ties: Ties | None, generator: np.random.Generator | None
) -> Codes:
    """Index of each item's answer among the votes; -1 if there is none."""
    places = np.flatnonzero(allowed)
    item = votes.item[places]
    count = np.bincount(item, minlength=votes.given.size)
    begin = np.cumsum(count) - count
    offset = np.zeros_like(count)
    if ties == "highest":
        offset = count - 1
    elif generator is not None:
        tied = np.flatnonzero(count > 1)
        offset[tied] = [int(generator.integers(many)) for many in count[tied].tolist()]
    decided = count == 1 if ties is None else count >= 1
    chosen = np.full(count.size, -1, dtype=np.intp)
    chosen[decided] = places[(begin + offset)[decided]]
    return chosen


def _means(numbers: Floats, fewest: int) -> tuple[list[float | None], Floats]:
    """Mean of each item's ratings (None if too few), and the share of ratings equal to it."""
    given = (~np.isnan(numbers)).sum(axis=1)
    enough = given >= fewest
    means = np.full(len(numbers), np.nan)
    means[enough] = np.nanmean(numbers[enough], axis=1)
    share = (numbers == means[:, None]).sum(axis=1) / np.maximum(given, 1)
    return [value if known else None for value, known in zip(means.tolist(), enough.tolist(), strict=True)], share


def _words(rule: Rule, ties: Ties | None, fewest: int, leave_out: int | None, seed: Seed | None) -> str:
    broken = {None: "without an answer", "lowest": "to the lowest category", "highest": "to the highest category"}
    how = f"drawn with seed {shown_seed(seed)}" if ties == "random" and seed is not None else broken[ties]
    without = f", without the rater in column {leave_out}" if leave_out is not None else ""
    without_ties = rule in ("unanimous", "mean")
    return f"{rule} of {fewest} or more ratings{'' if without_ties else f', ties {how}'}{without}"
