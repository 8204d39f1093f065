"""Whether everybody whom a queue waits for is done: the members of the study, and slots that are still unfilled."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from db import queries
from protocol.phases import Queue
from protocol.study_phases import StudyPhases
from services.studies import frozen_facts, groups


def are_done(session: Session, study_id: int, phases: StudyPhases, queue: Queue) -> bool:
    """Return whether nobody has open work in the phases that a queue waits for everyone to finish.

    Work that nobody has been given yet counts as open: that of a group with fewer people than its protocol plans, or
    of an unfilled slot. If the units follow from answers, the queue waits until they are drawn.
    """
    follows = {key for phase in phases.in_queue(queue) for key in phase.follows}
    closed = queries.phases_closed(session, study_id)
    if not follows <= closed:
        return False
    # The second steps may be other people's, of whose phases a group knows nothing.
    keys = frozen_facts.phases_of(session, study_id).with_what_continues(phases.waits_for_everyone(queue))
    return with_phases(session, study_id, [key for key in dict.fromkeys(keys) if key not in closed])


def with_phases(session: Session, study_id: int, keys: Sequence[str]) -> bool:
    """Return whether nobody has, or will have, open work in the phases with these keys."""
    if not keys:
        return True
    if queries.anybody_has_open(session, study_id, keys):
        return False
    phases = frozen_facts.phases_of(session, study_id)
    return not groups.lacks_people(session, study_id, [phases.named(key) for key in keys])
