"""Load what an assignment shows and pass it to `services.reading.blinding`, which decides how much gets through."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import Session, col, select

from db import Assignment, Membership, Study, Verdict, now, queries, standing
from db.base import stored_id
from db.queries import ShownItem
from protocol.language.wording import listed
from protocol.phases import Phase, Queue
from protocol.study_phases import StudyPhases
from protocol.visibility import Progress, may_see
from services.errors import NotOnTheDesk
from services.installation.tokens import TOKEN_PERIOD, Keys
from services.people.identity import Actor
from services.reading import (
    blinding,
    desk,
    pace,
    practice,
    practice_words,
    releasing,
    revision_rules,
    session_summary,
    shown_items,
)
from services.reading.blinding import Desk, Shown, hanging
from services.reading.payloads import (
    AheadPayload,
    AnyItemPayload,
    DraftPayload,
    Line,
    Payload,
    PracticePayload,
    ScoringPayload,
    TurnPayload,
)
from services.studies import frozen_facts

_HALF_DONE = "Thank you. Every verdict is saved, and the next part is open to you now."


def keys_of(study: Study, actor: Actor) -> Keys:
    """Return the source of this login session's derived names in this study, for the current hour."""
    hours = (now() - actor.signed_in_at) // TOKEN_PERIOD if actor.signed_in_at is not None else 0
    return Keys(study.salt, actor.login_session_id, hours)


def notice_of(study: Study, phases: StudyPhases) -> str | None:
    """Return the line above every image of the study."""
    parts = [phases.notice, "Simulated readers." if study.simulated_readers else ""]
    return _side_by_side(*parts)


def _side_by_side(*notices: str | None) -> str | None:
    """Join notices into one line with a separator, because an author's notice need not end in a full stop."""
    return " · ".join(filter(None, notices)) or None


def queue_payload(session: Session, actor: Actor, study: Study, membership: Membership, queue: Queue) -> Payload:
    """Return the payload of the first open assignment, or a thank-you if there is none."""
    membership_id = stored_id(membership.id)
    phases = frozen_facts.phases_of_member(session, membership)
    waiting = desk.waiting_for(session, phases, membership_id, queue, limit=3)
    progress = desk.shown_progress_of(session, phases, membership_id, queue)
    if not waiting:
        practised_in_vain = practice.has_failed(session, phases.training_for(queue), membership_id)
        next_part = None if practised_in_vain else pace.next_part(session, study, membership, queue)
        half_done = next_part is not None and queue.role == "rater"
        is_practice = all(phase.trains for phase in phases.in_queue(queue))
        ended = practice_words.end_in_words(session, phases, queue, membership_id) if is_practice else ""
        thanks = (queue.finished, ended + (_HALF_DONE if half_done else queue.thanks))
        if cut_off := desk.count_cut_off(session, phases, membership_id, queue):
            thanks = _cut_off_in_words(queue, half_done=half_done)
            progress = (progress[0] - cut_off, progress[1] - cut_off)
        return blinding.done_payload(
            *(_closed_in_words(session, phases, queue, membership_id) if practised_in_vain else thanks),
            progress,
            queries.last_assignment(session, membership_id, phases.in_queue(queue)),
            session_summary.own_counts_and_times(session, actor, membership, queue),
            None
            if phases.revision_in(queue) == "never"
            else revision_rules.count_revisable(session, actor, phases, membership, queue),
            next_part,
            phases.revision_in(queue),
        )
    first = phases.named(waiting[0].phase)
    if first.done_by == "decision":
        _require_own_read(session, first, waiting[0])
    return assignment_payload(session, actor, study, waiting, progress)


def _cut_off_in_words(queue: Queue, *, half_done: bool) -> tuple[str, str]:
    """Return what somebody is told whose part an admin closed before they had answered all of it."""
    more = "the next part is open to you now" if half_done else "nothing more is needed in it"
    return (
        f"Closed: {queue.title}",
        f"This part was closed before you had answered all of it. What you submitted is saved, and {more}.",
    )


def _closed_in_words(session: Session, phases: StudyPhases, queue: Queue, membership_id: int) -> tuple[str, str]:
    """Return what somebody is told whose attempts at a practice are used up: which parts stay closed to them."""
    training = phases.training_for(queue)
    parts = () if training is None else desk.closed_by_failing(session, phases, training, membership_id)
    closed = [f"“{part.title}”" for part in parts]
    consequence = f", so {listed(closed)} {'stays' if len(closed) == 1 else 'stay'} closed for you" if closed else ""
    right = practice_words.end_in_words(session, phases, queue, membership_id)
    return (
        practice.FAILED,
        f"All attempts are used up{consequence}. {right}The study's admin can see this; ask how to continue.",
    )


def _require_own_read(session: Session, phase: Phase, opinions: Assignment) -> None:
    """Refuse to show others' opinions before the own read; normally the order of the queue prevents this."""
    own = queries.root_verdict(session, queries.review_task_of(session, opinions).review_assignment_id)
    if not may_see(phase.role, phase, "opinions", Progress(on_the_desk=True, answered=own is not None)):
        raise NotOnTheDesk("Read this item yourself first; then the opinions are shown.")


def assignment_payload(
    session: Session, actor: Actor, study: Study, waiting: list[Assignment], progress: tuple[int, int]
) -> AnyItemPayload:
    """Return the payload of the first of `waiting`; images of the next one may be prefetched."""
    return _payload_of(session, actor, study, waiting, progress, once_open=False)


def payload_once_open(
    session: Session, actor: Actor, study: Study, waiting: list[Assignment], progress: tuple[int, int]
) -> AnyItemPayload:
    """Return the payload as it will be once all work blinded to it is done: for the audit only, sent to nobody."""
    return _payload_of(session, actor, study, waiting, progress, once_open=True)


def _payload_of(
    session: Session,
    actor: Actor,
    study: Study,
    waiting: list[Assignment],
    progress: tuple[int, int],
    *,
    once_open: bool,
) -> AnyItemPayload:
    assignment = waiting[0]
    phases = _phases_of(session, assignment)
    phase = phases.named(assignment.phase)
    keys = keys_of(study, actor)
    place = Desk(
        phase=phase.screen,
        heading=phase.heading,
        assignment_public_id=assignment.public_id,
        key=keys.idempotency_key(assignment.public_id),
        progress=progress,
        draft=_draft_of(session, assignment),
        notice=notice_of(study, phases),
        in_parts=in_parts(phases, phase.queue),
    )
    place = replace(
        place,
        practice=_practice_progress(phases, phase, progress),
        notice=_side_by_side(place.notice, practice_words.notice_of_pass(phases, assignment)),
        ahead=_ahead(session, phases, assignment, progress),
        own=releasing.own_answer(session, phases, assignment, once_open=once_open),
    )
    if not phases.rules_of(phase).shows_volumes:
        return _words_payload(session, actor, phases, assignment, place, once_open=once_open)
    shown = _shown(session, phases, assignment, once_open=once_open)
    place = replace(
        place,
        turns=_turns(session, phases, assignment, shown.item) if phase.kind == "items" else (),
        revisable=_revisable(session, actor, phases, assignment),
        revision_rule=phases.revision_in(phase.queue),
    )
    rules = phases.rules_of(phase)
    prefetch = _prefetch(session, phases, assignment, shown, desk.within_reach(session, waiting)[1:])
    if rules.shows_judged:
        reference, candidate = releasing.judged(session, phases, assignment, shown.item, once_open=once_open)
        sides = releasing.sides(session, phases, assignment, once_open=once_open)
        opinions = releasing.opinions(session, phases, assignment, shown.item, once_open=once_open)
        return blinding.judged_payload(
            desk=place,
            shown=shown,
            rules=rules,
            text=phases.text,
            keys=keys,
            prefetch=prefetch,
            reference=reference,
            candidate=candidate,
            sides=sides,
            opinions=opinions,
        )
    payload = blinding.item_payload(
        desk=place, shown=shown, rules=rules, text=phases.text, keys=keys, prefetch=prefetch
    )
    if phase.done_by == "decision":
        return blinding.with_opinions(payload, *_opinions(session, phases, assignment, shown.item))
    beside = releasing.opinions(session, phases, assignment, shown.item, once_open=once_open)
    return payload if beside is None else blinding.with_opinions(payload, place.own or [], beside)


def revision_payload(
    session: Session, actor: Actor, study: Study, assignment: Assignment, verdict: Verdict
) -> AnyItemPayload:
    """Return the payload of an item whose verdict is being revised; nothing is prefetched."""
    phases = _phases_of(session, assignment)
    phase = phases.named(assignment.phase)
    keys = keys_of(study, actor)
    place = Desk(
        phase=phase.screen,
        heading=phase.heading,
        assignment_public_id=assignment.public_id,
        key=keys.revision_key(assignment.public_id, verdict.receipt),
        progress=desk.shown_progress_of(session, phases, assignment.membership_id, phase.queue),
        draft=_draft_of(session, assignment),
        notice=notice_of(study, phases),
        revision=blinding.revision_payload(verdict.receipt, verdict.submitted_at),
        in_parts=in_parts(phases, phase.queue),
    )
    rules = phases.rules_of(phase)
    if not rules.shows_volumes:
        return _words_payload(session, actor, phases, assignment, place)
    shown = _shown(session, phases, assignment)
    place = replace(
        place,
        turns=_turns(session, phases, assignment, shown.item),
        revisable=_revisable(session, actor, phases, assignment),
        revision_rule=phases.revision_in(phase.queue),
    )
    return blinding.item_payload(desk=place, shown=shown, rules=rules, text=phases.text, keys=keys, prefetch=[])


def _shown(session: Session, phases: StudyPhases, assignment: Assignment, *, once_open: bool = False) -> Shown:
    return replace(
        shown_items.shown_of(session, phases, assignment),
        attributes=releasing.attributes(session, phases, assignment, once_open=once_open),
        explanation=releasing.explanation(session, phases, assignment, once_open=once_open),
    )


def _phases_of(session: Session, assignment: Assignment) -> StudyPhases:
    return frozen_facts.phases_of_member(session, session.get_one(Membership, assignment.membership_id))


def in_parts(phases: StudyPhases, queue: Queue) -> bool:
    """Return whether a queue is one of several for people of its role."""
    return any(other != queue and other.role == queue.role for other in phases.queues)


def _practice_progress(phases: StudyPhases, phase: Phase, progress: tuple[int, int]) -> PracticePayload | None:
    rule = phases.rules_of(phase).practice
    return None if rule is None else blinding.practice_payload(progress, rule.pass_mark)


def _ahead(
    session: Session, phases: StudyPhases, assignment: Assignment, progress: tuple[int, int]
) -> AheadPayload | None:
    """Return what begins with this item if it is the first: another practice attempt, or the items after practice."""
    phase = phases.named(assignment.phase)
    done, total = progress
    if done:
        return None
    if phase.trains:
        return practice_words.next_attempt(session, phases, assignment, total)
    if phases.training_for(phase.queue) is None:
        return None
    return pace.first_items(session, phases, assignment.membership_id, phase.queue, total)


def _revisable(session: Session, actor: Actor, phases: StudyPhases, assignment: Assignment) -> int | None:
    phase = phases.named(assignment.phase)
    if phases.revision_in(phase.queue) == "never":
        return None
    if phase not in phases.revisable:
        return 0
    membership = session.get_one(Membership, assignment.membership_id)
    return revision_rules.count_revisable(session, actor, phases, membership, phase.queue)


def _turns(session: Session, phases: StudyPhases, assignment: Assignment, item: ShownItem) -> tuple[TurnPayload, ...]:
    """Return the earlier turns of an item's conversation, with the member's own answers, oldest first."""
    phase = phases.named(assignment.phase)
    if phase.done_by == "decision":
        # A decision on a turn is not a read of it.
        phase = phases.in_queue(phase.queue)[0]
    phase = phases.named(phase.listed_as)
    before, rules = frozen_facts.turns_before(session, assignment.study_id, item), phases.rules_of(phase)
    turns = []
    for turn in queries.earlier_turns(session, assignment, before, phase):
        lines = []
        if turn.assignment is not None and turn.verdict is not None:
            earlier = shown_items.item_of(session, turn.assignment)
            lines = shown_items.lines_of(
                session, assignment.study_id, phases, phase, earlier, turn.assignment.option_order, turn.verdict
            )
        turns.append(blinding.turn_payload(blinding.prompt_of_turn(rules, turn.prompt), lines))
    return tuple(turns)


def _prefetch(
    session: Session, phases: StudyPhases, assignment: Assignment, shown: Shown, following: list[Assignment]
) -> list[int]:
    """Return the next assignment's volumes that this one does not show itself; never an overlay."""
    rules = phases.rules_of(phases.named(assignment.phase))
    showing = set(hanging.volumes_of(shown.item, shown.volumes, rules.hanging))
    return [
        volume
        for after in following
        for volume in shown_items.shown_files_of(session, phases, after)[0]
        if volume not in showing
    ]


def _draft_of(session: Session, assignment: Assignment) -> DraftPayload:
    draft = session.connection().execute(standing.DRAFT, {"assignment": assignment.id}).first()
    return blinding.draft_payload(draft.sequence, draft.answers) if draft else blinding.draft_payload(0, {})


def _words_payload(
    session: Session,
    actor: Actor,
    phases: StudyPhases,
    assignment: Assignment,
    place: Desk,
    *,
    once_open: bool = False,
) -> ScoringPayload:
    """Return the payload of a candidate, or of an item without scans."""
    phase = phases.named(assignment.phase)
    item = shown_items.item_of(session, assignment)
    if phase.kind == "items":
        place = replace(place, turns=_turns(session, phases, assignment, item))
    place = replace(
        place,
        revisable=_revisable(session, actor, phases, assignment),
        revision_rule=phases.revision_in(phase.queue),
    )
    reference, candidate = releasing.judged(session, phases, assignment, item, once_open=once_open)
    return blinding.words_payload(
        desk=place,
        rules=phases.rules_of(phase),
        text=phases.text,
        item=item,
        form=shown_items.form_of(session, phases, assignment),
        attributes=releasing.attributes(session, phases, assignment, once_open=once_open),
        explanation=releasing.explanation(session, phases, assignment, once_open=once_open),
        reference=reference,
        candidate=candidate,
        sides=releasing.sides(session, phases, assignment, once_open=once_open),
        opinions=releasing.opinions(session, phases, assignment, item, once_open=once_open),
    )


def _opinions(
    session: Session, phases: StudyPhases, assignment: Assignment, item: ShownItem
) -> tuple[list[Line], list[list[Line]]]:
    """Return the reviewer's own first read as text, and the raters' opinions in the order stored for this item."""
    task = queries.review_task_of(session, assignment)
    own = queries.root_verdict(session, task.review_assignment_id)
    verdicts = {
        stored_id(verdict.id): verdict
        for verdict in session.exec(select(Verdict).where(col(Verdict.id).in_(task.opinion_order)))
    }

    read = phases.in_queue(phases.named(assignment.phase).queue)[0]

    def lines(verdict: Verdict) -> list[Line]:
        return shown_items.lines_of(session, assignment.study_id, phases, read, item, assignment.option_order, verdict)

    return lines(own) if own is not None else [], [lines(verdicts[verdict_id]) for verdict_id in task.opinion_order]
