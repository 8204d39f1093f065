"""The keys: one list in code, and the page for readers says the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

MakeRoom = Callable[..., Room]

ROOT = Path(__file__).resolve().parents[2]
LIST = (ROOT / "components" / "viewer" / "frontend" / "src" / "keys.js").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "how-to" / "read-items.md").read_text(encoding="utf-8")


def test_page_for_readers_lists_every_key_as_the_room_does() -> None:
    listed = re.findall(r'shown: "([^"]+)", does: "([^"]+)"', LIST)
    written = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)

    assert len(listed) > 40
    assert [pair for pair in listed if pair not in written] == []


def test_no_key_has_two_meanings() -> None:
    keys = re.findall(r"keys: \[([^\]]+)\]", LIST)

    names = [name for group in keys for name in re.findall(r'"([^"]+)"', group)]

    assert len(names) > 30
    assert sorted(names) == sorted(set(names))


def test_letters_go_by_their_place_on_a_keyboard_without_latin_letters(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    cyrillic = "{ key: 'т', code: 'KeyN', bubbles: true, cancelable: true }"
    reader.page.evaluate(f"window.dispatchEvent(new KeyboardEvent('keydown', {cyrillic}))")

    expect(reader.page.get_by_role("button", name="Not assessable")).to_have_attribute("aria-expanded", "true")


def test_key_for_earlier_items_says_that_the_study_lets_nobody_go_back(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()

    reader.press("q")

    expect(reader.page.locator(".problem-line")).to_have_text("This study does not let you go back to earlier items.")
    reader.press("1")
    expect(reader.page.locator(".problem-line")).to_be_empty()


def test_key_for_earlier_items_says_of_a_part_that_it_lets_nobody_go_back(room: MakeRoom) -> None:
    reader = room("scoring")
    reader.open()

    reader.press("q")

    expect(reader.page.locator(".problem-line")).to_have_text("This part does not let you go back to earlier items.")


def test_key_for_earlier_items_says_that_there_are_none_yet(room: MakeRoom) -> None:
    reader = room("plain", revisable=True)
    reader.open()

    reader.press("q")

    expect(reader.page.locator(".problem-line")).to_have_text("No earlier item can be revised at the moment.")


@pytest.mark.parametrize(
    ("item", "revisable", "listed"),
    [
        ("plain", False, set()),
        ("plain", True, {"Q"}),
        ("where", False, {"P"}),
        ("masked", False, {"V"}),
        ("structured", False, {"Shift N"}),
    ],
)
def test_help_lists_keys_that_have_something_to_act_on(
    room: MakeRoom, item: str, revisable: bool, listed: set[str]
) -> None:
    reader = room(item, revisable=revisable)
    reader.open()

    reader.press("?")

    keys = reader.page.locator(".key-tables dt").all_inner_texts()
    assert len(keys) > 40
    assert {"Q", "V", "P", "Shift N"} & set(keys) == listed
