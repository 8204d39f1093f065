"""Models' answers in the fields that people fill in: a column for each model over the units of a phase."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from exchange.report.estimate_rows import Party
from protocol.fields import KINDS, PLACES, SETS
from protocol.fields.abstention import is_undetermined
from protocol.fields.kind import WrongAnswer
from protocol.fields.pixels import exact_column_and_row
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.layout import read_cell
from protocol.language.model_answers import answered_in_words, answers_items, cell_of, stored_as
from protocol.language.wording import spoken
from services.reading.answers import as_asked
from services.reading.field_keys import FieldKey
from services.report.rows.columns import Column, State
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows

# Stands in the name of a column between the model and which of its answers to an item it holds.
_TIME = ", answer "
# By field: what became of it, and the answer if there is one.
Answered = Mapping[str, tuple[State, Any]]


def answers_of_models(
    rows: ListedRows, study: Expansion, phase: Phase, items: Sequence[ItemLine], conditions: Sequence[str] = ()
) -> dict[str, dict[int, Answered]]:
    """Return, by model, its answer to each item that was drawn for a phase, by the item's id.

    If a model has several answers to an item, those under each condition get a name of their own, and so do the second,
    third and so on under the same one.

    Parameters
    ----------
    conditions
        The attributes that tell several answers of one model to one item apart.
    """
    if not answers_items(phase):
        return {}
    of_item: dict[str, list[CandidateLine]] = defaultdict(list)
    for candidate in rows.candidates:
        if candidate.model and not candidate.given_in:
            of_item[candidate.item].append(candidate)
    several = {model for own in of_item.values() for model, n in Counter(line.model for line in own).items() if n > 1}
    answered: dict[str, dict[int, Answered]] = defaultdict(dict)
    forms = {form.key: form.fields for form in study.forms}
    columns = {key for candidate in rows.candidates for key, cell in candidate.answers.items() if cell}
    for item in items:
        fields = {field.key: field for field in phase.fields or forms[item.form]}
        keys = rows.keys.of(phase.key, item.id)
        # Where a field has a column, an empty cell of it is no answer, whatever stands in the words beside it.
        in_words = [key for key in answered_in_words(study, phase, item.form) if stored_as(key) not in columns]
        times: dict[str, int] = defaultdict(int)
        for candidate in of_item[item.key]:
            whose = candidate.model
            if whose in several:
                whose += _under(study, candidate, conditions)
            times[whose] += 1
            cells = {
                key: cell_of(candidate.answers, candidate.answer, field, in_words) for key, field in fields.items()
            }
            answered[_name(whose, times[whose])][item.id] = _read(item, keys, fields, cells)
    return {name: answered[name] for name in sorted(answered)}


def _under(study: Expansion, candidate: CandidateLine, conditions: Sequence[str]) -> str:
    """Return the conditions of an answer, as they stand behind the name of its model; empty if it has none."""
    texts = {(each.key, option.id): option.text for each in study.attributes for option in each.options}
    given = [(key, candidate.attributes.get(key, "")) for key in conditions]
    said = ", ".join(f"{spoken(key)}: {texts.get((key, value), value)}" for key, value in given if value)
    return f" ({said})" if said else ""


def _name(model: str, time: int) -> str:
    return model if time == 1 else f"{model}{_TIME}{time}"


def model_of(name: str, conditions: Sequence[str] = ()) -> str:
    """Return the model whose answers a column holds: its only ones, or those of a condition, or of a time."""
    model, _, time = name.rpartition(_TIME)
    name = model if time.isdecimal() and model else name
    begins = [place for key in conditions if (place := name.find(f" ({spoken(key)}: ")) > 0]
    return name[: min(begins)] if begins else name


def _read(item: ItemLine, keys: Sequence[FieldKey], fields: Mapping[str, Field], cells: Mapping[str, str]) -> Answered:
    """Return what became of each field of an item, by the rules that check a person's answer."""
    given: dict[str, tuple[State, Any]] = {}
    checked: dict[str, Any] = {}
    for key in keys:
        asked = as_asked(key.field, checked)
        if asked is None:
            given[key.field.key] = ("not_asked", None)
            continue
        cell = cells[key.field.key]
        # A model may abstain in any field, even where people have to answer.
        field = fields[key.field.key].model_copy(update={"undetermined": True})
        if field.type == "as_item":
            field = field.model_copy(update={"type": asked.type})
        value = read_cell(field, cell, dict(item.options)) if cell else None
        if field.type in PLACES and isinstance(value, str):
            value = _in_image(item, value)
        if value is None:
            given[field.key] = _left_empty(field, wrote_something=any(cells.values()))
        elif is_undetermined(value):
            checked[field.key] = value
            given[field.key] = ("undetermined", None)
        else:
            try:
                checked[field.key] = KINDS[asked.type].check(asked, value, ())
                given[field.key] = ("answered", checked[field.key])
            except WrongAnswer:
                given[field.key] = ("invalid", None)
    return given


def _in_image(item: ItemLine, written: str) -> Any:
    """Return a place as a person's is stored, if it is written by column and row of the image; else the text itself."""
    pixel = exact_column_and_row(written)
    return written if pixel is None or item.pixels is None else list(item.pixels.place_of(*pixel))


def _left_empty(field: Field, *, wrote_something: bool) -> tuple[State, Any]:
    if field.required:
        return "no_response", None
    if field.type not in SETS:
        return "empty", None
    # Like a person who chooses no option. But a model that wrote nothing in any field has not answered "none" either.
    return ("empty", ()) if wrote_something else ("no_response", None)


def columns_of_models(answered: Mapping[str, Mapping[int, Answered]], field: str, items: Sequence[int]) -> list[Column]:
    """Return a column for each model that answered a field of any of these items, given by id."""
    columns = []
    for name, of_items in answered.items():
        became = [of_items.get(item, {}).get(field, (None, None)) for item in items]
        # A model that wrote nothing in a field for any item was not asked it.
        if any(state in ("answered", "undetermined", "invalid") for state, _ in became):
            states, values = tuple(state for state, _ in became), tuple(value for _, value in became)
            columns.append(Column(Party("model", name), states, values))
    return columns
