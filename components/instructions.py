"""The instructions of a queue, to be acknowledged once before its first item."""

from __future__ import annotations

import streamlit as st

from components.session import current_actor, database
from services.reading import worklist
from services.reading.worklist import Instructions


def draw_instructions(shown: Instructions, study_key: str, queue: str) -> None:
    """Draw the instructions with the button that acknowledges them."""
    # Each paragraph in the direction of its own words.
    st.html("<style>.st-key-instructions :is(p, li) { unicode-bidi: plaintext; text-align: start }</style>")
    with st.container(width=760, key="instructions"):
        st.title("Before you begin")
        st.markdown(shown.text)
        if shown.consent:
            st.subheader("Consent")
            st.markdown(shown.consent)
        st.button(
            "I have read this and agree. Begin" if shown.consent else "I have read this. Begin",
            type="primary",
            on_click=_acknowledge,
            args=(study_key, queue),
        )


def _acknowledge(study_key: str, queue: str) -> None:
    worklist.acknowledge_instructions(database(), current_actor(), study_key, queue)
