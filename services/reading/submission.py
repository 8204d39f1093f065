"""Reading item by item: the current item, drafts, verdicts and failures. The same code serves raters and reviewers."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from db import (
    Adjudication,
    Assignment,
    Base,
    Database,
    Display,
    Membership,
    Study,
    TechnicalFailure,
    Verdict,
    audit,
    now,
    queries,
    standing,
)
from db.base import stored_id
from protocol.phases import Queue
from protocol.study_phases import StudyPhases
from services.errors import Incomplete, NotShown
from services.people import acts, clock
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import own_assignment, turn_of
from services.reading import desk, displaying, practice, practice_words, revision_rules, settling, shown_items
from services.reading.answers import check_answers, check_draft, is_repeated_draft, is_repeated_submission
from services.reading.payloads import FeedbackPayload, Payload
from services.reading.verdict_rows import (
    NOTHING_MEASURED,
    Circumstances,
    bounded,
    new_receipt,
    plausible_times,
    store_decision,
    store_verdict,
)
from services.seals import proofs
from services.studies import frozen_facts

# Half of what the column can hold, because reopening a verdict continues from its draft's number.
LARGEST_SEQUENCE = 2**30


@dataclass(frozen=True)
class Receipt:
    """Proof that a verdict is committed."""

    receipt: str
    saved_at: datetime
    queue: str
    study_key: str
    # What a rater learns from a practice verdict; None in every other phase.
    feedback: FeedbackPayload | None = None


def current_payload(database: Database, actor: Actor, study_key: str, queue: str) -> Payload:
    """Return what is on the member's desk now: the first open item, or a thank-you."""
    with database.read_only() as session:
        study, membership, named = desk.own_queue(session, actor, study_key, queue)
        require_in_study(session, acts.READ, study)
        return _desk_payload(session, actor, study, membership, named)


def payload_after_reload(database: Database, actor: Actor, study_key: str, queue: str) -> Payload:
    """Return what was on the screen before a reload: the verdict being revised, otherwise the desk."""
    with database.read_only() as session:
        study, membership, named = desk.own_queue(session, actor, study_key, queue)
        require_in_study(session, acts.READ, study)
        phases = frozen_facts.phases_of_member(session, membership)
        may_be = phases.is_revisable(named)
        revised = revision_rules.being_revised(session, actor, phases, membership) if may_be else None
        if revised is not None and phases.named(revised[0].phase).queue == named:
            return displaying.revision_payload(session, actor, study, *revised)
        return _desk_payload(session, actor, study, membership, named)


def _desk_payload(session: Session, actor: Actor, study: Study, membership: Membership, queue: Queue) -> Payload:
    desk.require_open(session, study, membership, queue)
    return displaying.queue_payload(session, actor, study, membership, queue)


def queue_of_assignment(database: Database, actor: Actor, public_id: str) -> tuple[str, str]:
    """Return the study key and the queue of one of the actor's own assignments."""
    with database.read_only() as session:
        assignment, study, membership = own_assignment(session, actor, public_id)
        return study.key, frozen_facts.phases_of_member(session, membership).named(assignment.phase).queue.key


def record_display(
    database: Database, actor: Actor, public_id: str, *, load_ms: int, renderer: str, viewport: str
) -> datetime:
    """Store that the assignment's image and prompt are on the actor's screen; no verdict is accepted without this."""
    with database.writing() as session:
        assignment, study, membership = own_assignment(session, actor, public_id)
        require_in_study(session, acts.READ, study)
        acts.require(acts.SHOW, _state(session, actor, study, membership, assignment))
        here = clock.read_clocks()
        display = {
            "assignment_id": stored_id(assignment.id),
            "login_session_id": actor.login_session_id,
            "shown_at": here.at,
            "load_ms": bounded(load_ms),
            "renderer": renderer[:40],
            "viewport": viewport[:20],
            "monotonic_ms": here.monotonic_ms,
            "boot_id": here.boot_id,
        }
        session.connection().execute(standing.NEW_DISPLAY, display)
        return here.at


def save_draft(database: Database, actor: Actor, public_id: str, sequence: int, answers: Any) -> tuple[int, datetime]:
    """Store the answers filled in so far.

    Returns
    -------
    tuple of int and datetime
        The stored sequence number, and when the draft was saved.

    Raises
    ------
    Conflict
        The item takes no draft: it has been submitted, or is not on the desk.
    Incomplete
        The item takes drafts, but this one is not valid.
    StaleDraft
        A newer draft is already stored, from another tab or from an earlier attempt that did get through.
    """
    with database.writing() as session:
        assignment, study, membership = own_assignment(session, actor, public_id, lock=True)
        require_in_study(session, acts.READ, study)
        acts.require(acts.DRAFT, _state(session, actor, study, membership, assignment))
        # Checked last, as with a verdict: if no draft is accepted, that matters more than what is wrong with this one.
        checked = check_draft(answers)
        if not 0 <= sequence <= LARGEST_SEQUENCE:
            raise Incomplete("The draft has an invalid number; reload the page.", "sequence")
        draft = turn_of(session, assignment).draft
        stored = None if draft is None else (draft.sequence, draft.answers)
        if is_repeated_draft(stored, sequence, checked) and draft is not None:
            return draft.sequence, draft.saved_at
        saved_at = now()
        session.connection().execute(
            standing.NEW_DRAFT if draft is None else standing.NEXT_DRAFT,
            {"assignment": assignment.id, "sequence": sequence, "answers": checked, "saved_at": saved_at},
        )
        return sequence, saved_at


def submit(
    database: Database,
    actor: Actor,
    public_id: str,
    key: str,
    answers: Any,
    circumstances: Circumstances = NOTHING_MEASURED,
) -> Receipt:
    """Store a verdict (or, for opinions, a decision); the receipt exists only after the commit.

    Sending the same answers with the same key again returns the same receipt and stores nothing.

    Raises
    ------
    StudyClosed
        The study no longer accepts verdicts.
    Conflict
        The item has already been submitted, is not on the desk, or was not shown.
    Incomplete
        Otherwise, if the answers do not fit the form.
    """
    with database.writing() as session:
        receipt, study_id = _submitted(session, actor, public_id, key, answers, circumstances)
    settling.settle_behind(database, study_id)
    return receipt


def _submitted(
    session: Session, actor: Actor, public_id: str, key: str, answers: Any, circumstances: Circumstances
) -> tuple[Receipt, int | None]:
    """Store a submission. Also return the study's id if units of other phases are drawn from such answers."""
    assignment, study, membership = own_assignment(session, actor, public_id, lock=True)
    phases = frozen_facts.phases_of_member(session, membership)
    phase = phases.named(assignment.phase)
    followed = stored_id(study.id) if phase.is_followed else None
    form = shown_items.form_of(session, phases, assignment)
    for earlier in _stored(session, assignment):
        if earlier.idempotency_key == key:
            if not is_repeated_submission(form, answers, earlier.content_sha256):
                acts.require(acts.SUBMIT, "done")
            feedback = _feedback(session, phases, assignment)
            return Receipt(earlier.receipt, earlier.submitted_at, phase.queue.key, study.key, feedback), followed
    superseded = _superseded(session, actor, phases, membership, assignment)
    require_in_study(session, acts.READ, study)
    if superseded is None:
        acts.require(acts.SUBMIT, _state(session, actor, study, membership, assignment))
    displays = _displays_of(session, assignment)
    display = _display_of(session, actor, study, assignment, displays, superseded, key)
    # After every other refusal: if no answer is accepted, that matters more than what is missing from this one.
    checked = check_answers(form, answers)
    # Simulated readers report how long they would have looked.
    passed_ms = None if study.simulated_readers else _passed_ms(displays, superseded)
    measured = plausible_times(circumstances, passed_ms)
    receipt = new_receipt()
    stored: Verdict | Adjudication
    rows: list[Base]
    if phase.done_by == "decision":
        stored = store_decision(session, assignment, checked, receipt, key)
        rows = [stored]
    else:
        stored, rows = store_verdict(session, assignment, checked, measured, display, receipt, key, superseded)
    detail = {"supersedes": superseded.receipt} if superseded is not None else {}
    audit.record(
        session,
        "revision" if superseded is not None else phase.done_by,
        person_id=actor.person_id,
        study_id=study.id,
        assignment=public_id,
        receipt=receipt,
        content_sha256=checked.content_sha256(),
        # The last two record who read what, even if somebody rejoins and all other seals on these rows lapse.
        rows=proofs.sealed([*rows, *displays, assignment, membership]),
        **detail,
    )
    if superseded is not None:
        revision_rules.end(session, actor, membership)
    if phase.trains:
        practice.end_pass_if_done(session, phases, assignment)
    feedback = _feedback(session, phases, assignment)
    return Receipt(receipt, stored.submitted_at, phase.queue.key, study.key, feedback), followed


def _superseded(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership, assignment: Assignment
) -> Verdict | None:
    """Return the verdict that this one will supersede; None if it is the assignment's first."""
    if not _stored(session, assignment):
        return None
    if not phases.named(assignment.phase).revisable or not _is_being_revised(session, actor, assignment):
        acts.require(acts.SUBMIT, "done")
    return revision_rules.require_revisable(session, actor, phases, membership, assignment)


def _displays_of(session: Session, assignment: Assignment) -> list[Display]:
    """Return an assignment's displays in all login sessions, oldest first."""
    return queries.displays_of(session, stored_id(assignment.id))


def _display_of(
    session: Session,
    actor: Actor,
    study: Study,
    assignment: Assignment,
    displays: Sequence[Display],
    superseded: Verdict | None,
    key: str,
) -> Display:
    """Return the display behind a verdict: from this login session and, for a revision, later than the old verdict."""
    keys = displaying.keys_of(study, actor)
    expected = keys.idempotency_key(assignment.public_id)
    own = [display for display in displays if display.login_session_id == actor.login_session_id]
    if superseded is not None:
        expected = keys.revision_key(assignment.public_id, superseded.receipt)
        own = _since(superseded, displays, own)
    display = own[-1] if own else None
    if display is None or not hmac.compare_digest(expected.encode(), key.encode()):
        raise NotShown("This item has not been shown on this screen; reload the page and look at it first.")
    return display


def _since(superseded: Verdict, displays: Sequence[Display], wanted: Sequence[Display]) -> list[Display]:
    """Return the wanted displays whose rows come after the display behind the superseded verdict."""
    before = max((display.id or 0 for display in displays if display.shown_at == superseded.shown_at), default=0)
    return [display for display in wanted if (display.id or 0) > before]


def _passed_ms(displays: Sequence[Display], superseded: Verdict | None) -> int | None:
    """Return the ms since the item was first shown in any login session; for a revision, since it was shown again.

    Rows give the order. Time comes from the monotonic clock if it is comparable, because the wall clock may have been
    set in the meantime.
    """
    if superseded is not None:
        displays = _since(superseded, displays, displays)
    if not displays:
        return None
    first = displays[0]
    return clock.passed_ms(first.shown_at, first.monotonic_ms, first.boot_id, clock.read_clocks())


def _feedback(session: Session, phases: StudyPhases, assignment: Assignment) -> FeedbackPayload | None:
    phase = phases.named(assignment.phase)
    if not phase.trains:
        return None
    return practice_words.feedback_on(session, phases, assignment)


def report_failure(database: Database, actor: Actor, public_id: str, reason: str) -> tuple[datetime, str, str]:
    """Store that the images of an assignment could not be shown, and move on to the next.

    Returns
    -------
    tuple
        When it was saved, the study's key, and the queue.
    """
    with database.writing() as session:
        assignment, study, membership = own_assignment(session, actor, public_id, lock=True)
        require_in_study(session, acts.READ, study)
        phases = frozen_facts.phases_of_member(session, membership)
        phase = phases.named(assignment.phase)
        earlier = session.exec(select(TechnicalFailure).where(TechnicalFailure.assignment_id == assignment.id)).first()
        if earlier is not None:
            return earlier.created_at, study.key, phase.queue.key
        acts.require(acts.GIVE_UP, _state(session, actor, study, membership, assignment))
        failure = TechnicalFailure(
            assignment_id=stored_id(assignment.id), reason=reason.replace("\x00", "")[:400] or "could not be shown"
        )
        session.add(failure)
        failures = [failure, *_of_what_comes_after(session, phases, assignment, failure.reason)]
        session.flush()
        audit.record(
            session,
            "technical failure",
            person_id=actor.person_id,
            study_id=study.id,
            assignment=public_id,
            rows=proofs.sealed([*failures, *_displays_of(session, assignment)]),
        )
        if phase.trains:
            practice.end_pass_if_done(session, phases, assignment)
        followed = stored_id(study.id) if phase.is_followed else None
    settling.settle_behind(database, followed)
    return failure.created_at, study.key, phase.queue.key


def _of_what_comes_after(
    session: Session, phases: StudyPhases, assignment: Assignment, reason: str
) -> list[TechnicalFailure]:
    """Also close the second step, if there is one: an item that could not be shown is not answered."""
    after = phases.continuation_of(phases.named(assignment.phase))
    waiting = None if after is None else queries.assignment_beside(session, assignment, after.key)
    if waiting is None:
        return []
    failure = TechnicalFailure(assignment_id=stored_id(waiting.id), reason=reason)
    session.add(failure)
    return [failure]


def _state(session: Session, actor: Actor, study: Study, membership: Membership, assignment: Assignment) -> str:
    """Return the state of an assignment for this login session, one of `acts.STATES`.

    Showing, drafting, submitting and giving up all pass through here, because somebody may know the id of an
    assignment before it is due.
    """
    if turn_of(session, assignment).has_come:
        phases = frozen_facts.phases_of_member(session, membership)
        desk.require_open(session, study, membership, phases.named(assignment.phase).queue)
        return "on the desk" if desk.is_on_the_desk(session, phases, assignment) else "waiting"
    if _is_being_revised(session, actor, assignment):
        return "being revised"
    if _stored(session, assignment):
        return "done"
    failed = session.exec(select(TechnicalFailure.id).where(TechnicalFailure.assignment_id == assignment.id)).first()
    if failed is not None:
        return "not shown"
    if queries.was_replaced(session, assignment):
        return "replaced"
    phase = frozen_facts.phases_of_member(session, membership).named(assignment.phase)
    is_closed = phase.can_be_closed and phase.key in queries.phases_closed(session, stored_id(study.id))
    return "too late" if is_closed else "waiting"


def _is_being_revised(session: Session, actor: Actor, assignment: Assignment) -> bool:
    if turn_of(session, assignment).has_come:
        return False
    membership = session.get_one(Membership, assignment.membership_id)
    phases = frozen_facts.phases_of_member(session, membership)
    reopened = revision_rules.reopened(session, actor, phases, membership)
    return reopened is not None and reopened[0].id == assignment.id


def _stored(session: Session, assignment: Assignment) -> Sequence[Verdict | Adjudication]:
    """Return what was submitted for an assignment, oldest first; empty while the assignment is open."""
    if turn_of(session, assignment).has_come:
        return []
    if frozen_facts.phases_of(session, assignment.study_id).named(assignment.phase).done_by == "decision":
        task = queries.review_task_of(session, assignment)
        return session.exec(select(Adjudication).where(Adjudication.task_id == task.id)).all()
    return queries.verdict_chain(session, stored_id(assignment.id))
