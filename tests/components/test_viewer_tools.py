"""The tools: each by key and by button, right in millimetres, and told in the trace."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def colours(reader: Room, place: str = ".stage") -> NDArray[np.int16]:
    """Colours on the screen, rows by columns by red, green, blue."""
    reader.page.mouse.move(5, 5)
    reader.page.wait_for_timeout(300)
    shot = reader.page.locator(place).first.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(np.int16)


def slice_of(reader: Room, pane: int = 0) -> float:
    """Height of the crosshair in a pane, in mm."""
    words = reader.page.locator(".readout .position").nth(pane).inner_text()
    match = re.search(r"([SI]) ([\d.]+) mm", words)
    assert match is not None
    return float(match[2]) * (1 if match[1] == "S" else -1)


def middle_of_stage(reader: Room, pane: int = 0) -> tuple[float, float]:
    """Where the axial plane of a pane has its middle on the page."""
    box = reader.page.locator(".overlay").nth(pane).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 3, box["y"] + box["height"] / 2


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
    expect(said).to_have_text("First end set at the crosshair; move it and press E again.")
    reader.press(*["PageUp"] * 4, "e")  # and four slices up: 12, 0, 16

    expect(said).to_have_text("Distance 20.0 mm")
    reader.press("Escape")
    expect(said).to_have_text("")


def test_distance_drawn_with_the_mouse_is_shown_on_the_picture_and_gone_after_a_reset(room: MakeRoom) -> None:
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


@pytest.mark.parametrize("renderer", ["canvas", "niivue"])
def test_mask_on_an_oblique_grid_covers_what_it_marks_in_both_renderers(room: MakeRoom, renderer: str) -> None:
    reader = room("masked")
    reader.open()
    reader.press("x", "m")
    if renderer == "niivue":
        reader.press("g")
        reader.see("NiiVue (WebGL2")
    plain = colours(reader)
    assert (plain.max(axis=2) - plain.min(axis=2))[60:-60, 40:-40].max() < 5  # off at the start

    reader.press("v")
    reader.see("Lesion")
    covered = colours(reader)

    inner = (slice(60, -60), slice(40, -40))
    marked = (covered[..., 0] > 200) & (covered[..., 1] < 60)
    ball = plain[..., 1] > 191  # half way between the head and the ball
    both = (marked & ball)[inner].sum()
    assert 2 * both / (marked[inner].sum() + ball[inner].sum()) > 0.95
    reader.press("v")
    assert abs(colours(reader) - plain).max() <= 2


def test_outline_of_a_mask_runs_round_it_and_leaves_the_inside_free(room: MakeRoom) -> None:
    reader = room("outlined")
    reader.open()
    reader.press("x", "m")
    plain = colours(reader)

    reader.page.get_by_role("button", name="Overlay").click()
    drawn = colours(reader)

    inner = (slice(60, -60), slice(40, -40))
    line = (drawn.max(axis=2) - drawn.min(axis=2) > 60)[inner]
    ball = (plain[..., 1] > 191)[inner]
    rows, columns = np.nonzero(ball)
    assert 0 < line.sum() < 0.25 * ball.sum()
    assert not line[int(rows.mean()), int(columns.mean())]
    line_rows, line_columns = np.nonzero(line)
    assert abs(line_rows.min() - rows.min()) < 12
    assert abs(line_columns.max() - columns.max()) < 12


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
    reader.page.get_by_role("button", name="Take from Prior").click()
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

    reader.page.get_by_role("button", name="Take from crosshair").click()
    reader.submit()

    [verdict] = reader.posted("verdict")
    assert verdict["answers"]["fields"]["answer"] == [0, 0, 0]


def test_three_panes_leave_no_part_of_the_place_empty(room: MakeRoom) -> None:
    reader = room("three", width=1280, height=720)
    reader.open()

    place = reader.page.locator(".panes").bounding_box()
    panes = [pane.bounding_box() for pane in reader.page.locator(".pane").all()]

    assert place is not None
    covered = sum(box["width"] * box["height"] for box in panes if box)
    assert covered > 0.98 * place["width"] * place["height"]


def test_overlay_of_another_size_than_its_picture_is_not_drawn_and_says_so(room: MakeRoom) -> None:
    reader = room("misfit")
    reader.open()
    before = colours(reader)

    reader.press("v")

    reader.see("The overlay “Ulcer” is not drawn: it has 50 × 40 × 44 pixels, the image 48 × 56.")
    middle = np.s_[100:300, 100:700]
    assert (colours(reader)[middle] == before[middle]).all()
    reader.press("v")
    expect(reader.page.get_by_text("is not drawn")).to_be_hidden()


def test_picture_is_moved_and_cine_paced_with_the_left_button_alone(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    button = lambda name: reader.page.get_by_role("button", name=name, exact=True)  # noqa: E731
    button("Zoom in").click()
    x, y = middle_of_stage(reader)
    before = colours(reader)

    button("Move").click()
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


def test_single_picture_fills_the_pane_and_has_nothing_to_scroll(room: MakeRoom) -> None:
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


def test_picture_without_scale_says_no_side_and_no_millimetre(room: MakeRoom) -> None:
    reader = room("photograph")
    reader.open()
    expect(reader.page.locator(".readout .position")).to_have_text("column 24  row 28")

    reader.press("e", *["Control+ArrowRight"] * 3, "e")

    expect(reader.page.locator(".readout .position")).to_have_text("column 27  row 28")
    expect(reader.page.locator(".images [role=status].unseen")).to_have_text("Distance 3.0 px")


def test_only_the_pane_of_another_visit_can_be_unlinked(room: MakeRoom) -> None:
    reader = room("three")
    reader.open()
    boxes = reader.page.locator(".link-box")
    assert [boxes.nth(i).is_visible() for i in range(3)] == [False, False, True]

    reader.press("u", "PageUp", "u", "PageUp")

    expect(reader.page.locator(".readout .position").nth(2)).to_contain_text("S 8.0 mm")
    assert [slice_of(reader, pane) for pane in (0, 1)] == [4, 4]
    expect(boxes.nth(2).locator(".link-words")).to_have_text("Linked with your offset")


def test_pause_covers_pictures_and_form_counts_as_idle_and_any_key_goes_on(room: MakeRoom) -> None:
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
    reader.page.get_by_role("button", name="Go on").click()

    reader.page.locator(".submit:not([disabled])").wait_for()
    assert len(reader.posted("shown")) == 1


def test_full_screen_holds_images_and_form(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("z")
    reader.page.wait_for_function("() => document.fullscreenElement !== null")

    expect(reader.page.get_by_role("button", name="Leave full screen")).to_be_visible()
    expect(reader.page.get_by_role("button", name="Submit")).to_be_visible()
    expect(reader.page.locator(".stage")).to_be_visible()
    reader.press("z")
    reader.page.wait_for_function("() => document.fullscreenElement === null")


def test_one_finger_moves_the_crosshair_or_scrolls_and_two_zoom_and_move_the_picture(room: MakeRoom) -> None:
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
