"""What came of the last act on a page, shown above all that is drawn after it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components.problems import plain


def notify(kind: Literal["done", "error"], text: str) -> None:
    """Note what is to be said when the page is drawn next."""
    st.session_state["notice"] = (kind, text)


def draw_notice(*, of_long_page: bool = False) -> None:
    """Draw what was noted, once; on a long page somebody may be far below it, and is pointed there."""
    kind, text = st.session_state.pop("notice", ("", ""))
    if kind and of_long_page:
        st.toast("What came of it is at the top of this page.")
    if kind == "error":
        st.error(plain(text))
    elif kind:
        st.success(plain(text))
