"""The kinds of interval, requested everywhere by the same argument: ``interval=``."""

from __future__ import annotations

from typing import Any, Literal, get_args

Interval = Literal[
    "score", "scattered", "effective", "adjusted", "transformed", "normal", "t", "linearised", "jackknife", "f", "mls",
    "widened", "percentile", "bca",
]  # fmt: skip
"""By name:

- score: Wilson's or Newcombe's score interval, on the effective sample size of clustered items
- scattered, effective, adjusted: a coefficient with two items added, on a more or less cautious effective sample size
  of clustered items
- transformed: t on the scale of Fisher's z, of clustered items by the sums of clusters
- normal, t: a standard error with that distribution
- linearised: Taylor linearisation of a weighted mean
- f, mls, jackknife: for intraclass correlations, F intervals, the modified large-sample interval, and either with
  jackknife degrees of freedom
- widened: bootstrap percentiles at the tails of t for the number of units, of clusters their effective number
- percentile: bootstrap percentiles
- bca: the bias-corrected and accelerated bootstrap
"""

BOOTSTRAPS: tuple[Interval, ...] = ("percentile", "bca")
OF_CLUSTERED_NUMBERS: tuple[Interval, ...] = ("widened", *BOOTSTRAPS)
"""Those of differences, correlations and other statistics of numbers in clusters; the first is the default."""


def chosen_interval(
    interval: Any, *kinds: Interval, clustered: bool = False, for_clusters: tuple[Interval, ...] = OF_CLUSTERED_NUMBERS
) -> Interval:
    """Resolve the requested kind of interval and check that it applies.

    Parameters
    ----------
    interval : Interval or None
        The requested kind; None means the first of `kinds` or, with clusters, the first that allows for them.
    *kinds : Interval
        The kinds that the function offers.
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
        When it is not one of `kinds`, or does not allow for clusters.

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
