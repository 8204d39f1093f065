"""The kinds of interval that a function may be asked for, by one name everywhere: ``interval=``."""

from __future__ import annotations

from typing import Any, Literal, get_args

Interval = Literal["score", "normal", "t", "linearised", "percentile", "bca"]
"""Wilson's or Newcombe's score interval; a standard error with the normal or t distribution; Taylor's linearisation of
a weighted mean; bootstrap percentiles; the bootstrap, bias-corrected and accelerated."""

BOOTSTRAPS: tuple[Interval, ...] = ("percentile", "bca")


def chosen_interval(interval: Any, *kinds: Interval, clustered: bool = False) -> Interval:
    """The kind of interval that is meant, if it applies.

    Parameters
    ----------
    interval : Interval or None
        What was asked for; None is the first of `kinds`, or with clusters the first that allows for them.
    *kinds : Interval
        What the function knows; all but the bootstraps assume independent items.
    clustered : bool
        Whether items have clusters.

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
    allowed = tuple(kind for kind in kinds if kind in BOOTSTRAPS) if clustered else kinds
    if interval is None:
        return allowed[0]
    shown = repr(interval) if isinstance(interval, str) else f"a {type(interval).__name__}"
    *others, last = map(repr, kinds)
    listed = f"{', '.join(others)} or {last}"
    if not isinstance(interval, str) or interval not in get_args(Interval):
        raise ValueError(f"interval is {shown}; expected {listed}")
    for kind in allowed:
        if interval == kind:
            return kind
    if interval in kinds:
        raise ValueError(
            f"interval is {shown} with clusters= given; expected 'percentile' or 'bca' for clustered items"
        )
    raise ValueError(f"interval is {shown}, which does not apply here; expected {listed}")
