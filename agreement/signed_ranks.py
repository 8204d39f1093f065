"""Wilcoxon's signed-rank test by its exact distribution, ties included."""

from __future__ import annotations

import numpy as np
from scipy import stats

from agreement.coding import Floats


def signed_rank_p(differences: Floats) -> float:
    """One-sided P that differences lie below 0, of few of them.

    The share of the ``2^n`` ways to sign the ranks of the absolute differences in which the sum of the positive ranks
    is no greater than it is [1]_. Differences of 0 are left out, ties have the mean of their ranks.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Finite numbers, some dozens at most.

    Returns
    -------
    float
        1 where all differences are 0.

    References
    ----------
    .. [1] Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.

    Examples
    --------
    Five differences of one sign: one of 32 ways.

    >>> signed_rank_p(np.array([-1.0, -0.5, -2.0, -3.0, -0.1])) == 1 / 32
    True
    """
    moved = differences[differences != 0.0]
    # twice the mean ranks are whole numbers
    ranks = np.rint(2.0 * stats.rankdata(np.abs(moved))).astype(np.intp)
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[: ways.size - rank].copy()
    observed = int(ranks[moved > 0.0].sum())
    return float(ways[: observed + 1].sum() / 2.0**moved.size)
