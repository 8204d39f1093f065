"""What of somebody's work comes next, how much it is, and about how long it takes by their own pace."""

from __future__ import annotations

import math
import statistics
from urllib.parse import urlencode

from sqlalchemy import func
from sqlmodel import Session, col, select

from db import Assignment, Membership, Study, Verdict, queries
from db.base import stored_id
from services.reading import blinding
from services.reading.payloads import NextPayload

# Of fewer verdicts a median says little.
FEWEST = 3
MINUTE = 60_000
# Whose times tell how long one unit of a queue takes, and what that pace is called: the first that has enough of them.
_PACES = {
    "reading": (("reading", "at your pace so far"), ("practice", "at the pace of your practice")),
    "scoring": (("scoring", "at your pace so far"), ("reading", "at the pace of your reading")),
}


def next_part(session: Session, study: Study, membership: Membership, queue: str) -> NextPayload | None:
    """Return what waits behind a queue that is done: answers to mark after the reads; None where nothing does."""
    if queue == "review":
        return blinding.next_payload("Look again", "", _place(study, queue))
    if queue != "reading":
        return None
    membership_id = stored_id(membership.id)
    done, total = queries.count_assignments(session, membership_id, ("scoring",))
    if done == total:
        return None
    title = f"Mark {count_of(total - done, 'answer')}"
    about = about_how_long(session, membership_id, "scoring", total - done)
    return blinding.next_payload(title, about, _place(study, "scoring"))


def first_items(session: Session, membership_id: int, total: int) -> NextPayload:
    """Return what begins behind the practice: so many items, and about how long they take."""
    about = about_how_long(session, membership_id, "reading", total)
    return blinding.next_payload(f"Read {count_of(total, 'item')}", about)


def count_of(number: int, thing: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def about_how_long(session: Session, membership_id: int, queue: str, left: int) -> str:
    """Return about how long the units that are left take, in words; nothing where the own pace is not known yet."""
    for phase, pace in _PACES.get(queue, ()):
        times = _active_times(session, membership_id, phase)
        median = statistics.median(times) if len(times) >= FEWEST else 0
        if median:
            return f"about {duration(median * left)} {pace}"
    return ""


def duration(milliseconds: float) -> str:
    """Return a time as it is said: to the minute, from ten on to five, from an hour on to a quarter."""
    minutes = max(1, math.ceil(milliseconds / MINUTE))
    step = 1 if minutes < 10 else 5 if minutes < 60 else 15
    hours, minutes = divmod(math.ceil(minutes / step) * step, 60)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{minutes} min" if minutes else "") if part)


def _active_times(session: Session, membership_id: int, phase: str) -> list[int]:
    """Return the active time of each of the member's own assignments of a phase, revisions included."""
    return list(
        session.exec(
            select(func.sum(col(Verdict.active_ms)))
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .where(Assignment.membership_id == membership_id, Assignment.phase == phase)
            .group_by(col(Verdict.assignment_id))
        )
    )


def _place(study: Study, queue: str) -> str:
    return "reading?" + urlencode({"study": study.key, "phase": queue})
