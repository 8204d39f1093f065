"""The panels of flag and *not assessable*: while one is open its keys are its own, and closing it gives them back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.form_state import badges, chosen

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_digits_belong_to_the_flag_while_it_has_the_focus(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f")
    assert badges(reader, ".panel:visible") == ["1", "2"]
    assert badges(reader, "[data-field=answer]") == []
    reader.press("2")

    assert chosen(reader) == ["Something is wrong with the images"]
    reader.press("Shift+Tab", "1")
    assert chosen(reader) == ["The prompt is unclear"]


def test_escape_closes_the_flag_keeps_it_and_gives_the_digits_back_to_the_question(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f", "2", "Escape")
    expect(reader.page.locator(".panel:visible")).to_have_count(0)
    reader.see("Flag: Something is wrong with the images")
    assert badges(reader, "[data-field=answer]") == ["1", "2"]
    reader.press("1", "4")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}
    assert verdict["answers"]["flag"] == {"id": "image", "note": ""}


def test_escape_leaves_nothing_behind_where_nothing_was_said(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    for key in ("f", "n", "c"):
        reader.press(key)
        expect(reader.page.locator(".panel:visible")).to_have_count(1)
        reader.press("Escape")
        expect(reader.page.locator(".panel:visible")).to_have_count(0)
    reader.press("2", "5")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "5"}
    assert verdict["answers"]["not_assessable"] is None
    assert verdict["answers"]["flag"] is None


def test_closed_reason_still_sets_the_questions_aside_until_its_key_takes_it_back(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("n", "1", "Escape", "2")
    reader.see("Not assessable: Image quality")
    assert chosen(reader) == ["Image quality"] or chosen(reader) == []
    expect(reader.page.get_by_role("radio", name="No", exact=True)).not_to_be_checked()
    reader.press("n", "Backspace", "2", "3")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["not_assessable"] is None
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "3"}


def test_key_of_an_open_panel_without_the_focus_goes_into_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("f", "1")
    reader.page.locator(".stage").first.click()
    assert badges(reader, "[data-field=answer]") == ["1", "2"]

    reader.press("f", "2")

    assert chosen(reader) == ["Something is wrong with the images"]
    reader.press("Escape", "f", "Backspace")
    assert chosen(reader) == []


def test_click_on_the_words_of_a_panel_leaves_the_focus_in_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "f", "1")
    reader.page.get_by_text("What should be checked?").click()
    reader.page.keyboard.type("not 2 clear")

    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value("not 2 clear")
    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize(("key", "shift"), [("é", False), ("2", True)])
def test_digits_of_a_keyboard_that_has_them_behind_shift_choose_in_a_panel(
    room: MakeRoom, key: str, shift: bool
) -> None:
    reader = room("plain")
    reader.open()
    reader.press("f")

    reader.page.evaluate(
        """([key, shiftKey]) => {
          let target = document.activeElement;
          while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
          const described = {key, code: "Digit2", shiftKey, bubbles: true, composed: true};
          target.dispatchEvent(new KeyboardEvent("keydown", described));
        }""",
        [key, shift],
    )

    assert chosen(reader) == ["Something is wrong with the images"]


def test_backspace_takes_back_what_was_said_in_a_panel(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("n", "1", "Backspace")

    expect(reader.page.locator(".panel:visible")).to_have_count(0)
    assert chosen(reader) == []


def test_backspace_behind_a_closed_reason_takes_that_back_and_no_answer(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "n", "1", "Escape", "Backspace")

    expect(reader.page.locator(".said")).to_be_hidden()
    assert chosen(reader) == ["Yes", "4"]


def test_message_of_a_panel_goes_when_it_is_closed(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")
    reader.press("n", "Enter")
    reader.see("Choose why this cannot be assessed")

    reader.press("Escape")

    expect(reader.page.locator(".problem-line")).to_be_empty()


def test_note_takes_digits_as_words_and_no_question_is_answered(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f", "1")
    reader.page.keyboard.type("slice 12")

    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value("slice 12")
    assert chosen(reader) == ["The prompt is unclear"]


def test_note_and_comment_of_closed_panels_stand_below_the_buttons(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f", "1")
    reader.page.keyboard.type("Stripes at the skull base")
    reader.press("Escape", "c")
    reader.page.keyboard.type("See the note")
    reader.press("Escape")

    reader.see("(Stripes at the skull base)")
    reader.see("Comment: See the note")


def test_submit_names_the_key_that_submits_from_where_somebody_types(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    key = reader.page.locator(".submit kbd")
    expect(key).to_have_text("Enter")

    reader.press("c")

    expect(key).to_have_text("Ctrl Enter")


@pytest.mark.parametrize("before", ["Yes", "fairly sure"])
def test_panel_has_the_keys_although_an_answer_was_clicked_before(room: MakeRoom, before: str) -> None:
    reader = room("plain")
    reader.open()
    reader.page.locator(".option", has_text=before).first.click()

    reader.press("f")
    reader.page.keyboard.type("finding 2 is on the wrong side")

    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value("finding 2 is on the wrong side")
    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("key", ["n", "f"])
def test_blank_chooses_nothing_in_a_panel(room: MakeRoom, key: str) -> None:
    reader = room("plain")
    reader.open()

    reader.press(key, "Space")

    assert chosen(reader) == []


def test_click_on_the_words_of_a_panel_brings_the_keys_back_into_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "f")
    reader.page.locator(".stage").first.click()
    reader.page.get_by_text("What should be checked?").click()
    reader.page.keyboard.type("not clear")

    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value("not clear")
    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("key", ["f", "n"])
def test_key_that_opens_a_panel_writes_nothing_while_it_is_held(room: MakeRoom, key: str) -> None:
    reader = room("plain")
    reader.open()

    for _ in range(3):
        reader.page.keyboard.down(key)
    reader.page.keyboard.up(key)
    reader.press("2")

    assert len(chosen(reader)) == 1
    assert [area.input_value() for area in reader.page.locator("textarea").all()] == ["", ""]


def test_panels_are_closed_when_a_draft_comes_back_and_what_was_said_stands_below_them(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("c")
    reader.page.keyboard.type("side unclear")
    reader.press("Escape", "f", "2", "Escape", "1")
    reader.await_draft("fields", {"answer": "yes"})

    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.locator(".panel:visible")).to_have_count(0)
    reader.see("Flag: Something is wrong with the images · Comment: side unclear")
    reader.press("4")
    assert chosen(reader)[:2] == ["Yes", "4"]
    reader.press("c")
    expect(reader.page.get_by_label("Comment", exact=True)).to_have_value("side unclear")
    expect(reader.page.get_by_label("Comment", exact=True)).to_be_focused()


@pytest.mark.parametrize("key", ["n", "c", "f"])
def test_escape_closes_an_open_panel_wherever_the_focus_is(room: MakeRoom, key: str) -> None:
    reader = room("plain")
    reader.open()
    reader.press(key)
    expect(reader.page.locator(".panel:visible")).to_have_count(1)
    reader.page.get_by_role("button", name="Crosshair").click()
    expect(reader.page.locator(".panel:focus-within")).to_have_count(0)

    reader.press("Escape")

    expect(reader.page.locator(".panel:visible")).to_have_count(0)


def test_escape_leaves_a_text_field_before_it_closes_a_panel(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("c")
    reader.page.get_by_label("Impression").click()

    reader.press("Escape")
    expect(reader.page.get_by_label("Impression")).not_to_be_focused()
    expect(reader.page.locator(".panel:visible")).to_have_count(1)
    reader.press("Escape")
    expect(reader.page.locator(".panel:visible")).to_have_count(0)
