"""What an assignment shows, as rows: its item, its form, its volumes, and what was answered in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlmodel import Session

from db import Assignment, Reference, Verdict
from db.queries import ShownItem
from protocol import fields
from protocol.fields import KINDS
from protocol.phases import PHASES
from protocol.study import Protocol
from services.reading import blinding, hanging
from services.reading.answer_key import options_of
from services.reading.answers import ShownForm
from services.reading.blinding import Shown
from services.reading.payloads import Line
from services.studies import frozen_facts


def form_of(session: Session, protocol: Protocol, assignment: Assignment) -> ShownForm:
    """Return the form that an assignment shows, and that its answers are checked against."""
    if PHASES[assignment.phase].form == "scoring":
        return blinding.scoring_form(protocol)
    return form_with(protocol, assignment, item_of(session, assignment))


def item_of(session: Session, assignment: Assignment) -> ShownItem:
    """Return what of an assignment's item may be shown."""
    return frozen_facts.item_of(session, assignment.study_id, assignment.item_id)


def form_with(protocol: Protocol, assignment: Assignment, item: ShownItem) -> ShownForm:
    """Return the form in which an item is read or decided on."""
    return _FORMS[PHASES[assignment.phase].form](protocol, item, assignment.option_order)


_FORMS: Mapping[str, Callable[[Protocol, ShownItem, list[str]], ShownForm]] = {
    "reading": blinding.reading_form,
    "review": blinding.review_form,
    "opinions": blinding.opinions_form,
}


def lines_of(protocol: Protocol, item: ShownItem, option_order: list[str], verdict: Verdict) -> list[Line]:
    """Return a verdict as label and text, in the words of its form."""
    form = blinding.reading_form(protocol, item, option_order)
    return blinding.opinion_lines(form, verdict.fields, verdict.not_assessable, verdict.comment)


def shown_files_of(session: Session, protocol: Protocol, assignment: Assignment) -> tuple[list[int], list[int]]:
    """Return the ids of the volumes and of the overlays that an assignment shows."""
    if PHASES[assignment.phase].kind != "items":
        return [], []
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    return (
        hanging.volumes_of(item, case.volumes, protocol.hanging),
        hanging.overlays_of(item, case.overlays, protocol.hanging),
    )


def file_of(session: Session, assignment: Assignment, kind: str, shown_id: int) -> str:
    """Return the SHA-256 of the file of a volume or an overlay that an assignment shows."""
    item = item_of(session, assignment)
    return frozen_facts.case_of(session, assignment.study_id, item.case_id).files[kind, shown_id]


def reference_texts(protocol: Protocol, item: ShownItem, reference: Reference) -> list[str]:
    """Return what counts as right, in words, one entry for each way of being right."""
    form = protocol.forms[item.form]
    texts, primary = dict(options_of(item, form)), form.primary
    counts_as_right = fields.kind.Reference(tuple(reference.accepted), reference.low, reference.high)
    words = KINDS[primary.type].reference_in_words(counts_as_right, texts)
    return [f"{value} {primary.unit}" for value in words] if primary.unit else words


def shown_of(session: Session, protocol: Protocol, assignment: Assignment) -> Shown:
    """Return all that an assignment shows of its item."""
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    overlays = case.overlays if item.overlays else []
    return Shown(item, case.volumes, overlays, form_with(protocol, assignment, item))
