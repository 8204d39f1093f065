"""From how many units a bootstrap gives P, the level at which its percentiles begin to exclude 0."""

from __future__ import annotations

from typing import Any, Self

from agreement.cautions import FEW_CLUSTERS

FEWEST_FOR_P = FEW_CLUSTERS
"""Percentiles of two clusters exclude 0 whenever both lie on one side: without any difference P is then below .05 in
half of all samples, in 27 % of three clusters, in 12 % of ten and in 7 % of twenty (`docs/statistics.md`)."""

FEWEST_EARLIER = 2
"""The same in plans that were frozen before."""


class SeedOfPlan(int):
    """The seed of a plan, the same number, that says from how many units the plan's bootstraps give P.

    Parameters
    ----------
    seed, p_from : int
        The seed, and the fewest items or clusters.

    Examples
    --------
    >>> SeedOfPlan(1, 2) == 1, SeedOfPlan(1, 2).p_from
    (True, 2)
    """

    p_from: int

    def __new__(cls, seed: int, p_from: int = FEWEST_FOR_P) -> Self:
        """The number, with what it says; a copy is made of the number first, and is then told."""
        made = super().__new__(cls, seed)
        made.p_from = p_from
        return made


def p_of_units(units: int, n_clusters: int | None, seed: Any) -> tuple[bool, str]:
    """Whether percentiles of these units give P, and what the method says of it.

    Parameters
    ----------
    units : int
        Number of resampled items; with clusters not used.
    n_clusters : int or None
        Number of resampled clusters.
    seed : Seed
        As in `bootstrap`; a draw has that of its plan.

    Returns
    -------
    given : bool
    note : str

    Examples
    --------
    >>> p_of_units(40, 4, 1)
    (False, '; no P from fewer than 10 clusters')
    >>> p_of_units(40, 4, SeedOfPlan(1, 2))[0], p_of_units(40, None, 1)
    (True, (True, '; P by inverting the interval'))
    """
    of_plan = getattr(seed, "seed", seed)
    fewest = of_plan.p_from if isinstance(of_plan, SeedOfPlan) else FEWEST_FOR_P
    if (units if n_clusters is None else n_clusters) >= fewest:
        return True, "; P by inverting the interval"
    return False, f"; no P from fewer than {fewest} {'units' if n_clusters is None else 'clusters'}"
