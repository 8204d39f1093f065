"""A number that cannot be read, or a sign that no number has: it stays in sight and never becomes another number."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.keyboard import FRENCH, SHIFT, press_by_place, typed_size

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


@pytest.mark.parametrize("typed", ["12n", "3 or 4", "1e", "1.50"])
def test_number_that_is_typed_half_or_wrong_comes_back_as_it_was_left_and_is_not_submitted(
    room: MakeRoom, typed: str
) -> None:
    reader = room("every")
    reader.open()
    reader.press("2")
    reader.page.get_by_label("Largest diameter").fill(typed)
    reader.press("Escape")

    reader.await_draft("fields", {"answer": "no", "size": typed})
    reader.see("Draft saved")
    reader.open()

    expect(reader.page.get_by_label("Largest diameter")).to_have_value(typed)
    reader.page.locator("[data-field=confidence] .option").last.click()
    reader.press("Enter")
    if typed == "1.50":
        reader.page.locator(".done").wait_for()
        assert reader.posted("verdict")[0]["answers"]["fields"]["size"] == 1.5
    else:
        reader.see("takes a number, such as 12 or 3.5")
        assert reader.posted("verdict") == []


@pytest.mark.parametrize("typed", ["1,500", "1e", "-", "300"])
def test_digits_after_a_number_with_a_problem_never_make_another_number_of_it(room: MakeRoom, typed: str) -> None:
    reader = room("every")
    reader.open()
    size = typed_size(reader, typed)

    for key in ("4", "Enter", "4", "Enter", "a", "4", "-", ".", "5", "Escape", "4", "Enter"):
        reader.press(key)
        expect(size).to_have_value(typed)

    assert reader.posted("verdict") == []
    reader.await_draft("fields", {"answer": "no", "size": 300 if typed == "300" else typed})


@pytest.mark.parametrize("key", ["4", "0", "-", ".", "a", "Enter"])
def test_number_that_cannot_be_read_asks_to_be_cleared_before_anything_is_typed(room: MakeRoom, key: str) -> None:
    reader = room("every")
    reader.open()
    size = typed_size(reader, "1,500")

    reader.press(key)

    reader.see("“Largest diameter” could mean 1500 or 1.5; write 1500 without a separator, or 1.5.")
    expect(size).to_be_focused()
    expect(reader.page.get_by_text("clears it").first).to_be_visible()
    reader.press("7")
    reader.see("“Largest diameter” still reads “1,500”: clear it with Backspace, then type the number.")
    reader.press("Backspace", "1", "5")
    expect(size).to_have_value("15")
    expect(reader.page.locator("[data-field=size] .problem")).to_be_empty()


def test_number_that_cannot_be_read_is_corrected_where_the_reader_puts_the_cursor(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    size = typed_size(reader, "1,23")
    reader.press("Escape")
    size.fill("1,234")
    reader.press("Escape", "3")
    expect(size).to_have_value("1,234")

    reader.press("End", "0")

    expect(size).to_have_value("1,2340")


def test_number_that_cannot_be_read_is_not_called_undetermined_by_a_key_for_the_next_question(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = typed_size(reader, "1,500", answer="4")
    undetermined = reader.page.locator("[data-field=size] input[type=checkbox]")

    reader.press("Shift+n")

    expect(undetermined).not_to_be_checked()
    expect(size).to_have_value("1,500")
    reader.see("could mean 1500 or 1.5")
    reader.press("Shift+n")
    expect(undetermined).to_be_checked()
    expect(size).to_have_value("")


@pytest.mark.parametrize("key", ["x", "e", "/", "t"])
def test_digit_behind_a_key_that_no_number_has_is_not_added_to_it(room: MakeRoom, key: str) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("4", "1", "2", key, "8")

    expect(size).to_have_value("12")
    reader.see("“Largest diameter” reads “12”")
    reader.press("Enter")
    assert reader.posted("verdict") == []
    reader.press("Backspace")
    expect(size).to_have_value("12")
    reader.press("Backspace", "8")
    expect(size).to_have_value("18")
    reader.submit()
    assert reader.posted("verdict")[0]["answers"]["fields"]["size"] == 18


@pytest.mark.parametrize("way", ["a click on Submit", "A", "help and back"])
def test_refused_digit_is_forgotten_on_no_way_but_by_the_reader(room: MakeRoom, way: str) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "t", "8")

    if way == "a click on Submit":
        reader.page.get_by_role("button", name="Submit").click()
    elif way == "A":
        reader.press("a", "Enter")
    else:
        reader.press("?", "Escape", "8", "Enter")

    expect(reader.page.locator("[data-field=size] .problem")).to_contain_text("reads “12”")
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")
    assert reader.posted("verdict") == []


def test_sign_that_came_instead_of_the_first_digit_holds_the_second_back(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("4")

    press_by_place(reader, FRENCH["2"])
    press_by_place(reader, ("5", "Digit5"), modifiers=SHIFT)
    reader.press("Enter")

    expect(size).to_have_value("")
    reader.see("“é” is not a digit on this keyboard")
    reader.press("Backspace", "2", "5")
    expect(size).to_have_value("25")


def test_no_digit_is_lost_after_a_number_was_refused_and_taken_back(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "Escape", "a", "a", "Escape")
    press_by_place(reader, FRENCH["2"])

    reader.press("Backspace", "Backspace", "1", "5")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("15")


def test_number_that_a_has_gone_to_stays_the_next_one_when_a_sign_was_refused(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("2", "1", "2", "Escape", "p", "2", "1", "3", "0", "4")
    reader.page.get_by_label("Impression").fill("A small focus.")
    reader.press("Escape", "a", "a")
    expect(size).to_be_focused()
    reader.press("Escape")
    press_by_place(reader, FRENCH["2"])

    reader.press("Backspace", "Backspace", "1", "5")

    expect(size).to_have_value("15")
    assert reader.page.locator("[data-field=confidence] input:checked").count() == 1


def test_sign_in_the_box_of_an_undetermined_number_leaves_it_undetermined(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "Shift+n")
    reader.page.get_by_label("Largest diameter").click()

    press_by_place(reader, FRENCH["2"])
    reader.press("Tab")

    expect(reader.page.locator("[data-field=size]").get_by_label("Undetermined")).to_be_checked()


def test_number_stands_once_it_is_left_after_a_digit_was_refused(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "t", "8", "Escape")

    reader.submit()

    assert reader.posted("verdict")[0]["answers"]["fields"]["size"] == 12


def test_digit_after_undetermined_is_for_the_next_question(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    undetermined = reader.page.locator("[data-field=size]").get_by_label("Undetermined")
    reader.press("4", "a", "Shift+n")

    reader.press("2")

    expect(undetermined).to_be_checked()
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("")


def test_escape_out_of_words_leaves_what_a_number_refuses_to_be_seen(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2", "t", "8")
    reader.page.get_by_label("Impression").fill("x")
    reader.press("Escape")
    reader.page.locator("[data-field=confidence] .option").last.click()

    refused = reader.page.locator("[data-field=size] .problem")
    expect(refused).to_contain_text("reads “12”")
    reader.press("Enter")
    assert reader.posted("verdict") == []


def test_what_an_input_method_composes_does_not_replace_a_number_with_a_problem(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", ",", "5", "0", "0", "Enter")
    reader.see("could mean 1500 or 1.5")

    browser = reader.page.context.new_cdp_session(reader.page)
    browser.send("Input.imeSetComposition", {"text": "８", "selectionStart": 1, "selectionEnd": 1})
    browser.send("Input.insertText", {"text": "８"})

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("1,500")
    reader.see("clear it with Backspace, then type the number")
