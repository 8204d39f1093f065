"""The magnitude of numbers, so that squares of huge ones do not overflow and those of tiny ones do not vanish."""

from __future__ import annotations

import math

import numpy as np

from agreement.coding import Floats

LARGEST = 1e140
"""Up to here the squares of numbers are finite, and so are sums of many of them."""


def magnitude(*values: Floats) -> float:
    """The greatest power of two that is no greater than the largest number; dividing by it loses no digit.

    Parameters
    ----------
    *values : ndarray of float
        Finite numbers, nan where missing.

    Returns
    -------
    float
        1 where all are 0 or missing.

    Examples
    --------
    >>> magnitude(np.array([0.0, -5.0]), np.array([np.nan, 1.0])), magnitude(np.array([0.0]))
    (4.0, 1.0)
    """
    largest = max((float(np.nanmax(np.abs(part), initial=0.0)) for part in values), default=0.0)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0.0 else 1.0


def in_range(*values: Floats) -> tuple[list[Floats], int]:
    """Numbers divided by one power of two, which is exact, so that squares of very large or small ones are finite.

    Parameters
    ----------
    *values : ndarray of float
        Finite numbers, or nan.

    Returns
    -------
    values : list of ndarray
        At most 1 in size.
    exponent : int
        Of the power of two.

    Examples
    --------
    >>> in_range(np.array([4.0, -3.0]))
    ([array([ 0.5  , -0.375])], 3)
    """
    greatest = max((float(np.nanmax(np.abs(part))) for part in values if not np.isnan(part).all()), default=0.0)
    exponent = math.frexp(greatest)[1]
    return [np.ldexp(part, -exponent) for part in values], exponent


def refuse_huge(values: Floats, argument: str) -> None:
    """Refuse numbers of which sums of squares are not finite, for who does not divide them by their `magnitude`.

    Parameters
    ----------
    values : ndarray of float
        Finite numbers, nan where missing.
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
