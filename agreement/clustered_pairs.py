"""The difference of two paired proportions when pairs share clusters, with a score interval."""

from __future__ import annotations

import math

import numpy as np

from agreement.caution import several
from agreement.cautions import uneven_clusters
from agreement.coding import Codes, Floats, compact
from agreement.comparisons import paired_limits
from agreement.effective_size import clusters_with, effective_size
from agreement.estimate import Estimate, undefined
from agreement.words import Part, Words

NAME = Words(
    Part("Newcombe's paired score interval on the effective number of independent pairs", terms=("effective number",))
)


def paired_score_in_clusters(
    first: Floats, second: Floats, clusters: Codes, *, confidence: float, unit: str
) -> Estimate:
    """Difference of two paired proportions, with Newcombe's interval on the effective number of pairs.

    The four counts of `paired_proportion_difference` are multiplied by the effective number of pairs over n
    (`effective_size` of the pairs' differences, with those that differ as events). Unlike those of a bootstrap, the
    limits are never 0 because all pairs that differ do so in the same direction. A t quantile is not used: in
    simulations the interval holds without it, and is up to a seventh narrower.

    Parameters
    ----------
    first, second : ndarray of float, shape (n,)
        1 or 0, without missing values.
    clusters : ndarray of int, shape (n,)
        Cluster of each pair.
    confidence : float
        Nominal coverage.
    unit : str
        What a pair is.

    Returns
    -------
    Estimate
        Without limits for fewer than two clusters.

    Examples
    --------
    One of six pairs differs; two share a cluster.

    >>> first, second = np.ones(6), np.array([0.0, 1, 1, 1, 1, 1])
    >>> estimate = paired_score_in_clusters(first, second, np.array([0, 0, 1, 2, 3, 4]), confidence=0.95, unit="pair")
    >>> estimate.low < 0.0 < estimate.high
    True
    """
    groups, m = compact(clusters)
    gaps, name = first - second, "difference of paired proportions"
    n = gaps.size
    value = float(gaps.sum()) / n if n else math.nan
    if m < 2:
        reason = f"no {unit}s" if n == 0 else "fewer than two clusters: nothing to compare"
        return undefined(name, n, unit, NAME, reason, value=value, confidence=confidence, n_clusters=m)
    differ = gaps != 0.0
    effective = effective_size(gaps - value, groups, float(differ.sum()))
    worth = effective / n  # of one pair
    low, high = paired_limits(
        worth * float((~differ & (first == 1.0)).sum()),
        worth * float((gaps > 0.0).sum()),
        worth * float((gaps < 0.0).sum()),
        worth * float((~differ & (first == 0.0)).sum()),
        confidence,
    )
    se = math.sqrt(float(gaps.var()) / effective) or None
    return Estimate(
        name, value, low, high, n, unit, Words(NAME, Part(f" ({effective:.1f} of {n})", together="")), se=se,
        confidence=confidence, n_clusters=m,
        cautions=several(uneven_clusters(m, clusters_with(np.ones(n), groups))),
    )  # fmt: skip
