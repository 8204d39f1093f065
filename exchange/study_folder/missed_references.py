"""References that are missed: of fields that lack one on some items, and of fields that none of the answers fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from exchange.refusal import listed
from exchange.study_folder.folder_rows import CaseRow, ReferenceRow
from exchange.study_folder.item_table import ItemRow
from exchange.study_folder.taken_items import can_take
from protocol.fields import KINDS, own_options_of
from protocol.language.expansion import Expansion, Field, Phase
from protocol.references import FieldReference


def without_some_fields(
    study: Expansion, references: Sequence[ReferenceRow], cases: Sequence[CaseRow], items: Sequence[ItemRow]
) -> Iterator[str]:
    """Yield a sentence for each such field, with the items that lack it."""
    by_key, about = {item.key: item for item in items}, {case.key: case for case in cases}
    forms = {form.key: form.fields for form in study.forms}
    asking: dict[str, list[Phase]] = defaultdict(list)
    for phase in study.phases:
        if "items" in phase.rates:
            for key in {field.key for field in _asked(phase, forms)}:
                asking[key].append(phase)
    of_items = [row for row in references if row.fields]
    for key in dict.fromkeys(line.field for row in of_items for line in row.fields):
        lacking = [
            row.item
            for row in of_items
            if all(line.field != key for line in row.fields)
            for item in [by_key[row.item]]
            # A field that depends on another may not be asked, and an optional one does not need a reference.
            if any(
                field.key == key and field.required and field.when is None and field.options_by is None
                for phase in asking[key]
                if can_take(study, phase.source, item, about.get(item.case))
                for field in (forms.get(item.form, ()) if phase.form == "as_item" else phase.fields)
            )
        ]
        if lacking:
            yield (
                f"references.csv: {listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no reference for "
                f"'{key}'; estimates that need a reference use the other items only."
            )


def that_answer_nothing(
    study: Expansion, references: Sequence[ReferenceRow], cases: Sequence[CaseRow], items: Sequence[ItemRow]
) -> Iterator[str]:
    """Yield a sentence for each primary field with lines that name no field and hold no answer to it.

    Where items are reviewed, a reference that people are shown does not answer what is asked about the item. Such lines
    are named only if others do answer the field, or if nobody is shown the reference.
    """
    by_key, about = {item.key: item for item in items}, {case.key: case for case in cases}
    forms = {form.key: form.fields for form in study.forms}
    is_shown = any("reference" in phase.shows for phase in study.phases)
    for phase in study.phases:
        if phase.rates != ["items"] or "reference" in phase.shows:
            continue
        answering: dict[str, list[str]] = defaultdict(list)
        answering_nothing: dict[str, list[str]] = defaultdict(list)
        for row in references:
            item, says = by_key[row.item], FieldReference(accepted=row.accepted, low=row.low, high=row.high)
            asked = forms.get(item.form, ()) if phase.form == "as_item" else phase.fields
            field = next((field for field in asked if field.primary and field.type in KINDS), None)
            if field and says.says_something and can_take(study, phase.source, item, about.get(item.case)):
                (answering if _can_be_right(field, says) else answering_nothing)[field.key].append(row.item)
        for key, unused in answering_nothing.items():
            if answering[key] or not is_shown:
                those, are = ("that", "is") if len(unused) == 1 else ("those", "are")
                yield (
                    f"references.csv: a line without a field is about '{key}' in phase '{phase.key}', and "
                    f"{those} of {listed(unused)} {are} "
                    "no answer to it and will not be used; correct what counts as right, or fill in the column field."
                )


def _can_be_right(field: Field, says: FieldReference) -> bool:
    """Return whether a reference could be an answer to a field, as the report asks of lines without a field."""
    options = {option for option, _ in own_options_of(field.type)} or {option.id for option in field.options}
    if options and options.isdisjoint(says.accepted):
        return False
    return not KINDS[field.type].problem_of_reference(field, says.counts_as_right)


def _asked(phase: Phase, forms: Mapping[str, Sequence[Field]]) -> Sequence[Field]:
    return [field for own in forms.values() for field in own] if phase.form == "as_item" else phase.fields
