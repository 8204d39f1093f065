"""No item is replaced by another one while somebody answers it: what was meant for one must not reach the next."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from services.reading import blinding
from tests.components.conftest import Room

MakeRoom = Callable[..., Room]

SECOND = "Is the finding on the right side?"
DONE = blinding.done_payload("Thank you", "All done.", (1, 1), "a", blinding.summary_payload(1, 20_000, 20_000, None))


def hand_in_elsewhere(reader: Room) -> None:
    """Submit the item on the screen as another tab of the same reader does."""
    (shown,) = reader.posted("shown")
    answers = {"fields": {"answer": "yes", "confidence": "4"}}
    verdict = {"assignment": shown["assignment"], "key": shown["key"], "answers": answers, "active_ms": 1000}
    reader.page.request.post(f"{reader.url}/reading/verdict", data=verdict)


def test_item_that_was_closed_elsewhere_stays_until_the_reader_goes_on(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    prompt = reader.page.locator(".prompt").inner_text()
    reader.fail("draft", 409, error="This item has already been submitted.", next=DONE)

    reader.press("1")
    reader.see("This item has already been submitted.")
    expect(reader.page.locator(".submit")).to_be_disabled()
    reader.press("4", "Enter")

    expect(reader.page.locator(".prompt")).to_have_text(prompt)
    assert reader.posted("verdict") == []
    reader.page.get_by_role("button", name="Continue").click()
    reader.see("All done.")


def test_rerun_that_brings_another_item_waits_for_the_reader(room: MakeRoom) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    prompt = reader.page.locator(".prompt").inner_text()
    hand_in_elsewhere(reader)

    reader.page.get_by_test_id("stExpandSidebarButton").click()
    reader.page.get_by_role("button", name="Rerun").click()
    reader.see("This item is no longer on your list.")

    expect(reader.page.locator(".prompt")).to_have_text(prompt)
    reader.page.get_by_role("button", name="Continue").click()
    expect(reader.page.locator(".prompt")).to_have_text(SECOND)


def test_earlier_item_that_comes_after_its_window_was_closed_is_left_closed(room: MakeRoom) -> None:
    reader = room("plain", "second", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    def come_late(route: Route) -> None:
        reader.page.wait_for_timeout(1000)
        route.continue_()

    reader.page.route("**/reading/reopen", come_late)
    reader.press("q")
    reader.page.get_by_role("button", name="Item 1").click()
    reader.see("Opening")
    with reader.page.expect_response("**/reading/resume"):
        reader.press("Escape")

    expect(reader.page.locator(".prompt")).to_have_text(SECOND)
    expect(reader.page.locator(".submit")).to_be_enabled()
    assert len(reader.posted("verdict")) == 1


def test_enter_that_was_pressed_before_the_item_opened_does_not_submit_it(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)

    reader.page.evaluate(
        """() => {
            const late = new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true });
            Object.defineProperty(late, "timeStamp", { value: 1 });
            window.dispatchEvent(late);
        }"""
    )
    reader.page.wait_for_timeout(300)

    assert reader.posted("verdict") == []


def test_item_of_somebody_else_is_told_and_takes_no_answers(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 404, error="This item does not exist, or you have no access to it.")

    reader.press("1")

    reader.see("This item is not one of yours, or no longer: somebody else has signed in in this browser, or you were ")
    expect(reader.page.locator(".submit")).to_be_disabled()


def test_unsaved_answers_wait_for_their_own_item_while_the_tab_shows_another_one(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 401, error="Sign in first.")
    reader.press("2")
    reader.see("You are signed out; your draft is kept in this tab.")

    for item in ("second", "plain"):
        reader.page.request.post(f"{reader.url}/try/restart", max_retries=3, data={"items": [item]})
        reader.open()

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
