"""The fields, options and reasons with which an item or an answer is rated: forms with every option in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from db.queries import ShownItem
from protocol.fields import PLACES
from protocol.fields.yes_no import YES_NO
from protocol.forms import PRIMARY, FormField, Option, PhaseField
from protocol.phase_rules import PhaseRules
from services.reading.answers import ShownForm

# An item's options as they are stored: id and text.
Options = Sequence[Mapping[str, str]]


def form_of_item(rules: PhaseRules, item: ShownItem, option_order: list[str]) -> ShownForm:
    """Return the form in which an item is answered in a phase."""
    fields = tuple(_placed(field, item.options, option_order, rules) for field in rules.fields_of(item.form))
    return ShownForm(
        fields=fields,
        not_assessable=_pairs(rules.not_assessable),
        flags=_pairs(rules.flags),
        comment=rules.comment,
        # Only places refer to panes.
        panes=_panes(rules, item) if any(field.type in PLACES for field in fields) else (),
        item_options=_lettered(item, _dealt(item.options, option_order)),
    )


def form_of_candidate(rules: PhaseRules, item: ShownItem) -> ShownForm:
    """Return the form in which a candidate is scored; its fields are the same for all items."""
    return ShownForm(
        fields=tuple(_with_own_options(field) for field in rules.fields or ()),
        not_assessable=_pairs(rules.not_assessable),
        flags=_pairs(rules.flags),
        comment=rules.comment,
        panes=_panes(rules, item) if rules.shows_volumes else (),
    )


def _panes(rules: PhaseRules, item: ShownItem) -> tuple[str, ...]:
    return tuple(pane.title for pane in rules.hanging.panes_of(item.sequences, item.uses_prior))


def fields_asked(rules: PhaseRules, form: str, options: Options) -> tuple[PhaseField, ...]:
    """Return the fields that a phase asks about an item with this form and these options, in the listed order."""
    return tuple(_placed(field, options, [], rules) for field in rules.fields_of(form))


def _placed(field: PhaseField, options: Options, option_order: list[str], rules: PhaseRules) -> PhaseField:
    if field.key in rules.takes_options and options:
        kind = _asked_by(options) if field.key in rules.as_item else field.type
        return field.model_copy(update={"type": kind, "options": _dealt(options, option_order)})
    return _with_own_options(field)


def _dealt(options: Options, option_order: list[str]) -> list[Option]:
    """Return an item's options in the order drawn for the rater, or as listed if none was drawn."""
    by_id = {option["id"]: Option(id=option["id"], text=option["text"]) for option in options}
    return [by_id[option_id] for option_id in option_order or by_id]


def _lettered(item: ShownItem, dealt: Sequence[Option]) -> tuple[str, ...]:
    """Return options as text, with their letters if their ids are a, b, c ..., because answers may refer to those."""
    ids = [option["id"].lower() for option in item.options]
    by_letter = ids == list(ascii_lowercase[: len(ids)])
    return tuple(f"{option.id}) {option.text}" if by_letter else option.text for option in dealt)


def options_of(item: ShownItem) -> tuple[str, ...]:
    """Return an item's options as text, in the listed order."""
    return _lettered(item, _dealt(item.options, []))


def answered_as(item: ShownItem) -> FormField:
    """Return the field that an item's format asks for: yes or no, one of its options, or free text."""
    options = [Option(id=option["id"], text=option["text"]) for option in item.options]
    return FormField(key=PRIMARY, type=_asked_by(item.options), label="Answer", options=options)


def _asked_by(options: Options) -> str:
    """Return the field type that an item's options ask for."""
    ids = [option["id"] for option in options]
    return "text" if not ids else "yes_no" if ids == [option for option, _ in YES_NO] else "choice"


def _with_own_options(field: PhaseField) -> PhaseField:
    return field if field.offered == field.options else field.model_copy(update={"options": field.offered})


def _pairs(options: Sequence[Option]) -> tuple[tuple[str, str], ...]:
    return tuple((option.id, option.text) for option in options)
