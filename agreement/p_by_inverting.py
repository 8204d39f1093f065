"""What a plan fixes of bootstraps: from how many units they give P, and whether their percentiles are widened."""

from __future__ import annotations

from typing import Any, Literal, Self

from agreement.cautions import FEW_CLUSTERS
from agreement.interval_kinds import Interval

OfNumbers = Literal["widened", "plain"]
"""The default interval of numbers in clusters: today's, or what it was before."""

FEWEST_FOR_P = FEW_CLUSTERS
"""Percentiles of two clusters exclude 0 whenever both lie on one side: without any difference P is then below .05 in
half of all samples, in 27 % of three clusters, in 12 % of ten and in 7 % of twenty (`docs/statistics.md`)."""

FEWEST_EARLIER = 2
"""The same in plans that were frozen before."""


class SeedOfPlan(int):
    """The seed of a plan, the same number, that says what the plan fixes of its bootstraps.

    Parameters
    ----------
    seed, p_from : int
        The seed, and the fewest items or clusters from which there is P.
    of_numbers : {"widened", "plain"}
        Whether percentiles are widened for few clusters where that is the default.

    Examples
    --------
    >>> SeedOfPlan(1, 2) == 1, SeedOfPlan(1, 2).p_from
    (True, 2)
    """

    p_from: int
    of_numbers: OfNumbers

    def __new__(cls, seed: int, p_from: int = FEWEST_FOR_P, of_numbers: OfNumbers = "widened") -> Self:
        """The number, with what it says; a copy is made of the number first, and is then told."""
        made = super().__new__(cls, seed)
        made.p_from, made.of_numbers = p_from, of_numbers
        return made


def of_plan(interval: Interval, seed: Any) -> Interval:
    """The kind of bootstrap that a plan names where the default is "widened".

    Parameters
    ----------
    interval : Interval
        The kind chosen.
    seed : Seed
        As in `bootstrap`; a draw has that of its plan.

    Returns
    -------
    Interval

    Examples
    --------
    >>> of_plan("widened", 1), of_plan("widened", SeedOfPlan(1, 2, "plain")), of_plan("bca", 1)
    ('widened', 'percentile', 'bca')
    """
    plain = is_plain(seed) and interval == "widened"
    return "percentile" if plain else interval


def is_plain(seed: Any) -> bool:
    """Whether this is the seed of a plan that was fixed before percentiles were widened.

    Parameters
    ----------
    seed : Seed
        As in `bootstrap`; a draw has that of its plan.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_plain(1), is_plain(SeedOfPlan(1, 10, "plain"))
    (False, True)
    """
    of_seed = getattr(seed, "seed", seed)
    return isinstance(of_seed, SeedOfPlan) and of_seed.of_numbers == "plain"


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
