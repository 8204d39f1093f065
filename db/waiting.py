"""How long anybody waits for the database: ten seconds in all, then they are asked to try again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST = 10.0
# What one statement, one lock or one connection may take of it; two of them fit into the whole.
ONE_STEP = 5.0

# For a lock, where nothing else is bounded: somebody sits before it and can end it.
LONGEST_UNHURRIED = 3600.0

_until: ContextVar[float | None] = ContextVar("until", default=None)


class Unavailable(Exception):
    """The database does not answer, is locked by others, or cannot store anything; the same may succeed later."""


DOES_NOT_ANSWER = "The database does not answer at the moment; what was saved is kept: try again in a few seconds."
CANNOT_STORE = (
    "The server cannot store anything at the moment (its disk may be full); what was saved is kept: try again later."
)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound all the waiting for the database inside the block, together."""
    token = _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


@contextmanager
def unhurried() -> Iterator[None]:
    """Bound nothing inside the block: a migration, and what is begun at the command line, takes as long as it takes."""
    with within(float("inf")):
        yield


def left(most: float = ONE_STEP) -> float:
    """Return how many seconds the next step may wait; always a little, so that what is idle gets its turn."""
    until = _until.get()
    if until is None:
        return most
    rest = until - time.monotonic()
    return rest if rest == float("inf") else min(most, max(rest, 0.05))
