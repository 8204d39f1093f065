"""From how many units a bootstrap gives P, the level at which its percentiles begin to exclude 0."""

from __future__ import annotations

import numpy as np

from agreement.caution import Caution
from agreement.coding import Codes, Floats
from agreement.planned_seed import FEWEST_FOR_P, PlannedSeed
from agreement.resampling import Seed
from agreement.shared_draw import ClusterDraw

FEW_ONE_WAY = 8
"""If all that differ lie on one side and are fewer than this, hardly a resample is without one, and P by resampling is
far below the exact ``2 / 2^k`` of k that differ (`docs/statistics.md`, coverage)."""


def p_of_units(units: int, n_clusters: int | None, seed: Seed) -> tuple[bool, str]:
    """Whether percentiles of these units give P, and what the method says of it.

    Parameters
    ----------
    units : int
        Number of resampled items; with clusters not used.
    n_clusters : int or None
        Number of resampled clusters.
    seed : Seed
        As in `bootstrap`; the seed of a plan and a draw say from how many units there is P.

    Returns
    -------
    given : bool
    note : str

    Examples
    --------
    >>> p_of_units(40, 4, 1)
    (False, '; no P from fewer than 10 clusters')
    >>> p_of_units(40, 4, PlannedSeed(1, p_from=2))[0], p_of_units(40, None, 1)
    (True, (True, '; P by inverting the interval'))
    """
    fewest = seed.p_from if isinstance(seed, PlannedSeed | ClusterDraw) else FEWEST_FOR_P
    if (units if n_clusters is None else n_clusters) >= fewest:
        return True, "; P by inverting the interval"
    return False, f"; no P from fewer than {fewest} {'units' if n_clusters is None else 'clusters'}"


def one_way(gaps: Floats, groups: Codes | None = None) -> Caution | None:
    """The warning for the P value of a paired difference of which the few that differ all lie on one side.

    Parameters
    ----------
    gaps : ndarray, shape (items,)
        The differences.
    groups : ndarray of int, shape (items,), or None
        Cluster of each item; clusters count once.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> one_way(np.array([1.0] * 6 + [0.0] * 50)).text.split(": ")[0]
    'fewer than 8 differ, all in one direction'
    >>> one_way(np.array([1.0] * 6 + [-1.0] + [0.0] * 50)) is one_way(np.array([1.0] * 8)) is None
    True
    """
    sums = gaps if groups is None else np.bincount(groups, weights=gaps)
    above, below = int((sums > 0.0).sum()), int((sums < 0.0).sum())
    if min(above, below) > 0 or not 0 < above + below < FEW_ONE_WAY:
        return None
    text = f"fewer than {FEW_ONE_WAY} differ, all in one direction: P is likely to be too small"
    return Caution("nearly_constant", text, FEW_ONE_WAY)
