"""The queue before Argon2: short, and apart from all other work, so that a burst of sign-ins starves nobody."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from services.installation.environment import LONGEST_WAIT, within

T = TypeVar("T")

# A hash takes a tenth of a second and 64 MB, so two at once; the last in a queue of this length waits about a second.
AT_ONCE = 2
MOST_WAITING = 16


class Busy(Exception):
    """So many wait for a hash that another one is sent away."""


@functools.cache
def _threads() -> CapacityLimiter:
    return CapacityLimiter(AT_ONCE)


async def in_turn(work: Callable[..., T], *arguments: Any) -> T:
    """Run what hashes in one of the queue's threads.

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
