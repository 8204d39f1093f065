"""Any number of options, regardless of the order in which they were chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from protocol.fields import options
from protocol.fields.kind import NOT_SCORED, AskedField, FieldKind, FieldScore, Reference, WrongAnswer
from protocol.labels import as_label


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> list[str]:
    """Return the ids of the chosen options, each of which may be chosen only once."""
    if not isinstance(value, list):
        raise WrongAnswer(f"{as_label(field.label)} expected a list of options.")
    chosen = [options.chosen(field, option) for option in value]
    if len(chosen) != len(set(chosen)):
        raise WrongAnswer(f"{as_label(field.label)} an option is chosen twice.")
    return chosen


def canonical(value: Any) -> str:
    """Return the options in sorted order."""
    return json.dumps(sorted(_ids(value)), ensure_ascii=False)


def score(value: Any, reference: Reference, option_ids: Sequence[str]) -> FieldScore:
    """Return whether exactly the accepted options are chosen, and the share of options on which they agree."""
    if not reference.accepted:
        return NOT_SCORED
    chosen, accepted = _ids(value), set(reference.accepted)
    every = set(option_ids) | accepted
    return FieldScore(chosen == accepted, share=1 - len(chosen ^ accepted) / len(every | chosen))


def in_cell(written: str) -> list[str]:
    """Return the options that a cell of a table names, separated by |."""
    return [part.strip() for part in written.split("|") if part.strip()]


def in_words(value: Any, texts: Mapping[str, str]) -> str:
    """Return the options as the rater saw them."""
    ids = value if isinstance(value, list | tuple) else [value]
    return ", ".join(options.in_words(option, texts) for option in ids)


def reference_in_words(reference: Reference, texts: Mapping[str, str]) -> list[str]:
    """Return the accepted options as a single entry, since only the whole set is right."""
    return (
        [" and ".join(options.in_words(option, texts) for option in reference.accepted)] if reference.accepted else []
    )


def _ids(value: Any) -> set[str]:
    return {str(option) for option in value} if isinstance(value, list | tuple) else {str(value)}


KIND = FieldKind(
    name="several",
    scale="set",
    answered_by="any number of",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=reference_in_words,
    problem_of_reference=options.problem_of_reference,
    schema={"type": "array", "items": options.SCHEMA, "uniqueItems": True},
    closed_ended_formats=("choice",),
    guesses=lambda options: 2**options - 1,  # every subset except the empty one
)
