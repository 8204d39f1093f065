"""The page before a queue: Enter begins, once the button is in sight, and stays the Enter of whatever has the focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.harness.server import RunningServer

# Longer than an Enter that was meant for the page before counts as such.
LONG_AFTER = 900


@pytest.mark.browser
@pytest.mark.server
def test_enter_begins_what_can_be_seen_and_takes_no_other_controls_enter(
    server: Callable[..., RunningServer], signed_in: Callable[..., Page]
) -> None:
    running = server(seeded=True)
    page = signed_in(running, "Demo rater 1", width=1280, height=400)
    address = f"{running.url}/reading?study=demo&phase=reading"
    begin = page.get_by_role("button", name="I have read this and agree. Begin")

    page.goto(address)
    begin.wait_for()
    expect(page.get_by_text("Demonstration: reading simulated brain MRI · Read items")).to_be_visible()
    expect(begin).not_to_be_in_viewport()
    page.wait_for_timeout(LONG_AFTER)
    # As quick as fingers are: the second Enter must not agree to what the first has only just brought into sight.
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    while not begin.evaluate("button => button.getBoundingClientRect().bottom <= window.innerHeight"):
        page.wait_for_timeout(LONG_AFTER)
        page.keyboard.press("Enter")
    expect(begin).to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="Worklist").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()

    page.set_viewport_size({"width": 1280, "height": 1000})
    page.goto(address)
    expect(begin).to_be_in_viewport(ratio=1)
    page.wait_for_timeout(LONG_AFTER)
    page.keyboard.press("Enter")
    page.locator(".submit:not([disabled])").wait_for()
