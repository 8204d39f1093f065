"""Words that are typed in a panel are its note or comment: none is lost, and none is taken for a key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.form_state import chosen

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


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

    reader.press("f")
    reader.page.keyboard.type(words)
    reader.press("Escape", "Enter")

    reader.see("Choose what should be checked, or clear the note.")
    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value(words)
    assert chosen(reader) == ["Yes", "4"]
    assert reader.posted("verdict") == []


@pytest.mark.parametrize("words", ["very noisy", "cut at 3 mm", "motion 2\n", "f 2 hello n 1", "too dark ?"])
def test_words_typed_into_not_assessable_are_the_comment_and_choose_no_reason(room: MakeRoom, words: str) -> None:
    reader = room("plain")
    reader.open()

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

    reader.press("n")
    reader.page.keyboard.type("very noisy")
    reader.press("Control+Enter")

    reader.see("Choose why this cannot be assessed, or close “Not assessable”.")
    assert reader.posted("verdict") == []


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
    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_be_focused()


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

    reader.see("Flag: no kind chosen yet (wrong side shown)")
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

    assert chosen(reader)[-1] == "Image quality"
    assert reader.posted("verdict") == []
    reader.press("Escape", "Enter")
    reader.page.locator(".done").wait_for()
    assert reader.posted("verdict")[0]["answers"]["not_assessable"] == "quality"


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


def test_digit_that_no_choice_has_begins_words(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("f")
    reader.page.keyboard.type("5 slices missing")

    expect(reader.page.get_by_role("textbox", name="Note on the flag")).to_have_value("5 slices missing")
    assert chosen(reader) == []


def test_words_typed_into_a_form_that_asks_for_nothing_else_keep_their_first_letters(room: MakeRoom) -> None:
    """The A would lead into the field, and the B and the C elsewhere."""
    reader = room("words alone", "words alone")
    reader.open()

    for words in ("Answer 1", "ACr of the left"):
        reader.page.keyboard.type(words)
        reader.press("Control+Enter")
        reader.page.locator(".done, .count:text-is('1 of 2 done · 1 left')").wait_for()
        reader.page.locator(".submit:not([disabled]), .done").wait_for()

    sent = [verdict["answers"]["fields"] for verdict in reader.posted("verdict")]
    assert sent == [{"answer": "Answer 1"}, {"answer": "ACr of the left"}]


def test_words_go_on_in_the_field_after_a_pause(room: MakeRoom) -> None:
    reader = room("words alone")
    reader.open()
    reader.page.keyboard.type("An old")
    reader.press("Escape", "h", "x")

    reader.page.keyboard.type(" scar")

    expect(reader.page.get_by_label("In your own words")).to_have_value("An old scar")


def test_form_with_several_answers_in_words_begins_in_the_first_and_goes_on_where_they_ended(room: MakeRoom) -> None:
    reader = room("two answers in words")
    reader.open()

    reader.page.keyboard.type("An old scar")
    reader.press("Tab")
    reader.page.keyboard.type("a rim")
    reader.press("Escape", "h", "x")
    reader.page.keyboard.type(" of blood")
    reader.press("Control+Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "An old scar", "why": "a rim of blood"}


@pytest.mark.parametrize("item", ["words about images", "words and a choice"])
def test_form_beside_images_or_with_choices_leaves_the_keys_to_the_room(room: MakeRoom, item: str) -> None:
    reader = room(item)
    reader.open()
    words = reader.page.get_by_label("In your own words")

    expect(words).not_to_be_focused()
    reader.press("a")

    expect(words).to_be_focused()
    expect(words).to_have_value("")
