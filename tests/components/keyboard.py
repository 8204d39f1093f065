"""Keys as keyboards send them, and numbers typed by them."""

from __future__ import annotations

from playwright.sync_api import Locator

from tests.components.conftest import Room

SHIFT = 8
FRENCH = {"1": ("&", "Digit1"), "2": ("é", "Digit2"), "4": ("'", "Digit4"), "5": ("(", "Digit5"), "6": ("-", "Digit6")}


def press_by_place(reader: Room, *keys: tuple[str, str], modifiers: int = 0) -> None:
    """Press keys as a keyboard does that has other signs than digits in its upper row: sign and place of each."""
    browser = reader.page.context.new_cdp_session(reader.page)
    for key, code in keys:
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" else {}
            browser.send(
                "Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "modifiers": modifiers, **text}
            )
    browser.detach()


def typed_size(reader: Room, typed: str, answer: str = "2") -> Locator:
    """Answer the first question, type the diameter and leave its box."""
    reader.press(answer)
    size = reader.page.get_by_label("Largest diameter")
    size.focus()
    reader.page.keyboard.insert_text(typed)
    reader.press("Escape")
    return size
