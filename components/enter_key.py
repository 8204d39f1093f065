"""Enter on a page with a single action: it presses the button, unless another control has the focus."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_component = st.components.v2.component(
    "blindread_enter_key", js=(Path(__file__).parent / "enter_key.js").read_text(encoding="utf-8")
)


def press_with_enter(button_key: str, *, drawn: str) -> None:
    """Make Enter press the button with this key, once the element matching the selector `drawn` exists.

    The element's attribute ``data-drawn`` holds the time since when it exists, in the browser's milliseconds.

    Streamlit's own keyboard shortcut for buttons is unsuitable: it also captures the Enter meant for a focused link or
    another button.
    """
    _component(key=f"enter-{button_key}", data={"presses": f".st-key-{button_key} button", "drawn": drawn})
