"""Recording when somebody was last seen, outside requests: nobody waits for it, and its failure affects nobody."""

from __future__ import annotations

import asyncio
import time

from server.logs import note_fault
from server.threads import in_thread, limiter_of
from services.installation.environment import database
from services.people import identity
from services.people.identity import Actor

MOST_REMEMBERED = 10_000
# When each login session was last recorded, on this process's monotonic clock.
_noted: dict[int, float] = {}
_running: set[asyncio.Task[None]] = set()


def note(actor: Actor) -> None:
    """Record in the background that somebody was here, at most once a minute."""
    moment = time.monotonic()
    before = _noted.get(actor.login_session_id)
    if before is not None and moment - before < identity.SEEN_RESOLUTION.total_seconds():
        return
    if limiter_of("presence").available_tokens < 1:
        # The next request tries again.
        return
    if len(_noted) >= MOST_REMEMBERED:
        _noted.clear()
    _noted[actor.login_session_id] = moment
    task = asyncio.create_task(_write(actor))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _write(actor: Actor) -> None:
    try:
        await in_thread("presence", identity.note_seen, database(), actor.login_session_id)
    except Exception as error:  # noqa: BLE001  a convenience, which must not disturb any reader
        note_fault(error, "(last seen)", 503)
