"""When the server or the network fails: the reader is told in a sentence, keeps everything, and goes on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.components.conftest import Room
from tests.harness.server import RunningServer

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_form_stays_shut_until_the_server_knows_that_the_images_were_shown(room: MakeRoom) -> None:
    reader = room("plain")
    reader.fail("shown", 503, times=1)
    reader.start()

    reader.see("The server is not responding yet; trying again.")
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
    reader.page.get_by_role("button", name="Keep this version").click()
    reader.see("Draft saved")
    assert reader.posted("draft")[-1]["sequence"] == 42


def test_verdict_is_sent_again_with_the_same_key_until_it_is_answered(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()
    reader.fail("verdict", 502, times=1)
    reader.press("1", "4")

    reader.submit()

    first, second = reader.posted("verdict")
    assert first == second
    expect(reader.page.locator(".receipt")).to_contain_text("receipt 7K2M-0000")


def test_a_server_that_waits_for_its_database_is_tried_again_for_images_and_verdicts(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.fail("volume", 503, times=1, error="The database does not answer at the moment.")
    reader.open()
    reader.fail("verdict", 503, times=1, error="The database does not answer at the moment.")
    reader.press("1", "4")

    reader.press("Enter")

    reader.see("The server cannot save at the moment; trying again. Your answers are kept.")
    expect(reader.page.locator(".receipt")).to_contain_text("receipt 7K2M-0000")
    first, second = reader.posted("verdict")
    assert first == second


def test_answers_that_the_server_finds_incomplete_are_pointed_at(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("verdict", 422, error="How sure are you? choose one of the options.", field="confidence")
    reader.press("1", "4")

    reader.press("Enter")

    reader.see("How sure are you? choose one of the options.")
    expect(reader.page.locator("[data-field=confidence]")).to_have_class("field wrong")
    expect(reader.page.locator(".submit")).to_be_enabled()
    reader.submit()
    assert len(reader.posted("verdict")) == 2


def test_signed_out_reader_finds_the_unsaved_answers_again(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("draft", 401, error="Sign in first.")
    reader.press("2")
    reader.see("You are signed out; your draft is kept in this tab.")
    assert reader.page.get_by_role("link", name="Sign in again").get_attribute("href") == f"{reader.url}/sign-in"

    reader.page.get_by_role("button", name="I have signed in").click()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    reader.see("Draft saved")
    assert reader.posted("draft")[-1]["answers"]["fields"] == {"answer": "no"}


@pytest.mark.parametrize(("status", "ways"), [(409, ["Reload the page"]), (400, ["Try again", "Reload the page"])])
def test_answer_that_came_too_late_is_not_offered_to_be_sent_again(
    room: MakeRoom, status: int, ways: list[str]
) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("verdict", status, error="This was corrected in a new version of the study; reload the page.")

    reader.press("1", "4", "Enter")
    reader.see("This was corrected")

    offered = reader.page.get_by_role("button", name=re.compile("Try again|Reload"))
    assert offered.all_inner_texts() == ways


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

    reader.see("The server is not responding; trying again")
    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(lost) == 2


def test_images_that_cannot_be_shown_are_reported_and_the_next_item_comes(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.fail("volume", 404, error="This image is not within reach.")
    reader.start()
    reader.see("The images cannot be shown.")

    reader.page.get_by_role("button", name="Report the problem and continue").click()

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
    reader.page.route(
        "**/reading/verdict",
        lambda route: route.fulfill(json={"receipt": "7K2M-9FQD", "saved_at": "2026-11-20T10:03:22Z", "next": None}),
    )

    reader.press("Enter")

    reader.see("Saved. The next item could not be loaded.")
    expect(reader.page.locator(".receipt")).to_contain_text("7K2M-9FQD")


def test_truncated_image_is_named_as_incomplete_and_can_be_skipped(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.page.route("**/reading/volume/t1-0*", lambda route: route.fulfill(body=b"\x5c\x01\x00\x00" + bytes(1000)))
    reader.start()

    reader.see("The images cannot be shown.")
    expect(reader.page.locator(".cover")).to_contain_text("The image")
    assert reader.posted("shown") == []
    reader.page.get_by_role("button", name="Report the problem and continue").click()

    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")


def test_image_that_breaks_off_on_the_way_is_not_drawn(room: MakeRoom) -> None:
    reader = room("plain")

    def cut(route: Route) -> None:
        whole = route.fetch().body()
        route.fulfill(body=whole[: len(whole) // 2])

    reader.page.route("**/reading/volume/*", cut)
    reader.start()

    reader.see("The images cannot be shown. Only part of the image arrived.")
    assert reader.posted("shown") == []


def test_address_of_an_image_that_is_no_longer_good_leads_to_a_reload(room: MakeRoom) -> None:
    reader = room("plain")
    reader.fail("volume", 404, error="This image is not within reach.")
    reader.start()
    reader.see("This image is not within reach.")

    reader.page.get_by_role("button", name="Reload the page").click()

    reader.page.locator(".submit:not([disabled])").wait_for()
    assert reader.posted("failure") == []


@pytest.mark.parametrize("revised", [False, True])
def test_address_that_ran_out_is_renewed_without_a_word_also_in_a_revision(room: MakeRoom, revised: bool) -> None:
    reader = room("second", "plain", revisable=True)
    if revised:
        reader.open()
        reader.press("1", "4")
        reader.submit()
        # What was fetched before lies under other addresses now.
        reader.page.request.post(f"{reader.url}/try/expire", max_retries=3)
    held: list[Route] = []
    reader.page.route("**/reading/volume/t2-*", lambda route: route.continue_() if held else held.append(route))
    if revised:
        reader.press("q")
        reader.page.get_by_role("button", name="Item 1").wait_for()
        reader.press("Enter")
        reader.page.locator(".revision").wait_for()
        reader.page.locator(".submit:not([disabled])").wait_for()
    else:
        reader.open()
    reader.page.get_by_text("No", exact=True).click()
    reader.page.get_by_text("certain").click()
    reader.see("Draft saved")
    reader.page.wait_for_timeout(300)
    reader.page.request.post(f"{reader.url}/try/expire", max_retries=3)
    held[0].continue_()

    reader.press("t")

    expect(reader.page.locator(".value")).to_contain_text("T2 (simulated)")
    assert [body["assignment"] for body in reader.posted("scans")] == ["assignment-0-second"]
    expect(reader.page.locator(".revision")).to_have_count(int(revised))
    expect(reader.page.get_by_role("radio", name="5 certain")).to_be_checked()
    expect(reader.page.locator(".alert")).to_be_hidden()


def test_study_that_was_closed_meanwhile_promises_nothing_and_keeps_the_answers(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("verdict", 403, error="This study is closed; no more verdicts are accepted.")

    reader.press("1", "4", "Enter")

    blocked = reader.page.locator(".alert")
    blocked.wait_for()
    assert (
        "This study is closed; no more verdicts are accepted. What is on this screen is not saved"
        in blocked.inner_text()
    )
    assert blocked.get_by_role("button").all_inner_texts() == ["Reload the page"]
    assert "Saving" not in reader.page.locator(".room").inner_text()


@pytest.mark.parametrize("status", [404, 401])
def test_other_sequence_that_does_not_come_leaves_the_first_one_with_its_own_name(room: MakeRoom, status: int) -> None:
    reader = room("second")
    reader.page.route(
        "**/reading/volume/t2-*", lambda route: route.fulfill(status=status, json={"error": "Not within reach."})
    )
    reader.open()
    reader.press("1")

    reader.press("t")

    reader.see("T2 (simulated) could not be loaded; this is still T1.")
    expect(reader.page.locator(".value")).to_have_text("T1: 120")
    if status == 401:
        reader.see("You are signed out; your draft is kept in this tab.")
        expect(reader.page.locator(".submit")).to_be_disabled()
    else:
        expect(reader.page.locator(".submit")).to_be_enabled()


def test_reader_who_is_offline_for_a_while_submits_and_goes_on_when_the_network_is_back(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()

    reader.page.context.set_offline(True)
    reader.press("1", "4")
    reader.see("Not saved yet, retrying")
    reader.press("Enter")
    reader.see("No response from the server yet; trying again. Your answers are kept.")
    reader.page.wait_for_timeout(2500)
    reader.page.context.set_offline(False)

    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    reader.page.locator(".submit:not([disabled])").wait_for()
    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


def test_sentence_about_the_network_is_gone_when_practice_gives_its_feedback(room: MakeRoom) -> None:
    reader = room("practice", "plain")
    reader.open()
    reader.fail("verdict", 502)
    reader.press("1", "4")

    reader.press("Enter")
    reader.see("No response from the server yet; trying again. Your answers are kept.")

    reader.page.locator(".feedback").wait_for()
    expect(reader.page.locator(".alert")).to_be_hidden()


def test_hour_asleep_is_idle_time_and_the_item_goes_on_as_it_was(room: MakeRoom) -> None:
    reader = room("plain")
    reader.page.clock.install()
    reader.open()
    reader.press("1")
    reader.see("Draft saved")

    reader.page.clock.fast_forward("01:00:00")
    reader.press("4")
    reader.page.wait_for_timeout(300)
    reader.press("Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}
    assert verdict["active_ms"] < 65_000
    assert verdict["idle_ms"] > 3_500_000


def test_session_that_ended_while_the_tab_slept_keeps_what_is_answered_next(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.fail("verdict", 401, error="Sign in first.")
    reader.press("1", "4")
    reader.see("Draft saved")

    reader.press("Enter")
    reader.see("You are signed out; your draft is kept in this tab.")
    reader.see("Not saved")
    reader.page.get_by_role("button", name="I have signed in").click()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.get_by_role("radio", name="Yes")).to_be_checked()
    reader.submit()
    first, second = reader.posted("verdict")
    assert first["key"] == second["key"]


def test_time_at_an_item_goes_on_after_a_session_that_ended(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.page.wait_for_timeout(2000)
    reader.fail("verdict", 401, error="Sign in first.")
    reader.press("1", "4", "Enter")
    reader.page.get_by_role("button", name="I have signed in").click()
    reader.page.locator(".submit:not([disabled])").wait_for()

    reader.submit()

    first, second = reader.posted("verdict")
    assert second["active_ms"] > first["active_ms"] > 2000


def test_sequence_that_cannot_be_shown_can_be_reported_and_its_item_skipped(room: MakeRoom) -> None:
    reader = room("second", "plain")
    reader.page.route(
        "**/reading/volume/t2-*", lambda route: route.fulfill(status=404, json={"error": "Not within reach."})
    )
    reader.open()

    reader.press("t")
    reader.see("T2 (simulated) cannot be shown. Not within reach.")
    reader.page.get_by_role("button", name="Report and skip this item").click()

    expect(reader.page.locator(".count")).to_contain_text("1 of 2 done")
    (failure,) = reader.posted("failure")
    assert failure["reason"] == "T2 (simulated): Not within reach."


def test_reader_goes_on_after_a_restart_of_the_server_without_a_reload(room: MakeRoom, stand_in: RunningServer) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    reader.press("1")
    reader.see("Draft saved")

    stand_in.kill9()
    reader.press("4")
    reader.see("Not saved yet, retrying")
    stand_in.start()
    reader.see("Draft saved")
    expect(reader.page.get_by_role("radio", name="Yes")).to_be_checked()
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


def test_streamlits_own_window_does_not_keep_a_reader_from_submitting_while_the_server_is_down(
    room: MakeRoom, stand_in: RunningServer
) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    # It may open and be closed between two looks of a test.
    reader.page.evaluate(
        """() => { window.opened = 0; new MutationObserver((changes) => changes.forEach(({ addedNodes }) =>
            addedNodes.forEach((node) => { if (node.textContent?.includes("Connection error")) window.opened += 1; }))
        ).observe(document.body, { childList: true, subtree: true }); }"""
    )

    stand_in.kill9()
    reader.page.wait_for_function("() => window.opened > 0")
    reader.page.get_by_text("Yes", exact=True).click()
    reader.press("4")
    reader.see("Not saved yet, retrying")
    expect(reader.page.get_by_test_id("stDialog")).to_have_count(0)
    reader.press("Enter")
    reader.see("No response from the server yet; trying again. Your answers are kept.")
    stand_in.start()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}
