"""The rules by which an estimate carries a warning; those on clusters not sampled are in `agreement.unseen`."""

from __future__ import annotations

from functools import lru_cache

from agreement.caution import Caution
from agreement.words import Part, Words

FEW_CLUSTERS = 10
"""Below this many clusters, the intervals of a cluster bootstrap are too narrow (Cameron, Gelbach and Miller 2008)."""

FEW_RESAMPLED = 20
"""Below this many clusters, the bootstrap interval of a share near 0 or 1 has a coverage below 90 %
(`docs/statistics.md`, coverage)."""

FEW_RATERS = 5
"""Below this many raters, little can be learnt about other raters."""
FEW_ITEMS = 30
"""Below this many items, a kind that makes up one item in ten is missing from at least one sample in twenty, and the
interval then misses an intraclass correlation that depends on that kind (`docs/statistics.md`, coverage)."""

RARE = 5
"""With a category expected in fewer items than this, an unweighted kappa turns on a verdict or two."""

RARE_CLUSTERS = 8
"""If a clustered category is expected in fewer items than this many clusters hold, 95 % intervals of a kappa can have a
coverage below 90 % when its clusters contain little else (`docs/statistics.md`, coverage)."""

RARE_SCATTERED = 6
"""The same for ``interval="scattered"``, which is wider if the items of the category are gathered in few clusters."""

FEW_WEIGHTED = 60
"""With weights a rare category is warned of below this many items, where normal 95 % limits cover 87 to 90 %."""

UNEVEN = 0.75
"""If Kish's effective number of clusters is below this share of their actual number, their sizes are very unequal: a
sample whose disagreements happen to miss the large ones does not show how they cluster (`docs/statistics.md`,
coverage)."""

FEW_UNEVEN = 15
"""Clusters of very unequal sizes whose effective number (Kish) is below this say too little about how a share varies
between them, however many there are (`docs/statistics.md`, coverage)."""

FEW_UNEVEN_OF_SHARE = 6
"""The same for Wilson's interval of a share, whose design effect also uses the similarity of items in small clusters
(`agreement.effective_size.share_size`)."""


@lru_cache(maxsize=128)  # every estimate of a study asks this of the same number, and the answer never changes
def few_clusters(n_clusters: int | None) -> Caution | None:
    """The warning for an interval that allows for clusters.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters; None for independent items.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_clusters(4).text
    'only 4 clusters: an interval from fewer than 10 clusters is likely to be too narrow'
    """
    if n_clusters is None or n_clusters >= FEW_CLUSTERS:
        return None
    says = f"an interval from fewer than {FEW_CLUSTERS} clusters is likely to be too narrow"
    return Caution("few_clusters", _only(n_clusters, says), FEW_CLUSTERS)


def few_resampled(n_clusters: int | None) -> Caution | None:
    """The warning for a cluster bootstrap with enough clusters for other intervals, but not for this one.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters; None for independent items.

    Returns
    -------
    Caution or None
        Also None below 10 clusters, since `few_clusters` warns there.

    Examples
    --------
    >>> few_resampled(14).text
    'only 14 clusters: a bootstrap of fewer than 20 clusters is likely to be too narrow'
    """
    if n_clusters is None or not FEW_CLUSTERS <= n_clusters < FEW_RESAMPLED:
        return None
    says = f"a bootstrap of fewer than {FEW_RESAMPLED} clusters is likely to be too narrow"
    return Caution("few_resampled", _only(n_clusters, says), FEW_RESAMPLED)


def _only(n_clusters: int, says: str) -> Words:
    clusters = " cluster: " if n_clusters == 1 else " clusters: "
    return Words("only ", Part(f"{n_clusters}", is_number=True), clusters, says)


def few_raters(raters: int) -> Caution | None:
    """The warning for a coefficient that generalises to other raters.

    Parameters
    ----------
    raters : int
        Number of raters.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_raters(3).text
    'fewer than 5 raters: conclusions about other raters are uncertain'
    """
    if raters >= FEW_RATERS:
        return None
    text = f"fewer than {FEW_RATERS} raters: conclusions about other raters are uncertain"
    return Caution("few_raters", text, FEW_RATERS)


def few_items(items: int, unit: str = "item") -> Caution | None:
    """The warning for an intraclass correlation, which depends on the variation between items.

    Parameters
    ----------
    items : int
        Number of complete items.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_items(20).text
    'fewer than 30 items: outliers may not have been sampled, which the interval does not allow for'
    >>> few_items(30) is None
    True
    """
    if items >= FEW_ITEMS:
        return None
    text = f"fewer than {FEW_ITEMS} {unit}s: outliers may not have been sampled, which the interval does not allow for"
    return Caution("few_items", text, FEW_ITEMS)


def rare_category(
    expected: float, of_cluster: float = 1.0, *, scattered: bool = False, unit: str = "item"
) -> Caution | None:
    """The warning for a coefficient whose chance agreement depends on how often each category is used.

    Parameters
    ----------
    expected : float
        Expected number of items in the rarest category that occurs: items times its mean share.
    of_cluster : float
        Items of the cluster that an average item is in (`agreement.effective_size.cluster_of_item`); 1 without
        clusters.
    scattered : bool
        Whether the interval is ``"scattered"``, for which fewer clusters suffice.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> rare_category(4.5).text
    'a category is expected in fewer than 5 items: value and interval are uncertain'
    >>> rare_category(31.0, of_cluster=5.0, unit="verdict").text.split(": ")[0]
    'the rarest category is expected in fewer verdicts than 8 clusters of the size that an average verdict is in have'
    """
    if 0.0 < expected < RARE:
        text = f"a category is expected in fewer than {RARE} {unit}s: value and interval are uncertain"
        return Caution("rare_category", text, RARE)
    fewest = RARE_SCATTERED if scattered else RARE_CLUSTERS
    if of_cluster > 1.0 and 0.0 < expected < fewest * of_cluster:
        text = (
            f"the rarest category is expected in fewer {unit}s than {fewest} clusters of the size that an average "
            f"{unit} is in have: the interval is likely to be a little too narrow"
        )
        return Caution("rare_category", text, fewest)
    return None


def gathered_disagreements(differing: float, clusters: int, worth: float) -> Caution | None:
    """The warning for a kappa or alpha with clusters of very unequal sizes, few of which contain a disagreement.

    Parameters
    ----------
    differing : float
        Kish's effective number of clusters with a disagreement (`agreement.effective_size.clusters_with`).
    clusters : int
        Number of clusters.
    worth : float
        Kish's effective number of clusters by their items; equal to `clusters` if all have the same size.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> gathered_disagreements(3.2, 50, 30.3).text.split(": ")[0]
    'clusters are of very unequal sizes, and fewer than 8 of them have most of the disagreements'
    >>> gathered_disagreements(3.2, 50, 50.0) is None
    True
    """
    if worth >= UNEVEN * clusters or differing >= RARE_CLUSTERS:
        return None
    text = (
        f"clusters are of very unequal sizes, and fewer than {RARE_CLUSTERS} of them have most of the disagreements: "
        "the interval is likely to be too narrow"
    )
    return Caution("gathered_disagreements", text, RARE_CLUSTERS)


def uneven_clusters(clusters: int | None, worth: float | None, fewest: int = FEW_UNEVEN) -> Caution | None:
    """The warning for an interval that relies on the number of clusters when a few large ones hold most of the items.

    Parameters
    ----------
    clusters : int or None
        Number of clusters; None for independent items.
    worth : float or None
        Kish's effective number of clusters by their items; None if not known.
    fewest : int
        The smallest sufficient number; `FEW_RESAMPLED` for bootstraps, `FEW_UNEVEN_OF_SHARE` for shares.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> uneven_clusters(20, 5.8).text.split(": ")[0]
    'cluster sizes are very unequal, equivalent to 5.8 clusters of equal size'
    >>> uneven_clusters(14, 14.0) is uneven_clusters(100, 28.8) is None
    True
    """
    if clusters is None or worth is None or worth >= UNEVEN * clusters or worth >= fewest:
        return None
    return Caution("uneven_clusters", f"{of_one_size(worth)}: the interval is likely to be too narrow", fewest)


def of_one_size(worth: float) -> str:
    """How few clusters of one size very unequal ones are worth, to begin a warning."""
    return f"cluster sizes are very unequal, equivalent to {worth:.1f} clusters of equal size"


def gathered_events(events: float, clusters: int, worth: float) -> Caution | None:
    """The warning for a bootstrapped share or area when few of very unequal clusters contain the rarer outcome.

    Parameters
    ----------
    events : float
        Kish's effective number of clusters with the rarer outcome (`agreement.effective_size.clusters_with`).
    clusters, worth
        As in `gathered_disagreements`.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> gathered_events(3.2, 100, 28.8).text.split(": ")[0]
    'clusters are of very unequal sizes, and fewer than 8 of them have most of the rarer category'
    >>> gathered_events(3.2, 50, 50.0) is None
    True
    """
    if worth >= UNEVEN * clusters or events >= RARE_CLUSTERS:
        return None
    text = (
        f"clusters are of very unequal sizes, and fewer than {RARE_CLUSTERS} of them have most of the rarer category: "
        "the interval is likely to be too narrow"
    )
    return Caution("gathered_events", text, RARE_CLUSTERS)


def rare_outcome(count: int, fewest: int = RARE) -> Caution | None:
    """The warning for a mean of correctness when nearly all units, or nearly none, are right.

    Parameters
    ----------
    count, fewest : int
        Number of units that are right or wrong, whichever is smaller; the smallest sufficient number.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> rare_outcome(2).text
    'fewer than 5 right, or wrong: the interval is uncertain'
    """
    text = f"fewer than {fewest} right, or wrong: the interval is uncertain"
    return Caution("rare_outcome", text, fewest) if count < fewest else None


def rare_among_heavy(count: int) -> Caution | None:
    """The warning for a corrected mean when few of the labelled units with large weights show the rarer outcome.

    A stratum whose labelled units are all right adds nothing to the variance, however much of the pool it makes up.

    Parameters
    ----------
    count : int
        Number of these units that are right or wrong, whichever is smaller.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> rare_among_heavy(4).text.split(": ")[0]
    'among the labelled with the largest weights, fewer than 5 are right, or wrong'
    """
    text = (
        f"among the labelled with the largest weights, fewer than {RARE} are right, or wrong: the interval is likely "
        "to be too narrow"
    )
    return Caution("rare_outcome", text, RARE) if count < RARE else None


def seldom_differing(differing: int) -> Caution | None:
    """The warning for a bootstrapped difference of two coefficients when the two sides are nearly always the same.

    Parameters
    ----------
    differing : int
        Number of units on which the two sides differ.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> seldom_differing(3).text
    'the two differ on fewer than 5: the interval is uncertain'
    """
    if differing >= RARE:
        return None
    return Caution("nearly_constant", f"the two differ on fewer than {RARE}: the interval is uncertain", RARE)


def hardly_overlapping(expected: float, fewest: int = RARE) -> Caution | None:
    """The warning for an area under the ROC curve near 0 or 1.

    Parameters
    ----------
    expected : float
        Expected number of units of the smaller group on the wrong side of a unit of the other group: their number times
        the area or one minus it, whichever is smaller. Clusters count once: their positives say little more than one.
    fewest : int
        The smallest sufficient number.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> hardly_overlapping(1.5).text
    'fewer than 5 of the smaller group overlap with the other: the interval is uncertain'
    """
    if expected >= fewest:
        return None
    text = f"fewer than {fewest} of the smaller group overlap with the other: the interval is uncertain"
    return Caution("hardly_overlapping", text, fewest)
