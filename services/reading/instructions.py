"""The instructions that a rater or reviewer acknowledges before they begin a queue."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Acknowledgement, Database, Membership, audit, queries
from db.base import stored_id
from protocol.language.wording import listed
from protocol.phases import Queue
from protocol.sections import RevisionRule
from protocol.study_phases import StudyPhases
from services.errors import NotAcknowledged
from services.people import acts
from services.people.identity import Actor
from services.people.permission import acknowledged_before, hold_membership, state_of
from services.reading import desk, practice_words, revision_rules
from services.seals import proofs
from services.studies import frozen_facts

# The notice shown before a queue is begun, by how long the protocol allows its verdicts to be revised.
REVISION: dict[RevisionRule, str] = {
    "never": "Once submitted, an answer can no longer be changed.",
    "session": "You can change submitted answers (key Q) until you sign out, unless they become final before then.",
    "study": "You can change submitted answers (key Q) until they become final, at the latest when the study closes.",
}
SETTLED = "This part shows references. From here on, your verdicts on the items can no longer be revised."
# In a study with listed phases the parts are named: others may stay open, and no reference need be shown.
_SETTLED_PARTS = "From here on, your verdicts in {parts} can no longer be revised."


@dataclass(frozen=True)
class Instructions:
    """What a member reads and consents to before the first item of a queue, and whether they have done so."""

    study_title: str
    queue_title: str
    text: str
    # What becomes final once the queue is begun, naming the parts by their original titles; empty for nothing.
    settles: str
    consent: str
    acknowledged: bool
    # How long answers can be revised; not part of the text that is acknowledged.
    revision: str
    # The pass mark and attempts of a practice, which is not part of that text either; empty without one.
    practice: str = ""


def of_queue(database: Database, actor: Actor, study_key: str, queue: str) -> Instructions:
    """Return the instructions of a queue and whether this member has acknowledged them.

    Raises
    ------
    ReadsOpen
        Earlier work is still open: a later part's questions may reveal what must not be known in an earlier one.
    """
    with database.read_only() as session:
        study, membership, named = desk.own_queue(session, actor, study_key, queue)
        phases = _frozen_phases(session, membership)
        desk.require_work_before_done(session, phases, stored_id(membership.id), named)
        earlier = _acknowledged(session, membership)
        parts = _instructions_of(session, phases, membership, named, earlier)
        acknowledged = _is_acknowledged(phases, named, parts, earlier)
        revision = phases.revision_in(named)
        # Work begun elsewhere may have made this part's verdicts final before the first one is given.
        if not acknowledged and revision_rules.is_settled(session, phases, membership, named):
            revision = "never"
        title = study.title
    said = practice_words.rule_in_words(phases, named)
    return Instructions(title, named.title, *parts, acknowledged, REVISION[revision], said)


def require_acknowledged(database: Database, actor: Actor, public_id: str) -> None:
    """Refuse one of the actor's own assignments as long as the page would show its instructions instead of it.

    An assignment that the actor has not got passes: what is asked of it next refuses it.

    Raises
    ------
    NotAcknowledged
        The instructions of its queue were not acknowledged, or say something else by now.
    """
    with database.read_only() as session:
        own = acknowledged_before(session, actor, public_id)
        if own is None:
            return
        key, membership, earlier = own
        phases = frozen_facts.phases_of_member(session, membership)
        queue = phases.named(key).queue
        parts = _instructions_of(session, phases, membership, queue, earlier)
        if not _is_acknowledged(phases, queue, parts, earlier):
            raise NotAcknowledged("Read and acknowledge the instructions of this part first; reload the page.")


def _frozen_phases(session: Session, membership: Membership) -> StudyPhases:
    """Return a member's phases if the study is frozen: a draft has no assignments, so everything would seem done."""
    if state_of(session, membership.study_id) == "draft":
        acts.require(acts.READ, "draft")
    return frozen_facts.phases_of_member(session, membership)


# The key under which a text was acknowledged, and the text's hash.
_Acknowledged = tuple[str, str]


def _acknowledged(session: Session, membership: Membership) -> list[_Acknowledged]:
    """Return what a member has acknowledged as part of their current group, oldest first."""
    own = {"membership_id": membership.id, "group_key": membership.group_key}
    return [(key, text_sha256) for key, text_sha256 in session.exec(_ACKNOWLEDGED, params=own)]


_ACKNOWLEDGED: Any = (
    select(Acknowledgement.phase, Acknowledgement.text_sha256)
    .where(
        Acknowledgement.membership_id == bindparam("membership_id"),
        Acknowledgement.group_key == bindparam("group_key"),
    )
    .order_by(col(Acknowledgement.id))
)


def acknowledge_instructions(database: Database, actor: Actor, study_key: str, queue: str) -> None:
    """Store that this member has read the instructions of a queue; acknowledging the same text again changes nothing.

    A member who acknowledged an earlier wording under the same key acknowledges the new one too.
    """
    with database.writing() as session:
        # Whether the text asks for consent depends on what was acknowledged before.
        hold_membership(session, actor, study_key)
        study, membership, named = desk.own_queue(session, actor, study_key, queue)
        phases = _frozen_phases(session, membership)
        earlier = _acknowledged(session, membership)
        phase, text_sha256 = _acknowledgement_of(
            phases, named, _instructions_of(session, phases, membership, named, earlier)
        )
        # Acknowledging ends revisions, so it must not happen in passing before the last read.
        desk.require_work_before_done(session, phases, stored_id(membership.id), named)
        if (phase, text_sha256) not in earlier:
            acknowledged = Acknowledgement(
                membership_id=stored_id(membership.id),
                phase=phase,
                group_key=membership.group_key,
                text_sha256=text_sha256,
            )
            session.add(acknowledged)
            session.flush()
            audit.record(
                session,
                "instructions acknowledged",
                person_id=actor.person_id,
                study_id=study.id,
                phase=phase,
                rows=proofs.sealed([acknowledged]),
            )


# Instructions, what becomes final, and consent.
_Parts = tuple[str, str, str]


def _acknowledgement_of(phases: StudyPhases, queue: Queue, parts: _Parts) -> _Acknowledged:
    text = "\n\n".join(part for part in parts if part)
    return revision_rules.begun_as(phases, queue), hashlib.sha256(text.encode()).hexdigest()


def _is_acknowledged(phases: StudyPhases, queue: Queue, parts: _Parts, earlier: Sequence[_Acknowledged]) -> bool:
    """Return whether a queue's instructions, as they are now, were acknowledged: the page and the routes ask this."""
    return _acknowledgement_of(phases, queue, parts) in earlier


def _instructions_of(
    session: Session, phases: StudyPhases, membership: Membership, queue: Queue, earlier: Sequence[_Acknowledged]
) -> _Parts:
    """Return the text acknowledged for a queue; a rater consents once, before the first queue they begin.

    After a change of group the acknowledgement is asked for again, because the instructions differ.
    """
    instructions = phases.rules_of(phases.in_queue(queue)[0]).instructions
    key = revision_rules.begun_as(phases, queue)
    begun = list(dict.fromkeys(name for name, _ in earlier))
    before = begun[: begun.index(key)] if key in begun else begun
    final = _settling(session, phases, stored_id(membership.id), queue, before)
    # A queue begun in another role asked for no consent.
    of_raters = {revision_rules.begun_as(phases, part) for part in phases.queues if part.role == "rater"}
    asks = queue.role == "rater" and not of_raters & set(before)
    return instructions, final, phases.consent if asks else ""


def _settling(session: Session, phases: StudyPhases, membership_id: int, queue: Queue, begun: Sequence[str]) -> str:
    """Return the notice shown before a queue if beginning it makes some of the member's verdicts final.

    Verdicts that are already final because of a queue begun earlier are not mentioned again; `begun` holds the keys of
    those queues.
    """
    if not desk.may_be_revised_before(phases, queue):
        return ""
    if not phases.listed:
        return SETTLED
    final = {
        phase
        for other in phases.queues
        if revision_rules.begun_as(phases, other) in begun
        for phase in phases.settled_by(other)
    }
    settled = set(phases.settled_by(queue)) - final
    dealt = queries.phases_dealt(session, membership_id)
    titles = [phase.heading for phase in phases.revisable if phase in settled and phase.key in dealt]
    return _SETTLED_PARTS.format(parts=listed([f"“{title}”" for title in titles])) if titles else ""
