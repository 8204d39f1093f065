"""Reading item after item: what is posted, in which order, and what the reader sees of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_two_items_are_read_with_the_keyboard_alone(room: MakeRoom) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    expect(reader.page.locator(".prompt")).to_have_text("Is there a lesion in the left frontal lobe?")

    reader.press("1", "4")
    reader.submit()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    expect(reader.page.locator(".receipt")).to_contain_text("Saved · receipt 7K2M-0000")
    reader.press("2", "5")
    reader.submit()

    reader.see("You have read all items of this list. Thank you.")
    verdicts = reader.posted("verdict")
    assert [verdict["answers"]["fields"] for verdict in verdicts] == [
        {"answer": "yes", "confidence": "4"},
        {"answer": "no", "confidence": "5"},
    ]
    assert [verdict["assignment"] for verdict in verdicts] == [shown["assignment"] for shown in reader.posted("shown")]
    assert all(verdict["renderer"] == "canvas" and verdict["active_ms"] > 0 for verdict in verdicts)
    assert verdicts[0]["trace"]["volumes"][0]["seen"]["axial"] > 0


def test_two_items_are_read_with_the_mouse_alone(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()

    for _ in range(2):
        reader.page.get_by_text("No", exact=True).click()
        reader.page.locator(".scale .option").nth(2).click()
        reader.page.wait_for_timeout(450)
        before = reader.page.locator(".count").inner_text()
        reader.page.get_by_role("button", name="Submit").click()
        expect(reader.page.locator(".count")).not_to_have_text(before)
        reader.page.locator(".submit:not([disabled]), .done").wait_for()

    assert [v["answers"]["fields"] for v in reader.posted("verdict")] == [{"answer": "no", "confidence": "3"}] * 2


def test_keys_belong_to_the_room_after_a_click_on_an_answer_or_a_tool(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.open()

    reader.page.get_by_text("Yes", exact=True).click()
    reader.press("ArrowDown", "ArrowUp", "ArrowUp")
    expect(reader.page.get_by_role("radio", name="Yes")).to_be_checked()
    expect(reader.page.locator(".readout .position")).to_contain_text("S 4.0 mm")
    reader.press("4")
    reader.page.get_by_role("button", name="Narrow").click()
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


def test_arrows_choose_an_answer_for_whoever_came_to_it_with_the_keyboard(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("a", " ", "ArrowDown")

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    expect(reader.page.locator(".readout .position")).to_contain_text("S 0.0 mm")


def test_double_click_on_submit_sends_one_verdict_and_nothing_for_the_next_item(room: MakeRoom) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    reader.press("1", "4")
    reader.page.wait_for_timeout(450)

    reader.page.get_by_role("button", name="Submit").dblclick()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    reader.page.locator(".submit:not([disabled])").wait_for()

    assert len(reader.posted("verdict")) == 1
    assert reader.page.locator("input:checked").count() == 0


def test_missing_required_answer_is_named_and_nothing_is_sent(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1")

    reader.press("Enter")

    reader.see("“How sure are you?” still needs an answer.")
    # Seen at the field, and read out from one place that is not seen.
    box = reader.page.locator(".problem-line").bounding_box()
    assert box is not None and box["width"] <= 1
    expect(reader.page.get_by_role("alert").filter(has_text="still needs an answer")).to_have_count(1)
    assert reader.posted("verdict") == []


def test_free_text_is_saved_while_somebody_types(room: MakeRoom) -> None:
    reader = room("open")
    reader.open()

    reader.page.locator("textarea").first.click()
    reader.page.keyboard.type("Small focus", delay=20)

    reader.see("Draft saved")
    reader.await_draft("fields", {"answer": "Small focus"})
    assert reader.page.evaluate("document.activeElement.shadowRoot.activeElement.tagName") == "TEXTAREA"


def test_enter_ends_a_line_and_with_ctrl_it_submits(room: MakeRoom) -> None:
    reader = room("open")
    reader.open()
    reader.press("4", "a")
    reader.page.keyboard.type("First line")
    reader.press("Enter")
    reader.page.keyboard.type("second line")
    assert reader.posted("verdict") == []

    reader.press("Control+Enter")

    reader.page.locator(".done").wait_for()
    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "First line\nsecond line", "confidence": "4"}


def test_letters_typed_into_a_text_are_no_commands(room: MakeRoom) -> None:
    reader = room("open", streamlit=True)
    reader.open()

    reader.page.locator("textarea").first.click()
    reader.page.keyboard.type("n c f r 1 ?")

    assert reader.page.locator("textarea").first.input_value() == "n c f r 1 ?"
    assert not reader.page.locator(".panel").first.is_visible()
    assert not reader.page.locator(".dialog").is_visible()


def test_reload_brings_the_same_item_back_with_its_draft(room: MakeRoom) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    reader.press("2", "c")
    reader.page.keyboard.type("Motion in the upper slices")
    reader.see("Draft saved")

    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    reader.see("Comment: Motion in the upper slices")
    reader.press("c")
    expect(reader.page.get_by_role("textbox", name="Comment")).to_have_value("Motion in the upper slices")


def test_rerun_of_the_page_changes_nothing_and_fetches_nothing(room: MakeRoom) -> None:
    reader = room("plain", "second", streamlit=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()
    reader.press("2")
    reader.page.evaluate("performance.clearResourceTimings()")
    reader.page.locator("canvas").first.evaluate("canvas => { canvas.dataset.same = 'yes'; }")
    before = len(reader.asked)

    reader.page.get_by_test_id("stExpandSidebarButton").click()
    reader.page.get_by_role("button", name="Rerun").click()
    reader.page.wait_for_timeout(700)

    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    expect(reader.page.get_by_role("radio", name="No")).to_be_checked()
    assert reader.page.locator("canvas").first.get_attribute("data-same") == "yes"
    assert [url for url in reader.asked[before:] if "volume" in url or "viewer" in url] == []


def test_not_assessable_needs_a_reason_and_carries_no_answers(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1", "n")

    reader.press("Enter")
    reader.see("Choose why this cannot be assessed")
    reader.press("1")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["not_assessable"] == "quality"
    assert verdict["answers"]["fields"] == {}


def test_every_type_of_field_arrives_as_its_own_kind_of_value(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()

    reader.press("1", "1", "3", "0")  # yes; frontal and temporal; done with the list
    reader.page.get_by_label("Largest diameter").fill("12,5")
    reader.press("Escape")
    reader.press("2", "1", "3", "0")  # parietal, frontal, temporal in this order
    reader.press("5", "p")
    reader.page.get_by_label("Impression").fill("A small focus.")
    reader.press("Escape")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {
        "answer": "yes",
        "sites": ["frontal", "temporal"],
        "size": 12.5,
        "place": [0, 0, 0],
        "order": ["parietal", "frontal", "temporal"],
        "confidence": "5",
        "words": "A small focus.",
    }


def test_field_that_depends_on_another_is_asked_only_then(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    sites = reader.page.locator("[data-field=sites]")
    expect(sites).to_be_hidden()

    reader.press("1", "1")
    expect(sites).to_be_visible()
    reader.page.get_by_text("No", exact=True).click()

    expect(sites).to_be_hidden()
    reader.see("Draft saved")
    expect(reader.page.locator(".draft-line")).to_have_text("Draft saved 10:03:21")
    reader.page.wait_for_timeout(300)
    assert reader.posted("draft")[-1]["answers"]["fields"] == {"answer": "no"}


def test_number_outside_its_range_is_refused_with_the_range(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("2")
    reader.page.get_by_label("Largest diameter").fill("300")

    reader.press("Enter")

    reader.see("“Largest diameter” must be 0 to 120.")
    assert reader.posted("verdict") == []


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("1,500", "could mean 1500 or 1.5; write 1500 without a separator, or 1.5."),
        ("1.234", "could mean 1234 or 1.234; write 1234 without a separator, or 1.2340."),
        ("-12,000", "could mean -12000 or -12; write -12000 without a separator, or -12."),
        ("01,500", "could mean 1500 or 1.5; write 1500 without a separator, or 1.5."),
        ("00,500", "could mean 500 or 0.5; write 500 without a separator, or 0.5."),
        ("1,500e0", "could mean 1500e0 or 1.5; write 1500e0 without a separator, or 1.5."),
        ("1.234e-7", "could mean 1234e-7 or 1.234e-7; write 1234e-7 without a separator, or 1.2340e-7."),
    ],
)
def test_number_that_could_be_thousands_or_decimals_is_asked_about_and_not_submitted(
    room: MakeRoom, typed: str, asked: str
) -> None:
    reader = room("every")
    reader.open()
    reader.press("2")
    reader.page.get_by_label("Largest diameter").fill(typed)

    reader.press("Enter")

    reader.see(f"“Largest diameter” {asked}")
    assert reader.posted("verdict") == []
    # A draft keeps what was typed, and no number.
    assert all(draft["answers"]["fields"].get("size") in (None, typed) for draft in reader.posted("draft"))


@pytest.mark.parametrize("typed", ["1e400", "-1e400", "1e-400", "12345678901234567890", "3,14159265358979323846"])
def test_number_that_would_be_stored_as_another_one_is_refused_and_stays_as_it_was_typed(
    room: MakeRoom, typed: str
) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")
    diameter = reader.page.get_by_label("Largest diameter")
    diameter.fill(typed)
    reader.await_draft("fields", {"answer": "undetermined", "size": typed})

    reader.press("Enter")

    reader.see(f"“Largest diameter” cannot be stored as “{typed}”; write at most 15 significant digits")
    expect(diameter).to_have_value(typed)
    assert reader.posted("verdict") == []


@pytest.mark.parametrize(("pasted", "stored"), [("−5", -5), ("1e−3", 0.001)])
def test_minus_sign_of_typography_is_a_minus(room: MakeRoom, pasted: str, stored: float) -> None:
    reader = room("structured")
    reader.open()
    reader.press("4")
    reader.page.get_by_label("Largest diameter").fill(pasted)
    reader.await_draft("fields", {"answer": "undetermined", "size": pasted})

    reader.press("Enter")
    reader.page.locator(".done").wait_for()

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"]["size"] == stored


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("0,500", 0.5),
        ("0.125", 0.125),
        ("1,50", 1.5),
        ("1.2340", 1.234),
        ("12", 12),
        (",125", 0.125),
        ("0012.50", 12.5),
        ("1.10e1", 11),
        ("1.2340e-7", 1.234e-7),
        ("0.100000000000000000000", 0.1),
    ],
)
def test_number_with_one_reading_is_stored_and_comes_back_as_it_is(room: MakeRoom, typed: str, stored: float) -> None:
    reader = room("every")
    reader.open()
    reader.press("2")
    diameter = reader.page.get_by_label("Largest diameter")
    diameter.fill(typed)
    reader.await_draft("fields", {"answer": "no", "size": stored if typed == str(stored) else typed})

    reader.open()
    expect(diameter).to_have_value(typed)
    reader.page.locator("[data-field=confidence] .option").nth(3).click()
    reader.press("Enter")
    reader.page.locator(".done").wait_for()
    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "no", "size": stored, "confidence": "4"}


def test_scoring_shows_reference_and_candidate_side_by_side_without_images(room: MakeRoom) -> None:
    reader = room("scoring")
    reader.open()

    reader.see("Left superior frontal gyrus")
    reader.see("There is a lesion in the left parietal lobe.")
    expect(reader.page.locator(".images")).to_be_hidden()
    reader.press("2")
    reader.submit()

    assert reader.posted("verdict")[0]["answers"]["fields"] == {"answer": "incorrect"}
    assert len(reader.posted("shown")) == 1


def test_opinions_stand_above_the_form_without_names(room: MakeRoom) -> None:
    reader = room("opinions")
    reader.open()

    rows = [row.locator("th, td").all_inner_texts() for row in reader.page.locator(".opinions tr").all()]

    assert rows[0] == ["", "Own first read", "Opinion A", "Opinion B"]
    assert rows[1] == ["Answer", "Yes", "Yes", "No"]


def test_opinions_stand_in_the_order_of_the_form_where_the_reviewer_left_something_out(room: MakeRoom) -> None:
    reader = room("opinions on what the reviewer left out")
    reader.open()

    rows = [row.locator("th, td").all_inner_texts() for row in reader.page.locator(".opinions tr").all()]

    assert rows[1:] == [["Answer", "Yes", "No"], ["Side", "–", "Left"], ["Confidence", "3", "2"]]


def test_all_that_was_said_under_one_label_is_shown_to_the_reviewer(room: MakeRoom) -> None:
    reader = room("opinions with one label twice")
    reader.open()

    rows = [row.locator("th, td").all_inner_texts() for row in reader.page.locator(".opinions tr").all()]
    below = reader.page.locator(".opinions p").all_inner_texts()

    assert rows[1:] == [
        ["Answer", "Yes", "Yes", "No"],
        ["Confidence", "3", "–", "–"],
        ["Finding", "–", "none\nBleeding on the right", "oedema"],
    ]
    assert below == [
        "Opinion A, comment: A field of the form.",
        "Opinion A, comment: Typed at the end: look at the ventricle.",
        "Opinion B, comment: no",
    ]


def test_preview_posts_nothing(room: MakeRoom) -> None:
    reader = room("preview")
    reader.start()
    expect(reader.page.get_by_role("button", name="Preview")).to_be_disabled()

    reader.press("1", "4", "Enter")
    reader.page.wait_for_timeout(1200)

    assert [reader.posted(route) for route in ("shown", "draft", "verdict")] == [[], [], []]


def test_nothing_is_asked_of_any_other_host(room: MakeRoom) -> None:
    reader = room("second", "prior")
    reader.open()

    reader.press("g")  # NiiVue, with all that it would load
    reader.see("NiiVue (WebGL2")
    reader.press("1", "4")
    reader.submit()

    strangers = {url for url in reader.asked if not url.startswith((reader.url, "blob:", "data:"))}
    assert strangers == set()


def test_help_lists_every_key(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("?")

    shown = reader.page.locator(".dialog dt").all_inner_texts()
    assert {"1 … 9", "Enter", "T", "W", "Shift 1 … 9", "Wheel"} <= set(shown)
    reader.press("Escape")
    expect(reader.page.locator(".dialog")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720)])
def test_page_needs_no_scrolling(room: MakeRoom, width: int, height: int) -> None:
    reader = room("prior", width=width, height=height, streamlit=True)
    reader.open()

    page_height = reader.page.evaluate("document.scrollingElement.scrollHeight")
    form = reader.page.locator(".form-place").evaluate("place => [place.scrollHeight, place.clientHeight]")
    button = reader.page.locator(".submit").bounding_box()

    assert page_height <= height
    assert form[0] <= form[1]
    assert button is not None
    assert button["y"] + button["height"] <= height
