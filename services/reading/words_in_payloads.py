"""How payloads write what they are given: an answer, what was right, the name of an opinion. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from protocol.fields import KINDS, abstention, point
from protocol.fields.kind import Reference
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.forms import FormField
from services.reading.payloads import Line


def answer_text(field: FormField, value: Any, places: Places = WITH_SCALE) -> str:
    """Return an answer in the words of the form; a place in those of the scans or images that it lies in."""
    if abstention.is_undetermined(value):
        return abstention.WORDS
    kind = KINDS[field.type]
    if kind.scale == "place":
        words = point.in_words(value, {}, places)
    else:
        words = kind.in_words(value, {option.id: option.text for option in field.options})
    return f"{words} {field.unit}" if field.unit else words


def reference_texts(
    field: FormField, reference: Reference, texts: Mapping[str, str], places: Places = WITH_SCALE
) -> list[str]:
    """Return each way of being right in a field, in the words of its options by id and with its unit."""
    kind = KINDS[field.type]
    if kind.scale == "place":
        words = point.reference_in_words(reference, texts, places)
    else:
        words = kind.reference_in_words(replace(reference, unit=field.unit), texts)
    return [f"{way} {field.unit}" for way in words] if field.unit else words


def feedback_lines(accepted: list[str], explanation: str) -> list[Line]:
    """Return what counts as right in a practice item, and why, as label and text."""
    lines = [["Reference", " or ".join(accepted)]] if accepted else []
    return lines + ([["Explanation", explanation]] if explanation else [])


def feedback_lines_of_fields(fields: Iterable[tuple[str, Sequence[str], bool | None]], explanation: str) -> list[Line]:
    """Return the same where fields have references of their own: label, each way of being right, and whether it is."""
    said = {True: "Correct: ", False: "Incorrect; correct is ", None: ""}
    lines = [[label, said[correct] + " or ".join(ways)] for label, ways, correct in fields]
    return lines + ([["Explanation", explanation]] if explanation else [])


def opinion_name(place: int) -> str:
    """Return A to Z, and from the 27th opinion on AA, AB ..."""
    round_, letter = divmod(place, len(ascii_uppercase))
    return (opinion_name(round_ - 1) if round_ else "") + ascii_uppercase[letter]
