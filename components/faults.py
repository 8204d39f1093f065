"""What a page shows in place of an error."""

from __future__ import annotations

import streamlit as st

from services.errors import Unavailable


def draw_fault(error: Exception) -> bool:
    """Return what happened, that answers are kept, and offer another try; Streamlit draws nothing of its own then."""
    if isinstance(error, Unavailable):
        st.warning(str(error))
    else:
        st.error(
            "This page could not be displayed; the server's log says why. Everything saved is safe: try again, and "
            "tell the study's admin if the error persists."
        )
    st.button("Try again", key="try-again-after-fault")
    return True
