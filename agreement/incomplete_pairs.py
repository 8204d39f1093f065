"""The note in an estimate's method on items that raters cannot be compared on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agreement.arguments import shown
from agreement.codebook import is_missing
from agreement.coding import Codes, Pairs, Ratings
from agreement.methods import leaving_out
from agreement.ratings import RatingTable, rows_of
from agreement.words import Words

Bools = npt.NDArray[np.bool_]


def left_out(pairs: Pairs, excluded: Ratings | None = None) -> Words:
    """The number of items left out and why, for the method of an estimate.

    Parameters
    ----------
    pairs : Pairs
        Verdicts of two raters.
    excluded : sequence of bool, shape (items,), optional
        Items with a verdict of both raters of which at least one, such as "cannot be scored", is not compared.

    Returns
    -------
    Words
        Empty when none was.

    Raises
    ------
    ValueError
        When `excluded` is not one True or False for each item, or an excluded item has both verdicts.

    Examples
    --------
    >>> from agreement.coding import encode_pairs
    >>> left_out(encode_pairs([1, None, None], [1, 2, 2]), [False, True, False])
    '; 1 that one or both excluded left out, counted apart; 1 without both verdicts left out'
    """
    apart = np.zeros(pairs.rated.size, dtype=np.bool_) if excluded is None else _flags(excluded, pairs.rated.shape)
    if (apart & pairs.rated).any():
        first = int(np.flatnonzero(apart & pairs.rated)[0])
        raise ValueError(f"position {first} is excluded and has both verdicts; expected one of them to be missing")
    n_apart = int(apart.sum())
    n_missing = pairs.n_missing - n_apart
    return _apart(n_apart, "that one or both excluded") + leaving_out(n_missing, "without both verdicts")


def left_out_of_all(
    ratings: RatingTable, enough: Bools, excluded: npt.ArrayLike | None, fewest: int, lacking: str
) -> Words:
    """The number of items with too few ratings, and how many of these because raters excluded them.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    enough : ndarray of bool, shape (items,)
        Which items have enough ratings.
    excluded : array_like of bool, shape (items, raters), optional
        Where a rater gave a verdict that is not a rating, such as "cannot be scored".
    fewest : int
        Number of ratings that is enough.
    lacking : str
        Description of items with fewer, such as "with fewer than two ratings".

    Returns
    -------
    Words
        Empty when none was left out.

    Raises
    ------
    ValueError
        When `excluded` is not one True or False for each rating, or is True where there is a rating.

    Examples
    --------
    >>> excluded = [[False, False, False], [False, True, False], [False, False, False]]
    >>> ratings, enough = [[1, 1, 1], [1, None, None], [1, None, None]], np.array([True, False, False])
    >>> left_out_of_all(ratings, enough, excluded, 2, "with fewer than two ratings")
    '; 1 that raters excluded left out, counted apart; 1 with fewer than two ratings left out'
    """
    n_apart = 0 if excluded is None else int((~enough & (_verdicts(ratings, excluded) >= fewest)).sum())
    n_missing = int((~enough).sum()) - n_apart
    return _apart(n_apart, "that raters excluded") + leaving_out(n_missing, lacking)


def _apart(count: int, which: str) -> Words:
    return leaving_out(count, which) + ", counted apart" if count else Words()


def _verdicts(ratings: RatingTable, excluded: npt.ArrayLike) -> Codes:
    """Number of verdicts on each item, ratings and exclusions alike."""
    rows = rows_of(ratings)
    rated = np.array([[not is_missing(value) for value in row] for row in rows], dtype=np.bool_)
    apart = _flags(excluded, rated.shape)
    if (apart & rated).any():
        item, rater = (int(place) for place in np.argwhere(apart & rated)[0])
        raise ValueError(f"row {item}, column {rater} is excluded and has a rating; expected one of them to be missing")
    return np.asarray((rated | apart).sum(axis=-1))


def _flags(excluded: npt.ArrayLike, shape: tuple[int, ...]) -> Bools:
    try:
        flags = np.asarray(excluded)
    except ValueError:  # rows of different lengths
        raise ValueError(f"excluded is {shown(excluded)}; expected {shape} of True and False") from None
    if flags.shape != shape or (flags.size and flags.dtype != np.bool_):
        raise ValueError(f"excluded has shape {flags.shape}; expected {shape} of True and False")
    return flags.astype(np.bool_)
