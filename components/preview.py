"""Choose an item to preview."""

from __future__ import annotations

import streamlit as st

from components.frame import PAGES, STUDY
from services.previewing import ItemLine


def choose_item(items: list[ItemLine], study_key: str) -> str:
    """Draw the choice of an item and return its key."""
    by_key = {item.key: item for item in items}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.page_link(
            PAGES / STUDY[0], label="Back to the study", icon=":material/arrow_back:", query_params={"study": study_key}
        )
        chosen = st.selectbox(
            "Item",
            list(by_key),
            format_func=lambda key: _line(by_key[key]),
            label_visibility="collapsed",
            width="stretch",
        )
    return str(chosen)


def draw_feedback(lines: list[list[str]]) -> None:
    """Draw what raters will be told after their answer to a practice item."""
    if lines:
        st.caption("After the answer: " + " · ".join(f"{label}: {text}" for label, text in lines))


def _line(item: ItemLine) -> str:
    marks = ["practice" if item.practice else "", item.turn]
    return " · ".join(part for part in (item.key, *marks, item.prompt) if part)
