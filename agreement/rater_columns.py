"""The verdicts of each rater in a file as statistics of pairs read them, made once for all pairs of the rater."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.codebook import distinct_numbers
from agreement.coding import Floats


class RaterColumns:
    """Columns of a table of items by raters, in as few bytes as they need.

    With ten raters, each column is in nine pairs and in several statistics of each. Threads that ask for the same
    column at the same time may each make it; the result is the same.

    Parameters
    ----------
    ratings : ndarray of float, shape (items, raters)
        Codes of the categories, or numbers; nan if missing.

    Examples
    --------
    >>> columns = RaterColumns(np.array([[0.0, 2.5], [3.0, np.nan], [1.0, 9.5]]))
    >>> columns.codes(0).tolist(), columns.codes(0).dtype
    ([0, 3, 1], dtype('uint8'))
    >>> columns.ranks(1).tolist()
    [0.0, nan, 1.0]
    """

    def __init__(self, ratings: Floats) -> None:
        self._ratings = ratings
        self._codes: dict[int, npt.NDArray[Any]] = {}
        self._ranks: dict[int, npt.NDArray[Any]] = {}

    def codes(self, column: int) -> npt.NDArray[Any]:
        """Codes of a rater; if none is missing as whole numbers, which are recognised in half the time.

        Parameters
        ----------
        column : int
            The rater.

        Returns
        -------
        ndarray, shape (items,)
        """
        if column not in self._codes:
            self._codes[column] = _compact(self._ratings[:, column])
        return self._codes[column]

    def ranks(self, column: int) -> npt.NDArray[Any]:
        """Dense ranks of a rater's numbers from 0, for statistics of their order, which then need not sort them.

        Parameters
        ----------
        column : int
            The rater.

        Returns
        -------
        ndarray, shape (items,)
            nan if missing.
        """
        if column not in self._ranks:
            _, which = distinct_numbers(self._ratings[:, column])
            self._ranks[column] = _compact(np.where(which < 0, np.nan, which))
        return self._ranks[column]


def _compact(numbers: Floats) -> npt.NDArray[Any]:
    """Whole numbers from 0 in as few bytes as hold them; unchanged if one is missing."""
    if not numbers.size or np.isnan(numbers).any():
        return numbers
    return numbers.astype(np.min_scalar_type(int(numbers.max())))
