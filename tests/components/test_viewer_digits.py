"""Digits of the questions: whose they are is always to be seen, and none answers a question that was not meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.components.conftest import Room
from tests.components.form_state import badges, chosen

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


def test_half_a_number_is_taken_back_and_is_never_submitted(room: MakeRoom) -> None:
    reader = room("twelve")
    reader.open()

    reader.press("1", "5")  # there is no fifteenth: the digit is passed over
    assert chosen(reader) == []
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


def test_backspace_takes_back_one_answer_after_the_other(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("Backspace", "Backspace", "2", "3")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "3"}


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


def test_focus_goes_with_the_digit_that_replaces_an_answer(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("a", "2")

    expect(reader.page.get_by_role("radio", name="No")).to_be_focused()
    assert chosen(reader) == ["No", "4"]


def typed_size(reader: Room, typed: str, answer: str = "2") -> Locator:
    """Answer the first question, type the diameter and leave its box."""
    reader.press(answer)
    size = reader.page.get_by_label("Largest diameter")
    size.focus()
    reader.page.keyboard.insert_text(typed)
    reader.press("Escape")
    return size


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
    reader.see("“Largest diameter” still says “1,500”: clear it with Backspace, then type the number.")
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


def test_backspace_takes_back_a_number_before_what_was_answered_earlier(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("4", "1", "2", "Escape")
    expect(size).to_have_value("12")

    reader.press("Backspace")

    expect(size).to_have_value("")
    assert reader.page.locator("[data-field=answer] input:checked").count() == 1
    reader.press("Backspace")
    assert reader.page.locator("[data-field=answer] input:checked").count() == 0


@pytest.mark.parametrize("way", ["by A", "by a click"])
def test_backspace_takes_back_a_number_that_was_typed_where_the_reader_went(room: MakeRoom, way: str) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("4")

    if way == "by A":
        reader.press("a")
    else:
        size.click()
    reader.press("1", "2", "Escape", "Backspace")

    expect(size).to_have_value("")
    assert reader.page.locator("[data-field=answer] input:checked").count() == 1


def test_backspace_takes_back_what_was_clicked_last_and_nothing_that_is_asked_no_more(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    answer, subtype = (reader.page.locator(f"[data-field={key}] input:checked") for key in ("answer", "subtype"))
    reader.press("1", "1")
    assert (answer.count(), subtype.count()) == (1, 1)

    reader.page.get_by_label("Multiple sclerosis").check()
    assert subtype.count() == 0
    reader.press("Backspace")

    assert answer.count() == 0


def test_backspace_takes_back_that_a_number_cannot_be_determined(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "Shift+n")
    undetermined = reader.page.locator("[data-field=size]").get_by_label("Undetermined")
    expect(undetermined).to_be_checked()

    reader.press("Backspace")

    expect(undetermined).not_to_be_checked()
    assert reader.page.locator("[data-field=answer] input:checked").count() == 1


def test_backspace_takes_back_nothing_that_an_earlier_sitting_has_left(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")
    reader.see("Draft saved")
    reader.open()
    answer = reader.page.locator("[data-field=answer] input:checked")
    expect(answer).to_have_count(1)

    reader.press("Backspace")

    assert answer.count() == 1


SHIFT = 8


def press_by_place(reader: Room, *keys: tuple[str, str], modifiers: int = 0) -> None:
    """Press keys as a keyboard does that has other signs than digits in its upper row: sign and place of each."""
    browser = reader.page.context.new_cdp_session(reader.page)
    for key, code in keys:
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" else {}
            browser.send(
                "Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "modifiers": modifiers, **text}
            )
    browser.detach()


FRENCH = {"1": ("&", "Digit1"), "2": ("é", "Digit2"), "4": ("'", "Digit4"), "5": ("(", "Digit5"), "6": ("-", "Digit6")}


def test_signs_on_the_keys_of_digits_choose_answers_and_begin_no_number(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")

    press_by_place(reader, FRENCH["4"], FRENCH["1"])

    assert reader.page.locator("[data-field=answer] input:checked").count() == 1
    reader.see(
        "“Largest diameter” is empty: “&” is no digit on this keyboard: use Shift or the number pad; press Backspace"
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
    reader.see("“Largest diameter” stands as “-”")
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


@pytest.mark.parametrize("key", ["x", "e", "/", "t"])
def test_digit_behind_a_key_that_no_number_has_is_not_added_to_it(room: MakeRoom, key: str) -> None:
    reader = room("structured")
    reader.open()
    size = reader.page.get_by_label("Largest diameter")
    reader.press("4", "1", "2", key, "8")

    expect(size).to_have_value("12")
    reader.see("“Largest diameter” stands as “12”")
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

    expect(reader.page.locator("[data-field=size] .problem")).to_contain_text("stands as “12”")
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
    reader.see("“é” is no digit on this keyboard")
    reader.press("Backspace", "2", "5")
    expect(size).to_have_value("25")


def test_no_digit_is_lost_after_a_number_was_refused_and_taken_back(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "Escape", "a", "a", "Escape")
    press_by_place(reader, FRENCH["2"])

    reader.press("Backspace", "Backspace", "1", "5")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("15")


def test_escape_takes_digits_again_wherever_the_focus_is(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")
    press_by_place(reader, FRENCH["2"])

    reader.press("Escape", "2", "5")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("25")


def test_digit_with_alt_is_none_of_the_rooms(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "Alt+2")

    expect(reader.page.get_by_label("Largest diameter")).to_have_value("")


def test_digits_follow_a_out_of_a_field_for_several_answers(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1")
    where = reader.page.locator("[data-field=sites] input:checked")
    expect(where).to_have_count(1)

    reader.press("a", "2")

    expect(where).to_have_count(1)


def test_backspace_gives_no_answer_back_that_was_taken_out(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    where = reader.page.locator("[data-field=sites] input:checked")
    reader.press("1", "1", "2", "2")
    expect(where).to_have_count(1)

    reader.press("Backspace")
    expect(where).to_have_count(0)
    reader.press("Backspace")

    assert reader.page.locator("[data-field=answer] input:checked").count() == 0


def test_escape_closes_a_panel_that_was_opened_from_a_number(room: MakeRoom) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4", "1", "2", "n", "Escape")

    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "false")
    reader.submit()
    assert reader.posted("verdict")[0]["answers"]["not_assessable"] is None


def test_number_that_was_left_by_a_holds_no_backspace_back(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2", "a")
    reader.page.locator("[data-field=confidence] .option").last.click()
    confidence = reader.page.locator("[data-field=confidence] input:checked")
    expect(confidence).to_have_count(1)

    reader.press("Backspace")

    expect(confidence).to_have_count(0)
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("12")


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


def test_backspace_takes_back_the_answer_that_a_has_gone_to(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4", "a", "Backspace", "2")
    reader.submit()

    assert reader.posted("verdict")[0]["answers"]["fields"] == {"answer": "no", "confidence": "4"}


def test_backspace_takes_back_no_answer_that_only_comes_into_sight_again(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "0")
    lesion = reader.page.locator("[data-field=answer] .option")
    where = reader.page.locator("[data-field=sites] input:checked")
    lesion.nth(1).click()
    lesion.nth(0).click()
    expect(where).to_have_count(1)

    reader.press("Backspace")

    assert reader.page.locator("[data-field=answer] input:checked").count() == 0


def test_backspace_takes_back_the_last_of_several_answers(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "2")
    where = reader.page.locator("[data-field=sites] input:checked")
    expect(where).to_have_count(2)

    reader.press("Backspace")

    expect(where).to_have_count(1)
    reader.press("3")
    expect(where).to_have_count(2)


def test_backspace_takes_back_a_point_before_an_earlier_answer(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    point = reader.page.locator("[data-field=place]")
    unset = point.inner_text()
    reader.press("2", "5", "Escape", "PageUp", "PageUp", "Control+ArrowLeft", "p")
    assert point.inner_text() != unset

    reader.press("Backspace")

    assert point.inner_text() == unset
    expect(reader.page.get_by_label("Largest diameter")).to_have_value("5")


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
    reader.see("“Largest diameter” stands as “12”, and what was typed after another key was not added")
    assert reader.posted("verdict") == []


def test_escape_out_of_words_leaves_what_a_number_refuses_to_be_seen(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2", "t", "8")
    reader.page.get_by_label("Impression").fill("x")
    reader.press("Escape")
    reader.page.locator("[data-field=confidence] .option").last.click()

    refused = reader.page.locator("[data-field=size] .problem")
    expect(refused).to_contain_text("stands as “12”")
    reader.press("Enter")
    assert reader.posted("verdict") == []


def test_backspace_that_takes_a_refusal_back_does_so_in_sight(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2", "t", "8")
    confidence = reader.page.locator("[data-field=confidence] input:checked")
    reader.page.locator("[data-field=confidence] .option").last.click()
    refused = reader.page.locator("[data-field=size] .problem")
    expect(refused).to_contain_text("stands as “12”")

    reader.press("Backspace")
    expect(refused).to_be_empty()
    expect(confidence).to_have_count(1)
    reader.press("Backspace")

    expect(confidence).to_have_count(0)


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
