"""What comes next in a member's work, how much it is, and roughly how long it takes at their own pace."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db import Assignment, Membership, Study, Verdict
from db.asking import ask
from db.base import stored_id
from protocol.phases import Phase, Queue
from protocol.study_phases import StudyPhases
from services.reading import blinding, desk, practice_words
from services.reading.payloads import AheadPayload, NextPayload
from services.studies import frozen_facts

# With fewer verdicts a median says little.
FEWEST = 3
MINUTE = 60_000


def next_part(session: Session, study: Study, membership: Membership, queue: Queue) -> NextPayload | None:
    """Return what waits for a member after a queue, such as answers to score after the reads; None if nothing does."""
    if queue.role == "reviewer":
        return blinding.next_payload("Look again", "", address_of(study, queue))
    phases, membership_id = frozen_facts.phases_of_member(session, membership), stored_id(membership.id)
    # What follows this queue comes before what can be done at any time.
    others = dict.fromkeys((*phases.after(queue), *(other for other in phases.queues if other.role == queue.role)))
    for following in (other for other in others if other != queue):
        done, total = desk.progress_of(session, phases, membership_id, following)
        if done < total and desk.is_work_before_done(session, phases, membership_id, following):
            title = f"{following.verb} {following.counted(total - done)}"
            about = about_how_long(session, phases, membership_id, following, total - done)
            return blinding.next_payload(title, about, address_of(study, following))
    return None


def first_items(session: Session, phases: StudyPhases, membership_id: int, queue: Queue, total: int) -> AheadPayload:
    """Return what begins after the practice, and how that ended: how many items, and roughly how long they take."""
    about = about_how_long(session, phases, membership_id, queue, total)
    title = f"{queue.verb} {queue.counted(total)}"
    ended = practice_words.end_in_words(session, phases, queue, membership_id)
    return blinding.ahead_payload("Practice is complete", f"{ended}From now on your answers count.", title, about)


def about_how_long(session: Session, phases: StudyPhases, membership_id: int, queue: Queue, left: int) -> str:
    """Return roughly how long the remaining units take, in words; empty while the member's pace is unknown."""
    for worked, pace in _paces(phases, queue):
        medians = [
            statistics.median(times)
            for phase in worked
            if len(times := _active_times(session, membership_id, phase)) >= FEWEST
        ]
        if sum(medians):
            return f"about {duration(sum(medians) * left)} {pace}"
    return ""


def _paces(phases: StudyPhases, queue: Queue) -> Iterator[tuple[tuple[Phase, ...], str]]:
    """Yield the phases whose times together estimate one unit of a queue, and a name for that pace, best first."""
    if queue.role != "rater":
        return
    yield phases.in_queue(queue), "at your pace so far"
    training = phases.training_for(queue)
    if training is not None:
        yield (training,), "at the pace of your practice"
    for phase in phases.before(queue):
        if phase.kind == "items":
            yield (phase,), "at the pace of your reading"


def duration(milliseconds: float) -> str:
    """Return a duration in words, rounded up to the minute, from 10 min on to 5 min, from an hour on to 15 min."""
    minutes = max(1, math.ceil(milliseconds / MINUTE))
    step = 1 if minutes < 10 else 5 if minutes < 60 else 15
    hours, minutes = divmod(math.ceil(minutes / step) * step, 60)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{minutes} min" if minutes else "") if part)


def _active_times(session: Session, membership_id: int, phase: Phase) -> list[int]:
    """Return the active time of each of the member's own assignments in a phase, including revisions."""
    return list(ask(session, _ACTIVE_TIMES, membership_id=membership_id, phase=phase.key).scalars())


_ACTIVE_TIMES: Any = (
    select(func.sum(col(Verdict.active_ms)))
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(Assignment.membership_id == bindparam("membership_id"), Assignment.phase == bindparam("phase"))
    .group_by(col(Verdict.assignment_id))
)


def address_of(study: Study, queue: Queue) -> str:
    """Return the address of the page for working through a queue."""
    return "reading?" + urlencode({"study": study.key, "phase": queue.key})
