"""The kinds of interval that a function may be asked for, by one name everywhere: ``interval=``."""

from __future__ import annotations

from typing import Any, Literal, get_args

Interval = Literal[
    "score", "scattered", "effective", "adjusted", "normal", "t", "linearised", "jackknife", "f", "mls", "percentile",
    "bca",
]  # fmt: skip
"""Wilson's or Newcombe's score interval, of clustered items on their effective number; a coefficient with two items
added, of clustered items on a cautious or a plain effective number; a standard error with the normal or t distribution;
Taylor's linearisation of a weighted mean; of intraclass correlations the F intervals, the modified large sample
interval, and either with degrees of freedom by the jackknife; bootstrap percentiles; the bootstrap, bias-corrected and
accelerated."""

BOOTSTRAPS: tuple[Interval, ...] = ("percentile", "bca")


def chosen_interval(
    interval: Any, *kinds: Interval, clustered: bool = False, for_clusters: tuple[Interval, ...] = BOOTSTRAPS
) -> Interval:
    """The kind of interval that is meant, if it applies.

    Parameters
    ----------
    interval : Interval or None
        What was asked for; None is the first of `kinds`, or with clusters the first that allows for them.
    *kinds : Interval
        What the function knows.
    clustered : bool
        Whether items have clusters.
    for_clusters : tuple of Interval
        Which of `kinds` allow for clusters; the others assume independent items.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        When it is none of `kinds`, or does not allow for clusters.

    Examples
    --------
    >>> chosen_interval(None, "score", *BOOTSTRAPS), chosen_interval(None, "score", *BOOTSTRAPS, clustered=True)
    ('score', 'percentile')
    """
    allowed = tuple(kind for kind in kinds if kind in for_clusters) if clustered else kinds
    if interval is None:
        return allowed[0]
    shown = repr(interval) if isinstance(interval, str) else f"a {type(interval).__name__}"
    listed = _listed(kinds)
    if not isinstance(interval, str) or interval not in get_args(Interval):
        raise ValueError(f"interval is {shown}; expected {listed}")
    for kind in allowed:
        if interval == kind:
            return kind
    if interval in kinds:
        raise ValueError(f"interval is {shown} with clusters= given; expected {_listed(allowed)} for clustered items")
    raise ValueError(f"interval is {shown}, which does not apply here; expected {listed}")


def _listed(kinds: tuple[Interval, ...]) -> str:
    *others, last = map(repr, kinds)
    return f"{', '.join(others)} or {last}" if others else last
