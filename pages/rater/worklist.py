"""What is waiting for a rater or reviewer."""

import streamlit as st

from components import session, worklist
from services import reading

st.title("Worklist")
actor = session.current_actor()
worklist.draw_worklist(reading.desks_of(session.database(), actor))
