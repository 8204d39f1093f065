"""What a page shows instead of an error."""

from __future__ import annotations

import streamlit as st

from services.errors import Unavailable


def draw_fault(error: Exception) -> bool:
    """Draw what happened, that saved work is safe, and a retry button; True keeps Streamlit from drawing an error."""
    if isinstance(error, Unavailable):
        st.warning(str(error))
    else:
        st.error(
            "This page could not be displayed; the server's log says why. Everything saved is safe: try again, and "
            "tell the study's admin if the error persists."
        )
    st.button("Try again", key="try-again-after-fault")
    return True
