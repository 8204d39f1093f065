"""The rows an assignment shows: its item, form and volumes, and stored answers as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from db import Assignment, Reference, Verdict, queries
from db.queries import ShownItem
from protocol import fields
from protocol.fields import PLACES
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.forms import FormField
from protocol.language.things import fields_of_reference
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.reading import blinding, references_in_words, shown_forms, words_in_payloads
from services.reading.answer_key import options_of
from services.reading.answers import ShownForm
from services.reading.blinding import Shown, hanging
from services.reading.payloads import Line
from services.reading.places import images_of, places_for, places_in_references
from services.studies import frozen_facts
from services.studies.drawing.item_references import references_of


def form_of(session: Session, phases: StudyPhases, assignment: Assignment) -> ShownForm:
    """Return the form that an assignment shows and against which its answers are checked."""
    phase, item = phases.named(assignment.phase), item_of(session, assignment)
    rules = phases.rules_of(phase)
    form = form_with(phases, assignment, item) if phase.kind == "items" else shown_forms.form_of_candidate(rules, item)
    if not form.panes or not any(field.type in PLACES for field in form.fields):
        return form
    return replace(form, images=images_of(session, assignment.study_id, item, rules.hanging))


def item_of(session: Session, assignment: Assignment) -> ShownItem:
    """Return the parts of an assignment's item that may be shown."""
    return frozen_facts.item_of(session, assignment.study_id, assignment.item_id)


def form_with(phases: StudyPhases, assignment: Assignment, item: ShownItem) -> ShownForm:
    """Return the form in which an item is read or decided on."""
    rules = phases.rules_of(phases.named(assignment.phase))
    return shown_forms.form_of_item(rules, item, assignment.option_order)


def lines_of(
    session: Session,
    study_id: int,
    phases: StudyPhases,
    phase: Phase,
    item: ShownItem,
    option_order: list[str],
    verdict: Verdict,
    said: Mapping[str, Any] | None = None,
) -> list[Line]:
    """Return a verdict on an item, or on an answer to it, as labels and texts in the wording of its phase's form.

    Parameters
    ----------
    said
        The answers to show instead of the stored ones, if they must be read differently.
    """
    rules = phases.rules_of(phase)
    of_item = phase.kind == "items"
    form = (
        shown_forms.form_of_item(rules, item, option_order) if of_item else shown_forms.form_of_candidate(rules, item)
    )
    return blinding.opinion_lines(
        form,
        verdict.fields if said is None else said,
        verdict.not_assessable,
        verdict.comment,
        places_for(session, study_id, item, rules, form.fields),
    )


def shown_files_of(session: Session, phases: StudyPhases, assignment: Assignment) -> tuple[list[int], list[int]]:
    """Return the ids of the volumes and overlays that an assignment shows."""
    rules = phases.rules_of(phases.named(assignment.phase))
    if not rules.shows_volumes:
        return [], []
    hung = rules.hanging
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    return (
        hanging.volumes_of(item, case.volumes, hung),
        hanging.overlays_of(item, case.overlays, hung),
    )


def file_of(session: Session, assignment: Assignment, kind: str, shown_id: int) -> str:
    """Return the SHA-256 of the file of a volume or overlay that an assignment shows."""
    item = item_of(session, assignment)
    return frozen_facts.case_of(session, assignment.study_id, item.case_id).files[kind, shown_id]


def reference_texts(
    primary: FormField, item: ShownItem, reference: Reference, places: Places = WITH_SCALE
) -> list[str]:
    """Return what counts as right as text, one entry per right answer.

    Parameters
    ----------
    primary
        The field that the reference answers.
    """
    return texts_of_reference(primary, dict(options_of(item, primary)), reference, places)


def texts_of_reference(
    primary: FormField, texts: Mapping[str, str], reference: Reference, places: Places = WITH_SCALE
) -> list[str]:
    """Return what counts as right as text, with option texts by id, one entry per right answer."""
    counts_as_right = fields.kind.Reference(tuple(reference.accepted), reference.low, reference.high)
    return words_in_payloads.reference_texts(primary, counts_as_right, texts, places)


def reference_words(session: Session, phases: StudyPhases, assignment: Assignment, item: ShownItem) -> list[str] | None:
    """Return what counts as right for an item, as far as its phase shows it; None if there is nothing to show."""
    return words_of_reference(session, phases, phases.named(assignment.phase), assignment.study_id, item)


def words_of_reference(
    session: Session, phases: StudyPhases, phase: Phase, study_id: int, item: ShownItem
) -> list[str] | None:
    """Return what counts as right for an item, as far as a phase shows it; None if there is nothing to show."""
    reference = queries.reference_for_forms_that_show_it(session, item.item_id)
    rules = phases.rules_of(phase)
    if reference is None:
        return None
    # Scorers need not be in the group that reads the item, so labels and options are those of the whole study.
    study = frozen_facts.phases_of(session, study_id)
    places = places_in_references(session, study_id, item, study, rules)
    if not phases.listed:
        return reference_texts(rules.primary_of(item.form), item, reference, places)
    if "reference" in rules.shows:
        return references_in_words.whole_reference(
            phases, item, references_of(reference), study, places, is_beside_answers="candidate" in rules.shows
        )
    named = sorted(fields_of_reference(rules.shows))
    said = references_in_words.parts_of_reference(phases, item, references_of(reference), named, study, places)
    return said or None


def shown_of(session: Session, phases: StudyPhases, assignment: Assignment) -> Shown:
    """Return everything that an assignment shows of its item."""
    item = item_of(session, assignment)
    case = frozen_facts.case_of(session, assignment.study_id, item.case_id)
    overlays = case.overlays if item.overlays else []
    return Shown(item, case.volumes, overlays, form_of(session, phases, assignment))
