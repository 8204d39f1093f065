"""Measuring time by the machine's monotonic clock, which nobody can set, with the wall clock as a fallback.

Readings of the monotonic clock are only comparable within one `boot_id`, because it counts from the machine's start.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from db import LoginSession, now

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# If the system has it, the clock that keeps running while the machine sleeps.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)


@dataclass(frozen=True)
class Reading:
    """Both clocks, read at the same moment."""

    at: datetime
    monotonic_ms: int
    boot_id: str


def read_clocks() -> Reading:
    """Read both clocks."""
    seconds = time.clock_gettime(_CLOCK) if _CLOCK is not None else time.monotonic()
    return Reading(now(), int(seconds * 1000), _boot_id())


def passed_ms(at: datetime, monotonic_ms: int | None, boot_id: str | None, until: Reading) -> int:
    """Return how long ago something was, by the monotonic clock if both readings share a boot, else the wall clock."""
    if monotonic_ms is not None and boot_id == until.boot_id:
        return until.monotonic_ms - monotonic_ms
    return _ms(until.at - at)


def login_is_over(login_session: LoginSession, idle_limit: timedelta) -> bool:
    """Return whether a login session lasted or idled too long; changing the wall clock neither ends nor prolongs it."""
    lasted = passed_ms(login_session.created_at, login_session.monotonic_ms, login_session.boot_id, read_clocks())
    lifetime = login_session.expires_at - login_session.created_at
    return lasted > _ms(lifetime) or idled_ms(login_session) > _ms(idle_limit)


def idled_ms(login_session: LoginSession) -> int:
    """Return for how long a login session has been idle."""
    return passed_ms(login_session.last_seen_at, login_session.seen_monotonic_ms, login_session.boot_id, read_clocks())


def note_seen(login_session: LoginSession) -> None:
    """Record that a login session, new or existing, was seen just now."""
    here = read_clocks()
    if login_session.boot_id != here.boot_id:
        # The machine was restarted, or this is a different one: carry over how long the session has lasted.
        lasted = max(passed_ms(login_session.created_at, login_session.monotonic_ms, login_session.boot_id, here), 0)
        login_session.monotonic_ms, login_session.boot_id = here.monotonic_ms - lasted, here.boot_id
    login_session.last_seen_at, login_session.seen_monotonic_ms = here.at, here.monotonic_ms


def _ms(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)


@lru_cache(maxsize=1)
def _boot_id() -> str:
    """Return an id for this boot of this machine; if the system has none, an id for this process."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()[:36]
    except OSError:
        return str(uuid.uuid4())
