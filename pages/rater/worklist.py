"""What is waiting for a rater or reviewer."""

import streamlit as st

from components import session, worklist_view
from services.reading import worklist

st.title("Worklist")
actor = session.current_actor()
worklist_view.draw_worklist(
    worklist.desks_of(session.database(), actor),
    left=worklist.has_left_all_studies(session.database(), actor),
)
