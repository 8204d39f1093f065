"""Ways round the room: links to skip by, fingers, tablets held upright, and dark or light for the whole page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit
from playwright.sync_api import Browser, BrowserContext, Page, expect

from components import frame
from tests.components.conftest import Room
from tests.harness.server import RunningServer

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "components" / "viewer" / "frontend" / "src"
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
GROUND = "getComputedStyle(document.documentElement).backgroundColor"
FOCUSED = "document.activeElement.shadowRoot?.activeElement ?? document.activeElement"
SMALLEST = 44


@pytest.fixture
def tablet(stand_in: RunningServer, browser: Browser) -> Iterator[Callable[..., Room]]:
    """A function like `room`, on a screen that is touched and held upright."""
    contexts: list[BrowserContext] = []

    def prepare(*items: str, width: int = 768, height: int = 1024) -> Room:
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.request.post(
            f"{stand_in.url}/try/restart", max_retries=3, data={"items": list(items), "revision": "study"}
        )
        return Room(page, stand_in.url, "/try/bare")

    yield prepare
    for context in contexts:
        context.close()


def tabs_until(page: Page, place: str, most: int = 60) -> int:
    """Press Tab until something that fits `place` has the focus; return how often."""
    for count in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate(f"({FOCUSED}).matches({place!r})"):
            return count
    raise AssertionError(f"{place} was not reached with {most} tabs")


def test_first_answer_is_four_keys_from_the_top_of_the_room(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    assert tabs_until(reader.page, ".skip") == 1
    reader.press("Enter")

    assert reader.page.evaluate(f"({FOCUSED}).className") == "brief"
    assert tabs_until(reader.page, ".option input", most=2) <= 2
    assert reader.posted("verdict") == []


def test_second_link_skips_to_the_images_where_arrows_scroll(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("Tab", "Tab")
    expect(reader.page.get_by_role("link", name="Skip to the images")).to_be_focused()
    reader.press("Enter", "ArrowUp")

    expect(reader.page.locator(".readout .position")).to_contain_text("S 4.0 mm")


def test_without_images_no_link_skips_to_them(room: MakeRoom) -> None:
    reader = room("scoring", "plain")
    reader.open()

    expect(reader.page.locator(".skip:not([hidden])")).to_have_text(["Skip to the question"])
    reader.press("1")
    reader.submit()
    expect(reader.page.locator(".skip:not([hidden])")).to_have_text(["Skip to the question", "Skip to the images"])


@pytest.mark.parametrize("width", [1280, 1440])
def test_unit_and_range_of_a_number_stand_whole_beside_it(room: MakeRoom, width: int) -> None:
    reader = room("measured", width=width, height=720)
    reader.open()

    boxes = [reader.page.locator(place).bounding_box() for place in (".measure input", ".unit", ".range")]

    number, unit, limits = (box for box in boxes if box is not None)
    assert max(unit["height"], limits["height"]) < 25
    assert number["x"] + number["width"] < unit["x"] < unit["x"] + unit["width"] < limits["x"]
    assert all(number["y"] < box["y"] < box["y"] + box["height"] < number["y"] + 42 for box in (unit, limits))


def test_links_to_skip_by_are_seen_when_they_have_the_focus_only(room: MakeRoom) -> None:
    reader = room("scoring")
    reader.open()
    link = reader.page.get_by_role("link", name="Skip to the question")

    assert link.evaluate("link => getComputedStyle(link).clipPath") != "none"
    reader.press("Tab")
    assert link.evaluate("link => getComputedStyle(link).clipPath") == "none"
    reader.press("Enter")
    assert reader.page.evaluate(f"({FOCUSED}).className") == "cards"


@pytest.mark.parametrize("item", ["prior", "apart", "every", "scoring", "practice"])
def test_everything_that_is_touched_is_large_enough_for_a_finger(tablet: MakeRoom, item: str) -> None:
    reader = tablet(item, "plain")
    reader.open()
    # Of the buttons that open a panel, the form of scoring has this one alone.
    reader.page.get_by_role("button", name="Comment" if item == "scoring" else "Flag").tap()

    small = reader.page.evaluate(
        f"""() => [...document.querySelector("#host").shadowRoot.querySelectorAll(
                "button, a:not(.skip), .option, summary")]
            .filter((one) => one.checkVisibility({{ visibilityProperty: true }}))
            .map((one) => [one.textContent, one.getBoundingClientRect()])
            .filter(([, box]) => box.width < {SMALLEST} || box.height < {SMALLEST})
            .map(([words, box]) => [words, box.width, box.height])"""
    )

    assert small == []


@pytest.mark.parametrize("item", ["prior", "three", "conversation", "opinions"])
def test_tablet_held_upright_has_the_images_above_the_form_and_nothing_beside_the_screen(
    tablet: MakeRoom, item: str
) -> None:
    reader = tablet(item, "plain")
    reader.open()

    images = reader.page.locator(".images").bounding_box()
    side = reader.page.locator(".side").bounding_box()
    button = reader.page.locator(".submit").bounding_box()

    assert images is not None
    assert side is not None
    assert button is not None
    assert images["y"] + images["height"] <= side["y"]
    assert images["width"] > 700
    assert images["height"] > 380
    assert button["y"] + button["height"] <= 1024
    assert reader.page.evaluate("document.scrollingElement.scrollWidth") <= 768


def test_upright_tablet_reads_an_item_by_touch_alone(tablet: MakeRoom) -> None:
    reader = tablet("plain", "second")
    reader.open()

    reader.page.get_by_text("Yes", exact=True).tap()
    reader.page.locator(".scale .option").nth(3).tap()
    reader.page.wait_for_timeout(450)
    reader.page.get_by_role("button", name="Submit").tap()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")

    (verdict,) = reader.posted("verdict")
    assert verdict["answers"]["fields"] == {"answer": "yes", "confidence": "4"}


def test_words_have_what_the_form_leaves_of_the_column(room: MakeRoom) -> None:
    reader = room("plain", "every", width=1440, height=900)
    reader.open()

    brief, form, foot = (reader.page.locator(place).bounding_box() for place in (".brief-place", ".form", ".foot"))

    assert brief is not None
    assert form is not None
    assert foot is not None
    assert brief["height"] > 0.5 * 900
    assert 0 <= foot["y"] - (form["y"] + form["height"]) <= 60


def test_short_prompt_gives_the_form_its_place_where_the_form_has_to_scroll(room: MakeRoom) -> None:
    reader = room("every", width=1280, height=720)
    reader.open()

    place = reader.page.locator(".brief-place").bounding_box()
    hidden = reader.page.locator(".brief").evaluate("brief => brief.scrollHeight - brief.clientHeight")

    assert place is not None
    assert place["height"] < 100  # of the 183 that it may take
    assert hidden <= 1


def test_fields_that_may_be_asked_later_have_their_place_already(room: MakeRoom) -> None:
    reader = room("every", width=1440, height=1300)
    reader.open()
    before = reader.page.locator("[data-field=answer]").bounding_box()

    reader.press("1")
    expect(reader.page.locator("[data-field=sites]")).to_be_visible()

    assert reader.page.locator("[data-field=answer]").bounding_box() == before


def test_dark_is_the_whole_page_and_is_remembered(room: MakeRoom) -> None:
    reader = room("plain", streamlit=True)
    reader.open()
    dark = reader.page.evaluate("colour => { const s = new Option().style; s.color = colour; return s.color; }",
                                THEMES["dark"]["backgroundColor"])  # fmt: skip

    reader.press("Shift+D")
    grounds = reader.page.evaluate(
        """() => [...document.querySelectorAll("html, body, .stApp, .stMain")]
            .map((one) => getComputedStyle(one).backgroundColor)"""
    )
    assert set(grounds) == {dark}
    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    assert reader.page.evaluate(GROUND) == dark
    expect(reader.page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    stored = reader.page.evaluate("Object.keys(localStorage).filter((name) => localStorage[name] === '\"Dark\"')")
    assert "stActiveTheme-/-v2" in stored
    assert {f"stActiveTheme-/{address}-v2" for address in frame.PAGES} <= set(stored)
    reader.press("Shift+D")
    assert reader.page.evaluate("localStorage.getItem('blindread.theme')") is None


def test_page_follows_the_system_until_somebody_chooses(room: MakeRoom) -> None:
    reader = room("plain", streamlit=True)
    reader.page.emulate_media(color_scheme="dark")
    reader.open()
    dark = reader.page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")

    assert reader.page.locator(".room").evaluate("room => getComputedStyle(room).backgroundColor") == dark
    expect(reader.page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    reader.press("Shift+D")
    reader.page.reload()
    reader.page.locator(".submit:not([disabled])").wait_for()

    assert reader.page.evaluate(GROUND) != dark
    reader.page.emulate_media(color_scheme="light")


def test_themes_of_the_room_are_those_of_the_application() -> None:
    styles = (SOURCES / "styles.css").read_text(encoding="utf-8")

    for theme in ("light", "dark"):
        said = re.search(rf"\.room\.{theme} {{ --ink: (\S+); --paper: (\S+); --card: (\S+);", styles)
        assert said is not None
        wanted = [THEMES[theme][name] for name in ("textColor", "backgroundColor", "secondaryBackgroundColor")]
        assert list(said.groups()) == wanted


def test_streamlit_keeps_its_theme_where_the_room_puts_it() -> None:
    source = (SOURCES / "ground.js").read_text(encoding="utf-8")
    bundles = (Path(streamlit.__file__).parent / "static" / "static" / "js").glob("*.js")
    [keeper] = [text for file in bundles if "stActiveTheme-" in (text := file.read_text(encoding="utf-8"))]

    assert "stActiveTheme-${pathname}${page}-v2" in source
    assert "stActiveTheme-${window.location.pathname}" in keeper
    assert re.search(r"CACHED_THEME_VERSION:(\w+)", keeper) is not None


def test_the_place_of_a_short_prompt_is_no_empty_box(room: MakeRoom) -> None:
    reader = room("plain", "long", width=1280, height=720)
    reader.open()
    place = reader.page.locator(".brief-place")

    for cut in (False, True):
        ground, line = place.evaluate(
            "(box) => [getComputedStyle(box).backgroundColor, getComputedStyle(box, '::after').content]"
        )
        assert ground == "rgba(0, 0, 0, 0)"
        assert (line != "none") == cut
        if not cut:
            reader.press("1", "4")
            reader.submit()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768)])
def test_comments_of_others_are_in_sight_before_the_decision(room: MakeRoom, width: int, height: int) -> None:
    reader = room("opinions with comments", width=width, height=height)
    reader.open()

    expect(reader.page.locator(".opinions p").last).to_contain_text("Within what is normal")
    assert in_sight(reader.page, ".opinions p")
    expect(reader.page.get_by_role("button", name="More")).to_be_hidden()


def test_an_item_opens_at_the_top_of_its_form_after_one_that_was_scrolled_to_its_end(room: MakeRoom) -> None:
    reader = room("four fields", "four fields", width=1366, height=768)
    reader.open()
    place = reader.page.locator(".form-place")
    reader.press("1", "1", "a", "1", "2", "Escape", "3")
    scrolled = place.evaluate("(box) => box.scrollTop")

    reader.submit()

    assert scrolled > 0 == place.evaluate("(box) => box.scrollTop")
    assert in_sight(reader.page, "[data-field=answer]")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768)])
def test_flag_and_comment_are_in_sight_below_a_form_that_is_scrolled(room: MakeRoom, width: int, height: int) -> None:
    reader = room("scales", width=width, height=height)
    reader.open()
    place = reader.page.locator(".form-place")

    for end in ("0", "box.scrollHeight"):
        place.evaluate(f"(box) => box.scrollTo(0, {end})")
        assert in_sight(reader.page, ".tabs")


@pytest.mark.parametrize("item", ["plain", "judged"])
def test_the_steps_of_a_scale_keep_their_words_off_the_borders(room: MakeRoom, item: str) -> None:
    reader = room(item, width=1366, height=768)
    reader.open()

    gaps = reader.page.locator(".scale .option").evaluate_all(
        """(steps) => steps.flatMap((step) => {
          const box = step.getBoundingClientRect(), words = document.createRange();
          words.selectNodeContents(step.querySelector(".words"));
          return [...words.getClientRects()].flatMap(({ left, right }) => [left - box.left, box.right - right]);
        })"""
    )

    assert len(gaps) >= 10
    assert min(gaps) >= 4


def in_sight(page: Page, place: str) -> bool:
    """Return whether the last element of a kind is whole on the screen, and not cut off by what it is scrolled in."""
    return bool(
        page.locator(place).last.evaluate(
            """(element) => {
              const own = element.getBoundingClientRect();
              const around = element.closest(".brief, .form-place").getBoundingClientRect();
              return own.top >= around.top && own.bottom <= around.bottom && around.bottom <= window.innerHeight;
            }"""
        )
    )


# The words of a place that are parted between two lines.
PARTED = """(place) => [...document.querySelector("#host").shadowRoot.querySelectorAll(place)].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), parted = [];
  while (walker.nextNode()) {
    for (const { 0: word, index } of walker.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) parted.push(word);
    }
  }
  return parted;
})"""


@pytest.mark.parametrize(
    ("item", "place"), [("difficulty", ".scale .words"), ("opinions in long words", ".opinions, .opinions p")]
)
def test_no_word_is_parted_where_it_has_room_below(room: MakeRoom, item: str, place: str) -> None:
    reader = room(item, width=1280, height=720)
    reader.open()

    assert reader.page.evaluate(PARTED, place) == []
    for box in reader.page.locator(place.split(",")[0].split()[0]).all():
        assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
