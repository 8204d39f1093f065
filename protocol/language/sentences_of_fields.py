"""The fields that are filled in, in words."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.fields import KINDS, own_options_of
from protocol.language.expansion import Expansion, Field, Option, Phase
from protocol.language.wording import listed, number

# How to answer the field types that exist only in studies with listed phases; other types say so themselves.
_ANSWERED_BY = {
    "as_item": "as the item asks",
    "confidence": "confidence",
    "correctness": "",
    "preference": "",
    "resolution": "",
    "guess": "a guess",
}


def filled_in_words(study: Expansion, phase: Phase) -> str:
    """Return the fields that a phase asks for, in words."""
    if phase.form != "as_item":
        return f"Filled in: {_fields(phase.fields)}."
    forms = [f"“{form.key}” with {_fields(form.fields)}" for form in study.forms]
    return f"Filled in: the form that the item names, {listed(forms, 'or')}."


def options_words(options: Sequence[Option]) -> str:
    """Return the texts of options, which may contain commas."""
    return " / ".join(option.text for option in options)


def _fields(fields: Sequence[Field]) -> str:
    return listed([_field(asked, fields) for asked in fields])


def _field(asked: Field, fields: Sequence[Field]) -> str:
    given = KINDS[asked.type].answered_by if asked.type in KINDS else _ANSWERED_BY[asked.type]
    if asked.options_by is None and asked.options and not own_options_of(asked.type):
        given += f"{': ' if given else ''}{options_words(asked.options)}"
    if asked.minimum is not None and asked.maximum is not None:
        given += f" from {asked.minimum:g} to {asked.maximum:g}"
    extras = [
        given + (f" {asked.unit}" if asked.unit else ""),
        f"at most {asked.at_most}" if asked.at_most else "",
        _by(asked, fields),
        _same_words(len(asked.synonyms)),
        "the new text with what is reworded or fixed" if asked.type == "resolution" else "",
        f"{_text(asked, asked.excluded)} leaves the denominator" if asked.excluded else "",
        "may stay empty" if not asked.required else "",
        _when(asked, fields),
        "may be undetermined" if asked.undetermined else "",
    ]
    return f"{asked.label} ({'; '.join(extra for extra in extras if extra)})"


def _same_words(answers: int) -> str:
    if not answers:
        return ""
    return f"{number(answers)} {'answer has' if answers == 1 else 'answers have'} words that mean the same"


def _text(asked: Field | None, value: str) -> str:
    return next((option.text for option in asked.options if option.id == value), value) if asked else value


def _named(key: str, fields: Sequence[Field]) -> Field | None:
    return next((asked for asked in fields if asked.key == key), None)


def _when(asked: Field, fields: Sequence[Field]) -> str:
    if asked.when is None:
        return ""
    above = _named(asked.when.field, fields)
    values = [_text(above, value) for value in asked.when.values]
    return f"asked only where “{above.label if above else asked.when.field}” is {listed(values, 'or')}"


def _by(asked: Field, fields: Sequence[Field]) -> str:
    if asked.options_by is None:
        return ""
    above = _named(asked.options_by.field, fields)
    offered = [
        f"{_text(above, part.value)}: {' / '.join(_text(asked, option) for option in part.options)}"
        for part in asked.options_by.offered
    ]
    return f"by “{above.label if above else asked.options_by.field}”, {'; '.join(offered)}; else not asked"
