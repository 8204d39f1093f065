"""Keys that begin, fill and replace a number: they write where the reader is, and choose nothing behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.form_state import chosen
from tests.components.keyboard import typed_size

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_digits_are_typed_into_a_number_that_comes_first_and_choose_nothing_behind_it(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "0")

    reader.press("1", "2")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
    assert chosen(reader) == ["Yes", "Frontal"]


def test_answer_to_which_a_has_gone_is_replaced_by_the_next_digit(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("a", "2")
    reader.press("3")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "4"}


@pytest.mark.parametrize("between", [[], ["Escape"]], ids=["in the box", "outside of it"])
def test_number_to_which_a_has_gone_is_replaced_by_the_first_digit_and_not_by_the_next(
    room: MakeRoom, between: list[str]
) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "Escape", "a", "a")
    size = reader.page.get_by_label("Largest diameter")
    expect(size).to_have_value("12")

    reader.press(*between, "3", "4")

    expect(size).to_have_value("34")
    reader.press("Escape", "1")
    expect(size).to_have_value("34")


def test_no_other_field_shows_badges_while_a_number_is_typed(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "0")

    reader.press("1")

    assert reader.page.locator(".takes-digits").count() == 0
    expect(reader.page.get_by_text("to the next field").first).to_be_visible()
    reader.press("2", "Escape", "2")
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")


@pytest.mark.parametrize(("key", "tab"), [("n", "Not assessable"), ("c", "Comment"), ("f", "Flag")])
def test_letter_that_no_number_has_is_a_key_while_a_number_is_typed(room: MakeRoom, key: str, tab: str) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2")

    reader.press(key)

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
    expect(reader.page.get_by_role("button", name=tab)).to_have_attribute("aria-expanded", "true")


def test_next_field_is_one_key_away_from_a_number_and_letters_without_a_meaning_write_nothing(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2")
    number = reader.page.get_by_label("Largest diameter")

    number.focus()
    reader.page.keyboard.type("-1.5;e")
    reader.press("Shift+Digit5")
    expect(number).to_have_value("-1.5")
    reader.press("ControlOrMeta+a")
    reader.page.keyboard.type("1,5pa")

    expect(number).to_have_value("1,5")
    expect(number).not_to_be_focused()


def test_focus_goes_with_the_digit_that_replaces_an_answer(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("a", "2")

    expect(reader.page.get_by_role("radio", name="No")).to_be_focused()
    assert chosen(reader) == ["No", "4"]


@pytest.mark.parametrize(
    ("keys", "stored"),
    [("-5", -5), ("−5", -5), (".5", 0.5), (",5", 0.5), ("-.5", -0.5), ("+5", 5), ("-12", -12), ("0.5", 0.5)],
)
def test_number_that_begins_outside_its_box_keeps_sign_and_decimal_point(
    room: MakeRoom, keys: str, stored: float
) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "Escape")

    for sign in keys:
        # The minus of typography is on some keyboards, of which the browser under test has none.
        key = f"{{ key: '{sign}', code: '', bubbles: true, cancelable: true }}"
        if sign == "−":
            reader.page.evaluate(f"window.dispatchEvent(new KeyboardEvent('keydown', {key}))")
        else:
            reader.press(sign)
    reader.press("Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"]["size"] == stored


def test_sign_replaces_the_number_to_which_a_has_gone_as_a_digit_does(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = typed_size(reader, "12", answer="4")
    reader.press("a", "a", "Escape")

    reader.press("-", "5")

    expect(size).to_have_value("-5")


def test_keys_that_begin_a_number_act_on_the_images_with_shift(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("-", "4", "s")
    reader.see("10/s")

    reader.press("_", ">", ">", "<")

    reader.see("15/s")
    expect(size).to_have_value("")
    reader.press("-", "5", "Escape", "s", "-", "Enter")
    reader.page.locator(".done").wait_for()
    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"]["size"] == -5
    assert verdict["trace"]["tools"]["zoom"] == 3


def test_escape_closes_a_panel_that_was_opened_from_a_number(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "n", "Escape")

    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")
    reader.submit()
    assert reader.posted("verdict")[0]["answers"]["not_assessable"] is None


def test_key_that_is_held_for_the_images_begins_no_number(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.page.keyboard.down(".")
    reader.press("4")

    for _ in range(3):
        reader.page.keyboard.down(".")
    reader.page.keyboard.up(".")

    expect(size).to_have_value("")


@pytest.mark.parametrize("window", ["?", "j"])
def test_digit_after_a_window_over_the_room_is_not_added_to_the_number(room: MakeRoom, window: str) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", window, "Escape", "8", "Enter")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
    reader.see("“Largest diameter” reads “12”, and what was typed after another key was not added")
    assert reader.posted("verdict") == []
