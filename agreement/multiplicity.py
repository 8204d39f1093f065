"""Hommel's adjustment of several P values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.coding import Floats


def hommel_p_values(p: Sequence[float] | Floats) -> Floats:
    """P values adjusted for their number by Hommel's procedure.

    The closed test of Simes: the adjusted value of a hypothesis is the greatest of the Simes P values
    ``min_j |S| p_(j) / j`` over all sets S of hypotheses that hold it [1]_. Computed by Wright's algorithm [2]_ in m^2
    steps. Never greater than Holm's; it controls the chance of any false rejection for independent or positively
    dependent tests.

    Parameters
    ----------
    p : array_like, shape (m,)
        P values; nan (a test that could not be done) stays nan and does not count in m.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    ValueError
        When a value lies outside 0 and 1, or the shape is not (m,).

    References
    ----------
    .. [1] Hommel (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test. Biometrika
       75, 383-386.
    .. [2] Wright (1992). Adjusted P-values for simultaneous inference. Biometrics 48, 1005-1013.

    Examples
    --------
    By hand: for .01 the greatest Simes value is that of all three, min(3 * .01, 3/2 * .03, .04) = .03.

    >>> hommel_p_values([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    try:
        values = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"p is {p!r}; expected P values, one number for each test") from None
    if values.ndim != 1:
        raise ValueError(f"p has shape {values.shape}; expected (m,)")
    if ((values < 0) | (values > 1)).any():
        raise ValueError("p holds a value outside 0 and 1; expected P values")
    adjusted = np.full(values.shape, np.nan)
    done = np.flatnonzero(~np.isnan(values))
    m = done.size
    if m == 0:
        return adjusted
    order = done[np.argsort(values[done], kind="stable")]
    ranked, rank = values[order], np.arange(1, m + 1)
    smallest = np.full(m, float(np.min(m * ranked / rank)))
    result = smallest.copy()
    # [2]: for sets of size, the Simes value from the greatest size - 1 of them and one of the others
    for size in range(m - 1, 1, -1):
        head, tail = np.arange(m - size + 1), np.arange(m - size + 1, m)
        simes = float(np.min(size * ranked[tail] / np.arange(2, size + 1)))
        smallest[head] = np.minimum(size * ranked[head], simes)
        smallest[tail] = smallest[m - size]
        result = np.maximum(result, smallest)
    adjusted[order] = np.minimum(1.0, np.maximum(result, ranked))
    return adjusted
