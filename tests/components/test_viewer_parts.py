"""Between two parts of the work: what comes next is said with a number and a time, and is the first button."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from services.reading import blinding
from services.reading.payloads import NextPayload
from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]

MARK = blinding.next_payload(
    "Score 40 answers", "about 25 min at the pace of your reading", "try/bare?study=demo&phase=scoring"
)


def finish(reader: Room, next_part: NextPayload | None) -> None:
    """Submit the last item of a list that ends as told."""
    summary = blinding.summary_payload(1, 20_000, 20_000, None)
    done = blinding.done_payload(
        "All items are read", "Every verdict is saved.", (1, 1), "a", summary, next_part=next_part
    )
    reader.open()
    reader.press("1", "4")
    reader.fail("verdict", 200, receipt="7K2M-0009", saved_at="2026-11-20T10:03:22Z", next=done)
    reader.press("Enter")
    reader.page.locator(".done").wait_for()


def test_end_of_the_reads_names_the_scores_and_leads_to_them_with_its_first_button(room: MakeRoom) -> None:
    reader = room("plain")
    finish(reader, MARK)

    reader.see("about 25 min at the pace of your reading")
    first = reader.page.locator(".done a, .done button").first
    expect(first).to_contain_text("Score 40 answers")
    with reader.page.expect_navigation():
        first.click()

    assert reader.page.url.endswith("/try/bare?study=demo&phase=scoring")


def test_enter_leads_on_from_the_end_but_not_the_one_that_submitted(room: MakeRoom) -> None:
    reader = room("plain")
    finish(reader, MARK)
    # One that was pressed before the end came on the screen, and is told only now.
    reader.page.evaluate(
        """() => {
            const late = new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true });
            Object.defineProperty(late, "timeStamp", { value: 1 });
            window.dispatchEvent(late);
        }"""
    )
    assert reader.page.url.endswith("/try/bare")

    with reader.page.expect_navigation():
        reader.press("Enter")

    assert reader.page.url.endswith("phase=scoring")


def test_end_of_everything_leads_to_the_worklist_and_promises_nothing(room: MakeRoom) -> None:
    reader = room("plain")
    finish(reader, None)

    expect(reader.page.locator(".done a")).to_have_text(["Your worklist"])
    reader.press("Enter")
    expect(reader.page.locator(".done")).to_be_visible()


def test_first_item_behind_the_practice_waits_until_it_is_begun(room: MakeRoom) -> None:
    reader = room("first after practice", "second")
    reader.start()
    reader.see("Practice is complete")
    reader.see("about 40 min at the pace of your practice")
    reader.press("1", "4", "n")
    assert reader.posted("shown") == []
    assert [url for url in reader.asked if "volume" in url] == []

    reader.press("Enter")
    reader.page.locator(".submit:not([disabled])", has_text="Submit").wait_for()

    assert reader.page.locator("input:checked").count() == 0
    reader.press("1", "4")
    reader.submit()
    assert len(reader.posted("verdict")) == 1
