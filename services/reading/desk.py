"""What a member may work on now: the first of a queue, how far they are, and what has to be done before."""

from __future__ import annotations

from sqlmodel import Session

from db import Assignment, Membership, Study, queries
from db.base import stored_id
from protocol.phases import PHASES, PRACTICE, QUEUES, READING, SCORING, Queue, phases_of
from protocol.study import Protocol
from protocol.visibility import Progress, may_see
from services.errors import NotFound, ReadsOpen
from services.people.permission import turn_of
from services.reading import practice, revision_rules, shown_items
from services.studies import frozen_facts


def queue_named(key: str) -> Queue:
    """Return the queue of a name, which comes from an address that anybody may edit."""
    if key not in QUEUES:
        raise NotFound("There is no such list of items; continue from your worklist.")
    return QUEUES[key]


def waiting_for(
    session: Session, protocol: Protocol, membership_id: int, queue: Queue, *, limit: int | None = None
) -> list[Assignment]:
    """Return what a member may work on in a queue, in order: the real items only when the practice is passed."""
    phases = phases_of(queue)
    if _practises_before(protocol, queue) and not practice.has_passed(session, membership_id):
        # Who has failed for good has no practice waiting either.
        phases = (PRACTICE,)
    return queries.open_assignments(session, membership_id, phases, limit=limit)


def is_on_the_desk(session: Session, protocol: Protocol, assignment: Assignment) -> bool:
    """Return whether an assignment, read by `own_assignment`, is the first that its member may work on in its queue."""
    if not turn_of(session, assignment).has_come:
        return False
    phase = PHASES[assignment.phase]
    if not _practises_before(protocol, phase.queue):
        return True
    return practice.has_passed(session, assignment.membership_id) != phase.trains


def _practises_before(protocol: Protocol, queue: Queue) -> bool:
    return queue == PRACTICE.queue and protocol.reading.practice is not None


def within_reach(session: Session, waiting: list[Assignment]) -> list[Assignment]:
    """Return the assignments whose scans may be fetched: the first of `waiting`, and the one after it.

    A later turn of the same conversation stays out: what it adds is withheld until the turn before it is answered.
    """
    if len(waiting) < 2:
        return waiting
    first, second = waiting[:2]
    conversation = shown_items.item_of(session, first).conversation
    continues = conversation is not None and conversation == shown_items.item_of(session, second).conversation
    return [first] if continues and first.item_id != second.item_id else [first, second]


def progress_of(
    session: Session, membership_id: int, queue: Queue, protocol: Protocol | None = None
) -> tuple[int, int]:
    """Return how many items of a queue are closed and how many there are; a review and its decision count once.

    With `protocol`, the count is the one that the member may see: while they practise, that of the practice.
    """
    practises = protocol is not None and _practises_before(protocol, queue)
    if practises and not practice.has_passed(session, membership_id):
        return practice.progress_of_pass(session, membership_id)
    return queries.count_assignments(session, membership_id, phases_of(queue)[-1:])


def require_scoring_open(session: Session, study: Study, membership: Membership) -> None:
    """Refuse the scoring phase while the rater reads blind, or could still change what they read: it shows references.

    Where verdicts may be revised, that ends when the rater acknowledges the instructions of scoring.
    """
    require_reads_done(session, stored_id(membership.id))
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    if protocol.reading.revision != "never" and not revision_rules.has_begun_scoring(session, stored_id(membership.id)):
        raise ReadsOpen("Read this part's instructions first; after that, your verdicts can no longer be revised.")


def require_reads_done(session: Session, membership_id: int) -> None:
    """Refuse what may come only after the last blind read."""
    done = not queries.open_assignments(session, membership_id, (READING,), limit=1)
    if not may_see("rater", SCORING, "reference", Progress(on_the_desk=True, reads_done=done)):
        raise ReadsOpen("Scoring opens once you have read all your items.")
