"""A number is in the unit that its field names: another of the same kind is converted, and any other one is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from protocol import unit_table
from protocol.fields import KINDS, number, text
from protocol.fields.kind import Reference
from protocol.forms import FormField

# 50 % of a text is 50.
COMPARED = [unit for unit in unit_table.UNITS if unit.kind != "share"]


@pytest.mark.parametrize("unit", COMPARED, ids=lambda unit: unit.symbol)
def test_every_unit_is_read_in_each_of_its_spellings_and_places(unit: unit_table.Unit) -> None:
    spoken = (unit.symbol, *unit.also)

    assert {text.canonical(f"7{written}") for written in spoken} == {text.canonical(f"7 {unit.symbol}")}
    assert {text.canonical(f"7 {written} - 9 {written}") for written in spoken} == {
        text.canonical(f"7-9 {unit.symbol}")
    }
    assert text.canonical(f"7 {unit.symbol}") != text.canonical("7")
    assert all(number.in_unit(f"7 {written}", unit.symbol) == 7 for written in spoken)


def test_no_two_units_share_a_spelling() -> None:
    spellings = [written for unit in unit_table.UNITS for written in (unit.symbol, *unit.also)]

    assert len(spellings) == len(set(spellings))


def asked(unit: str | None, *, most: float | None = None) -> FormField:
    return FormField(key="answer", type="number", label="Size", unit=unit, maximum=most)


@pytest.mark.parametrize(
    ("written", "unit", "value"),
    [
        ("50", "mm", "50"), ("50 mm", "mm", "50"), ("50mm", "mm", "50"), ("5 cm", "mm", "50"), (".5 CM", "mm", "5"),
        ("5 mm", "cm", "0.5"), ("2 cc", "ml", "2"), ("2 cm\N{SUPERSCRIPT THREE}", "ml", "2"), ("50 %", "%", "50"),
        ("5 centimetres", "mm", "50"), ("50 mm", "centimetres", "5"), ("2 dl", "ml", "200"), ("2 inches", "mm", "50.8"),
        ("50 \N{MICRO SIGN}m", "mm", "0.05"), ("50 percent", "%", "50"),
        ("5,5 cm", "mm", "55"), ("5 cm.", "mm", "50"), ("5 (cm)", "mm", "50"),
        ("5,5", None, "5.5"), ("\u22125,5", None, "-5.5"),
        ("1 000 mm", "mm", "1000"), ("1\u00bd cm", "mm", "15"), ("1/2 cm", "mm", "5"),
        ("-5 HU", "HU", "-5"), ("3 mm/s", "mm/s", "3"), ("50", None, "50"),
    ],
)  # fmt: skip
def test_a_number_is_read_in_the_unit_of_its_field(written: str, unit: str | None, value: str) -> None:
    assert number.in_unit(written, unit) == Decimal(value)


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("50 ml", "mm"), ("50 %", "mm"), ("50 mm", None), ("50 mm2", "mm"), ("50 mm long", "mm"), ("mm", "mm"),
        ("50 lesions", "mm"), ("5 mm", "HU"), ("about 50 mm", "mm"), ("5_0 mm", "mm"),
        ("1,000 mm", "mm"), ("1 000", "mm"), ("1/2", "mm"),
        ("5 (ml)", "mm"), ("5, mm", "mm"), ("", "mm"), ("5-6 mm", "mm"),
    ],
)  # fmt: skip
def test_what_is_in_no_unit_of_that_kind_is_no_number(written: str, unit: str | None) -> None:
    assert number.in_unit(written, unit) is None


@pytest.mark.parametrize(
    "written", ["about 50 mm", "~5 cm", "approx. 5,0 cm.", "Circa 50", "\u2248 5 (cm)", "50.", "ca. 50 mm"]
)
def test_an_answer_in_words_may_say_that_its_number_is_approximate(written: str) -> None:
    assert number.answered(written, "mm") == 50


@pytest.mark.parametrize(
    "written", ["> 5 cm", "about", "about two", "5 cm or more", "5 to 6 cm", "50 lesions", "no lesion on 3 images"]
)
def test_a_bound_a_range_and_a_sentence_are_no_number_in_the_place_of_one(written: str) -> None:
    assert number.answered(written, "mm") is None


@pytest.mark.parametrize("accepted", ["50 mm", "50mm", "5 cm", "50"])
def test_a_reference_may_name_the_unit(accepted: str) -> None:
    reference = Reference((accepted,), unit="mm")

    assert KINDS["number"].problem_of_reference(asked("mm"), Reference((accepted,))) == ""
    assert KINDS["number"].score(50.0, reference, []).correct is True
    assert KINDS["number"].score(5.0, reference, []).correct is False
    assert KINDS["number"].reference_in_words(reference, {}) == ["50"]


def test_a_reference_beyond_the_limits_is_refused_in_whatever_unit_it_is() -> None:
    assert KINDS["number"].problem_of_reference(asked("mm", most=20.0), Reference(("1 cm",))) == ""
    assert "from -inf to 20" in KINDS["number"].problem_of_reference(asked("mm", most=20.0), Reference(("5 cm",)))


@pytest.mark.parametrize(("accepted", "unit"), [("50 ml", "mm"), ("50 mm", None), ("50 mm", "HU")])
def test_a_reference_in_another_kind_of_unit_is_refused(accepted: str, unit: str | None) -> None:
    says = KINDS["number"].problem_of_reference(asked(unit), Reference((accepted,)))

    assert f"not by '{accepted}'" in says
    assert unit is None or f"in {unit}" in says


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("about 50 mm", "50"), ("5 cm in diameter", "50"), ("50", "50"), ("50 lesions", "50"), ("a 5-cm mass", "50"),
        ("L4/5: 5 cm", "50"), ("50 ml", None), ("5 cm/s", None), ("> 5 cm", None), ("5 x 3 cm", None), ("large", None),
        ("5 cm2", None), ("5 centimeters", "50"), ("5 cms in size", "50"), ("5 dl", None),
        ("1 000 mm", "1000"), ("1 1/2 cm", "15"), ("5 (cm)", "50"),
        ("5\u00bd mm", "5.5"),
        ("5 mm/5 mm", None), ("grade 2 of 3", None), ("50 HU", None), ("50 ms", None), ("50 m2", None),
        ("500 micrometers", "0.5"),
    ],
)  # fmt: skip
def test_a_sentence_holds_one_number_in_the_unit_of_its_field(written: str, value: str | None) -> None:
    assert text.number_in(written, "mm") == (None if value is None else Decimal(value))
