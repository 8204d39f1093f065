"""Agreement of numeric ratings: Lin's concordance correlation, Bland and Altman's limits, Kendall's W."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agreement.arguments import yes_or_no
from agreement.cautions_of_shape import (
    MANY_RESAMPLED,
    PERHAPS_CLUSTERS,
    PERHAPS_ITEMS,
    TIMES_NORMAL,
    TIMES_RESAMPLED,
    long_tails,
    skewed_items,
)
from agreement.clustered_scores import resampled, units_of
from agreement.coding import Floats, Ratings, numbers_or_nan, same_length
from agreement.correlations import too_few_pairs
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.functions_of_sums import ccc_of, limits_of
from agreement.interval_kinds import OF_CLUSTERED_NUMBERS, Interval, chosen_interval
from agreement.limits_in_clusters import limit_in_clusters
from agreement.lone_items import shared_clusters
from agreement.magnitude import in_range, mean_gap, rescaled, tiny_unit
from agreement.methods import FIXED, T_ON_ALL, leaving_out
from agreement.planned_kind import is_plain
from agreement.quantiles import chi_square_tail, upper_normal, upper_t
from agreement.ranks import mean_ranks
from agreement.ratings import RatingTable, numbers_of
from agreement.resampling import Seed
from agreement.result import Result
from agreement.words import Part, Words

_UNLIKE = "the two differ greatly in scale or mean: the coefficient is close to 0"
_GREATEST = 1000  # exponent of two
_ROUNDING = 1e-12  # shares below this are rounding error around an exact zero
_APART = 1e-3  # bias correction below which scales differ greatly, or means relative to the standard deviations


@dataclass(frozen=True)
class BlandAltman(Result):
    """Limits of agreement of two methods.

    Attributes
    ----------
    bias : Estimate
        Mean of ``a - b``.
    lower, upper : Estimate
        Limits between which 95 % of the differences are expected, each with its own interval.
    sd : float or None
        Standard deviation of the differences (n - 1); None for fewer than two.
    n_missing : int
        Number of items left out for lack of both values.
    """

    bias: Estimate
    lower: Estimate
    upper: Estimate
    sd: float | None
    n_missing: int

    def in_units_of(self, unit: float) -> BlandAltman:
        """The same limits, of values that are `unit` times as large."""
        bias, lower, upper = (rescaled(part, 0.0, unit) for part in (self.bias, self.lower, self.upper))
        sd = None if self.sd is None else self.sd * unit
        return BlandAltman(bias=bias, lower=lower, upper=upper, sd=sd, n_missing=self.n_missing)


def lin_ccc(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Lin's concordance correlation coefficient.

    ``2 s_ab / (s_a^2 + s_b^2 + (mean a - mean b)^2)`` with moments over n [1]_; the interval uses Fisher's z of the
    coefficient with Lin's standard error, as corrected [2]_. Undefined for fewer than three pairs, and if one of the
    two is constant. In perfect concordance or discordance there is a value but no limits.

    Parameters
    ----------
    a, b : sequence of numbers, shape (items,)
        Values of the two raters or methods; None or NaN is missing.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject; the interval is then a cluster bootstrap, and `p` inverts it.
    interval : {"normal", "widened", "percentile", "bca"}, optional
        By default "normal" (on the z scale) without and "widened" (percentiles at the tails of t) with `clusters`.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage; the normal interval assumes independent items.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        Between -1 and 1.

    Raises
    ------
    ValueError
        When lengths differ or a value is not a number.

    References
    ----------
    .. [1] Lin (1989). A concordance correlation coefficient to evaluate reproducibility. Biometrics 45, 255-268.
    .. [2] Lin (2000). A note on the concordance correlation coefficient. Biometrics 56, 324-325.

    Examples
    --------
    Peak flow by two meters (Bland and Altman 1986): .943 in R's epiR.

    >>> large = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    >>> mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    >>> round(lin_ccc(large, mini).value, 3)
    0.943
    """
    confidence = check_confidence(confidence)
    x, y, known = _pairs(a, b)
    groups = shared_clusters(clusters, known, interval)
    chosen = chosen_interval(interval, "normal", *OF_CLUSTERED_NUMBERS, clustered=groups is not None)
    lost = int((~known).sum())
    if chosen != "normal":
        units, n_clusters = units_of(groups, known[known])
        return resampled(
            lin_ccc(x, y, confidence=confidence, unit=unit), ccc_of(x, y), units, n_clusters,
            interval=chosen, resamples=resamples, seed=seed, confidence=confidence, note=_note(lost),
        )  # fmt: skip
    (x, y), _ = in_range(x, y)
    n, name = x.size, "Lin's concordance correlation"
    method = Words("Lin's z-transform", ", independent items", _note(lost))
    if n < 3:
        return undefined(name, n, unit, method, too_few_pairs(n), confidence=confidence)
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return undefined(name, n, unit, method, "one of the two is constant", confidence=confidence)
    from_x, from_y = x - x.mean(), y - y.mean()
    var_x, var_y = float((from_x**2).mean()), float((from_y**2).mean())
    covariance = float((from_x * from_y).mean())
    gap = float(x.mean() - y.mean())
    whole = var_x + var_y + gap**2
    value = 2.0 * covariance / whole
    short = float(((from_x - from_y) ** 2).mean() + gap**2) / whole  # 1 - value, without cancellation
    if short < _ROUNDING or short > 2.0 - _ROUNDING:
        reason = "perfect concordance: no standard error" if value > 0 else "perfect discordance: no standard error"
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    if var_x * var_y == 0.0:  # squares of the smaller numbers underflow relative to the larger ones
        return undefined(name, n, unit, method, _UNLIKE, value=value, confidence=confidence)
    u2 = gap**2 / math.sqrt(var_x * var_y)
    bias = 2.0 * math.sqrt(var_x * var_y) / whole  # value / r, defined for r = 0 too
    unexplained = float(((from_y - covariance / var_x * from_x) ** 2).mean()) / var_y  # 1 - r^2
    # Lin (2000), which corrects Lin (1989), eq. 2.2
    variance = (
        unexplained * bias**2 * short * (1.0 + value)
        + 2.0 * value**2 * short * bias * u2
        - value**2 * bias**2 * u2**2 / 2.0
    ) / (n - 2)
    if variance <= _ROUNDING * (short * (1.0 + value)) ** 2:
        reason = "the standard error is 0"
        if bias < _APART:
            reason = _UNLIKE
        return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
    se = math.sqrt(variance)
    half = upper_normal((1.0 - confidence) / 2.0) * se / (short * (1.0 + value))
    z = math.log((1.0 + value) / short) / 2.0
    estimate = Estimate(
        name, value, math.tanh(z - half), math.tanh(z + half), n, unit, method, se=se, confidence=confidence
    )
    return estimate.warned(skewed_items((x + y) / 2.0, unit))


def bland_altman(
    a: Ratings,
    b: Ratings,
    *,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> BlandAltman:
    """Bias and limits of agreement, ``d -+ 1.96 s``, with intervals.

    Standard errors ``s / sqrt(n)`` for the bias and ``sqrt(3 s^2 / n)`` for the limits, t with n - 1 degrees of
    freedom [1]_. Undefined for no pairs; limits also for fewer than two. If all differences are equal, all intervals
    are undefined.

    Parameters
    ----------
    a, b : sequence of numbers, shape (items,)
        Values of the two methods in the same unit; None or NaN is missing.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject; the interval of the bias is then from a cluster
        bootstrap, those of the limits as `agreement.limits_in_clusters` describes. Bias and limits are still those of
        all pairs of values.
    interval : {"t", "widened", "percentile", "bca"}, optional
        By default "t" without and "widened" (percentiles at the tails of t) with `clusters`, for the bias alone; by
        name the same for all three.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage of the intervals (the limits always use 1.96); t assumes normal differences and independent
        items.
    unit : str
        What one entry is.

    Returns
    -------
    BlandAltman

    Raises
    ------
    ValueError
        When lengths differ or a value is not a number.

    References
    ----------
    .. [1] Bland and Altman (1986). Statistical methods for assessing agreement between two methods of clinical
       measurement. Lancet i, 307-310.

    Examples
    --------
    Bland and Altman (1986): peak flow by two meters, bias -2.1, standard deviation 38.8.

    >>> large = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    >>> mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    >>> result = bland_altman(large, mini)
    >>> round(result.bias.value, 1), round(result.sd, 1)
    (-2.1, 38.8)
    """
    confidence = check_confidence(confidence)
    x, y, known = _pairs(a, b)
    tiny = tiny_unit(x, y)
    if tiny is not None:
        pairs = np.full((2, known.size), np.nan)
        pairs[:, known] = x / tiny, y / tiny
        return bland_altman(
            *pairs, clusters=clusters, interval=interval, resamples=resamples, seed=seed, confidence=confidence,
            unit=unit,
        ).in_units_of(tiny)  # fmt: skip
    groups = shared_clusters(clusters, known, interval)
    chosen = chosen_interval(interval, "t", *OF_CLUSTERED_NUMBERS, clustered=groups is not None)
    n, lost = x.size, int((~known).sum())
    (x, y), exponent = in_range(x, y)
    if exponent > _GREATEST:
        raise ValueError(f"a and b hold values beyond 2**{_GREATEST}; expected numbers whose limits are finite")
    gaps = x - y
    # back in the unit of the data
    mean = math.ldexp(mean_gap(x, y), exponent) if n else math.nan
    sd = math.ldexp(float(gaps.std(ddof=1)), exponent) if n > 1 else math.nan
    rounding = math.ldexp(1e-14, exponent)
    quantile = upper_t((1.0 - confidence) / 2.0, n - 1) if n > 1 else math.nan

    def with_t(name: str, value: float, se: float, kind: str) -> Estimate:
        method = Words("Bland-Altman 1986", f", {kind}, ", T_ON_ALL, ", independent items", _note(lost))
        if n < 2 or sd <= rounding:
            reason = "no pairs" if n == 0 else "one pair" if n == 1 else "all differences are equal"
            return undefined(name, n, unit, method, reason, value=value, confidence=confidence)
        return Estimate(
            name, value, value - quantile * se, value + quantile * se, n, unit, method, se=se, confidence=confidence
        )

    worth = float(n)
    wide = math.sqrt(3.0 / n) * sd if n > 1 else math.nan
    bias = with_t("bias", mean, sd / math.sqrt(n) if n > 1 else math.nan, "s / sqrt(n)")
    lower = with_t("lower limit of agreement", mean - 1.96 * sd, wide, "sqrt(3 s^2 / n)")
    upper = with_t("upper limit of agreement", mean + 1.96 * sd, wide, "sqrt(3 s^2 / n)")
    if chosen != "t":
        units, n_clusters = units_of(groups, known[known])
        factors = (0.0, -1.96, 1.96)
        limits = limits_of(np.ldexp(gaps, exponent), factors)
        sums = limits[0].by_cluster(units if n_clusters is not None else None)  # all three are functions of the same
        by_parts = interval is None and n_clusters is not None and not is_plain(seed)
        worth = clusters_with(np.ones(n), units)
        bias, lower, upper = (
            limit_in_clusters(
                plain, sums, limits[0], limit, factor, worth=worth, confidence=confidence, note=_note(lost)
            )
            if by_parts and factor
            else resampled(
                plain, limit, units, n_clusters,
                interval=chosen, resamples=resamples, seed=seed, confidence=confidence, note=_note(lost),
                tests_zero=factor == 0.0, sums=sums,
            )
            for plain, limit, factor in zip((bias, lower, upper), limits, factors, strict=True)
        )  # fmt: skip
    above = TIMES_NORMAL if chosen == "t" else TIMES_RESAMPLED
    perhaps = PERHAPS_ITEMS if bias.n_clusters is None else PERHAPS_CLUSTERS
    follows = chosen != "t" and worth >= MANY_RESAMPLED
    tails = None if math.isnan(sd) or sd <= rounding or follows else long_tails(gaps, worth, above, perhaps)
    lower, upper = (limit if math.isnan(limit.low) else limit.warned(tails) for limit in (lower, upper))
    return BlandAltman(bias=bias, lower=lower, upper=upper, sd=sd if n > 1 else None, n_missing=lost)


def kendall_w(
    ratings: RatingTable, *, correct_ties: bool = True, confidence: float = 0.95, unit: str = "item"
) -> Estimate:
    """Kendall's coefficient of concordance W.

    ``W = (12 sum_i R_i^2 - 3 m^2 n (n + 1)^2) / (m^2 n (n^2 - 1) - m sum T)`` with rank sums ``R_i`` of n items over m
    raters and ``T = sum (t^3 - t)`` over each rater's groups of t ties [1]_. Items with a missing rating are left out.
    No interval: the raters are too few to resample, and there is no accepted interval for fixed raters. Undefined for
    fewer than two items, and if every rater ties all items.

    Parameters
    ----------
    ratings : array_like of numbers, shape (items, raters)
        Ratings; None or NaN is missing.
    correct_ties : bool
        Whether to correct for ties.
    confidence : float
        Carried into the estimate.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        Between 0 and 1; `p` from chi-square ``m (n - 1) W`` on n - 1 degrees of freedom.

    Raises
    ------
    ValueError
        When the table does not hold numbers.

    References
    ----------
    .. [1] Siegel (1956). Nonparametric Statistics for the Behavioral Sciences, chapter 9; ties as in Siegel and
       Castellan (1988), 2nd ed., 9.6.

    Examples
    --------
    Siegel (1956), chapter 9: three executives rank six applicants, W = .16.

    >>> ranks = [[1, 1, 6], [6, 5, 3], [3, 6, 2], [2, 4, 5], [5, 2, 4], [4, 3, 1]]
    >>> round(kendall_w(ranks).value, 2)
    0.16
    """
    confidence = check_confidence(confidence)
    correct_ties = yes_or_no(correct_ties, "correct_ties")
    table = numbers_of(ratings)
    complete = ~np.isnan(table).any(axis=1)
    x = table[complete]
    n, m = x.shape
    kind = Part("chi-square on n - 1 degrees of freedom", terms=("degrees of freedom",))
    method = Words(kind, ", ", FIXED, _note(int((~complete).sum())))
    if n < 2:
        return undefined(
            "Kendall's W", n, unit, method, f"fewer than two {unit}s with all ratings", confidence=confidence
        )
    ranks = np.column_stack([mean_ranks(column) for column in x.T])
    ties = 0.0
    if correct_ties:
        for column in ranks.T:
            tied = np.unique(column, return_counts=True)[1].astype(np.float64)
            ties += float((tied**3 - tied).sum())
    greatest = m**2 * n * (n**2 - 1.0) - m * ties
    if greatest <= 0.0:
        reason = "every rater ties all items"
        return undefined("Kendall's W", n, unit, method, reason, confidence=confidence)
    # about their mean m (n + 1) / 2, so that rank sums of many items keep their digits
    value = 12.0 * float(((ranks.sum(axis=1) - m * (n + 1) / 2.0) ** 2).sum()) / greatest
    p = chi_square_tail(m * (n - 1) * value, n - 1)
    reason = "no accepted interval of W for given raters"
    return undefined("Kendall's W", n, unit, method, reason, value=value, p=p, confidence=confidence)


def _pairs(a: Ratings, b: Ratings) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    x, y = numbers_or_nan(a, "a"), numbers_or_nan(b, "b")
    same_length(x, y, "a", "b")
    known = np.asarray(~(np.isnan(x) | np.isnan(y)))
    return x[known], y[known], known


def _note(lost: int) -> Words:
    return leaving_out(lost, "with a missing value")
