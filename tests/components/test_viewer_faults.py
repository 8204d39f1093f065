"""When the server or the network fails: the reader is told in a sentence, keeps everything, and goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_form_stays_shut_until_the_server_knows_that_the_images_were_shown(room: MakeRoom) -> None:
    reader = room("plain")
    reader.fail("shown", 503, times=1)
    reader.start()

    reader.see("The server does not answer yet; trying again.")
    reader.press("1")
    assert reader.page.locator("input:checked").count() == 0
    expect(reader.page.locator(".submit")).to_be_disabled()

    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(reader.posted("shown")) == 2


def test_draft_that_cannot_be_saved_says_so_until_it_is(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 503, times=1)

    reader.press("1")

    reader.see("Not saved yet, retrying")
    reader.see("Draft saved")
    first, second = reader.posted("draft")
    assert first["answers"] == second["answers"]
    assert first["sequence"] < second["sequence"]


def test_draft_of_another_tab_is_never_overwritten_unasked(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 409, error="A newer draft is stored.", sequence=41)

    reader.press("1")

    reader.see("This item was changed in another tab or window.")
    expect(reader.page.locator(".submit")).to_be_disabled()
    reader.page.get_by_role("button", name="Keep what is here").click()
    reader.see("Draft saved")
    assert reader.posted("draft")[-1]["sequence"] == 42


def test_item_that_was_closed_elsewhere_leads_to_the_next_one(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    done = {"kind": "done", "title": "Thank you", "message": "All done.", "progress": {"done": 1, "total": 1}}
    reader.fail("draft", 409, error="This item was submitted already.", next=done)

    reader.press("1")

    reader.see("All done.")
    expect(reader.page.locator(".receipt")).to_have_text("This item was submitted already.")


def test_verdict_is_sent_again_with_the_same_key_until_it_is_answered(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()
    reader.fail("verdict", 502, times=1)
    reader.press("1", "4")

    reader.submit()

    first, second = reader.posted("verdict")
    assert first == second
    expect(reader.page.locator(".receipt")).to_contain_text("receipt 7K2M-0000")


def test_answers_that_the_server_finds_incomplete_are_pointed_at(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("verdict", 422, error="How sure are you?: choose one of the options.", field="confidence")
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)

    reader.press("Enter")

    reader.see("How sure are you?: choose one of the options.")
    expect(reader.page.locator("[data-field=confidence]")).to_have_class("field wrong")
    expect(reader.page.locator(".submit")).to_be_enabled()
    reader.submit()
    assert len(reader.posted("verdict")) == 2


def test_signed_out_reader_finds_the_unsaved_answers_again(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 401, error="Sign in first.")
    reader.press("2")
    reader.see("You are signed out; your draft is kept.")
    assert reader.page.get_by_role("link", name="Sign in again").get_attribute("href") == f"{reader.url}/sign-in"

    reader.page.get_by_role("button", name="I have signed in").click()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    reader.see("Draft saved")
    assert reader.posted("draft")[-1]["answers"]["fields"] == {"answer": "no"}


def test_images_that_fail_are_tried_again_on_request(room: MakeRoom) -> None:
    reader = room("plain")
    reader.fail("volume", 500)
    reader.start()

    reader.see("The images cannot be shown.")
    expect(reader.page.locator(".submit")).to_be_disabled()
    assert reader.posted("shown") == []
    reader.page.get_by_role("button", name="Try again").click()

    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(reader.posted("shown")) == 1


def test_images_come_by_themselves_when_the_network_is_back(room: MakeRoom) -> None:
    reader = room("plain")
    lost = []

    def drop_once(route: Route) -> None:
        lost.append(route)
        if len(lost) == 1:
            route.abort()
        else:
            route.continue_()

    reader.page.route("**/reading/volume/*", drop_once)
    reader.start()

    reader.see("The server does not answer; trying again")
    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(lost) == 2


def test_images_that_cannot_be_shown_are_reported_and_the_next_item_comes(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.fail("volume", 404, error="This image is not within reach.")
    reader.start()
    reader.see("The images cannot be shown.")

    reader.page.get_by_role("button", name="Cannot be shown: report and go on").click()

    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    reader.page.locator(".submit:not([disabled])").wait_for()
    (failure,) = reader.posted("failure")
    assert failure["assignment"].endswith("plain")
    assert "within reach" in failure["reason"]
    assert reader.posted("verdict") == []


def test_saved_verdict_keeps_its_receipt_when_the_next_item_cannot_be_built(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)
    reader.page.route(
        "**/reading/verdict",
        lambda route: route.fulfill(json={"receipt": "7K2M-9FQD", "saved_at": "2026-11-20T10:03:22Z", "next": None}),
    )

    reader.press("Enter")

    reader.see("Saved. The next item could not be fetched.")
    expect(reader.page.locator(".receipt")).to_contain_text("7K2M-9FQD")
