"""Load what an assignment shows and hand it to `services.reading.blinding`, which decides what of it gets through."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlmodel import Session, col, select

from db import Assignment, Draft, Item, Membership, Reference, Study, Verdict, now, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol import fields
from protocol.fields import KINDS
from protocol.study import Protocol
from services.errors import Conflict, NotFound
from services.installation.tokens import TOKEN_PERIOD, Keys
from services.people.identity import Actor
from services.people.permission import turn_of
from services.reading import blinding, hanging, pace, practice, revision_rules, session_summary
from services.reading.answer_key import options_of
from services.reading.answers import ShownForm
from services.reading.blinding import Desk, Shown
from services.studies import frozen_facts

# Phases that are worked through together, in the order of their positions.
QUEUES: dict[str, tuple[str, ...]] = {
    "reading": ("reading",),
    "scoring": ("scoring",),
    "review": ("review", "opinions"),
}
ROLE_OF_QUEUE = {"reading": "rater", "scoring": "rater", "review": "reviewer"}
# Practice stands at the door of the reading queue.
QUEUE_OF_PHASE = {"practice": "reading"} | {phase: queue for queue, phases in QUEUES.items() for phase in phases}

_THANKS = {
    "reading": ("All items are read", "Thank you. Every verdict is saved; you may close this page."),
    "scoring": ("All answers are marked", "Thank you. Every verdict is saved; you may close this page."),
    "review": (
        "Your queue is empty for now",
        "Thank you. Every decision is saved. While the study is open, further items may come to your worklist.",
    ),
}
_HALF_DONE = ("All items are read", "Thank you. Every verdict is saved, and the next part is open to you now.")


def role_of_queue(queue: str) -> str:
    """Return whose queue it is; the name comes from an address that anybody may edit."""
    if queue not in ROLE_OF_QUEUE:
        raise NotFound("There is no such list of items; go on from your worklist.")
    return ROLE_OF_QUEUE[queue]


def keys_of(study: Study, actor: Actor) -> Keys:
    """Return what derives this login session's names in this study, at this hour."""
    hours = (now() - actor.signed_in_at) // TOKEN_PERIOD if actor.signed_in_at is not None else 0
    return Keys(study.salt, actor.login_session_id, hours)


def notice_of(study: Study, protocol: Protocol) -> str | None:
    """Return the line that stands over every picture of the study."""
    parts = [protocol.notice or "", "Simulated readers." if study.simulated_readers else ""]
    return " ".join(part for part in parts if part) or None


def form_of(session: Session, protocol: Protocol, assignment: Assignment) -> ShownForm:
    """Return the form that an assignment shows, and that its answers are checked against."""
    if assignment.phase == "scoring":
        return blinding.scoring_form(protocol)
    return _form_with(protocol, assignment, item_of(session, assignment))


def item_of(session: Session, assignment: Assignment) -> ShownItem:
    """Return what of an assignment's item may be shown."""
    return frozen_facts.item_of(session, assignment.study_id, assignment.item_id)


def _form_with(protocol: Protocol, assignment: Assignment, item: ShownItem) -> ShownForm:
    make = {
        "practice": blinding.reading_form,
        "reading": blinding.reading_form,
        "review": blinding.review_form,
        "opinions": blinding.opinions_form,
    }[assignment.phase]
    return make(protocol, item, assignment.option_order)


def waiting_for(
    session: Session, protocol: Protocol, membership_id: int, queue: str, *, limit: int | None = None
) -> list[Assignment]:
    """Return what a member may work on in a queue, in order: the real items only when the practice is passed."""
    phases = QUEUES[queue]
    if queue == "reading" and protocol.reading.practice is not None:
        # Who has failed for good has no practice waiting either.
        phases = phases if practice.has_passed(session, membership_id) else ("practice",)
    return queries.open_assignments(session, membership_id, phases, limit=limit)


def is_on_the_desk(session: Session, protocol: Protocol, assignment: Assignment) -> bool:
    """Say whether an assignment, read by `own_assignment`, is the first that its member may work on in its queue."""
    if not turn_of(session, assignment).has_come:
        return False
    if assignment.phase not in ("practice", "reading") or protocol.reading.practice is None:
        return True
    return practice.has_passed(session, assignment.membership_id) == (assignment.phase == "reading")


def within_reach(session: Session, waiting: list[Assignment]) -> list[Assignment]:
    """Return the assignments whose scans may be fetched: the first of `waiting`, and the one after it.

    A later turn of the same conversation stays out: what it adds is withheld until the turn before it is answered.
    """
    if len(waiting) < 2:
        return waiting
    first, second = waiting[:2]
    conversation = item_of(session, first).conversation
    continues = conversation is not None and conversation == item_of(session, second).conversation
    return [first] if continues and first.item_id != second.item_id else [first, second]


def queue_payload(session: Session, actor: Actor, study: Study, membership: Membership, queue: str) -> dict[str, Any]:
    """Return the payload of the first assignment that is not closed, or thanks when there is none."""
    membership_id = stored_id(membership.id)
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    waiting = waiting_for(session, protocol, membership_id, queue, limit=3)
    progress = progress_of(session, membership_id, queue, protocol)
    if not waiting:
        practised_in_vain = queue == "reading" and practice.has_failed(session, protocol, membership_id)
        next_part = None if practised_in_vain else pace.next_part(session, study, membership, queue)
        thanks = _HALF_DONE if next_part and queue == "reading" else _THANKS[queue]
        return blinding.done_payload(
            *(practice.FAILED if practised_in_vain else thanks),
            progress,
            queries.last_assignment(session, membership_id, QUEUES[queue]),
            session_summary.own_counts_and_times(session, actor, membership),
            revision_rules.count_revisable(session, actor, protocol, membership) if queue == "reading" else 0,
            next_part,
        )
    return assignment_payload(session, actor, study, waiting, progress)


def progress_of(session: Session, membership_id: int, queue: str, protocol: Protocol | None = None) -> tuple[int, int]:
    """Return how many items of a queue are closed and how many there are; a review and its decision count once.

    With `protocol`, the count is the one that the member may see: while they practise, that of the practice.
    """
    practises = queue == "reading" and protocol is not None and protocol.reading.practice is not None
    if practises and not practice.has_passed(session, membership_id):
        return practice.progress_of_pass(session, membership_id)
    return queries.count_assignments(session, membership_id, QUEUES[queue][-1:])


def assignment_payload(
    session: Session, actor: Actor, study: Study, waiting: list[Assignment], progress: tuple[int, int]
) -> dict[str, Any]:
    """Return the payload of the first of `waiting`; the pictures of the one after it may be fetched ahead."""
    assignment = waiting[0]
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    keys = keys_of(study, actor)
    desk = Desk(
        phase=assignment.phase,
        assignment_public_id=assignment.public_id,
        key=keys.idempotency_key(assignment.public_id),
        progress=progress,
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
    )
    if assignment.phase == "scoring":
        return _scoring_payload(session, protocol, assignment, desk)
    shown = _shown(session, protocol, assignment)
    desk = replace(
        desk,
        turns=_turns(session, protocol, assignment, shown.item),
        practice=_practice_progress(protocol, progress) if assignment.phase == "practice" else None,
        notice=" ".join(filter(None, (desk.notice, practice.notice_of_pass(assignment)))) or None,
        revisable=_revisable(session, actor, protocol, assignment),
        ahead=_ahead(session, protocol, assignment, progress),
    )
    payload = blinding.item_payload(
        desk=desk,
        shown=shown,
        protocol=protocol,
        keys=keys,
        prefetch=_prefetch(session, protocol, shown, within_reach(session, waiting)[1:]),
    )
    if assignment.phase == "opinions":
        return blinding.with_opinions(payload, *_opinions(session, protocol, assignment, shown.item))
    return payload


def revision_payload(
    session: Session, actor: Actor, study: Study, assignment: Assignment, verdict: Verdict
) -> dict[str, Any]:
    """Return the payload of an item whose verdict is being revised; nothing is fetched ahead beside it."""
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    keys = keys_of(study, actor)
    shown = _shown(session, protocol, assignment)
    desk = Desk(
        phase=assignment.phase,
        assignment_public_id=assignment.public_id,
        key=keys.revision_key(assignment.public_id, verdict.receipt),
        progress=progress_of(session, assignment.membership_id, "reading", protocol),
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
        turns=_turns(session, protocol, assignment, shown.item),
        revision=blinding.revision_payload(verdict.receipt, verdict.submitted_at),
        revisable=_revisable(session, actor, protocol, assignment),
    )
    return blinding.item_payload(desk=desk, shown=shown, protocol=protocol, keys=keys, prefetch=[])


def lines_of(protocol: Protocol, item: ShownItem, option_order: list[str], verdict: Verdict) -> list[list[str]]:
    """Return a verdict as label and text, in the words of its form."""
    form = blinding.reading_form(protocol, item, option_order)
    return blinding.opinion_lines(form, verdict.fields, verdict.not_assessable, verdict.comment)


def _practice_progress(protocol: Protocol, progress: tuple[int, int]) -> dict[str, Any]:
    rule = protocol.reading.practice
    return blinding.practice_payload(progress, rule.pass_mark if rule is not None else 0.0)


def _ahead(
    session: Session, protocol: Protocol, assignment: Assignment, progress: tuple[int, int]
) -> dict[str, Any] | None:
    """Return what begins with the first item behind the practice."""
    done, total = progress
    if protocol.reading.practice is None or assignment.phase != "reading" or done:
        return None
    return pace.first_items(session, assignment.membership_id, total)


def _revisable(session: Session, actor: Actor, protocol: Protocol, assignment: Assignment) -> int:
    if assignment.phase != "reading" or protocol.reading.revision == "never":
        return 0
    membership = session.get_one(Membership, assignment.membership_id)
    return revision_rules.count_revisable(session, actor, protocol, membership)


def _turns(session: Session, protocol: Protocol, assignment: Assignment, item: ShownItem) -> tuple[dict[str, Any], ...]:
    """Return the earlier turns of an item's conversation with the member's own answers, oldest first."""
    phase = "review" if assignment.phase == "opinions" else assignment.phase
    before = frozen_facts.turns_before(session, assignment.study_id, item)
    turns = []
    for turn in queries.earlier_turns(session, assignment, before, phase):
        lines = []
        if turn.assignment is not None and turn.verdict is not None:
            earlier = item_of(session, turn.assignment)
            lines = lines_of(protocol, earlier, turn.assignment.option_order, turn.verdict)
        turns.append(blinding.turn_payload(turn.prompt, lines))
    return tuple(turns)


def preview_payload(session: Session, actor: Actor, study: Study, item: Item) -> dict[str, Any]:
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
    desk = Desk(
        phase="preview",
        assignment_public_id=public_id,
        key=keys.idempotency_key(public_id),
        progress=(0, 1),
        draft=blinding.draft_payload(0, {}),
        notice=notice_of(study, protocol),
        turns=tuple(blinding.turn_payload(prompt, []) for _, prompt in queries.turns_before(session, shown_item)),
    )
    return blinding.item_payload(desk=desk, shown=shown, protocol=protocol, keys=keys, prefetch=[])


def scans_of(session: Session, protocol: Protocol, assignment: Assignment) -> tuple[list[int], list[int]]:
    """Return the ids of the volumes and of the overlays that an assignment shows."""
    if assignment.phase == "scoring":
        return [], []
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    return (
        hanging.volumes_of(item, case.volumes, protocol.hanging),
        hanging.overlays_of(item, case.overlays, protocol.hanging),
    )


def file_of(session: Session, assignment: Assignment, kind: str, scan_id: int) -> str:
    """Return the SHA-256 of the file of a volume or an overlay that an assignment shows."""
    item = item_of(session, assignment)
    return frozen_facts.case_of(session, assignment.study_id, item.case_id).files[kind, scan_id]


def require_marking_open(session: Session, study: Study, membership: Membership) -> None:
    """Refuse the scoring phase while the rater reads blind, or could still change what they read: it shows references.

    Where verdicts may be revised, that ends when the rater acknowledges the instructions of marking.
    """
    require_reads_closed(session, stored_id(membership.id))
    protocol = frozen_facts.protocol_of(session, stored_id(study.id))
    if protocol.reading.revision != "never" and not revision_rules.has_begun_marking(session, stored_id(membership.id)):
        raise Conflict("Read the instructions of this part first; from then on your verdicts stay as they are.")


def require_reads_closed(session: Session, membership_id: int) -> None:
    """Refuse what may come only after the last blind read."""
    if queries.open_assignments(session, membership_id, ("reading",), limit=1):
        raise Conflict("Marking answers opens when all your items are read.")


def _shown(session: Session, protocol: Protocol, assignment: Assignment) -> Shown:
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    overlays = case.overlays if item.overlays else []
    return Shown(item, case.volumes, overlays, _form_with(protocol, assignment, item))


def _prefetch(session: Session, protocol: Protocol, shown: Shown, following: list[Assignment]) -> list[int]:
    """Return the volumes of the assignment after this one that this one does not show itself; never an overlay."""
    showing = set(hanging.volumes_of(shown.item, shown.volumes, protocol.hanging))
    return [volume for after in following for volume in scans_of(session, protocol, after)[0] if volume not in showing]


def _draft_of(session: Session, assignment: Assignment) -> dict[str, Any]:
    draft = session.get(Draft, assignment.id)
    return blinding.draft_payload(draft.sequence, draft.answers) if draft else blinding.draft_payload(0, {})


def _scoring_payload(session: Session, protocol: Protocol, assignment: Assignment, desk: Desk) -> dict[str, Any]:
    if protocol.scoring is None or assignment.candidate_id is None:
        raise Conflict("This study has no answers to mark.")
    require_reads_closed(session, assignment.membership_id)
    item = item_of(session, assignment)
    reference = queries.reference_for_forms_that_show_it(session, assignment.item_id)
    return blinding.scoring_payload(
        desk=desk,
        protocol=protocol,
        prompt=protocol.scoring.prompt,
        question=item.prompt,
        form=form_of(session, protocol, assignment),
        reference=reference_texts(protocol, item, reference),
        candidate=queries.candidate_answer(session, assignment.candidate_id),
    )


def reference_texts(protocol: Protocol, item: ShownItem, reference: Reference) -> list[str]:
    """Return what counts as right, in words, one entry for each way of being right."""
    form = protocol.forms[item.form]
    counts_as_right = fields.kind.Reference(tuple(reference.accepted), reference.low, reference.high)
    return KINDS[form.primary.type].reference_in_words(counts_as_right, dict(options_of(item, form)))


def _opinions(
    session: Session, protocol: Protocol, assignment: Assignment, item: ShownItem
) -> tuple[list[list[str]], list[list[list[str]]]]:
    """Return in words the reviewer's own first read, and the raters' opinions in the order stored for this item."""
    task = queries.review_task_of(session, assignment)
    own = queries.root_verdict(session, task.review_assignment_id)
    verdicts = {
        stored_id(verdict.id): verdict
        for verdict in session.exec(select(Verdict).where(col(Verdict.id).in_(task.opinion_order)))
    }

    def lines(verdict: Verdict) -> list[list[str]]:
        return lines_of(protocol, item, assignment.option_order, verdict)

    return lines(own) if own is not None else [], [lines(verdicts[one]) for one in task.opinion_order]
