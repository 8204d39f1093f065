"""How often each item was put into each category."""

from __future__ import annotations

import numpy as np

from agreement.coding import Codes, Floats

_LARGEST = 10**8  # numbers in a table of items by categories
_MOST = 5000  # categories


def check_size(items: int, categories: int) -> None:
    """Refuse ratings whose table of items by categories would not fit in memory, such as free text.

    Parameters
    ----------
    items, categories : int
        Shape of the table.

    Raises
    ------
    ValueError
        When it would hold more than 10^8 numbers or 5000 categories.
    """
    if items * categories > _LARGEST or categories > _MOST:
        raise ValueError(
            f"ratings hold {categories} categories over {items} rows; expected verdicts that repeat, not free text"
        )


def counts_of(codes: Codes, categories: int) -> Floats:
    """How often each item was put into each category.

    Parameters
    ----------
    codes : ndarray of int, shape (items, raters)
        Category of each rating, -1 if missing.
    categories : int
        Number of categories.

    Returns
    -------
    ndarray, shape (items, categories)

    Raises
    ------
    ValueError
        As `check_size`.

    Examples
    --------
    >>> counts_of(np.array([[0, 0, 1], [1, -1, -1]]), 2).tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """
    items = len(codes)
    check_size(items, categories)
    cells = np.arange(items)[:, None] * categories + codes
    counts = np.bincount(cells[codes >= 0], minlength=items * categories)
    return counts.reshape(items, categories).astype(np.float64)
