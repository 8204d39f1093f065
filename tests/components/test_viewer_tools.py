"""The tools: each by key and by button, right in millimetres, and told in the trace."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.stage import colours, middle_of_stage, slice_of

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_cine_runs_through_the_slices_and_stops_at_any_scroll(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    play = reader.page.get_by_role("button", name="Play", exact=True)
    expect(reader.page.locator(".readout .position")).to_contain_text("S 0.0 mm")

    reader.press("s", ".", ".")
    expect(reader.page.get_by_role("button", name="20/s")).to_have_attribute("aria-pressed", "true")
    reader.page.wait_for_function(
        """() => {
          const { shadowRoot } = document.querySelector("#host");
          return !shadowRoot.querySelector(".readout .position").textContent.includes("S 0.0 mm");
        }"""
    )
    reader.press("PageDown")
    expect(play).to_have_attribute("aria-pressed", "false")
    reader.page.wait_for_timeout(200)
    stopped = slice_of(reader)
    reader.page.wait_for_timeout(300)

    assert slice_of(reader) == stopped


def test_cine_goes_round_and_leaves_slices_that_were_seen_in_the_trace(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press(" ", *["."] * 6)  # 30 slices a second, 44 slices
    where = reader.page.locator(".readout .position")
    expect(where).to_contain_text(" I ", timeout=20_000)  # past the top and on from the bottom
    expect(where).not_to_contain_text(" I ", timeout=20_000)
    reader.press(" ", "1", "4")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["trace"]["volumes"][0]["seen"]["axial"] == 1
    assert verdict["trace"]["tools"]["cine"] == 2


def test_distance_along_the_keyboard_is_in_millimetres_of_the_affine(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    said = reader.page.locator(".images [role=status].unseen")

    reader.press("e", *["Control+ArrowRight"] * 3)  # three voxels of 4 mm to the left of the patient
    expect(said).to_have_text("Start set at the crosshair; move the crosshair and press E again.")
    reader.press(*["PageUp"] * 4, "e")  # and four slices up: 12, 0, 16

    expect(said).to_have_text("Distance 20.0 mm")
    reader.press("Escape")
    expect(said).to_have_text("")


def test_distance_drawn_with_the_mouse_is_shown_on_the_image_and_gone_after_a_reset(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("x")
    before = colours(reader)
    x, y = middle_of_stage(reader)

    reader.press("d")
    expect(reader.page.get_by_role("button", name="Measure")).to_have_attribute("aria-pressed", "true")
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move(x + 60, y, steps=3)
    reader.page.mouse.up()

    said = reader.page.locator(".images [role=status].unseen")
    expect(said).to_contain_text("Distance")
    assert abs(colours(reader) - before).max() > 100
    reader.press("r")
    expect(said).to_have_text("")
    assert abs(colours(reader) - before).max() <= 2


def test_image_is_moved_and_cine_paced_with_the_left_button_alone(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    button = lambda name: reader.page.get_by_role("button", name=name, exact=True)  # noqa: E731
    button("Zoom in").click()
    x, y = middle_of_stage(reader)
    before = colours(reader)

    button("Pan").click()
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move(x + 40, y, steps=4)
    reader.page.mouse.up()

    assert (colours(reader) != before).mean() > 0.01
    expect(reader.page.locator(".readout .position")).to_have_text("R 0.0  A 0.0  S 0.0 mm")
    button("Play").click()
    button("Play faster").click()
    expect(button("15/s")).to_be_visible()
    button("Play slower").click()
    expect(button("10/s")).to_be_visible()


def test_planes_start_and_absolute_presets_are_those_of_the_study(room: MakeRoom) -> None:
    reader = room("coronal")
    reader.open()
    expect(reader.page.locator(".readout .position")).to_have_text("R 8.0  A 12.0  I 16.0 mm")
    expect(reader.page.locator(".value")).to_have_text("T1: 120")

    reader.press("x", "m")
    assert abs(np.median(colours(reader)[300:400, 300:600]) - 127) <= 2  # 120 in a window of 20 to 220
    reader.press("Shift+Digit4")
    head = colours(reader)
    reader.press("1", "4")
    reader.submit()

    assert (head[300:400, 300:600] > 250).mean() > 0.9  # everything over 80 is white
    trace = reader.posted("verdict")[0]["trace"]
    assert trace["windows"] == ["T1 absolute 0 80"]
    assert set(trace["volumes"][0]["seen"]) == {"coronal", "axial"}


def test_single_image_fills_the_pane_and_has_nothing_to_scroll(room: MakeRoom) -> None:
    reader = room("flat")
    reader.open()
    before = colours(reader)
    x, y = middle_of_stage(reader)

    reader.press("PageUp", "ArrowRight", "s")
    reader.page.mouse.move(x, y)
    reader.page.mouse.wheel(0, -100)

    expect(reader.page.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    assert abs(colours(reader) - before).max() <= 2
    bright = np.nonzero((before[..., 1] > 60).any(axis=1))[0]
    assert bright.max() - bright.min() > 0.7 * before.shape[0]


def test_image_without_scale_says_no_side_and_no_millimetre(room: MakeRoom) -> None:
    reader = room("photograph")
    reader.open()
    expect(reader.page.locator(".readout .position")).to_have_text("column 24  row 28")

    reader.press("e", *["Control+ArrowRight"] * 3, "e")

    expect(reader.page.locator(".readout .position")).to_have_text("column 27  row 28")
    expect(reader.page.locator(".images [role=status].unseen")).to_have_text("Distance 3.0 px")


def test_no_lines_lie_over_a_picture_before_the_reader_points_at_it(room: MakeRoom) -> None:
    reader = room("photograph")
    reader.open()
    x, y = middle_of_stage(reader)

    def yellow() -> int:
        """Pixels in the colour of the crosshair; the picture is grey."""
        shown = colours(reader)
        return int((shown[..., 0] - shown[..., 2] > 40).sum())

    before = yellow()
    reader.page.mouse.click(x + 40, y + 40)
    pointed = yellow()
    reader.page.get_by_role("button", name="Reset").click()

    assert (before, yellow()) == (0, 0)
    assert pointed > 100


def test_a_point_on_a_picture_is_taken_only_where_the_reader_has_pointed(room: MakeRoom) -> None:
    reader = room("where-photograph")
    reader.open()
    words = reader.page.locator(".point-words")
    unset = words.inner_text()
    # Nothing is drawn yet that could be moved there.
    assert unset == "No point yet: click the place in the image, then set it."
    setting = reader.page.locator(".point-buttons button").first
    expect(setting).to_have_text("Click in the image first")
    x, y = middle_of_stage(reader)

    reader.press("p")
    expect(reader.page.locator(".problem")).to_contain_text("needs a place in the image")
    expect(words).to_have_text(unset)
    position = reader.page.locator(".readout .position")
    middle = position.inner_text()
    reader.page.mouse.click(x + 40, y + 40)
    expect(position).not_to_have_text(middle)
    expect(setting).to_have_text("Set at crosshair")
    pointed = position.inner_text()
    reader.press("p")
    expect(words).to_have_text(pointed)
    reader.page.get_by_role("button", name="Reset").click()
    reader.press("p")  # by then no crosshair is drawn

    expect(words).to_have_text(pointed)


def test_pause_covers_images_and_form_counts_as_idle_and_any_key_goes_on(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    reader.press("1")

    reader.press("h")
    expect(reader.page.locator(".images")).to_be_hidden()
    expect(reader.page.locator(".form")).to_be_hidden()
    reader.page.wait_for_timeout(1200)
    reader.press("4")
    expect(reader.page.locator(".form")).to_be_visible()
    assert reader.page.locator("[data-field=confidence] input:checked").count() == 0
    reader.press("4")
    reader.submit()

    (verdict,) = reader.posted("verdict")
    assert verdict["idle_ms"] >= 1100
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


def test_images_under_a_pause_are_not_said_to_have_been_shown(room: MakeRoom) -> None:
    reader = room("plain")
    held = []
    reader.page.route("**/reading/volume/*", lambda route: held.append(route))
    reader.start()
    reader.see("Loading the images …")

    reader.page.get_by_role("button", name="Pause").click()
    for route in held:
        route.continue_()
    reader.page.wait_for_timeout(800)
    assert reader.posted("shown") == []
    reader.page.get_by_role("button", name="Resume").click()

    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(reader.posted("shown")) == 1


def test_full_screen_holds_images_and_form(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("z")
    reader.page.wait_for_function("() => document.fullscreenElement !== null")

    expect(reader.page.get_by_role("button", name="Exit full screen")).to_be_visible()
    expect(reader.page.get_by_role("button", name="Submit")).to_be_visible()
    expect(reader.page.locator(".stage")).to_be_visible()
    reader.press("z")
    reader.page.wait_for_function("() => document.fullscreenElement === null")


def test_one_finger_moves_the_crosshair_or_scrolls_and_two_zoom_and_move_the_image(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    where = reader.page.locator(".readout .position")
    x, y = middle_of_stage(reader)
    touch = reader.page.context.new_cdp_session(reader.page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        spots = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    fingers("touchStart", (x, y))
    fingers("touchMove", (x - 60, y - 60))
    fingers("touchEnd")
    expect(where).not_to_contain_text("A 0.0")
    assert slice_of(reader) == 0

    reader.press("y")
    fingers("touchStart", (x, y))
    fingers("touchMove", (x, y - 40))
    fingers("touchEnd")
    expect(where).not_to_contain_text("S 0.0 mm")

    small = (colours(reader) > 60).mean()
    fingers("touchStart", (x - 20, y), (x + 20, y))
    fingers("touchMove", (x - 60, y), (x + 60, y))
    fingers("touchEnd")
    assert (colours(reader) > 60).mean() > 1.3 * small

    place, before = where.inner_text(), colours(reader)
    fingers("touchStart", (x - 20, y), (x + 20, y))
    fingers("touchMove", (x + 10, y + 30), (x + 50, y + 30))
    fingers("touchEnd")
    assert (colours(reader) != before).mean() > 0.002
    expect(where).to_have_text(place)


def test_every_button_of_the_room_says_its_key_and_every_key_is_in_the_help(room: MakeRoom) -> None:
    reader = room("masked")
    reader.open()

    buttons = reader.page.locator(".tool, .room-tools button")
    titles = [button.get_attribute("title") or "" for button in buttons.all() if button.is_visible()]
    reader.press("?")
    listed = " ".join(reader.page.locator(".dialog dt").all_inner_texts())

    assert len(titles) > 10
    for title in titles:
        match = re.search(r"\((.+)\)$", title)
        assert match is not None, title
        assert match[1].replace("-", "−") in listed or "Shift 1 … 9" in listed, title
