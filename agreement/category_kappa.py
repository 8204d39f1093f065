"""Cohen's kappa of each category against all others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from agreement.codebook import is_missing
from agreement.coding import Ratings, as_values, encode_clusters, encode_pairs
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.kappa import cohen_kappa
from agreement.resampling import Seed


def kappa_per_category(
    a: Ratings,
    b: Ratings,
    *,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> dict[Hashable, Estimate]:
    """Cohen's kappa of each category against all others.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing.
    categories : sequence, optional
        The categories to report; by default, those used by either rater.
    clusters, interval, resamples, seed, confidence, unit
        As in `cohen_kappa`.

    Returns
    -------
    dict
        One estimate for each category.

    Raises
    ------
    ValueError
        As in `cohen_kappa`.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003). Statistical Methods for Rates and Proportions, 18.1.

    Examples
    --------
    Fleiss, Levin and Paik (2003), 18.1: psychosis .69, neurosis .50, organic disease .77.

    >>> counts = {"pp": 75, "pn": 1, "po": 4, "np": 5, "nn": 4, "no": 1, "oo": 10}
    >>> a, b = zip(*(pair for pair, count in counts.items() for _ in range(count)))
    >>> estimates = kappa_per_category(a, b)
    >>> [round(estimates[category].value, 2) for category in "pno"]
    [0.69, 0.5, 0.77]
    """
    plain_a, plain_b = as_values(a, "a"), as_values(b, "b")
    pairs = encode_pairs(plain_a, plain_b, categories)
    groups = encode_clusters(clusters, len(plain_a)) if clusters is not None else None
    return {
        category: cohen_kappa(
            _one(plain_a, category),
            _one(plain_b, category),
            categories=(False, True),
            clusters=groups,
            interval=interval,
            resamples=resamples,
            seed=seed,
            confidence=confidence,
            unit=unit,
        )
        for category in pairs.categories
    }


def _one(plain: list[Any], category: Hashable) -> list[bool | None]:
    return [None if is_missing(value) else value == category for value in plain]
