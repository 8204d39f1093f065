"""What waits for a rater or reviewer, and the instructions they acknowledge before they begin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlmodel import Session, select

from db import Acknowledgement, Database, Study, audit, queries
from db.base import stored_id
from protocol.phases import QUEUES, READING, REVIEW, SCORING, Queue
from protocol.study import Protocol
from services.people.identity import Actor
from services.people.permission import require_role, state_of, studies_of
from services.reading import desk, pace, practice
from services.seals import proofs
from services.studies import frozen_facts

SETTLED = "This part shows references. From here on, your verdicts on the items can no longer be revised."


@dataclass(frozen=True)
class Desk:
    """One of a member's queues, as their worklist shows it."""

    study_key: str
    study_title: str
    queue: Queue
    done: int
    total: int
    state: str
    waits_for_reads: bool
    simulated_readers: bool
    # `open` or `failed` while the real items are shut behind the practice; `done` and `total` then count the practice.
    practice: str = ""
    # About how long the rest takes by the member's own pace, in words.
    about: str = ""


def desks_of(database: Database, actor: Actor) -> list[Desk]:
    """Return every queue that the actor has as rater or reviewer, with its progress."""
    desks = []
    with database.read_only() as session:
        for study, membership in studies_of(session, actor):
            state = state_of(session, stored_id(study.id))
            protocol = frozen_facts.protocol_of(session, stored_id(study.id))
            for queue in (queue for queue in QUEUES.values() if queue.role == membership.role):
                practising = _practice(session, protocol, stored_id(membership.id)) if queue.role == "rater" else ""
                if queue == SCORING.queue and practising:
                    continue
                done, total = desk.progress_of(session, stored_id(membership.id), queue, protocol)
                if total == 0 and queue == SCORING.queue:
                    continue
                waits = queue == SCORING.queue and bool(
                    queries.open_assignments(session, stored_id(membership.id), (READING,), limit=1)
                )
                desks.append(
                    Desk(
                        study.key,
                        study.title,
                        queue,
                        done,
                        total,
                        state,
                        waits,
                        study.simulated_readers,
                        practising if queue == READING.queue and total else "",
                        pace.about_how_long(session, stored_id(membership.id), queue, total - done)
                        if state == "open" and done < total and not practising
                        else "",
                    )
                )
    return desks


def _practice(session: Session, protocol: Protocol, membership_id: int) -> str:
    if protocol.reading.practice is None:
        return ""
    state = practice.state_of_practice(session, membership_id)
    return "" if state == "passed" else state


@dataclass(frozen=True)
class Instructions:
    """What a member reads before the first item of a queue, what they consent to, and whether they have done so."""

    study_title: str
    queue_title: str
    text: str
    consent: str
    acknowledged: bool


def instructions(database: Database, actor: Actor, study_key: str, queue: str) -> Instructions:
    """Return the instructions of a queue and whether this member has acknowledged them."""
    with database.read_only() as session:
        named = desk.queue_named(queue)
        study, membership = require_role(session, actor, study_key, named.role)
        parts = _instructions_of(session, study, queue)
        seen = session.exec(_ACKNOWLEDGED, params={"membership_id": membership.id, "phase": queue}).first()
        title = study.title
    return Instructions(title, named.title, *parts, seen == _hash_of(parts))


_ACKNOWLEDGED = select(Acknowledgement.text_sha256).where(
    Acknowledgement.membership_id == bindparam("membership_id"), Acknowledgement.phase == bindparam("phase")
)


def acknowledge_instructions(database: Database, actor: Actor, study_key: str, queue: str) -> None:
    """Store that this member has read the instructions of a queue; a second time changes nothing."""
    with database.writing() as session:
        study, membership = require_role(session, actor, study_key, desk.queue_named(queue).role)
        text_sha256 = _hash_of(_instructions_of(session, study, queue))
        earlier = session.exec(_ACKNOWLEDGED, params={"membership_id": membership.id, "phase": queue}).first()
        if queue == SCORING.queue.key and _may_be_revised(frozen_facts.protocol_of(session, stored_id(study.id))):
            # It ends what may be revised, so it may not be done in passing, before the last read.
            desk.require_reads_done(session, stored_id(membership.id))
        if earlier is None:
            acknowledged = Acknowledgement(membership_id=stored_id(membership.id), phase=queue, text_sha256=text_sha256)
            session.add(acknowledged)
            session.flush()
            audit.record(
                session,
                "instructions acknowledged",
                person_id=actor.person_id,
                study_id=study.id,
                phase=queue,
                rows=proofs.sealed([acknowledged]),
            )


def _hash_of(parts: tuple[str, str]) -> str:
    return hashlib.sha256("\n\n".join(part for part in parts if part).encode()).hexdigest()


def _instructions_of(session: Session, study: Study, queue: str) -> tuple[str, str]:
    """Return instructions and consent of a queue."""
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    if queue == SCORING.queue.key:
        if protocol.scoring is None:
            return "", ""
        final = SETTLED if _may_be_revised(protocol) else ""
        return "\n\n".join(part for part in (protocol.scoring.instructions, final) if part), ""
    if queue == REVIEW.queue.key:
        return (protocol.adjudication.instructions if protocol.adjudication else ""), ""
    return protocol.instructions, protocol.consent or ""


def _may_be_revised(protocol: Protocol) -> bool:
    return protocol.reading.revision != "never"
