"""Load what an assignment shows and hand it to `services.blinding`, which decides what of it gets through."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from db import Assignment, Draft, Item, Membership, Study, Verdict, queries
from db.base import stored_id
from db.queries import ShownItem
from exchange.protocol import Protocol
from services import blinding
from services.answers import ShownForm
from services.blinding import Keys, Shown
from services.errors import Conflict, NotFound
from services.identity import Actor

# Phases that are worked through together, in the order of their positions.
QUEUES: dict[str, tuple[str, ...]] = {
    "reading": ("reading",),
    "scoring": ("scoring",),
    "review": ("review", "opinions"),
}
ROLE_OF_QUEUE = {"reading": "rater", "scoring": "rater", "review": "reviewer"}
QUEUE_OF_PHASE = {phase: queue for queue, phases in QUEUES.items() for phase in phases}
_OPINION_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_THANKS = {
    "reading": ("All items are read", "Thank you. Every verdict is saved; you may close this page."),
    "scoring": ("All answers are marked", "Thank you. Every verdict is saved; you may close this page."),
    "review": ("Your queue is empty", "Thank you. Every decision is saved; you may close this page."),
}


def role_of_queue(queue: str) -> str:
    """Return whose queue it is; the name comes from an address that anybody may edit."""
    if queue not in ROLE_OF_QUEUE:
        raise NotFound("There is no such list of items; go on from your worklist.")
    return ROLE_OF_QUEUE[queue]


def protocol_of(session: Session, study_id: int) -> Protocol:
    """Return a study's protocol."""
    return Protocol.model_validate_json(queries.protocol_json(session, study_id))


def keys_of(study: Study, actor: Actor) -> Keys:
    """Return what derives this login session's names in this study."""
    return Keys(study.salt, actor.login_session_id)


def notice_of(study: Study, protocol: Protocol) -> str | None:
    """Return the line that stands over every picture of the study."""
    parts = [protocol.notice or "", "Simulated readers." if study.simulated_readers else ""]
    return " ".join(part for part in parts if part) or None


def form_of(session: Session, protocol: Protocol, assignment: Assignment) -> ShownForm:
    """Return the form that an assignment shows, and that its answers are checked against."""
    if assignment.phase == "scoring":
        return blinding.scoring_form(protocol)
    return _form_with(protocol, assignment, queries.shown_item(session, assignment.item_id))


def _form_with(protocol: Protocol, assignment: Assignment, item: ShownItem) -> ShownForm:
    make = {
        "reading": blinding.reading_form,
        "review": blinding.review_form,
        "opinions": blinding.opinions_form,
    }[assignment.phase]
    return make(protocol, item, assignment.option_order)


def queue_payload(session: Session, actor: Actor, study: Study, membership: Membership, queue: str) -> dict[str, Any]:
    """Return the payload of the first assignment that is not closed, or thanks when there is none."""
    waiting = queries.open_assignments(session, stored_id(membership.id), QUEUES[queue], limit=3)
    progress = progress_of(session, stored_id(membership.id), queue)
    if not waiting:
        return blinding.done_payload(*_THANKS[queue], progress)
    return assignment_payload(session, actor, study, waiting, progress)


def progress_of(session: Session, membership_id: int, queue: str) -> tuple[int, int]:
    """Return how many items of a queue are closed and how many there are; a review and its decision count once."""
    return queries.count_assignments(session, membership_id, QUEUES[queue][-1:])


def assignment_payload(
    session: Session, actor: Actor, study: Study, waiting: list[Assignment], progress: tuple[int, int]
) -> dict[str, Any]:
    """Return the payload of the first of `waiting`; the pictures of the one after it may be fetched ahead."""
    assignment = waiting[0]
    protocol = protocol_of(session, stored_id(study.id))
    if assignment.phase == "scoring":
        return _scoring_payload(session, actor, study, protocol, assignment, progress)
    keys = keys_of(study, actor)
    shown = _shown(session, protocol, assignment)
    payload = blinding.item_payload(
        phase=assignment.phase,
        shown=shown,
        protocol=protocol,
        keys=keys,
        assignment_public_id=assignment.public_id,
        progress=progress,
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
        prefetch=_prefetch(session, protocol, shown, waiting[1:]),
    )
    if assignment.phase == "opinions":
        payload |= _opinions(session, protocol, assignment)
    return payload


def preview_payload(session: Session, actor: Actor, study: Study, item: Item) -> dict[str, Any]:
    """Return an item as a rater will see it, for an admin: from the same builder, and nothing can be submitted."""
    protocol = protocol_of(session, stored_id(study.id))
    shown_item = queries.shown_item(session, stored_id(item.id))
    shown = Shown(
        shown_item,
        queries.shown_volumes(session, shown_item.case_id),
        blinding.reading_form(protocol, shown_item, []),
    )
    return blinding.item_payload(
        phase="preview",
        shown=shown,
        protocol=protocol,
        keys=keys_of(study, actor),
        assignment_public_id=f"preview-{item.id}",
        progress=(0, 1),
        draft={"sequence": 0, "answers": {}},
        notice=notice_of(study, protocol),
        prefetch=[],
    )


def volume_ids_of(session: Session, protocol: Protocol, assignment: Assignment) -> list[int]:
    """Return the ids of the volumes that an assignment shows."""
    if assignment.phase == "scoring":
        return []
    return blinding.volumes_of(_shown(session, protocol, assignment), protocol.hanging)


def require_reads_closed(session: Session, membership_id: int) -> None:
    """Refuse the scoring phase while the rater has still to read anything blind: it shows references."""
    if queries.open_assignments(session, membership_id, ("reading",), limit=1):
        raise Conflict("Marking answers opens when all your items are read.")


def _shown(session: Session, protocol: Protocol, assignment: Assignment) -> Shown:
    item = queries.shown_item(session, assignment.item_id)
    return Shown(item, queries.shown_volumes(session, item.case_id), _form_with(protocol, assignment, item))


def _prefetch(session: Session, protocol: Protocol, shown: Shown, following: list[Assignment]) -> list[int]:
    """Return the volumes of the assignment after this one that this one does not show itself."""
    showing = set(blinding.volumes_of(shown, protocol.hanging))
    return [
        volume for after in following[:1] for volume in volume_ids_of(session, protocol, after) if volume not in showing
    ]


def _draft_of(session: Session, assignment: Assignment) -> dict[str, Any]:
    draft = session.get(Draft, assignment.id)
    return {"sequence": draft.sequence if draft else 0, "answers": draft.answers if draft else {}}


def _scoring_payload(
    session: Session,
    actor: Actor,
    study: Study,
    protocol: Protocol,
    assignment: Assignment,
    progress: tuple[int, int],
) -> dict[str, Any]:
    if protocol.scoring is None or assignment.candidate_id is None:
        raise Conflict("This study has no answers to mark.")
    require_reads_closed(session, assignment.membership_id)
    item = queries.shown_item(session, assignment.item_id)
    reference = queries.reference_for_forms_that_show_it(session, assignment.item_id)
    texts = {option["id"]: option["text"] for option in item.options}
    accepted = [texts.get(answer, answer) for answer in reference.accepted]
    if reference.low is not None or reference.high is not None:
        accepted.append(_range_text(reference.low, reference.high))
    return blinding.scoring_payload(
        prompt=protocol.scoring.prompt,
        question=item.prompt,
        form=form_of(session, protocol, assignment),
        reference=accepted,
        candidate=queries.candidate_answer(session, assignment.candidate_id),
        keys=keys_of(study, actor),
        assignment_public_id=assignment.public_id,
        progress=progress,
        draft=_draft_of(session, assignment),
        notice=notice_of(study, protocol),
    )


def _range_text(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _opinions(session: Session, protocol: Protocol, assignment: Assignment) -> dict[str, Any]:
    """Return the reviewer's own first read and the raters' opinions as A, B ..., in the order stored for this item."""
    task = queries.review_task_of(session, assignment)
    own = queries.root_verdict(session, task.review_assignment_id)
    item = queries.shown_item(session, assignment.item_id)
    form = blinding.reading_form(protocol, item, assignment.option_order)
    verdicts = {
        stored_id(verdict.id): verdict
        for verdict in session.exec(select(Verdict).where(col(Verdict.id).in_(task.opinion_order)))
    }

    def lines(verdict: Verdict) -> list[list[str]]:
        return blinding.opinion_lines(form, verdict.fields, verdict.not_assessable, verdict.comment)

    return {
        "own": lines(own) if own is not None else [],
        "opinions": [
            {"name": name, "lines": lines(verdicts[verdict_id])}
            for name, verdict_id in zip(_OPINION_NAMES, task.opinion_order, strict=False)
        ],
    }
