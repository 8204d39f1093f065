"""When an estimate carries a warning: the rules, but of clusters that were not sampled (`agreement.unseen`)."""

from __future__ import annotations

from agreement.caution import Caution
from agreement.words import Part, Words

FEW_CLUSTERS = 10
"""Below this many clusters a cluster bootstrap is known to be too narrow (Cameron, Gelbach and Miller 2008)."""

FEW_RESAMPLED = 20
"""Below this many clusters the bootstrap of a share near 0 or 1 holds less often than nine times of ten
(`docs/statistics.md`, coverage)."""

FEW_RATERS = 5
"""Below this many raters there is little to learn about other raters."""
FEW_ITEMS = 30
"""Below this many items a kind that one in ten is of is missing from one sample of twenty or more, and an intraclass
correlation that depends on it lies outside the interval (`docs/statistics.md`, coverage)."""

RARE = 5
"""A category that is expected in fewer items than this decides an unweighted kappa by a verdict or two."""

RARE_CLUSTERS = 8
"""Where a category that comes in clusters is expected in fewer items than so many of these hold, intervals of kappas
that claim 95 % can hold in fewer than 90 %, if its clusters have little else (`docs/statistics.md`, coverage)."""

UNEVEN = 0.75
"""Where clusters count, by Kish's number of them, for less than this share of those that there are, their sizes are
very unequal: a sample whose disagreements happen to miss the large ones does not show how they cluster
(`docs/statistics.md`, coverage)."""

FEW_UNEVEN = 15
"""Clusters of very unequal sizes that are worth fewer than this, as Kish counts, say too little about how a share
spreads among them, however many there are (`docs/statistics.md`, coverage)."""

FEW_UNEVEN_OF_SHARE = 6
"""The same of Wilson's interval of a share, whose design effect knows how alike the items of small clusters are too
(`agreement.effective_size.share_size`)."""


def few_clusters(n_clusters: int | None) -> Caution | None:
    """The warning of an interval that allows for clusters.

    Parameters
    ----------
    n_clusters : int or None
        How many there are; None for independent items.

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
    """The warning of a cluster bootstrap, where there are enough clusters for other intervals.

    Parameters
    ----------
    n_clusters : int or None
        How many there are; None for independent items.

    Returns
    -------
    Caution or None
        None also below 10 clusters, where `few_clusters` warns.

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
    """The warning of a coefficient that generalises to other raters.

    Parameters
    ----------
    raters : int
        How many there are.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_raters(3).text
    'fewer than 5 raters: what is said about other raters is uncertain'
    """
    if raters >= FEW_RATERS:
        return None
    text = f"fewer than {FEW_RATERS} raters: what is said about other raters is uncertain"
    return Caution("few_raters", text, FEW_RATERS)


def few_items(items: int, unit: str = "item") -> Caution | None:
    """The warning of an intraclass correlation, which rests on how far items are apart.

    Parameters
    ----------
    items : int
        How many have all that is needed.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_items(20).text
    'fewer than 30 items: some that are far from all others may not have been sampled, which the interval cannot tell'
    >>> few_items(30) is None
    True
    """
    if items >= FEW_ITEMS:
        return None
    text = (
        f"fewer than {FEW_ITEMS} {unit}s: some that are far from all others may not have been sampled, which the "
        "interval cannot tell"
    )
    return Caution("few_items", text, FEW_ITEMS)


def rare_category(expected: float, of_cluster: float = 1.0, *, unit: str = "item") -> Caution | None:
    """The warning of a coefficient whose chance agreement depends on how often each category is used.

    Parameters
    ----------
    expected : float
        In how many items the rarest of the categories that occur is expected: items times its mean share.
    of_cluster : float
        Items over clusters; 1 without clusters.
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
    'the rarest category is expected in fewer verdicts than 8 average clusters have together'
    """
    if 0.0 < expected < RARE:
        text = f"a category is expected in fewer than {RARE} {unit}s: value and interval are uncertain"
        return Caution("rare_category", text, RARE)
    if of_cluster > 1.0 and 0.0 < expected < RARE_CLUSTERS * of_cluster:
        text = (
            f"the rarest category is expected in fewer {unit}s than {RARE_CLUSTERS} average clusters have together: "
            "the interval is likely to be a little too narrow"
        )
        return Caution("rare_category", text, RARE_CLUSTERS)
    return None


def gathered_disagreements(differing: float, clusters: int, worth: float) -> Caution | None:
    """The warning of a kappa or alpha in clusters of very unequal sizes, few of which have a disagreement.

    Parameters
    ----------
    differing : float
        In how many clusters raters differ, as Kish counts them (`agreement.effective_size.clusters_with`).
    clusters : int
        How many there are.
    worth : float
        Kish's number of them by their items: as many as there are where all have the same number.

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
    """The warning of an interval that rests on the number of clusters, where a few large ones have most of the items.

    Parameters
    ----------
    clusters : int or None
        How many there are; None for independent items.
    worth : float or None
        Kish's number of them by their items; None where that is not known.
    fewest : int
        From how many on it is enough; of bootstraps `FEW_RESAMPLED`, of shares `FEW_UNEVEN_OF_SHARE`.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> uneven_clusters(20, 5.8).text.split(": ")[0]
    'clusters are of very unequal sizes, and worth 5.8 of one size'
    >>> uneven_clusters(14, 14.0) is uneven_clusters(100, 28.8) is None
    True
    """
    if clusters is None or worth is None or worth >= UNEVEN * clusters or worth >= fewest:
        return None
    of_one_size = f"clusters are of very unequal sizes, and worth {worth:.1f} of one size"
    return Caution("uneven_clusters", f"{of_one_size}: the interval is likely to be too narrow", fewest)


def gathered_events(events: float, clusters: int, worth: float) -> Caution | None:
    """The warning of a bootstrapped share, or an area, where few of very unequal clusters have what is rarer.

    Parameters
    ----------
    events : float
        In how many clusters the rarer of the two is, as Kish counts them (`agreement.effective_size.clusters_with`).
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


def rare_outcome(count: int) -> Caution | None:
    """The warning of a mean that rests on whether units are right, where nearly all, or nearly none, are.

    Parameters
    ----------
    count : int
        How many are right, or wrong, whichever are fewer.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> rare_outcome(2).text
    'fewer than 5 right, or wrong: the interval is uncertain'
    """
    text = f"fewer than {RARE} right, or wrong: the interval is uncertain"
    return Caution("rare_outcome", text, RARE) if count < RARE else None


def rare_among_heavy(count: int) -> Caution | None:
    """The warning of a corrected mean where few of the labelled that stand for most others show what is rarer.

    A stratum whose labelled are all right adds nothing to the variance, however large a part of the pool it is.

    Parameters
    ----------
    count : int
        How many of them are right, or wrong, whichever are fewer.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> rare_among_heavy(4).text.split(": ")[0]
    'of the labelled that stand for most others fewer than 5 are right, or wrong'
    """
    text = (
        f"of the labelled that stand for most others fewer than {RARE} are right, or wrong: the interval is likely to "
        "be too narrow"
    )
    return Caution("rare_outcome", text, RARE) if count < RARE else None


def nearly_constant(others: int) -> Caution | None:
    """The warning of a bootstrap of a mean of which nearly all units have the same value.

    Parameters
    ----------
    others : int
        How many units have another value than the most frequent one.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> nearly_constant(3).text
    'fewer than 5 differ from the most frequent value: the interval is uncertain'
    """
    if others >= RARE:
        return None
    text = f"fewer than {RARE} differ from the most frequent value: the interval is uncertain"
    return Caution("nearly_constant", text, RARE)


def hardly_overlapping(expected: float) -> Caution | None:
    """The warning of an area under the ROC curve near 0 or 1.

    Parameters
    ----------
    expected : float
        How many units of the smaller group are expected on the wrong side of a unit of the other: their number (of
        clusters, where there are any: positives of one cluster say little more than one of them) times the area, or
        times one less the area, whichever is less.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> hardly_overlapping(1.5).text
    'the groups overlap in fewer than 5 of the smaller one: the interval is uncertain'
    """
    if expected >= RARE:
        return None
    text = f"the groups overlap in fewer than {RARE} of the smaller one: the interval is uncertain"
    return Caution("hardly_overlapping", text, RARE)
