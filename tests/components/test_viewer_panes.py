"""Panes: several at once or one at a time, linked by the affine, by a reader's offset, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.stage import middle_of_stage, slice_of

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_panes_one_at_a_time_are_switched_by_key_and_button(room: MakeRoom) -> None:
    reader = room("switched")
    reader.open()
    panes = reader.page.locator(".pane")
    expect(panes.nth(0)).to_be_visible()
    expect(panes.nth(1)).to_be_hidden()

    reader.press("b")
    expect(panes.nth(1)).to_be_visible()
    expect(panes.nth(0)).to_be_hidden()
    expect(panes.nth(1).locator(".badge")).to_have_text("not co-registered")
    panes.nth(1).get_by_role("button", name="Current").click()
    expect(panes.nth(0)).to_be_visible()

    reader.press("1", "4")
    reader.submit()
    seen = reader.posted("verdict")[0]["trace"]["volumes"]
    assert [(entry["title"], entry["opened"]) for entry in seen] == [("Current", True), ("Prior", True)]


def test_prior_that_was_never_switched_to_counts_as_not_opened(room: MakeRoom) -> None:
    reader = room("switched")
    reader.open()

    reader.press("1", "4")
    reader.submit()

    current, prior = reader.posted("verdict")[0]["trace"]["volumes"]
    assert current["opened"]
    assert current["ms"] > 0
    assert (prior["opened"], prior["ms"], prior["seen"]) == (False, 0, {})


def test_pane_opens_on_the_sequence_that_the_item_says(room: MakeRoom) -> None:
    reader = room("lacking")
    reader.open()

    pressed = reader.page.locator(".sequences [aria-pressed=true]").all_inner_texts()
    reader.press("1", "4")
    reader.submit()

    assert pressed == ["T2", "T2"]
    seen = reader.posted("verdict")[0]["trace"]["volumes"]
    assert [(entry["title"], entry["label"], entry["opened"]) for entry in seen] == [
        ("Current", "T1", False), ("Current", "T2", True), ("Prior", "T2", True),
    ]  # fmt: skip


def test_pane_that_is_not_coregistered_is_linked_with_the_offset_that_the_reader_finds(room: MakeRoom) -> None:
    reader = room("apart")
    reader.open()
    pane = reader.page.locator(".pane").nth(1)
    link = pane.locator(".link-words")
    expect(pane.locator(".badge")).to_have_text("not co-registered")
    expect(link).to_be_hidden()

    reader.press("u", "PageUp", "PageUp")
    expect(reader.page.locator(".readout .position").nth(1)).to_contain_text("S 8.0 mm")
    assert slice_of(reader, 0) == 0
    reader.press("u")
    expect(link).to_have_text("Linked with your offset")
    reader.press("PageUp")
    expect(reader.page.locator(".readout .position").nth(1)).to_contain_text("S 12.0 mm")
    assert slice_of(reader, 0) == 4

    reader.press("Shift+U")
    expect(link).to_be_hidden()
    assert slice_of(reader, 1) == slice_of(reader, 0)


def test_offset_outlives_a_reload_stands_in_the_trace_and_ends_with_the_item(room: MakeRoom) -> None:
    reader = room("apart", "apart")
    reader.open()
    reader.press("u", "PageUp", "PageUp", "u", "1", "3")
    reader.see("Draft saved")

    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    expect(reader.page.locator(".link-words").nth(1)).to_have_text("Linked with your offset")
    expect(reader.page.locator(".readout .position").nth(1)).to_contain_text("S 8.0 mm")
    reader.submit()
    [verdict] = reader.posted("verdict")
    assert verdict["trace"]["offsets"] == [{"title": "Prior", "mm": [0, 0, 8]}]
    expect(reader.page.locator(".link-words").nth(1)).to_be_hidden()
    expect(reader.page.locator(".readout .position").nth(1)).to_contain_text("S 0.0 mm")


def test_offset_goes_on_with_the_next_turn_of_a_conversation_and_with_no_other_item(room: MakeRoom) -> None:
    reader = room("apart", "next turn", "apart")
    reader.open()
    link = reader.page.locator(".link-words").nth(1)
    reader.press("u", "PageUp", "u", "1", "3")
    reader.submit()

    expect(link).to_have_text("Linked with your offset")
    reader.press("1", "3")
    reader.submit()
    expect(link).to_be_hidden()


def test_point_is_taken_in_the_pane_that_the_reader_aimed_in_and_says_which(room: MakeRoom) -> None:
    reader = room("where-apart")
    reader.open()
    words = reader.page.locator(".point-words")
    reader.press("u", "PageUp", "u")

    reader.press("p")
    expect(words).to_have_text("Prior: R 0.0  A 0.0  S 4.0 mm")
    reader.press("b", "p")
    expect(words).to_have_text("Current: R 0.0  A 0.0  S 0.0 mm")
    # On the way to the form the pointer crosses the other pane, which must not change where the point is taken.
    x, y = middle_of_stage(reader, 0)
    reader.page.mouse.click(x, y)
    reader.page.mouse.move(*middle_of_stage(reader, 1))
    reader.press("p")
    expect(words).to_contain_text("Current:")
    reader.page.get_by_role("button", name="Set in Prior").click()
    reader.press("PageUp", "PageUp")
    reader.page.get_by_role("button", name="Show").click()
    expect(reader.page.locator(".readout .position").nth(1)).to_have_text(words.inner_text().removeprefix("Prior: "))

    reader.page.get_by_role("button", name="Submit").click()
    reader.page.locator(".done").wait_for()
    [verdict] = reader.posted("verdict")
    place = verdict["answers"]["fields"]["answer"]
    assert (len(place), place[3]) == (4, "Prior")


def test_point_in_panes_of_one_world_is_three_numbers(room: MakeRoom) -> None:
    reader = room("where")
    reader.open()

    reader.page.get_by_role("button", name="Set at crosshair").click()
    reader.submit()

    [verdict] = reader.posted("verdict")
    assert verdict["answers"]["fields"]["answer"] == [0, 0, 0]


def test_a_picture_beside_scans_has_a_crosshair_of_its_own(room: MakeRoom) -> None:
    reader = room("photograph beside")
    reader.open()
    positions = reader.page.locator(".readout .position")
    scan, picture = positions.nth(0), positions.nth(1)
    in_scan, middle = scan.inner_text(), picture.inner_text()
    box = reader.page.locator(".pane").nth(1).locator("canvas").last.bounding_box()
    assert box is not None

    reader.page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.4 * box["height"])

    expect(picture).not_to_have_text(middle)
    expect(scan).to_have_text(in_scan)
    set_there = picture.inner_text()
    first = reader.page.locator(".pane").nth(0).locator("canvas").last.bounding_box()
    assert first is not None
    reader.page.mouse.click(first["x"] + 0.2 * first["width"], first["y"] + 0.3 * first["height"])
    expect(scan).not_to_have_text(in_scan)
    expect(picture).to_have_text(set_there)
    expect(reader.page.get_by_role("button", name="Unlink")).to_be_hidden()


def test_three_panes_leave_no_part_of_the_place_empty(room: MakeRoom) -> None:
    reader = room("three", width=1280, height=720)
    reader.open()

    place = reader.page.locator(".panes").bounding_box()
    panes = [pane.bounding_box() for pane in reader.page.locator(".pane").all()]

    assert place is not None
    covered = sum(box["width"] * box["height"] for box in panes if box)
    assert covered > 0.98 * place["width"] * place["height"]


def test_only_the_pane_of_another_visit_can_be_unlinked(room: MakeRoom) -> None:
    reader = room("three")
    reader.open()
    boxes = reader.page.locator(".link-box")
    assert [boxes.nth(i).is_visible() for i in range(3)] == [False, False, True]

    reader.press("u", "PageUp", "u", "PageUp")

    expect(reader.page.locator(".readout .position").nth(2)).to_contain_text("S 8.0 mm")
    assert [slice_of(reader, pane) for pane in (0, 1)] == [4, 4]
    expect(boxes.nth(2).locator(".link-words")).to_have_text("Linked with your offset")


def test_what_links_a_pane_stands_in_its_head_and_on_no_image(room: MakeRoom) -> None:
    reader = room("three", width=1280, height=720)
    reader.open()
    pane = reader.page.locator(".pane").nth(2)

    for key in ("u", "PageUp", "u"):
        head, box = pane.locator("header").bounding_box(), pane.locator(".link-box").bounding_box()
        assert head is not None and box is not None
        assert head["y"] <= box["y"] and box["y"] + box["height"] <= head["y"] + head["height"]
        tools = [tool.bounding_box() for tool in pane.locator("header button:visible").all()]
        assert all(tool and tool["x"] + tool["width"] <= head["x"] + head["width"] for tool in tools)
        reader.press(key)

    expect(pane.get_by_role("button", name="Clear offset")).to_be_visible()
    expect(pane.locator(".badge")).to_be_hidden()


# What is painted beside the letter at the bottom of the one plane that fills the stage: colour and opacity.
BEHIND_THE_LOWEST_LETTER = """
() => {
  const overlay = document.querySelector("#host").shadowRoot.querySelector(".overlay");
  const { width, height } = overlay.getBoundingClientRect();
  const ratio = overlay.width / width;
  const at = [Math.round((width / 2 - 8) * ratio), Math.round((height - 13) * ratio)];
  return [...overlay.getContext("2d").getImageData(...at, 1, 1).data];
}
"""


def test_a_letter_of_orientation_stands_on_a_dark_ground_of_its_own(room: MakeRoom) -> None:
    reader = room("plain", width=1280, height=720)
    reader.open()

    reader.press("x", "ArrowRight", "m")

    reader.page.wait_for_timeout(300)
    red, green, blue, opacity = reader.page.evaluate(BEHIND_THE_LOWEST_LETTER)
    assert (red, green, blue) == (0, 0, 0)
    assert opacity > 0.5 * 255
