"""Planning a reader study: the power, or the interval width, obtained with given numbers of readers and cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used

from agreement.arguments import listed, number_in, one_of, shown, whole_number
from agreement.estimate import check_confidence
from agreement.quantiles import normal_tail, t_tail, upper_normal, upper_t
from agreement.reader_variance import VarianceComponents
from agreement.result import Result

Sampled = Literal["readers and cases", "cases", "readers"]
Design = Literal["paired", "crossover"]

_MOST_CASES = 1_000_000


@dataclass(frozen=True)
class PlannedStudy(Result):
    """What a given number of readers and cases achieves.

    Attributes
    ----------
    readers, cases : int
        Total number of readers and of cases.
    readings : int
        Total number of readings, over all readers and both conditions.
    se : float
        Expected standard error of the difference between the conditions.
    df : float
        Degrees of freedom; infinite if only cases are sampled.
    width : float
        Expected full width of the interval of the difference.
    power : float or None
        Probability that the interval excludes 0 or, with a margin, lies above minus the margin; None without a
        difference.
    """

    readers: int
    cases: int
    readings: int
    se: float
    df: float
    width: float
    power: float | None


def plan_reader_study(
    components: VarianceComponents,
    readers: Sequence[int],
    cases: Sequence[int],
    *,
    difference: float | None = None,
    margin: float | None = None,
    sampled: Sampled = "readers and cases",
    design: Design = "paired",
    confidence: float = 0.95,
) -> list[PlannedStudy]:
    """The power or interval width for each combination of numbers of readers and cases.

    The analysis is that of Obuchowski and Rockette with Hillis' degrees of freedom, as in `reader_averaged_difference`.
    With ``e = K* / K`` (K* cases in the pilot, K planned), r readers, ``V = max(Var(TR), 0)`` and ``s = max(Cov2 -
    Cov3, 0)``, the squared standard error is ``2 D / r`` [1]_, eq. 10:

    - readers and cases sampled: ``D = V + e (Var - Cov1 + (r - 1) s)``,
      ``df = D^2 (r - 1) / (V + e (Var - Cov1 - s))^2``
    - cases: ``D = e (Var - Cov1 + (r - 1) s)``, normal
    - readers: ``D = V + e (Var - Cov1 - s)``, ``df = r - 1``

    Design "paired": every reader reads every case in both conditions, in one session or as a crossover in two periods:
    2 r K readings. Design "crossover": every reader reads every case once, half of the cases in each condition; the
    halves are exchanged between two halves of the readers: r K readings. Accuracies are then based on K / 2 cases, the
    two conditions of a reader share no case, and two readers share the cases of a condition only if they are in the
    same half, so that ``D = V + 2 e (Var - Cov2) + r e s`` (without V if only cases are sampled) and
    ``df = D^2 (r - 2) / (V + 2 e (Var - Cov2))^2``. It avoids showing readers a case twice, but is less efficient, and
    it does not allow conclusions with only readers sampled.

    Power for a difference: noncentral F (chi-square) with noncentrality ``difference^2 / se^2``, two-sided at
    ``1 - confidence``. Non-inferiority with a `margin`: noncentral t with ``(difference + margin) / se``, one-sided at
    ``(1 - confidence) / 2``, that is, the interval lies above ``-margin`` [2]_; the difference is then the true one,
    often 0.

    Both are the power of a test at its level. With few readers the analysis rejects more often, also without a
    difference, because it estimates the degrees of freedom from the same mean square as the standard error: with four
    readers in up to 6.5 % of studies (crossover: 8 %), with two in up to 13 % (`docs/statistics.md`).

    Parameters
    ----------
    components : VarianceComponents
        From a pilot or a publication, see `variance_components` and `VARIANCES`.
    readers, cases : sequence of int
        Sizes of the grid, at least 2 each; for the crossover, even numbers and at least 4 readers.
    difference : float, optional
        True difference in accuracy between the conditions; if None, only the width is computed.
    margin : float, optional
        Non-inferiority margin, above 0.
    sampled : {"readers and cases", "cases", "readers"}
        The target of inference: readers and cases like these, these readers, or these cases.
    design : {"paired", "crossover"}
        Who reads which cases.
    confidence : float
        Nominal coverage of the interval.

    Returns
    -------
    list of PlannedStudy
        Readers by cases, in the order given.

    Raises
    ------
    ValueError
        When a size or option is invalid, the planned difference is at or beyond the margin, or the components imply
        zero variance of the difference.

    References
    ----------
    .. [1] Hillis, Obuchowski and Berbaum (2011). Power estimation for multireader ROC methods: an updated and unified
       approach. Academic Radiology 18, 129-142.
    .. [2] Chen, Petrick and Sahiner (2012). Hypothesis testing in noninferiority and equivalence MRMC ROC studies.
       Academic Radiology 19, 1158-1165.

    Examples
    --------
    RJafroc 1.3: Van Dyke's study re-planned with 10 readers and 165 cases at its own difference: power .80542.

    >>> from agreement.reader_variance import VARIANCES
    >>> (planned,) = plan_reader_study(VARIANCES["Van Dyke"], [10], [165], difference=0.043800322)
    >>> round(planned.power, 5), planned.readings
    (0.80542, 3300)
    """
    difference, margin, confidence = _check(components, difference, margin, sampled, design, confidence)
    wanted = product(
        listed(readers, "readers", "numbers of readers, such as [4, 6]"),
        listed(cases, "cases", "numbers of cases, such as [100, 200]"),
    )
    sizes = [(_size(r, "readers", design), _size(k, "cases", design)) for r, k in wanted]
    return [_planned(components, r, k, difference, margin, sampled, design, confidence) for r, k in sizes]


def cases_needed(
    components: VarianceComponents,
    readers: int,
    *,
    difference: float | None = None,
    power: float | None = None,
    width: float | None = None,
    margin: float | None = None,
    sampled: Sampled = "readers and cases",
    design: Design = "paired",
    confidence: float = 0.95,
) -> int | None:
    """The smallest number of cases with which a given number of readers reaches a power or an interval width.

    Parameters
    ----------
    components, difference, margin, sampled, design, confidence
        See `plan_reader_study`.
    readers : int
        Number of readers.
    power, width : float
        The target, exactly one of the two.

    Returns
    -------
    int or None
        None if no number up to a million suffices: with few readers, variation between readers sets a limit. Further
        cases may even lower the power or widen the interval, because the degrees of freedom fall towards those of the
        readers alone while the standard error hardly decreases.

    Raises
    ------
    ValueError
        As in `plan_reader_study`, and when not exactly one of power (with a difference) and width is given.

    References
    ----------
    .. [1] Hillis, Obuchowski and Berbaum (2011). Power estimation for multireader ROC methods: an updated and unified
       approach. Academic Radiology 18, 129-142.

    Examples
    --------
    RJafroc: 251 cases for six readers at 80 % power.

    >>> from agreement.reader_variance import VARIANCES
    >>> cases_needed(VARIANCES["Van Dyke"], 6, difference=0.043800322, power=0.8)
    251
    """
    if (power is None) == (width is None) or (power is not None and difference is None):
        raise ValueError(
            f"power is {shown(power)}, width {shown(width)}, difference {shown(difference)}; expected a power between "
            "0 and 1 with a difference, or a width"
        )
    if width is not None:
        width = number_in(width, "width", "a number above 0", lambda wide: 0.0 < wide < math.inf)
        wanted = -width
    else:
        expected = "a power between 0 and 1 with a difference, or a width"
        wanted = number_in(power, "power", expected, lambda share: 0.0 < share < 1.0)
    difference, margin, confidence = _check(components, difference, margin, sampled, design, confidence)
    r = _size(readers, "readers", design)
    step = 2 if design == "crossover" else 1

    def bought(k: int) -> float:
        planned = _planned(components, r, k * step, difference, margin, sampled, design, confidence)
        return -planned.width if width is not None or planned.power is None else planned.power

    # The achieved power or width may rise with the number of cases and then fall; it has a single peak.
    low, high = 1, 2
    of_low, of_high = -math.inf, bought(high)
    while of_high < wanted:
        peak = _peak(bought, low // 2 + 1, high) if of_high < of_low else high
        if bought(peak) >= wanted:
            low, high = low // 2, peak
            break
        low, high = high, high * 2
        if high * step > _MOST_CASES:
            return None
        of_low, of_high = of_high, bought(high)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if bought(middle) >= wanted else (middle, high)
    return high * step


def _peak(bought: Callable[[int], float], low: int, high: int) -> int:
    """The number of cases, within bounds, with the highest power or smallest width."""
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if bought(middle) < bought(middle + 1) else (low, middle)
    return low


def _planned(
    components: VarianceComponents,
    r: int,
    k: int,
    difference: float | None,
    margin: float | None,
    sampled: Sampled,
    design: Design,
    confidence: float,
) -> PlannedStudy:
    squared, df = _spread(components.at(k), r, sampled, design)
    if squared <= 0.0:
        raise ValueError(
            f"components leave the difference no variance where sampled is {sampled!r} (both conditions rank the cases "
            "alike); expected those of a pilot in which they differ"
        )
    se = math.sqrt(squared)
    tail = (1.0 - confidence) / 2.0
    quantile = upper_t(tail, df) if math.isfinite(df) else upper_normal(tail)
    power = _power(difference, margin, se, df, quantile) if difference is not None else None
    readings = r * k * (2 if design == "paired" else 1)
    return PlannedStudy(r, k, readings, se, df, 2.0 * quantile * se, power)


def _spread(components: VarianceComponents, r: int, sampled: Sampled, design: Design) -> tuple[float, float]:
    """Squared standard error of the difference, and its degrees of freedom."""
    between = max(components.condition_by_reader, 0.0) if sampled != "cases" else 0.0
    shared = max(components.cov_2 - components.cov_3, 0.0)
    if design == "paired":
        alone, groups = components.error - components.cov_1 - shared, 1
    else:  # each accuracy is based on half of the cases, shared by r / 2 readers, with covariances twice as large
        alone, groups = 2.0 * (components.error - components.cov_2), 2
    interaction = between + max(alone, 0.0)  # expected mean square of condition x reader
    whole = interaction + (r * shared if sampled != "readers" else 0.0)  # [1], eq. 10
    if sampled == "cases":
        return 2.0 / r * whole, math.inf
    if sampled == "readers":
        return 2.0 / r * whole, float(r - groups)
    return 2.0 / r * whole, whole**2 * (r - groups) / interaction**2 if interaction > 0 else math.inf


def _power(difference: float, margin: float | None, se: float, df: float, quantile: float) -> float:
    if margin is not None:
        away = (difference + margin) / se
        return float(scipy.stats.nct.sf(quantile, df, away)) if math.isfinite(df) else normal_tail(quantile - away)
    away = difference / se
    if not math.isfinite(df):
        return normal_tail(quantile - away) + normal_tail(quantile + away)
    if away == 0.0:  # scipy's noncentral F is wrong for noncentrality 0
        return 2.0 * t_tail(quantile, df)
    return float(scipy.stats.ncf.sf(quantile**2, 1, df, away**2))


def _check(
    components: object, difference: float | None, margin: float | None, sampled: str, design: str, confidence: float
) -> tuple[float | None, float | None, float]:
    """Check the arguments; return the numbers as floats."""
    confidence = check_confidence(confidence)
    if not isinstance(components, VarianceComponents):
        raise ValueError(f"components is {shown(components)}; expected VarianceComponents, such as VARIANCES gives")
    one_of(sampled, "sampled", ("readers and cases", "cases", "readers"))
    one_of(design, "design", ("paired", "crossover"))
    if design == "crossover" and sampled == "readers":
        raise ValueError("sampled is 'readers' with design 'crossover'; expected cases to be sampled there")
    if difference is not None:
        difference = number_in(difference, "difference", "a finite number", math.isfinite)
    if margin is not None:
        margin = number_in(margin, "margin", "a number above 0", lambda number: 0.0 < number < math.inf)
    if margin is not None and difference is not None and difference <= -margin:
        raise ValueError(f"difference is {difference!r} and margin {margin!r}; expected a difference above -margin")
    return difference, margin, confidence


def _size(number: int, argument: str, design: Design) -> int:
    size = whole_number(number, argument, 4 if design == "crossover" and argument == "readers" else 2)
    if design == "crossover" and size % 2:
        raise ValueError(f"{argument} is {number!r}; expected an even number, for two halves")
    return size
