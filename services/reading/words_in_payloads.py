"""Format values for payloads: an answer, what was right, the name of an opinion. Nothing is decided here."""

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
    """Return an answer in the form's words; a place is described in terms of the scans or images it is in."""
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
    """Return each right answer to a field, with option texts by id, and with its unit."""
    kind = KINDS[field.type]
    if kind.scale == "place":
        words = point.reference_in_words(reference, texts, places)
    else:
        words = kind.reference_in_words(replace(reference, unit=field.unit), texts)
    return [f"{way} {field.unit}" for way in words] if field.unit else words


def feedback_lines(accepted: list[str], explanation: str) -> list[Line]:
    """Return what counts as right for a practice item, and why, as labels and texts."""
    lines = [["Reference", " or ".join(accepted)]] if accepted else []
    return lines + ([["Explanation", explanation]] if explanation else [])


def feedback_lines_of_fields(
    fields: Iterable[tuple[str, Sequence[str], bool | None]], explanation: str, counts: str = ""
) -> list[Line]:
    """Return the same for references by field: each field's label, its right answers, and if it was answered right.

    Parameters
    ----------
    counts
        The label of the field by which practice is passed; empty if it need not be said.
    """
    said = {True: "Correct: ", False: "Incorrect; correct is ", None: ""}
    lines = [[label, said[correct] + " or ".join(ways)] for label, ways, correct in fields]
    lines += [["Counts", counts]] if counts else []
    return lines + ([["Explanation", explanation]] if explanation else [])


def opinion_name(place: int) -> str:
    """Return A to Z, then AA, AB ... from the 27th opinion on."""
    round_, letter = divmod(place, len(ascii_uppercase))
    return (opinion_name(round_ - 1) if round_ else "") + ascii_uppercase[letter]
