"""A number, in the unit that the field names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from protocol.fields.kind import (
    NOT_SCORED,
    AskedField,
    FieldKind,
    FieldScore,
    Reference,
    WrongAnswer,
    each_in_words,
    is_finite,
)


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> float:
    """Return the number, which has to be within the field's limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
        raise WrongAnswer(f"{field.label}: expected a number.")
    if field.minimum is not None and value < field.minimum:
        raise WrongAnswer(f"{field.label}: at least {field.minimum:g} is expected.")
    if field.maximum is not None and value > field.maximum:
        raise WrongAnswer(f"{field.label}: at most {field.maximum:g} is expected.")
    return float(value)


def canonical(value: Any) -> str:
    """Return the number with its sign and without trailing zeros: 3, 3.0 and "3.00" are the same."""
    number = parsed(value)
    return str(value) if number is None else written(number)


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the number is accepted or within the limits, inclusive."""
    number = parsed(value)
    if not reference.is_given or number is None:
        return NOT_SCORED if not reference.is_given else FieldScore(False)
    return FieldScore(is_within(float(number), reference) or number in accepted_numbers(reference))


def in_words(value: Any, _texts: Mapping[str, str]) -> str:
    """Return the number in digits."""
    return canonical(value)


def problem_of_reference(field: AskedField, reference: Reference) -> str:
    """Return the problem if the reference is not a number, or is outside the limits of the field."""
    read = parsed if field.unit != "%" else _percentage
    words = [answer for answer in reference.accepted if read(answer) is None]
    if words:
        return f"is answered by a number, not by '{words[0][:40]}'; write one, or a range in low and high"
    least = -math.inf if field.minimum is None else field.minimum
    most = math.inf if field.maximum is None else field.maximum
    ranges = [(float(number), float(number)) for number in accepted_numbers(reference)]
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
    return number if number.is_finite() else None


def accepted_numbers(reference: Reference) -> list[Decimal]:
    """Return the accepted numbers; 50 % is read as 50, and only fields with the unit % accept it."""
    return [number for answer in reference.accepted if (number := _percentage(answer)) is not None]


def _percentage(answer: str) -> Decimal | None:
    return parsed(answer.strip().removesuffix("%"))


def written(number: Decimal) -> str:
    """Return a number in digits, without trailing zeros and without a sign before 0."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def is_within(number: float, reference: Reference) -> bool:
    """Return whether there are limits and the number lies within them."""
    if reference.low is None and reference.high is None:
        return False
    return (reference.low is None or number >= reference.low) and (reference.high is None or number <= reference.high)


KIND = FieldKind(
    name="number",
    scale="interval",
    answered_by="a number",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=each_in_words,
    problem_of_reference=problem_of_reference,
    schema={"type": "number"},
)
