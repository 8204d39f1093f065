"""The people of the installation, for its owners: lock, unlock, sign out everywhere, remove the demo."""

import streamlit as st

from components import people_view, session
from services.people import accounts

st.title("People")
actor = session.current_actor()
with session.refusals():
    people_view.draw_people(accounts.people_of(session.database(), actor))
    people_view.draw_demo()
