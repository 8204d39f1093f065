"""What yes_no, choice and ordinal have in common: the answer is one of the given options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.fields.kind import (
    NOT_SCORED,
    AskedField,
    ClosedEndedFormat,
    FieldKind,
    FieldScore,
    Reference,
    Scale,
    WrongAnswer,
    each_in_words,
    one_of_them,
)
from protocol.labels import as_label

SCHEMA: Mapping[str, Any] = {"type": "string"}


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> str:
    """Return the id of the chosen option."""
    return chosen(field, value)


def chosen(field: AskedField, value: Any) -> str:
    """Return the id of the chosen option."""
    for option in field.options:
        if option.id == str(value):
            return option.id
    raise WrongAnswer(f"{as_label(field.label)} choose one of the options.")


def canonical(value: Any) -> str:
    """Return the id of the option."""
    return str(value)


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the option is accepted."""
    return FieldScore(str(value) in reference.accepted) if reference.accepted else NOT_SCORED


def in_words(value: Any, texts: Mapping[str, str]) -> str:
    """Return the option as the rater saw it."""
    return texts.get(str(value), str(value))


def problem_of_reference(_field: AskedField, reference: Reference) -> str:
    """Return the problem if the reference gives only a range, which no option can match."""
    return "" if reference.accepted else "is answered by an option, not by a number; name the accepted option ids"


def one_option(
    name: str,
    scale: Scale,
    *closed_ended_formats: ClosedEndedFormat,
    answered_by: str = "one of",
    own_options: tuple[tuple[str, str], ...] = (),
) -> FieldKind:
    """Return a field type that is answered by one option."""
    return FieldKind(
        name=name,
        scale=scale,
        answered_by=answered_by,
        check=check,
        canonical=canonical,
        score=score,
        in_words=in_words,
        reference_in_words=each_in_words,
        problem_of_reference=problem_of_reference,
        schema=SCHEMA,
        own_options=own_options,
        closed_ended_formats=closed_ended_formats,
        guesses=one_of_them,
    )
