"""From how many units a bootstrap gives P, the level at which its percentiles begin to exclude 0."""

from __future__ import annotations

from agreement.planned_seed import FEWEST_FOR_P, PlannedSeed
from agreement.resampling import Seed
from agreement.shared_draw import ClusterDraw


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
