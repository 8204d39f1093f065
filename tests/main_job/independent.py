"""The statistics of the report once more, as plainly as they can be written, with numpy and scipy only.

Every interval of the report is a percentile bootstrap that draws whole clusters. Here the distribution that such a
bootstrap draws from is computed itself: for up to eight clusters by going through *all* resamples (7 clusters: 1716
multisets, each with its multinomial probability), for more by many more draws than the report makes.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]

RESAMPLES = 10_000
"""What the analysis plan of the demo asks for."""
TAIL = 0.025
MOST_TO_ENUMERATE = 8
OWN_DRAWS = 60_000
TOO_MANY_LOST = 0.05
SIGMAS = 5.0
"""How many standard errors a random number of the report may be off. With some 1500 of them (limits and standard errors
of two studies) the chance that a right report is refused is about 1500 x 6e-7, or 0.1 %."""
TINY = 1e-9


@dataclass(frozen=True)
class Distribution:
    """All values that a bootstrap can give, with their probabilities; nan where a resample has no value."""

    values: Floats
    chances: Floats
    draws: float = math.inf

    @property
    def lost(self) -> float:
        """The probability of a resample without a value."""
        return float(self.chances[np.isnan(self.values)].sum())

    @functools.cached_property
    def _steps(self) -> tuple[Floats, Floats]:
        """The defined values in order, and the probability of each or a smaller one."""
        known = ~np.isnan(self.values)
        order = np.argsort(self.values[known], kind="stable")
        heights = np.cumsum(self.chances[known][order])
        return self.values[known][order], heights / heights[-1]

    def quantile(self, level: float) -> float:
        """Return the value below or at which this share of the defined resamples lies."""
        values, heights = self._steps
        place = int(np.searchsorted(heights, level - 1e-12))
        return float(values[min(place, len(values) - 1)])

    def around(self, level: float) -> tuple[float, float]:
        """Return between what values the report's own quantile must lie.

        A share of `level` among B random resamples has the standard error sqrt(level (1 - level) / B), so the quantile
        found among them lies between the true quantiles of the levels `level` -+ SIGMAS such errors. That holds for any
        distribution, also for one of few values, and for an interpolation between two neighbouring values.
        """
        error = math.sqrt(level * (1.0 - level) * (1.0 / RESAMPLES + 1.0 / self.draws))
        return self.quantile(max(level - SIGMAS * error, 0.0)), self.quantile(min(level + SIGMAS * error, 1.0))

    def deviation(self) -> tuple[float, float]:
        """Return the standard deviation, and how far that of RESAMPLES draws may be off.

        The variance of a sample variance is (m4 - s^4) / B; by the delta method the deviation has s / 2 of its relative
        error. Where m4 = s^4 (two values, equally likely) that is 0, and what is left is of second order: the mean of
        the sample is off by at most SIGMAS s / sqrt(B), which takes half its square from the variance.
        """
        known = ~np.isnan(self.values)
        chances = self.chances[known] / self.chances[known].sum()
        gaps = self.values[known] - chances @ self.values[known]
        variance, fourth = float(chances @ gaps**2), float(chances @ gaps**4)
        if variance == 0.0:
            return 0.0, TINY
        error = math.sqrt(max(fourth - variance**2, 0.0) * (1.0 / RESAMPLES + 1.0 / self.draws))
        deviation = math.sqrt(variance)
        second_order = deviation * SIGMAS**2 / (2.0 * RESAMPLES)
        return deviation, SIGMAS * error / (2.0 * deviation) + second_order + TINY


@functools.cache
def resamples_of(clusters: int) -> tuple[Floats, Floats, float]:
    """Return how often each cluster is in a resample, how likely that resample is, and how many were drawn."""
    if clusters > MOST_TO_ENUMERATE:
        drawn = np.random.default_rng(20_261_120).multinomial(clusters, [1.0 / clusters] * clusters, size=OWN_DRAWS)
        return drawn.astype(np.float64), np.full(OWN_DRAWS, 1.0 / OWN_DRAWS), float(OWN_DRAWS)
    times, chances = [], []
    for drawn in itertools.combinations_with_replacement(range(clusters), clusters):
        counts = [drawn.count(cluster) for cluster in range(clusters)]
        times.append(counts)
        ways = math.factorial(clusters) / math.prod(math.factorial(count) for count in counts)
        chances.append(ways / clusters**clusters)
    assert math.isclose(sum(chances), 1.0)
    return np.array(times, dtype=np.float64), np.array(chances), math.inf


@dataclass(frozen=True)
class Expected:
    """What an estimate of the report must be; None where it must be undefined.

    Attributes
    ----------
    spread
        What the bootstrap draws from; None where the interval is exact, or where there must be none.
    limits
        The interval where it is exact.
    never_limits
        That there must be no interval, on grounds that no resample can change.
    """

    value: float | None
    n: int
    unit: str = "item"
    n_clusters: int | None = None
    spread: Distribution | None = None
    limits: tuple[float, float] | None = None
    never_limits: bool = False
    p: float | None = None
    note: str = ""


def clustered(
    units: Iterable[tuple[Hashable, Sequence[float]]],
    statistic: Callable[[Floats], Floats],
    *,
    unit: str = "item",
    never_limits: bool = False,
    p: float | None = None,
    note: str = "",
) -> Expected:
    """Return a statistic of sums over units, with the bootstrap of whole clusters.

    Parameters
    ----------
    units
        Cluster of each unit and what it adds to the sums.
    statistic
        Takes sums, shape (..., k), gives values, shape (...).
    """
    rows = list(units)
    if not rows:
        return Expected(None, 0, unit, 0, note=note)
    clusters = sorted({str(cluster) for cluster, _ in rows})
    sums = np.zeros((len(clusters), len(rows[0][1])))
    for cluster, addends in rows:
        sums[clusters.index(str(cluster))] += addends
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(sums.sum(axis=0)))
        if math.isnan(value):
            return Expected(None, len(rows), unit, len(clusters), p=p, note=note)
        spread = None
        if len(clusters) > 1:
            times, chances, draws = resamples_of(len(clusters))
            spread = Distribution(statistic(times @ sums), chances, draws)
    return Expected(value, len(rows), unit, len(clusters), spread, None, never_limits, p, note)


# ---- statistics of sums ----------------------------------------------------------------------------------------------


def ratio(sums: Floats) -> Floats:
    """First sum by second: a mean, a share, a ratio of errors."""
    return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)


def gap_of_ratios(sums: Floats) -> Floats:
    """Share in one part minus share in the other part of one sample."""
    there = (sums[..., 1] > 0) & (sums[..., 3] > 0)
    return np.where(there, sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3], np.nan)


def kappa_of_tables(sums: Floats) -> Floats:
    """Cohen's kappa, (po - pe) / (1 - pe), of tables of counts that were laid flat."""
    k = math.isqrt(sums.shape[-1])
    table = sums.reshape(*sums.shape[:-1], k, k)
    n = table.sum(axis=(-2, -1))
    agreed = np.trace(table, axis1=-2, axis2=-1)
    by_chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1)
    # In counts, so that "1 - pe = 0" is a comparison of whole numbers.
    return np.where(n * n > by_chance, (n * agreed - by_chance) / (n * n - by_chance), np.nan)


# ---- estimates -------------------------------------------------------------------------------------------------------


def mean(pairs: Iterable[tuple[Hashable, float]], *, unit: str = "item", note: str = "") -> Expected:
    """Return the mean of (cluster, value) pairs; of zeros and ones it is a share."""
    return clustered(((cluster, (value, 1.0)) for cluster, value in pairs), ratio, unit=unit, note=note)


def wilson(right: int, n: int, *, unit: str = "item") -> Expected:
    """Return a share with Wilson's interval, solved from (p - x/n)^2 = z^2 p (1 - p) / n."""
    z = stats.norm.isf(TAIL)
    a, b, c = 1.0 + z * z / n, -(2.0 * right / n + z * z / n), (right / n) ** 2
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    return Expected(right / n, n, unit, limits=((-b - root) / (2.0 * a), (-b + root) / (2.0 * a)))


def share(pairs: Iterable[tuple[Hashable, bool]], *, unit: str = "item", note: str = "") -> tuple[Expected, Expected]:
    """Return a share with its clustered interval, and with Wilson's."""
    rows = list(pairs)
    right = sum(bool(counted) for _, counted in rows)
    return mean(((cluster, float(counted)) for cluster, counted in rows), unit=unit, note=note), wilson(
        right, len(rows), unit=unit
    )


def same(pairs: Iterable[tuple[Hashable, Hashable, Hashable]], *, unit: str = "item", note: str = "") -> Expected:
    """Return the share of (cluster, a, b) with a = b."""
    return mean(((cluster, float(a == b)) for cluster, a, b in pairs), unit=unit, note=note)


def kappa(pairs: Iterable[tuple[Hashable, Hashable, Hashable]], *, unit: str = "item", note: str = "") -> Expected:
    """Return Cohen's kappa of (cluster, a, b)."""
    rows = list(pairs)
    if len(rows) == 1:
        return Expected(None, 1, unit, 1, note=note)
    scale = sorted({answer for _, a, b in rows for answer in (a, b)}, key=str)
    cells = np.eye(len(scale) ** 2)
    units = [(cluster, cells[scale.index(a) * len(scale) + scale.index(b)]) for cluster, a, b in rows]
    any_constant = len({a for _, a, _ in rows}) == 1 or len({b for _, _, b in rows}) == 1
    perfect = all(a == b for _, a, b in rows)
    return clustered(units, kappa_of_tables, unit=unit, never_limits=any_constant or perfect, note=note)


def pabak(pairs: Iterable[tuple[Hashable, Hashable, Hashable]], *, note: str = "") -> Expected:
    """Return what kappa would be if both of two values were equally frequent: 2 po - 1."""
    units = ((cluster, (1.0 if a == b else -1.0, 1.0)) for cluster, a, b in pairs)
    return clustered(units, ratio, note=note)


def difference(
    triples: Iterable[tuple[Hashable, float, float]], *, unit: str = "item", p: float | None = None, note: str = ""
) -> Expected:
    """Return the mean of a - b over (cluster, a, b)."""
    units = ((cluster, (float(a) - float(b), 1.0)) for cluster, a, b in triples)
    return clustered(units, ratio, unit=unit, p=p, note=note)


def mcnemar(b: int, c: int) -> float:
    """Return the two-sided exact P value of b against c discordant pairs."""
    return float(stats.binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0


def obuchowski(triples: Iterable[tuple[Hashable, float, float]]) -> float | None:
    """Return the P value of McNemar's test in clusters over (cluster, a, b); None for a single cluster."""
    sums: dict[Hashable, float] = {}
    for cluster, a, b in triples:
        sums[cluster] = sums.get(cluster, 0.0) + float(a) - float(b)
    squares, m = sum(each**2 for each in sums.values()), len(sums)
    if m < 2:
        return None
    return float(stats.chi2.sf((m - 1) / m * sum(sums.values()) ** 2 / squares, 1)) if squares else 1.0


def discordant_share(b: int, c: int, *, unit: str, note: str = "") -> Expected:
    """Return b / (b + c) with its exact interval."""
    if b + c == 0:
        return Expected(None, 0, unit, p=1.0, note=note)
    interval = stats.binomtest(b, b + c).proportion_ci(1.0 - 2.0 * TAIL, method="exact")
    return Expected(b / (b + c), b + c, unit, limits=(interval.low, interval.high), p=mcnemar(b, c), note=note)


def spearman(pairs: Iterable[tuple[float, float]], *, unit: str, note: str = "") -> Expected:
    """Return Pearson's correlation of the mid-ranks, with Fisher's z and the variance 1.06 / (n - 3)."""
    rows = list(pairs)
    n = len(rows)
    if n < 2 or any(len(set(column)) == 1 for column in zip(*rows, strict=True)):
        return Expected(None, n, unit, never_limits=True, note=note)
    x, y = (stats.rankdata(column) for column in zip(*rows, strict=True))
    x, y = x - x.mean(), y - y.mean()
    r = float(x @ y / math.sqrt((x @ x) * (y @ y)))
    p = 2.0 * float(stats.t.sf(abs(r) * math.sqrt((n - 2) / (1.0 - r * r)), n - 2))
    half = stats.norm.isf(TAIL) * math.sqrt(1.06 / (n - 3))
    limits = math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)
    return Expected(r, n, unit, limits=limits, p=p, note=note)


# ---- answers ---------------------------------------------------------------------------------------------------------


def normalised(text: str) -> str:
    """Return open text as it is compared: lower case, no ASCII punctuation, no articles, single spaces."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def token_f1(text: str, accepted: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of words, for the accepted text that fits best."""
    best = 0.0
    for reference in accepted:
        given, wanted = Counter(normalised(text).split()), Counter(normalised(reference).split())
        common = sum((given & wanted).values())
        best = max(best, 2.0 * common / (given.total() + wanted.total()) if common else 0.0)
    return best
