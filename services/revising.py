"""Going back to a verdict: what may be revised, opening it again, and going on without a change."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from db import Assignment, Database, Display, Draft, Membership, Reopening, Study, Verdict, now, queries
from db.base import stored_id
from services import blinding, displaying, revision_rules
from services.errors import Conflict, NotFound
from services.identity import Actor
from services.permission import state_of


def list_revisable(database: Database, actor: Actor, public_id: str | None = None) -> list[dict[str, Any]]:
    """Return the rater's own verdicts that may be revised, newest first, in the words of the form.

    Parameters
    ----------
    public_id
        One of the actor's assignments, which says which study is meant; without it, the one they looked at last.
    """
    with database.reading() as session:
        study, membership, _ = _desk_of(session, actor, public_id)
        protocol = displaying.protocol_of(session, stored_id(study.id))
        lines = []
        for assignment, verdict in revision_rules.revisable_verdicts(session, actor, protocol, membership):
            item = queries.shown_item(session, assignment.item_id)
            lines.append(
                blinding.revisable_payload(
                    assignment_public_id=assignment.public_id,
                    position=assignment.position,
                    prompt=item.prompt,
                    receipt=verdict.receipt,
                    saved_at=verdict.submitted_at,
                    lines=displaying.lines_of(protocol, item, assignment.option_order, verdict),
                )
            )
        return lines


def reopen(database: Database, actor: Actor, public_id: str) -> dict[str, Any]:
    """Put an item whose verdict may be revised on the screen again, with its answers as the draft.

    Raises
    ------
    Conflict
        The verdict may not be revised, or not any more.
    """
    with database.writing() as session:
        study, membership, assignment = _own(session, actor, public_id)
        protocol = displaying.protocol_of(session, stored_id(study.id))
        verdict = revision_rules.require_revisable(session, actor, protocol, membership, assignment)
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


def resume(database: Database, actor: Actor, public_id: str | None = None) -> dict[str, Any]:
    """Leave a reopened verdict as it stands, and return what is on the desk, with fresh addresses of its scans."""
    with database.writing() as session:
        study, membership, queue = _desk_of(session, actor, public_id or _reopened(session, actor))
        if state_of(session, stored_id(study.id)) != "open":
            raise Conflict("This study takes no verdicts now; go back to your worklist.")
        if queue == "scoring":
            displaying.require_marking_open(session, study, membership)
        revision_rules.end(session, actor, membership)
        session.flush()
        return displaying.queue_payload(session, actor, study, membership, queue)


def _put_into_draft(session: Session, assignment: Assignment, verdict: Verdict) -> None:
    """Let the draft hold the answers of the verdict; its number goes on, so that an older tab cannot overwrite it."""
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


def _reopened(session: Session, actor: Actor) -> str | None:
    """Return the assignment that this login session reopened last, whichever study was looked at since."""
    return session.exec(
        select(Assignment.public_id)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
        .join(Reopening, col(Reopening.verdict_id) == Verdict.id)
        .where(Reopening.login_session_id == actor.login_session_id)
        .order_by(col(Reopening.opened_at).desc())
    ).first()


def _own(session: Session, actor: Actor, public_id: str) -> tuple[Study, Membership, Assignment]:
    row = session.exec(
        select(Study, Membership, Assignment)
        .join(Membership, col(Membership.study_id) == Study.id)
        .join(Assignment, col(Assignment.membership_id) == Membership.id)
        .where(Assignment.public_id == public_id, Membership.person_id == actor.person_id)
    ).first()
    if row is None:
        raise NotFound("There is no such item among yours.")
    return row[0], row[1], row[2]


def _desk_of(session: Session, actor: Actor, public_id: str | None) -> tuple[Study, Membership, str]:
    """Return study, membership and queue: of the assignment that is named, or that was last on the screen."""
    if public_id is None:
        public_id = session.exec(
            select(Assignment.public_id)
            .join(Display, col(Display.assignment_id) == Assignment.id)
            .where(Display.login_session_id == actor.login_session_id)
            .order_by(col(Display.id).desc())
        ).first()
    if public_id is not None:
        study, membership, assignment = _own(session, actor, public_id)
        return study, membership, displaying.QUEUE_OF_PHASE[assignment.phase]
    # Nothing was shown in this login session yet: clear only where there is one place to go.
    own = session.exec(
        select(Membership).where(Membership.person_id == actor.person_id, Membership.role != "admin").limit(2)
    ).all()
    if len(own) != 1:
        raise NotFound("Choose a study in your worklist first.")
    study = session.get_one(Study, own[0].study_id)
    return study, own[0], "reading" if own[0].role == "rater" else "review"
