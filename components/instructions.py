"""A queue's instructions, to be acknowledged once before its first item."""

from __future__ import annotations

import streamlit as st

from components.enter_key import press_with_enter
from components.problems import plain
from components.session import current_actor, database
from components.viewer import acknowledged_texts
from services.reading import instructions
from services.reading.instructions import Instructions

_DRAWN = ".st-key-acknowledged [data-drawn]"
# A readable column of text in the middle of the window. The button stays hidden until the text has been drawn.
_STYLE = f"""<style>
.st-key-instructions:not(:has({_DRAWN})) .st-key-acknowledging {{ visibility: hidden }}
.st-key-instructions {{ width: 100%; max-width: 43rem; margin: clamp(.8rem, 4vh, 3.5rem) auto 2rem }}
.st-key-instructions h1 {{ font-size: 1.9rem !important; padding: 0 0 .6rem !important }}
.st-key-instructions [data-testid=stCaptionContainer] p {{ font-size: .9rem; line-height: 1.4 }}
</style>"""


def draw_instructions(shown: Instructions, study_key: str, queue: str) -> None:
    """Draw the name of the part, its instructions, and the button that acknowledges them."""
    st.html(_STYLE)
    with st.container(key="instructions"):
        with st.container(gap=None):
            st.caption(plain(f"{shown.study_title} · {shown.queue_title}"))
            st.title("Before you begin")
        consent = [("Consent", shown.consent)] if shown.consent else []
        acknowledged_texts([("", shown.text), *consent], key="acknowledged")
        st.markdown(
            " ".join(sentence for sentence in (plain(shown.settles), shown.practice, shown.revision) if sentence)
        )
        with st.container(key="acknowledging", horizontal=True, vertical_alignment="center"):
            st.button(
                "I have read this and agree. Begin" if shown.consent else "I have read this. Begin",
                key="begin",
                type="primary",
                on_click=_acknowledge,
                args=(study_key, queue),
            )
            st.caption("or press Enter", width="content")
    press_with_enter("begin", drawn=_DRAWN)


def _acknowledge(study_key: str, queue: str) -> None:
    instructions.acknowledge_instructions(database(), current_actor(), study_key, queue)
