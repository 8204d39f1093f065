"""What counts as right for an item, in the words of its fields, as far as a phase shows or reveals it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from db.queries import ShownItem
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.forms import FormField, PhaseField
from protocol.labels import as_label
from protocol.language.things import shows_the_reference
from protocol.references import FieldReference, ItemReferences
from protocol.study_phases import StudyPhases
from services.reading import shown_forms, words_in_payloads
from services.reading.field_keys import can_be_right

# The label of a reference that names no field, when shown beside references that do.
ANSWER = "Answer"


@dataclass(frozen=True)
class InWords:
    """What counts as right in one field.

    Attributes
    ----------
    field
        The field that the reference names; empty if it names none.
    answers
        The field that the reference answers: the primary one if it names none.
    label
        The label shown for that field.
    ways
        The alternative right answers.
    """

    field: str
    answers: str
    label: str
    ways: tuple[str, ...]

    @property
    def line(self) -> str:
        """The label and all right answers on one line."""
        return f"{as_label(self.label)} {' or '.join(self.ways)}"


def whole_reference(
    phases: StudyPhases,
    item: ShownItem,
    references: ItemReferences,
    study: StudyPhases | None = None,
    places: Places = WITH_SCALE,
    *,
    is_beside_answers: bool = False,
) -> list[str]:
    """Return the whole reference: one entry per right answer or, if it names fields, one text with a line per field.

    Parameters
    ----------
    study
        All phases of the study; their wording is used for fields that only other groups are asked.
    places
        What the item's panes show; a place is described in terms of them.
    is_beside_answers
        Whether an answer is shown, too. One in the only field that readers answer has no label, so neither does this.
    """
    if all(not reference.field for reference in references.fields):
        return [
            way
            for reference in references.fields
            for way in ways_of(_set_as(phases, item, reference, study), reference, places)
        ]
    parts = in_fields(phases, item, references, study, places)
    if is_beside_answers and len(parts) == 1 and _answered(phases, item, study) == {parts[0].answers}:
        return list(parts[0].ways)
    return ["\n".join(part.line for part in parts)]


def parts_of_reference(
    phases: StudyPhases,
    item: ShownItem,
    references: ItemReferences,
    fields: Collection[str],
    study: StudyPhases | None = None,
    places: Places = WITH_SCALE,
) -> list[str]:
    """Return the reference of some fields only, as one text a line per field; for `study` see `whole_reference`."""
    asked = _asked(phases, item, study)
    answered = _answered_without_name(asked, _compared(phases, item, study), references)
    parts = [
        _in_words(key, asked, item, reference, places)
        for key in fields
        for reference in [references.of(key, compared=answered == {key})]
        if reference is not None
    ]
    return ["\n".join(part.line for part in parts)] if parts else []


def in_fields(
    phases: StudyPhases,
    item: ShownItem,
    references: ItemReferences,
    study: StudyPhases | None = None,
    places: Places = WITH_SCALE,
) -> list[InWords]:
    """Return what counts as right, field by field, in the order of the table."""
    asked = _asked(phases, item, study)
    return [
        _in_words(reference.field, asked, item, reference, places)
        if reference.field
        else _of_no_field(
            asked, _compared(phases, item, study), reference, _set_as(phases, item, reference, study), places
        )
        for reference in references.fields
        if reference.says_something
    ]


def _asked(phases: StudyPhases, item: ShownItem, study: StudyPhases | None = None) -> dict[str, PhaseField]:
    """Return the fields in which an item is answered, by key, each as the first phase that asks it does.

    Fields that the member's own group is asked take precedence: other groups may see different labels.
    """
    asked: dict[str, PhaseField] = {}
    for known in (phases, study or phases):
        for phase in known.phases:
            if phase.kind == "items":
                for field in shown_forms.fields_asked(known.rules_of(phase), item.form, item.options):
                    asked.setdefault(field.key, field)
    return asked


def compared_in(phases: StudyPhases, item: ShownItem) -> set[str]:
    """Return the keys of the fields that a reference without a field may answer."""
    return {phases.rules_of(phase).compared_in(item.form) for phase in phases.phases if phase.kind == "items"}


def _compared(phases: StudyPhases, item: ShownItem, study: StudyPhases | None) -> set[str]:
    """Return `compared_in` for these phases, or for the whole study if these ask nothing about the item."""
    return compared_in(phases, item) or compared_in(study or phases, item)


def _answered_without_name(asked: dict[str, PhaseField], compared: set[str], references: ItemReferences) -> set[str]:
    """Return the compared fields that a nameless reference could answer; of several it is unclear which."""
    nameless = next((reference for reference in references.fields if not reference.field), None)
    if nameless is None:
        return set()
    return {key for key in compared if key in asked and can_be_right(asked[key], nameless)}


def _set_as(phases: StudyPhases, item: ShownItem, reference: FieldReference, study: StudyPhases | None) -> FormField:
    """Return the field in whose words a reference that names no field is worded: it answers the item itself.

    An item without options of its own is answered with those of the form in which it is read. A form that is shown
    beside the reference asks something else.
    """
    answer = shown_forms.answered_as(item)
    if item.options or not reference.accepted:
        return answer
    accepted = set(reference.accepted)
    for known in (phases, study or phases):
        offering = [
            field for field in _read_in(known, item) if accepted <= _ids(field) or accepted & _synonyms(field).keys()
        ]
        if offering:
            words = {tuple(ways_of(field, reference)) for field in offering}
            # If it is worded differently elsewhere, neither wording is used.
            return offering[0] if len(words) == 1 else answer
    return answer


def _answered(phases: StudyPhases, item: ShownItem, study: StudyPhases | None) -> set[str]:
    """Return the keys of all fields in which an item is answered without its reference."""
    return {
        field.key
        for known in (phases, study or phases)
        for phase in known.phases
        if phase.kind == "items" and not shows_the_reference(known.rules_of(phase).shows)
        for field in shown_forms.fields_asked(known.rules_of(phase), item.form, item.options)
    }


def _read_in(phases: StudyPhases, item: ShownItem) -> Iterator[FormField]:
    """Yield the compared field of each phase in which an item is answered without its reference."""
    for phase in phases.phases:
        rules = phases.rules_of(phase)
        if phase.kind == "items" and not shows_the_reference(rules.shows):
            compared = rules.compared_in(item.form)
            fields = shown_forms.fields_asked(rules, item.form, item.options)
            yield from (field for field in fields if field.key == compared)


def _ids(field: FormField) -> set[str]:
    return {option.id for option in field.offered}


def _synonyms(field: FormField) -> dict[str, str]:
    """Return the text of each answer in free words that a reference may name by its id."""
    return field.texts_of_synonyms if isinstance(field, PhaseField) else {}


def _in_words(
    key: str, asked: dict[str, PhaseField], item: ShownItem, reference: FieldReference, places: Places
) -> InWords:
    """Return the reference of a field; one that nobody is asked is worded as an answer to the item."""
    field: FormField = asked[key] if key in asked else shown_forms.answered_as(item)
    label = asked[key].label if key in asked else key.replace("_", " ").capitalize()
    return InWords(key, key, label, tuple(ways_of(field, reference, places)))


def _of_no_field(
    asked: dict[str, PhaseField],
    compared: set[str],
    reference: FieldReference,
    set_as: FormField,
    places: Places,
) -> InWords:
    """Return the reference of the primary field, in that field's words if it offers the answer, else in the item's."""
    primary = next((asked[key] for key in asked if key in compared), None)
    offers_it = primary is not None and (_ids(primary) | _synonyms(primary).keys()) & set(reference.accepted)
    field = primary if primary is not None and offers_it else set_as
    label, key = (primary.label, primary.key) if primary is not None else (ANSWER, "")
    return InWords("", key, label, tuple(ways_of(field, reference, places)))


def ways_of(field: FormField, reference: FieldReference, places: Places = WITH_SCALE) -> Sequence[str]:
    """Return each right answer to a field, in the words of its options and with its unit."""
    if reference.compared_by == "people":
        return reference.accepted
    texts = {option.id: option.text for option in field.offered}
    synonyms = _synonyms(field)
    right = reference.counts_as_right
    right = replace(right, accepted=tuple(synonyms.get(answer, answer) for answer in right.accepted))
    return words_in_payloads.reference_texts(field, right, texts, places)
