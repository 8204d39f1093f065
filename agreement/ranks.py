"""Ranks of numbers."""

from __future__ import annotations

import numpy as np

from agreement.coding import Floats


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal numbers share the mean of their ranks.

    Parameters
    ----------
    values : ndarray, shape (n,)
        None of them nan.

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> mean_ranks(np.array([2.0, 0.5, 2.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2.0)[places])
