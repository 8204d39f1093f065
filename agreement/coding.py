"""Conversion of verdicts (strings, numbers, None) to integer codes, with missing ones marked."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import shown, unmasked
from agreement.cluster_codes import ClusterCodes
from agreement.codebook import (
    MISSING,
    declared,
    distinct_entries,
    distinct_in_arrow,
    distinct_numbers,
    distinct_texts,
    in_order,
    is_missing,
    refuse_unlike,
)

Ratings = Sequence[Any] | npt.NDArray[Any]
"""One verdict for each item: a list, tuple, numpy array or pandas Series. None and NaN are missing."""

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """The verdicts of two raters on the items that both rated.

    Attributes
    ----------
    a, b : ndarray of int, shape (n,)
        Codes into `categories`.
    categories : tuple
        The declared categories, or else the observed ones, in order.
    rated : ndarray of bool, shape (items,)
        Which items both raters rated.
    """

    a: Codes
    b: Codes
    categories: tuple[Hashable, ...]
    rated: npt.NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Number of items rated by both."""
        return int(self.a.size)

    @property
    def n_missing(self) -> int:
        """Number of items left out because one or both raters gave no verdict."""
        return int(self.rated.size - self.a.size)


def as_values(values: Ratings, argument: str) -> list[Any]:
    """The verdicts as a plain list.

    Parameters
    ----------
    values : sequence or ndarray, shape (items,)
        Verdicts.
    argument : str
        Name to use in the error.

    Returns
    -------
    list

    Raises
    ------
    ValueError
        When `values` is a single string, a mapping, a set, or has not exactly one dimension.
    """
    values = unmasked(values)
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) != 1:
        raise ValueError(f"{argument} has shape {tuple(shape)}; expected one dimension, one entry for each item")
    if isinstance(values, str | bytes | memoryview | dict | set | frozenset) or not hasattr(values, "__iter__"):
        raise ValueError(f"{argument} is a {type(values).__name__}; expected a sequence with one entry for each item")
    to_list = getattr(values, "tolist", getattr(values, "to_pylist", None))  # the latter for a chunked Arrow array
    plain = to_list() if to_list is not None else values
    return plain if isinstance(plain, list) else list(plain)


def single_values(values: Ratings, argument: str) -> list[Any]:
    """The verdicts as a plain list, none of which is itself a list or an array.

    Parameters
    ----------
    values, argument
        As in `as_values`.

    Returns
    -------
    list

    Raises
    ------
    ValueError
        As in `as_values`, or when an entry is not text, a number or another hashable value.

    Examples
    --------
    >>> single_values(["yes", None], "a")
    ['yes', None]
    """
    plain = as_values(values, argument)
    distinct_entries(plain, argument)
    return plain


def same_length(first: Sized, second: Sized, first_name: str, second_name: str) -> None:
    """Refuse two sequences of different length.

    Parameters
    ----------
    first, second : sized
        What is compared.
    first_name, second_name : str
        Names to use in the error.

    Raises
    ------
    ValueError
        When the lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(
            f"{first_name} has shape ({len(first)},) and {second_name} has shape ({len(second)},); "
            "expected the same items in the same order"
        )


def encode(
    values: Ratings, categories: Sequence[Hashable] | None, argument: str, named: str = "categories"
) -> tuple[Codes, tuple[Any, ...]]:
    """Codes of one sequence of verdicts.

    Parameters
    ----------
    values : sequence or ndarray, shape (items,)
        Verdicts.
    categories : sequence, optional
        The declared categories in order; by default the observed ones, sorted.
    argument, named : str
        Names of the verdicts and the categories to use in errors.

    Returns
    -------
    codes : ndarray of int, shape (items,)
        Position in the categories; -1 if missing.
    categories : tuple

    Raises
    ------
    ValueError
        When a verdict is not among the declared categories or cannot be compared.

    Examples
    --------
    >>> codes, categories = encode(["no", None, "yes"], None, "a")
    >>> codes.tolist(), categories
    ([0, -1, 1], ('no', 'yes'))
    """
    entries, which = _distinct(values, argument)
    levels = declared(categories, named) if categories is not None else in_order(entries)
    return _position(entries, which, levels, argument, named)[which], levels


def encode_pairs(a: Ratings, b: Ratings, categories: Sequence[Hashable] | None = None) -> Pairs:
    """Codes of two raters over the same items, leaving out items without both verdicts.

    Parameters
    ----------
    a, b : sequence or ndarray, shape (items,)
        The verdicts of the two raters, item by item.
    categories : sequence, optional
        The declared categories in order; by default, those used by either rater, sorted.

    Returns
    -------
    Pairs

    Raises
    ------
    ValueError
        When the lengths differ or a verdict is not among the declared categories.

    Examples
    --------
    >>> pairs = encode_pairs([1, 2, None], [1, 1, 1])
    >>> pairs.n, pairs.n_missing, pairs.categories
    (2, 1, (1, 2))
    """
    (entries_a, which_a), (entries_b, which_b) = _distinct(a, "a"), _distinct(b, "b")
    same_length(which_a, which_b, "a", "b")
    if categories is None:
        refuse_unlike(a=entries_a, b=entries_b)
    levels = declared(categories) if categories is not None else in_order({*entries_a, *entries_b})
    codes_a = _position(entries_a, which_a, levels, "a")[which_a]
    codes_b = _position(entries_b, which_b, levels, "b")[which_b]
    rated = (codes_a >= 0) & (codes_b >= 0)
    if not rated.all():
        codes_a, codes_b = codes_a[rated], codes_b[rated]
    return Pairs(codes_a, codes_b, levels, rated)


def _distinct(values: Ratings, argument: str) -> tuple[list[Any], Codes]:
    """The distinct verdicts, and each verdict's index among them (-1: missing), in the fastest way for their type."""
    values = unmasked(values)
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) == 1:
        if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
            return distinct_numbers(values)
        if isinstance(values, np.ndarray) and values.dtype.kind in "US":
            return distinct_texts(values)
        factorize = getattr(values, "factorize", None)  # pandas Series, Index or Categorical
        if factorize is not None:
            with contextlib.suppress(NotImplementedError):  # for Arrow-backed lists and the like
                which, entries = factorize()
                return list(entries), np.asarray(which, dtype=np.intp)
    if hasattr(values, "dictionary_encode"):
        return distinct_in_arrow(values, argument)
    return distinct_entries(as_values(values, argument), argument)


def _position(
    entries: list[Any], which: Codes, levels: tuple[Any, ...], argument: str, named: str = "categories"
) -> Codes:
    """Position of each distinct verdict among the levels, followed by that of a missing one."""
    of_level: dict[Any, int] = {level: place for place, level in enumerate(levels)}
    position = np.array([of_level.get(entry, MISSING) for entry in entries] + [MISSING], dtype=np.intp)
    if (position[:-1] == MISSING).any():
        first = int(np.flatnonzero((position[which] == MISSING) & (which != MISSING))[0])
        raise ValueError(
            f"{argument} holds {shown(entries[which[first]])}; expected one of the {named} {shown(levels)}"
        )
    return position


def encode_clusters(clusters: Ratings, items: int, argument: str = "clusters") -> Codes:
    """Codes 0, 1, ... of the cluster of each item.

    Parameters
    ----------
    clusters : sequence or ndarray, shape (items,)
        Name of the cluster of each item, none missing.
    items : int
        Number of items.
    argument : str
        Name to use in errors.

    Returns
    -------
    ndarray of int, shape (items,)

    Raises
    ------
    ValueError
        When the length differs from `items`, a cluster is missing, or one occurs both as text and as a number.

    Examples
    --------
    >>> encode_clusters(["s2", "s1", "s2"], 3).tolist()
    [1, 0, 1]
    """
    clusters = unmasked(clusters)
    if isinstance(clusters, ClusterCodes):
        codes = compact(clusters)[0]
    elif isinstance(clusters, np.ndarray) and clusters.dtype.kind in "iu" and clusters.ndim == 1:
        codes = distinct_numbers(clusters)[1]
    else:
        codes, names = encode(clusters, None, argument)
        if len({type(name) for name in names}) > 1:
            refuse_unlike(**{argument: names})
    if codes.size != items:
        raise ValueError(f"{argument} has shape ({codes.size},); expected ({items},), one for each item")
    if (codes < 0).any():
        first = int(np.flatnonzero(codes < 0)[0])
        raise ValueError(f"{argument} has no value at position {first}; expected every item to belong to one")
    return codes


def numbers_or_nan(values: Ratings, argument: str) -> Floats:
    """Scores as numbers, nan if missing.

    Parameters
    ----------
    values : sequence of numbers, shape (items,)
        Scores; None or NaN is missing.
    argument : str
        Name to use in the error.

    Returns
    -------
    ndarray of float, shape (items,)

    Raises
    ------
    ValueError
        When a value is not a finite number.

    Examples
    --------
    >>> numbers_or_nan([1, None], "x").tolist()
    [1.0, nan]
    """
    values = unmasked(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and values.ndim == 1:
        return _finite(values.astype(np.float64), argument)
    plain = as_values(values, argument)
    try:
        if not {type(value) for value in plain} <= {float, int, type(None)}:  # numpy turns None into nan
            plain = [math.nan if is_missing(value) else float(value) for value in plain]
        numbers = np.array(plain, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{argument} holds something that is not a number; expected numbers, None where missing"
        ) from None
    return _finite(numbers, argument)


def _finite(numbers: Floats, argument: str) -> Floats:
    if np.isinf(numbers).any():
        raise ValueError(f"{argument} holds an infinite value; expected finite numbers")
    return numbers


def compact(codes: Codes) -> tuple[Codes, int]:
    """Codes renumbered without gaps, after items were left out.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Codes of at least 0, some unused.

    Returns
    -------
    codes : ndarray of int, shape (n,)
        In the order of the original codes; `ClusterCodes` remain `ClusterCodes`.
    count : int
        Number of distinct codes.

    Examples
    --------
    >>> compact(np.array([5, 2, 5]))
    (array([1, 0, 1]), 2)
    """
    if isinstance(codes, ClusterCodes) and codes.gapless:  # counting them again for each statistic would take longest
        return codes, codes.of_file.size
    plain: Codes = np.asarray(codes, dtype=np.intp)
    used = np.flatnonzero(present := np.bincount(plain) > 0)
    if used.size < present.size:
        plain = (np.cumsum(present) - 1)[plain]
    if isinstance(codes, ClusterCodes):
        return ClusterCodes.of(plain, codes.of_file[used], codes.in_file, gapless=True), int(used.size)
    return plain, int(used.size)


def strata_of_units(codes: Codes, units: Codes | None) -> Codes:
    """Stratum of each resampling unit, from that of each item.

    Parameters
    ----------
    codes : ndarray of int, shape (items,)
        Stratum of each item.
    units : ndarray of int, shape (items,), or None
        Cluster of each item, without gaps; None if the items are the units.

    Returns
    -------
    ndarray of int, shape (units,)

    Raises
    ------
    ValueError
        When a cluster lies in two strata.

    Examples
    --------
    >>> strata_of_units(np.array([1, 1, 0]), np.array([0, 0, 1])).tolist()
    [1, 0]
    """
    if units is None:
        return codes
    of_unit = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.intp)
    of_unit[units] = codes
    if (of_unit[units] != codes).any():
        raise ValueError("strata: one cluster lies in two strata; expected every cluster within one stratum")
    return of_unit
