"""Digits on keyboards of other countries and in other scripts count as what is written on the key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.keyboard import FRENCH, SHIFT, press_by_place

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_signs_on_the_keys_of_digits_choose_answers_and_begin_no_number(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")

    press_by_place(reader, FRENCH["4"], FRENCH["1"])

    assert reader.page.locator("[data-field=answer] input:checked").count() == 1
    reader.see(
        "“Largest diameter” is empty: “&” is not a digit on this keyboard: use Shift or the number pad; press Backspace"
    )
    expect(size).to_have_value("")


@pytest.mark.parametrize(("first", "second"), [("6", "2"), ("6", "5")])
def test_minus_on_the_key_of_a_digit_makes_no_other_number(room: MakeRoom, first: str, second: str) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")

    press_by_place(reader, FRENCH[first], FRENCH[second])
    reader.press("Enter")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("-")
    reader.see("“Largest diameter” reads “-”")
    assert reader.posted("verdict") == []


def test_digit_behind_shift_begins_the_number_that_comes_next(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")

    press_by_place(reader, ("1", "Digit1"), modifiers=SHIFT)
    press_by_place(reader, ("2", "Digit2"), modifiers=SHIFT)

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
    reader.submit()
    assert reader.posted("verdict")[0]["answers"]["fields"]["size"] == 12


@pytest.mark.parametrize("place", ["", "KeyU"])
def test_digit_counts_as_itself_wherever_its_key_is(room: MakeRoom, place: str) -> None:
    reader = room("structured")
    reader.open()

    press_by_place(reader, ("4", place), ("7", place), ("5", place))

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("75")
    assert reader.page.locator("[data-field=answer] input").nth(3).is_checked()


@pytest.mark.parametrize(("typed", "number"), [("١٢", 12), ("۳٫۵", 3.5), ("४२", 42)])
def test_number_is_read_in_the_digits_of_any_script(room: MakeRoom, typed: str, number: float) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")

    reader.page.get_by_label("Largest diameter").fill(typed)
    reader.submit()

    assert reader.posted("verdict")[0]["answers"]["fields"]["size"] == number


def test_digit_with_alt_is_none_of_the_rooms(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "Alt+2")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("")
