"""Optional fields are passed by the keyboard, and no digit goes back to what was passed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def next_field(reader: Room) -> str | None:
    return reader.page.locator(".field.takes-digits").get_attribute("data-field")


def fields_of(reader: Room) -> dict[str, object]:
    reader.submit()
    return dict(reader.posted("verdict")[0]["answers"]["fields"])


def chosen(reader: Room, key: str) -> int:
    return reader.page.locator(f"[data-field={key}] input:checked").count()


@pytest.fixture
def reader(room: MakeRoom) -> Room:
    """A form with optional size, signs, two points and words; the answer "No" is given, so that size is next."""
    reader = room("optional")
    reader.open()
    reader.press("2")
    assert next_field(reader) == "size"
    return reader


@pytest.mark.parametrize("keys", [("a", "a"), ("a", "Escape")], ids="-".join)
def test_optional_number_that_stays_empty_is_passed(reader: Room, keys: tuple[str, ...]) -> None:
    reader.press(*keys, "1", "3", "0", "5")

    assert fields_of(reader) == {"answer": "no", "signs": ["frontal", "temporal"], "confidence": "5"}


def test_number_that_was_passed_takes_no_digit_after_fields_below_it_are_answered(reader: Room) -> None:
    reader.page.get_by_text("Parietal", exact=True).click()
    reader.press("Escape", "5", "5")

    assert fields_of(reader) == {"answer": "no", "signs": ["parietal"], "confidence": "5"}


def test_zero_passes_an_optional_field_of_several_answers(reader: Room) -> None:
    reader.press("7", "Escape", "0", "4")

    assert fields_of(reader) == {"answer": "no", "size": 7, "confidence": "4"}


def test_required_field_cannot_be_passed(reader: Room) -> None:
    reader.press("Backspace", "1")
    reader.press("a", "a", "Escape", "a", "Escape")

    assert next_field(reader) == "spots"


def test_a_goes_through_optional_fields_to_the_words_and_once_nothing_is_left_through_all(reader: Room) -> None:
    reader.press("a", "a", "a", "a", "a", "5", "a")
    expect(reader.page.get_by_label("Impression")).to_be_focused()

    reader.press("Escape", "a", "a")

    expect(reader.page.get_by_label("Largest diameter")).to_be_focused()
    reader.press("8")
    assert fields_of(reader) == {"answer": "no", "size": 8, "confidence": "5"}


def test_field_that_was_passed_is_answered_by_digits_once_it_is_clicked(reader: Room) -> None:
    reader.press("a", "a", "0", "5")

    reader.page.get_by_label("Largest diameter").click()
    reader.press("9", "Escape")

    assert fields_of(reader) == {"answer": "no", "size": 9, "confidence": "5"}


def test_what_was_passed_is_still_passed_when_a_draft_comes_back(reader: Room) -> None:
    reader.press("a", "a", "1", "0")
    reader.await_draft("fields", {"answer": "no", "signs": ["frontal"]})

    reader.open()

    assert next_field(reader) == "confidence"


def test_field_below_a_number_comes_into_sight_when_the_number_is_left(room: MakeRoom) -> None:
    reader = room("optional", width=1280, height=520)
    reader.open()
    reader.press("2", "7", "Escape")

    expect(reader.page.get_by_text("Temporal", exact=True)).to_be_in_viewport(ratio=0.9)


def test_point_is_set_in_the_field_to_which_a_has_led(reader: Room) -> None:
    reader.press("a", "a", "0", "p", "PageUp", "p", "5", "a", "Escape")
    first, second = (reader.page.locator(f"[data-field={key}] .point-words") for key in ("first", "second"))
    before, moved = first.inner_text(), second.inner_text()
    while_all_are_set = "Every point is set. To set one again, go to it with A or Tab, then press P."

    reader.press("p")
    reader.see(while_all_are_set)
    reader.press("a", "a", "a", "a", "a", "PageUp", "PageUp", "p")

    expect(second).not_to_have_text(moved)
    expect(first).to_have_text(before)
    reader.press("Backspace")
    expect(second).to_contain_text("No point yet")
    expect(first).to_have_text(before)


def test_point_is_set_in_the_empty_field_with_the_focus(reader: Room) -> None:
    second = reader.page.locator("[data-field=second]")
    second.get_by_role("button", name="Set at crosshair").focus()

    reader.press("p")

    expect(second).not_to_contain_text("No point yet")
    expect(reader.page.locator("[data-field=first]")).to_contain_text("No point yet")


@pytest.mark.parametrize("way", ["p", "click on a point", "click on an option"])
def test_digit_goes_to_the_highlighted_field_after_an_answer_below_it(reader: Room, way: str) -> None:
    if way == "p":
        reader.press("p")
    elif way == "click on a point":
        reader.page.locator("[data-field=first]").get_by_role("button", name="Set at crosshair").click()
    else:
        reader.page.get_by_text("Parietal", exact=True).click()

    assert next_field(reader) == "confidence"
    reader.press("5")

    assert chosen(reader, "confidence") == 1


def test_undetermined_is_said_of_the_field_that_is_next_and_not_of_one_that_was_passed(room: MakeRoom) -> None:
    reader = room("optional undetermined")
    reader.open()
    reader.press("a", "Escape", "0")
    assert next_field(reader) == "answer"

    reader.press("Shift+N", "3")

    assert fields_of(reader) == {"answer": {"abstention": "undetermined"}, "confidence": "3"}


def test_point_that_a_has_led_to_is_set_after_a_click_on_the_image(reader: Room) -> None:
    reader.press("a", "a", "0", "a", "a")
    reader.page.locator("canvas.overlay").first.click()

    reader.press("p")

    expect(reader.page.locator("[data-field=second]")).not_to_contain_text("No point yet")
    expect(reader.page.locator("[data-field=first]")).to_contain_text("No point yet")


def test_window_over_the_room_brings_no_field_back_that_was_passed(reader: Room) -> None:
    reader.press("a", "a", "0", "?", "Escape")

    assert next_field(reader) == "confidence"
    reader.press("1")
    assert chosen(reader, "signs") == 0


def test_empty_optional_field_that_tab_leaves_is_passed(reader: Room) -> None:
    reader.press("a", "a", "0", "Shift+Tab", "Tab", "Tab", "Tab", "Tab", "Escape")

    assert next_field(reader) == "confidence"


def test_optional_choices_are_passed_by_escape(reader: Room) -> None:
    reader.press("a", "a", "Escape")

    assert next_field(reader) == "confidence"


def test_a_goes_on_behind_words_that_were_left_empty(reader: Room) -> None:
    reader.press("a", "a", "a", "a", "a", "5", "a", "Escape", "a", "a", "a", "a", "a", "a", "a", "Escape", "a")

    expect(reader.page.locator("[data-field=answer]").locator(":focus")).to_have_count(1)


def test_no_point_is_set_while_the_item_cannot_be_assessed(reader: Room) -> None:
    reader.press("n", "1", "Escape", "p")

    expect(reader.page.locator("[data-field=first]")).to_contain_text("No point yet")


@pytest.mark.parametrize("way", ["Escape", "Tab"])
def test_point_to_which_a_had_led_is_not_set_once_it_was_left(reader: Room, way: str) -> None:
    reader.press("a", "a", "0", "a", way, "p")

    expect(reader.page.locator("[data-field=second]")).not_to_contain_text("No point yet")
    expect(reader.page.locator("[data-field=first]")).to_contain_text("No point yet")


def test_point_that_is_set_is_replaced_only_where_the_reader_is(reader: Room) -> None:
    reader.press("a", "a", "0", "p", "PageUp", "p", "5", "a", "Escape", "a", "a", "a", "a")
    first, second = (reader.page.locator(f"[data-field={key}] .point-words") for key in ("first", "second"))
    before, moved = first.inner_text(), second.inner_text()

    reader.press("Escape", "PageUp", "p")
    reader.see("Every point is set")
    expect(first).to_have_text(before)
    second.locator("..").get_by_role("button", name="Set at crosshair").focus()
    reader.press("p")

    expect(first).to_have_text(before)
    expect(second).not_to_have_text(moved)


def test_enter_submits_after_a_digit_that_answered_below_the_button_of_a_point(reader: Room) -> None:
    reader.press("a", "a", "0", "a", "5")

    assert fields_of(reader) == {"answer": "no", "confidence": "5"}


def test_several_answers_that_were_taken_back_and_passed_take_no_digit(reader: Room) -> None:
    reader.press("a", "a", "1", "1", "Escape", "4")

    assert fields_of(reader) == {"answer": "no", "confidence": "4"}


def test_digit_behind_tab_answers_the_field_with_the_focus(reader: Room) -> None:
    reader.press("7", "Escape", "0", "5", "a", "Escape", "a", "a")
    expect(reader.page.get_by_label("Largest diameter")).to_be_focused()

    reader.press("Tab", "1")

    assert fields_of(reader) == {"answer": "no", "size": 7, "signs": ["frontal"], "confidence": "5"}


def test_digit_behind_backspace_gives_the_answer_anew_wherever_the_focus_is(reader: Room) -> None:
    reader.press("a", "a", "Backspace", "2", "0", "3")

    assert fields_of(reader) == {"answer": "no", "confidence": "3"}
