"""One answer of several raters for each item, with how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agreement.arguments import whole_number
from agreement.codebook import is_missing
from agreement.coding import Codes, encode
from agreement.ratings import RatingTable, rows_of
from agreement.resampling import Seed, random_generator

Rule = Literal["unanimous", "majority", "plurality", "median"]
Ties = Literal["lowest", "highest", "random"]
Provenance = Literal["unanimous", "majority", "plurality", "tie", "too few"]

RULES = ("unanimous", "majority", "plurality", "median")
TIES = ("lowest", "highest", "random")


@dataclass(frozen=True)
class Consensus:
    """The answer of several raters to each item.

    Attributes
    ----------
    values : tuple, length items
        The answer on which the raters agree by the rule; None where there is none.
    provenance : tuple of str, length items
        How the given ratings fell, whatever the rule: "unanimous"; "majority" (one answer has more than half of them);
        "plurality" (one has more than any other, but not more than half); "tie" (several have the most); "too few"
        (fewer than `fewest` were given).
    support : tuple of float, length items
        Share of the given ratings that equal the value; None where there is none.
    n_ratings : tuple of int, length items
        Ratings given, without the rater who was left out.
    differs : tuple of bool, length items
        Whether two ratings say different things, however many were given.
    method : str
        Rule, ties and who was left out, in words.
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
        """How many items there are of each provenance."""
        times = Counter(self.provenance)
        return {kind: times[kind] for kind in ("unanimous", "majority", "plurality", "tie", "too few")}


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
    - median: the answer in the middle of the order of the categories; where there are two of them, a tie

    An item with fewer than `fewest` ratings has no answer, and nor has a tie unless `ties` says how it is broken. By
    the rule "unanimous" no tie is ever broken, and by "majority" only a tie between answers of which each was given by
    half of the raters.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings: texts, numbers or other hashable values (a set of options as a frozenset); None or NaN is missing. An
        answer such as "not assessable" counts as any other. A single rater makes no consensus unless `fewest` is 1.
    rule : {"unanimous", "majority", "plurality", "median"}
        When there is an answer.
    ties : {None, "lowest", "highest", "random"}
        Which of the tied answers is taken: none, the first or the last of them in the order of the categories, or one
        drawn with `seed`.
    leave_out : int, optional
        Column of the rater who is left out, counted from 0; for comparing that rater with the others.
    fewest : int
        Least number of ratings that make an answer.
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
        When an option is unknown, `leave_out` is no column, `fewest` is below 1, a rating is undeclared, the median is
        asked for texts without declared categories, or random ties have no seed.

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

    A rule under which one dissenting rater is enough, and the ceiling of the rater in column 0:

    >>> consensus([["a", "b", "b"]], "unanimous").values, consensus([["a", "b", "b"]], leave_out=0).provenance
    ((None,), ('unanimous',))
    """
    _check(rule, ties, seed)
    fewest = whole_number(fewest, "fewest", 1)
    rows = rows_of(ratings, fewest=1)
    raters = len(rows[0]) if rows else 0
    if leave_out is not None:
        leave_out = whole_number(leave_out, "leave_out")
        if not 0 <= leave_out < raters:
            raise ValueError(f"leave_out is {leave_out!r}; expected a column from 0 to {raters - 1}")
        rows = [[*row[:leave_out], *row[leave_out + 1 :]] for row in rows]
    flat, levels = encode([value for row in rows for value in row], categories, "ratings")
    if rule == "median" and categories is None and not all(isinstance(level, int | float) for level in levels):
        raise ValueError(f"rule is 'median' but categories {levels!r} have no order; expected categories=")
    codes = flat.reshape(len(rows), -1) if rows else flat.reshape(0, 0)
    generator = random_generator(seed) if ties == "random" and seed is not None else None
    given = [row[row >= 0] for row in codes]
    splits = [_split(votes, rule, fewest) for votes in given]
    chosen = [_pick(tied, ties if rule != "unanimous" else None, generator) for _, tied in splits]
    return Consensus(
        values=tuple(None if code is None else levels[code] for code in chosen),
        provenance=tuple(kind for kind, _ in splits),
        support=tuple(
            None if code is None else float((votes == code).mean()) for votes, code in zip(given, chosen, strict=True)
        ),
        n_ratings=tuple(int(votes.size) for votes in given),
        differs=tuple(are_different(row) for row in rows),
        method=_words(rule, ties, fewest, leave_out, seed),
    )


def are_different(ratings: Sequence[Any]) -> bool:
    """Whether the raters of one item said different things; who gave no rating says nothing.

    Parameters
    ----------
    ratings : sequence
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
    if rule not in RULES:
        raise ValueError(f"rule is {rule!r}; expected 'unanimous', 'majority', 'plurality' or 'median'")
    if ties is not None and ties not in TIES:
        raise ValueError(f"ties is {ties!r}; expected None, 'lowest', 'highest' or 'random'")
    if ties == "random" and seed is None:
        raise ValueError("ties is 'random' and seed is None; expected a seed, so that the draw can be reproduced")


def _split(votes: Codes, rule: Rule, fewest: int) -> tuple[Provenance, list[int]]:
    """How the votes of an item fell, and which categories the rule leaves, in order: more than one of them is a tie."""
    if votes.size < fewest:
        return "too few", []
    voted, times = np.unique(votes, return_counts=True)
    most = int(times.max())
    first = [int(code) for code in voted[times == most]]
    kind: Provenance = "plurality"
    if most == votes.size:
        kind = "unanimous"
    elif len(first) > 1:
        kind = "tie"
    elif 2 * most > votes.size:
        kind = "majority"
    if rule == "median":
        middle = np.sort(votes)[[(votes.size - 1) // 2, votes.size // 2]]
        return kind, sorted({int(code) for code in middle})
    enough = votes.size if rule == "unanimous" else votes.size / 2.0 if rule == "majority" else 0
    if most < enough or (2 * most == votes.size and rule == "majority" and len(first) == 1):
        return kind, []
    return kind, first


def _pick(tied: list[int], ties: Ties | None, generator: np.random.Generator | None) -> int | None:
    if len(tied) == 1:
        return tied[0]
    if not tied or ties is None:
        return None
    if generator is not None:
        return tied[int(generator.integers(len(tied)))]
    return tied[0] if ties == "lowest" else tied[-1]


def _words(rule: Rule, ties: Ties | None, fewest: int, leave_out: int | None, seed: Seed | None) -> str:
    broken = {None: "without an answer", "lowest": "to the lowest category", "highest": "to the highest category"}
    how = broken[ties] if ties != "random" else f"drawn with seed {seed}"
    without = f", without the rater in column {leave_out}" if leave_out is not None else ""
    return f"{rule} of {fewest} or more ratings{'' if rule == 'unanimous' else f', ties {how}'}{without}"
