"""Digits of the questions: whose they are is always to be seen, and none answers a question that was not meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.form_state import badges, chosen
from tests.components.keyboard import FRENCH, press_by_place

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_field_for_several_answers_says_how_it_is_ended(room: MakeRoom) -> None:
    reader = room("several of twelve", "every")
    reader.open()
    said = "legend => getComputedStyle(legend, '::after').content"

    assert "00 done" in reader.page.locator("[data-field=answer] legend").evaluate(said)


def test_digits_belong_to_the_presets_while_they_have_the_focus(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    presets = reader.page.get_by_role("group", name="Window presets")

    presets.get_by_role("button").first.focus()
    reader.press("Shift", "2")

    assert [badge.is_visible() for badge in presets.locator(".digit").all()] == [True, True, True]
    assert chosen(reader) == []
    reader.press("Escape", "2")
    assert chosen(reader) == ["No"]


def test_window_over_the_room_keeps_digits_from_the_question(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    for key in ("?", "j"):
        reader.press(key, "1", "2", "Escape")

    assert chosen(reader) == []


def test_earlier_item_is_chosen_by_its_digit(room: MakeRoom) -> None:
    reader = room("plain", "second", "plain", revisable=True)
    reader.open()
    for _ in range(2):
        reader.press("1", "4")
        reader.submit()

    reader.press("q")
    reader.page.get_by_role("button", name="Item 1").wait_for()
    reader.press("2")

    reader.see("You are revising your verdict of")
    expect(reader.page.locator(".prompt")).to_have_text("Is there a lesion in the left frontal lobe?")


def test_twelve_options_are_chosen_by_two_digits_each(room: MakeRoom) -> None:
    reader = room("twelve")
    reader.open()
    assert badges(reader, "[data-field=answer]") == [f"{n:02}" for n in range(1, 13)]

    reader.press("1")
    assert chosen(reader) == []
    assert reader.page.locator(".digit:not(.out)").count() >= 3
    reader.press("2")

    assert chosen(reader) == ["Region 12"]
    reader.press("Backspace", "0", "1")
    assert chosen(reader) == ["Region 1"]


def test_several_of_twelve_are_chosen_and_two_zeros_end_the_field(room: MakeRoom) -> None:
    reader = room("several of twelve")
    reader.open()

    reader.press("0", "3", "1", "1", "0", "0", "4")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": ["r3", "r11"], "confidence": "4"}


def test_half_a_number_ends_with_the_panel_that_it_was_begun_for(room: MakeRoom) -> None:
    reader = room("twelve")
    reader.open()

    reader.press("1", "f", "2", "Escape", "2")

    assert chosen(reader) == ["Something is wrong with the images"] or chosen(reader) == []
    reader.see("Flag: Something is wrong with the images")
    expect(reader.page.locator("[data-field=answer] input:checked")).to_have_count(0)


def test_digits_go_on_to_the_box_that_says_so(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    said = "label => getComputedStyle(label, '::after').content"
    label = reader.page.locator("[data-field=size] .title")
    assert "type the number" not in label.evaluate(said)

    reader.press("4")

    assert "type the number" in label.evaluate(said)
    reader.press("7", "Escape")
    assert "type the number" not in label.evaluate(said)


def test_escape_takes_digits_again_wherever_the_focus_is(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")
    press_by_place(reader, FRENCH["2"])

    reader.press("Escape", "2", "5")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("25")


def test_digits_follow_a_out_of_a_field_for_several_answers(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1")
    where = reader.page.locator("[data-field=sites] input:checked")
    expect(where).to_have_count(1)

    reader.press("a", "2")

    expect(where).to_have_count(1)
