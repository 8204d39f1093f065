"""What the application refuses, the stand-in server refuses too, and the reading room goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

MakeRoom = Callable[..., Room]


def send(reader: Room, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Post as a second tab would, past the page."""
    answer = reader.page.request.post(f"{reader.url}/reading/{route}", data=body)
    return answer.status, answer.json()


@pytest.fixture
def reader(room: MakeRoom) -> Room:
    """Somebody who has answered the first of two items."""
    reader = room("plain", "second")
    reader.open()
    reader.press("1", "4")
    reader.submit()
    return reader


def test_other_answers_to_an_item_that_was_submitted_are_refused_and_the_receipt_stays(reader: Room) -> None:
    sent = reader.posted("verdict")[0]
    other = {**sent["answers"], "fields": {**sent["answers"]["fields"], "answer": "no"}}

    again, receipt = send(reader, "verdict", sent)
    refused = [send(reader, "verdict", {**sent, "answers": other, "key": key}) for key in (sent["key"], "another")]

    assert (again, receipt["receipt"]) == (200, "7K2M-0000")
    assert [status for status, _ in refused] == [409, 409]
    assert {answer["error"] for _, answer in refused} == {"This item has already been submitted; nothing was changed."}
    assert all(answer["next"]["assignment"].endswith("-second") for _, answer in refused)


def test_instructions_to_be_acknowledged_reload_the_page_and_what_was_answered_comes_back(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()
    reader.press("1", "4")
    reader.see("Draft saved")
    reader.fail("verdict", 409, error="Read the instructions first.", instructions=True)
    reader.page.evaluate("window.before = true")

    reader.press("Enter")

    reader.page.wait_for_function("window.before === undefined")
    reader.page.locator(".submit:not([disabled])").wait_for()
    assert reader.page.locator("input:checked").count() == 2


def test_a_stale_draft_is_refused_with_the_number_of_the_newer(reader: Room) -> None:
    reader.press("2")
    reader.see("Draft saved")
    newest = reader.posted("draft")[-1]

    same, _ = send(reader, "draft", newest)
    status, answer = send(reader, "draft", {**newest, "answers": {}})

    assert (same, status, answer["sequence"]) == (200, 409, newest["sequence"])


def test_a_tab_that_was_overtaken_goes_on_with_the_item_after(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()
    reader.press("1", "4")
    reader.see("Draft saved")
    draft = reader.posted("draft")[-1]
    first = {"assignment": draft["assignment"], "key": "other-tab", "answers": draft["answers"], "active_ms": 0}
    status, answer = send(reader, "verdict", first)

    reader.press("Enter")
    reader.see("This item has already been submitted; nothing was changed.")
    reader.page.get_by_role("button", name="Continue").click()

    expect(reader.page.locator(".count")).to_contain_text("1 of 2 done")
    assert status == 200 and answer["next"]["assignment"].endswith("-second")
