"""Random numbers from a seed, and how often each unit is drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from agreement.coding import Codes, Floats

CHUNK = 131_072
"""Numbers held at once while drawing for a few sums: so many stay in the cache."""

LARGE_CHUNK = 8_000_000
"""Numbers held at once while drawing for many sums: these are read once for each block."""


def generator_of(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.Generator:
    """A PCG64 generator: the same seed gives the same numbers on every machine.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence
        The seed; None is refused, because such an interval could not be reproduced.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        When the seed is None or negative.

    Examples
    --------
    >>> int(generator_of(7).integers(1000))
    944
    """
    if seed is None:
        raise ValueError("seed is None; expected a whole number, so that the interval can be reproduced")
    try:
        sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed is {seed!r}; expected a whole number of at least 0") from None
    return np.random.Generator(np.random.PCG64(sequence))


def drawn_times(
    generator: np.random.Generator, units: int, resamples: int, at_once: int, kinds: Codes | None = None
) -> Iterator[Floats]:
    """How often each unit is among as many drawn with replacement, in blocks of resamples.

    Parameters
    ----------
    generator : numpy.random.Generator
        Where the random numbers come from.
    units : int
        Number of units, at least 1.
    resamples : int
        Number of resamples.
    at_once : int
        Numbers that a block may hold; the numbers drawn do not depend on it.
    kinds : ndarray of int, shape (units,), optional
        Of which kind each unit is; then it is how often each kind is drawn.

    Yields
    ------
    ndarray, shape (resamples of the block, units or kinds)

    Examples
    --------
    >>> [block.sum(axis=1).tolist() for block in drawn_times(generator_of(1), 3, 2, 3)]
    [[3.0], [3.0]]
    """
    count = units if kinds is None else int(kinds.max()) + 1
    step = max(1, at_once // units)
    for start in range(0, resamples, step):
        # 32 bits give the same numbers as 64 and take less time
        drawn = generator.integers(0, units, size=(min(step, resamples - start), units), dtype=np.uint32)
        times = np.empty((len(drawn), count))
        for replicate, picked in enumerate(drawn):
            times[replicate] = np.bincount(picked if kinds is None else kinds[picked], minlength=count)
        yield times
