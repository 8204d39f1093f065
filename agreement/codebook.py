"""Which verdicts there are: categories in their order, and what counts as missing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import listed, shown

MISSING = -1
"""The code of a missing verdict."""


SHORT_TEXT = 16
"""Up to so many characters, texts of fixed width are distinguished by `distinct_texts`."""

_AT_ONCE = 1 << 18  # bytes of texts whose hash is computed at once: so many stay in the cache
_A_FEW = 64  # of many texts, by which is seen that they are of more kinds than two
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2^64 divided by the golden ratio
_SMALL = 1 << 16  # whole numbers below this, or below their own number, are counted, not sorted


def distinct_entries(plain: list[Any], argument: str) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """The distinct entries of a list, and which of them each one is.

    Parameters
    ----------
    plain : list
        Verdicts; None, NaN, NaT and pandas' NA are missing.
    argument : str
        Name to use in the error.

    Returns
    -------
    entries : list
        Distinct ones that are not missing, in no particular order.
    which : ndarray of int, shape (len(plain),)
        Position in `entries`; -1 where missing.

    Raises
    ------
    ValueError
        When an entry is no text, number or other hashable value.

    Examples
    --------
    >>> entries, which = distinct_entries(["yes", None, "yes"], "a")
    >>> entries, which.tolist()
    (['yes'], [0, -1, 0])
    """
    try:
        observed = set(plain)
    except TypeError as error:
        if any(value is np.ma.masked for value in plain):
            return distinct_entries([None if value is np.ma.masked else value for value in plain], argument)
        says = f"{argument} holds a value that cannot be compared ({error}); expected text or numbers"
        raise ValueError(says) from None
    absent = {value for value in observed if is_missing(value)}
    entries = list(observed - absent)
    code = dict.fromkeys(absent, MISSING) | {value: position for position, value in enumerate(entries)}
    entries = [value.item() if isinstance(value, np.integer) else value for value in entries]  # or a Decimal fails
    if len(entries) > np.iinfo(np.int8).max:
        return entries, np.fromiter(map(code.__getitem__, plain), dtype=np.intp, count=len(plain))
    # few entries fit into a byte each, which takes a third of the time of an array of numbers
    in_byte = {value: position & 0xFF for value, position in code.items()}
    packed = bytearray(map(in_byte.__getitem__, plain))
    return entries, np.frombuffer(packed, dtype=np.int8).astype(np.intp)


def distinct_in_arrow(values: Any, argument: str) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """The distinct entries of an Arrow array as by `distinct_entries`, by the dictionary that Arrow makes of it.

    Parameters
    ----------
    values : pyarrow.Array or pyarrow.ChunkedArray, length n
        Nulls and NaN are missing.
    argument : str
        Name to use in the error.

    Returns
    -------
    entries : list
    which : ndarray of int, shape (n,)

    Raises
    ------
    ValueError
        As `distinct_entries`.

    Examples
    --------
    >>> import pyarrow
    >>> entries, which = distinct_in_arrow(pyarrow.array(["yes", None, "yes"]), "a")
    >>> entries, which.tolist()
    (['yes'], [0, -1, 0])
    """
    try:
        encoded = values.dictionary_encode()
    except NotImplementedError:  # of lists and the like
        return distinct_entries(values.to_pylist(), argument)
    whole = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
    entries, which = distinct_entries(whole.dictionary.to_pylist(), argument)
    place = whole.indices.fill_null(len(which)).to_numpy(zero_copy_only=False)
    return entries, np.append(which, MISSING)[place]


def distinct_numbers(values: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """The distinct numbers of an array as by `distinct_entries`, without a Python object for each entry.

    Parameters
    ----------
    values : ndarray of numbers, shape (n,)
        NaN is missing.

    Returns
    -------
    entries : list
        In increasing order.
    which : ndarray of int, shape (n,)

    Examples
    --------
    >>> entries, which = distinct_numbers(np.array([3.0, np.nan, 1.0]))
    >>> entries, which.tolist()
    ([1.0, 3.0], [1, -1, 0])
    """
    of_whole = values.dtype.kind in "bui"
    present = np.ones(0, dtype=bool) if of_whole else values == values
    everywhere = bool(present.all())
    numbers = values if everywhere else values[present]
    small = numbers.size > 0 and 0 <= numbers.min() and numbers.max() < max(_SMALL, numbers.size)
    whole = numbers.astype(np.intp) if small else None
    if whole is not None and (of_whole or (whole == numbers).all()):
        times = np.bincount(whole)
        used = np.flatnonzero(times)
        observed = used.astype(values.dtype)
        among = whole if used.size == times.size else (np.cumsum(times > 0) - 1)[whole]
    else:
        observed, among = np.unique(numbers, return_inverse=True)
    if everywhere:
        return observed.tolist(), among
    which = np.full(values.size, MISSING, dtype=np.intp)
    which[present] = among
    return observed.tolist(), which


def without_unused_width(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Texts of fixed width in no more room than the longest of them needs, where they have more than `SHORT_TEXT`.

    Parameters
    ----------
    values : ndarray of text or bytes, shape (n,)

    Returns
    -------
    ndarray of text or bytes, shape (n,)
        As given where none of the room is spare.

    Examples
    --------
    >>> without_unused_width(np.array(["yes", "no"], dtype="U40")).dtype.itemsize // 4
    3
    """
    characters = _characters(np.ascontiguousarray(values))
    if characters.shape[1] <= SHORT_TEXT:
        return values
    used = np.flatnonzero(np.bitwise_or.reduce(characters, axis=0))
    return values.astype(f"{values.dtype.kind}{int(used.max(initial=0)) + 1}")


def _characters(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The characters of texts, or the bytes, 0 after the end; shape (n, width)."""
    kind = np.dtype(np.uint32 if values.dtype.kind == "U" else np.uint8)
    return values.view(kind).reshape(values.size, values.dtype.itemsize // kind.itemsize)


def _words(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The characters of texts, or the bytes, as many at once as fit into 64 bits; shape (n, words)."""
    width = next(width for width in (8, 4, 2, 1) if values.dtype.itemsize % width == 0)
    return values.view(f"u{width}").reshape(values.size, values.dtype.itemsize // width)


def distinct_texts(values: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """The distinct texts of an array as by `distinct_entries`: by a hash where few of them are distinct.

    Parameters
    ----------
    values : ndarray of text or bytes, shape (n,)
        numpy's text of fixed width; none is missing.

    Returns
    -------
    entries : list of str or bytes
    which : ndarray of int, shape (n,)

    Examples
    --------
    >>> entries, which = distinct_texts(np.array(["yes", "no", "yes"]))
    >>> entries, which.tolist()
    (['yes', 'no'], [0, 1, 0])
    """
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    which = _of_two(native)
    if which is None:
        which = _by_hash(_words(native))
    if which is None:
        characters = _characters(without_unused_width(native))
        if characters.shape[1] > SHORT_TEXT:
            return distinct_entries(native.tolist(), "texts")
        which = np.zeros(native.size, dtype=np.intp)
        for column in characters.T:  # one character after the other
            different, among = distinct_numbers(column)
            _, which = distinct_numbers(which * len(different) + among)
    first = np.empty(which.max(initial=-1) + 1, dtype=np.intp)
    first[which] = np.arange(native.size)
    return native[first].tolist(), which


def _of_two(texts: npt.NDArray[Any]) -> npt.NDArray[np.intp] | None:
    """Which distinct text each one is, where there are two: comparisons take less than a hash; None of others."""
    # a few of many texts mostly show that there are more
    if np.unique(texts[:: max(1, texts.size // _A_FEW)]).size > 2 or not texts.size:
        return None
    first = texts == texts[0]
    second = texts == texts[np.argmin(first)]
    return second.astype(np.intp) if (first | second).all() and not first.all() else None


def _by_hash(words: npt.NDArray[Any]) -> npt.NDArray[np.intp] | None:
    """Which distinct text each one is, from 16 bits of a hash; None where two texts share them, as many do.

    Parameters
    ----------
    words : ndarray of int, shape (n, words)
        Of each text, as of `_words`.
    """
    factors = np.cumprod(np.full(words.shape[1], _FACTOR))
    brief = np.empty(len(words), dtype=np.intp)
    at_once = max(1, _AT_ONCE // (words.shape[1] * words.itemsize))
    parts = [slice(start, start + at_once) for start in range(0, brief.size, at_once)]
    for part in parts:
        mixed = words[part].astype(np.uint64)
        mixed ^= mixed >> np.uint64(32)  # a product passes on to higher bits only
        brief[part] = (mixed @ factors) >> np.uint64(48)
    times = np.bincount(brief, minlength=_SMALL)
    which: npt.NDArray[np.intp] = (np.cumsum(times > 0) - 1)[brief]
    example = np.empty(int((times > 0).sum()), dtype=np.intp)
    example[which] = np.arange(which.size)
    texts = words[example]
    return which if all(np.array_equal(words[part], texts[which[part]]) for part in parts) else None


def is_missing(value: Any) -> bool:
    """Whether a verdict is missing: None, NaN, NaT, pandas' NA or what numpy has masked.

    Parameters
    ----------
    value : object
        One verdict.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0, False)]
    [True, True, False, False, False]
    """
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas' NA is no truth value, and a signalling NaN lets nobody compare it
        return True
    except ValueError:  # an array or a table: it is something, so not missing
        return False


def refuse_unlike(**verdicts: Iterable[Any]) -> None:
    """Refuse text for numbers: all of it on one side against numbers on another, or one verdict written both ways.

    Parameters
    ----------
    **verdicts : iterable
        Verdicts, by the argument that holds them; missing ones do not count.

    Raises
    ------
    ValueError
        When it is so.

    Examples
    --------
    >>> refuse_unlike(a=[1, 2], b=["1", "2"])
    Traceback (most recent call last):
    ValueError: a holds numbers and b text; expected both to be written alike
    >>> refuse_unlike(a=[1, "1", 2], b=[1, 1, 2])
    Traceback (most recent call last):
    ValueError: a holds the text '1' and a the number 1; expected both to be written alike
    """
    numbers: dict[str, tuple[str, Any]] = {}  # by how it is written: who holds it
    texts: dict[str, tuple[str, Any]] = {}
    only_numbers = only_texts = None
    for argument, values in verdicts.items():
        kinds = set()
        for value in _first_of_each(values):
            if isinstance(value, str | bytes):
                kinds.add("text")
                texts.setdefault(str(value).strip(), (argument, value))
            elif not is_missing(value):
                is_number = isinstance(value, Number | np.bool_)
                kinds.add("numbers" if is_number else "others")
                if is_number:
                    numbers.setdefault(_written(value), (argument, value))
        only_numbers = only_numbers or (argument if kinds == {"numbers"} else None)
        only_texts = only_texts or (argument if kinds == {"text"} else None)
    if only_texts is not None and only_numbers is not None:
        raise ValueError(f"{only_numbers} holds numbers and {only_texts} text; expected both to be written alike")
    for written, (argument, text) in texts.items():
        if written in numbers:
            other, number = numbers[written]
            raise ValueError(
                f"{argument} holds the text {shown(text)} and {other} the number {shown(number)}; "
                "expected both to be written alike"
            )


def _first_of_each(values: Iterable[Any]) -> Iterable[Any]:
    """Each verdict of a type once, in the order of appearance; every one where some of them cannot be told apart so."""
    every = list(values)
    try:
        return [value for _, value in dict.fromkeys(zip(map(type, every), every, strict=True))]
    except TypeError:
        return every


def _written(number: Any) -> str:
    """A number as a person writes it: whole ones without a point."""
    return f"{number:.0f}" if isinstance(number, float | np.floating) and float(number).is_integer() else str(number)


def declared(categories: Sequence[Hashable], argument: str = "categories") -> tuple[Hashable, ...]:
    """Declared categories as a tuple, checked.

    Parameters
    ----------
    categories : sequence
        In order.
    argument : str
        Name to use in the error, in the plural.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        When one is missing or occurs twice, or there are fewer than two.
    """
    levels = listed(categories, argument, f"a sequence of {argument}")
    # rows of a structured array say that they can be compared, and cannot
    if not all(isinstance(level, Hashable) and not isinstance(level, np.void) for level in levels):
        raise ValueError(f"{argument} is {shown(levels)}; expected texts or numbers")
    if any(is_missing(level) for level in levels):
        raise ValueError(f"{argument} is {shown(levels)}; expected none of them missing")
    if len(set(levels)) != len(levels):
        raise ValueError(f"{argument} is {shown(levels)}; expected each of them once")
    if len(levels) < 2:
        raise ValueError(f"{argument} is {shown(levels)}; expected two or more")
    return levels


def in_order(observed: Iterable[Any]) -> tuple[Any, ...]:
    """Observed categories without the missing ones, sorted; by their text where they cannot be compared.

    Parameters
    ----------
    observed : iterable
        Distinct verdicts.

    Returns
    -------
    tuple

    Examples
    --------
    >>> in_order({"b", None, "a"})
    ('a', 'b')
    """
    present = [value for value in observed if not is_missing(value)]
    try:
        return tuple(sorted(present))
    except TypeError:
        return tuple(sorted(present, key=lambda value: (type(value).__name__, repr(value))))
