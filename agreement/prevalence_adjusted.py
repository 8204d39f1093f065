"""Prevalence- and bias-adjusted kappa (PABAK)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from agreement.coding import Ratings, encode_pairs
from agreement.estimate import Estimate
from agreement.incomplete_pairs import left_out
from agreement.interval_kinds import Interval
from agreement.intervals import clopper_pearson_interval
from agreement.lone_items import shared_clusters
from agreement.percent import share
from agreement.resampling import Seed


def pabak(
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
) -> Estimate:
    """Prevalence- and bias-adjusted kappa, ``(k po - 1) / (k - 1)`` [1]_; for two categories ``2 po - 1``.

    The interval is that of the agreement ``po``, transformed: the exact (Clopper-Pearson) interval by default, with
    `clusters` that of `percent_agreement`. Undefined without items. Two raters who agree on everything get 1, even if
    their verdicts are constant.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        Verdicts of the two raters; None or NaN is missing.
    categories : sequence, optional
        The declared categories; by default those used by either rater, but at least two.
    clusters, resamples, seed, confidence, unit
        As in `cohen_kappa`.
    interval : {"score", "percentile", "bca"}, optional
        As in `percent_agreement`; the exact interval if omitted and without `clusters`.

    Returns
    -------
    Estimate
        Between ``-1 / (k - 1)`` and 1.

    Raises
    ------
    ValueError
        When lengths differ or a verdict is not among the declared categories.

    References
    ----------
    .. [1] Byrt, Bishop and Carlin (1993). Bias, prevalence and kappa. J Clin Epidemiol 46, 423-429.
    .. [2] Feinstein and Cicchetti (1990). High agreement but low kappa. J Clin Epidemiol 43, 543-549.

    Examples
    --------
    Feinstein and Cicchetti (1990): 80, 10, 5, 5 of 100; agreement .85, kappa .32, prevalence-adjusted .70.

    >>> from agreement import cohen_kappa
    >>> a, b = [1] * 90 + [0] * 10, [1] * 80 + [0] * 10 + [1] * 5 + [0] * 5
    >>> round(cohen_kappa(a, b).value, 2), round(pabak(a, b).value, 2)
    (0.32, 0.7)
    """
    pairs = encode_pairs(a, b, categories)
    k = max(2, len(pairs.categories))
    groups = shared_clusters(clusters, pairs.rated, interval)
    equal = pairs.a == pairs.b
    agreed = share(
        equal, groups, name="agreement", unit=unit, resamples=resamples, seed=seed, interval=interval,
        confidence=confidence,
    )  # fmt: skip
    if groups is None and interval is None and agreed.n:
        agreed = clopper_pearson_interval(int(equal.sum()), pairs.n, confidence=confidence, unit=unit)
    return Estimate(
        "PABAK",
        (k * agreed.value - 1.0) / (k - 1),
        (k * agreed.low - 1.0) / (k - 1),
        (k * agreed.high - 1.0) / (k - 1),
        agreed.n,
        unit,
        agreed.method + f", of the agreement, carried over; {k} categories" + left_out(pairs),
        agreed.undefined_because,
        se=None if agreed.se is None else k * agreed.se / (k - 1),
        confidence=confidence,
        n_clusters=agreed.n_clusters,
    )
