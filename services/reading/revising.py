"""Going back to a verdict: listing what may be revised, reopening it, and going on without a change."""

from __future__ import annotations

from sqlmodel import Session

from db import Assignment, Database, Draft, Reopening, Verdict, now, queries
from db.base import stored_id
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import own_assignment
from services.reading import blinding, desk, displaying, revision_rules, shown_items
from services.reading.payloads import AnyItemPayload, Payload, RevisablePayload
from services.reading.places import places_for
from services.studies import frozen_facts


def list_revisable(database: Database, actor: Actor, public_id: str) -> list[RevisablePayload]:
    """Return the rater's own revisable verdicts in a queue, last item first, in the words of the form.

    Parameters
    ----------
    public_id
        One of the actor's assignments; it identifies the queue and the study, of which several may be open in tabs.
    """
    with database.read_only() as session:
        named, _, membership = own_assignment(session, actor, public_id)
        phases = frozen_facts.phases_of_member(session, membership)
        queue = phases.named(named.phase).queue
        lines = []
        for assignment, verdict in revision_rules.revisable_verdicts(session, actor, phases, membership, queue):
            item = shown_items.item_of(session, assignment)
            form = shown_items.form_with(phases, assignment, item)
            rules = phases.rules_of(phases.named(assignment.phase))
            places = places_for(session, assignment.study_id, item, rules, form.fields)
            flag = queries.flag_of(session, stored_id(verdict.id))
            lines.append(
                blinding.revisable_payload(
                    assignment_public_id=assignment.public_id,
                    position=assignment.position,
                    prompt=item.prompt,
                    text=blinding.text_payload(phases.text, "prompt"),
                    receipt=verdict.receipt,
                    saved_at=verdict.submitted_at,
                    lines=[
                        *blinding.opinion_lines(form, verdict.fields, verdict.not_assessable, verdict.comment, places),
                        *blinding.own_flag_lines(form, (flag.kind, flag.note) if flag is not None else None),
                    ],
                )
            )
        return lines


def reopen(database: Database, actor: Actor, public_id: str) -> AnyItemPayload:
    """Put an item whose verdict may be revised on the screen again, with its answers as the draft.

    Raises
    ------
    Conflict
        The verdict may not be revised, or no longer.
    """
    with database.writing() as session:
        assignment, study, membership = own_assignment(session, actor, public_id)
        phases = frozen_facts.phases_of_member(session, membership)
        verdict = revision_rules.require_revisable(session, actor, phases, membership, assignment)
        revision_rules.end(session, actor, membership)
        session.add(
            Reopening(
                login_session_id=actor.login_session_id,
                membership_id=stored_id(membership.id),
                verdict_id=stored_id(verdict.id),
            )
        )
        _put_into_draft(session, assignment, verdict)
        session.flush()
        return displaying.revision_payload(session, actor, study, assignment, verdict)


def resume(database: Database, actor: Actor, public_id: str) -> Payload:
    """Leave a reopened verdict as it is, and return what is on the desk in the assignment's study."""
    with database.writing() as session:
        assignment, study, membership = own_assignment(session, actor, public_id)
        queue = frozen_facts.phases_of_member(session, membership).named(assignment.phase).queue
        require_in_study(session, acts.READ, study)
        desk.require_open(session, study, membership, queue)
        revision_rules.end(session, actor, membership)
        session.flush()
        return displaying.queue_payload(session, actor, study, membership, queue)


def _put_into_draft(session: Session, assignment: Assignment, verdict: Verdict) -> None:
    """Copy a verdict's answers into the draft; its number counts on, so that an older tab cannot overwrite it."""
    flag = queries.flag_of(session, stored_id(verdict.id))
    answers = {
        "fields": verdict.fields,
        "not_assessable": verdict.not_assessable,
        "comment": verdict.comment,
        "flag": {"id": flag.kind, "note": flag.note} if flag is not None else None,
    }
    draft = session.get(Draft, assignment.id)
    if draft is None:
        draft = Draft(assignment_id=stored_id(assignment.id), sequence=0, answers=answers)
    draft.sequence, draft.answers, draft.saved_at = draft.sequence + 1, answers, now()
    session.add(draft)
