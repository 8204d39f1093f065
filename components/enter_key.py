"""Enter on a page with one thing to do: it presses the button, wherever on the page the focus is not on another one."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_component = st.components.v2.component(
    "blindread_enter_key", js=(Path(__file__).parent / "enter_key.js").read_text(encoding="utf-8")
)


def press_with_enter(button_key: str, *, drawn: str) -> None:
    """Let Enter press the button with this key, once the element that the selector `drawn` names is there.

    The element says in its attribute ``data-drawn`` since when, in the browser's milliseconds.

    Streamlit's own shortcut for a button is no choice here: it also takes the Enter that somebody gives to a link or
    to another button that has the focus.
    """
    _component(key=f"enter-{button_key}", data={"presses": f".st-key-{button_key} button", "drawn": drawn})
