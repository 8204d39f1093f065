"""Conversion of given values to arrays of numbers, or to a number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import unmasked
from agreement.codebook import is_missing


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
        Unchanged if they hold numbers.

    Raises
    ------
    ValueError
        When one holds text, or a missing or infinite value.

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
        except (TypeError, ValueError, OverflowError):
            array = np.asarray("")
        if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise ValueError(f"{argument} holds text, a missing or an infinite value; expected finite numbers")
        arrays.append(array)
    return arrays


def as_floats(values: Any) -> npt.NDArray[np.float64]:
    """An array of numbers in double precision.

    Parameters
    ----------
    values : array_like
        Numbers; None and pandas' NA are nan.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError, ValueError
        When they are not real numbers (for example complex numbers, dates or records), or rows differ in length; the
        caller names the argument.

    Examples
    --------
    >>> as_floats([1, None]).tolist()
    [1.0, nan]
    """
    array = np.asarray(values)
    if array.dtype.kind in "cmMV":  # numpy would convert a date to days since 1970
        raise TypeError
    if array.dtype == object:
        array = np.array([math.nan if is_missing(value) else value for value in array.flat], object).reshape(
            array.shape
        )
    try:
        return array.astype(np.float64)
    except OverflowError:  # a whole number of 400 digits
        raise ValueError from None


def number_of(value: Any) -> float:
    """The return value of a user's function as a number.

    Parameters
    ----------
    value : object
        A number, or an array without dimensions.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When it is anything else, such as an array of several numbers.

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
