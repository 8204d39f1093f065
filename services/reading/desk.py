"""What a member may work on now: the first item of a queue, their progress, and what has to be done first."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from db import Assignment, Membership, Study, queries
from db.base import stored_id
from protocol.phases import THEN, Phase, Queue, Reach
from protocol.study_phases import StudyPhases, Telling
from services.errors import NotAllowed, NotFound, ReadsOpen
from services.people.identity import Actor
from services.people.permission import require_role, turn_of
from services.reading import everyone, practice, revision_rules, shown_items
from services.studies import frozen_facts


def own_queue(session: Session, actor: Actor, study_key: str, key: str) -> tuple[Study, Membership, Queue]:
    """Return a study, the actor's membership, and one of the queues that their role works through.

    Raises
    ------
    NotFound, NotAllowed
        The actor has no such study or queue, or the queue belongs to another role.
    """
    study, membership = require_role(session, actor, study_key, "rater", "reviewer", "admin")
    queue = queue_named(frozen_facts.phases_of_member(session, membership), key)
    if membership.role != queue.role:
        raise NotAllowed(f"This needs the role {queue.role} in the study.")
    return study, membership, queue


def queue_named(phases: StudyPhases, key: str) -> Queue:
    """Return the queue with this key, which comes from an address that anybody may edit."""
    queue = phases.queue_named(key)
    if queue is None:
        raise NotFound("There is no such list of items; continue from your worklist.")
    return queue


def waiting_for(
    session: Session, phases: StudyPhases, membership_id: int, queue: Queue, *, limit: int | None = None
) -> list[Assignment]:
    """Return what a member may work on in a queue, in order; the real items only once the practice is passed."""
    training = phases.training_for(queue)
    if training is not None and not practice.has_passed(session, membership_id):
        # A rater who has failed for good has no practice items waiting either.
        return queries.open_assignments(session, membership_id, (training,), limit=limit)
    return queries.open_assignments(session, membership_id, phases.in_queue(queue), limit=limit)


def is_on_the_desk(session: Session, phases: StudyPhases, assignment: Assignment) -> bool:
    """Return whether an assignment, loaded by `own_assignment`, is the one its member may work on now in its queue."""
    if not turn_of(session, assignment).has_come:
        return False
    phase = phases.named(assignment.phase)
    if phases.training_for(phase.queue) is None:
        return True
    return practice.has_passed(session, assignment.membership_id) != phase.trains


def within_reach(session: Session, waiting: list[Assignment]) -> list[Assignment]:
    """Return the assignments whose scans may be fetched: the first of `waiting` and the one after it.

    A later turn of the same conversation is left out: what it adds is withheld until the earlier turn is answered.
    """
    if len(waiting) < 2:
        return waiting
    first, second = waiting[:2]
    if second.phase.endswith(THEN):
        # The second step is withheld until the first answer is given.
        return [first]
    conversation = shown_items.item_of(session, first).conversation
    continues = conversation is not None and conversation == shown_items.item_of(session, second).conversation
    return [first] if continues and first.item_id != second.item_id else [first, second]


def progress_of(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> tuple[int, int]:
    """Return how many units of a queue are closed, and how many there are; the second of two steps closes a unit."""
    last = phases.in_queue(queue)[-1]
    if last.trains:
        return practice.progress_of_pass(session, last, membership_id)
    return queries.count_assignments(session, membership_id, (last,))


def count_halfway(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> int:
    """Return how many units of a queue have been answered and will come back once for their second step."""
    first, last = phases.in_queue(queue)[0], phases.in_queue(queue)[-1]
    if not last.continues:
        return 0
    answered, closed = (queries.count_assignments(session, membership_id, (phase,))[0] for phase in (first, last))
    return answered - closed


def count_cut_off(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> int:
    """Return how many units of a queue were never answered because an admin closed it first."""
    last = phases.in_queue(queue)[-1]
    return queries.count_cut_off(session, membership_id, last) if last.can_be_closed else 0


def is_drawn(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> bool:
    """Return whether the units of a queue, and all units that come before it, have been drawn.

    Units that depend on answers are drawn once those are in; until then they are nobody's open work.
    """
    study_id = session.get_one(Membership, membership_id).study_id
    everybody = frozen_facts.phases_of(session, study_id)
    if not everybody.following:
        return True
    before = [everybody.named(key) for key in phases.all_before(queue, everybody)]
    follows = {key for phase in (*phases.in_queue(queue), *before) for key in phase.follows}
    return not follows or follows <= queries.phases_closed(session, study_id)


def shown_progress_of(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> tuple[int, int]:
    """Return the progress that the member may see: during practice, that of the practice pass."""
    training = phases.training_for(queue)
    if training is not None and not practice.has_passed(session, membership_id):
        return practice.progress_of_pass(session, training, membership_id)
    return progress_of(session, phases, membership_id, queue)


def require_open(session: Session, study: Study, membership: Membership, queue: Queue) -> None:
    """Refuse a queue while its member has earlier work to do, or could still change it.

    Acknowledging the queue's instructions makes revisable verdicts final.
    """
    phases = frozen_facts.phases_of_member(session, membership)
    require_work_before_done(session, phases, stored_id(membership.id), queue)
    if may_be_revised_before(phases, queue) and not revision_rules.has_acknowledged(session, phases, membership, queue):
        raise ReadsOpen("Read this part's instructions first; after that, your verdicts can no longer be revised.")


def may_be_revised_before(phases: StudyPhases, queue: Queue) -> bool:
    """Return whether the protocol allows revisions of verdicts that become final when a queue is begun."""
    revisable = phases.revisable
    return any(phase in revisable for phase in phases.settled_by(queue))


def is_work_before_done(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> bool:
    """Return whether all work before a queue is done: the member's own, and everybody's if the queue waits for them.

    A queue the member has begun stays open to them even if somebody joins for whom it would have waited. Displays
    decide whether it was begun, because a member who was dealt nothing can acknowledge instructions too.
    """
    if not is_drawn(session, phases, membership_id, queue) or not _is_opened(session, phases, membership_id, queue):
        return False
    study_id = session.get_one(Membership, membership_id).study_id
    keys = phases.all_before(queue, frozen_facts.phases_of(session, study_id))
    # A version can add to a phase and not to the next, in which nothing is then left that would wait for it.
    before = tuple(phase for phase in phases.phases if phase.key in keys)
    if before and queries.has_open(session, membership_id, before):
        return False
    # A practice that was not passed has nothing open once its attempts are used up.
    if any(phase.trains for phase in before) and not practice.has_passed(session, membership_id):
        return False
    if _tells_of_open_work(session, phases, membership_id, queue, known_done=before):
        return False
    if not phases.waits_for_everyone(queue) or queries.has_been_shown(session, membership_id, phases.in_queue(queue)):
        return True
    return everyone.are_done(session, study_id, phases, queue)


def closed_by_failing(session: Session, phases: StudyPhases, training: Phase, membership_id: int) -> tuple[Queue, ...]:
    """Return the queues that stay closed to a member who has no attempts left at a practice, in order.

    Those whose units follow from answers are among them before anything is drawn and, in a study with versions, all
    that can still grow: what is dealt to the member would reveal what was drawn, or how a phase selects what they have
    yet to read blind.
    """
    study_id = session.get_one(Membership, membership_id).study_id
    dealt = queries.phases_dealt(session, membership_id) | {phase.key for phase in phases.following}
    if phases.listed and queries.has_versions(session, study_id):
        dealt |= {phase.key for phase in phases.counted} - queries.phases_closed(session, study_id)
    return phases.closed_without(training, dealt, frozen_facts.phases_of(session, study_id))


def _is_opened(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> bool:
    """Return whether a queue needs no admin to open it, or has been opened by one."""
    if not (waits := phases.by_admin(queue)):
        return True
    return waits <= queries.phases_opened(session, session.get_one(Membership, membership_id).study_id)


def _tells_of_open_work(
    session: Session, phases: StudyPhases, membership_id: int, queue: Queue, known_done: Sequence[Phase]
) -> bool:
    """Return whether a queue reveals anything about units that its member has yet to rate blind to it.

    Protocols in which this could happen are refused, but somebody who joins late, or who was dealt nothing of the
    phases in between, may still get here. Of the phases in `known_done` the member has no open work, on any unit.
    """
    return phases.listed and any(
        # Within a queue the order of the steps ensures this.
        queries.has_open_of_the_same(
            session,
            membership_id,
            [phase for phase in known.blind if phase.queue != queue and phase not in known_done],
            telling,
            _reach(telling, known),
        )
        for telling in phases.in_queue(queue)
        for known in phases.blind_to(telling)
    )


def _reach(telling: Phase, known: Telling) -> Reach:
    """Return how far a phase reveals something; with pairs it is the item, as an answer may be in several."""
    compared = any(phase.kind == "pairs" for phase in (telling, *known.blind))
    return "item" if compared and known.reach == "unit" else known.reach


def tells_nothing_too_early(session: Session, phases: StudyPhases, assignment: Assignment) -> bool:
    """Return whether the member has no open work that is blind to what this assignment shows.

    Protocols and freezes in which this could happen are refused; this checks the actual rows once more.
    """
    phase, member = phases.named(assignment.phase), assignment.membership_id
    if not is_work_before_done(session, phases, member, phase.queue):
        return False
    return not phase.listed or not any(
        queries.has_open_about(session, member, known.blind, assignment, _reach(phase, known))
        for known in phases.blind_to(phase)
    )


def require_work_before_done(session: Session, phases: StudyPhases, membership_id: int, queue: Queue) -> None:
    """Refuse anything that may come only after the last blind read."""
    if is_work_before_done(session, phases, membership_id, queue):
        return
    raise ReadsOpen(phases.opens_later(queue))
