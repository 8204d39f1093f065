"""The outcome of the last action on a page, shown above everything else."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from components.problems import plain


def notify(kind: Literal["done", "error"], text: str) -> None:
    """Store a message for the next time the page is drawn."""
    st.session_state["notice"] = (kind, text)


def draw_notice(*, of_long_page: bool = False) -> None:
    """Draw the stored message once. On a long page, somebody far below is pointed to it."""
    kind, text = st.session_state.pop("notice", ("", ""))
    if kind and of_long_page:
        st.toast("The result is at the top of this page.")
    if kind == "error":
        st.error(plain(text))
    elif kind:
        st.success(plain(text))
