"""What some items bring with them: history, earlier turns, practice with feedback, revisions, the session's summary."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from services.reading import blinding
from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_history_is_a_list_of_keys_and_values_whose_rest_opens_on_request(room: MakeRoom) -> None:
    reader = room("conversation")
    reader.open()
    history = reader.page.get_by_role("region", name="History")
    expect(history.get_by_text("none", exact=True)).to_be_visible()
    expect(history.get_by_text("78 µmol/l")).to_be_hidden()

    history.get_by_text("2 more").focus()
    reader.press("Enter")

    expect(history.get_by_text("78 µmol/l")).to_be_visible()
    assert reader.posted("verdict") == []


def test_earlier_turns_stand_above_the_prompt_and_cannot_be_changed(room: MakeRoom) -> None:
    reader = room("conversation")
    reader.open()

    turns = reader.page.get_by_role("list", name="Earlier questions and your answers")

    assert turns.locator("li").count() == 2
    expect(turns.locator("li").first).to_contain_text("Is there a lesion?")
    expect(turns.locator("li").last).to_contain_text("Left")
    assert turns.locator("input, button, textarea").count() == 0
    reader.press("Shift+P")
    above, below = turns.bounding_box(), reader.page.locator(".prompt").bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]


def test_practice_says_so_and_gives_feedback_before_the_next_item(room: MakeRoom) -> None:
    reader = room("practice", "second")
    reader.open()
    expect(reader.page.locator(".phase")).to_have_text("Practice item 2 of 6 · 80 % correct to pass")

    reader.press("2", "4")
    reader.press("Enter")
    reader.see("✗ Incorrect")
    reader.see("The bright focus lies in front of the central sulcus.")
    expect(reader.page.locator(".prompt")).to_have_text("Is there a lesion in the left frontal lobe?")
    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    expect(reader.page.locator(".stage").first).to_be_visible()
    reader.submit()

    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    assert len(reader.posted("verdict")) == 1


@pytest.mark.parametrize(("answer", "head"), [("1", "✓ Correct"), ("2", "1 of 2 answers correct")])
def test_feedback_on_several_fields_is_headed_by_all_of_them(room: MakeRoom, answer: str, head: str) -> None:
    reader = room("practice", "second")
    reader.open()

    reader.press(answer, "3")
    reader.press("Enter")

    expect(reader.page.locator(".feedback h3")).to_have_text(head)


def test_feedback_stays_when_the_page_reruns(room: MakeRoom) -> None:
    reader = room("practice", "second", streamlit=True)
    reader.open()
    reader.press("1", "4")
    reader.press("Enter")
    reader.see("✓ Correct")

    reader.page.get_by_test_id("stExpandSidebarButton").click()
    reader.page.get_by_role("button", name="Rerun").click()
    reader.page.wait_for_timeout(700)

    reader.see("✓ Correct")


def test_earlier_item_is_revised_with_the_keyboard_alone(room: MakeRoom) -> None:
    reader = room("plain", "second", "open", revisable=True)
    reader.open()
    expect(reader.page.get_by_role("button", name="Earlier items")).to_be_hidden()
    reader.press("1", "4")
    reader.submit()
    expect(reader.page.get_by_role("button", name="Earlier items (1)")).to_be_visible()
    reader.press("2")
    reader.see("Draft saved")

    reader.press("q")
    reader.see("Answer: Yes · How sure are you? 4")
    reader.press("Enter")
    reader.see("You are revising your verdict of")
    reader.page.locator(".submit:not([disabled])").wait_for()
    expect(reader.page.get_by_role("radio", name="Yes")).to_be_checked()
    reader.press("Backspace")
    reader.page.get_by_text("No", exact=True).click()
    reader.press("Escape", "Enter")
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()  # the draft of the item in between
    first, revision = reader.posted("verdict")
    assert first["assignment"] == revision["assignment"]
    assert first["key"] != revision["key"]
    assert revision["answers"]["fields"] == {"answer": "no", "confidence": "4"}


def test_reader_goes_back_from_a_revision_without_a_change_and_loses_no_time(room: MakeRoom) -> None:
    reader = room("plain", "second", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()
    reader.press("1", "5", "PageUp")
    reader.page.wait_for_timeout(1000)

    reader.press("q")
    reader.page.get_by_role("button", name="Item 1").click()
    reader.see("You are revising your verdict of")
    reader.page.get_by_role("button", name="Back without changes").click()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    reader.page.locator(".submit:not([disabled])").wait_for()
    reader.submit()

    verdicts = reader.posted("verdict")
    assert [verdict["answers"]["fields"] for verdict in verdicts] == [
        {"answer": "yes", "confidence": "4"},
        {"answer": "yes", "confidence": "5"},
    ]
    assert verdicts[1]["active_ms"] >= 1000
    assert verdicts[1]["trace"]["volumes"][0]["seen"]["axial"] > 1 / 44


def test_end_of_the_list_sums_up_the_session_and_still_leads_to_earlier_items(room: MakeRoom) -> None:
    reader = room("plain", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    reader.see("Items submitted")
    reader.page.get_by_role("button", name="Earlier items (1)").click()
    reader.page.get_by_role("button", name="Item 1").click()

    reader.see("You are revising your verdict of")
    reader.page.locator(".submit:not([disabled])").wait_for()


def test_summary_of_the_session_opens_with_a_key_and_gives_the_focus_back(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()
    reader.press("1", "4")
    reader.submit()
    reader.press("a")

    reader.press("j")
    dialog = reader.page.get_by_role("dialog", name="Your session")
    expect(dialog).to_contain_text("Median time per item")
    reader.press("2")  # nothing is answered behind it
    reader.press("Escape")

    expect(dialog).to_be_hidden()
    assert reader.page.locator("input:checked").count() == 0
    assert reader.page.evaluate("document.activeElement.shadowRoot.activeElement.type") == "radio"


def test_summary_says_that_its_time_is_that_of_submitted_items(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("j")

    expect(reader.page.get_by_role("dialog", name="Your session")).to_contain_text(
        "Time on images and forms of submitted items"
    )


def test_list_of_earlier_items_says_what_becomes_of_the_current_item_where_there_is_one(room: MakeRoom) -> None:
    reader = room("plain", "second", revisable=True)
    reader.open()
    dialog = reader.page.get_by_role("dialog", name="Earlier items")
    reader.press("1", "4")
    reader.submit()

    reader.press("q")
    expect(dialog.locator(".note")).to_have_text(
        "Choose an item to view it again and change your answer. Your entries for the current item are kept."
    )
    reader.press("Escape", "1", "4")
    reader.submit()
    reader.press("q")

    expect(dialog.locator(".note")).to_have_text("Choose an item to view it again and change your answer.")


def test_list_of_earlier_items_says_that_signing_out_ends_it(room: MakeRoom) -> None:
    reader = room("plain", "second", only_this_session=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    reader.press("q")

    expect(reader.page.get_by_role("dialog", name="Earlier items").locator(".note")).to_contain_text(
        "Once you sign out, what you have submitted can no longer be revised."
    )


def test_after_signing_in_again_the_key_for_earlier_items_says_why_there_are_none(room: MakeRoom) -> None:
    reader = room("plain", "second", only_this_session=True)
    why = (
        "No earlier item can be revised: what you submitted before you last signed in, or before you began a later "
        "part, is final."
    )
    reader.open()
    reader.press("1", "4")
    reader.submit()
    reader.page.request.post(f"{reader.url}/try/sign-in", max_retries=3)
    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    reader.press("q")
    expect(reader.page.locator(".problem-line")).to_have_text(why)
    reader.press("1", "4")
    reader.submit()
    reader.page.request.post(f"{reader.url}/try/sign-in", max_retries=3)
    reader.page.reload()
    reader.page.locator(".done").wait_for()
    reader.press("q")

    expect(reader.page.get_by_role("dialog", name="Earlier items")).to_contain_text(why)


def test_room_that_is_entered_for_the_earlier_items_begins_with_them_at_its_end_alone(room: MakeRoom) -> None:
    reader = room("plain", revisable=True)
    reader.path += "?earlier=1"
    reader.open()
    expect(reader.page.locator(".dialog")).to_be_hidden()
    reader.press("1", "4")
    reader.submit()

    reader.page.reload()
    reader.page.get_by_role("dialog", name="Earlier items").get_by_role("button", name="Item 1").wait_for()
    reader.press("1")
    reader.see("You are revising your verdict of")
    reader.page.locator(".submit:not([disabled])").wait_for()


def test_list_of_earlier_items_that_cannot_be_fetched_says_so_and_is_asked_for_again(room: MakeRoom) -> None:
    reader = room("plain", "second", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()
    reader.fail("revisable", 503, error="The server is busy.")

    reader.press("q")
    reader.see("The server is busy.")
    reader.page.get_by_role("button", name="Try again").click()

    reader.page.get_by_role("button", name="Item 1").wait_for()


def test_words_of_a_revision_are_read_whole_beside_the_head_of_the_page(room: MakeRoom) -> None:
    reader = room("plain", "second", revisable=True, width=1280, height=720)
    reader.open()
    reader.page.evaluate("document.documentElement.style.setProperty('--beside-head', '21rem')")
    reader.press("1", "4")
    reader.submit()

    reader.press("q")
    reader.page.get_by_role("button", name="Item 1").click()
    reader.see("You are revising your verdict of")

    phase = reader.page.locator(".phase")
    expect(phase).to_contain_text("which is kept on record.")
    assert phase.evaluate("one => [one.scrollWidth <= one.clientWidth, one.scrollHeight <= one.clientHeight]") == [
        True,
        True,
    ]


def test_feedback_takes_its_place_from_what_the_prompt_leaves_free(room: MakeRoom) -> None:
    reader = room("practice", "plain", width=1280, height=720)
    reader.open()
    reader.press("1", "4")

    reader.press("Enter")
    reader.see("✓ Correct")

    assert reader.page.locator(".form-place").evaluate("place => place.scrollHeight - place.clientHeight") <= 1


def test_room_stays_within_the_window_when_the_page_says_something_above_it(room: MakeRoom) -> None:
    reader = room("preview", width=1280, height=720)
    reader.start()
    reader.see("Preview: nothing is sent")
    expect(reader.page.locator(".bar")).to_be_hidden()

    reader.page.evaluate("""() => {
        const line = document.createElement("div");
        line.style.height = "90px";
        document.querySelector("#host").before(line);
    }""")

    reader.page.wait_for_function(
        "document.querySelector('#host').shadowRoot.firstElementChild.getBoundingClientRect().bottom <= innerHeight"
    )


def test_text_field_shows_the_key_that_leads_into_it_while_it_does(room: MakeRoom) -> None:
    reader = room("written")
    reader.open()
    key = reader.page.locator(".lead-in")

    expect(key).to_be_hidden()
    reader.press("1")
    expect(key).to_be_visible()
    expect(key).to_have_text("A to write")
    reader.press("a")

    expect(reader.page.get_by_label("Impression")).to_be_focused()
    expect(key).to_be_hidden()
    reader.press("Escape")
    expect(key).to_be_visible()
    reader.press("n")
    expect(key).to_be_hidden()


def test_text_field_and_comment_say_how_they_are_left(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()

    reader.page.get_by_label("Impression").focus()
    expect(reader.page.get_by_text("leaves the field")).to_be_visible()
    reader.press("Escape")
    expect(reader.page.get_by_text("leaves the field")).to_be_hidden()
    reader.press("c")

    expect(reader.page.get_by_text("closes").filter(visible=True)).to_have_count(1)


def test_end_of_scoring_counts_answers_and_not_images(room: MakeRoom) -> None:
    reader = room("plain")
    summary = blinding.summary_payload(12, 24_000, 2_000, None, "answers")
    done = blinding.done_payload("All answers are scored", "Thank you.", (12, 12), "a", summary)
    reader.open()
    reader.press("1", "4")
    reader.fail("verdict", 200, receipt="7K2M-0009", saved_at="2026-11-20T10:03:22Z", next=done)
    reader.press("Enter")

    reader.see("Answers scored")
    reader.see("Time on scored answers and their forms")
    reader.see("Median time per answer")
