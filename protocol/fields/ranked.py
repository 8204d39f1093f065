"""A list in order of likelihood, of options or of lines that the rater writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from protocol.fields import options, several, text
from protocol.fields.kind import NOT_SCORED, AskedField, FieldKind, FieldScore, Reference, WrongAnswer, each_in_words
from protocol.labels import as_label

# Separates the lines of a list within a cell of a table.
PARTING = "|"


def check(field: AskedField, value: Any, panes: Sequence[str]) -> list[str]:
    """Return the lines in order."""
    if field.options:
        return several.check(field, value, panes)
    if not isinstance(value, list):
        raise WrongAnswer(f"{as_label(field.label)} expected a list.")
    # An empty line would lower the rank of the lines after it.
    lines = [line for line in (text.check(field, line, panes) for line in value) if line]
    if any(PARTING in line for line in lines):
        # In a pool it would give a person away, as it separates the lines of models' answers.
        raise WrongAnswer(
            f"{as_label(field.label)} a line holds “{PARTING}”, which parts lines in tables; "
            "write what it parts on lines of their own."
        )
    return lines


def canonical(value: Any) -> str:
    """Return the lines in order, each in the canonical form of a text."""
    return json.dumps([text.canonical(line) for line in _lines(value)], ensure_ascii=False)


def problems_of_ids(ids: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each option id whose canonical form, as a line of a list, equals an earlier one's."""
    first: dict[str, str] = {}
    for option in ids:
        same = first.setdefault(text.canonical(option), option)
        if same != option:
            yield (
                f"the option ids '{same}' and '{option}' are the same where ranked lists are compared, which ignores "
                "case, articles and punctuation; give one of them an id of other words."
            )


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the first line is accepted, and the rank of the first accepted line."""
    if not reference.accepted:
        return NOT_SCORED
    accepted = {text.canonical(answer) for answer in reference.accepted}
    places = [place for place, line in enumerate(_lines(value), start=1) if text.canonical(line) in accepted]
    rank = places[0] if places else None
    return FieldScore(rank == 1, rank=rank)


def in_words(value: Any, texts: Mapping[str, str]) -> str:
    """Return the lines with their ranks."""
    return "; ".join(f"{place}. {options.in_words(line, texts)}" for place, line in enumerate(_lines(value), start=1))


def problem_of_reference(_field: AskedField, reference: Reference) -> str:
    """Return the problem if the reference gives only a range, which no line can match."""
    return "" if reference.accepted else "is answered by a list, not by a number; name the accepted answers"


def _lines(value: Any) -> list[str]:
    return [str(line) for line in value] if isinstance(value, list | tuple) else [str(value)]


KIND = FieldKind(
    name="ranked",
    scale="ranking",
    answered_by="a ranked list",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=each_in_words,
    problem_of_reference=problem_of_reference,
    schema={"type": "array", "items": {"type": "string"}},
)
