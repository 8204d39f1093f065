"""Candidates' keys as numbers, from one sheet or from two that are joined by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.coding import Codes
from agreement.judge.sheet import JudgedFileError, Sheet


def shared_codes(sheet: Sheet, of_humans: Sheet, name: str) -> tuple[Codes, Codes]:
    """Codes of a key in both sheets; equal texts have equal codes.

    Parameters
    ----------
    sheet, of_humans : Sheet
        Often the same.
    name : str
        Column of both.

    Returns
    -------
    tuple of ndarray of int
        One code for each row, for either sheet.

    Raises
    ------
    JudgedFileError
        When a field is empty.
    """
    first, second = sheet.column(name), of_humans.column(name)
    for column, where in ((first, sheet), (second, of_humans)):
        empty = np.flatnonzero(column.codes < 0)
        if empty.size:
            raise JudgedFileError(f"{where.where(int(empty[0]))} has no {name!r}, which names the candidate")
    if first is second:
        return first.codes, first.codes
    place = {text: code for code, text in enumerate(first.texts)}
    own = [place.setdefault(text, len(place)) for text in second.texts]
    return first.codes, np.array(own, dtype=np.intp)[second.codes]


def numbered(keys: Sequence[Codes]) -> tuple[Codes, int]:
    """Number the distinct combinations of keys, and count them.

    Parameters
    ----------
    keys : sequence of ndarray of int, shape (rows,)

    Returns
    -------
    codes : ndarray of int, shape (rows,)
    count : int

    Examples
    --------
    >>> codes, count = numbered([np.array([0, 0, 1, 0]), np.array([0, 1, 1, 0])])
    >>> codes.tolist(), count
    ([0, 1, 2, 0], 3)
    """
    together, count = _close(keys[0])
    for codes in keys[1:]:
        together, count = _close(together * (int(codes.max()) + 1) + codes)
    return together, count


def _close(codes: Codes) -> tuple[Codes, int]:
    """Renumber codes without gaps, in order; by counting if they are dense, otherwise by sorting."""
    if int(codes.max()) < 4 * codes.size:
        occurring = np.bincount(codes) > 0
        return (np.cumsum(occurring) - 1)[codes], int(occurring.sum())
    different, closed = np.unique(codes, return_inverse=True)
    return closed.astype(np.intp), different.size
