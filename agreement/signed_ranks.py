"""Wilcoxon's signed-rank test from its exact distribution, with ties."""

from __future__ import annotations

import numpy as np

from agreement.coding import Floats
from agreement.ranks import mean_ranks


def signed_rank_p(differences: Floats) -> float:
    """One-sided exact P that the differences lie below 0, for small samples.

    The proportion of the ``2^n`` sign assignments to the ranks of the absolute differences for which the sum of the
    positive ranks is at most the observed one [1]_. Differences of 0 are left out; ties get their mean rank.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Finite numbers, at most a few dozen.

    Returns
    -------
    float
        1 if all differences are 0.

    References
    ----------
    .. [1] Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.

    Examples
    --------
    Five differences of the same sign: one of 32 sign assignments.

    >>> signed_rank_p(np.array([-1.0, -0.5, -2.0, -3.0, -0.1])) == 1 / 32
    True
    """
    moved = differences[differences != 0.0]
    # twice the mean ranks are integers
    ranks = np.rint(2.0 * mean_ranks(np.abs(moved))).astype(np.intp)
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[: ways.size - rank].copy()
    observed = int(ranks[moved > 0.0].sum())
    return float(ways[: observed + 1].sum() / 2.0**moved.size)
