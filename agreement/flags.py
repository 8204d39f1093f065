"""The share of positives that a flag misses, when only a sample of the flagged and of the other units was read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agreement.arguments import shown
from agreement.caution import several
from agreement.cautions import uneven_clusters
from agreement.coding import as_values, compact, encode_clusters, same_length
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.weighted import weighted_mean
from agreement.words import Part, Words

# Number of bisection steps for a limit.
_HALVINGS = 60


def flag_misses(
    positive: Sequence[bool | None],
    flagged: Sequence[bool],
    *,
    probabilities: Sequence[float] | None = None,
    clusters: Sequence[Any] | None = None,
    confidence: float = 0.95,
    name: str = "missed by the flag",
    unit: str = "item",
) -> Estimate:
    """Share of the positive units that are not flagged, ``b / (a + b)``, from a sample of both parts.

    ``a`` is the total weight of the flagged units times the share of positives among those read, and ``b`` the same for
    the others. A share `m` is within the limits if 0 is within those of ``(1 - m) b - m a``, which are recovered from
    the limits of both shares [1]_: Wilson's, on the effective number of units read in each part. Thus no positives
    among five units read still allows for many among those not read.

    Parameters
    ----------
    positive : sequence of bool or None, shape (units,)
        The rater's verdict on each sampled unit; None if it was not read.
    flagged : sequence of bool, shape (units,)
        Whether each unit is flagged.
    probabilities : sequence of numbers, optional
        Sampling probability of each unit; by default, all have the same weight.
    clusters : sequence, optional
        Cluster of each unit.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Undefined if no unit of one part was read, or no unit read is positive; `n` counts positive units.

    Raises
    ------
    ValueError
        When lengths differ or a probability is outside (0, 1].

    References
    ----------
    .. [1] Zou and Donner (2008). Construction of confidence limits about effect measures: a general approach.
       Statistics in Medicine 27, 1693-1702.

    Examples
    --------
    All 20 flagged units were read and are positive; of 100 others, five were read and none is positive.

    >>> said, flag = [True] * 20 + [False] * 5, [True] * 20 + [False] * 5
    >>> few = flag_misses(said, flag, probabilities=[1.0] * 20 + [0.05] * 5)
    >>> few.value, few.high > 0.5
    (0.0, True)
    """
    confidence = check_confidence(confidence)
    said, flags = as_values(positive, "positive"), as_values(flagged, "flagged")
    same_length(said, flags, "positive", "flagged")
    chances = list(probabilities) if probabilities is not None else [1.0] * len(said)
    same_length(said, chances, "positive", "probabilities")
    for place, chance in enumerate(chances):
        if not 0 < chance <= 1:
            raise ValueError(f"probabilities holds {shown(chance)} at position {place}; expected above 0 and at most 1")
    parts = [[place for place, flag in enumerate(flags) if bool(flag) is wanted] for wanted in (True, False)]
    read = [[place for place in part if said[place] is not None] for part in parts]
    n = sum(bool(said[place]) for part in read for place in part)
    method = Words(
        f"weights of both parts times the shares that are so of {len(read[0])} flagged and {len(read[1])} other "
        f"{unit}s that were read",
        ", limits recovered from ",
        Part("Wilson’s of both on the effective number of units", terms=("Wilson", "effective number")),
    )
    reason = None
    if not read[0] or not read[1]:
        reason = f"no {unit} that is {'flagged' if not read[0] else 'not flagged'} was read"
    elif not n:
        reason = f"no {unit} that was read is called so"
    if reason is not None:
        return undefined(name, n, unit, method, reason, confidence=confidence)
    totals = []
    for part, own in zip(parts, read, strict=True):
        share = weighted_mean(
            [float(bool(said[place])) for place in own],
            [chances[place] for place in own],
            clusters=None if clusters is None else [clusters[place] for place in own],
            interval="score",
            confidence=confidence,
            unit=unit,
        )
        weight = math.fsum(1.0 / chances[place] for place in part)
        if math.isnan(share.low):
            because = share.undefined_because or "one part has no limits"
            return undefined(name, n, unit, method, f"of one part: {because}", confidence=confidence)
        totals.append((weight * share.value, weight * share.low, weight * share.high))
    low, high = _limits(*totals)
    (of_flagged, _, _), (of_others, _, _) = totals
    value = of_others / (of_flagged + of_others)
    n_clusters, worth = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, len(said))[[place for own in read for place in own]])
        worth = clusters_with(np.ones(groups.size), groups)
    return Estimate(
        name, value, low, high, n, unit, method, confidence=confidence, n_clusters=n_clusters,
        cautions=several(uneven_clusters(n_clusters, worth)),
    )  # fmt: skip


_Total = tuple[float, float, float]


def _limits(flagged: _Total, others: _Total) -> tuple[float, float]:
    """Return the shares m at which 0 is the lower and the upper limit of ``(1 - m) b - m a``."""
    (a, a_low, a_high), (b, b_low, b_high) = flagged, others

    def lower(m: float) -> float:
        return (1 - m) * b - m * a - math.hypot((1 - m) * (b - b_low), m * (a_high - a))

    def upper(m: float) -> float:
        return (1 - m) * b - m * a + math.hypot((1 - m) * (b_high - b), m * (a - a_low))

    return _root(lower), _root(upper)


def _root(falling: Callable[[float], float]) -> float:
    """Return the zero of a decreasing function on [0, 1], or the nearer end if its sign does not change."""
    low, high = 0.0, 1.0
    if falling(low) <= 0:
        return low
    if falling(high) >= 0:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return float(np.mean([low, high]))
