"""What is waiting for a rater or reviewer."""

import streamlit as st

from components import session, worklist_view
from services.reading import worklist

st.title("Worklist")
actor = session.current_actor()
desks = worklist.desks_of(session.database(), actor)
worklist_view.draw_worklist(desks, left=not desks and worklist.has_left_all_studies(session.database(), actor))
