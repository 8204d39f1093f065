"""The table of counts of two raters over the same categories."""

import numpy as np
import numpy.typing as npt

_COUNTABLE = 2.0**53  # whole numbers beyond this are not told apart


def square_counts(table: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The counts of two raters over the same categories, checked.

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
        counts = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "table holds something that is no count, or rows of different length; expected (k, k)"
        ) from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.shape[0] < 2:
        raise ValueError(f"table has shape {counts.shape}; expected (k, k) with k of at least 2")
    if not ((counts >= 0) & (counts < _COUNTABLE) & (counts == np.floor(counts))).all():
        raise ValueError(
            "table holds a negative or fractional count, or a missing one; expected whole numbers of at least 0"
        )
    return counts.astype(np.int64)
