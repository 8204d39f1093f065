"""The ratings of several raters: items in rows, raters in columns, with missing ratings marked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agreement.arguments import shown, unmasked
from agreement.codebook import MISSING, is_missing, refuse_unlike
from agreement.coding import Codes, Floats, encode
from agreement.row_sums import row_counts

RatingTable = Sequence[Sequence[Any]] | npt.NDArray[Any]
"""Shape (items, raters): nested lists, an array, a pandas DataFrame or an Arrow table; None and NaN are missing."""

Weights = Literal["linear", "quadratic"]

_MOST_KINDS = 1 << 16  # the most distinct rows that are found by counting

MOST_LEVELS = 5_000
"""A scale of whole numbers is inferred from the range of the ratings only up to this many levels."""


@dataclass(frozen=True)
class CodedRatings:
    """All ratings, coded by category.

    Attributes
    ----------
    codes : ndarray of int, shape (items, raters)
        Position in `categories`; -1 if missing. Items without any rating are left out.
    categories : tuple
        The declared categories, otherwise the observed ones in order.
    rated : ndarray of bool, shape (all items,)
        Which items somebody rated.
    """

    codes: Codes
    categories: tuple[Any, ...]
    rated: npt.NDArray[np.bool_]

    @property
    def n_empty(self) -> int:
        """Number of items left out because nobody rated them."""
        return int((~self.rated).sum())


def rows_of(
    ratings: RatingTable, argument: str = "ratings", *, fewest: int = 2, columns: str = "raters"
) -> list[list[Any]]:
    """The ratings as a list of rows of equal length.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings.
    argument : str
        Name to use in the error.
    fewest : int
        Minimum number of raters.
    columns : str
        The name of the columns, for the error.

    Returns
    -------
    list of list

    Raises
    ------
    ValueError
        When it does not have two dimensions, rows differ in length, or there are fewer raters than `fewest`.
    """
    ratings = unmasked(ratings)
    entries, entry = ("ratings", "a rating") if columns == "raters" else ("values", "a value")
    if hasattr(ratings, "column_names") and hasattr(ratings, "itercolumns"):  # a table of Arrow
        ratings = list(zip(*(column.to_pylist() for column in ratings.itercolumns()), strict=True))
    elif hasattr(ratings, "to_pylist"):  # a column of Arrow: its entries are not rows, unless they are lists
        ratings = ratings.to_pylist()
    if hasattr(ratings, "astype") and any(hasattr(each, "categories") for each in _kinds_of_columns(ratings)):
        ratings = ratings.astype(object)  # pandas would make a missing category of numbers a number, of booleans True
    to_numpy = getattr(ratings, "to_numpy", None)
    table = to_numpy() if to_numpy is not None else ratings
    shape = getattr(table, "shape", None)
    if shape is not None and len(shape) != 2:
        raise ValueError(f"{argument} has shape {tuple(shape)}; expected (items, {columns})")
    if isinstance(table, str | bytes | memoryview | dict | set) or not hasattr(table, "__iter__"):
        raise ValueError(f"{argument} is a {type(table).__name__}; expected a table of shape (items, {columns})")
    rows: list[list[Any]] = []
    for position, row in enumerate(table):
        no_row = isinstance(row, str | bytes | dict | set) or not hasattr(row, "__iter__")
        if no_row or getattr(row, "shape", None) == ():
            raise ValueError(f"{argument} has one dimension; expected (items, {columns})")
        to_list = getattr(row, "tolist", None)
        rows.append(list(to_list() if to_list is not None else row))
        if len(rows[-1]) != len(rows[0]):
            raise ValueError(
                f"{argument} has {len(rows[0])} {entries} in row 0 and {len(rows[-1])} in row {position}; "
                f"expected (items, {columns}) with None where {entry} is missing"
            )
    if rows and len(rows[0]) < fewest:
        least = f"two {columns}" if fewest == 2 else f"{fewest} {columns[:-1]}"
        raise ValueError(f"{argument} has shape ({len(rows)}, {len(rows[0])}); expected {least} or more")
    return rows


def _kinds_of_columns(table: Any) -> Iterable[Any]:
    """The data type of each column of a data frame; nothing for any other table."""
    kinds = getattr(table, "dtypes", ())
    return kinds if isinstance(kinds, Iterable) else ()


def encode_ratings(
    ratings: RatingTable, categories: Sequence[Hashable] | None, weights: Weights | None = None
) -> CodedRatings:
    """Code all ratings, leaving out items that nobody rated.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings.
    categories : sequence, optional
        The declared categories in order; by default the observed ones, sorted, and with `weights` all whole numbers
        from the smallest to the largest.
    weights : {None, "linear", "quadratic"}
        Whether the order of the categories matters.

    Returns
    -------
    CodedRatings

    Raises
    ------
    ValueError
        When a rating is not among the declared categories, or weights lack an order.

    Examples
    --------
    >>> coded = encode_ratings([["a", "b", None], ["b", "b", "b"], [None, None, None]], None)
    >>> coded.codes.tolist(), coded.n_empty
    ([[0, 1, -1], [1, 1, 1]], 1)
    """
    check_weights(weights)
    shape, flat, levels = _flat_codes(ratings, categories)
    if categories is None and weights is not None and levels:
        whole = all(isinstance(value, int | float | np.number) and float(value).is_integer() for value in levels)
        if not whole:
            raise ValueError(
                f"weights is {weights!r} but categories {shown(levels)} have no order; expected categories="
            )
        span = int(levels[-1]) - int(levels[0]) + 1
        if span > MOST_LEVELS:
            raise ValueError(f"weights is {weights!r} and ratings span {span} levels; expected categories=")
        scale = tuple(range(int(levels[0]), int(levels[-1]) + 1))
        position = np.array([scale.index(int(value)) for value in levels] + [MISSING], dtype=np.intp)
        flat, levels = position[flat], scale
    codes = flat.reshape(shape)
    rated = row_counts(codes >= 0) > 0
    return CodedRatings(codes if rated.all() else codes[rated], levels, rated)


def kinds_of(codes: Codes, categories: int) -> tuple[Codes, Codes | None]:
    """The distinct rows of a table of codes, if there can be no more of them than items.

    Parameters
    ----------
    codes : ndarray of int, shape (items, raters)
        Category of each rating, -1 if missing.
    categories : int
        Number of categories.

    Returns
    -------
    rows : ndarray of int, shape (kinds, raters)
        Each distinct row; or the codes themselves, if there may be more distinct rows than items.
    kind : ndarray of int, shape (items,), or None
        The index into `rows` for each item; None if each item has its own row.

    Examples
    --------
    >>> rows, kind = kinds_of(np.array([[0, 1]] * 6 + [[-1, 1]] * 6), 2)
    >>> rows.tolist(), kind.tolist()
    ([[-1, 1], [0, 1]], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    """
    items, raters = codes.shape
    possible = (categories + 1) ** raters
    if possible > min(items, _MOST_KINDS):
        return codes, None
    place = (categories + 1) ** np.arange(raters)
    number = np.full(items, int(place.sum()))  # a missing rating is -1
    for column, step in zip(codes.T, place.tolist(), strict=True):
        number += column * step
    times = np.bincount(number, minlength=possible)
    used = np.flatnonzero(times)
    return used[:, None] // place % (categories + 1) - 1, (np.cumsum(times > 0) - 1)[number]


def check_weights(weights: object) -> None:
    """Refuse invalid weights.

    Parameters
    ----------
    weights : {None, "linear", "quadratic"}
        Weights over the order of the categories.

    Raises
    ------
    ValueError
        When they are anything else, such as a matrix.
    """
    if weights is not None and not (isinstance(weights, str) and weights in ("linear", "quadratic")):
        shown = repr(weights) if isinstance(weights, str) else f"a {type(weights).__name__}"
        raise ValueError(f"weights is {shown}; expected None, 'linear' or 'quadratic'")


def _flat_codes(
    ratings: RatingTable, categories: Sequence[Hashable] | None
) -> tuple[tuple[int, int], Codes, tuple[Any, ...]]:
    ratings = unmasked(ratings)
    if isinstance(ratings, np.ndarray) and ratings.dtype.kind in "iuf" and ratings.ndim == 2 and ratings.shape[1] > 1:
        codes, levels = encode(ratings.ravel(), categories, "ratings")
        return (ratings.shape[0], ratings.shape[1]), codes, levels
    rows = rows_of(ratings)
    codes, levels = encode([value for row in rows for value in row], categories, "ratings")
    if categories is None:
        refuse_unlike_columns(list(zip(*rows, strict=True)), levels)
    return (len(rows), len(rows[0]) if rows else 0), codes, levels


def refuse_unlike_columns(columns: Sequence[Sequence[Any]], levels: Sequence[Any], argument: str = "ratings") -> None:
    """Refuse ratings that are all text for one rater and all numbers for another.

    Parameters
    ----------
    columns : sequence of sequence, shape (raters, items)
        The ratings of each rater.
    levels : sequence
        The distinct ratings.
    argument : str
        Name to use in the error.

    Raises
    ------
    ValueError
        When such raters are found.
    """
    if any(isinstance(level, str | bytes) for level in levels):
        refuse_unlike(**{f"column {number} of {argument}": column for number, column in enumerate(columns)})


def weight_matrix(categories: int, weights: Weights | None) -> Floats:
    """Agreement weights: 1 on the diagonal, decreasing with the distance between two categories.

    Parameters
    ----------
    categories : int
        Number of categories, q.
    weights : {None, "linear", "quadratic"}
        Identity, ``1 - |i - j| / (q - 1)``, or ``1 - (i - j)^2 / (q - 1)^2``.

    Returns
    -------
    ndarray, shape (q, q)

    Examples
    --------
    >>> weight_matrix(3, "linear").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    apart = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))) / max(1, categories - 1)
    if weights is None:
        return np.eye(categories)
    return 1.0 - (apart if weights == "linear" else apart**2)


def numbers_of(ratings: RatingTable, argument: str = "ratings", *, fewest: int = 2, columns: str = "raters") -> Floats:
    """Ratings as numbers, nan if missing.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings.
    argument : str
        Name to use in the error.
    fewest, columns
        As in `rows_of`.

    Returns
    -------
    ndarray of float, shape (items, raters)

    Raises
    ------
    ValueError
        When a rating is not a number, or as in `rows_of`.

    Examples
    --------
    >>> numbers_of([[1, 2], [3, None]]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    ratings = unmasked(ratings)
    as_array = isinstance(ratings, np.ndarray) and ratings.dtype.kind in "iuf" and ratings.ndim == 2
    if isinstance(ratings, np.ndarray) and as_array and ratings.shape[1] >= fewest:
        table = ratings.astype(np.float64)
        if np.isinf(table).any():
            raise ValueError(f"{argument} holds an infinite value; expected finite numbers")
        return table
    rows = rows_of(ratings, argument, fewest=fewest, columns=columns)
    try:
        table = np.array([[np.nan if is_missing(value) else float(value) for value in row] for row in rows])
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{argument} holds something that is not a number; expected numbers, None where missing"
        ) from None
    if np.isinf(table).any():
        raise ValueError(f"{argument} holds an infinite value; expected finite numbers")
    return table.reshape(len(rows), len(rows[0]) if rows else 0)
