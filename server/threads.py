"""Worker threads for our own work: a few for each kind, with a limit on how long a request waits for one.

AnyIO's process-wide limiter is left to Streamlit, which lowers it: a hanging database would fill that limiter and stop
everything else. A request may wait ten seconds in all, for threads and the database together.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, TypeVar

from anyio import CapacityLimiter, current_time, fail_after, to_thread

from services.errors import Unavailable
from services.installation.environment import DOES_NOT_ANSWER, LONGEST_WAIT, within

T = TypeVar("T")
Kind = Literal["gate", "reads", "writes", "volumes", "files", "ready", "presence"]

THREADS: dict[Kind, int] = {"gate": 12, "reads": 8, "writes": 16, "volumes": 8, "files": 2, "ready": 1, "presence": 1}

# How many seconds this task's request may still wait; every request runs in a task of its own.
_patience: ContextVar[float] = ContextVar("patience", default=LONGEST_WAIT)


@functools.cache
def limiter_of(kind: Kind) -> CapacityLimiter:
    """Return the limiter for one kind of work."""
    return CapacityLimiter(THREADS[kind])


@functools.cache
def _no_limit() -> CapacityLimiter:
    return CapacityLimiter(math.inf)


async def in_thread(kind: Kind, work: Callable[..., T], *arguments: Any) -> T:
    """Run blocking work in a thread, within what is left of this request's ten seconds.

    Raises
    ------
    Unavailable
        No thread became free in time, or the database did not answer in time.
    """
    limiter, place, began, patience = limiter_of(kind), object(), current_time(), _patience.get()
    try:
        with fail_after(patience):
            await limiter.acquire_on_behalf_of(place)
    except TimeoutError:
        _patience.set(0.0)
        raise Unavailable(DOES_NOT_ANSWER) from None
    try:
        rest = patience - (current_time() - began)
        # Once running, work is never abandoned: a committed verdict must be answered with its receipt.
        return await to_thread.run_sync(functools.partial(_bounded, rest, work, arguments), limiter=_no_limit())
    finally:
        limiter.release_on_behalf_of(place)
        _patience.set(max(0.0, patience - (current_time() - began)))


def _bounded(seconds: float, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    with within(seconds):
        return work(*arguments)
