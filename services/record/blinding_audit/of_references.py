"""What counts as right, as texts that may be on a screen: for every field, and for those that a phase shows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session

from db import queries
from db.queries import ShownItem
from protocol.language.things import fields_of_reference
from protocol.phase_rules import PhaseRules
from protocol.references import FieldReference
from protocol.study_phases import StudyPhases
from services.reading.references_in_words import compared_in
from services.studies.drawing.item_references import references_of


def texts_of_fields(phases: StudyPhases) -> dict[str, dict[str, str]]:
    """Return option texts by id, for every field in which items are answered."""
    texts: dict[str, dict[str, str]] = {}
    for phase in phases.phases:
        rules = phases.rules_of(phase)
        forms = rules.forms.values() if rules.fields is None else (rules.fields,)
        for field in (field for fields in forms for field in fields if phase.kind == "items"):
            texts.setdefault(field.key, {}).update({option.id: option.text for option in field.offered})
    return texts


def said_of(line: FieldReference, texts: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return each right answer to a field as the screen words it, followed by other ways to write it."""
    limits = [limit for limit in (line.low, line.high) if limit is not None]
    return [
        *((texts.get(accepted, accepted), accepted) for accepted in line.accepted),
        *((repr(limit), f"{limit:g}") for limit in limits),
    ]


def shown_of_reference(session: Session, phases: StudyPhases, rules: PhaseRules, item: ShownItem) -> set[str]:
    """Return what counts as right in the fields that a phase names, if it shows the reference of these only."""
    fields = fields_of_reference(rules.shows)
    if not fields:
        return set()
    references = references_of(queries.reference_for_forms_that_show_it(session, item.item_id))
    texts, compared = texts_of_fields(phases), compared_in(phases, item)
    of_item = {option["id"]: option["text"] for option in item.options}
    lines = ((field, references.of(field, compared=field in compared)) for field in fields)
    return {
        forms[0]
        for field, line in lines
        if line is not None
        for forms in said_of(line, {**of_item, **(texts.get(field, {}) if line.field else {})})
    }
