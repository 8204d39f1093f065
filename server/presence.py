"""When somebody was last seen, written beside the requests: nobody waits for it, and its failure hurts nobody."""

from __future__ import annotations

import asyncio
import time

from server.logs import note_fault
from server.threads import in_thread, limiter_of
from services.installation.environment import database
from services.people import identity
from services.people.identity import Actor

MOST_REMEMBERED = 10_000
# When each login session was last noted, by this process's own clock.
_noted: dict[int, float] = {}
_running: set[asyncio.Task[None]] = set()


def note(actor: Actor) -> None:
    """Have it written that somebody was here, at most once a minute and in nobody's time."""
    moment = time.monotonic()
    before = _noted.get(actor.login_session_id)
    if before is not None and moment - before < identity.SEEN_RESOLUTION.total_seconds():
        return
    if limiter_of("presence").available_tokens < 1:
        # The next request asks again.
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
    except Exception as error:  # noqa: BLE001  it is a convenience; whoever reads goes on reading
        note_fault(error, "(last seen)", 503)
