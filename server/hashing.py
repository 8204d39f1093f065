"""The queue for Argon2 hashing: short, and separate from all other work, so that a burst of sign-ins blocks nobody."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from services.installation.environment import LONGEST_WAIT, within

T = TypeVar("T")

# A hash takes 0.1 s and 64 MB, so two run at once. The last in a full queue waits about a second.
AT_ONCE = 2
MOST_WAITING = 16


class Busy(Exception):
    """The queue for hashing is full, so another request is turned away."""


@functools.cache
def _threads() -> CapacityLimiter:
    return CapacityLimiter(AT_ONCE)


async def in_turn(work: Callable[..., T], *arguments: Any) -> T:
    """Run work that hashes a password in one of the queue's threads.

    Raises
    ------
    Busy
        The queue is full; nothing was done.
    """
    if _threads().statistics().tasks_waiting >= MOST_WAITING:
        raise Busy
    return await to_thread.run_sync(functools.partial(_bounded, work, arguments), limiter=_threads())


def _bounded(work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    with within(LONGEST_WAIT):
        return work(*arguments)
