"""How the answers of a practice verdict fare against the references of its item.

Nothing here reads the reference of a real item.
"""

from __future__ import annotations

from sqlmodel import Session

from db import Item, Reference, Verdict, queries
from db.queries import ShownItem
from protocol.fields.abstention import is_undetermined
from protocol.forms import PRIMARY
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.reading import field_keys
from services.reading.answer_key import answer_key
from services.reading.correctness import score
from services.reading.practised import Practised, as_practised, of_field
from services.studies.drawing.item_references import references_of


def practised_answer(
    session: Session, phases: StudyPhases, training: Phase, item_id: int, verdict: Verdict
) -> Practised:
    """Return how a practice verdict fares in the field that is compared."""
    if verdict.not_assessable is not None:
        return "wrong"
    # Practice that shows no reference and has no pass mark may use items without one.
    if training.listed and not phases.rules_of(training).needs_reference:
        return "not_scored"
    reference = queries.reference_of_practice_item(session, item_id)
    if training.listed:
        shown = queries.shown_item(session, item_id)
        is_of_items = training.kind == "items"
        answers = practised_fields(session, phases, training, shown, reference, verdict) if is_of_items else {}
        key = phases.rules_of(training).compared_in(shown.form)
        is_given = verdict.fields.get(key) is not None
        return answers.get(key, "not_scored") if is_given or key not in answers else "wrong"
    item = session.get_one(Item, item_id)
    key_of_item = answer_key(item, phases.rules_of(training).primary_of(item.form), reference)
    answer = verdict.fields.get(PRIMARY)
    if answer is None or is_undetermined(answer):
        return "wrong"
    return as_practised(key_of_item, score(key_of_item, answer).correct, is_given=True)


def practised_fields(
    session: Session, phases: StudyPhases, training: Phase, item: ShownItem, reference: Reference, verdict: Verdict
) -> dict[str, Practised]:
    """Return how a practice verdict fares in each field that its item has a reference for, by field key."""
    stored = session.get_one(Item, item.item_id)
    keys = field_keys.keys_of_item(phases.rules_of(training), stored, references_of(reference))
    return {result.field: of_field(result) for result in field_keys.results_of(keys, verdict.fields)}
