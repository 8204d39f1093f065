"""The interval of a coefficient with weights before it was transformed, for plans that were fixed with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from agreement.estimate import Estimate

IntervalScale = Literal["transformed", "plain"]
"""The interval of coefficients with weights or a metric: today's default, or what the default was before."""


def by_plan(
    coefficient: Callable[..., Estimate], interval: IntervalScale, alone: Literal["normal", "t"]
) -> Callable[..., Estimate]:
    """A coefficient with weights or a metric, with the interval that a plan names for it.

    Parameters
    ----------
    coefficient : callable
        For example `cohen_kappa` with weights; takes ratings, and ``clusters=`` and ``interval=`` among its options.
    interval : {"transformed", "plain"}
        "plain" is `alone` where no two items share a cluster, otherwise a percentile bootstrap of clusters.
    alone : {"normal", "t"}
        The plain interval of independent items.

    Returns
    -------
    callable
        The coefficient itself, or one that differs in its default interval only.

    Examples
    --------
    >>> from agreement import cohen_kappa
    >>> kappa = partial(cohen_kappa, weights="linear")
    >>> ratings = [1, 2, 3, 1, 2, 3, 3], [1, 2, 2, 1, 3, 3, 3]
    >>> by_plan(kappa, "plain", "normal")(*ratings, clusters=range(7)) == kappa(*ratings, interval="normal")
    True
    """
    return coefficient if interval == "transformed" else partial(_plain, coefficient, alone)


def _plain(coefficient: Callable[..., Estimate], alone: str, *ratings: Any, **options: Any) -> Estimate:
    if options.get("interval") is not None:
        return coefficient(*ratings, **options)
    if options.get("clusters") is not None:
        # Whether used items share clusters is known only once it is known which are used.
        if coefficient(*ratings, **options).n_clusters is not None:
            return coefficient(*ratings, **{**options, "interval": "percentile"})
        options = {**options, "clusters": None}
    return coefficient(*ratings, **{**options, "interval": alone})
