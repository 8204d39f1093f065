"""When an estimate carries a warning: the rules, all of them."""

from __future__ import annotations

FEW_CLUSTERS = 10
"""Below this many clusters a cluster bootstrap is known to be too narrow (Cameron, Gelbach and Miller 2008)."""

FEW_RATERS = 5
"""Below this many raters there is little to learn about other raters."""

RARE = 5
"""A category that is expected in fewer items than this decides an unweighted kappa by a verdict or two."""


def few_clusters(n_clusters: int | None) -> str | None:
    """The warning of an interval that allows for clusters.

    Parameters
    ----------
    n_clusters : int or None
        How many there are; None for independent items.

    Returns
    -------
    str or None

    Examples
    --------
    >>> few_clusters(4)
    'only 4 clusters: an interval from fewer than 10 clusters is likely to be too narrow'
    """
    if n_clusters is None or n_clusters >= FEW_CLUSTERS:
        return None
    count = "1 cluster" if n_clusters == 1 else f"{n_clusters} clusters"
    return f"only {count}: an interval from fewer than {FEW_CLUSTERS} clusters is likely to be too narrow"


def few_raters(raters: int) -> str | None:
    """The warning of a coefficient that generalises to other raters.

    Parameters
    ----------
    raters : int
        How many there are.

    Returns
    -------
    str or None

    Examples
    --------
    >>> few_raters(3)
    'fewer than 5 raters: what is said about other raters is uncertain'
    """
    if raters >= FEW_RATERS:
        return None
    return f"fewer than {FEW_RATERS} raters: what is said about other raters is uncertain"


def rare_category(expected: float) -> str | None:
    """The warning of a coefficient whose chance agreement depends on how often each category is used.

    Parameters
    ----------
    expected : float
        In how many items the rarest of the categories that occur is expected: items times its mean share.

    Returns
    -------
    str or None

    Examples
    --------
    >>> rare_category(4.5)
    'a category is expected in fewer than 5 items: value and interval are uncertain'
    """
    if not 0.0 < expected < RARE:
        return None
    return f"a category is expected in fewer than {RARE} items: value and interval are uncertain"


def rare_outcome(count: int) -> str | None:
    """The warning of a mean that rests on whether units are right, where nearly all, or nearly none, are.

    Parameters
    ----------
    count : int
        How many are right, or wrong, whichever are fewer.

    Returns
    -------
    str or None

    Examples
    --------
    >>> rare_outcome(2)
    'fewer than 5 right, or wrong: the interval is uncertain'
    """
    return f"fewer than {RARE} right, or wrong: the interval is uncertain" if count < RARE else None


def together(*warnings: str | None) -> str | None:
    """Several warnings as one, each once.

    Parameters
    ----------
    *warnings : str or None
        In their order.

    Returns
    -------
    str or None

    Examples
    --------
    >>> together(None, "one", "two", "one")
    'one; two'
    """
    sentences = [sentence for warning in warnings if warning for sentence in warning.split("; ")]
    return "; ".join(dict.fromkeys(sentences)) or None
