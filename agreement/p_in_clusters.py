"""By which distribution a standard error that allows for clusters gives P, and limits where these follow it."""

from __future__ import annotations

from typing import Literal

from agreement.caution import Caution
from agreement.quantiles import normal_tail, t_tail
from agreement.words import Part, Words

PInClusters = Literal["t", "normal"]
"""Today's distribution, or what it was in plans that were frozen before."""

FEW_FOR_NORMAL = 20
"""Below this many clusters, P by the normal distribution is below .05 in 7 to 15 % of samples without any difference
(`docs/statistics.md`)."""


def two_sided(standardised: float, df: float | None) -> float:
    """P of a deviation in units of its standard error.

    Parameters
    ----------
    standardised : float
    df : float or None
        Degrees of freedom of t; None for the normal distribution.

    Returns
    -------
    float

    Examples
    --------
    >>> round(two_sided(2.776, 4), 3), round(two_sided(-1.96, None), 3)
    (0.05, 0.05)
    """
    away = abs(standardised)
    return 2.0 * (normal_tail(away) if df is None else t_tail(away, df))


def few_for_normal(n_clusters: int | None, *, limits: bool) -> Caution | None:
    """The warning for the normal distribution with few clusters.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters; None for independent items.
    limits : bool
        Whether limits are normal too, not P alone.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_for_normal(12, limits=False).text
    'only 12 clusters: with fewer than 20, the normal distribution gives P values that are too small'
    """
    if n_clusters is None or n_clusters >= FEW_FOR_NORMAL:
        return None
    clusters = " cluster" if n_clusters == 1 else " clusters"
    gives = "limits that are too narrow and P values" if limits else "P values"
    says = f": with fewer than {FEW_FOR_NORMAL}, the normal distribution gives {gives} that are too small"
    return Caution(
        "few_for_normal", Words("only ", Part(f"{n_clusters}", is_number=True), clusters, says), FEW_FOR_NORMAL
    )
