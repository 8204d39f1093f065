"""A rate is written in many ways, and is never the number without what it is per."""

from __future__ import annotations

from decimal import Decimal

import pytest

from protocol import units
from protocol.fields import number
from protocol.fields import text as words
from protocol.fields.kind import Reference


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("4 mm/year", "4 mm per year"), ("4 mm / year", "4mm/yr"), ("4 mm/y", "0.4 cm per annum"),
        ("Grows 4 mm/year", "grows 4 mm per year"), ("10 ml/min", "10 mL per minute"),
        ("50 cm/s", "500 mm per second"), ("5 mm per 6 months", "5 mm/6 months"), ("5 %/year", "5% per year"),
        ("2 lesions/month", "2 lesions per month"), ("5 mg/kg", "5 mg per kg"), ("9 mg/dl", "9 mg per dL"),
        ("60 ml/100 g/min", "60 ml per 100g per minute"),
        ("60 ml/min/1.73 m2", "60 ml/min per 1.73 m\N{SUPERSCRIPT TWO}"),
    ],
)  # fmt: skip
def test_a_rate_has_one_spelling(answer: str, other: str) -> None:
    assert words.canonical(answer) == words.canonical(other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("4 mm/year", "4 mm"), ("4 mm/year", "4 mm/month"), ("4 mm/year", "4 cm/year"), ("4 mm/year", "4 ml/year"),
        ("5 mm/6 months", "5 mm/month"), ("5 mm/3 mm", "5 mm per mm"), ("4 mm a year ago", "4 mm/year ago"),
        ("4 mm/s", "4 mms"), ("5 per cent", "5/cent"),
    ],
)  # fmt: skip
def test_another_rate_and_a_size_are_other_answers(answer: str, other: str) -> None:
    assert words.canonical(answer) != words.canonical(other)


@pytest.mark.parametrize("answer", ["4 mm/year", "4 mm per year", "0.4 cm / yr", "grows 4 mm per month"])
def test_a_rate_is_no_size_within_limits(answer: str) -> None:
    size = Reference(accepted=("5 mm",), low=3.0, high=6.0)
    assert words.score(answer, size, []).correct is False
    assert number.answered(answer, "mm") is None


@pytest.mark.parametrize(
    ("answer", "right"),
    [("4 mm per year", True), ("0.4 cm/yr", True), ("4 mm", False), ("4 mm/month", False), ("4", True)],
)
def test_limits_are_in_the_rate_of_the_accepted_text_beside_them(answer: str, right: bool) -> None:
    growth = Reference(accepted=("5 mm/year",), low=3.0, high=6.0)
    assert words.score(answer, growth, []).correct is right


@pytest.mark.parametrize("written", ["4 mm per year", "0.4 cm/yr", "4", "4 mm/y."])
@pytest.mark.parametrize("unit", ["mm/year", "mm per year", "mm / yr"])
def test_a_number_is_read_in_the_rate_of_its_field(written: str, unit: str) -> None:
    assert number.in_unit(written, unit) == 4


def test_a_rate_is_converted_to_rates_alone() -> None:
    assert units.factor("cm/year", "mm/year") == Decimal(10)
    assert units.factor("mm/year", "mm/month") is None
    assert units.factor("mm/year", "mm") is None
