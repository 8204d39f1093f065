"""The keys: one list in code, and the page for readers says the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

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
