"""Conversion and checks of the arguments of the statistics."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from numbers import Real
from operator import index
from typing import Any

import numpy as np

_LONGEST = 100  # characters of a refused value shown in an error
LARGEST = 2**63
"""From here on, numpy stores a whole number as an object."""

MOST_RESAMPLES = 10_000_000
"""More would gain nothing and would not fit in memory."""


def unmasked(values: Any) -> Any:
    """A numpy array without its mask, and with half precision widened; any other value unchanged.

    A memoryview of numbers becomes an array.

    Parameters
    ----------
    values : object
        Masked entries become nan in an array of floats, None in any other.

    Returns
    -------
    object

    Examples
    --------
    >>> unmasked(np.ma.array([1.0, 2.0], mask=[False, True])).tolist()
    [1.0, nan]
    >>> unmasked(np.ma.array(["a", "b"], mask=[False, True])).tolist()
    ['a', None]
    """
    if isinstance(values, memoryview):  # of text, it can be neither listed nor compared
        shown_numbers = np.asarray(values)
        return shown_numbers if shown_numbers.dtype.kind in "biufc" else values
    if not isinstance(values, np.ndarray):
        return values
    if isinstance(values, np.matrix):  # its rows and columns are matrices themselves
        return np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            values = np.asarray(values)
        else:
            absent = np.ma.getmaskarray(values)
            values = values.data if values.dtype.kind == "f" else values.data.astype(object)
            values = np.where(absent, np.nan if values.dtype.kind == "f" else None, values)
    # half precision cannot represent the numbers that it is compared with
    return values.astype(np.float64) if values.dtype == np.float16 else values


def rows_once(table: Any) -> Any:
    """A table as a list of lists, so that rows that are iterators are read only once.

    Parameters
    ----------
    table : array_like, shape (rows, columns)
        Arrays are returned unchanged.

    Returns
    -------
    array_like

    Examples
    --------
    >>> rows_once(iter([[1, 2], [3, 4]]))
    [[1, 2], [3, 4]]
    """
    if hasattr(table, "shape") or isinstance(table, str) or not hasattr(table, "__iter__"):
        return table
    return [list(row) if hasattr(row, "__iter__") and not isinstance(row, str) else row for row in table]


def read_once(values: Any) -> Any:
    """An iterator as a list, for callers that need it more than once; any other value unchanged.

    Parameters
    ----------
    values : object
        Such as the cluster of each item, or None.

    Returns
    -------
    object

    Examples
    --------
    >>> read_once(iter(["s1", "s2"])), read_once(None)
    (['s1', 's2'], None)
    """
    return list(values) if isinstance(values, Iterator) else values


def shown(value: Any) -> str:
    """A value as shown in an error: on one line, and truncated if it is long.

    Parameters
    ----------
    value : object
        As it was given.

    Returns
    -------
    str

    Examples
    --------
    >>> shown("yes"), shown(np.zeros((2, 2)))
    ("'yes'", 'array([[0., 0.], [0., 0.]])')
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def one_of(value: Any, argument: str, allowed: tuple[Any, ...]) -> None:
    """Refuse a value that is not one of a few names or numbers.

    Parameters
    ----------
    value : object
        As it was given.
    argument : str
        Name to use in the error.
    allowed : tuple
        At least two.

    Raises
    ------
    ValueError
        When it is not one of them; an array or a list never is.

    Examples
    --------
    >>> one_of("exact", "method", ("exact", "mid-p"))
    """
    if not isinstance(value, str | int | float | np.number) or value not in allowed:
        *others, last = map(repr, allowed)
        raise ValueError(f"{argument} is {shown(value)}; expected {', '.join(others)} or {last}")


def number_in(value: Any, argument: str, expected: str, holds: Callable[[float], bool]) -> float:
    """A number that meets a condition.

    Parameters
    ----------
    value : object
        As it was given.
    argument : str
        Name to use in the error.
    expected : str
        The expected value, in words.
    holds : callable
        The condition; called only with a number.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When it is not a number, or does not meet the condition.

    Examples
    --------
    >>> number_in(0.5, "p", "a number between 0 and 1", lambda p: 0 < p < 1)
    0.5
    """
    number = math.nan
    if isinstance(value, Real):
        with contextlib.suppress(OverflowError):  # a whole number of 400 digits
            number = float(value)
    if not holds(number):
        raise ValueError(f"{argument} is {shown(value)}; expected {expected}")
    return number


def yes_or_no(value: Any, argument: str) -> bool:
    """An option that is on or off.

    Parameters
    ----------
    value : object
        As it was given.
    argument : str
        Name to use in the error.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        When it is not True, False, 1 or 0.

    Examples
    --------
    >>> yes_or_no(np.True_, "average")
    True
    """
    if not isinstance(value, bool | np.bool_ | int | float | np.number) or value not in (0, 1):
        raise ValueError(f"{argument} is {shown(value)}; expected True or False")
    return bool(value)


def one_value(value: Any, argument: str) -> Any:
    """One verdict, such as the one that counts as positive.

    Parameters
    ----------
    value : object
        As it was given.
    argument : str
        Name to use in the error.

    Returns
    -------
    hashable

    Raises
    ------
    ValueError
        When it is missing, or holds several values, such as an array or a list.

    Examples
    --------
    >>> one_value("yes", "positive")
    'yes'
    """
    with contextlib.suppress(TypeError):  # for a list, or a missing value that cannot be compared
        hash(value)
        several = hasattr(value, "__array__") and not isinstance(value, np.generic)
        if value is not None and not several and bool(value == value):
            return value
    raise ValueError(f"{argument} is {shown(value)}; expected one verdict, such as 'yes' or 1")


def listed(values: Any, argument: str, expected: str) -> tuple[Any, ...]:
    """A listing as a tuple, such as sizes to plan for.

    Parameters
    ----------
    values : object
        As it was given; not text.
    argument : str
        Name to use in the error.
    expected : str
        The expected value, in words.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        When it cannot be listed.

    Examples
    --------
    >>> listed(range(3), "readers", "numbers of readers")
    (0, 1, 2)
    """
    with contextlib.suppress(TypeError, NotImplementedError):  # the latter for a memoryview of text
        if not isinstance(values, str | bytes):
            return tuple(values)
    raise ValueError(f"{argument} is {shown(values)}; expected {expected}")


def check_resamples(resamples: Any) -> None:
    """Refuse an invalid number of resamples.

    Parameters
    ----------
    resamples : int
        From 1 to `MOST_RESAMPLES`.

    Raises
    ------
    ValueError
        When it is any other value.
    """
    if isinstance(resamples, bool) or not isinstance(resamples, int | np.integer) or resamples < 1:
        raise ValueError(f"resamples is {shown(resamples)}; expected a whole number of at least 1")
    if resamples > MOST_RESAMPLES:
        raise ValueError(f"resamples is {shown(resamples)}; expected at most {MOST_RESAMPLES}")


def whole_number(value: Any, argument: str, least: int | None = None, most: int | None = None) -> int:
    """A count, which may be given as 3.0.

    Parameters
    ----------
    value : int or float
        A whole number.
    argument : str
        Name to use in the error.
    least, most : int, optional
        The smallest and largest values allowed.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        When it is not a whole number, too small or too large.

    Examples
    --------
    >>> whole_number(3.0, "n")
    3
    """
    expected = "a whole number" if least is None else f"a whole number of at least {least}"
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{argument} is {shown(value)}; expected {expected}")
    try:
        number = int(value) if isinstance(value, float | np.floating) and float(value).is_integer() else index(value)
    except TypeError:
        raise ValueError(f"{argument} is {shown(value)}; expected {expected}") from None
    if most is not None and number > most:
        raise ValueError(f"{argument} is {shown(value)}; expected at most {most}")
    if (least is not None and number < least) or abs(number) >= LARGEST:
        raise ValueError(f"{argument} is {shown(value)}; expected {expected}")
    return number
