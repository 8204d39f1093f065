"""A number, in the unit that the field names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from protocol import bounds, spelling, units
from protocol.fields.kind import (
    NOT_SCORED,
    AskedField,
    FieldKind,
    FieldScore,
    Reference,
    WrongAnswer,
    each_in_words,
    in_digits,
    is_finite,
)
from protocol.labels import as_label

_MEASURED = re.compile(r"(?P<number>[-+]?(?:\d+(?:[.,]\d+)?|\.\d+))\s*(?P<unit>[^\d\s.,].*?)?\.?")

# The powers of ten of a finite float.
_LEAST_POWER, _MOST_POWER = -324, 308


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> float:
    """Return the number, which has to be within the field's limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
        raise WrongAnswer(f"{as_label(field.label)} expected a number.")
    if field.minimum is not None and value < field.minimum:
        raise WrongAnswer(f"{as_label(field.label)} at least {in_digits(field.minimum)} is expected.")
    if field.maximum is not None and value > field.maximum:
        raise WrongAnswer(f"{as_label(field.label)} at most {in_digits(field.maximum)} is expected.")
    return float(value)


def canonical(value: Any) -> str:
    """Return the number with its sign and without trailing zeros: 3, 3.0 and "3.00" are the same."""
    number = parsed(value)
    return str(value) if number is None else units.digits(number)


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the number is accepted or within the limits, inclusive, in the field's unit."""
    number = parsed(value)
    if not reference.is_given or number is None:
        return NOT_SCORED if not reference.is_given else FieldScore(False)
    return FieldScore(is_within(float(number), reference) or number in accepted_numbers(reference, reference.unit))


def in_words(value: Any, _texts: Mapping[str, str]) -> str:
    """Return the number in digits."""
    return canonical(value)


def reference_in_words(reference: Reference, texts: Mapping[str, str]) -> list[str]:
    """Return every accepted number, and the limits, in the field's unit but without naming it."""
    numbers = ((answer, in_unit(answer, reference.unit)) for answer in reference.accepted)
    accepted = tuple(answer if number is None else units.digits(number) for answer, number in numbers)
    return each_in_words(replace(reference, accepted=accepted), texts)


def problem_of_reference(field: AskedField, reference: Reference) -> str:
    """Return the problem if the reference is not a number, or is outside the limits of the field."""
    words = [answer for answer in reference.accepted if in_unit(answer, field.unit) is None]
    if words:
        measured = f" in {field.unit}" if field.unit else ""
        return f"is answered by a number{measured}, not by '{words[0][:40]}'; write one, or a range in low and high"
    least = -math.inf if field.minimum is None else field.minimum
    most = math.inf if field.maximum is None else field.maximum
    ranges = [(float(number), float(number)) for number in accepted_numbers(reference, field.unit)]
    if reference.low is not None or reference.high is not None:
        low, high = reference.low, reference.high
        ranges.append((-math.inf if low is None else low, math.inf if high is None else high))
    if any(low <= most and high >= least for low, high in ranges):
        return ""
    limits = f"from {least:g} to {most:g}"
    return f"takes numbers {limits}, and none of what counts as right is among them; change one of the two"


def parsed(value: Any) -> Decimal | None:
    """Return a stored answer or a reference as a number, or None if it is not one."""
    # Python reads 5_0 as 50, but somebody who typed it meant a point or a hyphen.
    if isinstance(value, bool) or "_" in str(value):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    # 1e999999999 would be a text of a billion digits; no rater can fill it in, as answers are finite floats.
    return number if number.is_finite() and _LEAST_POWER <= number.adjusted() <= _MOST_POWER else None


def in_unit(written: str, unit: str | None) -> Decimal | None:
    """Return a number from text in the unit of a field; None if it is not a number or has a unit of another kind.

    A number without a unit is in that of the field; 5 cm is 50 if the field's unit is mm. 5,5 cm, 5½ cm, 1 000 mm,
    5 (cm) and a full stop at the end are read, 1,000 is not: it is a thousand to some and one to others.
    """
    number = parsed(written)
    if number is not None:
        return number
    match = _MEASURED.fullmatch(units.in_symbols(spelling.of_characters(written)).strip())
    if match is None or units.AMBIGUOUS.search(match["number"]):
        return None
    number = parsed(match["number"].replace(",", "."))
    if number is None or match["unit"] is None:
        return number
    times = units.factor(match["unit"], unit) if unit else None
    return None if times is None else number * times


def answered(written: str, unit: str | None) -> Decimal | None:
    """Return the number of an answer in words, which may be approximate: about 5 cm is 50 mm; None if it is none."""
    return in_unit(bounds.without_about(written), unit)


def accepted_numbers(reference: Reference, unit: str | None) -> list[Decimal]:
    """Return the accepted numbers, converted to a unit."""
    return [number for answer in reference.accepted if (number := in_unit(answer, unit)) is not None]


def has_limits(reference: Reference) -> bool:
    """Return whether the reference has limits."""
    return reference.low is not None or reference.high is not None


def is_within(number: float, reference: Reference) -> bool:
    """Return whether there are limits and the number lies within them."""
    within = (reference.low is None or number >= reference.low) and (reference.high is None or number <= reference.high)
    return has_limits(reference) and within


KIND = FieldKind(
    name="number",
    scale="interval",
    answered_by="a number",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=reference_in_words,
    problem_of_reference=problem_of_reference,
    schema={"type": "number"},
)
