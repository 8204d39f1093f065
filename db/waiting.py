"""How long a request may wait for the database: ten seconds in all, then the user is asked to try again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST = 10.0
# The most that one statement, lock or connection may take of it; two of them fit into the total.
ONE_STEP = 5.0

# The limit for a lock when nothing else is bounded: somebody is sitting at the terminal and can cancel.
LONGEST_UNHURRIED = 3600.0

_until: ContextVar[float | None] = ContextVar("until", default=None)


class Unavailable(Exception):
    """The database does not respond, is locked by others, or cannot store anything; the same may succeed later."""


DOES_NOT_ANSWER = "The database does not answer at the moment; what was saved is kept: try again in a few seconds."
CANNOT_STORE = (
    "The server cannot store anything at the moment (its disk may be full); what was saved is kept: try again later."
)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound the total time that the block spends waiting for the database."""
    token = _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


@contextmanager
def unhurried() -> Iterator[None]:
    """Lift the bound inside the block: migrations and command-line work may take as long as they need."""
    with within(float("inf")):
        yield


def left(most: float = ONE_STEP) -> float:
    """Return how many seconds the next step may wait: always a little, so that an idle database still gets a chance."""
    until = _until.get()
    if until is None:
        return most
    rest = until - time.monotonic()
    return rest if rest == float("inf") else min(most, max(rest, 0.05))
