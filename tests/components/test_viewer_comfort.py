"""Reading for hours: contrast in both themes, nothing jumps, nothing scrolls, everything has a name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.contrast import contrast

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]

ROOT = Path(__file__).resolve().parents[2]
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]

# WCAG 2.1 AA: 4.5 for text, 3 for large text, with the colours that the browser computed and all grounds below them.
CONTRASTS = """
() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const parentOf = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const groundOf = (node) => {
    const layers = [];
    for (let at = node; at; at = parentOf(at)) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduce((ground, layer) => over(layer, ground), [255, 255, 255, 1]);
  };
  const light = ([r, g, b]) => {
    const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const room = document.querySelector("#host").shadowRoot.querySelector(".room");
  const walker = document.createTreeWalker(room, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!words || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest(":disabled, [inert], .unseen")) continue;
    let opacity = 1;
    for (let at = element; at; at = parentOf(at)) opacity *= Number(getComputedStyle(at).opacity);
    const ground = groundOf(element);
    const ink = rgba(style.color);
    const seen = over([ink[0], ink[1], ink[2], ink[3] * opacity], ground);
    const [high, low] = [light(seen), light(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push({ words, ratio: (high + 0.05) / (low + 0.05), needed: large ? 3 : 4.5, within: element.className });
  }
  return found;
}
"""


def wear(reader: Room, theme: str) -> None:
    """Give the bare page the colours that the application has in a theme."""
    colours = THEMES[theme]
    reader.page.add_style_tag(
        content=f""":root {{ background: {colours["backgroundColor"]}; --st-text-color: {colours["textColor"]};
        --st-background-color: {colours["backgroundColor"]};
        --st-secondary-background-color: {colours["secondaryBackgroundColor"]}; }}"""
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_words_have_enough_contrast(room: MakeRoom, theme: str) -> None:
    reader = room("practice", "apart", "conversation", revisable=True)
    reader.open()
    wear(reader, theme)
    contrasts: list[dict[str, Any]] = []

    def collect() -> None:
        reader.page.wait_for_timeout(100)
        contrasts.extend(reader.page.evaluate(CONTRASTS))

    if theme == "light":  # and the room's own dark theme in front of the light page
        reader.press("Shift+D")
        collect()
        reader.press("Shift+D")
    reader.press("n")
    collect()
    reader.press("n", "f", "Escape", "2", "4")
    reader.press("Enter")
    reader.see("✗ Incorrect")
    collect()
    reader.submit()
    reader.press("u", "c")
    collect()
    reader.press("Escape", "?")
    collect()
    reader.press("Escape", "q")
    reader.page.get_by_role("button", name="Item 1").wait_for()
    collect()
    reader.press("Enter")
    reader.page.locator(".revision").wait_for()
    reader.page.locator(".submit:not([disabled])").wait_for()
    collect()
    reader.press("q")
    expect(reader.page.locator(".revision")).to_have_count(0)
    reader.page.locator(".submit:not([disabled])").wait_for()
    reader.press("h")
    collect()
    reader.press("h", "1", "4")
    reader.submit()
    collect()

    too_weak = {
        (contrast["words"], contrast["within"], round(contrast["ratio"], 2))
        for contrast in contrasts
        if contrast["ratio"] < contrast["needed"]
    }
    assert len(contrasts) > 200
    assert too_weak == set()


# As WCAG 2.2 is computed with: "#rrggbb", and nothing for what is not painted.
COLOUR = """
(element, property) => {
  const paint = document.createElement("canvas").getContext("2d");
  paint.fillStyle = getComputedStyle(element)[property];
  paint.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
  return a ? "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("") : "";
}
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_button_that_submits_stands_out_and_is_filled_only_while_it_can_be_pressed(room: MakeRoom, theme: str) -> None:
    reader = room("plain")
    reader.open()
    if theme == "dark":
        reader.press("Shift+D")
    button = reader.page.locator(".submit")
    page = THEMES[theme]["backgroundColor"]

    fill, ink = (button.evaluate(COLOUR, part) for part in ("backgroundColor", "color"))
    assert contrast(fill, page) >= 3
    assert contrast(ink, fill) >= 4.5
    if theme == "dark":
        # A colour, since a grey looks disabled there.
        channels = [int(fill[at : at + 2], 16) for at in (1, 3, 5)]
        assert max(channels) - min(channels) > 80

    reader.fail("verdict", 409, error="This study is closed; no more verdicts are accepted.")
    reader.press("1", "4", "Enter")
    reader.see("This study is closed")
    expect(button).to_be_disabled()
    assert button.evaluate(COLOUR, "backgroundColor") == ""
    assert contrast(button.evaluate(COLOUR, "color"), page) >= 4.5


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720)])
def test_nothing_moves_when_the_next_item_comes_however_long_its_prompt(
    room: MakeRoom, width: int, height: int
) -> None:
    reader = room("plain", "long", "conversation", "plain", width=width, height=height, revisable=True)
    reader.open()
    reader.page.evaluate(
        """() => { window.shifts = []; new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(
            (entry) => entry.sources.map(({ node }) => node?.className ?? node?.nodeName)))
        ).observe({ type: "layout-shift" }); }"""
    )

    places = []
    for _ in range(3):
        places.append([reader.page.locator(place).bounding_box() for place in (".form-place", ".submit", ".stage")])
        reader.press("1", "4")
        reader.see("Draft saved")
        reader.submit()
        reader.page.wait_for_timeout(400)

    assert places[0] == places[1] == places[2]
    # Shifts right after a key do not count for the browser's own score; here all of them do.
    assert reader.page.evaluate("window.shifts") == []


def test_prompt_stays_in_sight_beside_a_long_context_and_its_place_grows_on_request(room: MakeRoom) -> None:
    reader = room("conversation", "conversation", width=1280, height=720)
    reader.open()
    place, prompt = reader.page.locator(".brief"), reader.page.locator(".prompt")
    button = reader.page.locator(".submit").bounding_box()

    small = place.bounding_box()
    expect(prompt).to_be_in_viewport()
    reader.press("Shift+P")
    large = place.bounding_box()
    reader.press("1", "4")
    reader.submit()

    assert small is not None
    assert large is not None
    assert large["height"] > 1.5 * small["height"]
    assert place.bounding_box() == large
    assert reader.page.locator(".submit").bounding_box() == button
    reader.page.get_by_role("button", name="Less").click()
    assert place.bounding_box() == small


def test_all_keys_are_seen_at_once_on_a_small_screen(room: MakeRoom) -> None:
    reader = room("plain", width=1280, height=720, streamlit=True)
    reader.open()

    reader.press("?")

    body = reader.page.locator(".dialog-body").evaluate("box => [box.scrollHeight, box.clientHeight]")
    assert body[0] <= body[1]


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720)])
@pytest.mark.parametrize("item", ["prior", "apart", "practice", "scoring", "opinions"])
def test_nothing_is_cut_off_or_needs_scrolling(room: MakeRoom, item: str, width: int, height: int) -> None:
    reader = room(item, "plain", width=width, height=height, revisable=True)
    reader.open()
    if item == "apart":
        reader.press("u", "PageUp", "u")

    scrolled = reader.page.evaluate(
        """() => {
            const { shadowRoot } = document.querySelector("#host");
            const page = document.scrollingElement;
            const cut = [...shadowRoot.querySelectorAll(".form-place, .brief, .toolbar, .head, .pane header, .foot")]
                .filter((box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1)
                .map((box) => box.className || box.nodeName);
            return page.scrollHeight > window.innerHeight ? [...cut, "page"] : cut;
        }"""
    )

    assert scrolled == []


def test_every_control_of_the_form_has_a_name_for_screen_readers(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "n", "n", "c", "Escape", "f", "Escape")

    tree = reader.page.get_by_role("region", name="Prompt and form").aria_snapshot()

    controls = [line.strip(" -") for line in tree.splitlines()]
    kinds = ("radio", "checkbox", "textbox", "spinbutton", "button", "radiogroup", "group", "combobox")
    named = [line for line in controls if line.split(" ")[0].rstrip(":") in kinds]
    assert len(named) > 20
    assert [line for line in named if '"' not in line and "/" not in line] == []
    assert any(line.startswith('radiogroup "Lesion? *"') for line in named)
