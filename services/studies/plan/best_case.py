"""The best confidence limits a statistic can have for given cluster sizes, computed with the report's own methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

from agreement import (
    Estimate,
    accuracy_of_correctness,
    cohen_kappa,
    gwet_ac,
    krippendorff_alpha,
    wilson_interval,
)
from agreement.ratings import Weights

# The number of units in each cluster. If all are 1, the units are independent.
Sizes = tuple[int, ...]
Coefficient = Literal["cohen_kappa", "linear_kappa", "quadratic_kappa", "gwet_ac1"]
_WEIGHTS: dict[Coefficient, Weights] = {"linear_kappa": "linear", "quadratic_kappa": "quadratic"}
COEFFICIENTS: tuple[Coefficient, ...] = ("cohen_kappa", "linear_kappa", "quadratic_kappa", "gwet_ac1")


def best_share(
    sizes: Sizes, above: float | None, below: float | None, *, confidence: float, resamples: int
) -> Estimate:
    """Return the limits of the share that is most favourable to the bounds.

    Between two bounds these are Wilson's limits for as many independent units: clustering never makes them narrower.
    Beyond a single bound, they are those of clusters in which all units are alike or, if that is better, in some of
    which a single unit differs: units that differ within a cluster make it count for more than one unit.
    """
    n = sum(sizes)
    independent = len(sizes) == n
    if above is not None and below is not None:
        return wilson_interval(round(n * min(1.0, max(0.0, (above + below) / 2))), n, confidence=confidence)
    if independent:
        return wilson_interval(n if below is None else 0, n, confidence=confidence)
    clusters = _clusters(sizes)

    def with_different(count: int) -> Estimate:
        differ = set(_firsts(sizes)[:count])
        shares = [(place in differ) != (below is None) for place in range(n)]
        return accuracy_of_correctness(shares, clusters=clusters, confidence=confidence, resamples=resamples).primary

    return _best(with_different, len(sizes), (lambda limits: limits.low) if below is None else (lambda b: -b.high))


def best_coefficient(
    coefficient: Coefficient, sizes: Sizes, options: int, *, confidence: float, resamples: int
) -> Estimate:
    """Return the two-rater coefficient with the greatest lower limit.

    The raters agree on all units, or on all but a few, where they are one step apart: weighted kappas have no limits
    without a disagreement. The answers are spread evenly over the options, which maximises kappa; split between the
    lowest and the highest, which makes a step count least; or all the same but one, which raises AC1.
    """
    n = sum(sizes)
    clusters = None if len(sizes) == n else _clusters(sizes)
    weights = _WEIGHTS.get(coefficient)
    settings: dict[str, Any] = {"clusters": clusters, "confidence": confidence, "resamples": resamples}
    categories = list(range(options))

    def of(first: Sequence[int], count: int) -> Estimate:
        second, differ = list(first), _firsts(sizes)[:count]
        for place in differ:
            second[place] = first[place] + 1 if first[place] == 0 else first[place] - 1
        if coefficient == "gwet_ac1":
            return gwet_ac([list(pair) for pair in zip(first, second, strict=True)], categories=categories, **settings)
        return cohen_kappa(first, second, categories=categories, weights=weights, **settings)

    of_patterns = [
        _best(partial(of, first), 1 if weights else len(sizes), lambda limits: limits.low)
        for first in _answers(coefficient, n, options)
    ]
    return max(of_patterns, key=lambda limits: _known(limits.low))


def best_alpha(sizes: Sizes, raters: int, options: int, *, confidence: float, resamples: int) -> Estimate:
    """Return the nominal alpha with the greatest lower limit, for so many raters of each unit.

    The answers are spread evenly over the options, which maximises alpha. The raters agree on all units, or on all but
    a few, on each of which one rater differs.
    """
    n = sum(sizes)
    clusters = None if len(sizes) == n else _clusters(sizes)

    def with_different(count: int) -> Estimate:
        rows = [[place % options] * raters for place in range(n)]
        for place in _firsts(sizes)[:count]:
            rows[place][0] = (rows[place][0] + 1) % options
        return krippendorff_alpha(rows, clusters=clusters, confidence=confidence, resamples=resamples)

    return _best(with_different, len(sizes), lambda limits: limits.low)


def _answers(coefficient: Coefficient, n: int, options: int) -> Iterator[list[int]]:
    if coefficient in ("cohen_kappa", "gwet_ac1"):
        yield [place % options for place in range(n)]
    if coefficient in ("linear_kappa", "quadratic_kappa"):
        yield [(options - 1) * (place % 2) for place in range(n)]
    if coefficient == "gwet_ac1":
        yield [int(place == n - 1) for place in range(n)]


def _best(of: Callable[[int], Estimate], most: int, goodness: Callable[[Estimate], float]) -> Estimate:
    """Return the best over 0, 1, 2 ... differing units: the limit improves up to some number and then worsens."""
    best = of(0)
    for count in range(1, most + 1):
        other = of(count)
        if not _known(goodness(other)) > _known(goodness(best)):
            break
        best = other
    return best


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _clusters(sizes: Sizes) -> list[int]:
    return [cluster for cluster, size in enumerate(sizes) for _ in range(size)]


def _firsts(sizes: Sizes) -> list[int]:
    """Return the index of each cluster's first unit, largest cluster first, because one unit matters least there."""
    places, at = [], 0
    for size in sizes:
        places.append((-size, at))
        at += size
    return [place for _, place in sorted(places)]
