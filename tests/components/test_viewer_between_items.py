"""Between two items nothing is filled in: what belongs to one is stored under it, and nothing of it under the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


BREAK_CANVAS = """() => {
    window.drawn = CanvasRenderingContext2D.prototype.putImageData;
    CanvasRenderingContext2D.prototype.putImageData = () => { throw new Error("lost"); };
}"""
MEND_CANVAS = "() => { CanvasRenderingContext2D.prototype.putImageData = window.drawn; }"


def assignments(reader: Room, route: str) -> list[str]:
    return [body["assignment"] for body in reader.posted(route)]


def kept_in_tab(reader: Room) -> list[str]:
    """Names of the answers that the tab keeps since the server may not have them."""
    names: list[str] = reader.page.evaluate("Object.keys(sessionStorage)")
    return [name for name in names if name.startswith("blindread.unsaved")]


def wait_longer_than_a_draft(reader: Room) -> None:
    reader.page.wait_for_timeout(1500)


def hold(reader: Room, route: str) -> list[Route]:
    """Let nothing that is posted to a route through, and return what was held."""
    held: list[Route] = []
    reader.page.route(f"**/reading/{route}", lambda request: held.append(request))
    return held


def test_note_that_was_typed_just_before_enter_is_no_draft_of_the_next_item(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    reader.open()
    reader.press("1", "4", "c")
    reader.page.keyboard.type("only of the first")
    reader.press("Control+Enter")
    expect(reader.page.locator(".count")).to_have_text("1 of 2 done · 1 left")
    reader.page.locator(".submit:not([disabled])").wait_for()
    wait_longer_than_a_draft(reader)

    (verdict,) = reader.posted("verdict")
    first, second = assignments(reader, "shown")
    assert (verdict["assignment"], verdict["answers"]["comment"]) == (first, "only of the first")
    assert second not in assignments(reader, "draft")
    assert reader.page.locator("input:checked").count() == 0
    expect(reader.page.get_by_label("Comment")).to_have_value("")
    assert kept_in_tab(reader) == []


def test_draft_that_is_still_on_its_way_at_the_submission_does_not_reach_the_next_item(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    reader.open()
    held = hold(reader, "draft")
    reader.press("1", "4")
    reader.submit()
    reader.page.unroute("**/reading/draft")
    reader.press("2")
    reader.await_draft("fields", {"answer": "no"})

    _, second = assignments(reader, "shown")
    late = [draft for draft in reader.posted("draft") if draft["assignment"] == second]
    assert held
    assert [draft["answers"]["fields"] for draft in late] == [{"answer": "no"}]
    assert [draft["sequence"] for draft in late] == [1]
    assert kept_in_tab(reader) == []


@pytest.mark.parametrize("reloaded", [False, True], ids=["at once", "after a reload"])
def test_keys_on_the_page_between_two_parts_fill_in_nothing(room: MakeRoom, reloaded: bool) -> None:
    reader = room("plain", "first after practice")
    reader.open()
    reader.fail("draft", 503, times=50)
    reader.press("2", "5")
    reader.press("Enter")
    reader.page.locator(".way-on").wait_for()
    if reloaded:
        reader.page.reload()
        reader.page.locator(".way-on").wait_for()

    reader.press("1", "4", "c", "x", "Backspace")
    wait_longer_than_a_draft(reader)
    (first,) = assignments(reader, "shown")
    assert set(assignments(reader, "draft")) == {first}
    reader.press("Enter")
    reader.page.locator(".submit:not([disabled])").wait_for()
    wait_longer_than_a_draft(reader)

    assert set(assignments(reader, "draft")) == {first}
    assert reader.page.locator("input:checked").count() == 0
    assert kept_in_tab(reader) == []
    reader.press("1", "4")
    reader.press("Enter")
    reader.see("Thank you")
    answered: list[Any] = [body["answers"]["fields"] for body in reader.posted("verdict")]
    assert answered == [{"answer": "no", "confidence": "5"}, {"answer": "yes", "confidence": "4"}]


def test_images_that_are_fetched_once_more_do_not_open_a_form_whose_verdict_is_on_its_way(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    reader.open()
    held = hold(reader, "verdict")
    reader.press("1", "4", "Enter")
    reader.see("Saving")
    reader.page.evaluate(BREAK_CANVAS)
    reader.page.locator(".overlay").first.hover()
    reader.page.mouse.wheel(0, 200)
    again = reader.page.get_by_role("button", name="Try again")
    again.wait_for()

    reader.page.evaluate(MEND_CANVAS)
    again.click()
    expect(again).not_to_be_visible()
    reader.page.wait_for_timeout(800)
    expect(reader.page.locator(".submit")).to_be_disabled()
    reader.press("2")

    held[0].continue_()
    expect(reader.page.locator(".count")).to_have_text("1 of 2 done · 1 left")
    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(reader.posted("verdict")) == 1


def test_item_whose_second_display_was_refused_is_opened_by_trying_again(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    reader.open()
    reader.page.evaluate(BREAK_CANVAS)
    reader.page.locator(".overlay").first.hover()
    reader.page.mouse.wheel(0, 200)
    again = reader.page.get_by_role("button", name="Try again")
    again.wait_for()

    reader.fail("shown", 400, times=1)
    reader.page.evaluate(MEND_CANVAS)
    again.click()
    reader.page.get_by_role("button", name="Reload the page").wait_for()
    expect(reader.page.locator(".submit")).to_be_disabled()
    again.click()
    reader.page.locator(".submit:not([disabled])").wait_for()
    reader.press("1", "4")
    reader.submit()

    assert len(reader.posted("verdict")) == 1
