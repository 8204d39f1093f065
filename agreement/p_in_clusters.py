"""By which distribution a standard error that allows for clusters gives P, and limits where these follow it."""

from __future__ import annotations

from typing import Literal

from agreement.caution import Caution
from agreement.cautions import FEW_CLUSTERS, FEW_UNEVEN, UNEVEN, of_one_size
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


def few_for_test(n_clusters: int | None, worth: float | None = None) -> Caution | None:
    """The warning for a test that allows for clusters and has no interval.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters; None for independent items.
    worth : float or None
        Kish's effective number of clusters by their items; None if not known.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_for_test(4).text
    'only 4 clusters: P of a test of fewer than 10 clusters is uncertain'
    >>> few_for_test(20, 5.8).text
    'cluster sizes are very unequal, equivalent to 5.8 clusters of equal size: P of a test is likely to be too small'
    """
    if n_clusters is None:
        return None
    if n_clusters < FEW_CLUSTERS:
        says = f"P of a test of fewer than {FEW_CLUSTERS} clusters is uncertain"
        return Caution("few_clusters_of_test", f"only {n_clusters} clusters: {says}", FEW_CLUSTERS)
    if worth is None or worth >= UNEVEN * n_clusters or worth >= FEW_UNEVEN:
        return None
    says = f"{of_one_size(worth)}: P of a test is likely to be too small"
    return Caution("uneven_clusters_of_test", says, FEW_UNEVEN)
