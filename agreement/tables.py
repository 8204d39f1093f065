"""The cross-table of two raters over the same categories, with penalties for disagreement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from agreement.arguments import rows_once, unmasked
from agreement.coding import Codes, Floats
from agreement.given_numbers import as_floats
from agreement.ratings import Weights
from agreement.row_sums import row_sums

_DENSE = 2**20  # cells that are counted without sorting
_COUNTABLE = 2.0**53  # larger whole numbers are not exact


@dataclass(frozen=True)
class Table:
    """The non-empty cells of a table, so that many categories need no table of all their pairs.

    Penalties are whole numbers, so that their sums are exact: 0 for agreement; for categories i and j at places x, 1 or
    with weights ``|x_i - x_j|`` or ``(x_i - x_j)^2``.

    Attributes
    ----------
    a, b : ndarray of int, shape (cells,)
        Row and column of each cell.
    count : ndarray of int, shape (cells,)
        Items in each cell.
    places : ndarray of float, shape (k,)
        Positions of the categories on the scale, ascending.
    weights : {None, "linear", "quadratic"}
        Weights of disagreement.

    Examples
    --------
    >>> table = Table.of_codes(np.array([0, 2, 2]), np.array([0, 1, 1]), np.arange(3.0), "linear")
    >>> table.count.tolist(), table.penalty.tolist(), table.against(table.columns).tolist()
    ([1, 2], [0.0, 1.0], [2.0, 1.0, 4.0])
    """

    a: Codes
    b: Codes
    count: npt.NDArray[np.int64]
    places: Floats
    weights: Weights | None

    @classmethod
    def of_codes(cls, a: Codes, b: Codes, places: Floats, weights: Weights | None) -> Self:
        """The table of two raters' codes, shape (items,) each."""
        k = len(places)
        cell = a * k + b
        if k * k <= max(_DENSE, a.size):
            table = np.bincount(cell, minlength=k * k)
            cell = np.flatnonzero(table)
            count = table[cell]
        else:
            cell, count = np.unique(cell, return_counts=True)
        return cls(cell // k, cell % k, count, places, weights)

    def cells_of(self, a: Codes, b: Codes) -> Codes:
        """The cell that each item is in, from codes of the items that the table counts, shape (items,) each."""
        k = len(self.places)
        cells, of_items = self.a * k + self.b, a * k + b  # cells are in ascending order
        if k * k > max(_DENSE, a.size):
            return np.searchsorted(cells, of_items)
        number = np.zeros(k * k, dtype=np.intp)
        number[cells] = np.arange(cells.size)
        return np.asarray(number[of_items])

    @cached_property
    def n(self) -> int:
        """Number of items."""
        return int(self.count.sum())

    @cached_property
    def rows(self) -> Floats:
        """How often the first rater used each category, shape (k,)."""
        return np.bincount(self.a, weights=self.count, minlength=len(self.places)).astype(np.float64)

    @cached_property
    def columns(self) -> Floats:
        """How often the second rater used each category, shape (k,)."""
        return np.bincount(self.b, weights=self.count, minlength=len(self.places)).astype(np.float64)

    @cached_property
    def penalty(self) -> Floats:
        """Penalty of each cell."""
        return self.penalty_of(self.a, self.b)

    def penalty_of(self, a: Codes, b: Codes) -> Floats:
        """Penalty of each pair of codes."""
        if self.weights is None:
            return np.asarray(a != b, dtype=np.float64)
        apart = np.abs(self.places[a] - self.places[b])
        return np.asarray(apart if self.weights == "linear" else apart**2)

    def against(self, use: Floats) -> Floats:
        """Sum of the penalties of each category against verdicts counted by category; both have shape (..., k)."""
        n = row_sums(use)[..., None]
        if self.weights is None:
            return np.asarray(n - use)
        x = self.places
        first = use * x
        if self.weights == "quadratic":
            second = row_sums(first * x)[..., None]
            return np.asarray(n * x**2 - 2.0 * x * row_sums(first)[..., None] + second)
        up_to, first_up_to = np.cumsum(use, axis=-1), np.cumsum(first, axis=-1)
        return np.asarray(x * (2.0 * up_to - n) + first_up_to[..., -1:] - 2.0 * first_up_to)


def square_counts(table: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Check a table of counts of two raters over the same categories.

    Parameters
    ----------
    table : array_like of int, shape (k, k)
        Counts.

    Returns
    -------
    ndarray of int, shape (k, k)

    Raises
    ------
    ValueError
        When the table is not square, smaller than 2 x 2, or holds anything but whole numbers of at least 0.

    Examples
    --------
    >>> square_counts([[1.0, 2.0], [0.0, 3.0]]).tolist()
    [[1, 2], [0, 3]]
    """
    try:
        counts = as_floats(unmasked(rows_once(table)))
    except (TypeError, ValueError):
        raise ValueError(
            "table holds something that is not a count, or rows of different length; expected (k, k)"
        ) from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.shape[0] < 2:
        raise ValueError(f"table has shape {counts.shape}; expected (k, k) with k of at least 2")
    if not ((counts >= 0) & (counts < _COUNTABLE) & (counts == np.floor(counts))).all():
        raise ValueError(
            "table holds a negative or fractional count, or a missing one; expected whole numbers of at least 0"
        )
    return counts.astype(np.int64)
