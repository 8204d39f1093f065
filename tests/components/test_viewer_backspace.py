"""Backspace takes back the last answer that was given in this sitting, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.form_state import chosen

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


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


def test_backspace_takes_back_one_answer_after_the_other(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")

    reader.press("Backspace", "Backspace", "2", "3")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "confidence": "3"}


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


def test_backspace_that_takes_a_refusal_back_does_so_in_sight(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2", "1", "2", "t", "8")
    confidence = reader.page.locator("[data-field=confidence] input:checked")
    reader.page.locator("[data-field=confidence] .option").last.click()
    refused = reader.page.locator("[data-field=size] .problem")
    expect(refused).to_contain_text("reads “12”")

    reader.press("Backspace")
    expect(refused).to_be_empty()
    expect(confidence).to_have_count(1)
    reader.press("Backspace")

    expect(confidence).to_have_count(0)
