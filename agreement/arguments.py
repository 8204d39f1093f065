"""Arguments as they are given, turned into what the statistics expect."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt


def unmasked(values: Any) -> Any:
    """A numpy array without its mask, and with numbers wide enough to be compared; anything else as it is.

    Parameters
    ----------
    values : object
        What is masked becomes nan among floats, None among anything else.

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
    if not isinstance(values, np.ndarray):
        return values
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            values = np.asarray(values)
        else:
            absent = np.ma.getmaskarray(values)
            values = values.data if values.dtype.kind == "f" else values.data.astype(object)
            values = np.where(absent, np.nan if values.dtype.kind == "f" else None, values)
    # half precision does not hold the numbers that it is compared with
    return values.astype(np.float64) if values.dtype == np.float16 else values


def rows_once(table: Any) -> Any:
    """A table whose rows, if they are iterators, are read once.

    Parameters
    ----------
    table : array_like, shape (rows, columns)
        Arrays stay as they are.

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


def whole_number(value: Any, argument: str, least: int | None = None) -> int:
    """A count, which may be given as 3.0.

    Parameters
    ----------
    value : int or float
        A whole number.
    argument : str
        Name to use in the error.
    least : int, optional
        The least that it may be.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        When it is none, or too small.

    Examples
    --------
    >>> whole_number(3.0, "n")
    3
    """
    expected = "a whole number" if least is None else f"a whole number of at least {least}"
    try:
        number = int(value) if isinstance(value, float | np.floating) and float(value).is_integer() else index(value)
    except TypeError:
        raise ValueError(f"{argument} is {value!r}; expected {expected}") from None
    if least is not None and number < least:
        raise ValueError(f"{argument} is {value!r}; expected {expected}")
    return number


def number_arrays(data: Any, argument: str) -> list[npt.NDArray[Any]]:
    """Arrays of finite numbers, none missing.

    Parameters
    ----------
    data : array_like, or tuple of array_like
        One array or several.
    argument : str
        Name to use in the error.

    Returns
    -------
    list of ndarray
        As they are where they hold numbers.

    Raises
    ------
    ValueError
        When one holds text, a missing or an infinite value.

    Examples
    --------
    >>> number_arrays([1, 2], "data")[0].tolist()
    [1, 2]
    """
    arrays = []
    for part in data if isinstance(data, tuple) else (data,):
        as_given = part if hasattr(part, "__len__") or not hasattr(part, "__iter__") else list(part)
        try:
            array = np.asarray(unmasked(as_given))
            if array.dtype.kind == "O" and not any(isinstance(value, str | bytes) for value in array.flat):
                array = array.astype(np.float64)
        except (TypeError, ValueError):
            array = np.asarray("")
        if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise ValueError(f"{argument} holds text, a missing or an infinite value; expected finite numbers")
        arrays.append(array)
    return arrays


def number_of(value: Any) -> float:
    """What the function of a user returned, as a number.

    Parameters
    ----------
    value : object
        A number, or an array of no dimension.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When it is anything else, such as an array of several.

    Examples
    --------
    >>> number_of(np.float32(0.5))
    0.5
    """
    if isinstance(value, float):  # the usual case, once for each resample
        return float(value)
    try:
        if np.ndim(value) == 0 and not isinstance(value, str | bytes):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"statistic returns a {type(value).__name__}; expected one number")
