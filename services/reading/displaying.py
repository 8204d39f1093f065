"""Load what an assignment shows and hand it to `services.reading.blinding`, which decides what of it gets through."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from sqlmodel import Session, col, select

from db import Assignment, Draft, Item, Membership, Study, Verdict, now, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol.phases import OPINIONS, PHASES, PRACTICE, READING, REVIEW, Queue, is_revisable, phases_of
from protocol.study import Protocol
from protocol.visibility import Progress, may_see
from services.errors import Conflict, NotOnTheDesk
from services.installation.tokens import TOKEN_PERIOD, Keys
from services.people.identity import Actor
from services.reading import blinding, desk, hanging, pace, practice, revision_rules, session_summary, shown_items
from services.reading.blinding import Desk, Shown
from services.reading.payloads import (
    AnyItemPayload,
    DraftPayload,
    ItemPayload,
    Line,
    NextPayload,
    Payload,
    PracticePayload,
    ScoringPayload,
    TurnPayload,
)
from services.reading.payloads import Phase as PhaseKey
from services.studies import frozen_facts

_HALF_DONE = "Thank you. Every verdict is saved, and the next part is open to you now."


def keys_of(study: Study, actor: Actor) -> Keys:
    """Return what derives this login session's names in this study, at this hour."""
    hours = (now() - actor.signed_in_at) // TOKEN_PERIOD if actor.signed_in_at is not None else 0
    return Keys(study.salt, actor.login_session_id, hours)


def notice_of(study: Study, protocol: Protocol) -> str | None:
    """Return the line that stands over every image of the study."""
    parts = [protocol.notice or "", "Simulated readers." if study.simulated_readers else ""]
    return " ".join(part for part in parts if part) or None


def queue_payload(session: Session, actor: Actor, study: Study, membership: Membership, queue: Queue) -> Payload:
    """Return the payload of the first assignment that is not closed, or thanks when there is none."""
    membership_id = stored_id(membership.id)
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    waiting = desk.waiting_for(session, protocol, membership_id, queue, limit=3)
    progress = desk.progress_of(session, membership_id, queue, protocol)
    if not waiting:
        practised_in_vain = queue == PRACTICE.queue and practice.has_failed(session, protocol, membership_id)
        next_part = None if practised_in_vain else pace.next_part(session, study, membership, queue)
        half_done = next_part is not None and queue == READING.queue
        thanks = (queue.finished, _HALF_DONE if half_done else queue.thanks)
        return blinding.done_payload(
            *(practice.FAILED if practised_in_vain else thanks),
            progress,
            queries.last_assignment(session, membership_id, phases_of(queue)),
            session_summary.own_counts_and_times(session, actor, membership, queue),
            revision_rules.count_revisable(session, actor, protocol, membership) if is_revisable(queue) else None,
            next_part,
        )
    if waiting[0].phase == OPINIONS.key:
        _require_own_read(session, waiting[0])
    return assignment_payload(session, actor, study, waiting, progress)


def _require_own_read(session: Session, opinions: Assignment) -> None:
    """Refuse to show others' opinions before the own read; the order of the queue brings them after it."""
    own = queries.root_verdict(session, queries.review_task_of(session, opinions).review_assignment_id)
    if not may_see("reviewer", OPINIONS, "opinions", Progress(on_the_desk=True, answered=own is not None)):
        raise NotOnTheDesk("Read this item yourself first; then the opinions are shown.")


def assignment_payload(
    session: Session, actor: Actor, study: Study, waiting: list[Assignment], progress: tuple[int, int]
) -> AnyItemPayload:
    """Return the payload of the first of `waiting`; the images of the one after it may be fetched ahead."""
    assignment = waiting[0]
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    keys = keys_of(study, actor)
    place = Desk(
        phase=_phase_of(assignment),
        assignment_public_id=assignment.public_id,
        key=keys.idempotency_key(assignment.public_id),
        progress=progress,
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
    )
    phase = PHASES[assignment.phase]
    if phase.kind == "candidates":
        return _scoring_payload(session, protocol, assignment, place)
    shown = shown_items.shown_of(session, protocol, assignment)
    place = replace(
        place,
        turns=_turns(session, protocol, assignment, shown.item),
        practice=_practice_progress(protocol, progress) if phase.trains else None,
        notice=" ".join(filter(None, (place.notice, practice.notice_of_pass(assignment)))) or None,
        revisable=_revisable(session, actor, protocol, assignment),
        ahead=_ahead(session, protocol, assignment, progress),
    )
    payload = blinding.item_payload(
        desk=place,
        shown=shown,
        protocol=protocol,
        keys=keys,
        prefetch=_prefetch(session, protocol, shown, desk.within_reach(session, waiting)[1:]),
    )
    if phase.done_by == "decision":
        return blinding.with_opinions(payload, *_opinions(session, protocol, assignment, shown.item))
    return payload


def revision_payload(
    session: Session, actor: Actor, study: Study, assignment: Assignment, verdict: Verdict
) -> ItemPayload:
    """Return the payload of an item whose verdict is being revised; nothing is fetched ahead beside it."""
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    keys = keys_of(study, actor)
    shown = shown_items.shown_of(session, protocol, assignment)
    place = Desk(
        phase=_phase_of(assignment),
        assignment_public_id=assignment.public_id,
        key=keys.revision_key(assignment.public_id, verdict.receipt),
        progress=desk.progress_of(session, assignment.membership_id, READING.queue, protocol),
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
        turns=_turns(session, protocol, assignment, shown.item),
        revision=blinding.revision_payload(verdict.receipt, verdict.submitted_at),
        revisable=_revisable(session, actor, protocol, assignment),
    )
    return blinding.item_payload(desk=place, shown=shown, protocol=protocol, keys=keys, prefetch=[])


def _phase_of(assignment: Assignment) -> PhaseKey:
    """Return the key of an assignment's phase; nothing is dealt that is not in the table."""
    return cast(PhaseKey, PHASES[assignment.phase].key)


def _practice_progress(protocol: Protocol, progress: tuple[int, int]) -> PracticePayload:
    rule = protocol.reading.practice
    return blinding.practice_payload(progress, rule.pass_mark if rule is not None else 0.0)


def _ahead(
    session: Session, protocol: Protocol, assignment: Assignment, progress: tuple[int, int]
) -> NextPayload | None:
    """Return what begins with the first item behind the practice."""
    done, total = progress
    if protocol.reading.practice is None or assignment.phase != READING.key or done:
        return None
    return pace.first_items(session, assignment.membership_id, total)


def _revisable(session: Session, actor: Actor, protocol: Protocol, assignment: Assignment) -> int | None:
    phase = PHASES[assignment.phase]
    if not is_revisable(phase.queue):
        return None
    if not phase.revisable or protocol.reading.revision == "never":
        return 0
    membership = session.get_one(Membership, assignment.membership_id)
    return revision_rules.count_revisable(session, actor, protocol, membership)


def _turns(session: Session, protocol: Protocol, assignment: Assignment, item: ShownItem) -> tuple[TurnPayload, ...]:
    """Return the earlier turns of an item's conversation with the member's own answers, oldest first."""
    phase = PHASES[assignment.phase]
    # What was decided on a turn is no read of it.
    phase = REVIEW if phase.done_by == "decision" else phase
    before = frozen_facts.turns_before(session, assignment.study_id, item)
    turns = []
    for turn in queries.earlier_turns(session, assignment, before, phase):
        lines = []
        if turn.assignment is not None and turn.verdict is not None:
            earlier = shown_items.item_of(session, turn.assignment)
            lines = shown_items.lines_of(protocol, earlier, turn.assignment.option_order, turn.verdict)
        turns.append(blinding.turn_payload(turn.prompt, lines))
    return tuple(turns)


def preview_payload(session: Session, actor: Actor, study: Study, item: Item) -> ItemPayload:
    """Return an item as a rater will see it, for an admin: from the same builder, and nothing can be submitted."""
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    shown_item = queries.shown_item(session, stored_id(item.id))
    shown = Shown(
        shown_item,
        queries.shown_volumes(session, shown_item.case_id),
        queries.shown_overlays(session, shown_item.case_id) if shown_item.overlays else [],
        blinding.reading_form(protocol, shown_item, []),
    )
    keys = keys_of(study, actor)
    public_id = f"preview-{item.id}"
    place = Desk(
        phase="preview",
        assignment_public_id=public_id,
        key=keys.idempotency_key(public_id),
        progress=(0, 1),
        draft=blinding.draft_payload(0, {}),
        notice=notice_of(study, protocol),
        turns=tuple(blinding.turn_payload(prompt, []) for _, prompt in queries.turns_before(session, shown_item)),
    )
    return blinding.item_payload(desk=place, shown=shown, protocol=protocol, keys=keys, prefetch=[])


def _prefetch(session: Session, protocol: Protocol, shown: Shown, following: list[Assignment]) -> list[int]:
    """Return the volumes of the assignment after this one that this one does not show itself; never an overlay."""
    showing = set(hanging.volumes_of(shown.item, shown.volumes, protocol.hanging))
    return [
        volume
        for after in following
        for volume in shown_items.shown_files_of(session, protocol, after)[0]
        if volume not in showing
    ]


def _draft_of(session: Session, assignment: Assignment) -> DraftPayload:
    draft = session.get(Draft, assignment.id)
    return blinding.draft_payload(draft.sequence, draft.answers) if draft else blinding.draft_payload(0, {})


def _scoring_payload(session: Session, protocol: Protocol, assignment: Assignment, place: Desk) -> ScoringPayload:
    if protocol.scoring is None or assignment.candidate_id is None:
        raise Conflict("This study has no answers to score.")
    desk.require_reads_done(session, assignment.membership_id)
    item = shown_items.item_of(session, assignment)
    reference = queries.reference_for_forms_that_show_it(session, assignment.item_id)
    return blinding.scoring_payload(
        desk=place,
        protocol=protocol,
        prompt=protocol.scoring.prompt,
        question=item.prompt,
        form=shown_items.form_of(session, protocol, assignment),
        reference=shown_items.reference_texts(protocol, item, reference),
        candidate=queries.candidate_answer(session, assignment.candidate_id),
    )


def _opinions(
    session: Session, protocol: Protocol, assignment: Assignment, item: ShownItem
) -> tuple[list[Line], list[list[Line]]]:
    """Return in words the reviewer's own first read, and the raters' opinions in the order stored for this item."""
    task = queries.review_task_of(session, assignment)
    own = queries.root_verdict(session, task.review_assignment_id)
    verdicts = {
        stored_id(verdict.id): verdict
        for verdict in session.exec(select(Verdict).where(col(Verdict.id).in_(task.opinion_order)))
    }

    def lines(verdict: Verdict) -> list[Line]:
        return shown_items.lines_of(protocol, item, assignment.option_order, verdict)

    return lines(own) if own is not None else [], [lines(verdicts[verdict_id]) for verdict_id in task.opinion_order]
