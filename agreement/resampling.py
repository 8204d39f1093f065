"""Bootstrap intervals: percentile and BCa, of items, of clusters, within strata.

A statistic that is a function of sums (a mean, a ratio, a kappa) is bootstrapped through `bootstrap_of_sums`: units
with equal sums are the same for it, so a resample is one multinomial draw over the distinct ones. That is the ordinary
bootstrap exactly, not an approximation, and costs milliseconds at any n. Anything else goes through `bootstrap`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from agreement.coding import Codes, Ratings, encode_clusters
from agreement.estimate import Estimate, check_confidence

Floats = npt.NDArray[np.float64]
Seed = int | Sequence[int] | np.random.SeedSequence
Method = Literal["percentile", "bca"]

UNDEFINED_SHARE = 0.05
"""Above this share of resamples without a value the interval is not given."""

_CHUNK = 1_000_000  # numbers held at once while drawing


@dataclass(frozen=True)
class Spread:
    """What a bootstrap says about a statistic.

    Attributes
    ----------
    low, high : float
        Limits; nan where undefined.
    se : float or None
        Standard deviation of the resampled values.
    method : str
        How they were made, for `Estimate.method`.
    undefined_because : str or None
        Why there are no limits.
    """

    low: float
    high: float
    se: float | None
    method: str
    undefined_because: str | None

    def estimate(
        self, name: str, value: float, n: int, unit: str, *, confidence: float, n_clusters: int | None, note: str = ""
    ) -> Estimate:
        """The estimate that has these limits.

        Parameters
        ----------
        name, value, n, unit, confidence, n_clusters
            As in `Estimate`.
        note : str
            Added to the method.

        Returns
        -------
        Estimate
        """
        return Estimate(
            name,
            value,
            self.low,
            self.high,
            n,
            unit,
            self.method + note,
            self.undefined_because,
            self.se,
            confidence=confidence,
            n_clusters=n_clusters,
        )


def random_generator(seed: Seed) -> np.random.Generator:
    """A PCG64 generator: the same seed gives the same numbers on every machine.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence
        The seed; None is refused, because such an interval could not be reproduced.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        When the seed is None or negative.

    Examples
    --------
    >>> int(random_generator(7).integers(1000))
    944
    """
    if seed is None:
        raise ValueError("seed is None; expected a whole number, so that the interval can be reproduced")
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return np.random.Generator(np.random.PCG64(sequence))


def sums_by_cluster(contributions: npt.ArrayLike, clusters: Codes | None) -> Floats:
    """Contributions of items summed within clusters.

    Parameters
    ----------
    contributions : array_like, shape (items, k)
        What each item adds to the k sums.
    clusters : ndarray of int, shape (items,), or None
        Codes 0 .. count-1 without gaps; None leaves the items as they are.

    Returns
    -------
    ndarray, shape (clusters, k)

    Examples
    --------
    >>> sums_by_cluster([[1, 1], [0, 1], [1, 1]], np.array([0, 0, 1])).tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    rows = np.asarray(contributions, dtype=np.float64)
    if clusters is None:
        return rows
    return np.stack([np.bincount(clusters, weights=column) for column in rows.T], axis=1)


def bootstrap_of_sums(
    statistic: Callable[[Floats], npt.ArrayLike],
    rows: Floats,
    *,
    counts: npt.NDArray[np.int64] | None = None,
    strata: Codes | None = None,
    resamples: int,
    seed: Seed,
    method: Method = "percentile",
    confidence: float = 0.95,
    clustered: bool = True,
) -> Spread:
    """Bootstrap of a statistic that is a function of sums over independent units.

    Parameters
    ----------
    statistic : callable
        Takes totals, shape (..., k), gives values, shape (...); nan where undefined.
    rows : ndarray, shape (units, k)
        What each unit (a cluster, or an item) adds to the totals.
    counts : ndarray of int, shape (units,), optional
        How many units have this row; 1 each by default.
    strata : ndarray of int, shape (units,), optional
        Stratum of each unit; the number of units of each stratum is then the same in every resample.
    resamples : int
        Number of resamples.
    seed : int, sequence of int or SeedSequence
        Seed of the random numbers.
    method : {"percentile", "bca"}
        Percentiles of the resampled values, with linear interpolation; or bias-corrected and accelerated, the
        acceleration from leaving out one unit at a time [1]_.
    confidence : float
        Nominal coverage.
    clustered : bool
        Whether the units are clusters; for the wording only.

    Returns
    -------
    Spread
        Undefined for fewer than two units, when more than 5 % of the resamples have no value, and when the interval
        would have no width.

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    >>> correct = np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> spread = bootstrap_of_sums(ratio, correct, counts=np.array([30, 10]), resamples=2000, seed=1)
    >>> spread.low, spread.high
    (0.625, 0.875)
    """
    check_confidence(confidence)
    _check_resamples(resamples, method)
    weights = np.ones(len(rows), dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    text = _describe(method, resamples, seed, clustered, strata is not None)
    if weights.sum() < 2:
        what = "cluster" if clustered else "item"
        return Spread(math.nan, math.nan, None, text, f"fewer than two {what}s: nothing to resample")
    generator = random_generator(seed)
    groups = [np.arange(len(rows))] if strata is None else [np.flatnonzero(strata == s) for s in np.unique(strata)]
    parts = [_distinct(rows[group], weights[group]) for group in groups]
    totals = np.zeros((resamples, rows.shape[1]))
    for part_rows, part_counts in parts:
        totals += _resampled_totals(part_rows, part_counts, resamples, generator)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(totals), dtype=np.float64)
        if method == "percentile":
            return _percentile(values, confidence, text)
        whole = weights @ rows
        value = float(np.asarray(statistic(whole)))
        left_out = np.concatenate([np.asarray(statistic(whole - part_rows)) for part_rows, _ in parts])
    return _bca(values, value, left_out, np.concatenate([part for _, part in parts]), confidence, text)


def bootstrap(
    statistic: Callable[..., float],
    data: Any,
    *,
    clusters: Ratings | None = None,
    strata: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed,
    method: Method = "percentile",
    confidence: float = 0.95,
    name: str = "statistic",
    unit: str = "item",
) -> Estimate:
    """Bootstrap interval of any statistic of one or more arrays.

    Items (or, with `clusters`, whole clusters) are drawn with replacement, within `strata` where given, and the
    statistic is computed anew. `numpy.mean` of one array is recognised and takes the fast way of
    `bootstrap_of_sums`; any other function is called once for each resample.

    Parameters
    ----------
    statistic : callable
        Takes as many arrays as `data` has, returns a number; nan where undefined.
    data : array_like, or tuple of array_like
        One array, or a tuple of arrays that are resampled together; shape (items, ...) each.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    strata : sequence, shape (items,), optional
        Stratum of each item; a cluster lies within one stratum.
    resamples : int
        Number of resamples.
    seed : int, sequence of int or SeedSequence
        Seed of the random numbers; required.
    method : {"percentile", "bca"}
        See `bootstrap_of_sums`.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Limits undefined as in `bootstrap_of_sums`; value undefined for no items or a statistic that gives nan.

    Raises
    ------
    ValueError
        When arrays differ in length, a cluster lies in two strata, or an option is unknown.

    References
    ----------
    .. [1] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    The law school data of Efron and Tibshirani (1993), table 3.1: correlation .776, bootstrap standard error .13.

    >>> lsat = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
    >>> gpa = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
    >>> found = bootstrap(lambda x, y: np.corrcoef(x, y)[0, 1], (lsat, gpa), resamples=2000, seed=1)
    >>> round(found.value, 3), 0.12 < found.se < 0.15
    (0.776, True)
    """
    check_confidence(confidence)
    _check_resamples(resamples, method)
    arrays = [np.asarray(part) for part in (data if isinstance(data, tuple) else (data,))]
    lengths = [array.shape[0] if array.ndim else -1 for array in arrays]
    if len(set(lengths)) != 1 or lengths[0] < 0:
        raise ValueError(f"data has shapes {[array.shape for array in arrays]}; expected arrays over the same items")
    n = lengths[0]
    units = encode_clusters(clusters, n) if clusters is not None else np.arange(n, dtype=np.intp)
    n_units = int(units.max()) + 1 if n else 0
    n_clusters = n_units if clusters is not None else None
    text = _describe(method, resamples, seed, clusters is not None, strata is not None)
    if n == 0:
        return Spread(math.nan, math.nan, None, text, f"no {unit}s").estimate(
            name, math.nan, 0, unit, confidence=confidence, n_clusters=n_clusters
        )
    unit_strata = _strata_of_units(strata, units, n_units) if strata is not None else None
    if statistic is np.mean and len(arrays) == 1 and arrays[0].ndim == 1:
        rows = sums_by_cluster(np.stack([arrays[0], np.ones(n)], axis=1), units)
        spread = bootstrap_of_sums(
            ratio,
            rows,
            strata=unit_strata,
            resamples=resamples,
            seed=seed,
            method=method,
            confidence=confidence,
            clustered=clusters is not None,
        )
        value = float(arrays[0].mean())
    else:
        value = float(statistic(*arrays))
        spread = _bootstrap_any(
            statistic, arrays, value, units, n_units, unit_strata, resamples, seed, method, confidence, text
        )
    if math.isnan(value):
        spread = Spread(math.nan, math.nan, None, text, f"the {name} of these {unit}s has no value")
    return spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters)


def ratio(totals: Floats) -> Floats:
    """First sum divided by the second: a mean, a share, an accuracy.

    Parameters
    ----------
    totals : ndarray, shape (..., 2)
        Numerator and denominator.

    Returns
    -------
    ndarray, shape (...)
        nan where the denominator is 0.

    Examples
    --------
    >>> ratio(np.array([[1.0, 4.0], [3.0, 4.0]])).tolist()
    [0.25, 0.75]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals[..., 1] > 0, totals[..., 0] / totals[..., 1], np.nan)


def _bootstrap_any(
    statistic: Callable[..., float],
    arrays: list[npt.NDArray[Any]],
    value: float,
    units: Codes,
    n_units: int,
    unit_strata: Codes | None,
    resamples: int,
    seed: Seed,
    method: Method,
    confidence: float,
    text: str,
) -> Spread:
    if n_units < 2:
        return Spread(math.nan, math.nan, None, text, "fewer than two units: nothing to resample")
    order = np.argsort(units, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(units, minlength=n_units))[:-1])
    groups = (
        [np.arange(n_units)]
        if unit_strata is None
        else [np.flatnonzero(unit_strata == stratum) for stratum in np.unique(unit_strata)]
    )
    generator = random_generator(seed)
    values = np.empty(resamples)
    for replicate in range(resamples):
        drawn = np.concatenate([group[generator.integers(0, group.size, group.size)] for group in groups])
        items = np.concatenate([members[unit] for unit in drawn])
        values[replicate] = statistic(*(array[items] for array in arrays))
    if method == "percentile":
        return _percentile(values, confidence, text)
    left_out = np.array([statistic(*(array[units != unit] for array in arrays)) for unit in range(n_units)])
    return _bca(values, value, left_out, np.ones(n_units, dtype=np.int64), confidence, text)


def _distinct(rows: Floats, counts: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.int64]]:
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    merged = np.bincount(which.ravel(), weights=counts, minlength=len(distinct)).astype(np.int64)
    used = merged > 0
    return distinct[used], merged[used]


def _resampled_totals(
    rows: Floats, counts: npt.NDArray[np.int64], resamples: int, generator: np.random.Generator
) -> Floats:
    """Totals of resamples of ``counts.sum()`` units; shape (resamples, k)."""
    units = int(counts.sum())
    if len(rows) * 10 <= units or len(rows) <= 50:
        drawn = generator.multinomial(units, counts / units, size=resamples)
        return np.asarray(drawn @ rows)
    # with nearly as many distinct rows as units, drawing the units one by one is the cheaper way to the same counts
    expanded = np.repeat(np.arange(len(rows)), counts) if units > len(rows) else None
    totals = np.empty((resamples, rows.shape[1]))
    step = max(1, _CHUNK // units)
    for start in range(0, resamples, step):
        drawn = generator.integers(0, units, size=(min(step, resamples - start), units))
        times = np.empty((len(drawn), len(rows)))
        for replicate, picked in enumerate(drawn):
            times[replicate] = np.bincount(picked if expanded is None else expanded[picked], minlength=len(rows))
        totals[start : start + len(drawn)] = times @ rows
    return totals


def _percentile(values: Floats, confidence: float, text: str) -> Spread:
    values, text, reason = _usable(values, text)
    if reason is not None:
        return Spread(math.nan, math.nan, None, text, reason)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return _spread(float(low), float(high), values, text)


def _bca(
    values: Floats, value: float, left_out: Floats, times: npt.NDArray[np.int64], confidence: float, text: str
) -> Spread:
    values, text, reason = _usable(values, text)
    if reason is None and math.isnan(value):
        reason = "the statistic has no value"
    if reason is None and np.isnan(left_out).any():
        reason = "the statistic has no value when one unit is left out, so BCa has no acceleration"
    if reason is not None:
        return Spread(math.nan, math.nan, None, text, reason)
    # Efron and Tibshirani (1993), 14.14, ties counted one half as the statistic is often discrete
    below = float(np.mean(values < value) + np.mean(values == value) / 2.0)
    # 14.15
    deviation = np.average(left_out, weights=times) - left_out
    scale = float(np.sum(times * deviation**2))
    if scale == 0.0 or below in (0.0, 1.0):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    acceleration = float(np.sum(times * deviation**3)) / (6.0 * scale**1.5)
    bias = float(stats.norm.ppf(below))
    # 14.10
    tail = (1.0 - confidence) / 2.0
    z = stats.norm.ppf([tail, 1.0 - tail])
    levels = stats.norm.cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)))
    low, high = np.quantile(values, levels)
    return _spread(float(low), float(high), values, text)


def _usable(values: Floats, text: str) -> tuple[Floats, str, str | None]:
    lost = int(np.isnan(values).sum())
    if not lost:
        return values, text, None
    text += f"; {lost} of {values.size} resamples had no value and were left out"
    if lost > UNDEFINED_SHARE * values.size:
        return values, text, f"{lost} of {values.size} resamples had no value, more than {UNDEFINED_SHARE:.0%}"
    return values[~np.isnan(values)], text, None


def _spread(low: float, high: float, values: Floats, text: str) -> Spread:
    # rounding of equal values differs in the last digits: that is no width either
    if high - low <= 1e-12 * max(1.0, abs(low)):
        return Spread(math.nan, math.nan, _deviation(values), text, "every resample gave the same value")
    return Spread(low, high, _deviation(values), text, None)


def _deviation(values: Floats) -> float | None:
    return float(np.std(values, ddof=1)) if values.size > 1 else None


def _strata_of_units(strata: Ratings, units: Codes, n_units: int) -> Codes:
    codes = encode_clusters(strata, units.size, "strata")
    of_unit = np.zeros(n_units, dtype=np.intp)
    of_unit[units] = codes
    if (of_unit[units] != codes).any():
        raise ValueError("strata: one cluster lies in two strata; expected every cluster within one stratum")
    return of_unit


def _describe(method: str, resamples: int, seed: Seed, clustered: bool, stratified: bool) -> str:
    shown = seed.entropy if isinstance(seed, np.random.SeedSequence) else seed
    kind = ("cluster " if clustered else "") + "bootstrap" + (" within strata" if stratified else "")
    name = "percentile" if method == "percentile" else "BCa"
    return f"{kind}, {name}, {resamples} resamples, seed {shown}"


def _check_resamples(resamples: int, method: str) -> None:
    if not isinstance(resamples, int | np.integer) or resamples < 1:
        raise ValueError(f"resamples is {resamples!r}; expected a whole number of at least 1")
    if method not in ("percentile", "bca"):
        raise ValueError(f"method is {method!r}; expected 'percentile' or 'bca'")
