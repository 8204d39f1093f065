"""Inclusion probabilities: exact if the design determines them, otherwise simulated by repeating the draw."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from services.studies.sampling.drawing import draw_once
from services.studies.sampling.pool import Pool

REPEATS = 20_000
LEAST_HITS = 200
# The most solver calls times pool units, which takes minutes. A simulation that needs more is given up.
MOST_WORK = 2_000_000
EVERY = 200  # repeats between two reports of progress

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Inclusion:
    """The probability with which a unit is drawn.

    Attributes
    ----------
    kind
        "exact"; "simulated"; "not known", with the reason in `method`.
    probability, standard_error
        None if not known; the error is the Monte Carlo error of a simulated probability, and 0 for an exact one.
    hits
        How often units alike were drawn in the repeats; None without repeats.
    alike
        How many units, this one included, the design does not distinguish: those in the same stratum and the same
        limited groups.
    method
        How it was computed, in words.
    because
        Why it is not known; empty if it is.
    """

    kind: Literal["exact", "simulated", "not known"]
    probability: float | None
    standard_error: float | None
    hits: int | None
    alike: int
    method: str
    because: str = ""


def inclusions(pool: Pool, key: str, repeats: int = REPEATS, progress: Progress | None = None) -> list[Inclusion]:
    """Return the inclusion probability of each unit of a pool.

    A stratum in which no limit bites on any unit is a simple random sample of its own, n_h of N_h; a stratum that is
    drawn in full is certain. Any other probability is simulated. Units in the same stratum and the same limited groups
    are exchangeable under the design, so their probabilities are equal and are estimated together: with m units alike,
    of which c_r are drawn in repeat r of R, the estimate is ``sum(c_r) / (m R)`` with the standard error
    ``sqrt((sum(c_r ** 2) - sum(c_r) ** 2 / R + 1) / R ** 2) / m``. The 1 gives units that were drawn in all repeats an
    error too.

    Parameters
    ----------
    pool
        The pool of the sample, which can be drawn.
    key
        The key of the draw; repeat i is drawn with a key of its own, derived from it.
    repeats
        How often the whole draw is repeated.
    progress
        Called with the number of repeats done and their total.
    """
    exact = _exact(pool)
    if len(exact) == len(set(pool.stratum)):
        return [exact[stratum] for stratum in pool.stratum]
    kinds: dict[tuple[int, ...], int] = {}
    kind_of = [
        kinds.setdefault((stratum, *groups), len(kinds))
        for stratum, groups in zip(pool.stratum, pool.groups, strict=True)
    ]
    hits, squares, done = _simulated(pool, kind_of, len(kinds), key, repeats, progress)
    alike = Counter(kind_of)
    estimates = [
        _estimated(hits[kind], squares[kind], alike[kind], repeats) if done == repeats else _given_up(alike[kind], done)
        for kind in range(len(kinds))
    ]
    return [exact.get(stratum, estimates[kind]) for stratum, kind in zip(pool.stratum, kind_of, strict=True)]


def _exact(pool: Pool) -> dict[int, Inclusion]:
    """Return the probability in each stratum whose design determines it."""
    exact = {}
    for stratum, units in enumerate(pool.strata):
        if units and (pool.certain[stratum] or pool.unlimited[stratum] or pool.wanted[stratum] == 0):
            wanted, available = pool.wanted[stratum], len(units)
            method = f"exact: {wanted:,} of {available:,} drawn at random without replacement"
            exact[stratum] = Inclusion("exact", wanted / available, 0.0, None, available, method)
    return exact


def _simulated(
    pool: Pool, kind_of: Sequence[int], kinds: int, key: str, repeats: int, progress: Progress | None
) -> tuple[list[int], list[int], int]:
    """Return the sum and the sum of squares of the numbers drawn of each kind, and the number of repeats done."""
    hits, squares = [0] * kinds, [0] * kinds
    calls = pool.completion.calls
    for number in range(repeats):
        if number % EVERY == 0 and progress is not None:
            progress(number, repeats)
        drawn: dict[int, int] = {}
        for unit in draw_once(pool, f"{key}|repeat {number}"):
            drawn[kind_of[unit]] = drawn.get(kind_of[unit], 0) + 1
        for kind, count in drawn.items():
            hits[kind] += count
            squares[kind] += count * count
        if (pool.completion.calls - calls) * len(kind_of) > MOST_WORK:
            return hits, squares, number + 1
    if progress is not None:
        progress(repeats, repeats)
    return hits, squares, repeats


def _estimated(hits: int, squares: int, alike: int, repeats: int) -> Inclusion:
    which = "drawn" if alike == 1 else f"{alike:,} units alike were drawn"
    how = f"{which} {hits:,} times in {repeats:,} repeats of the whole draw under keys derived from its own"
    if hits < LEAST_HITS:
        return _not_known(f"{how}, fewer than {LEAST_HITS}", hits, alike)
    error = math.sqrt(squares - hits**2 / repeats + 1) / repeats / alike
    return Inclusion("simulated", hits / repeats / alike, error, hits, alike, f"simulated: {how}")


def _given_up(alike: int, done: int) -> Inclusion:
    reason = (
        "the limits cross one another and leave so little choice that the simulation was given up after "
        f"{done:,} repeats"
    )
    return _not_known(reason, None, alike)


def _not_known(because: str, hits: int | None, alike: int) -> Inclusion:
    return Inclusion("not known", None, None, hits, alike, f"not known: {because}", because)
