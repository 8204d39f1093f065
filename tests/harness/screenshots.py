"""Images of every open page of a failed browser test."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Error

from tests.harness.server import ROOT

FOLDER = ROOT / "test-artifacts"


def photograph(browser: Browser, name: str) -> list[Path]:
    """Save one PNG per open page under `name` and return the files; a page that is gone is passed over."""
    FOLDER.mkdir(exist_ok=True)
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-")[:120]
    pages = [page for context in browser.contexts for page in context.pages]
    saved = []
    for number, page in enumerate(pages, start=1):
        file = FOLDER / f"{stem}-{number}.png"
        try:
            page.screenshot(path=file, timeout=5000)
        except Error:
            continue
        saved.append(file)
    return saved
