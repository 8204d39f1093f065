"""Which kind of interval a plan names for numbers in clusters."""

from __future__ import annotations

from typing import Any

from agreement.interval_kinds import Interval
from agreement.planned_seed import PlannedSeed
from agreement.shared_draw import ClusterDraw


def of_plan(interval: Interval, seed: Any) -> Interval:
    """The kind of bootstrap that a plan names where the default is "widened".

    Parameters
    ----------
    interval : Interval
        The kind chosen.
    seed : Seed
        As in `bootstrap`.

    Returns
    -------
    Interval

    Examples
    --------
    >>> of_plan("widened", 1), of_plan("widened", PlannedSeed(1, 2, "plain")), of_plan("bca", 1)
    ('widened', 'percentile', 'bca')
    """
    return "percentile" if interval == "widened" and is_plain(seed) else interval


def is_plain(seed: Any) -> bool:
    """Whether this is the seed of a plan that was fixed before percentiles were widened.

    Parameters
    ----------
    seed : Seed
        As in `bootstrap`.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_plain(1), is_plain(PlannedSeed(1, 10, "plain"))
    (False, True)
    """
    return isinstance(seed, PlannedSeed | ClusterDraw) and seed.of_numbers == "plain"
