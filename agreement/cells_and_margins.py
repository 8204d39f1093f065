"""Counts of the cells of a table as its margins and all but the last row and column, which many tables share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agreement.coding import Floats


def without_last_cells(counts: npt.NDArray[np.int8], grid: tuple[int, int], most: int) -> npt.NDArray[np.int8] | None:
    """The number in all cells, in each row and column but the last, and in each cell of these.

    With ten raters on a scale, each rater's numbers of verdicts are a margin in nine tables, which are then added up
    once.

    Parameters
    ----------
    counts : ndarray of int, shape (k, units)
        For each unit, the number in each cell, row by row; what follows the cells stays.
    grid : tuple of int
        Number of rows and columns.
    most : int
        The largest number in all cells of a unit, at most 127.

    Returns
    -------
    ndarray of int, shape (k, units), or None
        None where a unit has more than `most`.

    Examples
    --------
    >>> without_last_cells(np.array([[5], [1], [2], [4]], dtype=np.int8), (2, 2), 99).ravel().tolist()
    [12, 6, 7, 5]
    """
    rows, columns = grid
    cells, rest = counts[: rows * columns].reshape(rows, columns, counts.shape[1]), counts[rows * columns :]
    whole = cells.sum(axis=(0, 1), dtype=np.int16)
    if whole.max(initial=0) > most:
        return None
    of_rows, of_columns = cells[:-1].sum(axis=1, dtype=np.int8), cells[:, :-1].sum(axis=0, dtype=np.int8)
    inner = cells[:-1, :-1].reshape((rows - 1) * (columns - 1), counts.shape[1])
    return np.concatenate([whole[None].astype(np.int8), of_rows, of_columns, inner, rest])


def with_last_cells(totals: Floats, grid: tuple[int, int]) -> Floats:
    """The number in each cell again, from totals of what `without_last_cells` gives.

    Parameters
    ----------
    totals : ndarray, shape (resamples, k)
        Whole numbers.
    grid : tuple of int
        As in `without_last_cells`.

    Returns
    -------
    ndarray, shape (resamples, k)

    Examples
    --------
    >>> with_last_cells(np.array([[12.0, 6.0, 7.0, 5.0]]), (2, 2)).tolist()
    [[5.0, 1.0, 2.0, 4.0]]
    """
    rows, columns = grid
    ends = np.cumsum([1, rows - 1, columns - 1, (rows - 1) * (columns - 1)])
    whole, of_rows, of_columns, inner, rest = np.split(totals, ends, axis=1)
    cells = np.empty((len(totals), rows, columns))
    cells[:, :-1, :-1] = inner.reshape(len(totals), rows - 1, columns - 1)
    cells[:, :-1, -1] = of_rows - cells[:, :-1, :-1].sum(axis=2)
    cells[:, -1, :-1] = of_columns - cells[:, :-1, :-1].sum(axis=1)
    cells[:, -1, -1] = whole[:, 0] - of_rows.sum(axis=1) - cells[:, -1, :-1].sum(axis=1)
    return np.hstack([cells.reshape(len(totals), rows * columns), rest])
