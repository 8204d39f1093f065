"""The work that waits for a rater or reviewer, and the instructions they acknowledge before they begin."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Acknowledgement, Database, Membership, Study, audit, queries
from db.base import stored_id
from protocol.language.wording import listed
from protocol.phases import Phase, Queue
from protocol.sections import RevisionRule
from protocol.study_phases import StudyPhases
from services.errors import NotAcknowledged
from services.people import acts
from services.people.identity import Actor
from services.people.permission import acknowledged_before, hold_membership, state_of, studies_of
from services.reading import desk, pace, practice, revision_rules, settling
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


_NOTHING_CAME = "Nothing was assigned to you in this part."


@dataclass(frozen=True)
class Desk:
    """One of a member's queues, as their worklist shows it."""

    study_key: str
    study_title: str
    queue: Queue
    done: int
    total: int
    state: str
    # Why the queue is not open yet; empty if it is.
    waits_for: str
    simulated_readers: bool
    # `open` or `failed` while the practice keeps the real items closed; `done` and `total` then count practice items.
    practice: str = ""
    # Whether the practice has a pass mark; without one it ends with its last item.
    has_mark: bool = True
    # Roughly how long the rest takes at the member's own pace, in words.
    about: str = ""
    # How many of the member's own verdicts may still be revised once every item of the queue is closed.
    revisable: int = 0
    # How many units have been answered and will come back once, for their second step.
    halfway: int = 0
    # The sentence shown when the queue holds nothing for the member.
    nothing: str = ""
    # How many of `done` were never answered because an admin closed the part first.
    cut_off: int = 0

    @property
    def can_be_entered(self) -> bool:
        """Whether there is something to do in it now."""
        return self.state == "open" and not self.waits_for and self.done < self.total and self.practice != "failed"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be asked in it: its study is closed, or all of it is done."""
        return self.state == "closed" or self.practice == "failed" or 0 < self.total == self.done


def desks_of(database: Database, actor: Actor) -> list[Desk]:
    """Return every queue that the actor has as a rater or reviewer, with its progress; studies with open work first.

    Draws that are due, but could not be made when the last answer came in, are made now.
    """
    desks, due = _desks_of(database, actor)
    for study_id in due:
        settling.settle_behind(database, study_id)
    return _desks_of(database, actor)[0] if due else desks


def desks_as_they_are(database: Database, actor: Actor) -> list[Desk]:
    """Return the same queues from a database that may only be read: nothing is drawn."""
    return _desks_of(database, actor)[0]


def _desks_of(database: Database, actor: Actor) -> tuple[list[Desk], list[int]]:
    """Return the desks, and the studies in which a draw of units is due."""
    desks, due = [], []
    with database.read_only() as session:
        for study, membership in studies_of(session, actor):
            due += [stored_id(study.id)] if settling.is_due(session, stored_id(study.id)) else []
            state = state_of(session, stored_id(study.id))
            phases, membership_id = frozen_facts.phases_of_member(session, membership), stored_id(membership.id)
            closed = _closed_by_practice(session, phases, membership_id)
            for queue in (queue for queue in phases.queues if queue.role == membership.role):
                comes_later = bool(phases.before(queue) or phases.waits_for_everyone(queue))
                training = phases.training_for(queue) if phases.listed else phases.training
                practising = _practice(session, training, membership_id) if queue.role == "rater" else ""
                if comes_later and practising and not phases.listed:
                    continue
                done, total = desk.shown_progress_of(session, phases, membership_id, queue)
                waits_for = (
                    "" if desk.is_work_before_done(session, phases, membership_id, queue) else phases.opens_later(queue)
                )
                if waits_for and queue in closed:
                    waits_for = f"“{queue.title}” stays closed for you, as the practice was not passed."
                is_withheld = bool(waits_for) and not practising and _can_have_more(session, study, queue, phases)
                if comes_later and total == 0 and not phases.follows_from_answers(queue) and not is_withheld:
                    continue
                if is_withheld:
                    done = total = 0
                desks.append(
                    Desk(
                        study.key,
                        study.title,
                        queue,
                        done,
                        total,
                        state,
                        waits_for,
                        study.simulated_readers,
                        practising if total and phases.training_for(queue) is not None else "",
                        _has_mark(phases, training),
                        pace.about_how_long(session, phases, membership_id, queue, total - done)
                        if state == "open" and done < total and not practising
                        else "",
                        revision_rules.count_revisable(session, actor, phases, membership, queue)
                        if total and done == total and not practising and phases.is_revisable(queue)
                        else 0,
                        0 if is_withheld else desk.count_halfway(session, phases, membership_id, queue),
                        waits_for or (_NOTHING_CAME if phases.follows_from_answers(queue) else queue.empty),
                        desk.count_cut_off(session, phases, membership_id, queue) if total and done == total else 0,
                    )
                )
    return _open_work_first(desks), due


def _can_have_more(session: Session, study: Study, queue: Queue, phases: StudyPhases) -> bool:
    """Return whether a version may have added to a queue.

    Whether the queue's number of units grew would reveal how its phase selects what is new and may be read blind first.
    """
    study_id, within = stored_id(study.id), phases.in_queue(queue)
    closed = queries.phases_closed(session, study_id)
    can_grow = closed.isdisjoint(each.key for each in within) and not any(each.trains for each in within)
    return can_grow and queries.has_versions(session, study_id)


def _open_work_first(desks: Sequence[Desk]) -> list[Desk]:
    """Return studies with something to do now, then those that wait, then those that are over; each keeps its order."""
    own: dict[str, list[Desk]] = {}
    for each in desks:
        own.setdefault(each.study_key, []).append(each)

    def standing(of_study: Sequence[Desk]) -> int:
        if any(each.can_be_entered for each in of_study):
            return 0
        return 2 if all(each.is_over for each in of_study) else 1

    return [each for of_study in sorted(own.values(), key=standing) for each in of_study]


def _closed_by_practice(session: Session, phases: StudyPhases, membership_id: int) -> frozenset[Queue]:
    """Return the queues of listed phases behind a practice at which a member has no attempts left."""
    trainings = phases.trainings if phases.listed else ()
    failed = [each for each in trainings if _practice(session, each, membership_id) == "failed"]
    return frozenset(queue for each in failed for queue in desk.closed_by_failing(session, phases, each, membership_id))


def _practice(session: Session, training: Phase | None, membership_id: int) -> str:
    if training is None:
        return ""
    state = practice.state_of_practice(session, training, membership_id)
    return "" if state == "passed" else state


def _has_mark(phases: StudyPhases, training: Phase | None) -> bool:
    rule = None if training is None else phases.rules_of(training).practice
    return rule is not None and rule.pass_mark > 0


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


def instructions(database: Database, actor: Actor, study_key: str, queue: str) -> Instructions:
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
    return Instructions(title, named.title, *parts, acknowledged, REVISION[revision])


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
