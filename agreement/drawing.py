"""Random numbers from a seed, and counts of units drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from agreement.arguments import shown
from agreement.coding import Codes, Floats

CHUNK = 131_072
"""Numbers held at once while drawing for a few sums: as many as stay in the cache."""

LARGE_CHUNK = 8_000_000
"""Numbers held at once while drawing for many sums, which are read once for each block."""

_COUNTED = 32_768  # numbers counted at once, as one call for each resample is slow when units are few

_REMEMBERED = 32  # multinomial draws that are remembered
_MOST_REMEMBERED = 500_000  # numbers in a remembered draw, each of one or two bytes

_UNTHREADED = 250_000  # multiplications that OpenBLAS does in the calling thread


def generator_of(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.Generator:
    """A PCG64 generator: the same seed gives the same numbers on every machine.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence
        The seed; None is refused because the interval could not be reproduced.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        When the seed is None, negative or a table.

    Examples
    --------
    >>> int(generator_of(7).integers(1000))
    944
    """
    if seed is None:
        raise ValueError("seed is None; expected a whole number, so that the interval can be reproduced")
    try:
        if getattr(seed, "ndim", 0) > 1:  # the rows of a matrix are matrices: numpy would recurse endlessly
            raise TypeError
        sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed is {shown(seed)}; expected a whole number of at least 0") from None
    return np.random.Generator(np.random.PCG64(sequence))


def drawn_units(
    generator: np.random.Generator, units: int, resamples: int, at_once: int = CHUNK
) -> Iterator[npt.NDArray[np.uint32]]:
    """Resamples of all units, drawn with replacement, in blocks.

    Parameters
    ----------
    generator, units, resamples, at_once
        As in `drawn_times`.

    Yields
    ------
    ndarray of int, shape (resamples of the block, units)

    Examples
    --------
    >>> [block.tolist() for block in drawn_units(generator_of(1), 3, 2, 3)]
    [[[1, 1, 2]], [[2, 0, 0]]]
    """
    step = max(1, at_once // units)
    for start in range(0, resamples, step):
        # 32 bits give the same numbers as 64 and take less time
        yield generator.integers(0, units, size=(min(step, resamples - start), units), dtype=np.uint32)


def drawn_times(
    generator: np.random.Generator,
    units: int,
    resamples: int,
    at_once: int,
    kinds: Codes | None = None,
    dtype: npt.DTypeLike = np.float64,
) -> Iterator[npt.NDArray[Any]]:
    """Count of each unit in resamples of all units drawn with replacement, in blocks.

    Parameters
    ----------
    generator : numpy.random.Generator
        The source of random numbers.
    units : int
        Number of units, at least 1.
    resamples : int
        Number of resamples.
    at_once : int
        The most numbers in a block; the draws do not depend on it.
    kinds : ndarray of int, shape (units,), optional
        Kind of each unit; if given, kinds are counted instead of units.
    dtype
        The type of number of the counts, which must hold them.

    Yields
    ------
    ndarray, shape (resamples of the block, units or kinds)

    Examples
    --------
    >>> [block.sum(axis=1).tolist() for block in drawn_times(generator_of(1), 3, 2, 3)]
    [[3.0], [3.0]]
    """
    count = units if kinds is None else int(kinds.max()) + 1
    for drawn in drawn_units(generator, units, resamples, at_once):
        yield counted(drawn, count, kinds, dtype)


def counted(
    drawn: npt.NDArray[Any], count: int, kinds: Codes | None = None, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[Any]:
    """Count of each unit among those drawn.

    Parameters
    ----------
    drawn : ndarray of int, shape (resamples, drawn units)
        Units from 0 to ``count - 1``, or with `kinds` units of these.
    count : int
        Number of units, or of kinds.
    kinds : ndarray of int, shape (units,), optional
        Kind of each unit; if given, kinds are counted instead of units.
    dtype
        As in `drawn_times`.

    Returns
    -------
    ndarray, shape (resamples, count)

    Examples
    --------
    >>> counted(np.array([[1, 1, 2], [2, 0, 0]]), 3).tolist()
    [[0.0, 2.0, 1.0], [2.0, 0.0, 1.0]]
    """
    together = max(1, _COUNTED // drawn.shape[1])
    times = np.empty((len(drawn), count), dtype)
    for first in range(0, len(drawn), together):
        part = drawn[first : first + together]
        # bincount converts 32-bit numbers one by one, which takes seven times as long as counting
        picked = part.astype(np.intp) if kinds is None else kinds[part]
        places = len(part) * count  # each resample is counted in its own range of places
        if len(part) > 1:
            picked += np.arange(0, places, count)[:, None]
        times[first : first + together] = np.bincount(picked.ravel(), minlength=places).reshape(len(part), count)
    return times


def drawn_kinds(
    generator: np.random.Generator, counts: npt.NDArray[np.int64], resamples: int
) -> npt.NDArray[np.integer[Any]]:
    """Count of each kind of unit in resamples of all units drawn with replacement, as multinomial numbers.

    The last few draws are cached, since statistics of one file with the same seed and the same number of units of each
    kind draw the same numbers. The generator's state advances as if it had drawn them.

    Parameters
    ----------
    generator : numpy.random.Generator
        A generator from `generator_of`.
    counts : ndarray of int, shape (kinds,)
        Number of units of each kind.
    resamples : int
        Number of resamples.

    Returns
    -------
    ndarray of int, shape (resamples, kinds)
        Must not be written to.

    Examples
    --------
    >>> drawn_kinds(generator_of(1), np.array([2, 1]), 3).tolist()
    [[2, 1], [1, 2], [3, 0]]
    """
    if resamples * counts.size > _MOST_REMEMBERED:
        units = int(counts.sum())
        return np.asarray(generator.multinomial(units, counts / units, size=resamples))
    drawn, after = _drawn_from(_state_of(generator), tuple(counts.tolist()), resamples)
    _put(generator, after)
    return drawn


_State = tuple[int, int, int, int]


def _state_of(generator: np.random.Generator) -> _State:
    state: Any = generator.bit_generator.state
    return state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]


def _put(generator: np.random.Generator, state: _State) -> None:
    place, step, has_half, half = state
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": place, "inc": step},
        "has_uint32": has_half,
        "uinteger": half,
    }


@lru_cache(maxsize=_REMEMBERED)
def _drawn_from(
    state: _State, counts: tuple[int, ...], resamples: int
) -> tuple[npt.NDArray[np.unsignedinteger[Any]], _State]:
    """The numbers that a generator in this state draws, and its state afterwards."""
    generator, units = generator_of(0), sum(counts)
    _put(generator, state)
    drawn = generator.multinomial(units, np.array(counts) / units, size=resamples)
    compact = drawn.astype(np.min_scalar_type(units))
    compact.flags.writeable = False
    return compact, _state_of(generator)


def product(times: Floats, rows: Floats, totals: Floats) -> None:
    """Write totals of resamples; for few units, in parts too small to start threads, which would be slower.

    Parameters
    ----------
    times : ndarray, shape (resamples, units)
        How often each unit was drawn.
    rows : ndarray, shape (units, k)
        Each unit's contribution to the totals.
    totals : ndarray, shape (resamples, k)
        The output.

    Examples
    --------
    >>> totals = np.empty((1, 1))
    >>> product(np.array([[2.0, 0.0]]), np.array([[1.5], [1.0]]), totals)
    >>> totals.tolist()
    [[3.0]]
    """
    few = 0 < rows.size < _UNTHREADED // 64
    step = _UNTHREADED // rows.size if few else len(times)
    for start in range(0, len(times), step):
        np.matmul(times[start : start + step], rows, out=totals[start : start + step])


@contextmanager
def in_one_thread() -> Iterator[None]:
    """Keep numpy to one thread for thousands of small products, as its threads would wait for each other.

    With several concurrent callers, the last to leave restores numpy's threads.

    Examples
    --------
    >>> with in_one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    _WITHIN.enter()
    try:
        yield
    finally:
        _WITHIN.leave()


class _Within:
    """Count of callers that are in one thread now, and numpy's previous limits."""

    def __init__(self) -> None:
        self._counting = Lock()
        self._count = 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._counting:
            self._count += 1
            if self._count == 1:
                self._limit = _controller().limit(limits=1, user_api="blas")

    def leave(self) -> None:
        with self._counting:
            self._count -= 1
            if self._count == 0:
                self._limit.restore_original_limits()


@cache
def _controller() -> ThreadpoolController:
    """The controller of numpy's threads; created on first use, since that takes some 30 ms."""
    return ThreadpoolController()


_WITHIN = _Within()
