"""Digits: whose they are is always to be seen, and none of them answers a question that was not meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def badges(reader: Room, box: str) -> list[str]:
    """Return the badges that can be seen in a part of the form."""
    digits = reader.page.locator(f"{box} .digit").all()
    return [badge.inner_text() for badge in digits if badge.is_visible()]


def chosen(reader: Room) -> list[str]:
    """Return the words of everything that is chosen, in panels as well."""
    return reader.page.locator(".option:has(input:checked) .words").all_inner_texts()


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


@pytest.mark.parametrize(
    "words",
    ["Prompt and T2 label, unclear", "finding 2 not visible", "2 scans swapped", "+/- 3 mm", "no contrast", "cut off"],
)
def test_words_typed_behind_a_flag_are_its_note_and_no_commands(room: MakeRoom, words: str) -> None:
    """Their letters would switch tools, call the item not assessable and submit it."""
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "f", "1")
    reader.page.keyboard.type(words)
    reader.press("Escape")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["flag"] == {"id": "prompt", "note": words}
    assert verdict["answers"]["not_assessable"] is None
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


@pytest.mark.parametrize(
    "words", ["see the left", "wrong side in slice 2 shown", "too dark\n", "finding ?+ 1", "no, Cut"]
)
def test_words_typed_before_a_kind_of_flag_choose_none_and_are_not_lost(room: MakeRoom, words: str) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)

    reader.press("f")
    reader.page.keyboard.type(words)
    reader.press("Escape", "Enter")

    reader.see("Choose what should be looked at, or empty the note.")
    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value(words)
    assert chosen(reader) == ["Yes", "4"]
    assert reader.posted("verdict") == []


@pytest.mark.parametrize("words", ["very noisy", "cut at 3 mm", "motion 2\n", "f 2 hello n 1", "too dark ?"])
def test_words_typed_into_not_assessable_are_the_comment_and_choose_no_reason(room: MakeRoom, words: str) -> None:
    reader = room("plain")
    reader.open()
    reader.page.wait_for_timeout(450)

    reader.press("n", "2")
    reader.page.keyboard.type(words)
    reader.press("Control+Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["not_assessable"] == "missing"
    assert verdict["answers"]["comment"].strip() == words.strip()
    assert verdict["answers"]["flag"] is None


def test_words_without_a_reason_call_nothing_not_assessable(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)

    reader.press("n")
    reader.page.keyboard.type("very noisy")
    reader.press("Control+Enter")

    reader.see("Choose why this cannot be assessed, or close “Not assessable”.")
    assert reader.posted("verdict") == []


def test_click_on_the_words_of_a_panel_leaves_the_focus_in_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "f", "1")
    reader.page.get_by_text("What should be looked at?").click()
    reader.page.keyboard.type("not 2 clear")

    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value("not 2 clear")
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
    reader.page.wait_for_timeout(450)
    reader.press("n", "Enter")
    reader.see("Choose why this cannot be assessed")

    reader.press("Escape")

    expect(reader.page.locator(".problem-line")).to_be_empty()


def test_field_for_several_answers_says_how_it_is_ended(room: MakeRoom) -> None:
    reader = room("several of twelve", "every")
    reader.open()
    said = "legend => getComputedStyle(legend, '::after').content"

    assert "00 done" in reader.page.locator("[data-field=answer] legend").evaluate(said)


def test_note_takes_digits_as_words_and_no_question_is_answered(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f", "1")
    reader.page.keyboard.type("slice 12")

    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value("slice 12")
    assert chosen(reader) == ["The prompt is unclear"]


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

    reader.see("You are revising the verdict of")
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


def test_half_a_number_is_taken_back_and_is_never_submitted(room: MakeRoom) -> None:
    reader = room("twelve")
    reader.open()

    reader.press("1", "5")  # there is no fifteenth: the digit is passed over
    assert chosen(reader) == []
    reader.page.wait_for_timeout(450)
    reader.press("Enter")
    reader.see("A digit is missing")
    reader.press("Escape", "0", "Backspace", "0", "7")

    assert chosen(reader) == ["Region 7"]
    assert reader.posted("verdict") == []


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


def test_backspace_takes_back_one_answer_after_the_other(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("Backspace", "Backspace", "2", "3")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "3"}


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

    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value("finding 2 is on the wrong side")
    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")


def test_words_behind_a_clicked_reason_are_the_comment_and_leave_the_reason(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.page.get_by_role("button", name="Not assessable").click()
    reader.page.locator(".panel .option").first.click()

    reader.page.keyboard.type("too 2 dark")
    reader.press("Control+Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert (verdict["answers"]["not_assessable"], verdict["answers"]["comment"]) == ("quality", "too 2 dark")


@pytest.mark.parametrize("words", ["2 slices missing", "10 mm cut off"])
def test_words_that_begin_with_a_digit_behind_a_reason_leave_it_as_it_is(room: MakeRoom, words: str) -> None:
    reader = room("plain")
    reader.open()

    reader.press("n", "1")
    reader.page.keyboard.type(words)

    assert chosen(reader) == ["Image quality"]
    expect(reader.page.get_by_role("textbox", name="Comment")).to_have_value(words)


@pytest.mark.parametrize("key", ["n", "f"])
def test_blank_chooses_nothing_in_a_panel(room: MakeRoom, key: str) -> None:
    reader = room("plain")
    reader.open()

    reader.press(key, "Space")

    assert chosen(reader) == []


@pytest.mark.parametrize("sign", ["لا", "ś", "𝛼"])
def test_one_key_that_writes_several_signs_begins_words_too(room: MakeRoom, sign: str) -> None:
    reader = room("plain")
    reader.open()
    reader.press("f")

    taken = reader.page.evaluate(
        """(key) => {
          let target = document.activeElement;
          while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
          const described = {key, code: "KeyB", bubbles: true, composed: true, cancelable: true};
          return target.dispatchEvent(new KeyboardEvent("keydown", described));
        }""",
        sign,
    )

    assert taken is True  # left to the browser, which writes it
    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_be_focused()


def test_escape_out_of_words_typed_into_not_assessable_closes_that_too(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("n")
    reader.page.keyboard.type("very noisy")
    reader.press("Escape", "1", "4")

    assert chosen(reader) == ["Yes", "4"]
    reader.see("Comment: very noisy")


def test_words_go_behind_those_that_are_in_the_comment_and_are_selected(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("c")
    reader.page.keyboard.type("See the note")
    reader.press("Control+a", "Escape", "n", "2")

    reader.page.keyboard.type("noisy")

    expect(reader.page.get_by_role("textbox", name="Comment")).to_have_value("See the note noisy")


def test_note_without_a_kind_is_shown_and_is_in_the_draft(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f")
    reader.page.keyboard.type("wrong side shown")
    reader.press("Escape")

    reader.see("Flag: of no kind yet (wrong side shown)")
    reader.await_draft("flag", {"id": None, "note": "wrong side shown"})


@pytest.mark.parametrize("between", ["Backspace", "CapsLock", "Shift"])
def test_where_no_comment_is_taken_words_are_ignored_until_a_key_that_leads_out(room: MakeRoom, between: str) -> None:
    reader = room("without comment")
    reader.open()
    reader.press("1", "4", "n", "1")

    reader.page.keyboard.type("motoin")
    reader.press(between, between)
    reader.page.keyboard.type("ion 2")
    reader.press("Enter")
    reader.page.wait_for_timeout(450)

    assert chosen(reader)[-1] == "Image quality"
    assert reader.posted("verdict") == []
    reader.press("Escape", "Enter")
    reader.page.locator(".done").wait_for()
    assert reader.posted("verdict")[0]["answers"]["not_assessable"] == "quality"


def test_click_on_the_words_of_a_panel_brings_the_keys_back_into_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("1", "4", "f")
    reader.page.locator(".stage").first.click()
    reader.page.get_by_text("What should be looked at?").click()
    reader.page.keyboard.type("not clear")

    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value("not clear")
    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")


def test_digit_behind_a_choice_is_a_word_also_after_a_look_at_another_window(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("n", "1")

    reader.page.evaluate(
        """() => {
          let target = document.activeElement;
          while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
          target.blur();
          target.focus();
        }"""
    )
    reader.page.keyboard.type("2 slices missing")

    assert chosen(reader) == ["Image quality"]
    expect(reader.page.get_by_role("textbox", name="Comment")).to_have_value("2 slices missing")


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


def test_digit_that_no_choice_has_begins_words(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f")
    reader.page.keyboard.type("5 slices missing")

    expect(reader.page.get_by_role("textbox", name="Note to the flag")).to_have_value("5 slices missing")
    assert chosen(reader) == []


def test_no_other_field_shows_badges_while_a_number_is_typed(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "0")

    reader.press("1")

    assert reader.page.locator(".takes-digits").count() == 0
    expect(reader.page.get_by_text("to the next field").first).to_be_visible()
    reader.press("2", "Escape", "2")
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
