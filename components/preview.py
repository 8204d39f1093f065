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
            format_func=lambda key: f"{key} · {by_key[key].prompt}",
            label_visibility="collapsed",
            width="stretch",
        )
    return str(chosen)
