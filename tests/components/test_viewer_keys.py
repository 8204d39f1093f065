"""The keys: one list in code, and the page for readers says the same."""

from __future__ import annotations

import re
from pathlib import Path

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
