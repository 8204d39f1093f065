"""Answers that are stored past the reading room, all at once: for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import insert
from sqlmodel import col, select

from db import Assignment, Candidate, Item, Membership, Study, Verdict, now
from db.base import stored_id
from services.people.permission import freeze_of
from services.reading import shown_items
from services.reading.answers import check_answers
from services.reading.blinding.items import form_payload
from services.studies import frozen_facts
from tests.situations import Situation


def store_all(situation: Situation, answer: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Store what raters say of all that was dealt to them at the freeze, one rater after the other.

    The verdicts are those that `work_through` would bring about, which takes twenty times as long, but nothing was
    displayed for them, and the audit chain does not seal them.

    Parameters
    ----------
    answer
        Takes the prompt, the form and, where candidates are rated, the candidate, named as in a payload; returns
        answers without a flag.
    """
    moment = now()
    rows: list[dict[str, Any]] = []
    with situation.database.writing() as session:
        dealt = session.exec(
            select(Assignment, Membership, Item.prompt, Candidate.answer)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .join(Study, col(Study.id) == Assignment.study_id)
            .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
            .where(Study.key == situation.study_key)
            .order_by(col(Membership.id), col(Assignment.phase), col(Assignment.position))
        ).all()
        for assignment, membership, prompt, candidate in dealt:
            form = shown_items.form_of(session, frozen_facts.phases_of_member(session, membership), assignment)
            shown = {"prompt": prompt, "candidate": candidate, "form": form_payload(form)}
            checked = check_answers(form, answer(shown))
            assert checked.flag is None
            rows.append(
                {
                    "assignment_id": stored_id(assignment.id), "fields": checked.fields,
                    "not_assessable": checked.not_assessable, "comment": checked.comment, "shown_at": moment,
                    "submitted_at": moment, "active_ms": 0, "idle_ms": 0, "load_ms": 0, "renderer": "", "viewport": "",
                    "software_version": "test", "freeze_sha256": freeze_of(session, assignment.study_id),
                    "receipt": f"{assignment.id:09}", "idempotency_key": f"{assignment.id:064}",
                    "content_sha256": checked.content_sha256(),
                }
            )  # fmt: skip
        session.execute(insert(Verdict), rows)
