"""Scaling of numbers, so that squares of huge ones do not overflow and squares of tiny ones do not underflow."""

from __future__ import annotations

import math

import numpy as np

from agreement.coding import Floats
from agreement.estimate import Estimate

_TINY = 2.0**-10
_UNIT = 2.0**-53  # largest relative error of a rounded number
_BITS, _MOST_ADDED, _DIVISIONS = 26, 2**26, 3  # bits of a multiple: the sum of so many of them has at most 53
_FAR = 900  # exponent below which a multiple of a unit could underflow
LARGEST = 1e140
"""Up to this size, squares of numbers and sums of many of them are finite."""


def magnitude(*values: Floats) -> float:
    """The greatest power of two not above the largest absolute value; division by it is exact.

    Parameters
    ----------
    *values : ndarray of float
        Finite numbers, nan if missing.

    Returns
    -------
    float
        1 if all are 0 or missing.

    Examples
    --------
    >>> magnitude(np.array([0.0, -5.0]), np.array([np.nan, 1.0])), magnitude(np.array([0.0]))
    (4.0, 1.0)
    """
    largest = _greatest(values)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0.0 else 1.0


def in_range(*values: Floats) -> tuple[list[Floats], int]:
    """Numbers divided by a common power of two, which is exact, so that their squares neither overflow nor underflow.

    Parameters
    ----------
    *values : ndarray of float
        Finite numbers, or nan.

    Returns
    -------
    values : list of ndarray
        At most 1 in absolute value.
    exponent : int
        Of the power of two.

    Examples
    --------
    >>> in_range(np.array([4.0, -3.0]))
    ([array([ 0.5  , -0.375])], 3)
    """
    exponent = math.frexp(_greatest(values))[1]
    return [np.ldexp(part, -exponent) for part in values], exponent


def _greatest(values: tuple[Floats, ...]) -> float:
    return max((float(np.fmax.reduce(np.abs(part), axis=None, initial=0.0)) for part in values), default=0.0)


def mean_gap(first: Floats, second: Floats) -> float:
    """Mean of the differences of two columns, summed exactly; 0 where it is no more than the rounding of its numbers.

    Thirds and other means of small numbers are rounded, so that differences which cancel leave about 1e-17. If all
    differences are as small as rounding, their mean is given: they may be what was measured.

    Parameters
    ----------
    first, second : ndarray of float, shape (at least 1,)
        Finite numbers.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_gap(np.array([5.0, 4.0]) / 3.0, np.array([2.0, 1.0])), mean_gap(np.array([0.3]), np.array([0.1 + 0.2]))
    (0.0, -5.551115123125783e-17)
    """
    gaps, sizes = first - second, np.abs(first) + np.abs(second)
    total, largest = exact_sum(gaps), float(sizes.max())
    # most totals are far above the rounding of as many of the largest number
    cancels = abs(total) <= 2.0 * _UNIT * largest * gaps.size and abs(total) <= _UNIT * exact_sum(sizes)
    return 0.0 if cancels and float(np.abs(gaps).max()) > 8.0 * _UNIT * largest else total / gaps.size


def exact_sum(values: Floats) -> float:
    """The sum of numbers with a single rounding, as by `math.fsum`.

    Numbers are divided into whole multiples of a power of two, whose sum is exact in any order, and a rest that is
    divided again. Few digits, as those of whole numbers or their halves, leave no rest the first time.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Finite numbers.

    Returns
    -------
    float

    Examples
    --------
    >>> exact_sum(np.array([0.1] * 10)), float(np.cumsum([0.1] * 10)[-1])
    (1.0, 0.9999999999999999)
    """
    exponent = math.frexp(float(np.abs(values).max(initial=0.0)))[1]
    if values.size > _MOST_ADDED or not -_FAR < exponent <= _BITS:
        return math.fsum(values.tolist())
    unit, sums = math.ldexp(1.0, exponent - _BITS), []
    rest = values / unit
    for _ in range(_DIVISIONS):
        whole = np.rint(rest)
        sums.append(float(whole.sum()) * unit)
        rest -= whole
        if not rest.any():
            return math.fsum(sums)
        rest *= 2.0 ** (_BITS + 1)
        unit = math.ldexp(unit, -1 - _BITS)
    return math.fsum(values.tolist())


def tiny_unit(*values: Floats) -> float | None:
    """The power of two in which numbers are to be resampled that are all near 0; None if they are not.

    Resampled values that differ by less than 1e-12 count as equal, which holds for numbers of the size of 1.

    Parameters
    ----------
    *values : ndarray of float
        Finite numbers, nan if missing.

    Returns
    -------
    float or None

    Examples
    --------
    >>> tiny_unit(np.array([0.3])), tiny_unit(np.array([3e-9])) == 2.0**-29
    (None, True)
    """
    unit = magnitude(*values)
    return unit if unit < _TINY else None


def rescaled(estimate: Estimate, low: float, width: float) -> Estimate:
    """Rescale the estimate of numbers from 0 to 1 to a scale that starts at `low` and is `width` wide.

    Parameters
    ----------
    estimate : Estimate
    low, width : float

    Returns
    -------
    Estimate

    Examples
    --------
    >>> rescaled(Estimate("mean", 0.5, 0.25, 0.75, 9, "item", "Wilson"), 1.0, 4.0).high
    4.0
    """
    fields = {name: low + width * getattr(estimate, name) for name in ("value", "low", "high")}
    if estimate.se is not None:
        fields["se"] = width * estimate.se
    return Estimate(**{**vars(estimate), **fields})


def refuse_huge(values: Floats, argument: str) -> None:
    """Refuse numbers whose sums of squares are not finite, for callers that do not divide by their `magnitude`.

    Parameters
    ----------
    values : ndarray of float
        Finite numbers, nan if missing.
    argument : str
        Name to use in the error.

    Raises
    ------
    ValueError
        When one is above `LARGEST`, or below its negative.

    Examples
    --------
    >>> refuse_huge(np.array([-1e100, np.nan]), "values")
    """
    huge = np.flatnonzero(np.abs(values) > LARGEST)
    if huge.size:
        raise ValueError(
            f"{argument} holds {float(values.flat[huge[0]])!r}; expected numbers from {-LARGEST:g} to {LARGEST:g}, "
            "whose squares can be summed: give them in a larger unit"
        )
